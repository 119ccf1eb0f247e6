"""How soon the next case is on the screen, with and without having looked ahead to it."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
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
from ui.operations import Operations
from ui.workbench.page import WorkbenchPage
from ui.workbench.reason_dialog import ReasonDialog

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
    pytest.mark.usefixtures("collector"),
]

SHOWN_SECONDS = 0.1
ROUNDS = 20
WARM_UP = 4
PATIENCE_MILLISECONDS = 10_000


def three_times() -> list[Case]:
    """The bundled cases three times over under ids of their own."""
    cases = [load_case(json.loads(line)) for line in resource_text("samples", "cases.jsonl").splitlines()]
    return [case.model_copy(update={"id": f"{case.id}-{i}"}) for i in range(3) for case in cases]


@dataclass(frozen=True)
class Spent:
    """Seconds on the clock, and seconds this process worked: a busy machine stretches only the first."""

    clock: float
    work: float


@dataclass
class Desk:
    """The workbench on a project, and the way from one case to the next."""

    qtbot: QtBot
    window: QMainWindow
    page: WorkbenchPage
    operations: Operations

    def next_case(self, *, is_ahead: bool) -> Spent:
        """Press N and stop the clocks when the case has been painted."""
        if is_ahead:
            self._wait(lambda: self.page.ahead.ready is not None)
        else:
            self.page.ahead.forget()
        opened: list[bool] = []
        note = self.page.desk.opened.connect(partial(opened.append, True))
        app = QApplication.instance()
        assert app is not None
        start, worked = time.perf_counter(), time.process_time()
        QTest.keyClick(self.page.between.next, Qt.Key.Key_N)
        while not opened and time.perf_counter() - start < PATIENCE_MILLISECONDS / 1000:
            app.processEvents()
            time.sleep(0.0002)
        self.page.editor.repaint()
        spent = Spent(time.perf_counter() - start, time.process_time() - worked)
        self.page.desk.opened.disconnect(note)
        loaded = self.page.desk.loaded
        assert loaded is not None
        assert loaded.was_ahead == is_ahead
        self._skip()
        return spent

    def _skip(self) -> None:
        self.page.skip()
        dialog = self.page.findChild(ReasonDialog)
        assert dialog is not None
        with self.qtbot.waitSignal(self.page.handing.left):
            dialog.given.emit(Reason(category=FeedbackCategory.OTHER, note="measuring"))
        shiboken6.delete(dialog)
        self.window.activateWindow()
        self._wait(self.window.isActiveWindow)

    def _wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=PATIENCE_MILLISECONDS)


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    """The workbench on the bundled cases, nothing open."""
    with workbench_on(three_times(), qtbot=qtbot, app=qapp, folder=tmp_path) as (window, page, operations):
        yield Desk(qtbot, window, page, operations)


def test_the_next_case_is_there_sooner_when_it_was_looked_at_before(
    benchmark: BenchmarkFixture, desk: Desk
) -> None:
    for _ in range(WARM_UP):
        desk.next_case(is_ahead=False)
    spent: dict[bool, list[Spent]] = {True: [], False: []}

    def measure() -> None:
        for number in range(2 * ROUNDS):
            is_ahead = number % 2 == 0
            spent[is_ahead].append(desk.next_case(is_ahead=is_ahead))

    benchmark.pedantic(measure, rounds=1)  # type: ignore[no-untyped-call]
    work = {is_ahead: statistics.median(one.work for one in spent[is_ahead]) for is_ahead in spent}
    for is_ahead, name in ((True, "ahead"), (False, "without")):
        clock = sorted(one.clock for one in spent[is_ahead])
        benchmark.extra_info[f"{name}_p50_ms"] = round(1000 * statistics.median(clock), 1)
        benchmark.extra_info[f"{name}_p95_ms"] = round(1000 * clock[round(0.95 * ROUNDS) - 1], 1)
        benchmark.extra_info[f"{name}_work_p50_ms"] = round(1000 * work[is_ahead], 1)
    benchmark.extra_info["ratio_of_work"] = round(work[True] / work[False], 2)
    if benchmark.stats:
        assert work[True] < work[False]
        assert statistics.median(one.clock for one in spent[True]) < SHOWN_SECONDS
