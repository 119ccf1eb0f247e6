"""The tabs that only report: feedback week by week, samples, and who caught which planted defects."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from PySide6.QtCore import Qt, Signal

from annotator.project.workspace import Workspace
from annotator.review.attention.defects import DefectKind
from annotator.review.feedback import (
    RECURRING,
    FeedbackCount,
    RecurringMistake,
    feedback_over_time,
    recurring_mistakes,
)
from annotator.review.measures.attention import Attention, CatchRate, Told, attention
from annotator.review.measures.progress import SampleRow, samples
from scoring.model.taxonomy import Role, SampleOutcome, SampleStatus
from scoring.texts import tr, tr_count
from scoring.wording import interval_words, sentence_case
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import ElidedLabel, EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.cells import Cell, count_cell, moment_cell, share_cell, tally_cell
from ui.theme.layouts import column, split, stacked, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import FEEDBACK

WEEKS = 8
"""How many weeks have a column, the newest at the right; older ones count in the sum."""


@dataclass(frozen=True)
class FeedbackTold:
    """What was told, by week, and what of it recurs with its newest note."""

    counts: tuple[FeedbackCount, ...]
    recurring: tuple[RecurringMistake, ...]


def week_labels(counts: Sequence[FeedbackCount], *, most: int = WEEKS) -> tuple[str, ...]:
    """The last weeks up to the newest with feedback, quiet ones too, oldest first; at most `most`."""
    if not counts:
        return ()
    first, last = (_monday(one.week) for one in (counts[0], counts[-1]))
    span = (last - first).days // 7 + 1
    weeks = (last - timedelta(weeks=back) for back in reversed(range(min(span, most))))
    return tuple(f"{monday:%G-W%V}" for monday in weeks)


def _monday(week: str) -> date:
    year, number = week.split("-W")
    return date.fromisocalendar(int(year), int(number), 1)


FeedbackLine = tuple[tuple[str, str], Counter[str], RecurringMistake | None]
"""A person and a category, how often each week it was told, and what of it recurs."""


def feedback_lines(told: FeedbackTold) -> list[FeedbackLine]:
    """A line for each category told to a person, most frequent first."""
    by_week: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in told.counts:
        by_week[one.person, one.category][one.week] += one.count
    recurring = {(one.person, one.category): one for one in told.recurring}
    ordered = sorted(by_week.items(), key=lambda item: (-item[1].total(), item[0]))
    return [(key, counts, recurring.get(key)) for key, counts in ordered]


def feedback_columns(lines: Sequence[FeedbackLine], weeks: Sequence[str]) -> tuple[Column[FeedbackLine], ...]:
    """Person, category, a column a week, the sum, whether it recurs, the newest note."""
    most = max((count for _, counts, _ in lines for count in counts.values()), default=1)
    return (
        Column(tr("Person"), 110, lambda line: line[0][0]),
        Column(tr("What"), 168, lambda line: sentence_case(FEEDBACK.get(line[0][1], line[0][1]))),
        *(
            Column(
                week.partition("-")[2],
                52,
                partial(_week_cell, week, most),
                is_figure=True,
                tip=tr("Week {week}", week=week),
            )
            for week in weeks
        ),
        Column(
            tr("All"),
            52,
            lambda line: Cell(f"{line[1].total():,}", line[1].total(), is_strong=True),
            is_figure=True,
            tip=tr("All weeks"),
        ),
        Column(
            "",
            92,
            lambda line: (
                Cell(
                    tr("recurring"),
                    tip=tr(
                        "Given {count} times or more: it is shown to {person} before the next case.",
                        count=RECURRING,
                        person=line[0][0],
                    ),
                    chip=Tone.WARN,
                )
                if line[2] is not None
                else ""
            ),
        ),
        Column(
            tr("Latest note on recurring feedback"),
            cell=lambda line: Cell(line[2].latest_note, colour="muted") if line[2] is not None else "",
        ),
    )


def _week_cell(week: str, most: int, line: FeedbackLine) -> Cell:
    count = line[1][week]
    return Cell(f"{count:,}", count, heat=count / most) if count else Cell("·", 0, colour="muted")


class FeedbackPanel(ReportPanel):
    """Shows what was told: to experts and managers everybody's, to others their own."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__("feedback-panel", operations, notice)
        self._words = TextLabel("", "small-muted", objectName="feedback-words")
        self._table = FigureTable("feedback", tr("Feedback by week"), feedback_columns((), ()))
        nothing = EmptyState(
            "chat-circle-text",
            tr("No feedback yet"),
            tr("Feedback that experts give when deciding cases appears here, week by week."),
        )
        self._stack = stacked(self._table, nothing)
        vbox(
            PanelHeader(tr("Feedback by week"), self._words), (self._stack, 1), within=self, focus=self._table
        )

    def refresh(self) -> None:
        """Read it again."""
        sees_all = self._operations.has_role(Role.EXPERT, Role.MANAGER)
        self._words.setText(tr("all people") if sees_all else tr("given to you"))
        self._read_again(
            partial(_feedback, everybody=sees_all),
            tr("Count the feedback"),
            show=self._show,
            waiting=(self._table,),
        )

    def _show(self, told: FeedbackTold) -> None:
        self._stack.setCurrentIndex(0 if told.counts else 1)
        lines = feedback_lines(told)
        self._table.show_items(
            lines, key=itemgetter(0), columns=feedback_columns(lines, week_labels(told.counts))
        )


