"""Three numbers and more of every table of a report, counted once more from the letters of a small world."""

import re
from collections.abc import Callable, Sequence
from math import sqrt

import pytest

from annotator.release.reports.report import report_tables
from annotator.release.reports.run_groups import named
from annotator.release.reports.score_tables import (
    ScoreTable,
)
from scoring.model.taxonomy import Grouping
from scoring.scorecard import Scorecard
from tests.annotator.release.small_world import (
    LAYOUT,
    RUNS,
    STEPS,
    Done,
    cell,
    lines_of,
    of,
    ratio,
    share,
    switches,
    tasks_of,
    world,
)

THREE = ("fast", "slow", "big")
FAST, SLOW, BIG = map(tasks_of, THREE)
HISTORY = tasks_of("fast, requests and answers only")
BOTH = list(zip(*((a, b) for a, b in zip(FAST, SLOW, strict=True) if a.letter != "."), strict=True))
"""The tasks of fast and slow that have a prediction in both: nobody asked fast one of them."""


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scorecard]:
    return world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def tables(cards: dict[str, Scorecard]) -> tuple[ScoreTable, ...]:
    """Every table of the three runs under one protocol, in groups by kind, the best first."""
    return report_tables(named([cards[name] for name in THREE]), by=[Grouping.KIND], order="task_accuracy")


@pytest.fixture(scope="module")
def two(cards: dict[str, Scorecard]) -> tuple[ScoreTable, ...]:
    """The tables of two runs."""
    return report_tables(named([cards["fast"], cards["slow"]]))


@pytest.fixture(scope="module")
def histories(cards: dict[str, Scorecard]) -> tuple[ScoreTable, ...]:
    """The tables of one model under both histories."""
    return report_tables(named([cards["fast"], cards["fast, requests and answers only"]]))


def test_the_scorer_takes_every_letter_for_what_it_is(cards: dict[str, Scorecard]) -> None:
    for name in RUNS:
        found = [task.is_correct for task in cards[name].tasks]
        assert found == [done.is_right for done in tasks_of(name)], name


def after(tasks: Sequence[Done], count: int) -> list[Done]:
    return [task for task in tasks if switches(task) == count]


def whole(tasks: Sequence[Done], right: Callable[[Done], bool] = lambda task: task.is_right) -> str:
    """The share of dialogues whose tasks are all right."""
    return ratio(sum(all(map(right, of(tasks, dialogue=one))) for one in LAYOUT), len(LAYOUT))


def has_names(task: Done) -> bool:
    """A wrong value leaves the names of the tools right."""
    return task.letter in "+sv"


def progress(tasks: Sequence[Done], *policies: str) -> str:
    """Steps done of serial and mixed tasks: an early end has its first round, which is one call here."""
    found = of(tasks, policy=policies or ("serial", "mixed"))
    done = sum(STEPS[task.policy] if task.is_right else task.letter == "e" for task in found)
    return ratio(done, sum(STEPS[task.policy] for task in found))


def optimal(tasks: Sequence[Done], *policies: str) -> str:
    return share(of(tasks, policy=policies or ("parallel", "mixed")), lambda task: task.letter == "+")


def failed(tasks: Sequence[Done]) -> list[Done]:
    """The wrong tasks whose failure is the model's own."""
    return [task for task in tasks if task.letter in "eRwxv"]


def errors(tasks: Sequence[Done], letters: str) -> str:
    return share(failed(tasks), lambda task: task.letter in letters)


def mean(*texts: str) -> str:
    """The mean of rates as they are printed in full, ties up."""
    counts = [re.findall(r"\d+", text.partition("(")[2]) for text in texts]
    value = sum(10_000 * int(count) / int(total) for count, total in counts) / len(counts)
    return f"{int(value + 0.5 + 1e-9) / 100:.2f}"


def spent(run: str, key: str) -> str:
    """Mean tokens of the tasks whose replies say, from the lines of the file."""
    found = [
        [reply["usage"][key] for reply in line["replies"] if "usage" in reply]
        for line in lines_of(run, protocol="c3")
        if "replies" in line
    ]
    known = [sum(values) for values in found if values]
    return f"{sum(known) / len(known):.1f}"


