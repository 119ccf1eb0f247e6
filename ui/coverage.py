"""The coverage page: the pyramid, the sequence that is marked in it, and what the cases lack."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.cases.coverage import ProjectCoverage, ToolUse, described_project, project_coverage
from annotator.cases.tool_categories import ToolsetRow, categorise
from annotator.project.changes import Changes
from annotator.release.reports.dataset_tables import dataset_tables
from annotator.release.reports.score_tables import ScoreTable
from annotator.review.queue.case_rows import BatchRow, batches
from scoring.measures.coverage import Route
from scoring.measures.dataset import UNLABELLED, DatasetStatistics
from scoring.measures.rates import Rate
from scoring.model.taxonomy import FINAL_STAGES, Information, Policy, Role, Stage
from scoring.texts import tr, tr_count
from ui.charts.pyramid import Pyramid, route_words
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.services.topics import set_topic
from ui.theme import ButtonKind, ElidedLabel, EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell, count_cell
from ui.theme.dialogs import FormDialog
from ui.theme.layouts import STRETCH, DueReading, Member, build, column, split, stacked, vbox
from ui.theme.panels import PageHead, TabBar
from ui.theme.tables import Column, FigureTable, Row, rows_of
from ui.theme.words import INFORMATION, POLICY, STAGE

_ALL, _FINAL = "", tr("final or later")
_NOTHING = tr("No matching cases"), tr("Import a file of dialogues, or choose another stage or batch.")
_EXAMPLE_COLUMNS: tuple[Column[str], ...] = (Column(tr("Case"), cell=lambda one: Cell(one, is_mono=True)),)


class CoveragePage(ProjectPage):
    """What the cases of this project cover.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        generate: Has what is missing generated; None where nothing can.
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
        **properties: Any,
    ) -> None:
        super().__init__("coverage", operations, commands, **properties)
        set_topic("policy", self)
        self._generate = generate
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
            Command("coverage.view", tr("Sequences or statistics"), tr("Coverage"), self._turn, keys="T"),
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
            title = tr("Generate missing sequences")
            self._commands.add(Command("coverage.generate", title, tr("Coverage"), self._generate, "R"), self)

    def _turn(self) -> None:
        self._kinds.setCurrentIndex(1 - self._kinds.currentIndex())

    def _build(self) -> None:
        self._stage = ChoiceChip("coverage-stage", tr("Stage"), _STAGE_CHOICES, chosen=self._count)
        self._batch = ChoiceChip(
            "coverage-batch", tr("Batch"), [(_ALL, tr("All batches"))], chosen=self._count
        )
        self._summary = TextLabel("", "muted", objectName="coverage-summary")
        self._kinds = TabBar(
            "coverage-kinds",
            (tr("Sequences"), tr("Statistics")),
            look="plain",
            currentChanged=self._count,
        )
        members: list[Member] = [self._kinds, self._stage, self._batch, STRETCH, self._summary]
        if self._generate is not None:
            words = tr("Generate missing…")
            members.append(self._commands.button("coverage.generate", words, name="coverage-generate"))
        head = PageHead(tr("Coverage"), *members)
        self._notice = ErrorBanner(objectName="coverage-notice")
        self._nothing = EmptyState("triangle", *_NOTHING)
        self._waiting = EmptyState("triangle", tr("Counting …"), tr("Every case is read once."))
        self._statistics = [
            FigureTable(name, title, STATISTICS_COLUMNS, is_sortable=False)
            for name, title in (("sizes", tr("Sizes")), ("distributions", tr("Distributions")))
        ]
        self._toolsets = FigureTable("toolsets", tr("Toolsets"), TOOLSET_COLUMNS, opened=self._ask_category)
        assign = self._commands.button(
            "coverage.category", tr("Assign a category…"), name="coverage-category"
        )
        right = column(PanelHeader(tr("Toolsets"), STRETCH, assign), (self._toolsets, 1))
        tables = [(table, 460) for table in self._statistics]
        statistics = split(Qt.Orientation.Horizontal, *tables, (right, 400))
        sequences = split(Qt.Orientation.Vertical, (self._upper(), 400), (self._lower(), 380))
        self._views = sequences, statistics
        self._stack = stacked(*self._views, self._waiting, self._nothing)
        self._stack.setCurrentWidget(self._waiting)
        vbox(head, self._notice, (self._stack, 1), within=self, focus=self._pyramid)

    def _upper(self) -> QWidget:
        self._covered = ElidedLabel("", "small-muted", objectName="covered")
        button, ghost = self._commands.button, ButtonKind.GHOST
        copy = button("coverage.copy", tr("Copy missing"), name="coverage-copy", kind=ghost)
        gap = button("coverage.gap", tr("Next missing"), name="next-gap", kind=ghost)
        self._pyramid = Pyramid(marked=self._show_route, opened=self._open_route)
        return column(
            PanelHeader(tr("Policy switches"), self._covered, STRETCH, copy, gap), (self._pyramid, 1)
        )

    def _lower(self) -> QWidget:
        self._cases = _RouteCases(opened=self.case_wanted.emit)
        self._information = FigureTable("information", tr("Information types by policy"), (), is_still=True)
        self._related = ElidedLabel("", "small-muted", objectName="related")
        header = PanelHeader(tr("Information by policy"), self._related)
        information = column(header, (self._information, 1))
        self._tables = _CoverageTables(marked=self._mark_missing)
        return split(Qt.Orientation.Horizontal, (self._cases, 320), (information, 600), (self._tables, 456))

    # counting ------------------------------------------------------------------------------------

    def _offer_batches(self, rows: tuple[BatchRow, ...]) -> None:
        self._batch.set_choices([(_ALL, tr("All batches")), *((row.name, row.name) for row in rows)])

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_new_cases:
            self._operations.run(batches, then=self._offer_batches)
        if changes.has_new_cases or changes.case_ids:
            self._due.ask()

    def _count_anew(self) -> None:
        self._counts.clear()
        self._count()

    def _count(self, _: int = 0) -> None:
        """Count what was not counted yet; a count that is under way and overtaken is stopped."""
        value = self._stage.value
        stages = FINAL_STAGES if value == _FINAL else (Stage(value),) if value else ()
        is_coverage = not self._kinds.currentIndex()
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
        open_ = (
            tr(" · {task} without a policy", task=tr_count(found.unlabelled, "task"))
            if found.unlabelled
            else ""
        )
        self._summary.setText(
            tr(
                "{task} in {case}{open}",
                task=tr_count(found.task_count, "task"),
                case=tr_count(found.case_count, "case"),
                open=open_,
            )
        )
        self._covered.setText(covered_words(found))
        self._pyramid.show_cases(found.coverage.cases)
        counts = Counter({(one.policy, one.information): one.count for one in found.labels})
        policies = [*Policy, *([None] if any(policy is None for policy, _ in counts) else [])]
        self._information.show_items(policies, key=str, columns=information_columns(counts))
        self._related.setText(
            tr("{rate_words} later tasks need the earlier dialogue", rate_words=rate_words(found.related))
        )
        self._tables.show_coverage(found)
        missing = found.coverage.missing
        blocked = (
            "coverage.copy",
            "coverage.gap",
            *(["coverage.generate"] if self._generate is not None else ()),
        )
        self._commands.block_all("" if missing else tr("No sequence is missing."), *blocked)
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
            category_dialog(self, row).ask(partial(self._categorise, row.case_id))

    def _categorise(self, case_id: str, category: str) -> None:
        work = partial(categorise, case_id=case_id, category=category)
        self._operations.run(work, failed=self._notice.show_error)

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
        QGuiApplication.clipboard().setText(missing_text(wanted))
        title = tr("{sequence} copied, one a line.", sequence=tr_count(len(wanted), "sequence"))
        text = tr(
            "They cover all {missing_count:,} that are missing, their beginnings included.",
            missing_count=len(missing),
        )
        self._notice.show_message(title, text, tone=Tone.OK)


