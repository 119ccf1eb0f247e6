"""Scores as people read them: tables and pictures of one run or of several, written in any form."""

import csv
import io
import re
from collections.abc import Sequence
from enum import StrEnum
from html import escape

from annotator.release.album import Picture, album
from annotator.release.challenges import (
    challenge_tables,
    comparison_tables,
    model_robustness,
    robustness_table,
)
from annotator.release.drawing import PictureFormat
from annotator.release.tables import Cards, basis_table, interval_table
from annotator.release.tables import ScoreTable as ScoreTable
from annotator.release.tables import score_tables as score_tables


class ReportFormat(StrEnum):
    """Forms a report can take."""

    HTML = "html"
    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "latex"


def report_tables(cards: Cards) -> tuple[ScoreTable, ...]:
    """Every table of a report: scores, intervals, challenges, robustness, two runs compared, the basis."""
    models = model_robustness(cards)
    return (
        *score_tables(cards),
        interval_table(cards),
        *challenge_tables(cards),
        *([robustness_table(models)] if models else []),
        *comparison_tables(cards),
        basis_table(cards),
    )


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
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "run", "measure", "value", "count", "total"])
    for table in tables:
        for number, row in enumerate(table.rows):
            rates = table.rates[number] if table.rates else (None,) * (len(row) - 1)
            for column, cell, rate in zip(table.columns[1:], row[1:], rates, strict=True):
                figures = [rate.percent, rate.count, rate.total] if rate else [cell, "", ""]
                writer.writerow([table.title, row[0], column, *figures])
    return text.getvalue()


_LATEX_SPECIAL = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "\n": " ",
    }
)


def _latex(table: ScoreTable) -> str:
    def row(cells: Sequence[str]) -> str:
        return " & ".join(cell.translate(_LATEX_SPECIAL) for cell in cells) + r" \\"

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


_STYLE = (
    ":root{color-scheme:light}"
    "body{font:14px/1.5 Inter,system-ui,sans-serif;margin:32px auto;max-width:1180px;padding:0 24px;"
    "color:#1b2330;background:#fff;font-variant-numeric:tabular-nums}"
    "h1{font-size:20px;margin:0 0 24px}h2{font-size:15px;margin:32px 0 8px}"
    "section{overflow-x:auto}table{border-collapse:collapse;margin:8px 0 24px;white-space:nowrap}"
    "th{font-weight:600;color:#5f6b7e}"
    "th,td{padding:4px 12px;border-bottom:1px solid #e2e5ea;text-align:right}"
    "th:first-child,td:first-child{text-align:left;padding-left:0}"
    "td.words{text-align:left;white-space:normal;min-width:280px}"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(480px,1fr));gap:24px}"
    "figure{margin:0}figure svg{width:100%;height:auto}figcaption{color:#5f6b7e;font-size:12px}"
    "@media print{body{margin:0;max-width:none}figure{break-inside:avoid}}"
)
_LONG_CELL = 60
"""Characters from which a cell is text to be wrapped rather than a figure."""


def _html(tables: Sequence[ScoreTable], pictures: Sequence[Picture], title: str) -> str:
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>",
    ]
    if pictures:
        parts.append('<div class="pictures">')
        parts += map(_figure, pictures)
        parts.append("</div>")
    parts += map(_html_table, tables)
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _html_table(table: ScoreTable) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = ("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in table.rows)
    return (
        f"<section><h2>{escape(table.title)}</h2><table><thead><tr>{head}</tr></thead><tbody>"
        + "".join(rows)
        + "</tbody></table></section>"
    )


def _html_cell(cell: str) -> str:
    return f"<td{' class=words' if len(cell) > _LONG_CELL else ''}>{escape(cell)}</td>"


def _figure(one: Picture) -> str:
    """A picture inside the page; its ids carry its name, since all pictures share those of the page."""
    svg = one.save(PictureFormat.SVG).decode("utf-8")
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{one.name}-", svg)
    label = f'<svg role="img" aria-label="{escape(one.caption)}"'
    return f"<figure>{svg.replace('<svg', label, 1)}<figcaption>{escape(one.caption)}</figcaption></figure>"
