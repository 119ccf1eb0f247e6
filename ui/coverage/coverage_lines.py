"""What the cases cover as lines of tables, and what is missing as a list to copy."""

from collections import Counter
from collections.abc import Sequence

from annotator.cases.coverage import ProjectCoverage
from scoring.measures.coverage import Route
from scoring.measures.rates import Rate
from scoring.model.taxonomy import Information, Policy
from ui.charts.pyramid import route_words
from ui.theme.tables import Cell, Column, Row
from ui.theme.words import INFORMATION, POLICY

UNLABELLED = "not labelled"

TOOL_COLUMNS = (
    Column("Tool"),
    Column("Calls", 64, is_figure=True),
    Column("Called in", 84, is_figure=True, tip="Cases that call it"),
    Column("Offered in", 88, is_figure=True, tip="Cases whose toolset has it"),
)
VERB_COLUMNS = (
    Column("First word of the name"),
    Column("Calls", 72, is_figure=True),
    Column("Share", 72, is_figure=True),
)
MISSING_COLUMNS = (Column("Sequence no case begins with"), Column("Tasks", 64, is_figure=True))


def covered_words(found: ProjectCoverage) -> str:
    """How much of the switching space is covered, in one line."""
    coverage = found.coverage
    by_length = ", ".join(
        f"{rate.count:,} of {rate.total:,}" for _, rate in sorted(coverage.by_length.items())
    )
    return f"{rate_words(coverage.total)} sequences · by length {by_length}"


def rate_words(rate: Rate) -> str:
    """A share as `63 of 340 (18.53 %)`."""
    share = f" ({rate.percent} %)" if rate.percent is not None else ""
    return f"{rate.count:,} of {rate.total:,}{share}"


def information_columns() -> tuple[Column, ...]:
    """The headings of the table of information by policy."""
    return (
        Column("Policy"),
        *(Column(INFORMATION[one], 84, is_figure=True) for one in Information),
        Column("Open", 64, is_figure=True, tip="Tasks whose information type is not labelled yet"),
        Column("Tasks", 64, is_figure=True),
    )


def information_rows(found: ProjectCoverage) -> tuple[Row, ...]:
    """How many tasks of each policy hide their information in which way; zeros are gaps and stand out."""
    counts = Counter({(one.policy, one.information): one.count for one in found.labels})
    most = max(counts.values(), default=0)
    policies: list[Policy | None] = [*Policy, None]
    shown = [p for p in policies if p is not None or any(policy is None for policy, _ in counts)]
    return tuple(_information_row(policy, counts, most) for policy in shown)


def _information_row(
    policy: Policy | None, counts: Counter[tuple[Policy | None, Information | None]], most: int
) -> Row:
    cells = [_count(counts[policy, one], most) for one in Information]
    unlabelled = counts[policy, None]
    total = sum(count for (one, _), count in counts.items() if one is policy)
    name = POLICY[policy] if policy else UNLABELLED
    return Row(
        policy,
        (
            Cell(name, colour="text" if policy else "muted"),
            *cells,
            Cell(f"{unlabelled:,}" if unlabelled else "", unlabelled, colour="muted"),
            Cell(f"{total:,}", total, is_strong=True),
        ),
    )


def _count(count: int, most: int) -> Cell:
    if not count:
        return Cell("none", 0, "No task has both labels.", colour="warn")
    return Cell(f"{count:,}", count, heat=count / most)


def tool_rows(found: ProjectCoverage) -> tuple[Row, ...]:
    """The tools, most called first; those never called stand out."""
    return tuple(
        Row(
            use.name,
            (
                Cell(use.name, is_mono=True),
                Cell(f"{use.calls:,}", use.calls) if use.calls else Cell("never", 0, colour="warn"),
                Cell(f"{use.called_in:,}", use.called_in),
                Cell(f"{use.offered:,}", use.offered, colour="muted"),
            ),
        )
        for use in found.tools
    )


def verb_rows(found: ProjectCoverage) -> tuple[Row, ...]:
    """What kinds of tools are called, by the first words of their names."""
    total = sum(found.verbs.values())
    return tuple(
        Row(
            verb,
            (
                Cell(verb, is_mono=True),
                Cell(f"{count:,}", count),
                Cell(f"{100 * count / total:.1f} %", count / total, heat=count / total),
            ),
        )
        for verb, count in found.verbs.items()
    )


def missing_rows(found: ProjectCoverage) -> tuple[Row, ...]:
    """Sequences no case begins with, the shortest first."""
    return tuple(
        Row(route, (Cell(route_words(route)), Cell(f"{len(route)}", len(route), colour="muted")))
        for route in found.coverage.missing
    )


def missing_text(routes: Sequence[Route]) -> str:
    """Missing sequences for generation: one a line, its types separated by commas."""
    return "".join(",".join(route) + "\n" for route in routes)


def needed(routes: Sequence[Route]) -> tuple[Route, ...]:
    """The sequences to generate: those that are no beginning of another missing one, as it covers them."""
    beginnings = {route[:length] for route in routes for length in range(1, len(route))}
    return tuple(route for route in routes if route not in beginnings)