def waited(run: str) -> str:
    """Seconds a task, from the lines of the file; replies that do not say count like the others."""
    lines = list(lines_of(run, protocol="c3"))
    replies = [reply for line in lines for reply in line.get("replies", ())]
    said = [reply["latency_seconds"] for reply in replies if "latency_seconds" in reply]
    value = sum(said) / len(said) * len(replies) / len(lines)
    return f"{int(10_000 * value + 0.5) / 10_000:.4f}"  # ties up


def dollars(run: str) -> str:
    """$2 for a million tokens read and $10 for a million written, as the card of the run says."""
    return (
        f"{(2 * float(spent(run, 'prompt_tokens')) + 10 * float(spent(run, 'completion_tokens'))) / 1e6:.4f}"
    )


def wilson(count: int, total: int) -> str:
    """Wilson (1927): the middle and the half width, z = 1.96."""
    z, p = 1.959964, count / total
    middle, half = p + z * z / (2 * total), z * sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    low, high = ((middle + sign * half) / (1 + z * z / total) for sign in (-1, 1))
    return f"{100 * low:.1f} to {100 * high:.1f}"


def points(*sides: tuple[float, Sequence[Done]]) -> float:
    """A weighted sum of accuracies, in points."""
    return sum(100 * weight * sum(t.is_right for t in tasks) / len(tasks) for weight, tasks in sides)


def mean_points(*sides: tuple[float, Callable[[Done], bool]]) -> str:
    """The mean over the three runs of such a sum."""
    own = [points(*((w, list(filter(test, run))) for w, test in sides)) for run in (FAST, SLOW, BIG)]
    return f"{sum(own) / 3:+.2f}".replace("-", "−")


def before(task: Done) -> str:
    """The policy of the task before."""
    return LAYOUT[task.dialogue][task.place - 1] if task.place else ""


def follows(tasks: Sequence[Done], now: tuple[str, ...], then: Callable[[str], bool]) -> str:
    """Wrong ones of the tasks of a policy that follow some other."""
    found = [task for task in of(tasks, policy=now) if task.place and then(before(task))]
    return share(found, lambda task: not task.is_right)


SILENT = ("chat", "clarify")
OPEN = "mean of 2, open"
POLICY, ORDER, HIDING = "Accuracy by policy", "Accuracy by task order", "Accuracy by information"
NAMES = "Tool names alone, by"
CLASSES, COLUMNS = "Error classes of failed tasks", "Errors as C3-Bench prints them"
FIRST, THIRD = "Challenge 1: tool dependencies", "Challenge 3: policy switching"
HABIT = "Wrong tasks by what the task before asked for"
MATRIX, ROUTES = "Accuracy by policy and task order", "Accuracy of the last task by the policies up to it"
EFFECTS = "Effects in points"
WILSON = "95 % intervals (Wilson)"

