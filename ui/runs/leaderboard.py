"""The lines of the leaderboard: its columns, groups with their means, marks of the best, and ranks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from annotator.release.reports.score_tables import RANKS, marks_of, ranks
from scoring.groups import grouped
from scoring.measures import catalogue
from scoring.measures.catalogue import NOTHING, Direction, Form, Measure
from scoring.measures.rates import Number
from scoring.model.taxonomy import Grouping, InfraErrors
from scoring.model_card import group_of
from scoring.scorecard import comparable_groups
from scoring.texts import in_language, tr, tr_count, with_commas
from scoring.wording import sentence_case
from ui.runs.entries import APART, RunEntry, about, figure_cell, group_part, outside_cell
from ui.theme.cells import Cell, known_cell, moment_cell
from ui.theme.tables import Column, Row

_NO_CARD = tr("This run has no model card: M makes one.")
_MODEL, _USUAL, _NARROW = 250, 70, 64
"""Widths of the column of names, of one with a long heading, and of one with a short heading."""


@dataclass(frozen=True)
class BoardColumn:
    """A column of the leaderboard.

    `key` is what a choice of columns is kept by. Where `written` says how a
    figure is written, groups have a mean; the best two are marked where `direction` says which is better.
    `is_usual` columns are shown until somebody chooses others, those that nobody has a value for left out.
    `rank_by` names the rank among comparable runs it shows instead of a cell of the run alone.
    """

    key: str
    column: Column[RunEntry]
    written: Callable[[float], str] | None = None
    direction: Direction = Direction.NEITHER
    is_usual: bool = True
    rank_by: str = ""


def _measure_column(measure: Measure, name: str, heading: str) -> BoardColumn:
    def cell(entry: RunEntry) -> Cell:
        return figure_cell(entry.summary.figures(measure).get(name), measure.form, what=measure.formula)

    return BoardColumn(
        f"{measure.key}/{name}",
        Column(
            heading,
            _USUAL if len(heading) > 7 else _NARROW,
            cell,
            is_figure=True,
            tip=sentence_case(tr(measure.formula)),
            topic=f"measure.{measure.key}",
        ),
        lambda value: measure.form.text(Number(value=value, of=1)),
        measure.direction,
        bool(measure.leaderboard),
    )


def _card_words(name: str, entry: RunEntry) -> Cell:
    card = entry.model_card
    value = getattr(card, name, None)
    words = group_part(value) if isinstance(value, StrEnum) else str(value or "")
    why_none = tr("The model card does not say this: M changes it.") if card else _NO_CARD
    tip = in_language(card.words(name)) if card else ""
    return Cell(words, tip=tip) if words else known_cell(None, "", why_none=why_none)


def _size(entry: RunEntry) -> Cell:
    card = entry.model_card
    return known_cell(
        card.size if card else None,
        tr("{:g} B"),
        in_language(card.words("size")) if card else "",
        why_none=tr("The model card does not say the size: M changes it.") if card else _NO_CARD,
        colour="muted",
    )


def _dollars(entry: RunEntry) -> Cell:
    replies, card, tasks = entry.summary.replies, entry.model_card, entry.summary.predictions
    spent = card.dollars(replies.prompt_tokens, replies.completion_tokens) if card else None
    why_none = (
        tr("The replies do not say their tokens.")
        if card is not None and None not in (card.prompt_price, card.completion_price)
        else tr("The model card has no prices: M changes it.")
    )
    return known_cell(
        spent,
        "$ {:.2f}",
        tr("${spent:.4f} a task", spent=spent / tasks) if spent is not None and tasks else "",
        why_none=why_none if card else _NO_CARD,
        colour="muted",
    )


def _seconds(entry: RunEntry) -> Cell:
    return known_cell(
        entry.summary.seconds_per_task,
        tr("{:.1f} s"),
        why_none=tr("The replies do not say how long they took."),
        colour="muted",
    )


def _first_token(entry: RunEntry) -> Cell:
    found = entry.summary.first_token
    return known_cell(
        found.value if found else None,
        tr("{:.2f} s"),
        tr("of {said} of {total} tasks", said=found.of, total=entry.summary.predictions) if found else "",
        why_none=tr(
            "The replies do not say when their first token came: they were not asked for as streams."
        ),
        colour="muted",
    )


def _plain(key: str, title: str, width: int, cell: Callable[[RunEntry], Cell], tip: str = "") -> BoardColumn:
    return BoardColumn(key, Column(title, width, cell, tip=tip), is_usual=False)


def _figure(
    key: str, title: str, width: int, cell: Callable[[RunEntry], Cell], tip: str = "", **more: Any
) -> BoardColumn:
    return BoardColumn(key, Column(title, width, cell, is_figure=True, tip=tip), **more)


def board_columns() -> tuple[BoardColumn, ...]:
    """What can stand beside the model, in printed order, every measure that has a heading or a place here."""
    return (
        _SIZE,
        *(
            _measure_column(measure, name, heading)
            for measure in catalogue.MEASURES
            for name, heading in (
                measure.leaderboard
                or {catalogue.TOTAL: sentence_case(tr(measure.heading, context="heading"))}
            ).items()
            if heading
        ),
        *_OTHERS,
    )


def _wins(entry: RunEntry) -> Cell:
    one = entry.win_rate
    if one is None:
        return known_cell(None, "", why_none=tr("No judge model compared this run: annotator win-rate does."))
    return figure_cell(
        one.win_rate,
        Form.PERCENT,
        what=tr(
            "{won} won, {tied} tied, {lost} lost against {baseline}, by {judge}",
            won=one.won,
            tied=one.tied,
            lost=one.lost,
            baseline=one.baseline,
            judge=one.judge,
        ),
    )


_SIZE = _figure("size", tr("Size"), 52, _size, tr("Billions of parameters, as the model card says"))
_OTHERS = (
    _figure(
        "win_rate",
        tr("Win rate"),
        _USUAL,
        _wins,
        tr("How often a judge model prefers the run to the baseline; 50 is as good"),
        written=lambda value: Form.PERCENT.text(Number(value=value, of=1)),
        direction=Direction.HIGHER,
    ),
    _figure(
        "cost",
        tr("Cost"),
        60,
        _dollars,
        tr("Dollars for all replies of the run that say their tokens"),
        written="$ {:.2f}".format,
        direction=Direction.LOWER,
    ),
    _figure(
        "seconds",
        tr("A task"),
        56,
        _seconds,
        tr("Seconds of waiting for the replies to a task, mean over the tasks that were asked"),
        written=tr("{:.1f} s").format,
        direction=Direction.LOWER,
    ),
    _figure(
        "first_token",
        tr("First token"),
        80,
        _first_token,
        tr("Seconds to the first token of a task, mean over the tasks whose first reply was a stream"),
        written=tr("{:.2f} s").format,
        direction=Direction.LOWER,
    ),
    *(
        BoardColumn(
            name,
            Column(
                tr("Rank") if name == "rank" else tr("Rank by multi"),
                52 if name == "rank" else 104,
                is_figure=True,
                tip=tr("Place among comparable runs"),
            ),
            is_usual=name == "rank",
            rank_by=name,
        )
        for name in RANKS
    ),
    _figure(
        "outside",
        tr("Failed outside"),
        104,
        lambda entry: outside_cell(entry.summary),
        tr("Tasks that failed outside the model, such as HTTP 500"),
    ),
    *(
        _plain(name, heading, 104, partial(_card_words, name))
        for name, heading in (
            ("maker", tr("Maker")),
            ("family", tr("Family")),
            ("kind", tr("Kind")),
            ("thinking", tr("Thinking")),
            ("interface", tr("Interface")),
            ("released", tr("Released")),
        )
    ),
    _plain("release", tr("Release"), 120, lambda entry: Cell(entry.release, colour="muted")),
    _figure("scored", tr("Scored"), 96, lambda entry: moment_cell(entry.row.at), is_usual=False),
)

_FOLDED = {
    key: place
    for place, key in enumerate(
        (
            *("size", "first_token", "seconds", "cost", "win_rate", "optimal/total"),
            *(f"accuracy.by_policy/{policy}" for policy in ("chat", "clarify", "multi", "single")),
            *("outside", "progress/total"),
        ),
        1,
    )
}
"""Usual columns that are left out where there is no room, in this order."""
_MODEL_COLUMN: Column[Any] = Column(tr("Model"), _MODEL)


def shown_columns(entries: Sequence[RunEntry], chosen: Sequence[str] = ()) -> tuple[BoardColumn, ...]:
    """The columns to show: the chosen ones, else the usual ones that some run has a value for."""
    if chosen:
        return tuple(one for one in board_columns() if one.key in chosen)
    return tuple(one for one in board_columns() if one.is_usual and _is_known(one, entries))


def _is_known(one: BoardColumn, entries: Sequence[RunEntry]) -> bool:
    """Whether some run has a value; a count of nothing is none, a mean of 0 is one."""
    keys = [one.column.cell_of(entry).key for entry in entries]
    return bool(one.rank_by) or any(key is not None if one.written else key for key in keys)


def headings(columns: Sequence[BoardColumn], *, folds: bool = False) -> tuple[Column[Any], ...]:
    """The headings of the table; where it `folds`, lesser columns are left out if there is no room."""
    found = (replace(one.column, leave_out=_FOLDED.get(one.key, 0) * folds) for one in columns)
    return (_MODEL_COLUMN, *found)


def leaderboard(
    entries: Sequence[RunEntry],
    *,
    columns: Sequence[BoardColumn] | None = None,
    by: Sequence[Grouping] = (),
    infra_errors: InfraErrors = InfraErrors.WRONG,
) -> tuple[Row, ...]:
    """The lines of the leaderboard: the best task accuracy first in each group, the best two figures marked.

    Runs that rest on different rules or cases are ranked, marked and averaged apart, each set under a
    heading that says what differs. Ranks are among comparable runs, marks and means within a group.

    Args:
        entries: The runs.
        columns: What stands beside the model; None for the usual ones.
        by: What of the models' cards runs are grouped by.
        infra_errors: How tasks that failed outside the model count.
    """
    runs = sorted(
        (entry.counting(infra_errors) for entry in entries),
        key=lambda entry: -(entry.summary.task_accuracy or 0.0),
    )
    shown = shown_columns(runs) if columns is None else columns
    apart = comparable_groups(
        ((run.basis, run) for run in runs),
        cases={
            one.row.cases_sha256: tr("release {release}", release=one.row.release)
            for one in entries
            if one.row.release
        },
    )
    labels = run_labels(runs)
    rows: list[Row] = []
    for words, members in sorted(apart.items(), key=lambda item: -len(item[1])):
        section = rows[-1].section + 1 if rows else 0
        if words:
            heading = Cell(sentence_case(with_commas(map(tr, words.split(", ")))), is_strong=True, tip=APART)
            rows.append(Row(words, (heading,), section=section, is_heading=True, topic="semantics"))
        places = {name: _ranks_of(name, members) for name in RANKS}
        groups = grouped((group_of(run.model_card, by), run) for run in members)
        for number, (group, inside) in enumerate(sorted(groups.items())):
            title = with_commas(group_part(part) for _, part in group)
            if title and (
                len(groups) > 1
                or any(place[1] != f"{one} unknown" for one, place in zip(by, group, strict=True))
            ):
                rows.append(_group_row((words, title), title, inside, shown, section + number))
            rows += [
                Row(
                    run.row.id,
                    (Cell(labels[run.row.id], is_mono=True, tip=about(run)), *cells),
                    item=run,
                    section=section + number,
                )
                for run, cells in zip(inside, _lines(inside, shown, places), strict=True)
            ]
    return tuple(rows)


def _ranks_of(name: str, runs: Sequence[RunEntry]) -> dict[int, str]:
    if len(runs) < 2:
        return {}
    values = [RANKS[name](run.summary) for run in runs]
    return dict(zip((run.row.id for run in runs), ranks(values), strict=True))


def _lines(
    runs: Sequence[RunEntry], columns: Sequence[BoardColumn], places: Mapping[str, Mapping[int, str]]
) -> list[tuple[Cell, ...]]:
    """The cells of the runs of one group, the best two of each column marked."""
    found = []
    for one in columns:
        if one.rank_by:
            found.append([_rank_cell(places[one.rank_by].get(run.row.id)) for run in runs])
            continue
        cells = [one.column.cell_of(run) for run in runs]
        marks = marks_of([cell.key for cell in cells], one.direction)
        found.append(
            [
                replace(cell, is_strong=mark == 1, is_underlined=mark == 2 and len(runs) > 2)
                for cell, mark in zip(cells, marks, strict=True)
            ]
        )
    return list(zip(*found, strict=True)) if found else [()] * len(runs)


def _rank_cell(place: str | None) -> Cell:
    if place is None or place == NOTHING:
        return Cell(
            NOTHING,
            tip=tr("It has no such figure.") if place else tr("There is no other run to rank it with."),
            colour="faint",
        )
    return Cell(place, int(place), colour="muted")


def _group_row(
    key: tuple[str, str], title: str, runs: Sequence[RunEntry], columns: Sequence[BoardColumn], section: int
) -> Row:
    """The heading of a group, with the means of its runs where it has two or more."""
    words = sentence_case(title)
    if len(runs) < 2:
        return Row(key, (Cell(words, is_strong=True),), section=section, is_heading=True)
    cells = [
        Cell(
            tr("{words} · mean of {runs_count}", words=words, runs_count=len(runs)),
            is_strong=True,
            tip=tr("The mean of each figure of the group"),
        )
    ]
    for one in columns:
        values = [cell.key for run in runs if (cell := one.column.cell_of(run)).key is not None]
        if one.written is None or not values:
            cells.append(Cell(""))
        else:
            mean = sum(value for value in values if value is not None) / len(values)
            text = f"{one.written(mean)} ({len(values)})" if len(values) < len(runs) else one.written(mean)
            cells.append(
                Cell(text, mean, tr("mean of {run}", run=tr_count(len(values), "run")), colour="muted")
            )
    return Row(key, tuple(cells), section=section, is_heading=True)


def run_labels(entries: Sequence[RunEntry]) -> dict[int, str]:
    """What runs are called, by number: runs of one model that think differently say so."""
    models = grouped(((_model_of(entry), _thinking(entry)), entry.row.id) for entry in entries)
    doubled = grouped(models)
    return {
        entry.row.id: f"{entry.row.name} · {_thinking(entry)}"
        if len(doubled[_model_of(entry)]) > 1 and "thinking" not in entry.row.name
        else entry.row.name
        for entry in entries
    }


def _model_of(entry: RunEntry) -> str:
    return entry.model_card.model if entry.model_card is not None else entry.row.name


def _thinking(entry: RunEntry) -> str:
    thinking = entry.model_card.thinking if entry.model_card is not None else None
    return tr("thinking {value}", value=thinking or tr("unknown"))
