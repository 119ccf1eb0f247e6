"""Two runs side by side: one sentence, four counts, how sure the difference is, tasks that flipped."""

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from scoring.matching.task_scores import TaskScore
from scoring.measures.comparison import PairedComparison, compare_runs
from scoring.measures.robustness import Robustness, RobustnessTable, compare_histories
from scoring.model.taxonomy import Protocol
from scoring.scorecard import Scorecard, apart, why_not_paired
from scoring.texts import in_language, tr, tr_count
from scoring.wording import interval_words
from ui.runs.failure_view import kind_words
from ui.services.commands import Commands
from ui.theme import ButtonKind, EmptyState, Hint, PanelHeader, TextLabel, theme
from ui.theme.cells import Cell, count_cell, known_cell
from ui.theme.layouts import STRETCH, build, column, fill, show_all, show_either, split, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.tokens import Tone
from ui.theme.words import POLICY_SHORT

SquareLine = tuple[str, int, int]
"""What a run did, and how many of those tasks the other got right and wrong."""
NEWS = 0.05
"""A p-value below this is called a difference; the figure itself always stands beside it."""


def _known(value: float | None, found: Robustness, *, is_infinite: bool = False) -> Cell:
    return known_cell(
        value,
        "{:.3f}",
        otherwise="∞" if is_infinite else tr("undefined"),
        why_none=tr("Undefined: {undefined}", undefined=found.undefined) if found.undefined else "",
    )


FlipLine = tuple[str, TaskScore]
"""The run that got a task right, and what the other one did."""
FLIP_COLUMNS: tuple[Column[FlipLine], ...] = (
    Column(tr("Case"), cell=lambda line: Cell(line[1].case, is_mono=True)),
    Column(tr("Task"), 48, lambda line: Cell(f"{line[1].task + 1}", line[1].task), is_figure=True),
    Column(
        tr("Policy"),
        80,
        lambda line: Cell(POLICY_SHORT[line[1].policy] if line[1].policy else "–", colour="muted"),
    ),
    Column(tr("Right in"), 132, lambda line: Cell(line[0], is_mono=True)),
    Column(
        tr("What the other did"),
        200,
        lambda line: Cell(kind_words(line[1]), tip=in_language(line[1].detail or ""), colour="muted"),
    ),
)
ROBUSTNESS_COLUMNS: tuple[Column[tuple[str, Robustness]], ...] = (
    Column(tr("Policy transitions"), cell=itemgetter(0)),
    Column(tr("Pairs"), 64, lambda line: count_cell(line[1].pairs, colour="muted"), is_figure=True),
    Column(
        tr("VF"),
        72,
        lambda line: _known(line[1].volatility, line[1]),
        is_figure=True,
        tip=tr("Volatility factor: share of tasks that flip between histories"),
    ),
    Column(
        tr("Both right"),
        84,
        lambda line: _known(line[1].both_right, line[1]),
        is_figure=True,
        tip=tr("Share of tasks right under both histories"),
    ),
    Column(
        tr("DDD"),
        72,
        lambda line: _known(line[1].descent, line[1], is_infinite=line[1].is_descent_infinite),
        is_figure=True,
        tip=tr("Debiased descent direction: above 1, more is lost than won"),
    ),
)
"""Of a name and how robust the tasks under it are."""


@dataclass(frozen=True)
class TwoRuns:
    """Two runs over the same cases, by name."""

    first: str
    first_card: Scorecard
    second: str
    second_card: Scorecard


@dataclass(frozen=True)
class RunComparison:
    """All that is shown of two runs.

    `differ` says in which rules or cases they differ, empty where they can be tested against each other.
    `robustness` is there for one model under two histories; of other runs `differ` says why not.
    """

    runs: TwoRuns
    paired: PairedComparison
    robustness: RobustnessTable | None
    differ: str = ""


def compare_two(runs: TwoRuns) -> RunComparison:
    """Compare two runs task by task; takes a moment, since intervals are drawn."""
    first, second = runs.first_card, runs.second_card
    ua, upta = (first, second) if first.protocol is Protocol.C2 else (second, first)
    reasons = why_not_paired(ua, upta)
    return RunComparison(
        runs=runs,
        paired=compare_runs(first.sample.counted, second.sample.counted),
        robustness=None if reasons else compare_histories(ua.sample, upta.sample),
        differ=tr("; ").join(map(in_language, reasons)) if apart((first.basis, second.basis)) else "",
    )


def verdict_of(comparison: RunComparison) -> tuple[str, str, Tone]:
    """Whether the difference is news: a sentence, the figures behind it, and a tone."""
    runs, paired = comparison.runs, comparison.paired
    shared = paired.both_right + paired.only_first + paired.only_second + paired.both_wrong
    if paired.difference is None:
        return (tr("The two runs share no task."), tr("They were scored against different cases."), Tone.WARN)
    points = 100 * paired.difference
    better = runs.second if points > 0 else runs.first
    flipped = paired.only_first + paired.only_second
    said = tr("{task} of {shared:,} flipped", task=tr_count(flipped, "task"), shared=shared)
    if paired.left_out:
        said += tr(", {left_out:,} without a prediction excluded", left_out=paired.left_out)
    if comparison.robustness is not None:
        return (
            tr("One model under two histories."),
            tr("{said}; different protocols are not tested against each other.", said=said),
            Tone.NEUTRAL,
        )
    if comparison.differ:
        return (
            tr("These runs are not tested against each other, nor paired for VF and DDD."),
            tr("{said}. They differ in {differ}.", said=said, differ=comparison.differ),
            Tone.WARN,
        )
    chance = (
        tr("{points:.2f} points apart; the difference is not significant.", points=abs(points))
        if flipped
        else tr("Both get the same tasks right.")
    )
    title = (
        tr("{better} is better by {points:.2f} points.", better=better, points=abs(points))
        if paired.p_value < NEWS
        else chance
    )
    bounds = (paired.interval.low, paired.interval.high) if paired.interval else ()
    # Turned round with the difference: the sentence says by how much the better leads.
    in_points = sorted(100 * bound if points >= 0 else -100 * bound for bound in bounds)
    return (
        title,
        tr(
            "{said}{between}; permutation test over sessions p {p_words}, McNemar's over tasks p {p_words2}.",
            said=said,
            between=tr(", 95 % interval {interval}", interval=interval_words(*in_points, form=".1f"))
            if bounds
            else "",
            p_words=p_words(paired.p_value),
            p_words2=p_words(paired.mcnemar),
        ),
        Tone.ACCENT if paired.p_value < NEWS else Tone.NEUTRAL,
    )


