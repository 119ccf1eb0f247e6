"""How fast the widgets of the workbench answer: issue 5 sets the limits."""

import json
import os
import statistics
import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from scoring.model.case import Case, Task
from tests.factories import answer, call, case, task
from ui.graph.panel import GraphPanel
from ui.preflight import hold_singletons
from ui.theme import apply_theme
from ui.transcript.content import USER_STEP
from ui.transcript.field_context import FieldContext
from ui.transcript.json_editor import JsonEditor
from ui.transcript.panel import TranscriptPanel
from ui.transcript.text_checker import TextChecker

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
hold_singletons()
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")

OPEN_SECONDS = 0.5
FRAME_SECONDS = 0.016
EDIT_SECONDS = 0.05
STEPS = 1_000
GRAPH_STEPS = 60
JSON_BYTES = 200_000
ROUNDS = 60


def long_case() -> Case:
    """One task of a thousand calls with observations of up to thirty rows."""
    steps = tuple(
        call(
            f"tool{i % 9}",
            {"ok": True, "rows": [{"id": row, "name": f"thing {row}"} for row in range(i % 30)]},
            n=i,
            city="Oslo",
            text="word " * (i % 40),
        )
        for i in range(STEPS)
    )
    return case(Task(user="Do all of it", steps=steps))


def spread(act: Callable[[int], None]) -> list[float]:
    """Seconds of each round, ascending."""
    seconds = []
    for number in range(ROUNDS):
        start = time.perf_counter()
        act(number)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)


def measured(benchmark: BenchmarkFixture, act: Callable[[int], None]) -> float:
    """Median of the rounds in seconds; the 95th percentile is noted beside the benchmark."""
    seconds: list[float] = benchmark.pedantic(spread, args=(act,), rounds=1)  # type: ignore[no-untyped-call]
    benchmark.extra_info["p95_ms"] = round(seconds[round(0.95 * ROUNDS) - 1] * 1000, 1)
    return statistics.median(seconds)


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> TranscriptPanel:
    apply_theme(qapp, dark=False)
    widget = TranscriptPanel()
    qtbot.addWidget(widget)
    widget.resize(620, 900)
    widget.show()
    return widget


def test_a_dialogue_of_a_thousand_steps_opens_at_once(
    benchmark: BenchmarkFixture, panel: TranscriptPanel
) -> None:
    long, short = long_case(), case(task(answer()), id="other")

    def forget() -> None:
        panel.show_case(short, task=0)

    def open_it() -> None:
        panel.show_case(long, task=0)
        panel.grab()

    benchmark.pedantic(open_it, setup=forget, rounds=5)  # type: ignore[no-untyped-call]
    assert panel.view.column.made_count < 60
    if benchmark.stats:
        assert benchmark.stats.stats.min < OPEN_SECONDS


def test_scrolling_a_long_dialogue_keeps_up_with_the_screen(
    benchmark: BenchmarkFixture, panel: TranscriptPanel
) -> None:
    panel.show_case(long_case(), task=0)
    bar = panel.view.column.verticalScrollBar()

    def scroll(number: int) -> None:
        bar.setValue(10_000 + 40 * number)
        panel.view.column.viewport().repaint()

    scroll(0)
    assert measured(benchmark, scroll) < FRAME_SECONDS


def test_a_key_in_a_large_json_shows_within_a_frame(
    benchmark: BenchmarkFixture, qtbot: QtBot, qapp: QApplication
) -> None:
    apply_theme(qapp, dark=False)
    rows = [{"id": number, "name": f"thing {number}", "tags": ["a", "b"]} for number in range(2_200)]
    context = FieldContext(TextChecker(qapp))
    editor = JsonEditor(json.loads(json.dumps(rows)), context=context, name="Arguments")
    qtbot.addWidget(editor)
    editor.resize(560, 420)
    editor.show()
    assert len(editor.field.toPlainText()) > JSON_BYTES
    editor.field.verticalScrollBar().setValue(4_000)
    editor.field.setTextCursor(editor.field.cursorForPosition(editor.field.viewport().rect().center()))

    def type_key(number: int) -> None:
        QTest.keyClick(editor.field, Qt.Key.Key_1)
        editor.field.viewport().repaint()

    assert measured(benchmark, type_key) < FRAME_SECONDS


def test_a_graph_of_sixty_steps_is_edited_within_a_frame(
    benchmark: BenchmarkFixture, qtbot: QtBot, qapp: QApplication
) -> None:
    apply_theme(qapp, dark=False)
    calls = [call(f"tool{i % 7}", n=i) for i in range(GRAPH_STEPS - 1)]
    edges = [(i, i + 3) for i in range(GRAPH_STEPS - 4)]
    drawings = (task(*calls, answer(), edges=edges), task(*calls, answer(), edges=edges[:-1]))
    graph = GraphPanel()
    qtbot.addWidget(graph)
    graph.resize(430, 800)
    graph.show()

    def edit(number: int) -> None:
        graph.view.show_task(drawings[number % 2])
        graph.view.viewport().repaint()

    edit(1)
    assert measured(benchmark, edit) < FRAME_SECONDS


def test_the_next_value_of_a_long_dialogue_is_shown_at_once(
    benchmark: BenchmarkFixture, panel: TranscriptPanel
) -> None:
    long = long_case()
    changed = long.model_copy(update={"tasks": (long.tasks[0].model_copy(update={"user": "Other"}),)})
    panel.show_case(long, task=0)
    panel.view.select(0, USER_STEP)

    def edit(number: int) -> None:
        panel.show_case((long, changed)[number % 2], task=0)
        panel.view.column.viewport().repaint()

    assert measured(benchmark, edit) < EDIT_SECONDS
