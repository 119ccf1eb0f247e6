"""What is behind the figures: disagreements, what each figure rests on, the cases of a point of the curve."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.review.measures.accuracy_curve import StageCase
from scoring.agreement.fields import FieldAgreement
from scoring.agreement.rated_cases import RatedField
from ui.agreement.agreement_jobs import Measured
from ui.agreement.agreement_lines import (
    DIAGNOSIS_COLUMNS,
    DISAGREEMENT_COLUMNS,
    FIELD_WORDS,
    confusion_words,
    diagnosis_rows,
    disagreement_rows,
)
from ui.agreement.disagreements import Disagreement, disagreements
from ui.agreement.stage_list import STAGE_CASE_COLUMNS, CurvePlace, place_words, stage_case_rows, stage_name
from ui.services.commands import Commands
from ui.theme import ButtonKind, ElidedLabel, EmptyState, PanelHeader, theme
from ui.theme.layouts import stacked, vbox
from ui.theme.panels import TabBar
from ui.theme.tables import FigureTable

HIDDEN = "Only experts and managers can see the cases behind a figure, so that reviews stay blind."
_TAB_NAMES = ("Disagreements", "Diagnosis", "Stage accuracy")
_STAGE_TAB = 2
_NO_POINT = (
    "No point chosen",
    "Click a point of the stage-accuracy curve, or press Enter on it, to list its cases.",
)
_AGREED = "No disagreement", "All raters agree on this field."


class CasesPanel(QWidget):
    """Disagreements, diagnosis and the cases of a stage, one tab each.

    `sees_cases` decides whether disagreements are listed. Cases of a stage are final, so that everybody may
    see them.
    """

    case_opened = Signal(str)
    """Id of a case whose line was opened."""
    field_opened = Signal(object)
    """The `RatedField` whose diagnosis was opened."""
    marked = Signal()
    """Another case is marked, or none."""

    def __init__(self, commands: Commands, *, sees_cases: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sees_cases = sees_cases
        self.found: tuple[Disagreement, ...] = ()
        self.tabs = TabBar("agreement-tabs", _TAB_NAMES)
        self._words = ElidedLabel("", "small-muted")
        self._words.setObjectName("disagreement-words")
        self._words.setContentsMargins(theme().px(8), 0, 0, 0)
        open_ = commands.button("agreement.open", "Open", name="agreement-open", kind=ButtonKind.GHOST)
        header = PanelHeader("")
        header.add_left(self.tabs)
        header.add_left(self._words, stretch=1)
        header.add_right(open_)
        self._cases = FigureTable("disagreements", "Disagreements", DISAGREEMENT_COLUMNS)
        self._cases.opened.connect(self._open)
        self._cases.marked.connect(self.marked)
        self._agreed = EmptyState("check-circle", *_AGREED)
        self._diagnosis = FigureTable("diagnosis", "Diagnosis", DIAGNOSIS_COLUMNS)
        self._diagnosis.opened.connect(self._open_field)
        self._place: CurvePlace | None = None
        self._field_words = self._place_words = ""
        self._left = FigureTable("stage-cases", "Cases behind a point of stage accuracy", STAGE_CASE_COLUMNS)
        self._left.opened.connect(self._open)
        self._left.marked.connect(self.marked)
        self._no_point = EmptyState("chart-line-up", *_NO_POINT)
        self._stack = stacked(self._cases, self._diagnosis, self._agreed, self._left, self._no_point)
        self.tabs.currentChanged.connect(self._show_tab)
        vbox(header, (self._stack, 1), within=self)

    @property
    def marked_case(self) -> str | None:
        """Id of the marked case of the tab that is shown; null for none."""
        if self.tabs.currentIndex() == _STAGE_TAB:
            return _case_of(self._left.marked_key)
        return _case_of(self._cases.marked_key)

    @property
    def why_none_opens(self) -> str:
        """Why no case can be opened now; empty where one can."""
        if self.tabs.currentIndex() != _STAGE_TAB and not self._sees_cases:
            return HIDDEN
        return "" if self.marked_case is not None else "No case is selected."

    def show_measured(self, measured: Measured) -> None:
        """Show what other figures rest on."""
        self._diagnosis.show_rows(diagnosis_rows(measured.table, measured.diagnosis))

    def show_field(self, measured: Measured, row: FieldAgreement) -> None:
        """List the cases raters disagree on in one field."""
        self.found = disagreements((one.case for one in measured.rounds), row.field)
        self._field_words = f"{FIELD_WORDS[row.field]}: {confusion_words(row, len(self.found))}"
        self._cases.show_rows(disagreement_rows(self.found) if self._sees_cases else ())
        self._agreed.set_words(*(_AGREED if self._sees_cases else ("Not shown", HIDDEN)))
        self._show_tab(self.tabs.currentIndex())

    def await_stage_cases(self, place: CurvePlace) -> None:
        """Show the tab with the cases of a point, which are being read."""
        if place != self._place:
            self._place = place
            self._place_words = f"{stage_name(place.stage)}: reading …"
            self._left.show_rows(())
        self.tabs.setCurrentIndex(_STAGE_TAB)
        self._show_tab(_STAGE_TAB)

    def show_stage_cases(self, found: Sequence[StageCase]) -> None:
        """List the cases of the point that was waited for."""
        if self._place is not None:
            self._place_words = place_words(self._place, found)
            self._left.show_rows(stage_case_rows(found))
            self._show_tab(self.tabs.currentIndex())

    def enter_stage_cases(self) -> None:
        """Give the keys to the cases of a point."""
        self._left.setFocus()

    def enter(self) -> None:
        """Show the disagreements and give them the keys."""
        self.tabs.setCurrentIndex(0)
        self._cases.setFocus()

    def next_tab(self) -> None:
        """Show the other tab and give it the keys."""
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())
        shown = self._stack.currentWidget()
        if shown is not None:
            shown.setFocus()

    def _show_tab(self, tab: int) -> None:
        is_stage = tab == _STAGE_TAB
        self._words.setText(self._place_words if is_stage else self._field_words)
        if is_stage:
            shown: QWidget = self._left if self._place is not None else self._no_point
        else:
            shown = self._diagnosis if tab == 1 else self._cases if self._cases.rows else self._agreed
        self._stack.setCurrentWidget(shown)
        self.marked.emit()

    def _open(self, key: Hashable) -> None:
        case_id = _case_of(key)
        if case_id is not None:
            self.case_opened.emit(case_id)

    def _open_field(self, key: Hashable) -> None:
        if isinstance(key, tuple) and isinstance(key[0], RatedField):
            self.field_opened.emit(key[0])


def _case_of(key: Hashable) -> str | None:
    """The case a line is about: a line of a disagreement has its number beside the id."""
    if isinstance(key, tuple):
        return str(key[0])
    return str(key) if key is not None else None