class _RouteCases(QWidget):
    """The cases that begin with the marked sequence; `opened` gets the id of one."""

    def __init__(self, *, opened: Callable[[str], object]) -> None:
        super().__init__()
        self._count = TextLabel("", "small-muted", objectName="route-count")
        self._header = PanelHeader("", self._count)
        self._examples = FigureTable(
            "examples", tr("Example cases"), _EXAMPLE_COLUMNS, is_sortable=False, opened=opened
        )
        self._gap = EmptyState(
            "dots-three-circle", tr("Missing sequence"), tr("No case begins with this sequence.")
        )
        vbox(self._header, (self._examples, 1), (self._gap, 1), within=self, focus=self._examples)

    def show_route(self, route: Route, found: ProjectCoverage) -> None:
        """Show how many cases begin with a sequence, and some of them."""
        count, examples = found.coverage.cases.get(route, 0), found.examples.get(route, ())
        self._header.set_title(route_words(route))
        words = (
            tr_count(count, "case")
            if count <= len(examples)
            else tr("{count:,} cases, {examples_count} shown", count=count, examples_count=len(examples))
        )
        self._count.setText(words if count else tr("missing"))
        self._examples.show_items(examples, key=str)
        self._examples.setVisible(bool(examples))
        self._gap.setVisible(not examples)