COUNTED = [
    # fast: 3 + 2 + 2 + 3 of 16; slow: 4 + 3 + 3 + 3; big: 3 + 4 + 3 + 3.
    ("Accuracy", "fast", "task", share(FAST)),
    ("Accuracy", "slow", "session", whole(SLOW)),
    ("Accuracy", "big", "after the first", share(of(BIG, place=(1, 2, 3)))),
    ("Accuracy", "fast", "names only", share(FAST, has_names)),
    ("Accuracy", "big", "session, names only", whole(BIG, has_names)),
    ("Accuracy", OPEN, "task", mean(share(FAST), share(SLOW))),  # (62.5 + 81.25) / 2 = 71.875
    ("Accuracy", OPEN, "names only", "78.13"),  # (68.75 + 87.5) / 2 = 78.125: a tie goes up
    ("Accuracy", "mean of 3", "task", mean(share(FAST), share(SLOW), share(BIG))),
    # 13, 13 and 10 right: two share the first place. Of 6 with several calls 6, 5 and 4.
    ("Accuracy", "slow", "rank", "1"),
    ("Accuracy", "fast", "rank", "3"),
    ("Accuracy", "slow", "rank by multi", "2"),
    ("Accuracy", "slow", "failed outside", "1 – counted as wrong"),
    (POLICY, "fast", "single", share(of(FAST, policy="single"))),
    (POLICY, "slow", "multi", share(of(SLOW, is_multi=True))),
    (POLICY, "fast", "multi_parallel", share(of(FAST, policy="parallel"))),
    (POLICY, OPEN, "clarify", mean(*(share(of(run, policy="clarify")) for run in (FAST, SLOW)))),
    (ORDER, "fast", "task 3", share(of(FAST, place=2))),
    (ORDER, "slow", "task 4", share(of(SLOW, place=3))),
    (ORDER, "mean of 3", "task 2", mean(*(share(of(run, place=1)) for run in (FAST, SLOW, BIG)))),
    (HIDING, "fast", "long_range", share(of(FAST, hidden="long_range"))),
    (HIDING, "big", "omission", share(of(BIG, hidden="omission"))),
    (HIDING, "slow", "unrelated", share(of(SLOW, hidden="first"))),
    ("Accuracy by policy transitions", "fast", "0 transitions", share(after(FAST, 0))),
    ("Accuracy by policy transitions", "slow", "1 transition", share(after(SLOW, 1))),
    ("Accuracy by policy transitions", "big", "3 transitions", share(after(BIG, 3))),
    ("Accomplished progress", "fast", "total", progress(FAST)),  # 1 + 3 + 4 + 4 of 14
    ("Accomplished progress", "slow", "multi_serial", progress(SLOW, "serial")),  # 3 + 1 of 6
    ("Accomplished progress", "mean of 3", "total", mean(*map(progress, (FAST, SLOW, BIG)))),
    ("Optimal paths", "fast", "total", optimal(FAST)),
    ("Optimal paths", "big", "multi_parallel", optimal(BIG, "parallel")),
    ("Optimal paths", OPEN, "multi_mixed", mean(*(optimal(run, "mixed") for run in (FAST, SLOW)))),
    (CLASSES, "fast", "Refusal", errors(FAST, "R")),
    (CLASSES, "fast", "Wrong Refusal", errors(FAST, "x")),
    (CLASSES, "slow", "Early Termination", errors(SLOW, "e")),
    (CLASSES, "big", "Param Value Error", errors(BIG, "v")),
    (CLASSES, "mean of 3", "Wrong Name / Missing Info", mean(*(errors(r, "w") for r in (FAST, SLOW, BIG)))),
    # What is due after the first round is taken for a wrong function, a text counting as a question (5.8).
    (f"{CLASSES}, as C3-Bench", "fast", "call the wrong function", errors(FAST, "e")),
    (f"{CLASSES}, as C3-Bench", "fast", "reject tool calling", errors(FAST, "R")),
    (f"{CLASSES}, as C3-Bench", "big", "function name hallucination", errors(BIG, "w")),
    (COLUMNS, "fast", "Tool Error", errors(FAST, "eRwx")),
    (COLUMNS, "slow", "Value Error", errors(SLOW, "v")),
    (COLUMNS, "big", "Name Hallucination", errors(BIG, "")),
    *(("Declared types of wrong arguments", run, "string", "100.00 (1/1)") for run in THREE),
    (f"{NAMES} policy", "fast", "single", share(of(FAST, policy="single"), has_names)),
    (f"{NAMES} policy", "slow", "multi", share(of(SLOW, is_multi=True), has_names)),
    (f"{NAMES} policy", OPEN, "clarify", "75.00"),  # slow 2/2, fast 1/2
    (f"{NAMES} task order", "slow", "task 4", share(of(SLOW, place=3), has_names)),
    (f"{NAMES} task order", "mean of 3", "task 1", "83.33"),  # 3/4, 4/4 and 3/4
    (f"{NAMES} task order", "fast", "task 3", share(of(FAST, place=2), has_names)),
    (f"{NAMES} information", "big", "long_range", share(of(BIG, hidden="long_range"), has_names)),
    (f"{NAMES} information", "fast", "subsequent", share(of(FAST, place=(1, 2, 3)), has_names)),
    (f"{NAMES} information", OPEN, "long_range", "66.67"),  # slow 3/3, fast 1/3
    (f"{NAMES} policy transitions", "big", "0 transitions", share(after(BIG, 0), has_names)),
    (f"{NAMES} policy transitions", "fast", "2 transitions", share(after(FAST, 2), has_names)),
    (f"{NAMES} policy transitions", "slow", "1 transition", share(after(SLOW, 1), has_names)),
    *(("Tokens per task", run, "written", spent(run, "completion_tokens")) for run in THREE),
    *(("Tokens per task", run, "read", spent(run, "prompt_tokens")) for run in THREE),
    *(("Dollars and seconds per task", run, "seconds", waited(run)) for run in THREE),
    ("Dollars and seconds per task", "fast", "dollars", dollars("fast")),
    # No call in the 4 chats, two in 2 + 2, three in the 2 mixed ones; a question makes a second turn.
    ("Calls per task", "big", "0", "25.00 (4/16)"),
    ("Calls per task", "fast", "2", "25.00 (4/16)"),
    ("Calls per task", "slow", "3", "12.50 (2/16)"),
    ("User turns per task", "fast", "2", "12.50 (2/16)"),
    ("User turns per task", "big", "1", "87.50 (14/16)"),
    ("User turns per task", "mean of 3", "2", "12.50"),
    # big after one task: 1, 1, 0, 1: mean 3/4, squares 3/16 + 9/16 over 3. slow after three: 1, 1, 0, 0.
    ("Layer variance by tasks before", "big", "1", "0.2500"),
    ("Layer variance by tasks before", "slow", "3", "0.3333"),
    ("Layer variance by tasks before", "slow", "1", "0.0000"),
    (MATRIX, "fast · task 3", "single", share(of(FAST, place=2, policy="single"))),
    (MATRIX, "slow · task 4", "multi", share(of(SLOW, place=3, is_multi=True))),
    (MATRIX, "big · all tasks", "clarify", share(of(BIG, policy="clarify"))),
    (ROUTES, "chat > chat", "big", share(of(BIG, dialogue="d-3", place=1))),
    (ROUTES, "multi > single > single", "slow", share(of(SLOW, dialogue="d-2", place=2))),
    (ROUTES, "clarify > multi > single > chat", "mean of 3", "66.67"),  # right, failed outside, right
    (f"{POLICY}: {WILSON}", "fast", "single", wilson(2, 4)),
    (f"{POLICY}: {WILSON}", "slow", "multi", wilson(5, 6)),
    (f"{POLICY}: {WILSON}", "big", "clarify", wilson(0, 2)),
    (f"Accuracy by information type: {WILSON}", "fast", "subsequent", wilson(7, 12)),
    (f"Accuracy by information type: {WILSON}", "big", "omission", wilson(4, 5)),
    (f"Accuracy by information type: {WILSON}", "slow", "long range", wilson(3, 3)),
    (f"Accuracy by policy transitions: {WILSON}", "fast", "0", wilson(3, 5)),
    (f"Accuracy by policy transitions: {WILSON}", "slow", "1", wilson(4, 6)),
    (f"Accuracy by policy transitions: {WILSON}", "big", "3", wilson(1, 2)),
    (FIRST, "fast", "parallel", share(of(FAST, policy="parallel"))),
    (FIRST, "fast", "OP", optimal(FAST)),
    (FIRST, "slow", "AP serial", progress(SLOW, "serial")),
    (THIRD, "fast", "overall", share(of(FAST, place=(1, 2, 3)))),
    (THIRD, "slow", "4 tasks", share(of(SLOW, place=3))),
    (THIRD, "big", "PTF 1", share([task for task in after(BIG, 1) if task.place])),
    ("Refusals and wrong names: cautious or eager", "fast", "refusals (cautious)", errors(FAST, "R")),
    ("Refusals and wrong names: cautious or eager", "big", "cautious − eager, points", "-33.33"),  # 0 - 1/3
    ("Refusals and wrong names: cautious or eager", "mean of 3", "cautious − eager, points", "-11.11"),
    (HABIT, "fast", "no call due first, after none", follows(FAST, SILENT, SILENT.__contains__)),
    (HABIT, "slow", "no call due first, after calls", follows(SLOW, SILENT, lambda p: p not in SILENT)),
    (HABIT, "fast", "one call due, after others", follows(FAST, ("single",), lambda p: p != "parallel")),
    (
        EFFECTS,
        "Dependencies: parallel − average of serial and mixed",
        "points",
        mean_points(
            (1, lambda t: t.policy == "parallel"),
            (-0.5, lambda t: t.policy == "serial"),
            (-0.5, lambda t: t.policy == "mixed"),
        ),
    ),
    (
        EFFECTS,
        "Hidden information: nothing hidden − something hidden",
        "points",
        mean_points((1, lambda t: t.hidden == "first"), (-1, lambda t: t.hidden != "first")),
    ),
    (
        EFFECTS,
        "One more task: (task 1 − task 4) / 3",
        "points",
        mean_points((1 / 3, lambda t: t.place == 0), (-1 / 3, lambda t: t.place == 3)),
    ),
    (
        EFFECTS,
        "Switches: none − three",
        "points",
        mean_points((1, lambda t: switches(t) == 0), (-1, lambda t: switches(t) == 3)),
    ),
    (EFFECTS, "Thinking: on − off", "points", f"{points((1, BOTH[1]), (-1, BOTH[0])):+.2f}"),
    (EFFECTS, "Thinking: on − off, optimal paths", "points", "+75.00"),  # 4/4 - 1/4
    (EFFECTS, "Thinking: on − off, tokens written for a task", "points", "+65.3 tokens"),  # 85.3 - 20
    # From 8 to 32 billion are two doublings: (12/15 - 10/15) / 2 for the runs that do not think, +6.667.
    (EFFECTS, "Size: one doubling within a family", "points", "+6.67"),
    ("Models", "big", "size", "32 B"),
    ("Models", "slow", "thinking", "thinking on"),
    ("Models", "big", "prompt price", "–"),
    *(
        ("What the figures rest on", run, "replies", str(sum(len(x.get("replies", ())) for x in lines)))
        for run in THREE
        for lines in [lines_of(run, protocol="c3")]
    ),
    ("What the figures rest on", "fast", "no prediction", "1"),
    ("What the figures rest on", "slow", "failed outside", "1 – counted as wrong"),
    ("What the figures rest on", "big", "seconds a reply", "0.50"),  # one reply says nothing
]
"""Title, row, column and text of cells that were counted from the letters, or by the comment beside them."""