def p_words(value: float) -> str:
    """A p-value as people write it."""
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def square_columns(runs: TwoRuns) -> tuple[Column[SquareLine], ...]:
    """How many tasks both, one or none of the runs got right."""
    right, wrong = tr("{second} right", second=runs.second), tr("{second} wrong", second=runs.second)
    return (
        Column("", cell=itemgetter(0)),
        Column(right, 150, lambda line: count_cell(line[1]), is_figure=True, tip=right),
        Column(wrong, 150, lambda line: count_cell(line[2]), is_figure=True, tip=wrong),
    )


def square_lines(comparison: RunComparison) -> tuple[SquareLine, ...]:
    """The tasks the first run got right, and those it got wrong."""
    paired, first = comparison.paired, comparison.runs.first
    return (
        (tr("{first} right", first=first), paired.both_right, paired.only_first),
        (tr("{first} wrong", first=first), paired.only_second, paired.both_wrong),
    )


def flip_lines(comparison: RunComparison) -> tuple[FlipLine, ...]:
    """The tasks that only one of the runs got right."""
    runs = comparison.runs
    first, second = (
        {(task.case, task.task): task for task in card.tasks} for card in (runs.first_card, runs.second_card)
    )
    return tuple(
        (runs.first, second[flip.case, flip.task])
        if flip.only_first
        else (runs.second, first[flip.case, flip.task])
        for flip in comparison.paired.flips
    )


def robustness_lines(table: RobustnessTable) -> tuple[tuple[str, Robustness], ...]:
    """Robustness after the first task, overall and by policy transitions; first tasks beside."""
    return (
        (tr("After the first task"), table.overall),
        *table.by_transitions.items(),
        (tr("First tasks"), table.first),
    )


class CompareView(QFrame):
    """Shows one comparison."""

    task_asked = Signal(str, int)
    """Case and task of a flip that was opened."""

    def __init__(self, commands: Commands, **properties: Any) -> None:
        build(super().__init__, objectName="comparison", **properties)
        self._header = PanelHeader(
            "RunComparison",
            STRETCH,
            commands.button(
                "runs.end_comparison", tr("Back to failures"), name="comparison-close", kind=ButtonKind.GHOST
            ),
        )
        self._verdict = vbox(margins=(12, 12, 12, 8))
        self._square = FigureTable("square", tr("Tasks both, one or none got right"), (), is_still=True)
        self._robustness = FigureTable("robustness", tr("Robustness"), ROBUSTNESS_COLUMNS, is_still=True)
        self._robustness_head = PanelHeader(
            tr("Robustness"), TextLabel(tr("without and with the process before"), "small-muted")
        )
        self._flip_count = TextLabel("", "small-muted", objectName="flip-count")
        flip_head = PanelHeader(tr("Flipped tasks"), self._flip_count)
        self._flips = FigureTable(
            "flips", tr("Flipped tasks"), FLIP_COLUMNS, opened=lambda key: self.task_asked.emit(*key)
        )
        self._no_flip = EmptyState(
            "equals", tr("No task flipped"), tr("Both runs are correct and wrong on the same tasks.")
        )
        upper = column(self._verdict, self._square, self._robustness_head, self._robustness, STRETCH)
        lower = column(flip_head, (self._flips, 1), (self._no_flip, 1))
        halves = split(Qt.Orientation.Vertical, (upper, 170), (lower, 400), grows=lower)
        vbox(self._header, (halves, 1), within=self, focus=self._flips)

    def show_comparison(self, comparison: RunComparison) -> None:
        """Show how two runs differ."""
        runs = comparison.runs
        self._header.set_title(tr("{first} and {second}", first=runs.first, second=runs.second))
        title, text, tone = verdict_of(comparison)
        fill(self._verdict, (Hint(title, text, tone, objectName="verdict"),))
        self._square.show_items(square_lines(comparison), key=itemgetter(0), columns=square_columns(runs))
        self._square.setFixedHeight(3 * theme().row_height + theme().px(4))
        flips = flip_lines(comparison)
        self._flips.show_items(flips, key=lambda line: (line[1].case, line[1].task))
        show_either(self._flips, self._no_flip, on=flips)
        self._flip_count.setText(tr_count(len(flips), "task"))
        table = comparison.robustness
        show_all(self._robustness, self._robustness_head, on=table)
        lines = robustness_lines(table) if table else ()
        self._robustness.show_items(lines, key=itemgetter(0))
        self._robustness.setFixedHeight((len(lines) + 1) * theme().row_height + theme().px(4))