def _feedback(workspace: Workspace, *, everybody: bool) -> FeedbackTold:
    return FeedbackTold(
        feedback_over_time(workspace, everybody=everybody),
        recurring_mistakes(workspace, everybody=everybody),
    )


_TONES: dict[str, Tone] = {SampleOutcome.UNCHANGED: Tone.OK, SampleOutcome.OPEN: Tone.NEUTRAL}
_STATES: dict[str, Tone] = {
    SampleStatus.OPEN: Tone.ACCENT,
    SampleStatus.CLEAN: Tone.OK,
    SampleStatus.CORRECTED: Tone.WARN,
}


def _error_rate(one: SampleRow) -> Cell:
    decided, errors = len(one.outcomes) - one.open_count, one.error_count
    tip = tr("{errors} of {decided} decided", errors=errors, decided=decided)
    return share_cell(errors / decided if decided else None, tip, why_none=tr("No decisions yet."))


SAMPLE_COLUMNS: tuple[Column[SampleRow], ...] = (
    Column(
        tr("Batch"),
        cell=lambda one: Cell(
            one.batch,
            tip=tr(
                "Seed {seed}\nShare {value:.0f} %\nSampling: {kind}",
                seed=one.seed,
                value=100 * one.share,
                kind=tr(one.kind),
            ),
            is_strong=True,
        ),
    ),
    Column(tr("Round"), 64, lambda one: Cell(f"{one.sequence}", one.sequence), is_figure=True),
    Column(
        tr("Drawn"),
        72,
        lambda one: count_cell(len(one.outcomes)),
        is_figure=True,
        tip=tr("Cases in the sample"),
    ),
    Column(
        tr("Of"),
        72,
        lambda one: count_cell(one.population, colour="muted"),
        is_figure=True,
        tip=tr("Cases it was drawn from"),
    ),
    Column(tr("Open", context="sample"), 64, lambda one: tally_cell(one.open_count), is_figure=True),
    Column(
        tr("Errors"),
        64,
        lambda one: tally_cell(one.error_count, colour="error"),
        is_figure=True,
        tip=tr("Cases with a confirmed error"),
    ),
    Column(tr("Error rate"), 88, _error_rate, is_figure=True, tip=tr("Of the cases that are decided")),
    Column(tr("State"), 104, lambda one: Cell(tr(one.status), chip=_STATES.get(one.status, Tone.NEUTRAL))),
    Column(tr("When"), 96, lambda one: moment_cell(one.drawn_at), is_figure=True),
)
OUTCOME_COLUMNS: tuple[Column[tuple[str, str]], ...] = (
    Column(tr("Case"), cell=lambda one: Cell(one[0], is_mono=True)),
    Column(tr("Outcome"), 120, lambda one: Cell(tr(one[1]), chip=_TONES.get(one[1], Tone.ERROR))),
)
"""Of a case of a sample and its outcome."""


