"""Scores as people read them: tables and pictures of one run or of several, written in any form."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

from annotator.files import csv_text
from annotator.release.reports.album import Picture, album
from annotator.release.reports.challenge_tables import (
    challenge_tables,
    comparison_tables,
    habit_tables,
    history_groups,
    model_robustness,
    robustness_table,
    unpaired_table,
    win_tables,
    wins_of,
)
from annotator.release.reports.effect_tables import cost_tables, effect_table, history_effect_table
from annotator.release.reports.figure_style import PictureFormat
from annotator.release.reports.run_groups import Cards, check_distinct, groups_apart, ordered_cards
from annotator.release.reports.score_figures import picture_intervals
from annotator.release.reports.score_tables import (
    ScoreTable,
    basis_table,
    card_notes,
    group_table,
    interval_table,
    model_table,
    score_tables,
)
from annotator.release.reports.teval_section import NO_TEVAL, TevalGroups, teval_pictures, teval_tables
from annotator.resources import resource_text
from scoring.measures.catalogue import NOTHING, Form
from scoring.measures.rates import Rate
from scoring.model.taxonomy import Grouping, ReportFormat
from scoring.texts import tr

if TYPE_CHECKING:
    from markupsafe import Markup


_WHY_NONE = f"{NOTHING}: there is nothing of that kind to measure; it is not 0."


def report_tables(
    cards: Cards, *, by: Sequence[Grouping] = (), order: str = "", teval: TevalGroups = NO_TEVAL
) -> tuple[ScoreTable, ...]:
    """Every table of a report: scores, intervals, challenges, comparisons, effects, robustness, basis.

    Runs that may not stand together have tables of their own, and a first one that says so; within each
    table the best two figures are marked in each group.

    Args:
        cards: Names and scorecards.
        by: What of the models' cards runs are grouped by.
        order: What they are sorted by; see `ordered_cards`.
        teval: Scores of T-Eval that stand beside them; see `read_teval`.

    Raises:
        InputError: A run is given twice.
    """
    groups = groups_apart(cards)
    tables = [group_table(groups)] if len(groups) > 1 else []
    for words, every in groups.items():
        check_distinct(every)
        within = ordered_cards(every, by=by, order=order)
        members = [run for runs in within.values() for run in runs]
        labels = {name: label for label, runs in within.items() for name, _ in runs}
        notes = card_notes(members)
        tables += [
            table.grouped(labels)
            .model_copy(update={"notes": (*table.notes, *why_none, *notes)})
            .within(words)
            for table in (
                *score_tables(members),
                *cost_tables(members),
                interval_table(members),
                *picture_intervals(members),
                *challenge_tables(members),
                *habit_tables(members),
                *comparison_tables(members),
                *win_tables(wins_of(members)),
                effect_table(members),
            )
            for why_none in [[_WHY_NONE] if any(NOTHING in row for row in table.rows) else []]
        ]
    for words, pairs in history_groups(cards).items():
        models = model_robustness(pairs)
        tables += [robustness_table(models).within(words), history_effect_table(pairs, models).within(words)]
    tables += [table for table in (unpaired_table(cards), model_table(cards)) if table.rows]
    return (*tables, *teval_tables(teval), basis_table(cards))


def report(
    cards: Cards,
    form: ReportFormat,
    *,
    title: str,
    by: Sequence[Grouping] = (),
    order: str = "",
    teval: TevalGroups = NO_TEVAL,
) -> bytes:
    """Write the whole report of some runs; as HTML with its pictures, in one file that needs no other.

    Pages and Markdown are in the language of this process; other forms go into papers and programs.

    Args:
        cards: Names and scorecards, in printed order.
        form: The form of the file.
        title: What it is called.
        by: What of the models' cards runs are grouped by.
        order: What they are sorted by; see `ordered_cards`.
        teval: Scores of T-Eval that stand beside them; see `read_teval`.
    """
    tables = report_tables(cards, by=by, order=order, teval=teval)
    if form in (ReportFormat.HTML, ReportFormat.MARKDOWN):
        tables, title = tuple(table.in_language() for table in tables), tr(title)
    pictures = (*album(cards), *teval_pictures(teval)) if form is ReportFormat.HTML else ()
    return render(tables, form, title=title, pictures=pictures)


def render(
    tables: Sequence[ScoreTable], form: ReportFormat, *, title: str, pictures: Sequence[Picture] = ()
) -> bytes:
    """Write tables in one form; HTML is one self-contained page, with pictures where some are given."""
    return _WRITERS[form](tables, pictures, title)


def _markdown(table: ScoreTable) -> str:
    lines = [
        f"## {markdown_text(table.title)}",
        "",
        "| " + " | ".join(markdown_text(column) for column in table.columns) + " |",
        "| " + " | ".join(["---"] + ["---:"] * (len(table.columns) - 1)) + " |",
    ]
    for group, row, marks in _grouped_rows(table):
        if group:
            lines.append("| " + " | ".join([f"**{markdown_text(group)}**", *[""] * (len(row) - 1)]) + " |")
        cells = (
            _MARKDOWN_MARKS[mark].format(markdown_text(cell)) for cell, mark in zip(row, marks, strict=True)
        )
        lines.append("| " + " | ".join(cells) + " |")
    notes = [f"- {markdown_text(note)}" for note in table.notes]
    return "\n".join([*lines, "", *([*notes, ""] if notes else [])])


_MARKDOWN_MARKS = ("{}", "**{}**", "*{}*")
_LATEX_MARKS = ("{}", r"\textbf{{{}}}", r"\underline{{{}}}")
"""How a figure is written that is nothing special, the best of its column, and the second best."""


def _grouped_rows(table: ScoreTable) -> Iterator[tuple[str, tuple[str, ...], tuple[int, ...]]]:
    """The rows with the marks of their cells, before the first of a group what that is called."""
    before = ""
    for number, row in enumerate(table.rows):
        group = table.groups[number] if table.groups else ""
        yield (
            group if group != before else "",
            row,
            (0, *(table.marks[number] if table.marks else (0,) * (len(row) - 1))),
        )
        before = group


def markdown_text(text: str) -> str:
    """A text that neither ends a cell nor becomes markup."""
    return re.sub(r"([\\|<>*`\[\]~$]|&(?=#?\w+;)|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(text.split()))


_LINE = ("table", "run", "measure", "value", "count", "total")


def _lines(tables: Sequence[ScoreTable]) -> Iterator[list[object]]:
    """One line a figure; a rate in percent, its count and total in columns of their own."""
    for table in tables:
        for number, row in enumerate(table.rows):
            figures = table.figures[number] if table.figures else (None,) * (len(row) - 1)
            for column, cell, figure in zip(table.columns[1:], row[1:], figures, strict=True):
                run, measure = (column, row[0]) if table.is_down else (row[0], column)
                said: list[object] = [cell, "", ""]
                if isinstance(figure, Rate):
                    said = [figure.percent, figure.count, figure.total]
                yield [table.title, run, measure, *said]


def _workbook(tables: Sequence[ScoreTable]) -> bytes:
    """A sheet a table, figures as numbers that can be calculated with, and a last sheet with every figure."""
    from xlsxwriter import Workbook  # late: most commands write none

    data = BytesIO()
    book = Workbook(data, {"in_memory": True, "nan_inf_to_errors": True})
    book.set_properties({"created": datetime(2000, 1, 1, tzinfo=UTC)})  # the same report is the same file
    looks: tuple[dict[str, object], ...] = ({}, {"bold": True}, {"underline": 1})
    digits = {
        Form.PERCENT: "0.00",
        Form.TENTHS: "0.0",
        Form.MEAN: "#,##0.0",
        Form.VARIANCE: "0.0000",
        Form.SECONDS: "0.000",
    }
    kinds = {form: [book.add_format({"num_format": digits[form], **look}) for look in looks] for form in Form}
    strong, plain = book.add_format({"bold": True}), book.add_format()
    names: set[str] = set()
    for table in tables:
        sheet = book.add_worksheet(_sheet_name(table.title, names))
        sheet.write_string(0, 0, table.heading[:_LONGEST_CELL], strong)
        sheet.set_column(0, 0, 28)
        for place, column in enumerate(table.columns):
            sheet.write_string(2, place, column, strong)
        line = 3
        for number, (group, row, marks) in enumerate(_grouped_rows(table)):
            if group:
                sheet.write_string(line, 0, group, strong)
                line += 1
            figures = (None, *table.figures[number]) if table.figures else (None,) * len(row)
            for place, (cell, figure, mark) in enumerate(zip(row, figures, marks, strict=True)):
                if figure is None and place and table.figures and _NUMBER.fullmatch(cell):
                    sheet.write_number(line, place, float(cell.replace(",", "").replace("−", "-")), plain)
                elif figure is None or figure.value is None:
                    sheet.write_string(line, place, cell[:_LONGEST_CELL], plain)
                else:
                    sheet.write_number(
                        line, place, (100 if table.form.unit else 1) * figure.value, kinds[table.form][mark]
                    )
            line += 1
        for note in table.notes:
            line += 1
            sheet.write_string(line, 0, note[:_LONGEST_CELL], plain)
    sheet = book.add_worksheet(_sheet_name("All figures", names))
    for line, cells in enumerate([_LINE, *_lines(tables)]):
        for place, value in enumerate(cells):
            if isinstance(value, int):
                sheet.write_number(line, place, value)
            else:
                sheet.write_string(line, place, str(value)[:_LONGEST_CELL])
    book.close()
    return data.getvalue()


_NUMBER = re.compile(r"[+−-]?(0|[1-9][\d,]*)(\.\d+)?")
"""A cell that is a number, though no figure stands behind it: a rank, a count, a p-value."""
_LONGEST_CELL, _LONGEST_NAME = 32_767, 31
"""What a spreadsheet takes, in characters."""


def _sheet_name(title: str, taken: set[str]) -> str:
    """A name that a sheet may have and no other has; letters count as the same in either case."""
    stem = " ".join(re.sub(r"[\[\]:*?/\\']", " ", title).split()) or "Table"
    found, number = stem[:_LONGEST_NAME], 1
    while found.lower() in taken:
        number += 1
        found = f"{stem[: _LONGEST_NAME - 5].rstrip()} ({number})"
    taken.add(found.lower())
    return found


_COUNTED = re.compile(r" \([\d,]+/([\d,]+)\)$")
"""The count of a rate, as it stands behind it, and its total."""
_OTHER_LETTERS = "% Compile with XeLaTeX or LuaLaTeX and a font that has the letters of all names."
_LATEX_SPECIAL = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{char: f"{{{char}}}" for char in "[]*"},  # after the end of a row they would be its options
        "–": "--",
        "−": "$-$",
    }
)


def latex_text(text: str) -> str:
    """A cell in LaTeX; the hyphen before a number is a minus there, and what cannot be printed a blank."""
    text = "".join(char if char.isprintable() else " " for char in text)
    return re.sub(r"(?<!\w)-(?=\d)", "−", text).translate(_LATEX_SPECIAL)


def _latex(table: ScoreTable) -> str:
    """A table in LaTeX as papers print it; it needs the packages `booktabs` and `adjustbox`.

    Where all rates of a column have one total, it stands once below the heading, and no count beside them.
    """
    width = len(table.columns)
    totals = [
        {found[1] for row in table.rows if (found := _COUNTED.search(row[place]))} for place in range(width)
    ]
    shared = [next(iter(found)) if len(found) == 1 else "" for found in totals]

    def line(cells: Sequence[str], marks: Sequence[int]) -> str:
        bare = (_COUNTED.sub("", cell) if total else cell for cell, total in zip(cells, shared, strict=True))
        texts = (_LATEX_MARKS[mark].format(latex_text(cell)) for cell, mark in zip(bare, marks, strict=True))
        return " & ".join(texts) + r" \\"

    rows: list[str] = []
    for group, row, marks in _grouped_rows(table):
        if group:
            rows += [r"\midrule"] if rows else []
            rows.append(rf"\multicolumn{{{width}}}{{l}}{{\textit{{{latex_text(group)}}}}} \\")
        rows.append(line(row, marks))
    return "\n".join(
        [
            f"% {' '.join(table.title.split())}",
            rf"\par\medskip\noindent{{\interlinepenalty10000\textbf{{{latex_text(table.heading)}}}\par}}",
            r"\nopagebreak\smallskip\noindent",
            r"\begin{adjustbox}{max width=\linewidth, max totalheight=0.9\textheight}",
            r"\begin{tabular}{l" + "r" * (width - 1) + "}",
            r"\toprule",
            line(table.columns, [0] * width),
            *([line(["n", *shared[1:]], [0] * width)] if any(shared) else []),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{adjustbox}",
            *[rf"\par\noindent{{\footnotesize {latex_text(note)}\par}}" for note in table.notes],
            "",
        ]
    )


def _latex_file(tables: Sequence[ScoreTable]) -> bytes:
    text = "\n".join(map(_latex, tables))
    note = f"{_OTHER_LETTERS}\n" if re.search(r"[^\u0000-\u024f\u2000-\u206f\u2212]", text) else ""
    return f"{note}{text}".encode()


def _html(tables: Sequence[ScoreTable], pictures: Sequence[Picture], title: str) -> str:
    from jinja2 import Environment, StrictUndefined  # late: most commands write no page

    template = Environment(
        autoescape=True, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    ).from_string(resource_text("templates", "report.html.j2"))
    return template.render(
        title=title,
        tables=[(table, list(_grouped_rows(table))) for table in tables],
        pictures=[(one.caption, _svg(one)) for one in pictures],
    )


def _svg(one: Picture) -> "Markup":
    """What follows `<svg` in a picture; its ids carry its name, since a page has each id once."""
    from markupsafe import Markup

    svg = one.save(PictureFormat.SVG).decode("utf-8")
    svg = svg[svg.index("<svg") + len("<svg") :]
    return Markup(re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{one.name}-", svg))


_WRITERS: Mapping[ReportFormat, Callable[[Sequence[ScoreTable], Sequence[Picture], str], bytes]] = {
    ReportFormat.XLSX: lambda tables, *_: _workbook(tables),
    ReportFormat.HTML: lambda *page: _html(*page).encode(),
    ReportFormat.CSV: lambda tables, *_: csv_text(_LINE, _lines(tables)).encode(),
    ReportFormat.LATEX: lambda tables, *_: _latex_file(tables),
    ReportFormat.MARKDOWN: lambda tables, _, title: (
        f"# {markdown_text(title)}\n\n" + "\n".join(map(_markdown, tables))
    ).encode(),
}
"""How tables, pictures and a title are written in each form."""