@pytest.mark.parametrize(("title", "row", "column", "text"), COUNTED)
def test_a_cell_is_what_the_letters_say(
    tables: tuple[ScoreTable, ...], title: str, row: str, column: str, text: str
) -> None:
    assert cell(tables, title, row, column) == text


def test_three_cells_of_every_table_are_counted_or_the_table_has_a_test_of_its_own(
    tables: tuple[ScoreTable, ...], two: tuple[ScoreTable, ...], histories: tuple[ScoreTable, ...]
) -> None:
    own = {
        "95 % intervals (bootstrap over sessions)",
        "Tasks with several calls: 95 % intervals (Wilson, progress by bootstrap over sessions)",
        "slow against fast",
        "Differences",
        "Flipped tasks (6)",
        "Runs scored under different rules are not averaged, ranked or tested together",
        "Challenge 2: hidden information",
        "Challenge 2 against Challenge 3",
        "Effects of the history shown",
    }
    titles = {table.title.partition(" · ")[0] for table in (*tables, *two, *histories)}
    counts = {title: sum(title == counted for counted, *_ in COUNTED) for title in titles - own}
    assert {title for title, count in counts.items() if count < 3} == set()
    assert own <= titles


@pytest.mark.parametrize(("run", "tasks"), [("fast", FAST), ("slow", SLOW), ("big", BIG)])
def test_bounds_of_overall_figures_hold_the_figure_and_lie_within_the_dialogues(
    tables: tuple[ScoreTable, ...], run: str, tasks: list[Done]
) -> None:
    low, high = cell(tables, "95 % intervals (bootstrap over sessions)", run, "Task accuracy").split(" to ")
    own = [sum(task.is_right for task in of(tasks, dialogue=one)) / 4 for one in LAYOUT]
    assert 100 * min(own) <= float(low) <= 100 * sum(own) / 4 <= float(high) <= 100 * max(own)