class _CoverageTables(QWidget):
    """Tools, their kinds, and what is missing; `marked` gets the sequence that is marked there."""

    def __init__(self, *, marked: Callable[[Hashable], object]) -> None:
        super().__init__()
        self._tools = FigureTable("tools", tr("Tools"), TOOL_COLUMNS)
        self._verbs = FigureTable("verbs", tr("Kinds of tools"), VERB_COLUMNS)
        self._missing = FigureTable("missing", tr("Missing sequences"), MISSING_COLUMNS, marked=marked)
        tabs = {tr("Tools"): self._tools, tr("Kinds"): self._verbs, tr("Missing"): self._missing}
        stack = stacked(*tabs.values())
        self._tabs = TabBar("coverage-tabs", list(tabs), currentChanged=stack.setCurrentIndex)
        vbox(PanelHeader("", self._tabs), (stack, 1), within=self)

    def show_coverage(self, found: ProjectCoverage) -> None:
        """Show the tables of a count."""
        self._tools.show_items(found.tools, key=attrgetter("name"))
        total = sum(found.verbs.values())
        verbs = [(verb, count, count / total) for verb, count in found.verbs.items()]
        self._verbs.show_items(verbs, key=itemgetter(0))
        with QSignalBlocker(self._missing):
            missing = [(route, found.tried.get(route, 0)) for route in found.coverage.missing]
            self._missing.show_items(missing, key=itemgetter(0))
        self._tabs.setTabText(0, tr("Tools · {tools_count:,}", tools_count=len(found.tools)))
        self._tabs.setTabText(2, tr("Missing · {missing_count:,}", missing_count=len(found.coverage.missing)))


def category_dialog(parent: QWidget, row: ToolsetRow) -> FormDialog:
    """Ask of what category the tools of a case are; answers the words, empty for none."""
    dialog = FormDialog(
        "category",
        tr("Category of tools"),
        tr("Tools of {case_id}", case_id=row.case_id),
        width=460,
        parent=parent,
    )
    words = build(
        QLineEdit, row.category, objectName="category-words", accessibleName=tr("Category"), maxLength=60
    )
    dialog.frame.explain(", ".join(row.tools), "small-muted")
    dialog.frame.explain(
        tr("It holds for {case}; a category in the file goes first.", case=tr_count(row.cases, "case"))
    )
    dialog.frame.add_form((tr("Category"), words))
    dialog.end_with(tr("Assign"), words.text)
    words.selectAll()
    return dialog


_STAGE_CHOICES = (
    (_ALL, tr("All stages")),
    (_FINAL, tr("Final or later")),
    *((stage.value, STAGE[stage]) for stage in Stage if stage not in FINAL_STAGES),
)


TOOL_COLUMNS: tuple[Column[ToolUse], ...] = (
    Column(tr("Tool"), cell=lambda use: Cell(use.name, is_mono=True)),
    Column(
        tr("Calls"),
        64,
        lambda use: count_cell(use.calls) if use.calls else Cell(tr("never"), 0, colour="warn"),
        is_figure=True,
    ),
    Column(
        tr("Called in"),
        84,
        lambda use: count_cell(use.called_in),
        is_figure=True,
        tip=tr("Cases that call it"),
    ),
    Column(
        tr("Offered in"),
        88,
        lambda use: count_cell(use.offered, colour="muted"),
        is_figure=True,
        tip=tr("Cases whose toolset has it"),
    ),
)
TOOLSET_COLUMNS: tuple[Column[ToolsetRow], ...] = (
    Column(tr("Case"), cell=lambda row: Cell(row.case_id, is_mono=True, tip="\n".join(row.tools))),
    Column(tr("Cases"), 56, lambda row: count_cell(row.cases), is_figure=True),
    Column(tr("Tools"), 56, lambda row: count_cell(len(row.tools), "\n".join(row.tools)), is_figure=True),
    Column(
        tr("Category"),
        140,
        lambda row: Cell(row.category or tr("not assigned"), colour="text" if row.category else "warn"),
    ),
)
VERB_COLUMNS: tuple[Column[tuple[str, int, float]], ...] = (
    Column(tr("First word of the name"), cell=lambda one: Cell(one[0], is_mono=True)),
    Column(tr("Calls"), 72, lambda one: count_cell(one[1]), is_figure=True),
    Column(tr("Share"), 72, lambda one: Cell(f"{100 * one[2]:.1f} %", one[2], heat=one[2]), is_figure=True),
)
"""Of a kind of tools by the first word of their names, its calls, and their share of all."""
StatisticsLine = tuple[int, str, str, float | None]
"""The number of its table, what is counted, its figure in words, and the share it is; None for no share."""
STATISTICS_COLUMNS: tuple[Column[StatisticsLine], ...] = (
    Column("", cell=lambda line: line[1].replace("_", " ")),
    Column(tr("Value"), 200, lambda line: Cell(line[2], heat=line[3]), is_figure=True),
)
MISSING_COLUMNS: tuple[Column[tuple[Route, int]], ...] = (
    Column(tr("Sequence no case begins with"), cell=lambda one: route_words(one[0])),
    Column(tr("Tasks"), 64, lambda one: count_cell(len(one[0]), colour="muted"), is_figure=True),
    Column(
        tr("Tried"),
        64,
        lambda one: Cell(f"{one[1]:,}" if one[1] else "", one[1], colour="warn"),
        is_figure=True,
        tip=tr("Generated cases that were to begin with it and do not"),
    ),
)
"""Of a sequence no case begins with, the shortest first, and how often it was tried."""


