"""The lines of the leaderboard: groups, means, marks, ranks, and what stands where nothing is known."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from db.read.rows import RunRow
from scoring.agreement.preferences import win_rate
from scoring.measures.rates import Number
from scoring.measures.summary import ReplyTotals, summarise
from scoring.model.taxonomy import Grouping, ModelKind, Protocol, Semantics, Thinking
from scoring.model_card import ModelCard
from tests.annotator.release.cards import rights
from ui.runs.entries import RunEntry
from ui.runs.leaderboard import leaderboard, run_labels, shown_columns
from ui.theme.cells import Cell
from ui.theme.tables import Row

BY_KIND = (Grouping.KIND, Grouping.THINKING)


def _run(
    number: int,
    tasks: str,
    *,
    name: str = "",
    card: ModelCard | None = None,
    protocol: Protocol = Protocol.WILDTOOL,
    replies: ReplyTotals | None = None,
) -> RunEntry:
    """A run of single tasks, `+` for each right one."""
    row = RunRow(
        id=number,
        name=name or f"m{number}",
        release="r1",
        at=datetime(2026, 3, 2, tzinfo=UTC),
        cases_sha256="ab",
        summary="{}",
        protocol=protocol,
        semantics=Semantics.PAPER,
        arguments="auto",
        has_replies=False,
    )
    return RunEntry(row, summarise(rights(tasks), replies=replies), card)


def _card(model: str, kind: ModelKind, thinking: Thinking | None = Thinking.OFF) -> ModelCard:
    return ModelCard(model=model, kind=kind, thinking=thinking)


def _cell(rows: Sequence[Row], runs: Sequence[RunEntry], key: object, title: str) -> Cell:
    titles = ["Model", *(one.column.title for one in shown_columns(runs))]
    [row] = [row for row in rows if row.key == key]
    return row.cells[titles.index(title)]


OPEN = [_card(name, ModelKind.OPEN) for name in ("a", "b", "c")]
FOUR = [
    _run(1, "++++", card=_card("x", ModelKind.CLOSED)),
    _run(2, "+++-", card=OPEN[0]),
    _run(3, "++--", card=OPEN[1]),
    _run(4, "+---", card=OPEN[2]),
]


def test_a_group_has_the_mean_of_its_runs_under_each_heading() -> None:
    rows = leaderboard(FOUR, by=BY_KIND)
    assert [row.cells[0].text for row in rows] == [
        "Closed, thinking off",
        "m1",
        "Open, thinking off · mean of 3",
        "m2",
        "m3",
        "m4",
    ]
    # (75 + 50 + 25) / 3
    mean = _cell(rows, FOUR, ("", "open, thinking off"), "Task")
    assert (mean.text, mean.tip) == ("50.00", "mean of 3 runs")


def test_a_mean_says_of_how_many_runs_it_is_where_some_lack_the_figure() -> None:
    timed = _run(5, "++++", card=OPEN[0], replies=ReplyTotals(replies=4, latency_seconds=8.0))
    runs = [*FOUR, timed]
    mean = _cell(leaderboard(runs, by=BY_KIND), runs, ("", "open, thinking off"), "A task")
    assert (mean.text, mean.tip) == ("2.0 s (1)", "mean of 1 run")  # 8 s for 4 tasks, one of four runs


def test_the_time_to_the_first_token_has_a_column_where_a_run_was_streamed() -> None:
    assert "First token" not in {one.column.title for one in shown_columns(FOUR)}
    said = {"first_token_seconds": {"mean": Number(value=0.254, of=3)}}
    summary = FOUR[1].summary.model_copy(update={"measures": said, "predictions": 4})
    runs = [FOUR[0], replace(FOUR[1], summary=summary), *FOUR[2:]]
    rows = leaderboard(runs, by=BY_KIND)
    cell = _cell(rows, runs, 2, "First token")
    assert (cell.text, cell.tip) == ("0.25 s", "of 3 of 4 tasks")
    gap = _cell(rows, runs, 3, "First token")
    assert (gap.text, gap.tip.startswith("The replies do not say when")) == ("–", True)
    assert _cell(rows, runs, ("", "open, thinking off"), "First token").text == "0.25 s (1)"


def test_a_win_rate_has_a_column_once_a_judge_model_compared_a_run() -> None:
    assert "Win rate" not in {one.column.title for one in shown_columns(FOUR)}
    wins = win_rate("m2", (), missing=0).model_copy(
        update={"won": 3, "lost": 1, "win_rate": Number(value=0.75, of=4), "baseline": "m1", "judge": "j"}
    )
    runs = [FOUR[0], replace(FOUR[1], win_rate=wins), *FOUR[2:]]
    rows = leaderboard(runs, by=BY_KIND)
    cell = _cell(rows, runs, 2, "Win rate")
    assert (cell.text, cell.is_strong) == ("75.00", False)  # nobody to be better than
    assert _cell(rows, runs, 3, "Win rate").tip.startswith("No judge model compared this run")
    assert _cell(rows, runs, ("", "open, thinking off"), "Win rate").text == "75.00 (1)"


def test_the_best_two_are_marked_in_their_group_and_ranks_are_among_all_comparable_runs() -> None:
    rows = leaderboard(FOUR, by=BY_KIND)
    tasks = [_cell(rows, FOUR, run.row.id, "Task") for run in FOUR]
    assert [(one.is_strong, one.is_underlined) for one in tasks] == [
        (False, False),
        (True, False),
        (False, True),
        (False, False),
    ]
    assert [_cell(rows, FOUR, run.row.id, "Rank").text for run in FOUR] == ["1", "2", "3", "4"]


def test_runs_of_another_protocol_stand_apart_with_the_reason_and_ranks_of_their_own() -> None:
    runs = [*FOUR, _run(5, "++++", protocol=Protocol.C2, card=OPEN[0])]
    rows = leaderboard(runs, by=BY_KIND)
    headings = [row.cells[0].text for row in rows if row.is_heading]
    assert headings == [
        "Protocol wildtool",
        "Closed, thinking off",
        "Open, thinking off · mean of 3",
        "Protocol c2",
        "Open, thinking off",
    ]
    rank = _cell(rows, runs, 5, "Rank")
    assert (rank.text, rank.tip) == ("–", "There is no other run to rank it with.")
    assert [row.section for row in rows] == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]


def test_runs_without_cards_have_no_heading_that_says_nothing() -> None:
    assert [row.key for row in leaderboard([_run(1, "+-"), _run(2, "++")], by=BY_KIND)] == [2, 1]
    mixed = leaderboard([_run(1, "+-"), FOUR[0]], by=BY_KIND)
    assert mixed[-2].cells[0].text == "Kind unknown, thinking unknown"


def test_a_single_run_is_the_best_of_nothing_and_has_no_rank() -> None:
    [row] = leaderboard([_run(1, "+-")])
    assert not any(cell.is_strong for cell in row.cells)
    assert row.cells[-1].text == "–"


def test_two_cards_of_one_model_are_two_rows_that_say_so() -> None:
    cards = [_card("qm", ModelKind.OPEN, thinking) for thinking in (Thinking.ON, Thinking.OFF, None)]
    runs = [_run(n, "+", name="qm", card=card) for n, card in enumerate(cards)]
    assert list(run_labels(runs).values()) == [
        "qm · thinking on",
        "qm · thinking off",
        "qm · thinking unknown",
    ]
    assert list(run_labels(runs[:1]).values()) == ["qm"]


def test_a_figure_that_is_undefined_is_a_dash_with_the_reason_and_never_zero() -> None:
    known = ModelCard(model="a", prompt_price=1, completion_price=2)
    replies = ReplyTotals(replies=2, prompt_tokens=1_000_000, completion_tokens=500_000)
    runs = [
        _run(1, "+-", card=known, replies=replies),
        _run(2, "--", card=known),
        _run(3, "--", card=OPEN[0]),
        _run(4, "--"),
    ]
    rows = leaderboard(runs)
    cost = [_cell(rows, runs, run.row.id, "Cost") for run in runs]
    # 1 million read at $1 and half a million written at $2
    assert [one.text for one in cost] == ["$ 2.00", "–", "–", "–"]
    assert [one.tip for one in cost[1:]] == [
        "The replies do not say their tokens.",
        "The model card has no prices: M changes it.",
        "This run has no model card: M makes one.",
    ]
    chosen = shown_columns(runs, ("accuracy.by_policy/multi", "accuracy.tasks/total"))
    total, multi = leaderboard(runs[1:2], columns=chosen)[0].cells[1:]
    assert (total.text, multi.text) == ("0.00", "–")
    assert multi.tip.startswith("There is no such task")


def test_usual_columns_that_nobody_has_a_value_for_are_left_out_and_zeros_are_values() -> None:
    titles = {one.column.title for one in shown_columns([_run(1, "--")])}
    assert {"Task", "Session", "Rank"} <= titles
    assert titles.isdisjoint({"Size", "Cost", "A task", "Failed outside", "Multi"})


def test_fifty_seven_runs_are_all_in_the_table_in_order() -> None:
    runs = [_run(n, "+" * n + "-" * (57 - n)) for n in range(1, 58)]
    assert [row.key for row in leaderboard(runs, by=BY_KIND)] == list(range(57, 0, -1))
