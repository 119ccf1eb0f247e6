"""T-Eval results as lines of tables: models, the items of a column, two models compared."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

from annotator.teval.results import TevalResult
from scoring.groups import grouped
from scoring.teval.columns import AbilityColumn as Ability
from scoring.teval.columns import ColumnDifference, column_values, item_value
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.scores import ItemResult, TevalScores
from scoring.teval.subsets import Subset
from scoring.texts import tr, tr_count, with_commas
from ui.theme.cells import Cell, count_cell, known_cell
from ui.theme.tables import Column
from ui.theme.tokens import Tone

NOTHING = "–"
PROFILE_WORDS = {
    TEvalProfile.PAPER: tr("rules of the paper"),
    TEvalProfile.REF_V1: tr("code of December 2023"),
    TEvalProfile.REF_V2: tr("code since February 2024"),
}
ABILITY_WORDS: dict[str, str] = {
    Ability.INSTRUCT_S: tr("Instruct, text"),
    Ability.INSTRUCT_J: tr("Instruct, JSON"),
    Ability.PLAN_S: tr("Plan, text"),
    Ability.PLAN_J: tr("Plan, JSON"),
    Ability.REASON_S: tr("Reason, text"),
    Ability.REASON_J: tr("Reason, JSON"),
    Ability.RETRIEVE_S: tr("Retrieve, text"),
    Ability.RETRIEVE_J: tr("Retrieve, JSON"),
    Ability.UNDERSTAND_S: tr("Understand, text"),
    Ability.UNDERSTAND_J: tr("Understand, JSON"),
    Ability.REVIEW: tr("Review"),
}
ItemKey = tuple[Subset, str]

_ABILITY = re.compile(r"_(instruct|plan|reason|retrieve|understand|review|rru)(?=_)")
ScoredItem = tuple[float, ItemResult]
"""An item with its score in a column (0 to 1)."""
ITEM_COLUMNS: tuple[Column[ScoredItem], ...] = (
    # The ids without their ability, which the whole list is about: what differs has more room.
    Column(tr("Item"), cell=lambda one: Cell(_ABILITY.sub("", one[1].item), is_mono=True, tip=one[1].item)),
    Column(tr("Score", context="figure"), 64, lambda one: _percent(one[0]), is_figure=True),
    Column(tr("Reply"), 108, lambda one: _read(one[1])),
)


@dataclass(frozen=True)
class Model:
    """One model under one profile."""

    result: TevalResult
    number: int

    @property
    def scores(self) -> TevalScores:
        """Its scores."""
        return self.result.scores[self.number]

    @property
    def results(self) -> tuple[ItemResult, ...]:
        """Its items."""
        return self.result.results[self.number]


def models_under(results: Sequence[TevalResult], profile: TEvalProfile) -> tuple[Model, ...]:
    """The models that were scored under a profile."""
    return tuple(
        Model(result, number)
        for result in results
        for number, scores in enumerate(result.scores)
        if scores.profile is profile
    )


def best_first(models: Sequence[Model]) -> list[Model]:
    """The models by Overall; where one has none, by the columns in which all of them have a value."""
    values = [column_values(model.scores) for model in models]
    shared = [one for one in Ability if all(found[one] is not None for found in values)]
    overall = [model.scores.overall for model in models]
    worth = overall if None not in overall else [sum(found[one] or 0 for one in shared) for found in values]
    return [model for _, model in sorted(zip(worth, models, strict=True), key=itemgetter(0), reverse=True)]


def model_columns(models: Sequence[Model]) -> tuple[Column[Model], ...]:
    """What is said of a model; what is best of all in a column is strong."""

    def figure(title: str, width: int, tip: str, value_of: Callable[[Model], float | None]) -> Column[Model]:
        best = _best([value_of(model) for model in models])
        return Column(
            title,
            width,
            lambda model: _percent(value_of(model), is_strong=best is not None and value_of(model) == best),
            is_figure=True,
            tip=tip,
        )

    return (
        Column(tr("Model"), cell=lambda model: Cell(model.result.name, is_mono=True, tip=about(model))),
        *(figure(one.value, 68, ABILITY_WORDS[one], partial(_ability_value, one)) for one in Ability),
        figure(tr("Overall"), 76, tr("The mean of the six abilities"), lambda model: model.scores.overall),
        Column(
            tr("Failed"),
            76,
            _failed,
            is_figure=True,
            tip=tr("Replies that could not be read, and items without a reply"),
        ),
    )


def _percent(value: float | None, *, is_strong: bool = False) -> Cell:
    nothing = tr("There is no such item, or none has a reply.")
    return known_cell(value and 100 * value, "{:.1f}", why_none=nothing, is_strong=is_strong)


def _ability_value(ability: Ability, model: Model) -> float | None:
    return column_values(model.scores)[ability]


def _best(values: Sequence[float | None]) -> float | None:
    """The highest value where one model alone has it."""
    known = [value for value in values if value is not None]
    top = max(known, default=None)
    return top if len(known) > 1 and known.count(top or 0.0) == 1 else None


def about(model: Model) -> str:
    """What was scored and how, in one line."""
    scores = model.scores
    return tr(
        "{item} · {profile_words} · sentences compared by {name}",
        item=tr_count(len(model.results), "item"),
        profile_words=PROFILE_WORDS[scores.profile],
        name=scores.similarity.name,
    )


def _failed(model: Model) -> Cell:
    failed = sum(one.failed for one in model.scores.subsets.values())
    missing = sum(one.missing for one in model.scores.subsets.values())
    count = failed + missing
    tip = tr(
        "{replies} not readable, {item} without a reply",
        replies=tr_count(failed, "reply", "replies"),
        item=tr_count(missing, "item"),
    )
    return Cell(f"{count:,}", count, tip, colour="text" if count else "faint")


def scored_items(model: Model, ability: Ability) -> list[ScoredItem]:
    """The items of a column, the worst first."""
    found = [(item_value(one, ability), one) for one in model.results]
    return sorted(((v, one) for v, one in found if v is not None), key=lambda pair: pair[0])


def _read(one: ItemResult) -> Cell:
    if one.is_missing:
        return Cell(tr("no reply"), chip=Tone.ERROR)
    if not one.parsed:
        return Cell(tr("not readable"), chip=Tone.WARN, tip=tr("Scored 0: the reply has not the asked form"))
    return Cell(tr("cut off"), chip=Tone.WARN) if one.hit_limit else Cell(tr("read"), colour="muted")


def item_words(one: ItemResult) -> str:
    """What an item came to, metric by metric, and what it is."""
    parts = (
        *(f"{name} {value:.3g}" for name, value in one.metrics.items() if name != "parse_rate"),
        tr("more than one tool could come next") if one.ambiguous else "",
        tr("{kind} observation", kind=one.kind) if one.kind is not None else "",
        tr("gold {gold_letter}, chosen {value}", gold_letter=one.gold_letter, value=one.choice or tr("none"))
        if one.gold_letter is not None
        else "",
    )
    return " · ".join(filter(None, parts))


def difference_columns(names: tuple[str, str]) -> tuple[Column[ColumnDifference], ...]:
    """What is said of a column in which two models are compared."""
    first, second = names
    return (
        Column(
            tr("Column"),
            cell=lambda row: Cell(
                ABILITY_WORDS.get(row.name, tr("Overall")), is_strong=row.name == "overall"
            ),
        ),
        Column(first, 72, lambda row: _percent(row.first), is_figure=True, tip=first),
        Column(second, 72, lambda row: _percent(row.second), is_figure=True, tip=second),
        Column(tr("Difference"), 88, _apart, is_figure=True, tip=tr("Second minus first, in points")),
        Column(
            tr("95 % interval"),
            120,
            _bounds,
            is_figure=True,
            tip=tr("Cases resampled; 0 outside it is no chance"),
        ),
        Column(tr("Items"), 72, lambda row: count_cell(row.items, colour="muted"), is_figure=True),
    )


def _apart(row: ColumnDifference) -> Cell:
    is_news, points = row.is_significant, row.difference and 100 * row.difference
    colour = ("ok" if (points or 0.0) > 0 else "error") if is_news else "muted"
    tip = "" if is_news else tr("Not significant: chance can explain it")
    return known_cell(points, "{:+.1f}", tip, is_strong=is_news, colour=colour)


def _bounds(row: ColumnDifference) -> Cell:
    interval = row.interval
    if interval is None:
        return Cell(NOTHING, tip=row.why_none or "", colour="faint")
    return Cell(
        tr("{value:+.1f} to {value2:+.1f}", value=100 * interval.low, value2=100 * interval.high),
        interval.low,
    )


def verdict_words(rows: Sequence[ColumnDifference], names: tuple[str, str]) -> str:
    """What a comparison says, in a sentence."""
    clear = [row for row in rows[:-1] if row.is_significant and row.difference is not None]
    if not clear:
        return tr(
            "No column tells {names} and {names2} apart: chance can explain every difference.",
            names=names[0],
            names2=names[1],
        )
    changed = ((row.name, row.difference) for row in clear if row.difference)
    sides = grouped((tr("better") if change > 0 else tr("worse"), name) for name, change in changed)
    return tr(
        "{names} is {parts} than {names2}; the rest can be chance.",
        names=names[1],
        parts=tr(" and ").join(
            tr("{side} in {columns}", side=side, columns=with_commas(columns))
            for side, columns in sorted(sides.items())
        ),
        names2=names[0],
    )
