"""The queue page over 100,000 cases: first rows, a filter, scrolling, and how many queries they take.

Times are the processor's: a machine shared with others must not fail them.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QTableView
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot
from sqlalchemy import Engine, event

from annotator.project.changes import Changes
from scoring.model.taxonomy import Stage
from tests.bench.yardsticks import an_empty_window, compare
from tests.ui.find import find, show_view
from tests.ui.settling import is_settled
from ui.queue.case_table import PAGE_ROWS
from ui.queue.page import QueuePage
from ui.queue.table_view import CaseTableView
from ui.queue.views import QueueView
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.services.preflight import hold_singletons
from ui.theme import apply_theme
from ui.theme.look import dress

hold_singletons()
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


FRAME_RATIO = 3.0
"""A frame against one of Qt's own table, in the same run."""
STEPS = 120
VIEW_QUERIES = 12
"""Rows, their count and the preview, each in a transaction of its own."""

OVERVIEW_QUERIES = 36
"""What the head, the filters and the day ask for beside the rows."""


class Queue:
    """The page in a window, with every statement it causes counted."""

    def __init__(self, qtbot: QtBot, operations: Operations, preferences: Preferences) -> None:
        self.qtbot = qtbot
        self.operations = operations
        self.statements = 0
        self.window = QMainWindow()
        dress(self.window)
        self.page = QueuePage(operations, Commands(self.window), preferences)
        self.window.setCentralWidget(self.page)
        self.window.resize(1440, 900)
        self.window.show()
        self.view = find(self.page, CaseTableView, "cases")

    def settle(self) -> None:
        """Wait until everything was answered."""
        self.qtbot.waitUntil(lambda: is_settled(self.operations), timeout=60_000)

    def show(self, view: QueueView) -> float:
        """Show another view; gives the processor's seconds until its first rows are painted."""
        began = time.process_time()
        show_view(self.page, view)
        self.settle()
        self.view.viewport().repaint()
        return time.process_time() - began

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count statements."""
        self.statements = 0

        def note(*_: object) -> None:
            self.statements += 1

        event.listen(Engine, "before_cursor_execute", note)
        try:
            yield
        finally:
            event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture
def queue(qtbot: QtBot, qapp: QApplication, tmp_path: Path, large_url: str) -> Iterator[Queue]:
    """The queue of a manager over the large project."""
    apply_theme(qapp, dark=False)
    operations = Operations()
    with qtbot.waitSignal(operations.opened, timeout=60_000):
        operations.open(large_url, "p1")
    found = Queue(qtbot, operations, Preferences(tmp_path / "settings.json"))
    found.settle()
    yield found
    operations.close()
    shiboken6.delete(found.window)
    shiboken6.delete(operations)


def test_a_view_shows_its_first_rows_at_once(benchmark: BenchmarkFixture, queue: Queue) -> None:
    views = [QueueView(stages=(Stage.CROSS_CHECK,)), QueueView(), QueueView(batch="batch 3"), QueueView()]

    def show_all() -> float:
        return statistics.median(queue.show(view) for view in views * 3)

    seconds = benchmark.pedantic(show_all, rounds=1)  # type: ignore[no-untyped-call]
    with queue.counted():
        queue.show(QueueView(stages=(Stage.FINAL,)))
    print(f"\nfirst rows of another view: {seconds * 1000:.0f} ms, {queue.statements} statements")
    if benchmark.stats:
        compare(benchmark, seconds, against=an_empty_window)
    assert queue.statements <= VIEW_QUERIES


def scroll(view: QTableView) -> list[float]:
    """Scroll by a notch of the wheel again and again; the processor's seconds of each frame, ascending."""
    bar, step = view.verticalScrollBar(), 3 * view.rowHeight(0)
    frames: list[float] = []
    for number in range(STEPS):
        began = time.thread_time()
        bar.setValue(step * number)
        view.viewport().repaint()
        frames.append(time.thread_time() - began)
    return sorted(frames)


def plain_table(like: QTableView) -> QTableView:
    """Qt's own table with as many rows and columns, its texts in memory."""
    model = QStandardItemModel(like.model().rowCount(), like.model().columnCount())
    for row in range(min(model.rowCount(), 4 * STEPS)):
        for column in range(model.columnCount()):
            model.setItem(row, column, QStandardItem(f"Row {row}, column {column}"))
    table = QTableView()
    dress(table)
    model.setParent(table)
    table.setModel(model)
    table.setVerticalScrollMode(like.verticalScrollMode())
    table.setEditTriggers(like.editTriggers())
    table.resize(like.size())
    table.show()
    assert QTest.qWaitForWindowExposed(table)
    return table


def test_scrolling_never_waits_for_the_database(benchmark: BenchmarkFixture, queue: Queue) -> None:
    plain = plain_table(queue.view)
    usual = scroll(plain)[STEPS // 2]
    plain.hide()
    shiboken6.delete(plain)
    with queue.counted():
        frames = benchmark.pedantic(scroll, args=(queue.view,), rounds=1)  # type: ignore[no-untyped-call]
        queue.settle()
    middle, p95 = frames[STEPS // 2], frames[round(0.95 * STEPS) - 1]
    print(
        f"\nscrolling: a frame {middle * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms, Qt's own table "
        f"{usual * 1000:.1f} ms; {queue.statements} statements"
    )
    if benchmark.stats:
        assert middle < FRAME_RATIO * usual
    assert queue.statements <= 10 * (1 + STEPS * 3 // PAGE_ROWS)
    queue.view.verticalScrollBar().setValue(queue.view.verticalScrollBar().maximum())
    queue.view.viewport().repaint()
    queue.settle()
    assert queue.view.model().index(queue.view.model().rowCount() - 1, 0).data()


def test_the_page_asks_for_what_it_shows_and_no_more(queue: Queue) -> None:
    with queue.counted():
        queue.operations.changed.emit(Changes(has_new_cases=True), None)
        queue.settle()
    count = find(queue.page, QLabel, "case-count").text()
    print(f"\nreading everything again: {queue.statements} statements for {count}, {PAGE_ROWS} rows")
    assert queue.statements <= OVERVIEW_QUERIES
