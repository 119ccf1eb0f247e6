"""Tabs: none of them moves or hides another when it is chosen."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from ui.theme.panels import TabBar, TabPages

TITLES = ("People", "Batches", "A title that is long where it stands out")


@pytest.fixture
def tabs(qtbot: QtBot, light: QApplication) -> Iterator[TabBar]:
    """Three tabs in a line that has room to spare."""
    holder = QWidget()
    qtbot.addWidget(holder)
    row = QHBoxLayout(holder)
    found = TabBar("tabs", TITLES)
    row.addWidget(found)
    row.addStretch(1)
    holder.resize(800, 60)
    holder.show()
    yield found
    holder.hide()


@pytest.mark.parametrize("chosen", range(len(TITLES)))
def test_whichever_tab_is_chosen_all_fit_and_none_scrolls(tabs: TabBar, chosen: int) -> None:
    tabs.setCurrentIndex(chosen)
    assert tabs.tabRect(len(TITLES) - 1).right() <= tabs.width()
    assert not any(button.isVisible() for button in tabs.findChildren(QToolButton))


def test_a_tab_is_not_narrower_than_its_strong_letters(tabs: TabBar) -> None:
    widths = []
    for chosen in range(len(TITLES)):
        tabs.setCurrentIndex(chosen)
        widths.append([tabs.tabSizeHint(index).width() for index in range(len(TITLES))])
    for index in range(len(TITLES)):
        of_one = [row[index] for row in widths]
        assert max(of_one) - min(of_one) <= 1  # metrics are whole pixels


def test_a_narrow_line_leaves_the_tabs_their_room(tabs: TabBar) -> None:
    assert tabs.minimumSizeHint().width() >= tabs.sizeHint().width() - len(TITLES)


def test_tabs_stand_closer_where_they_do_not_fit_and_apart_again_where_they_do(
    qtbot: QtBot, light: QApplication
) -> None:
    pages = TabPages("pages")
    qtbot.addWidget(pages)
    for title in ("Review", "Evidence 26/26", "History", "Comments 1", "T-Eval"):
        pages.addTab(QWidget(), title)
    pages.show()
    bar = pages.tabBar()
    pages.resize(600, 200)
    wide = bar.tabRect(4).right()
    pages.resize(wide - 10, 200)
    assert bar.tabRect(4).right() < pages.width()
    pages.setTabText(1, "Evidence")
    assert bar.property("look") == ""
    pages.setTabText(1, "Evidence 26/26")
    assert bar.property("look") == "narrow"
    pages.resize(600, 200)
    assert bar.tabRect(4).right() == wide
