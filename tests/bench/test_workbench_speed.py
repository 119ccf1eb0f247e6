"""How soon the next case is on the screen."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from annotator.resources import resource_text
from scoring.model.case import Case, load_case
from scoring.model.labels import Reason
from scoring.model.taxonomy import FeedbackCategory
from tests.bench.opened_workbench import workbench_on
from tests.bench.yardsticks import an_empty_window, compare
from ui.services.operations import Operations
from ui.theme.dialogs import FormDialog
from ui.workbench.page import WorkbenchPage

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
    pytest.mark.usefixtures("collector"),
]

ROUNDS = 20
WARM_UP = 4
PATIENCE_MILLISECONDS = 10_000


def three_times() -> list[Case]:
    """The bundled cases three times over under ids of their own."""
    cases = [load_case(json.loads(line)) for line in resource_text("samples", "cases.jsonl").splitlines()]
    return [case.model_copy(update={"id": f"{case.id}-{i}"}) for i in range(3) for case in cases]


@dataclass
class Sitting:
    """The workbench on a project, and the way from one case to the next."""

    qtbot: QtBot
    window: QMainWindow
    page: WorkbenchPage
    operations: Operations

    def next_case(self) -> float:
        """Press N; the seconds until the case has been painted."""
        opened: list[bool] = []
        note = self.page.open_work.opened.connect(lambda *_: opened.append(True))
        app = QApplication.instance()
        assert app is not None
        start = time.perf_counter()
        QTest.keyClick(self.page.empty.next, Qt.Key.Key_N)
        while not opened and time.perf_counter() - start < PATIENCE_MILLISECONDS / 1000:
            app.processEvents()
            time.sleep(0.0002)
        self.page.panels.repaint()
        spent = time.perf_counter() - start
        self.page.open_work.opened.disconnect(note)
        self._skip()
        return spent

    def _skip(self) -> None:
        self.page.skip()
        dialog = self.page.findChild(FormDialog, "reason-dialog")
        assert dialog is not None
        with self.qtbot.waitSignal(self.page.submission.left):
            dialog.answered.emit(Reason(category=FeedbackCategory.OTHER, note="measuring"))
        shiboken6.delete(dialog)
        self.window.activateWindow()
        self._wait(self.window.isActiveWindow)

    def _wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=PATIENCE_MILLISECONDS)


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Sitting]:
    """The workbench on the bundled cases, nothing open."""
    with workbench_on(three_times(), qtbot=qtbot, app=qapp, folder=tmp_path) as (window, page, operations):
        yield Sitting(qtbot, window, page, operations)


def test_the_next_case_is_there_soon(benchmark: BenchmarkFixture, desk: Sitting) -> None:
    for _ in range(WARM_UP):
        desk.next_case()
    spent: list[float] = []

    def measure() -> None:
        spent.extend(desk.next_case() for _ in range(ROUNDS))

    benchmark.pedantic(measure, rounds=1)  # type: ignore[no-untyped-call]
    spent.sort()
    benchmark.extra_info["p50_ms"] = round(1000 * statistics.median(spent), 1)
    benchmark.extra_info["p95_ms"] = round(1000 * spent[round(0.95 * ROUNDS) - 1], 1)
    if benchmark.stats:
        compare(benchmark, statistics.median(spent), against=an_empty_window)
