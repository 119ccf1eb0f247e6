"""What is behind the figures: the very cases raters disagree on, and what each figure used and left out."""

from collections.abc import Hashable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from scoring.agreement import FieldAgreement
from scoring.rated_cases import RatedField
from ui.agreement.disagreements import Disagreement, disagreements
from ui.agreement.lines import (
    DIAGNOSIS_COLUMNS,
    DISAGREEMENT_COLUMNS,
    FIELD_WORDS,
    confusion_words,
    diagnosis_rows,
    disagreement_rows,
)
from ui.agreement.measuring import Measured
from ui.commands import Commands
from ui.theme import Button, ButtonKind, ElidedLabel, EmptyState, PanelHeader, theme
from ui.theme.tables import FigureTable

HIDDEN = "Experts and managers see the cases behind a figure: reviewers stay blind to each other."
_AGREED = "No disagreement", "On this field everybody says the same."


class CasesPanel(QWidget):
    """Disagreements and diagnosis, one tab each; `sees_cases` decides whether the former are listed."""

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
        self.tabs = QTabBar()
        self.tabs.setObjectName("agreement-tabs")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab("Disagreements")
        self.tabs.addTab("Diagnosis")
        self._words = ElidedLabel("", "small-muted")
        self._words.setObjectName("disagreement-words")
        self._words.setContentsMargins(theme().px(8), 0, 0, 0)
        open_ = Button("Open", ButtonKind.GHOST)
        open_.setObjectName("agreement-open")
        commands.bind(open_, "agreement.open")
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
        self._stack = QStackedWidget()
        for widget in (self._cases, self._diagnosis, self._agreed):
            self._stack.addWidget(widget)
        self.tabs.currentChanged.connect(self._show_tab)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self._stack, 1)

    @property
    def marked_case(self) -> str | None:
        """Id of the marked case; null for none."""
        key = self._cases.marked_key
        return str(key[0]) if isinstance(key, tuple) else None

    def show_measured(self, measured: Measured) -> None:
        """Show what other figures rest on."""
        self._diagnosis.show_rows(diagnosis_rows(measured.table, measured.diagnosis))

    def show_field(self, measured: Measured, row: FieldAgreement) -> None:
        """List the cases raters disagree on in one field."""
        self.found = disagreements((one.case for one in measured.rounds), row.field)
        self._words.setText(f"{FIELD_WORDS[row.field]}: {confusion_words(row, len(self.found))}")
        self._cases.show_rows(disagreement_rows(self.found) if self._sees_cases else ())
        self._agreed.set_words(*(_AGREED if self._sees_cases else ("Not shown", HIDDEN)))
        self._show_tab(self.tabs.currentIndex())

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
        shown = self._diagnosis if tab == 1 else self._cases if self._cases.rows else self._agreed
        self._stack.setCurrentWidget(shown)

    def _open(self, key: Hashable) -> None:
        if isinstance(key, tuple):
            self.case_opened.emit(str(key[0]))

    def _open_field(self, key: Hashable) -> None:
        if isinstance(key, tuple) and isinstance(key[0], RatedField):
            self.field_opened.emit(key[0])
