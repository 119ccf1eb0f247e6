"""What the coverage page lists: cases of a sequence, tools, toolsets, labels, and what is missing."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.cases.coverage import ProjectCoverage, ToolUse
from annotator.cases.tool_categories import ToolsetRow
from annotator.release.reports.score_tables import ScoreTable
from scoring.groups import collected
from scoring.measures.coverage import Route
from scoring.measures.dataset import UNLABELLED
from scoring.measures.rates import Rate
from scoring.model.taxonomy import Information, Policy
from scoring.texts import tr, tr_count, with_commas
from ui.charts.pyramid import route_words
from ui.theme import ElidedLabel, EmptyState, PanelHeader, TextLabel
from ui.theme.cells import Cell, count_cell, known_cell
from ui.theme.dialogs import FormDialog
from ui.theme.layouts import STRETCH, build, show_either, stacked, vbox
from ui.theme.panels import TabBar
from ui.theme.tables import Column, FigureTable, Row, rows_of
from ui.theme.words import INFORMATION, POLICY

_EXAMPLE_COLUMNS: tuple[Column[str], ...] = (Column(tr("Case"), cell=lambda one: Cell(one, is_mono=True)),)


class RouteCases(QWidget):
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
        show_either(self._examples, self._gap, on=examples)


class CoverageTables(QWidget):
    """Labels, tools, their kinds, and what is missing; `marked` gets the sequence that is marked there."""

    def __init__(self, *, marked: Callable[[Hashable], object]) -> None:
        super().__init__()
        self._information = FigureTable("information", tr("Information types by policy"), (), is_still=True)
        self._related = ElidedLabel("", "small-muted", objectName="related")
        self._tools = FigureTable("tools", tr("Tools"), TOOL_COLUMNS)
        self._verbs = FigureTable("verbs", tr("Kinds of tools"), VERB_COLUMNS)
        self._missing = FigureTable("missing", tr("Missing sequences"), MISSING_COLUMNS, marked=marked)
        tabs = {
            tr("Information by policy"): self._information,
            tr("Tools"): self._tools,
            tr("Kinds"): self._verbs,
            tr("Missing"): self._missing,
        }
        stack = stacked(*tabs.values())
        self._tabs = TabBar("coverage-tabs", list(tabs), currentChanged=stack.setCurrentIndex)
        vbox(PanelHeader("", self._tabs, STRETCH, self._related), (stack, 1), within=self)

    def show_coverage(self, found: ProjectCoverage) -> None:
        """Show the tables of a count."""
        counts = Counter({(one.policy, one.information): one.count for one in found.labels})
        self._information.show_items(
            [*Policy, *([None] if any(policy is None for policy, _ in counts) else [])],
            key=str,
            columns=information_columns(counts),
        )
        self._related.setText(
            tr("{rate_words} later tasks need the earlier dialogue", rate_words=rate_words(found.related))
        )
        self._tools.show_items(found.tools, key=attrgetter("name"))
        total = sum(found.verbs.values())
        self._verbs.show_items(
            [(verb, count, count / total) for verb, count in found.verbs.items()], key=itemgetter(0)
        )
        with QSignalBlocker(self._missing):
            self._missing.show_items(
                [(route, found.tried.get(route, 0)) for route in found.coverage.missing], key=itemgetter(0)
            )
        self._tabs.setTabText(1, tr("Tools · {tools_count:,}", tools_count=len(found.tools)))
        self._tabs.setTabText(3, tr("Missing · {missing_count:,}", missing_count=len(found.coverage.missing)))


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
    dialog.frame.explain(with_commas(row.tools), "small-muted")
    dialog.frame.explain(
        tr("It holds for {case}; a category in the file goes first.", case=tr_count(row.cases, "case"))
    )
    dialog.frame.add_form((tr("Category"), words))
    words.selectAll()
    return dialog.end_with(tr("Assign"), words.text)


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
        leave_out=1,
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
    others = tr_count(found.other_sequence, "generated case") if found.other_sequence else ""
    return tr(
        "{rate_words} sequences · by length {by_length}{more}",
        rate_words=rate_words(coverage.total),
        by_length=with_commas(
            tr("{count:,} of {total:,}", count=rate.count, total=rate.total)
            for _, rate in sorted(coverage.by_length.items())
        ),
        more=tr(" · {others} with another sequence than asked for", others=others) if others else "",
    )


def rate_words(rate: Rate) -> str:
    """A share as `63 of 340 (18.53 %)`."""
    return tr(
        "{count:,} of {total:,}{share}",
        count=rate.count,
        total=rate.total,
        share=f" ({rate.percent} %)" if rate.percent is not None else "",
    )


LabelCounts = Counter[tuple[Policy | None, Information | None]]
"""How many tasks have a policy and an information type; None for a label that is open."""


def information_columns(counts: LabelCounts) -> tuple[Column[Policy | None], ...]:
    """How many tasks of a policy hide their information in which way; zeros are gaps and stand out."""
    most = max(counts.values(), default=0)

    unlabelled = Column[Policy | None](
        tr("Open", context="label"),
        64,
        lambda policy: count_cell(counts[policy, None], colour="muted"),
        is_figure=True,
        tip=tr("Tasks whose information type is not labelled yet"),
        leave_out=2,
    )
    return (
        Column(
            tr("Policy"), cell=lambda policy: POLICY[policy] if policy else Cell(UNLABELLED, colour="muted")
        ),
        *(
            Column(INFORMATION[one], 84, partial(_labelled, counts, most, one), is_figure=True)
            for one in Information
        ),
        *([unlabelled] if any(information is None for _, information in counts) else []),
        Column(
            tr("Tasks"),
            64,
            lambda policy: known_cell(
                sum(count for (one, _), count in counts.items() if one is policy), "{:,}", is_strong=True
            ),
            is_figure=True,
            leave_out=1,
        ),
    )


def _labelled(counts: LabelCounts, most: int, information: Information, policy: Policy | None) -> Cell:
    count = counts[policy, information]
    if not count:
        return Cell(tr("none"), 0, tr("No task has both labels."), colour="warn")
    return Cell(f"{count:,}", count, heat=count / most)


@collected
def statistics_rows(tables: Sequence[ScoreTable]) -> Iterator[Row]:
    """Tables of one set under their titles; shares have their heat."""
    for section, table in enumerate(tables):
        words = table.rows if table.is_down else tuple(zip(table.columns, table.rows[0], strict=True))[1:]
        figures = [row[0] for row in table.figures] if table.is_down else []
        shares = [figure.value if isinstance(figure, Rate) else None for figure in figures]
        yield Row(table.title, (Cell(table.heading, is_strong=True),), section=section, is_heading=True)
        yield from rows_of(
            STATISTICS_COLUMNS,
            [
                (section, label, said, share)
                for (label, said), share in zip(words, shares or [None] * len(words), strict=True)
            ],
            key=itemgetter(0, 1),
            section=section,
        )


def needed(routes: Sequence[Route]) -> tuple[Route, ...]:
    """The sequences to generate: those that are no beginning of another missing one, as it covers them."""
    beginnings = {route[:length] for route in routes for length in range(1, len(route))}
    return tuple(route for route in routes if route not in beginnings)
