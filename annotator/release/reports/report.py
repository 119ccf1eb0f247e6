"""Scores as people read them: tables and pictures of one run or of several, written in any form."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.files import csv_text
from annotator.release.reports.album import Picture, album
from annotator.release.reports.challenge_tables import (
    challenge_tables,
    comparison_tables,
    model_robustness,
    robustness_table,
    unpaired_table,
)
from annotator.release.reports.figure_style import PictureFormat
from annotator.release.reports.score_figures import picture_intervals
from annotator.release.reports.score_tables import (
    Cards,
    ScoreTable,
    basis_table,
    group_table,
    groups_apart,
    interval_table,
    score_tables,
)
from annotator.resources import resource_text
from scoring.measures.rates import Rate
from scoring.model.taxonomy import ReportFormat

if TYPE_CHECKING:
    from markupsafe import Markup


def report_tables(cards: Cards) -> tuple[ScoreTable, ...]:
    """Every table of a report: scores, intervals, challenges, two runs compared, robustness, the basis.

    Runs that may not stand together have tables of their own, and a first one that says so.
    """
    groups = groups_apart(cards)
    tables = [group_table(groups)] if len(groups) > 1 else []
    for words, members in groups.items():
        found = (
            *score_tables(members),
            interval_table(members),
            *picture_intervals(members),
            *challenge_tables(members),
            *comparison_tables(members),
        )
        tables += [table.within(words) for table in found]
    models, unpaired = model_robustness(cards), unpaired_table(cards)
    tables += [robustness_table(models)] if models else []
    tables += [unpaired] if unpaired.rows else []
    return (*tables, basis_table(cards))


def report(cards: Cards, form: ReportFormat, *, title: str) -> str:
    """Write the whole report of some runs; as HTML with its pictures, in one file that needs no other.

    Args:
        cards: Names and scorecards, in printed order.
        form: The form of the text.
        title: What it is called.
    """
    pictures = album(cards) if form is ReportFormat.HTML else ()
    return render(report_tables(cards), form, title=title, pictures=pictures)


def render(
    tables: Sequence[ScoreTable], form: ReportFormat, *, title: str, pictures: Sequence[Picture] = ()
) -> str:
    """Write tables in one form; HTML is one self-contained page, with pictures where some are given."""
    if form is ReportFormat.HTML:
        return _html(tables, pictures, title)
    if form is ReportFormat.CSV:
        return _csv(tables)
    if form is ReportFormat.LATEX:
        return "\n".join(map(_latex, tables))
    return f"# {_plain(title)}\n\n" + "\n".join(map(_markdown, tables))


def _markdown(table: ScoreTable) -> str:
    lines = [
        f"## {_plain(table.title)}",
        "",
        "| " + " | ".join(_plain(column) for column in table.columns) + " |",
        "| " + " | ".join(["---"] + ["---:"] * (len(table.columns) - 1)) + " |",
        *("| " + " | ".join(_plain(cell) for cell in row) + " |" for row in table.rows),
        "",
    ]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """A text that neither ends a cell nor becomes markup."""
    return re.sub(r"([\\|<>*`\[\]])", r"\\\1", " ".join(text.split()))


def _csv(tables: Sequence[ScoreTable]) -> str:
    """One line a figure; a rate in percent, its count and total in columns of their own."""
    lines: list[list[object]] = []
    for table in tables:
        for number, row in enumerate(table.rows):
            figures = table.figures[number] if table.figures else (None,) * (len(row) - 1)
            for column, cell, figure in zip(table.columns[1:], row[1:], figures, strict=True):
                run, measure = (column, row[0]) if table.is_down else (row[0], column)
                said: list[object] = [cell, "", ""]
                if isinstance(figure, Rate):
                    said = [figure.percent, figure.count, figure.total]
                lines.append([table.title, run, measure, *said])
    return csv_text(("table", "run", "measure", "value", "count", "total"), lines)


_LATEX_SPECIAL = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "−": "$-$",
        "\n": " ",
    }
)


def latex_text(text: str) -> str:
    """A cell in LaTeX; the hyphen before a number is a minus there."""
    return re.sub(r"(?<!\w)-(?=\d)", "−", text).translate(_LATEX_SPECIAL)


def _latex(table: ScoreTable) -> str:
    def row(cells: Sequence[str]) -> str:
        return " & ".join(map(latex_text, cells)) + r" \\"

    return "\n".join(
        [
            f"% {' '.join(table.title.split())}",
            r"\begin{tabular}{l" + "r" * (len(table.columns) - 1) + "}",
            r"\hline",
            row(table.columns),
            r"\hline",
            *map(row, table.rows),
            r"\hline",
            r"\end{tabular}",
            "",
        ]
    )


def _html(tables: Sequence[ScoreTable], pictures: Sequence[Picture], title: str) -> str:
    from jinja2 import Environment, StrictUndefined  # late: most commands write no page

    page = Environment(
        autoescape=True, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    template = page.from_string(resource_text("templates", "report.html.j2"))
    shown = [(one.caption, _svg(one)) for one in pictures]
    return template.render(title=title, tables=tables, pictures=shown)


def _svg(one: Picture) -> "Markup":
    """What follows `<svg` in a picture; its ids carry its name, since a page has each id once."""
    from markupsafe import Markup

    svg = one.save(PictureFormat.SVG).decode("utf-8")
    svg = svg[svg.index("<svg") + len("<svg") :]
    return Markup(re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{one.name}-", svg))
