"""The samples that were drawn: round after round, with the outcome of every case."""

from collections import Counter
from collections.abc import Hashable, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.review.measures.progress import SampleRow, samples
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import ElidedLabel, EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.layouts import split, stacked, vbox
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import ago, counted, exactly

COLUMNS = (
    Column("Batch"),
    Column("Round", 64, is_figure=True),
    Column("Drawn", 72, is_figure=True, tip="Cases in the sample"),
    Column("Of", 72, is_figure=True, tip="Cases it was drawn from"),
    Column("Open", 64, is_figure=True),
    Column("Errors", 64, is_figure=True, tip="Cases with a confirmed error"),
    Column("Error rate", 88, is_figure=True, tip="Of the cases that are decided"),
    Column("State", 104),
    Column("When", 96, is_figure=True),
)
_CASE_COLUMNS = (Column("Case"), Column("Outcome", 120))
_TONES = {"unchanged": Tone.OK, "open": Tone.NEUTRAL}
_STATES = {"open": Tone.ACCENT, "clean": Tone.OK, "corrected": Tone.WARN}


def sample_rows(found: Sequence[SampleRow], now: datetime) -> tuple[Row, ...]:
    """One line a sample, the newest first."""
    return tuple(Row(one.id, _cells(one, now)) for one in reversed(found))


def _cells(one: SampleRow, now: datetime) -> tuple[Cell, ...]:
    total = len(one.outcomes)
    open_ = Counter(one.outcomes.values())["open"]
    decided = total - open_
    rate = one.error_count / decided if decided else None
    shown = Cell("–", None, "No decisions yet.", colour="faint")
    if rate is not None:
        shown = Cell(f"{100 * rate:.1f} %", rate, f"{one.error_count} of {decided} decided")
    tip = f"Seed {one.seed}\nShare {100 * one.share:.0f} %\nSampling: {one.kind}"
    return (
        Cell(one.batch, tip=tip, is_strong=True),
        Cell(f"{one.sequence}", one.sequence),
        Cell(f"{total:,}", total),
        Cell(f"{one.population:,}", one.population, colour="muted"),
        Cell(f"{open_:,}", open_, colour="text" if open_ else "faint"),
        Cell(f"{one.error_count:,}", one.error_count, colour="error" if one.error_count else "faint"),
        shown,
        Cell(one.status, chip=_STATES.get(one.status, Tone.NEUTRAL)),
        Cell(ago(one.drawn_at, now), one.drawn_at.timestamp(), exactly(one.drawn_at, now), colour="muted"),
    )


def outcome_rows(one: SampleRow) -> tuple[Row, ...]:
    """The cases of a sample with their outcomes."""
    return tuple(
        Row(case_id, (Cell(case_id, is_mono=True), Cell(outcome, chip=_TONES.get(outcome, Tone.ERROR))))
        for case_id, outcome in sorted(one.outcomes.items())
    )


class SamplesPanel(QWidget):
    """Lists samples and the cases of the marked one."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__()
        self.setObjectName("samples-panel")
        self._operations = operations
        self._notice = notice
        self._found: tuple[SampleRow, ...] = ()
        self._words = TextLabel("", "small-muted")
        header = PanelHeader("Samples")
        header.add_left(self._words)
        self._table = FigureTable("samples", "Samples", COLUMNS)
        self._table.marked.connect(self._show_cases)
        left = QWidget()
        vbox(header, (self._table, 1), within=left)
        self._cases = FigureTable("sampled-cases", "Cases of the sample", _CASE_COLUMNS)
        self._cases.opened.connect(self._open)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._seed = ElidedLabel("", "small-muted", objectName="sample-seed")
        about = PanelHeader("Its cases")
        about.add_left(self._seed, stretch=1)
        column.addWidget(about)
        column.addWidget(self._cases, 1)
        self._stack = stacked(split(Qt.Orientation.Horizontal, (left, 940), (right, 436), grows=left))
        self._stack.addWidget(
            EmptyState(
                "dice-five",
                "No sample yet",
                "A sample is drawn automatically once every case of a batch is approved.",
            )
        )
        vbox(self._stack, within=self)
        self.setFocusProxy(self._table)

    def refresh(self) -> None:
        """Read the samples again."""
        self._operations.run(samples, then=self._show, failed=self._notice.show_error)

    def _show(self, found: tuple[SampleRow, ...]) -> None:
        self._found = found
        self._stack.setCurrentIndex(0 if found else 1)
        self._words.setText(counted(len(found), "sample"))
        self._table.show_rows(sample_rows(found, datetime.now().astimezone()))
        self._show_cases(self._table.marked_key)

    def _show_cases(self, key: Hashable) -> None:
        one = next((one for one in self._found if one.id == key), None)
        self._cases.show_rows(outcome_rows(one) if one else ())
        self._seed.setText(f"{one.kind}, {100 * one.share:.0f} %, seed {one.seed}" if one else "")

    def _open(self, key: Hashable) -> None:
        self.case_wanted.emit(str(key))
