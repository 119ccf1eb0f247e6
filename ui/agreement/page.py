"""The agreement page: a line a field, the disagreements behind it, and how right each stage was."""

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QMenu,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from annotator.files import replace_text
from annotator.project.changes import Changes
from scoring.model.taxonomy import Policy, Role
from scoring.rated_cases import RatedField
from ui.agreement.exporting import (
    SHEET_WORDS,
    Sheet,
    coefficients_csv,
    disagreements_csv,
    pairs_csv,
    stages_csv,
)
from ui.agreement.lines import (
    DIAGNOSIS_COLUMNS,
    DISAGREEMENT_COLUMNS,
    FIELD_COLUMNS,
    FIELD_WORDS,
    confusion_words,
    diagnosis_rows,
    disagreement_rows,
    field_rows,
)
from ui.agreement.measuring import RESAMPLES, Measured, Rated, measure, read_rated
from ui.agreement.panels import SidePanels
from ui.agreement.slicing import ALL, Disagreement, Slice, batches_of, disagreements, people_of, sliced
from ui.commands import Command, Commands
from ui.errors import ErrorBanner
from ui.operations import Operations
from ui.theme import Button, ButtonKind, ElidedLabel, EmptyState, PanelHeader, TextLabel, Tone, theme
from ui.theme.choices import ChoiceChip
from ui.theme.dialogs import open_dialog
from ui.theme.heads import PageHead
from ui.theme.menus import open_menu
from ui.theme.tables import FigureTable
from ui.theme.words import POLICY, counted

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from ui.jobs import WindowJob

T = TypeVar("T")

_WAITING = "Reading the judgments …", "Every cross-check is read once."
_NOTHING = (
    "Nothing was cross-checked yet",
    "Agreement needs two people who judged the same case: let others cross-check what owners approved.",
)
_NO_MATCH = "Nobody judged such a case", "Choose another batch, person or policy."
_HIDDEN = "Experts and managers see the cases behind a figure: reviewers stay blind to each other."


