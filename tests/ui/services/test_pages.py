"""When a page of figures counts again: at once for this window, together and later for others."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from annotator.project.changes import Changes
from ui.services.commands import Commands
from ui.services.feed import ProjectFeed
from ui.services.operations import Operations
from ui.services.pages import FiguresPage


class Figures(FiguresPage):
    """Notes what it is asked to count."""

    def __init__(self, operations: Operations, commands: Commands) -> None:
        super().__init__("figures", operations, commands)
        self.counted: list[Changes] = []
        self.is_counting = False

    def _count_changes(self, changes: Changes) -> None:
        self.counted.append(changes)

    def _is_counting(self) -> bool:
        return self.is_counting


def test_what_others_change_does_not_overtake_a_count(qtbot: QtBot, closed_operations: Operations) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    page = Figures(closed_operations, Commands(window))
    window.setCentralWidget(page)
    later, feed = page.findChild(QTimer), ProjectFeed(closed_operations)
    assert later is not None
    one, two, three = (Changes(case_ids=frozenset((name,))) for name in ("a", "b", "c"))

    closed_operations.changed.emit(one, page)
    assert page.counted == [one]
    assert not later.isActive()

    closed_operations.changed.emit(two, feed)
    closed_operations.changed.emit(three, feed)
    assert page.counted == [one]
    assert later.isActive()

    page.is_counting = True
    later.stop()
    later.timeout.emit()
    assert page.counted == [one]
    assert later.isActive()

    page.is_counting = False
    later.timeout.emit()
    assert page.counted == [one, two | three]

    later.timeout.emit()
    assert page.counted[2:] == [Changes()]  # nothing is told twice
