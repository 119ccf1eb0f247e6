"""Attention: which planted defects each person caught, by category, with intervals and their numbers."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from annotator.review.attention.defects import DefectKind
from annotator.review.measures.attention import Attention, CatchRate, Told, attention
from scoring.wording import counted, interval_words
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import ElidedLabel, EmptyState, PanelHeader, Tone
from ui.theme.layouts import split, stacked, vbox
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import ago, exactly

DEFECT: Mapping[DefectKind, str] = {
    DefectKind.ANSWER: "answer contradicts an observation",
    DefectKind.VALUE: "value from the wrong observation",
    DefectKind.INFORMATION: "wrong information type",
    DefectKind.REQUEST: "unnatural request",
    DefectKind.ORDER: "logical dependency left out",
    DefectKind.INCOMPLETE: "task not completed",
}
COLUMNS = (
    Column("Person", 140),
    Column("Planted defect"),
    Column("", 132),
    Column("Caught", 92, is_figure=True, tip="Share of planted defects that were flagged or corrected"),
    Column("95 % interval", 128, is_figure=True, tip="Wilson interval of the share"),
    Column("n", 64, is_figure=True, tip="Known-answer cases submitted"),
)
_BELOW = "The whole interval lies below that of everybody else together: more than chance explains."
TOLD_COLUMNS = (
    Column("Person", 140),
    Column("Case", 200),
    Column("What was planted"),
    Column("", 104),
    Column("When", 96, is_figure=True),
)


def told_rows(told: Sequence[Told], now: datetime) -> tuple[Row, ...]:
    """One line for each submission, as its person was told of it."""
    return tuple(Row((one.person, one.case_id), _told(one, now)) for one in told)


def _told(one: Told, now: datetime) -> tuple[Cell, ...]:
    outcome = Cell("caught", chip=Tone.OK) if one.is_caught else Cell("missed", chip=Tone.WARN)
    if not one.is_counted:
        tip = "The gold case was reopened or changed since."
        outcome = Cell("not counted", tip=tip, chip=Tone.NEUTRAL)
    return (
        Cell(one.person),
        Cell(one.case_id, is_mono=True),
        Cell(one.planted, tip=one.planted),
        outcome,
        Cell(ago(one.at, now), one.at.timestamp(), exactly(one.at, now), colour="muted"),
    )


def catch_rows(rates: Sequence[CatchRate]) -> tuple[Row, ...]:
    """One line for each person, and one for each category they were given."""
    return tuple(Row((one.person, one.kind), _cells(one)) for one in rates)


def _cells(one: CatchRate) -> tuple[Cell, ...]:
    share, found = one.caught.value, one.interval
    what = Cell("all categories", is_strong=True) if one.kind is None else Cell(DEFECT[one.kind])
    if share is None or found is None:
        return (Cell(one.person), what, Cell(""), Cell("–", None), Cell("–", None), Cell("0", 0))
    tip = f"{one.caught.count:,} of {one.caught.total:,} were caught"
    between = interval_words(100 * found.low, 100 * found.high, form=".0f")
    return (
        Cell(one.person, is_strong=one.kind is None, colour="text" if one.kind is None else "muted"),
        what,
        Cell("below the others", tip=_BELOW, chip=Tone.WARN) if one.is_below else Cell(""),
        Cell(f"{100 * share:.1f} %", share, tip, is_strong=one.kind is None),
        Cell(between, found.low, tip, colour="muted"),
        Cell(f"{one.caught.total:,}", one.caught.total, colour="muted"),
    )


def attention_head(found: Attention) -> str:
    """What is mixed into the queue, and what no longer counts, in one line."""
    parts = [f"{100 * found.share:.3g} % of new cases are known-answer cases"]
    if found.problem:
        parts = [found.problem]
    elif found.share:
        parts.append(f"from {counted(found.source_count, 'gold case')}")
    if found.dropped_count:
        parts.append(f"{found.dropped_count:,} not counted: the gold case was reopened or changed")
    return " · ".join(parts)


class AttentionPanel(QWidget):
    """Shows catch rates: to experts and managers everybody's, to others their own."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__()
        self.setObjectName("attention-panel")
        self._operations = operations
        self._notice = notice
        self._words = ElidedLabel("", "small-muted", objectName="attention-words")
        header = PanelHeader("Attention")
        header.add_left(self._words, stretch=1)
        self._table = FigureTable("attention", "Attention", COLUMNS, is_sortable=False)
        self._empty = EmptyState("eye", "Not measured yet", "")
        self._told = FigureTable("attention-told", "What was planted", TOLD_COLUMNS, is_sortable=False)
        told = QWidget()
        vbox(PanelHeader("What was planted"), (self._told, 1), within=told)
        self._stack = stacked(
            split(Qt.Orientation.Vertical, (self._table, 420), (told, 280), grows=self._table), self._empty
        )
        vbox(header, (self._stack, 1), within=self)
        self.setFocusProxy(self._table)

    def refresh(self) -> None:
        """Read it again."""
        self._operations.run(attention, then=self._show, failed=self._notice.show_error)

    def _show(self, found: Attention) -> None:
        words = attention_head(found)
        self._words.setText(words)
        self._words.setToolTip(words)
        off = (
            "A manager sets the share of known-answer cases in the review policy (People). They are copies "
            "of gold cases with one planted defect; everybody is told, and what was planted is shown after "
            "submitting."
        )
        on = "Rates appear here when known-answer cases have been submitted."
        self._empty.set_words("Not measured yet", found.problem or (on if found.share else off))
        self._stack.setCurrentIndex(0 if found.told else 1)
        self._table.show_rows(catch_rows(found.rates))
        self._told.show_rows(told_rows(found.told, datetime.now().astimezone()))
