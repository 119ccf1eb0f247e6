"""The tour points at the real parts of the desk by keys alone, changes nothing and goes on where it was."""

from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.training.tour import STOPS, TourPage
from ui.workbench.page import WorkbenchPage


@pytest.fixture
def tour(
    qtbot: QtBot, light: QApplication, operations: Operations, preferences: Preferences
) -> Iterator[TourPage]:
    """The tour at its first stop."""
    window = QMainWindow()
    window.resize(1380, 840)
    page = TourPage(operations, preferences)
    window.setCentralWidget(page)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    page.setFocus()
    yield page
    window.close()
    shiboken6.delete(window)


def press(*keys: str) -> None:
    for key in keys:
        QTest.keySequence(QApplication.focusWidget() or QWidget(), QKeySequence(key))


def words(page: TourPage) -> str:
    return find(page, QLabel, "tour-words").text()


def test_every_stop_says_one_short_sentence_beside_a_part_that_is_seen(qtbot: QtBot, tour: TourPage) -> None:
    told = []
    for sentence, part in zip(STOPS, tour.parts(), strict=True):
        told.append(words(tour))
        assert words(tour) == sentence
        assert part.isVisible()
        assert tour.accessibleName().startswith(sentence)
        card = find(tour, QWidget, "tour-card")
        own = part.visibleRegion().boundingRect().translated(part.mapTo(tour, QPoint()))
        assert tour.rect().contains(card.geometry())
        assert not card.geometry().intersects(own)
        assert len(sentence.split()) <= 15
        press("Right")
    assert len(set(told)) == len(STOPS)


SPOKEN_OF = (
    "hint-args.differs",
    "evidence-tab",
    "graph-panel",
    "label-policy",
    "finding-args.differs",
    "workbench-submit",
)
"""Something on the part that each stop speaks of."""


def test_each_stop_uncovers_what_it_speaks_of_and_nothing_else(tour: TourPage) -> None:
    for name in SPOKEN_OF:
        covered = tour.grab().toImage()
        tour.guide.hide()
        bare = tour.grab().toImage()
        uncovered = set()
        for other in SPOKEN_OF:
            widget = find(tour, QWidget, other)
            place = widget.visibleRegion().boundingRect().translated(widget.mapTo(tour, QPoint()))
            if not place.isEmpty() and covered.copy(place) == bare.copy(place):
                uncovered.add(other)
        assert uncovered == {name}
        tour.guide.show()
        press("Right")


def test_keys_change_nothing_but_the_stop(qtbot: QtBot, tour: TourPage) -> None:
    assert tour.panels.document is not None
    before = tour.panels.document.snapshot
    press("Return", "Tab", "P", "1", "E", "Ctrl+Return", "Space", "Left", "F8")
    assert tour.place == 2  # Return, Ctrl+Return and Space go on, Left goes back
    assert tour.panels.document.snapshot is before
    QTest.mouseClick(tour.guide, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert tour.panels.document.snapshot is before
    assert QApplication.focusWidget() is tour


def test_a_tour_that_was_left_goes_on_there_and_one_that_is_over_begins_anew(
    qtbot: QtBot, tour: TourPage, operations: Operations, preferences: Preferences
) -> None:
    press("Right", "Right")
    with qtbot.waitSignal(tour.finished) as left:
        press("Esc")
    assert left.args == ["Tour left at 3 of 6. Ctrl+K, “tour” goes on there."]
    again = TourPage(operations, preferences)
    qtbot.addWidget(again)
    assert again.place == 2
    with qtbot.waitSignal(tour.finished) as over:
        press("Right", "Right", "Right", "Right")
    assert over.args == ["That was one case. N takes your first one."]
    assert again.place == 0


def test_its_keys_are_those_of_the_workbench(
    qtbot: QtBot, operations: Operations, preferences: Preferences
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    commands = Commands(window)
    page = WorkbenchPage(operations, commands, preferences)
    window.setCentralWidget(page)
    used = {command.keys: command.title for command in commands.all()}
    named = {keys: used.get(keys) for of_stop in STOPS.values() for keys in of_stop}
    assert named == {
        "J": "Next step",
        "K": "Previous step",
        "Alt+E": "Evidence tab",
        "E": "Accept the step's evidence",
        "D": "Connect steps",
        "G": "Accept suggestions",
        "P": "Choose the policy",
        "I": "Choose the information type",
        "F8": "Next problem",
        "F": "Settle the finding, or take their side",
        "W": "Waive the finding, or keep my side",
        "Ctrl+Return": "Submit",
    }
