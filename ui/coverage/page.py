"""The coverage page: the pyramid, the sequence that is marked in it, and what the cases lack."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from annotator.cases.coverage import ProjectCoverage, described_project, project_coverage
from annotator.cases.tool_categories import ToolsetRow, categorise
from annotator.project.changes import Changes
from annotator.release.reports.dataset_tables import dataset_tables
from annotator.review.queue.case_rows import BatchRow, batches
from scoring.measures.coverage import Route
from scoring.measures.dataset import DatasetStatistics
from scoring.model.taxonomy import FINAL_STAGES, Role, Stage
from scoring.texts import tr, tr_count
from ui.charts.pyramid import Pyramid
from ui.coverage.tables import (
    STATISTICS_COLUMNS,
    TOOLSET_COLUMNS,
    CoverageTables,
    RouteCases,
    category_dialog,
    covered_words,
    needed,
    statistics_rows,
)
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.services.pages import FiguresPage
from ui.theme import ButtonKind, ElidedLabel, EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.events import DueReading
from ui.theme.layouts import STRETCH, column, show_all, split, stacked, vbox
from ui.theme.panels import PageHead, TabBar
from ui.theme.tables import FigureTable
from ui.theme.words import LOADING, STAGE

_ALL, _FINAL = "", tr("final or later")
_STAGE_CHOICES = (
    (_ALL, tr("All stages")),
    (_FINAL, tr("Final or later")),
    *((stage.value, STAGE[stage]) for stage in Stage if stage not in FINAL_STAGES),
)


class CoveragePage(FiguresPage):
    """What the cases of this project cover.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        generate: Has what is missing generated; None where nothing can.
        views: Further views, each with the title of its tab.
        properties: Of the widget, and what its signals call.
    """

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        *,
        generate: Callable[[], object] | None = None,
        views: Sequence[tuple[str, QWidget]] = (),
        **properties: Any,
    ) -> None:
        super().__init__("coverage", operations, commands, **properties, topic="policy")
        self._generate = generate
        self._further = views
        self._found: ProjectCoverage | None = None
        self._job: WindowJob | None = None
        self._due = DueReading(self, self._count_anew)
        self._counts: dict[Hashable, object] = {}
        self._add_commands()
        self._build()
        operations.run(batches, then=self._offer_batches)
        self._count()

    def _add_commands(self) -> None:
        self._commands.add_all(
            self,
            Command("coverage.gap", tr("Next missing sequence"), tr("Coverage"), self._go_to_gap, keys="G"),
            Command(
                "coverage.view",
                tr("Next tab"),
                tr("Coverage"),
                lambda: self._kinds.setCurrentIndex((self._kinds.currentIndex() + 1) % self._kinds.count()),
                keys="T",
            ),
            Command(
                "coverage.category",
                tr("Assign a category of tools"),
                tr("Coverage"),
                self._ask_category,
                keys="A",
            ),
            Command(
                "coverage.copy", tr("Copy missing sequences"), tr("Coverage"), self.copy_missing, keys="C"
            ),
        )
        if self._generate is not None:
            self._commands.add(
                Command(
                    "coverage.generate", tr("Generate missing sequences"), tr("Coverage"), self._generate, "R"
                ),
                self,
            )

    def _build(self) -> None:
        self._stage = ChoiceChip("coverage-stage", tr("Stage"), _STAGE_CHOICES, chosen=self._count)
        self._batch = ChoiceChip(
            "coverage-batch", tr("Batch"), [(_ALL, tr("All batches"))], chosen=self._count
        )
        self._summary = TextLabel("", "muted", objectName="coverage-summary")
        self._kinds = TabBar(
            "coverage-kinds",
            (tr("Sequences"), tr("Statistics"), *(title for title, _ in self._further)),
            look="plain",
            currentChanged=self._count,
        )
        ways: list[QWidget] = [self._summary]
        if self._generate is not None:
            ways.append(
                self._commands.button("coverage.generate", tr("Generate missing…"), name="coverage-generate")
            )
        head = PageHead(tr("Coverage"), (self._kinds, self._stage, self._batch), ways)
        self._notice = ErrorBanner(objectName="coverage-notice")
        self._nothing = EmptyState(
            "triangle",
            tr("No matching cases"),
            tr("Import a file of dialogues, or choose another stage or batch."),
        )
        self._waiting = EmptyState("triangle", LOADING, tr("Every case is read once."))
        self._statistics = [
            FigureTable(name, title, STATISTICS_COLUMNS, is_sortable=False)
            for name, title in (("sizes", tr("Sizes")), ("distributions", tr("Distributions")))
        ]
        self._toolsets = FigureTable("toolsets", tr("Toolsets"), TOOLSET_COLUMNS, opened=self._ask_category)
        right = column(
            PanelHeader(
                tr("Toolsets"),
                STRETCH,
                self._commands.button(
                    "coverage.category", tr("Assign a category…"), name="coverage-category"
                ),
            ),
            (self._toolsets, 1),
        )
        self._views = (
            split(Qt.Orientation.Vertical, (self._upper(), 400), (self._lower(), 380)),
            split(Qt.Orientation.Horizontal, *[(table, 460) for table in self._statistics], (right, 400)),
            *(view for _, view in self._further),
        )
        self._stack = stacked(*self._views, self._waiting, self._nothing)
        self._stack.setCurrentWidget(self._waiting)
        vbox(head, self._notice, (self._stack, 1), within=self, focus=self._pyramid)

    def _upper(self) -> QWidget:
        self._covered = ElidedLabel("", "small-muted", objectName="covered")
        button, ghost = self._commands.button, ButtonKind.GHOST
        self._pyramid = Pyramid(marked=self._show_route, opened=self._open_route)
        return column(
            PanelHeader(
                tr("Policy switches"),
                self._covered,
                STRETCH,
                button("coverage.copy", tr("Copy missing"), name="coverage-copy", kind=ghost),
                button("coverage.gap", tr("Next missing"), name="next-gap", kind=ghost),
            ),
            (self._pyramid, 1),
        )

    def _lower(self) -> QWidget:
        self._cases = RouteCases(opened=self.case_wanted.emit)
        self._tables = CoverageTables(marked=self._mark_missing)
        return split(Qt.Orientation.Horizontal, (self._cases, 320), (self._tables, 1056))

    # counting ------------------------------------------------------------------------------------

    def _offer_batches(self, rows: tuple[BatchRow, ...]) -> None:
        self._batch.set_choices([(_ALL, tr("All batches")), *((row.name, row.name) for row in rows)])

    def _is_counting(self) -> bool:
        return self._job is not None and self._job.is_running

    def _count_changes(self, changes: Changes) -> None:
        if changes.has_new_cases:
            self._operations.run(batches, then=self._offer_batches)
        if changes.has_new_cases or changes.case_ids:
            self._due.ask()

    def _count_anew(self) -> None:
        self._counts.clear()
        self._count()

    def _count(self, _: int = 0) -> None:
        """Count what was not counted yet; a count that is under way and overtaken is stopped."""
        view = self._kinds.currentIndex()
        is_further = view >= len(self._views) - len(self._further)
        show_all(self._stage, self._batch, self._summary, on=not is_further)
        if is_further:
            if self._job is not None:
                self._job.cancel()
            self._stack.setCurrentWidget(self._views[view])
            return
        value = self._stage.value
        stages = FINAL_STAGES if value == _FINAL else (Stage(value),) if value else ()
        is_coverage = not view
        count: Callable[..., object] = project_coverage if is_coverage else described_project
        show: Callable[[Any], None] = self._show if is_coverage else self._show_statistics
        key = (is_coverage, value, self._batch.value)
        if key in self._counts:
            if self._job is not None:
                self._job.cancel()
            show(self._counts[key])
            return
        if self._stack.currentWidget() not in (self._views[not is_coverage], self._nothing):
            self._stack.setCurrentWidget(self._waiting)
        self._job = self._operations.start_job(
            partial(count, stages=stages, batch=self._batch.value),
            tr("Count the coverage") if is_coverage else tr("Count the statistics"),
            then=partial(self._keep, key, show),
            failed=unread(self._notice.show_error, self._waiting),
            instead_of=self._job,
        )

    def _keep(self, key: Hashable, show: Callable[[Any], None], found: object) -> None:
        self._counts[key] = found
        show(found)

    # showing -------------------------------------------------------------------------------------

    def _show(self, found: ProjectCoverage) -> None:
        self._found = found
        self._stack.setCurrentIndex(0 if found.case_count else self._stack.indexOf(self._nothing))
        self._summary.setText(
            tr(
                "{task} in {case}{open}",
                task=tr_count(found.task_count, "task"),
                case=tr_count(found.case_count, "case"),
                open=tr(" · {task} without a policy", task=tr_count(found.unlabelled, "task"))
                if found.unlabelled
                else "",
            )
        )
        self._covered.setText(covered_words(found))
        self._pyramid.show_cases(found.coverage.cases)
        self._tables.show_coverage(found)
        self._commands.block_all(
            "" if found.coverage.missing else tr("No sequence is missing."),
            "coverage.copy",
            "coverage.gap",
            *(["coverage.generate"] if self._generate is not None else ()),
        )
        self._show_route(self._pyramid.marked_route)

    def _show_statistics(self, described: tuple[DatasetStatistics, tuple[ToolsetRow, ...]]) -> None:
        found, toolsets = described
        self._toolsets.show_items(toolsets, key=attrgetter("id"))
        may = self._operations.has_role(Role.MANAGER, Role.EXPERT)
        reason = "" if may else tr("Only managers and experts assign categories.")
        self._commands.block("coverage.category", reason if toolsets else tr("There is no toolset."))
        self._summary.setText(
            tr(
                "{task} in {case}",
                task=tr_count(found.tasks.total, "task"),
                case=tr_count(found.cases, "case"),
            )
        )
        tables = dataset_tables([("", found)])
        for shown, wanted in zip(self._statistics, (tables[:2], tables[2:]), strict=True):
            shown.show_rows(statistics_rows(wanted))
        self._stack.setCurrentWidget(self._views[1] if found.cases else self._nothing)

    def _ask_category(self, _: object = None) -> None:
        row = self._toolsets.marked_item
        if row is not None and not self._commands.reason("coverage.category"):
            self._kinds.setCurrentIndex(1)
            category_dialog(self, row).ask(
                lambda category: self._operations.run(
                    partial(categorise, case_id=row.case_id, category=category),
                    failed=self._notice.show_error,
                )
            )

    def _show_route(self, route: Route) -> None:
        if self._found is not None:
            self._cases.show_route(route, self._found)

    def _open_route(self, route: Route) -> None:
        if self._found is not None and self._found.examples.get(route):
            self._cases.setFocus()

    def _mark_missing(self, key: Hashable) -> None:
        if isinstance(key, tuple):
            self._pyramid.mark(key)

    def _go_to_gap(self) -> None:
        self._kinds.setCurrentIndex(0)
        self._pyramid.go_to_gap()
        self._pyramid.setFocus()

    def copy_missing(self) -> None:
        """Put the sequences to generate on the clipboard: one a line."""
        if self._found is None:
            return
        missing = self._found.coverage.missing
        wanted = needed(missing)
        QGuiApplication.clipboard().setText("".join(",".join(route) + "\n" for route in wanted))
        self._notice.show_message(
            tr("{sequence} copied, one a line.", sequence=tr_count(len(wanted), "sequence")),
            tr(
                "They cover all {missing_count:,} that are missing, their beginnings included.",
                missing_count=len(missing),
            ),
            tone=Tone.OK,
        )
