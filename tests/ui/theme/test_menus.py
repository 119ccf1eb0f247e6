"""Menus keep to the screen, however many and however long their words are."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from ui.theme.menus import open_menu

LONG = "batch_of_the_second_delivery && " + "of_november_" * 20


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    """What menus belong to."""
    found = QWidget()
    qtbot.addWidget(found)
    found.show()
    return found


def _menu(parent: QWidget, *words: str) -> QMenu:
    menu = QMenu(parent)
    for one in words:
        menu.addAction(one)
    open_menu(menu, QPoint(700, 700))
    return menu


def test_long_words_are_cut_to_the_screen_and_told_in_the_tooltip(parent: QWidget) -> None:
    menu = _menu(parent, LONG, "short")
    long, short = menu.actions()
    assert menu.width() <= menu.screen().availableGeometry().width()
    assert "…" in long.text()
    assert long.toolTip() == LONG.replace("&&", "&")
    assert short.text() == "short"
    menu.close()


def test_a_long_menu_scrolls_instead_of_standing_beside_the_screen(parent: QWidget) -> None:
    menu = _menu(parent, *(f"batch-{number}" for number in range(200)))
    assert menu.screen().availableGeometry().contains(menu.geometry())
    menu.close()
