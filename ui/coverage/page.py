"""The coverage page: the pyramid, the sequence that is marked in it, and what the cases lack."""

from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.cases.covering import ProjectCoverage, project_coverage
from annotator.project.changes import Changes
from annotator.review.listing import BatchRow, batches
from scoring.coverage import Route
from scoring.model.taxonomy import FINAL_STAGES, Stage
from ui.commands import Command, Commands
from ui.coverage.lines import (
    MISSING_COLUMNS,
    TOOL_COLUMNS,
    VERB_COLUMNS,
    covered_words,
    information_columns,
    information_rows,
    missing_rows,
    missing_text,
    needed,
    rate_words,
    route_words,
    tool_rows,
    verb_rows,
)
from ui.coverage.pyramid import Pyramid
from ui.errors import ErrorBanner
from ui.operations import Operations
from ui.theme import Button, ButtonKind, EmptyState, PanelHeader, TextLabel, Tone, theme
from ui.theme.choices import ChoiceChip
from ui.theme.heads import PageHead
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.tabs import TabBar
from ui.theme.words import STAGE, counted

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from ui.jobs import WindowJob

_ALL, _FINAL = "", "final or later"
_NOTHING = "No case fits", "Import a file of dialogues, or choose another stage or batch."
_EXAMPLE_COLUMNS = (Column("Case"),)


