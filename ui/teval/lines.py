"""T-Eval results as lines of tables: models, the items of a column, two models compared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotator.teval.results import TevalResult
from scoring.groups import grouped
from scoring.teval.columns import AbilityColumn as Ability
from scoring.teval.columns import ColumnDifference, column_values, item_value
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.scores import ItemResult, TevalScores
from scoring.teval.subsets import Subset
from scoring.wording import counted
from ui.theme.cells import Cell
from ui.theme.tables import Column, Row
from ui.theme.tokens import Tone

NOTHING = "–"
PROFILE_WORDS = {
    TEvalProfile.PAPER: "rules of the paper",
    TEvalProfile.REF_V1: "code of December 2023",
    TEvalProfile.REF_V2: "code since February 2024",
}
ABILITY_WORDS = {
    Ability.INSTRUCT_S: "Instruct, text",
    Ability.INSTRUCT_J: "Instruct, JSON",
    Ability.PLAN_S: "Plan, text",
    Ability.PLAN_J: "Plan, JSON",
    Ability.REASON_S: "Reason, text",
    Ability.REASON_J: "Reason, JSON",
    Ability.RETRIEVE_S: "Retrieve, text",
    Ability.RETRIEVE_J: "Retrieve, JSON",
    Ability.UNDERSTAND_S: "Understand, text",
    Ability.UNDERSTAND_J: "Understand, JSON",
    Ability.REVIEW: "Review",
}
ItemKey = tuple[Subset, str]

MODEL_COLUMNS: tuple[Column[Any], ...] = (
    Column("Model"),
    *(Column(one.value, 68, is_figure=True, tip=ABILITY_WORDS[one]) for one in Ability),
    Column("Overall", 76, is_figure=True, tip="The mean of the six abilities"),
    Column("Failed", 76, is_figure=True, tip="Replies that could not be read, and items without a reply"),
)
_ABILITY = re.compile(r"_(instruct|plan|reason|retrieve|understand|review|rru)(?=_)")
ScoredItem = tuple[float, ItemResult]
"""An item with its score in a column (0 to 1)."""
ITEM_COLUMNS: tuple[Column[ScoredItem], ...] = (
    # The ids without their ability, which the whole list is about: what differs has more room.
    Column("Item", cell=lambda one: Cell(_ABILITY.sub("", one[1].item), is_mono=True, tip=one[1].item)),
    Column("Score", 64, lambda one: _percent(one[0]), is_figure=True),
    Column("Reply", 108, lambda one: _read(one[1])),
)
DIFFERENCE_COLUMNS: tuple[Column[Any], ...] = (
    Column("Column"),
    Column("First", 72, is_figure=True),
    Column("Second", 72, is_figure=True),
    Column("Difference", 88, is_figure=True, tip="Second minus first, in points"),
    Column("95 % interval", 120, is_figure=True, tip="Cases resampled; 0 outside it is no chance"),
    Column("Items", 72, is_figure=True),
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


def model_rows(models: Sequence[Model]) -> tuple[Row, ...]:
    """The models, the best overall first; what is best of all in a column is strong."""
    ordered = sorted(models, key=lambda model: -(model.scores.overall or 0.0))
    values = [[*column_values(model.scores).values(), model.scores.overall] for model in ordered]
    best = [_best(column) for column in zip(*values, strict=True)]
    return tuple(
        Row(
            model.result.name,
            (
                Cell(model.result.name, is_mono=True, tip=about(model)),
                *(
                    _percent(v, is_strong=v is not None and v == top)
                    for v, top in zip(row, best, strict=True)
                ),
                _failed(model),
            ),
            item=model,
        )
        for model, row in zip(ordered, values, strict=True)
    )


def _best(values: Sequence[float | None]) -> float | None:
    """The highest value where one model alone has it."""
    known = [value for value in values if value is not None]
    top = max(known, default=None)
    return top if len(known) > 1 and known.count(top or 0.0) == 1 else None


def about(model: Model) -> str:
    """What was scored and how, in one line."""
    scores = model.scores
    return (
        f"{counted(len(model.results), 'item')} · {PROFILE_WORDS[scores.profile]} · "
        f"sentences compared by {scores.similarity.name}"
    )


def _failed(model: Model) -> Cell:
    failed = sum(one.failed for one in model.scores.subsets.values())
    missing = sum(one.missing for one in model.scores.subsets.values())
    count = failed + missing
    tip = f"{counted(failed, 'reply', 'replies')} not readable, {counted(missing, 'item')} without a reply"
    return Cell(f"{count:,}", count, tip, colour="text" if count else "faint")


def _percent(value: float | None, *, is_strong: bool = False) -> Cell:
    if value is None:
        return Cell(NOTHING, tip="There is no such item, or none has a reply.", colour="faint")
    return Cell(f"{100 * value:.1f}", value, is_strong=is_strong)


def scored_items(model: Model, ability: Ability) -> list[ScoredItem]:
    """The items of a column, the worst first."""
    found = [(item_value(one, ability), one) for one in model.results]
    return sorted(((v, one) for v, one in found if v is not None), key=lambda pair: pair[0])


def _read(one: ItemResult) -> Cell:
    if one.is_missing:
        return Cell("no reply", chip=Tone.ERROR)
    if not one.parsed:
        return Cell("not readable", chip=Tone.WARN, tip="Scored 0: the reply has not the asked form")
    return Cell("cut off", chip=Tone.WARN) if one.hit_limit else Cell("read", colour="muted")


def item_words(one: ItemResult) -> str:
    """What an item came to, metric by metric, and what it is."""
    parts = (
        *(f"{name} {value:.3g}" for name, value in one.metrics.items() if name != "parse_rate"),
        "more than one tool could come next" if one.ambiguous else "",
        f"{one.kind} observation" if one.kind is not None else "",
        f"gold {one.gold_letter}, chosen {one.choice or 'none'}" if one.gold_letter is not None else "",
    )
    return " · ".join(filter(None, parts))


def difference_row(row: ColumnDifference) -> Row:
    """Two models compared in one column."""
    words = {one.value: text for one, text in ABILITY_WORDS.items()}.get(row.name, "Overall")
    difference, interval = row.difference, row.interval
    if difference is None:
        apart = Cell(NOTHING, colour="faint")
    else:
        tip = "" if row.is_significant else "Not significant: chance can explain it"
        colour = ("ok" if difference > 0 else "error") if row.is_significant else "muted"
        apart = Cell(f"{100 * difference:+.1f}", difference, tip, is_strong=row.is_significant, colour=colour)
    if interval is None:
        bounds = Cell(NOTHING, tip=row.why_none or "", colour="faint")
    else:
        bounds = Cell(f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}", interval.low)
    return Row(
        row.name,
        (
            Cell(words, is_strong=row.name == "overall"),
            _percent(row.first),
            _percent(row.second),
            apart,
            bounds,
            Cell(f"{row.items:,}", row.items, colour="muted"),
        ),
    )


def verdict_words(rows: Sequence[ColumnDifference], names: tuple[str, str]) -> str:
    """What a comparison says, in a sentence."""
    clear = [row for row in rows[:-1] if row.is_significant and row.difference is not None]
    if not clear:
        return f"No column tells {names[0]} and {names[1]} apart: chance can explain every difference."
    changed = ((row.name, row.difference) for row in clear if row.difference)
    sides = grouped(("better" if change > 0 else "worse", name) for name, change in changed)
    parts = (f"{side} in {', '.join(columns)}" for side, columns in sorted(sides.items()))
    return f"{names[1]} is {' and '.join(parts)} than {names[0]}; the rest can be chance."
