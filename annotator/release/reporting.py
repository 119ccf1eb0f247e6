"""Scores as people read them: the tables of one run or of several side by side, as text in any form."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from html import escape

from scoring.model.record import Record
from scoring.rates import Rate
from scoring.scorecard import Scorecard


class ReportFormat(StrEnum):
    """Forms a report can take."""

    HTML = "html"
    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "latex"


class ScoreTable(Record):
    """A titled table of texts; the first column names the row, the others are figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def score_tables(cards: Sequence[tuple[str, Scorecard]]) -> tuple[ScoreTable, ...]:
    """The tables of the papers for runs side by side: one row a run.

    Args:
        cards: Names and scorecards, in printed order.

    Returns:
        Overall, by policy, by task order, by information, multi orchestration, and error shares.
    """
    return (
        _table("Accuracy", cards, _overall),
        _table("By policy", cards, lambda card: card.summary.accuracy.by_policy),
        _table("By task order", cards, _positions),
        _table("By information", cards, lambda card: card.summary.accuracy.by_information),
        _table("By policy transitions", cards, lambda card: card.summary.accuracy.by_transitions),
        _table("Optimal paths", cards, lambda card: card.summary.optimal),
        _table("Accomplished progress", cards, lambda card: card.summary.progress),
        _table("Error shares of failed tasks", cards, lambda card: card.summary.errors),
    )


def _overall(card: Scorecard) -> dict[str, Rate]:
    summary = card.summary
    return {
        "task": summary.accuracy.tasks,
        "session": summary.accuracy.sessions,
        "names only": summary.names.tasks,
        "progress": summary.progress["total"],
        "optimal": summary.optimal["total"],
    }


def _positions(card: Scorecard) -> dict[str, Rate]:
    return {f"task {int(name) + 1}": rate for name, rate in card.summary.accuracy.by_position.items()}


def _table(
    title: str, cards: Sequence[tuple[str, Scorecard]], rates: Callable[[Scorecard], Mapping[str, Rate]]
) -> ScoreTable:
    found = [(name, rates(card)) for name, card in cards]
    columns = tuple(dict.fromkeys(column for _, row in found for column in row))
    return ScoreTable(
        title=title,
        columns=("run", *columns),
        rows=tuple((name, *(_cell(row.get(column)) for column in columns)) for name, row in found),
    )


def _cell(rate: Rate | None) -> str:
    if rate is None or rate.percent is None:
        return "–"
    return f"{rate.percent} ({rate.count}/{rate.total})"


def render(tables: Sequence[ScoreTable], form: ReportFormat, *, title: str) -> str:
    """Write tables in one form; HTML is one self-contained page."""
    if form is ReportFormat.HTML:
        return _html(tables, title)
    if form is ReportFormat.CSV:
        return _csv(tables)
    if form is ReportFormat.LATEX:
        return "\n".join(map(_latex, tables))
    return f"# {title}\n\n" + "\n".join(map(_markdown, tables))


def _markdown(table: ScoreTable) -> str:
    lines = [
        f"## {table.title}",
        "",
        "| " + " | ".join(_plain(column) for column in table.columns) + " |",
        "| " + " | ".join(["---"] + ["---:"] * (len(table.columns) - 1)) + " |",
        *("| " + " | ".join(_plain(cell) for cell in row) + " |" for row in table.rows),
        "",
    ]
    return "\n".join(lines)


def _plain(text: str) -> str:
    return text.replace("|", "\\|")


def _csv(tables: Sequence[ScoreTable]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "run", "measure", "value"])
    for table in tables:
        for row in table.rows:
            for column, cell in zip(table.columns[1:], row[1:], strict=True):
                writer.writerow([table.title, row[0], column, cell])
    return text.getvalue()


_LATEX_SPECIAL = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"})


def _latex(table: ScoreTable) -> str:
    def row(cells: Sequence[str]) -> str:
        return " & ".join(cell.translate(_LATEX_SPECIAL).replace("–", "--") for cell in cells) + r" \\"

    return "\n".join(
        [
            f"% {table.title}",
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
    "body{font:14px/1.5 sans-serif;margin:32px;color:#1b2330;background:#fff}"
    "table{border-collapse:collapse;margin:8px 0 24px}"
    "th,td{padding:4px 12px;border-bottom:1px solid #e2e5ea;text-align:right}"
    "th:first-child,td:first-child{text-align:left}h2{font-size:15px;margin:24px 0 4px}"
)


def _html(tables: Sequence[ScoreTable], title: str) -> str:
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>",
    ]
    for table in tables:
        parts.append(f"<h2>{escape(table.title)}</h2><table><thead><tr>")
        parts += [f"<th>{escape(column)}</th>" for column in table.columns]
        parts.append("</tr></thead><tbody>")
        for row in table.rows:
            parts.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
        parts.append("</tbody></table>")
    parts.append("</body></html>\n")
    return "\n".join(parts)
