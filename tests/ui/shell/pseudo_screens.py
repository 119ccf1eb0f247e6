"""Run by `test_pseudo_language.py`, in a process that speaks the pseudo-language: every page and dialog."""

import re

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.cut import cut
from tests.ui.displayed import displayed
from tests.ui.shell.test_screens import SCREENS, settled_outline
from tests.ui.untranslated import BESIDE, is_glued, untranslated
from ui.shell.main_window import MainWindow

NARROW = (
    r"tabs do not fit: #qt_tabwidget_tabbar .*",  # they scroll
    r"sideways: FigureTable .*",  # it scrolls
    r"too (narrow|low): (TextLabel|Chip) # '(⟦(Dépéñdéñçîéš|böth|öñlý [AB])~*⟧|1)' .*",
    r"too (narrow|low): Chip # '⟦(Révîéwér [AB]|ñöt låbélléd|åš déçlåréd)~*⟧' .*",
    r"too narrow: QCheckBox #only-differences .*",
)
"""What is cut with words of 140 %: first what scrolls, then what is still to get room (2026-11-28)."""


@pytest.mark.parametrize("who", SCREENS)
@pytest.mark.usefixtures("no_folders", "light", "lasting_notes")
def test_every_text_is_translated_whole_and_has_room(
    who: str, qtbot: QtBot, window: MainWindow, request: pytest.FixtureRequest
) -> None:
    project, person, steps = SCREENS[who]
    window.resize(1440, 900)
    window.entrance.open(request.getfixturevalue(project), person)
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()))
    wrong: list[str] = []
    for name, go in steps:
        go(window)
        settled_outline(qtbot, window)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # words that came last have their room
        wrong += [f"{name}: {one}" for one in problems(window)]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def problems(window: QWidget) -> list[str]:
    """What is wrong with the texts of a window and of what is over it, a line each."""
    found: list[str] = []
    for place, text in displayed(window):
        if place.startswith(BESIDE):
            continue
        found += [f"not translated: {part!r} at {place}" for part in untranslated(text)]
        is_hint = place == "QLabel #"  # its name for a screen reader is its heading and its words
        found += [f"glued: {text!r} at {place}"] if is_glued(text) and not is_hint else []
    tops = [window, *(one for one in QApplication.topLevelWidgets() if one is not window and one.isVisible())]
    clipped = (
        line for top in tops for line in cut(top) if not any(re.fullmatch(kind, line) for kind in NARROW)
    )
    return found + [f"clipped: {line}" for line in clipped]
