"""T-Eval beside the scores of runs: its eleven columns as tables, six abilities around a circle, pictures."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from annotator.release.reports.album import Picture
from annotator.release.reports.bars import MOST_BARS, Group, MeasuredRate, rates_figure
from annotator.release.reports.figure_style import (
    FigurePalette,
    add_line,
    finish_with_legend,
    new_figure,
    say,
    short,
    title_figure,
)
from annotator.release.reports.score_tables import ScoreTable, mean_figure, printed_table
from scoring.groups import grouped
from scoring.measures.catalogue import Direction, Form
from scoring.measures.rates import Number
from scoring.teval.columns import OVERALL, AbilityColumn, column_values
from scoring.teval.scores import ABILITIES, TevalScores, read_scores
from scoring.texts import in_language

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TevalModels = Sequence[tuple[str, TevalScores]]
"""Models by name with their scores, all under one profile, over the same items, texts compared alike."""
TevalGroups = Mapping[str, TevalModels]
"""Scores that may stand together, under the words that tell them from the others."""
NO_TEVAL: TevalGroups = {}
Abilities = Sequence[tuple[str, Mapping[str, float | None]]]
"""Models by name with their abilities, from 0 to 1."""


def read_teval(folders: Sequence[Path]) -> TevalGroups:
    """Read folders of T-Eval scores; a model is called by its folder, by the path where two share a name.

    Raises:
        InputError: A folder holds no scores, or broken ones.
    """
    places = grouped((folder.resolve().name, folder) for folder in dict.fromkeys(folders))
    groups = grouped(
        (
            (f"rules: {one.profile}", one.similarity.name, f"items: {one.items_sha256[:8]}"),
            (name if len(namesakes) == 1 else str(folder), one),
        )
        for name, namesakes in places.items()
        for folder in namesakes
        for one in read_scores(folder)
    )
    tells = [place == 0 or len(set(parts)) > 1 for place, parts in enumerate(zip(*groups, strict=True))]
    return {"; ".join(compress(key, tells)): models for key, models in groups.items()}


def teval_tables(groups: TevalGroups) -> Iterator[ScoreTable]:
    """The eleven columns with the mean of the six abilities (TE-T1), and what each loses as JSON."""
    columns = tuple(AbilityColumn)
    for words, models in groups.items():
        one = models[0][1]
        notes = (
            f"{OVERALL}: the mean of the six abilities; S: replies as text, J: as JSON",
            f"sentences compared by {one.similarity.name}; SHA-256 of the items {one.items_sha256[:12]}",
        )
        values = [(name, column_values(scores), scores.overall) for name, scores in models]
        whole = [(name, [*found.values(), overall]) for name, found, overall in values]
        headings = (*columns, OVERALL)
        yield _table(f"T-Eval · {words}", headings, whole, better=Direction.HIGHER, notes=notes)
        pairs = tuple(zip(columns[0:-1:2], columns[1::2], strict=True))
        gaps = [(name, [_difference(found[s], found[j]) for s, j in pairs]) for name, found, _ in values]
        headings = tuple(text.value.removesuffix(" S") for text, _ in pairs)
        yield _table(f"T-Eval, text minus JSON · {words}", headings, gaps, better=Direction.NEITHER)


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float | None]]],
    *,
    better: Direction,
    notes: tuple[str, ...] = (),
) -> ScoreTable:
    """A row a model in percent with one decimal, as T-Eval prints them; of several models also the means."""
    figures = [tuple(map(_figure, values)) for _, values in rows]
    names = [name for name, _ in rows]
    if len(rows) > 1:
        names.append(f"mean of {len(rows)}")
        figures.append(tuple(map(mean_figure, zip(*figures, strict=True))))
    table = printed_table(title, headings, names, figures, form=Form.TENTHS)
    return table.model_copy(update={"directions": (better,) * len(headings), "notes": notes}).grouped(
        dict.fromkeys(names[: len(rows)], "")
    )


def _figure(value: float | None) -> Number:
    return Number(value=value, of=int(value is not None))


def teval_numbers(groups: TevalGroups) -> Iterator[tuple[str, dict[str, str]]]:
    """What a text says of each model's T-Eval: the mean of its six abilities, where it has one."""
    return (
        (f"{name} T-Eval {words}", {OVERALL: f"{100 * one.overall:.1f}"})
        for words, models in groups.items()
        for name, one in models
        if one.overall is not None
    )