class CoveragePage(QWidget):
    """What the cases of this project cover."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, commands: Commands) -> None:
        super().__init__()
        self.setObjectName("coverage-page")
        self._operations = operations
        self._commands = commands
        self._found: ProjectCoverage | None = None
        self._job: WindowJob | None = None
        self._is_stale = False
        self._add_commands()
        self._build()
        operations.changed.connect(self._note_changes)
        operations.run(batches, then=self._offer_batches)
        self._count()

    def _add_commands(self) -> None:
        add = self._commands.add
        for command in (
            Command("coverage.gap", "Next gap", "Coverage", self._go_to_gap, keys="G"),
            Command("coverage.copy", "Copy what is missing", "Coverage", self.copy_missing, keys="C"),
            Command("coverage.reload", "Count again", "Coverage", self._count, keys="F5"),
        ):
            add(command, self)

    def _build(self) -> None:
        self._stage = ChoiceChip("coverage-stage", "Stage", _stage_choices())
        self._batch = ChoiceChip("coverage-batch", "Batch", [(_ALL, "All batches")])
        for chip in (self._stage, self._batch):
            chip.chosen.connect(self._count)
        self._summary = TextLabel("", "muted")
        self._summary.setObjectName("coverage-summary")
        copy = Button("Copy what is missing")
        copy.setObjectName("coverage-copy")
        self._commands.bind(copy, "coverage.copy")
        head = PageHead("Coverage")
        head.add_left(self._stage, self._batch)
        head.add_right(self._summary, copy)
        self._notice = ErrorBanner()
        self._notice.setObjectName("coverage-notice")
        self._nothing = EmptyState("triangle", *_NOTHING)
        self._waiting = EmptyState("triangle", "Counting …", "Every case is read once.")
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._upper())
        splitter.addWidget(self._lower())
        splitter.setSizes([theme().px(400), theme().px(380)])
        self._stack = QStackedWidget()
        for widget in (splitter, self._waiting, self._nothing):
            self._stack.addWidget(widget)
        self._stack.setCurrentWidget(self._waiting)
        column = _column(self)
        column.addWidget(head)
        column.addWidget(self._notice)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self._pyramid)

    def _upper(self) -> QWidget:
        self._covered = TextLabel("", "small-muted")
        self._covered.setObjectName("covered")
        header = PanelHeader("Policy switches")
        header.add_left(self._covered)
        gap = Button("Next gap", ButtonKind.GHOST)
        gap.setObjectName("next-gap")
        self._commands.bind(gap, "coverage.gap")
        header.add_right(gap)
        self._pyramid = Pyramid()
        self._pyramid.marked.connect(self._show_route)
        self._pyramid.opened.connect(self._open_route)
        upper = QWidget()
        column = _column(upper)
        column.addWidget(header)
        column.addWidget(self._pyramid, 1)
        return upper

    def _lower(self) -> QWidget:
        look = theme()
        self._route_header = PanelHeader("")
        self._route_count = TextLabel("", "small-muted")
        self._route_count.setObjectName("route-count")
        self._route_header.add_left(self._route_count)
        self._examples = FigureTable("examples", "Example cases", _EXAMPLE_COLUMNS, is_sortable=False)
        self._examples.opened.connect(self._open_case)
        self._gap = EmptyState("dots-three-circle", "A gap", "No case begins with this sequence.")
        left = QWidget()
        column = _column(left)
        column.addWidget(self._route_header)
        column.addWidget(self._examples, 1)
        column.addWidget(self._gap, 1)
        columns = information_columns()
        self._information = FigureTable("information", "Information types by policy", columns, is_still=True)
        information = QWidget()
        column = _column(information)
        header = PanelHeader("Information by policy")
        self._related = TextLabel("", "small-muted")
        self._related.setObjectName("related")
        header.add_left(self._related)
        column.addWidget(header)
        column.addWidget(self._information, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        for widget in (left, information, self._tabs()):
            splitter.addWidget(widget)
        splitter.setSizes([look.px(320), look.px(600), look.px(456)])
        return splitter

    def _tabs(self) -> QWidget:
        self._tools = FigureTable("tools", "Tools", TOOL_COLUMNS)
        self._verbs = FigureTable("verbs", "Kinds of tools", VERB_COLUMNS)
        self._missing = FigureTable("missing", "Missing sequences", MISSING_COLUMNS)
        self._missing.marked.connect(self._mark_missing)
        self._tab_bar = TabBar("coverage-tabs")
        stack = QStackedWidget()
        for name, table in (("Tools", self._tools), ("Kinds", self._verbs), ("Missing", self._missing)):
            self._tab_bar.addTab(name)
            stack.addWidget(table)
        self._tab_bar.currentChanged.connect(stack.setCurrentIndex)
        header = PanelHeader("")
        header.add_left(self._tab_bar)
        tabs = QWidget()
        column = _column(tabs)
        column.addWidget(header)
        column.addWidget(stack, 1)
        return tabs

    # counting ------------------------------------------------------------------------------------

    def _offer_batches(self, rows: tuple[BatchRow, ...]) -> None:
        self._batch.set_choices([(_ALL, "All batches"), *((row.name, row.name) for row in rows)])

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_new_cases:
            self._operations.run(batches, then=self._offer_batches)
        if changes.has_new_cases or changes.case_ids:
            self._is_stale = True
            if self.isVisible():
                self._count()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._count()

    def _count(self) -> None:
        """Count again; a count that is under way and overtaken is stopped."""
        self._is_stale = False
        if self._job is not None:
            self._job.cancel()
        value = self._stage.value
        stages = FINAL_STAGES if value == _FINAL else (Stage(value),) if value else ()
        self._job = self._operations.start_job(
            partial(_project_coverage, stages=stages, batch=self._batch.value),
            "Count the coverage",
            then=self._show,
            failed=self._notice.show_error,
        )
        self._job.ended.connect(self._forget_job)

    def _forget_job(self) -> None:
        if self.sender() is self._job:
            self._job = None

    # showing -------------------------------------------------------------------------------------

    def _show(self, found: ProjectCoverage) -> None:
        self._found = found
        self._stack.setCurrentIndex(0 if found.case_count else self._stack.indexOf(self._nothing))
        open_ = f" · {counted(found.unlabelled, 'task')} without a policy" if found.unlabelled else ""
        self._summary.setText(
            f"{counted(found.task_count, 'task')} in {counted(found.case_count, 'case')}{open_}"
        )
        self._covered.setText(covered_words(found))
        self._pyramid.show_cases(found.coverage.cases)
        self._information.show_rows(information_rows(found))
        self._related.setText(f"{rate_words(found.related)} later tasks need the earlier dialogue")
        self._tools.show_rows(tool_rows(found))
        self._verbs.show_rows(verb_rows(found))
        missing = found.coverage.missing
        self._missing.blockSignals(True)
        self._missing.show_rows(missing_rows(found))
        self._missing.blockSignals(False)
        self._tab_bar.setTabText(0, f"Tools · {len(found.tools):,}")
        self._tab_bar.setTabText(2, f"Missing · {len(missing):,}")
        self._commands.block("coverage.copy", "" if missing else "Nothing is missing.")
        self._commands.block("coverage.gap", "" if missing else "There is no gap.")
        self._show_route(self._pyramid.marked_route)

    def _show_route(self, route: Route) -> None:
        if self._found is None:
            return
        count = self._found.coverage.cases.get(route, 0)
        self._route_header.set_title(route_words(route))
        examples = self._found.examples.get(route, ())
        words = (
            counted(count, "case") if count <= len(examples) else f"{count:,} cases, {len(examples)} shown"
        )
        self._route_count.setText(words if count else "a gap")
        self._examples.show_rows([Row(one, (Cell(one, is_mono=True),)) for one in examples])
        self._examples.setVisible(bool(examples))
        self._gap.setVisible(not examples)

    def _open_route(self, route: Route) -> None:
        if self._found is not None and self._found.examples.get(route):
            self._examples.setFocus()

    def _open_case(self, key: Hashable) -> None:
        self.case_wanted.emit(str(key))

    def _mark_missing(self, key: Hashable) -> None:
        if isinstance(key, tuple):
            self._pyramid.mark(key)

    def _go_to_gap(self) -> None:
        self._pyramid.go_to_gap()
        self._pyramid.setFocus()

    def copy_missing(self) -> None:
        """Put the sequences to generate on the clipboard: one a line."""
        if self._found is None:
            return
        missing = self._found.coverage.missing
        wanted = needed(missing)
        QGuiApplication.clipboard().setText(missing_text(wanted))
        title = f"{counted(len(wanted), 'sequence')} copied, one a line."
        text = f"They cover all {len(missing):,} that are missing, their beginnings included."
        self._notice.show_message(title, text, tone=Tone.OK)


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    return column


def _stage_choices() -> list[tuple[str, str]]:
    return [
        (_ALL, "All stages"),
        (_FINAL, "Final or later"),
        *((stage.value, STAGE[stage]) for stage in Stage if stage not in FINAL_STAGES),
    ]


def _project_coverage(
    context: "JobContext", workspace: "Workspace", *, stages: tuple[Stage, ...], batch: str
) -> ProjectCoverage:
    return project_coverage(workspace, stages=stages, batch=batch, context=context)