class AgreementPage(QWidget):
    """How far the raters of this project agree."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, commands: Commands) -> None:
        super().__init__()
        self.setObjectName("agreement-page")
        self._operations = operations
        self._commands = commands
        self._rated = Rated((), ())
        self._measured: Measured | None = None
        self._found: tuple[Disagreement, ...] = ()
        self._job: WindowJob | None = None
        self._is_stale = False
        self._add_commands()
        self._build()
        operations.changed.connect(self._note_changes)
        self._read()

    @property
    def _sees_cases(self) -> bool:
        """Whether the person may see what others said about cases."""
        project = self._operations.project
        person = project.person if project else None
        return bool(person and (person.has_role(Role.EXPERT) or person.has_role(Role.MANAGER)))

    # building ------------------------------------------------------------------------------------

    def _add_commands(self) -> None:
        add = self._commands.add
        for command in (
            Command("agreement.open", "Open the marked case", "Agreement", self._open_marked, keys="O"),
            Command("agreement.export", "Export", "Agreement", self._open_export, keys="E"),
            Command("agreement.everything", "Show everything", "Agreement", self._show_all, keys="Shift+X"),
            Command("agreement.reload", "Read again", "Agreement", self._read, keys="F5"),
        ):
            add(command, self)

    def _build(self) -> None:
        self._batch = ChoiceChip("agreement-batch", "Batch", [(ALL, "All batches")])
        self._person = ChoiceChip("agreement-person", "Person", [(ALL, "Everybody")])
        self._second = ChoiceChip("agreement-second", "And", [(ALL, "and all others")])
        policies = [(policy.value, POLICY[policy]) for policy in Policy]
        self._policy = ChoiceChip("agreement-policy", "Policy", [(ALL, "All policies"), *policies])
        for chip in (self._batch, self._person, self._second, self._policy):
            chip.chosen.connect(self._measure)
        self._summary = TextLabel("", "muted")
        self._summary.setObjectName("agreement-summary")
        self._export_button = Button("Export…")
        self._export_button.setObjectName("agreement-export")
        self._commands.bind(self._export_button, "agreement.export")
        head = PageHead("Agreement")
        head.add_left(self._batch, self._person, self._second, self._policy)
        head.add_right(self._summary, self._export_button)
        self._notice = ErrorBanner()
        self._notice.setObjectName("agreement-notice")
        self._side = SidePanels()
        self._side.person_chosen.connect(self._choose_person)
        self._side.batch_chosen.connect(self._choose_batch)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._left())
        splitter.addWidget(self._side)
        splitter.setSizes([theme().px(820), theme().px(556)])
        self._empty = EmptyState("chart-line-up", *_WAITING)
        self._stack = QStackedWidget()
        self._stack.addWidget(splitter)
        self._stack.addWidget(self._empty)
        self._stack.setCurrentWidget(self._empty)
        column = _column(self)
        column.addWidget(head)
        column.addWidget(self._notice)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self._fields)

    def _left(self) -> QWidget:
        look = theme()
        header = PanelHeader("By field")
        header.add_right(TextLabel("mark a line to see its cases", "small-muted"))
        self._fields = FigureTable("fields", "Agreement by field", FIELD_COLUMNS, is_sortable=False)
        self._fields.marked.connect(self._show_field)
        self._fields.opened.connect(self._enter_cases)
        upper = QWidget()
        column = _column(upper)
        column.addWidget(header)
        column.addWidget(self._fields, 1)
        left = QSplitter(Qt.Orientation.Vertical)
        left.setChildrenCollapsible(False)
        left.addWidget(upper)
        left.addWidget(self._lower())
        left.setStretchFactor(1, 1)
        left.setSizes([look.px(330), look.px(450)])
        return left

    def _lower(self) -> QWidget:
        self._tabs = QTabBar()
        self._tabs.setObjectName("agreement-tabs")
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.addTab("Disagreements")
        self._tabs.addTab("Diagnosis")
        self._words = ElidedLabel("", "small-muted")
        self._words.setObjectName("disagreement-words")
        self._words.setContentsMargins(theme().px(8), 0, 0, 0)
        open_ = Button("Open", ButtonKind.GHOST)
        open_.setObjectName("agreement-open")
        self._commands.bind(open_, "agreement.open")
        header = PanelHeader("")
        header.add_left(self._tabs)
        header.add_left(self._words)
        header.add_right(open_)
        self._cases = FigureTable("disagreements", "Disagreements", DISAGREEMENT_COLUMNS)
        self._cases.opened.connect(self._open_case)
        self._cases.marked.connect(self._block_open)
        self._agreed = EmptyState("check-circle", "No disagreement", "On this field everybody says the same.")
        self._diagnosis = FigureTable("diagnosis", "Diagnosis", DIAGNOSIS_COLUMNS)
        self._lower_stack = QStackedWidget()
        for widget in (self._cases, self._diagnosis, self._agreed):
            self._lower_stack.addWidget(widget)
        self._tabs.currentChanged.connect(self._show_tab)
        lower = QWidget()
        column = _column(lower)
        column.addWidget(header)
        column.addWidget(self._lower_stack, 1)
        return lower

    # reading and measuring -----------------------------------------------------------------------

    def _note_changes(self, changes: Changes) -> None:
        if changes.case_ids or changes.has_new_cases:
            self._is_stale = True
            if self.isVisible():
                self._read()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._read()

    def _read(self) -> None:
        self._is_stale = False
        self._start(read_rated, "Read the judgments", self._take_rated)

    def _start(
        self, fn: Callable[["JobContext", "Workspace"], T], title: str, then: Callable[[T], None]
    ) -> None:
        """Start a job instead of the one that is under way."""
        if self._job is not None:
            self._job.cancel()
        self._job = self._operations.start_job(fn, title, then=then, failed=self._notice.show_error)
        self._job.ended.connect(self._forget_job)

    def _forget_job(self) -> None:
        if self.sender() is self._job:
            self._job = None

    def _take_rated(self, rated: Rated) -> None:
        self._rated = rated
        people = [(name, name) for name in people_of(rated.rounds)]
        self._batch.set_choices([(ALL, "All batches"), *((b, b) for b in batches_of(rated.rounds))])
        self._person.set_choices([(ALL, "Everybody"), *people])
        self._side.show_curve(rated.curve)
        self._measure()

    def _measure(self) -> None:
        """Measure the chosen part: at once without intervals, then with them."""
        people = [(name, f"and {name}") for name in people_of(self._rated.rounds)]
        others = [choice for choice in people if choice[0] != self._person.value]
        self._second.set_choices([(ALL, "and all others"), *others])
        self._second.setVisible(bool(self._person.value))
        part = Slice(
            batch=self._batch.value,
            person=self._person.value,
            second=self._second.value if self._person.value else ALL,
            policy=self._policy.value,
        )
        job = partial(measure, rated=self._rated, part=part, resamples=0)
        self._start(job, "Measure the agreement", self._take_first)

    def _take_first(self, measured: Measured) -> None:
        self._show(measured)
        if measured.round_count:
            job = partial(measure, rated=self._rated, part=measured.part, resamples=RESAMPLES)
            self._start(job, "Draw intervals", self._show)

    # showing -------------------------------------------------------------------------------------

    def _show(self, measured: Measured) -> None:
        self._measured = measured
        if not measured.round_count:
            self._empty.set_words(*(_NO_MATCH if self._rated.rounds else _NOTHING))
        self._stack.setCurrentIndex(0 if measured.round_count else 1)
        self._summary.setText(_summary(measured))
        self._commands.block(
            "agreement.export", "" if measured.round_count else "There is nothing to export."
        )
        self._fields.show_rows(field_rows(measured.table))
        self._diagnosis.show_rows(diagnosis_rows(measured.table))
        self._show_field(self._fields.marked_key)

    def _show_field(self, field: Hashable) -> None:
        measured = self._measured
        if measured is None or not isinstance(field, RatedField):
            return
        row = next(row for row in measured.table if row.field is field)
        self._found = disagreements(sliced(self._rated.rounds, measured.part), field)
        self._words.setText(f"{FIELD_WORDS[field]}: {confusion_words(row, len(self._found))}")
        self._cases.show_rows(disagreement_rows(self._found) if self._sees_cases else ())
        if self._sees_cases:
            self._agreed.set_words("No disagreement", "On this field everybody says the same.")
        else:
            self._agreed.set_words("Not shown", _HIDDEN)
        self._show_tab(self._tabs.currentIndex())
        self._side.show_field(measured, field)
        self._block_open()

    def _show_tab(self, tab: int) -> None:
        shown = self._diagnosis if tab == 1 else self._cases if self._cases.rows else self._agreed
        self._lower_stack.setCurrentWidget(shown)

    # choosing and opening ------------------------------------------------------------------------

    def _choose_person(self, name: str) -> None:
        self._person.choose(name)
        self._measure()

    def _choose_batch(self, batch: str) -> None:
        self._batch.choose(batch)
        self._measure()

    def _show_all(self) -> None:
        for chip in (self._batch, self._person, self._policy):
            chip.choose(ALL)
        self._measure()

    def _enter_cases(self, _: Hashable) -> None:
        self._tabs.setCurrentIndex(0)
        self._cases.setFocus()

    def _open_case(self, key: Hashable) -> None:
        if isinstance(key, tuple):
            self.case_wanted.emit(str(key[0]))

    def _open_marked(self) -> None:
        self._open_case(self._cases.marked_key)

    def _block_open(self, _: Hashable = None) -> None:
        reason = "" if self._cases.marked_key is not None else "No disagreement is marked."
        self._commands.block("agreement.open", reason if self._sees_cases else _HIDDEN)

    # exporting -----------------------------------------------------------------------------------

    def _open_export(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("export-menu")
        for sheet, words in SHEET_WORDS.items():
            action = menu.addAction(words)
            action.triggered.connect(partial(self._ask_file, sheet))
            action.setEnabled(sheet is not Sheet.DISAGREEMENTS or self._sees_cases)
        menu.addSeparator()
        menu.addAction("Copy the table").triggered.connect(self._copy)
        menu.aboutToHide.connect(menu.deleteLater)
        open_menu(menu, self._export_button.mapToGlobal(self._export_button.rect().bottomLeft()))

    def _copy(self) -> None:
        self._fields.copy_all()
        self._notice.show_message("The table is on the clipboard.", tone=Tone.OK)

    def _ask_file(self, sheet: Sheet, _: bool = False) -> None:
        dialog = QFileDialog(self, "Export", f"{sheet.value}.csv", "CSV (*.csv)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(partial(self.export, sheet))
        open_dialog(dialog)

    def export(self, sheet: Sheet, file: str) -> None:
        """Write one of the tables into a file."""
        path = Path(file)
        write = partial(_write, path=path, text=self._text_of(sheet))
        said = partial(self._say_exported, path)
        self._operations.run(write, then=said, failed=self._notice.show_error, origin=self)

    def _text_of(self, sheet: Sheet) -> str:
        table = self._measured.table if self._measured else ()
        match sheet:
            case Sheet.COEFFICIENTS:
                return coefficients_csv(table)
            case Sheet.PAIRS:
                return pairs_csv(table)
            case Sheet.DISAGREEMENTS:
                return disagreements_csv(self._found if self._sees_cases else ())
            case Sheet.STAGES:
                return stages_csv(self._rated.curve)

    def _say_exported(self, path: Path, _: None) -> None:
        self._notice.show_message("Exported.", str(path), tone=Tone.OK)


def _summary(measured: Measured) -> str:
    drawn = f"intervals 95 %, {RESAMPLES:,} resamples"
    parts = [
        f"{counted(measured.task_count, 'task')} in {counted(measured.case_count, 'case')}",
        counted(measured.rater_count, "rater"),
        drawn if measured.has_intervals else "drawing intervals …",
    ]
    return " · ".join(parts) if measured.round_count else ""


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    return column


def _write(workspace: "Workspace", *, path: Path, text: str) -> None:
    replace_text(path, text)