def teval_methods(groups: TevalGroups) -> Iterator[str]:
    """How scores of T-Eval came about, a paragraph for each group."""
    for words, models in groups.items():
        first = models[0][1]
        counts = (
            f"{name} {sum(part.missing for part in one.subsets.values()):,} of "
            f"{sum(part.items for part in one.subsets.values()):,} items"
            for name, one in models
        )
        yield (
            f"## T-Eval, {words}\n\nScored under rules {first.profile}; sentences compared by "
            f"{first.similarity.name}; SHA-256 of the items: {first.items_sha256}. "
            f"A reply that is missing or cannot be read counts 0. Without a reply: {', '.join(counts)}."
        )


def teval_pictures(groups: TevalGroups) -> Iterator[Picture]:
    """Six abilities of the best models around a circle, and the eleven columns of all."""
    for number, (words, models) in enumerate(groups.items(), start=1):
        best = sorted(models, key=lambda model: -fmean(value or 0 for value in model[1].abilities.values()))[
            :MOST_BARS
        ]
        abilities = [(name, one.abilities) for name, one in models if (name, one) in best]
        title = say("T-Eval: six abilities")
        if len(best) < len(models):
            title = say("T-Eval: six abilities of the best {count} models", count=len(best))
        yield Picture(
            f"teval-abilities-{number}",
            say("{title}, {words}.", title=title, words=in_language(words)),
            partial(radar_figure, abilities, title=title),
        )
        yield Picture(
            f"teval-columns-{number}",
            say("T-Eval: eleven columns (S text, J JSON), {words}.", words=in_language(words)),
            partial(columns_figure, [(name, column_values(one)) for name, one in models]),
        )


def radar_figure(models: Abilities, *, palette: FigurePalette, title: str = "") -> "Figure":
    """Six abilities around a circle, a line for each model; a missing ability leaves a gap."""
    figure = new_figure(palette, height_inches=4.2)
    axes = figure.add_subplot(projection="polar")
    angles = [2 * math.pi * number / len(ABILITIES) for number in range(len(ABILITIES))]
    axes.set(facecolor=palette.background, theta_offset=math.pi / 2, theta_direction=-1, ylim=(0, 100))
    axes.set_yticks((25, 50, 75, 100), ("25", "50", "75", "100"))
    axes.set_xticks(angles, [name.capitalize() for name in ABILITIES])
    axes.tick_params(colors=palette.muted, labelsize=8, pad=10)
    axes.grid(color=palette.line, linewidth=0.8)
    for spine in axes.spines.values():
        spine.set_color(palette.line)
    title_figure(figure, palette, say("{title} (%)", title=title or say("T-Eval: six abilities")))
    lines = []
    for number, (_, values) in enumerate(models):
        heights = [values.get(name) for name in ABILITIES]
        ring = [
            (angle, math.nan if value is None else 100 * value)
            for angle, value in zip([*angles, angles[0]], [*heights, heights[0]], strict=True)
        ]
        lines.append(add_line(axes, palette, ring, number=number, of=len(models)))
    return finish_with_legend(figure, palette, lines, [short(name) for name, _ in models])


def columns_figure(
    models: Sequence[tuple[str, Mapping[AbilityColumn, float | None]]], *, palette: FigurePalette
) -> "Figure":
    """The eleven columns as bars, a bar for each model; a dash where a column is missing.

    More models than bars tell apart are the rows of a heat map.
    """
    return rates_figure(
        [
            Group(
                label=column.value.replace(" ", "\n"),
                values=tuple(MeasuredRate(rate=_figure(values.get(column))) for _, values in models),
            )
            for column in AbilityColumn
        ],
        [name for name, _ in models],
        title=say("T-Eval by ability and format"),
        axis="",
        palette=palette,
    )
