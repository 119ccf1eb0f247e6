"""The feedback table: what was told to whom week by week, and what keeps happening."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from annotator.review.feedback import (
    RECURRING,
    FeedbackCount,
    RecurringMistake,
    feedback_over_time,
    recurring_mistakes,
)
from scoring.model.taxonomy import FeedbackCategory, Role
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.layouts import stacked, vbox
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import FEEDBACK

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

WEEKS = 8
"""How many weeks have a column, the newest at the right; older ones count in the sum."""
_NOTHING = "No feedback yet", "Feedback that experts give when deciding cases appears here, week by week."


@dataclass(frozen=True)
class Told:
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


def feedback_columns(weeks: Sequence[str]) -> tuple[Column, ...]:
    """Person, category, a column a week, the sum, whether it recurs, the newest note."""
    return (
        Column("Person", 110),
        Column("What", 168),
        *(Column(week.partition("-")[2], 52, is_figure=True, tip=f"Week {week}") for week in weeks),
        Column("All", 52, is_figure=True, tip="All weeks"),
        Column("", 92),
        Column("Latest note on recurring feedback"),
    )


def feedback_rows(told: Told) -> tuple[Row, ...]:
    """One line for each category told to a person, most frequent first; recurring ones are marked."""
    weeks = week_labels(told.counts)
    by_week: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in told.counts:
        by_week[one.person, one.category][one.week] += one.count
    most = max((count for counts in by_week.values() for count in counts.values()), default=1)
    recurring = {(one.person, one.category): one for one in told.recurring}
    ordered = sorted(by_week.items(), key=lambda item: (-item[1].total(), item[0]))
    return tuple(
        Row(key, _cells(key, counts, weeks=weeks, most=most, recurring=recurring.get(key)))
        for key, counts in ordered
    )


def _cells(
    key: tuple[str, str],
    counts: Counter[str],
    *,
    weeks: Sequence[str],
    most: int,
    recurring: RecurringMistake | None,
) -> tuple[Cell, ...]:
    words = FEEDBACK[FeedbackCategory(key[1])]
    note = recurring.latest_note if recurring is not None else ""
    tip = f"Given {RECURRING} times or more: it is shown to {key[0]} before the next case."
    return (
        Cell(key[0]),
        Cell(words[0].upper() + words[1:]),
        *(_week_cell(counts[week], most) for week in weeks),
        Cell(f"{counts.total():,}", counts.total(), is_strong=True),
        Cell("recurring", tip=tip, chip=Tone.WARN) if recurring is not None else Cell(""),
        Cell(note, colour="muted"),
    )


def _week_cell(count: int, most: int) -> Cell:
    return Cell(f"{count:,}", count, heat=count / most) if count else Cell("·", 0, colour="faint")


class FeedbackPanel(QWidget):
    """Shows what was told: to experts and managers everybody's, to others their own."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__()
        self.setObjectName("feedback-panel")
        self._operations = operations
        self._notice = notice
        self._words = TextLabel("", "small-muted", objectName="feedback-words")
        header = PanelHeader("Feedback by week")
        header.add_left(self._words)
        self._table = FigureTable("feedback", "Feedback by week", feedback_columns(()))
        self._stack = stacked(self._table, EmptyState("chat-circle-text", *_NOTHING))
        vbox(header, (self._stack, 1), within=self)
        self.setFocusProxy(self._table)

    def refresh(self) -> None:
        """Read it again."""
        project = self._operations.project
        me = project.person if project else None
        sees_all = bool(me and (me.has_role(Role.EXPERT) or me.has_role(Role.MANAGER)))
        self._words.setText("all people" if sees_all else "given to you")
        read = _everybody if sees_all else _own
        self._operations.run(read, then=self._show, failed=self._notice.show_error)

    def _show(self, told: Told) -> None:
        self._stack.setCurrentIndex(0 if told.counts else 1)
        self._table.show_rows(feedback_rows(told), columns=feedback_columns(week_labels(told.counts)))


def _everybody(workspace: "Workspace") -> Told:
    return Told(feedback_over_time(workspace, everybody=True), recurring_mistakes(workspace, everybody=True))


def _own(workspace: "Workspace") -> Told:
    return Told(feedback_over_time(workspace), recurring_mistakes(workspace))
