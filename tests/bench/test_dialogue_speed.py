"""How fast a dialogue of a thousand steps with everything in it opens, scrolls and is searched."""

import os
import time
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from scoring.model.case import Case, Task
from scoring.model.labels import Finding
from scoring.model.taxonomy import Severity
from tests.bench.yardsticks import an_empty_window, compare
from tests.factories import answer, ask, call, case, task
from ui.dialogue.arguments.completions import seen_values
from ui.dialogue.content import CardNotes, EvidenceCoverage
from ui.dialogue.panel import DialoguePanel
from ui.services.preflight import hold_singletons
from ui.theme import apply_theme
from ui.theme.look import dress

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
hold_singletons()
pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
    pytest.mark.usefixtures("collector"),
]

STEPS = 1_000


def long_case() -> Case:
    """A thousand steps: calls in rounds of three, questions, long observations, a long answer."""
    steps = [
        ask(f"Which of the {at}?", "The first. " * (at % 12))
        if at % 50 == 49
        else call(
            f"tool{at % 9}",
            {
                "ok": True,
                "rows": [{"id": f"R-{at}-{row}", "name": "thing " * (row % 7)} for row in range(at % 40)],
            },
            n=at,
            city="Oslo",
            text="word " * (at % 40),
        ).model_copy(update={"recorded_round": at // 3})
        for at in range(STEPS - 1)
    ]
    return case(Task(user="Do all of it. " * 40, steps=(*steps, answer("# Done\n\n" + "- *one*\n" * 200))))


def notes(found: Case) -> CardNotes:
    """A finding at every seventh step and a coverage at every call."""
    findings = tuple(
        Finding(
            rule="args.differs",
            severity=Severity.WARNING,
            message="Value differs from its source.",
            task=0,
            step=step,
            path="/city",
            proposal="Las Vegas",
        )
        for step in range(0, STEPS - 1, 7)
    )
    coverage = {
        (0, step): EvidenceCoverage(cited=1, total=3, paths=("/city",)) for step, _ in found.tasks[0].calls
    }
    return CardNotes(findings=findings, coverage=coverage)


def say(name: str, seconds: list[float]) -> float:
    """Print the median and the 95th percentile in milliseconds; returns the latter in seconds."""
    ordered = sorted(seconds)
    median, high = ordered[len(ordered) // 2], ordered[max(round(0.95 * len(ordered)) - 1, 0)]
    print(f"\n{name}: p50 {1000 * median:.1f} ms, p95 {1000 * high:.1f} ms of {len(ordered)}")
    return high


def timed(benchmark: BenchmarkFixture, act: Callable[[int], object], *, rounds: int) -> list[float]:
    """Seconds of each round."""

    def run() -> list[float]:
        seconds = []
        for number in range(rounds):
            start = time.perf_counter()
            act(number)
            seconds.append(time.perf_counter() - start)
        return seconds

    found: list[float] = benchmark.pedantic(run, rounds=1)  # type: ignore[no-untyped-call]
    return found


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> DialoguePanel:
    apply_theme(qapp, dark=False)
    widget = DialoguePanel()
    qtbot.addWidget(widget)
    dress(widget)
    widget.resize(620, 900)
    widget.show()
    return widget


def test_a_long_dialogue_with_findings_and_rounds_opens_at_once(
    benchmark: BenchmarkFixture, panel: DialoguePanel
) -> None:
    long, short = long_case(), case(task(answer()), id="other")
    said = notes(long)

    def open_it(_: int) -> None:
        panel.show_case(short, task=0)
        panel.show_case(long, task=0, notes=said)
        panel.grab()

    high = say("1,000 steps open", timed(benchmark, open_it, rounds=5))
    assert len(panel.view.column.cards()) < 60
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)


def test_scrolling_through_rounds_and_findings_keeps_up(
    benchmark: BenchmarkFixture, panel: DialoguePanel
) -> None:
    long = long_case()
    said = notes(long)
    panel.show_case(long, task=0, notes=said)
    bar = panel.view.column.verticalScrollBar()
    bar.setValue(10_000)

    def scroll(number: int) -> None:
        bar.setValue(10_000 + 40 * number)
        panel.view.column.viewport().repaint()

    high = say("scroll by a notch", timed(benchmark, scroll, rounds=100))
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)


def test_words_of_a_long_dialogue_are_found_while_one_types(
    benchmark: BenchmarkFixture, panel: DialoguePanel
) -> None:
    panel.show_case(long_case(), task=0)
    panel.open_find()
    words = ["R-9", "R-98", "R-980", "R-980-1", "thing", "nobody said it"]

    def look(number: int) -> None:
        panel.find_bar.words.setText(words[number % len(words)])

    high = say("find in 1,000 steps", timed(benchmark, look, rounds=12))
    assert panel.find_bar.count.text() == "not found"
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)


def test_what_was_seen_before_the_last_call_is_listed_at_once(benchmark: BenchmarkFixture) -> None:
    long = long_case()
    high = say(
        "values seen before",
        timed(benchmark, lambda _: seen_values(long, 0, step=STEPS - 2), rounds=5),
    )
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)