class SamplesPanel(ReportPanel):
    """Lists samples and the cases of the marked one."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, notice: ErrorBanner, **properties: Any) -> None:
        super().__init__("samples-panel", operations, notice, **properties)
        self._words = TextLabel("", "small-muted")
        self._table = FigureTable("samples", tr("Samples"), SAMPLE_COLUMNS, marked=self._show_cases)
        left = column(PanelHeader(tr("Samples"), self._words), (self._table, 1))
        self._cases = FigureTable(
            "sampled-cases", tr("Cases of the sample"), OUTCOME_COLUMNS, opened=self.case_wanted.emit
        )
        self._seed = ElidedLabel("", "small-muted", objectName="sample-seed")
        right = column(PanelHeader(tr("Its cases"), (self._seed, 1)), (self._cases, 1))
        self._stack = stacked(
            split(Qt.Orientation.Horizontal, (left, 940), (right, 436), grows=left),
            EmptyState(
                "dice-five",
                tr("No sample yet"),
                tr("A sample is drawn automatically once every case of a batch is approved."),
            ),
        )
        vbox(self._stack, within=self, focus=self._table)

    def refresh(self) -> None:
        """Read the samples again."""
        self._read_again(
            samples,
            tr("Read the samples"),
            show=self._show,
            waiting=(
                self._table,
                self._cases,
            ),
        )

    def _show(self, found: tuple[SampleRow, ...]) -> None:
        self._stack.setCurrentIndex(0 if found else 1)
        self._words.setText(tr_count(len(found), "sample"))
        self._table.show_items(reversed(found), key=attrgetter("id"))
        self._show_cases()

    def _show_cases(self) -> None:
        one: SampleRow | None = self._table.marked_item
        self._cases.show_items(sorted(one.outcomes.items()) if one else (), key=itemgetter(0))
        self._seed.setText(
            tr("{kind}, {value:.0f} %, seed {seed}", kind=tr(one.kind), value=100 * one.share, seed=one.seed)
            if one
            else ""
        )


DEFECT: Mapping[DefectKind, str] = {
    DefectKind.ANSWER: tr("answer contradicts an observation"),
    DefectKind.VALUE: tr("value from the wrong observation"),
    DefectKind.INFORMATION: tr("wrong information type"),
    DefectKind.REQUEST: tr("unnatural request"),
    DefectKind.ORDER: tr("logical dependency left out"),
    DefectKind.INCOMPLETE: tr("task not completed"),
}


def _caught_tip(one: CatchRate) -> str:
    return tr("{count:,} of {total:,} were caught", count=one.caught.count, total=one.caught.total)


def _interval(one: CatchRate) -> Cell:
    found = one.interval
    if found is None:
        return Cell("–")
    words = interval_words(100 * found.low, 100 * found.high, form=".0f")
    return Cell(words, found.low, _caught_tip(one), colour="muted")


CATCH_COLUMNS: tuple[Column[CatchRate], ...] = (
    Column(
        tr("Person"),
        140,
        lambda one: Cell(one.person, colour="muted") if one.kind else Cell(one.person, is_strong=True),
    ),
    Column(
        tr("Planted defect"),
        cell=lambda one: DEFECT[one.kind] if one.kind else Cell(tr("all categories"), is_strong=True),
    ),
    Column(
        "",
        132,
        lambda one: (
            Cell(
                tr("below the others"),
                tip=tr(
                    "The whole interval lies below that of everybody else together: "
                    "more than chance explains."
                ),
                chip=Tone.WARN,
            )
            if one.is_below
            else ""
        ),
    ),
    Column(
        tr("Caught"),
        92,
        lambda one: share_cell(one.caught.value, _caught_tip(one), is_strong=one.kind is None),
        is_figure=True,
        tip=tr("Share of planted defects that were flagged or corrected"),
    ),
    Column(tr("95 % interval"), 128, _interval, is_figure=True, tip=tr("Wilson interval of the share")),
    Column(
        "n",
        64,
        lambda one: count_cell(one.caught.total, colour="muted"),
        is_figure=True,
        tip=tr("Known-answer cases submitted"),
    ),
)


def _told_outcome(one: Told) -> Cell:
    if not one.is_counted:
        return Cell(
            tr("not counted"), tip=tr("The gold case was reopened or changed since."), chip=Tone.NEUTRAL
        )
    return Cell(tr("caught"), chip=Tone.OK) if one.is_caught else Cell(tr("missed"), chip=Tone.WARN)


TOLD_COLUMNS: tuple[Column[Told], ...] = (
    Column(tr("Person"), 140, lambda one: one.person),
    Column(tr("Case"), 200, lambda one: Cell(one.case_id, is_mono=True)),
    Column(tr("What was planted"), cell=lambda one: one.planted),
    Column("", 104, _told_outcome),
    Column(tr("When"), 96, lambda one: moment_cell(one.at), is_figure=True),
)
"""What was planted, as each person was told of it."""


def attention_head(found: Attention) -> str:
    """What is mixed into the queue, and what no longer counts, in one line."""
    parts = [tr("{value:.3g} % of new cases are known-answer cases", value=100 * found.share)]
    if found.problem:
        parts = [found.problem]
    elif found.share:
        parts.append(tr("from {gold_case}", gold_case=tr_count(found.source_count, "gold case")))
    if found.dropped_count:
        parts.append(
            tr(
                "{dropped_count:,} not counted: the gold case was reopened or changed",
                dropped_count=found.dropped_count,
            )
        )
    return " · ".join(parts)


class AttentionPanel(ReportPanel):
    """Shows catch rates: to experts and managers everybody's, to others their own."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__("attention-panel", operations, notice)
        self._words = ElidedLabel("", "small-muted", objectName="attention-words")
        self._table = FigureTable("attention", tr("Attention"), CATCH_COLUMNS, is_sortable=False)
        self._empty = EmptyState("eye", tr("Not measured yet"), "")
        self._told = FigureTable("attention-told", tr("What was planted"), TOLD_COLUMNS, is_sortable=False)
        told = column(PanelHeader(tr("What was planted")), (self._told, 1))
        self._stack = stacked(
            split(Qt.Orientation.Vertical, (self._table, 420), (told, 280), grows=self._table), self._empty
        )
        vbox(PanelHeader(tr("Attention"), (self._words, 1)), (self._stack, 1), within=self, focus=self._table)

    def refresh(self) -> None:
        """Read it again."""
        self._read_again(
            attention,
            tr("Count what was caught"),
            show=self._show,
            waiting=(
                self._table,
                self._told,
            ),
        )

    def _show(self, found: Attention) -> None:
        self._words.setText(attention_head(found))
        off = tr(
            "A manager sets the share of known-answer cases in the review policy (People). They are "
            "copies of gold cases with one planted defect; everybody is told, and what was planted "
            "is shown after submitting."
        )
        on = tr("Rates appear here when known-answer cases have been submitted.")
        self._empty.set_words(tr("Not measured yet"), found.problem or (on if found.share else off))
        self._stack.setCurrentIndex(0 if found.told else 1)
        self._table.show_items(found.rates, key=attrgetter("person", "kind"))
        self._told.show_items(found.told, key=attrgetter("person", "case_id"))