def covered_words(found: ProjectCoverage) -> str:
    """How much of the switching space is covered, in one line."""
    coverage = found.coverage
    by_length = ", ".join(
        tr("{count:,} of {total:,}", count=rate.count, total=rate.total)
        for _, rate in sorted(coverage.by_length.items())
    )
    others = tr_count(found.other_sequence, "generated case") if found.other_sequence else ""
    more = tr(" · {others} with another sequence than asked for", others=others) if others else ""
    return tr(
        "{rate_words} sequences · by length {by_length}{more}",
        rate_words=rate_words(coverage.total),
        by_length=by_length,
        more=more,
    )


def rate_words(rate: Rate) -> str:
    """A share as `63 of 340 (18.53 %)`."""
    share = f" ({rate.percent} %)" if rate.percent is not None else ""
    return tr("{count:,} of {total:,}{share}", count=rate.count, total=rate.total, share=share)


LabelCounts = Counter[tuple[Policy | None, Information | None]]
"""How many tasks have a policy and an information type; None for a label that is open."""


def information_columns(counts: LabelCounts) -> tuple[Column[Policy | None], ...]:
    """How many tasks of a policy hide their information in which way; zeros are gaps and stand out."""
    most = max(counts.values(), default=0)

    def total(policy: Policy | None) -> Cell:
        count = sum(count for (one, _), count in counts.items() if one is policy)
        return Cell(f"{count:,}", count, is_strong=True)

    def unlabelled(policy: Policy | None) -> Cell:
        count = counts[policy, None]
        return Cell(f"{count:,}" if count else "", count, colour="muted")

    return (
        Column(
            tr("Policy"), cell=lambda policy: POLICY[policy] if policy else Cell(UNLABELLED, colour="muted")
        ),
        *(
            Column(INFORMATION[one], 84, partial(_labelled, counts, most, one), is_figure=True)
            for one in Information
        ),
        Column(
            tr("Open"),
            64,
            unlabelled,
            is_figure=True,
            tip=tr("Tasks whose information type is not labelled yet"),
        ),
        Column(tr("Tasks"), 64, total, is_figure=True),
    )


def _labelled(counts: LabelCounts, most: int, information: Information, policy: Policy | None) -> Cell:
    count = counts[policy, information]
    if not count:
        return Cell(tr("none"), 0, tr("No task has both labels."), colour="warn")
    return Cell(f"{count:,}", count, heat=count / most)


def statistics_rows(tables: Sequence[ScoreTable]) -> tuple[Row, ...]:
    """Tables of one set under their titles; shares have their heat."""
    rows: list[Row] = []
    for section, table in enumerate(tables):
        words = table.rows if table.is_down else tuple(zip(table.columns, table.rows[0], strict=True))[1:]
        figures = [row[0] for row in table.figures] if table.is_down else []
        shares = [figure.value if isinstance(figure, Rate) else None for figure in figures]
        lines: list[StatisticsLine] = [
            (section, label, said, share)
            for (label, said), share in zip(words, shares or [None] * len(words), strict=True)
        ]
        rows.append(
            Row(table.title, (Cell(table.heading, is_strong=True),), section=section, is_heading=True)
        )
        rows += rows_of(STATISTICS_COLUMNS, lines, key=itemgetter(0, 1), section=section)
    return tuple(rows)


def missing_text(routes: Sequence[Route]) -> str:
    """Missing sequences for generation: one a line, its types separated by commas."""
    return "".join(",".join(route) + "\n" for route in routes)


def needed(routes: Sequence[Route]) -> tuple[Route, ...]:
    """The sequences to generate: those that are no beginning of another missing one, as it covers them."""
    beginnings = {route[:length] for route in routes for length in range(1, len(route))}
    return tuple(route for route in routes if route not in beginnings)
