"""Pictures of the switching space: policy by position, and the pyramid of all sequences of policies."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotator.release.reports.bars import draw_cell, heat_figure, rate_cell
from annotator.release.reports.figure_style import (
    LIGHT,
    FigurePalette,
    finish_with_legend,
    mix,
    new_figure,
    say,
    short,
    style_axes,
    title_figure,
    titled_axes,
)
from annotator.release.reports.run_groups import Cards
from scoring.measures.coverage import MAIN_TYPES, Route, routes
from scoring.measures.rates import Rate
from scoring.measures.routes import layer_variance, policy_matrix, route_table
from scoring.scorecard import Scorecard
from scoring.texts import with_commas
from scoring.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INITIALS = {"single": "S", "multi": "M", "clarify": "Cl", "chat": "Ch"}
_PYRAMIDS_ACROSS = 4
_NAMED_LENGTH = 2
"""Sequences up to this length have room for their names."""


def matrix_figure(card: Scorecard, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy by position of the task and main type of its policy (scoring 5.2, C3-Bench)."""
    matrix = policy_matrix(card.sample)
    words = (
        say("all tasks") if row == "all" else say("task {number}", number=int(row) + 1) for row in matrix
    )
    rows = [
        (
            say("{words} ({count})", words=title, count=rates["all"].total),
            [rate_cell(one) for one in rates.values()],
        )
        for title, rates in zip(words, matrix.values(), strict=True)
    ]
    title, columns = say("Accuracy by policy and task order (%)"), list(next(iter(matrix.values())))
    return heat_figure(rows, columns, title=title, palette=palette, row_inches=0.38, width_inches=5.2)


def routes_figure(card: Scorecard, *, palette: FigurePalette = LIGHT) -> "Figure":
    """The pyramid of routes: how often the last task of every sequence of policies is right (scoring 5.2).

    One row for each length; below every cell the four that go on from it.
    """
    table = route_table(card.sample)
    rows = min(4, max(map(len, table), default=1))
    figure, axes = titled_axes(
        palette,
        title=say("Accuracy of the last task by the policies up to it (%)"),
        grid="",
        height_inches=1.5 + 0.5 * rows,
    )
    _draw_pyramid(axes, table, rows, named_length=_NAMED_LENGTH, palette=palette)
    for row in range(rows):
        note = say("{some} of {all}", some=sum(len(route) == row + 1 for route in table), all=4 ** (row + 1))
        axes.text(1.01, row + 0.47, note, va="center", fontsize=8, color=palette.muted, clip_on=False)
    axes.set_yticks(
        [row + 0.47 for row in range(rows)],
        [say(counted(row + 1, "task")) for row in range(rows)],
    )
    initials = with_commas(f"{short} {say(name, context='label')}" for name, short in _INITIALS.items())
    return _finish_with_scale(figure, initials, palette=palette)


def _draw_pyramid(
    axes: "Axes", table: Mapping[Route, Rate], rows: int, *, named_length: int, palette: FigurePalette
) -> None:
    """The cells of a pyramid; sequences up to `named_length` are written into theirs."""
    for row in range(rows):
        draw_cell(axes, (0, row), None, text="", palette=palette, size=(1, 0.94))
    for route in routes(rows):
        accuracy = table.get(route)
        share = accuracy.value if accuracy is not None else None
        has_room = len(route) <= named_length
        if share is None and not has_room:
            continue  # the hatched ground shows through: hundreds of empty cells would say no more
        width = 4.0 ** -len(route)
        left = sum(MAIN_TYPES.index(name) * 4.0 ** -(i + 1) for i, name in enumerate(route))
        percent = "–" if share is None else f"{100 * share:.0f}"
        text = f"{_named(route)}\n{percent}" if has_room else ""
        draw_cell(axes, (left, len(route) - 1), share, text=text, palette=palette, size=(width, 0.94))
    axes.set(xlim=(0, 1), ylim=(rows, 0), xticks=[])
    for spine in axes.spines.values():
        spine.set_visible(False)


def pyramids_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """The pyramids of any number of runs, each with the layer variance of its last row (MM-F9)."""
    lines = -(-len(cards) // _PYRAMIDS_ACROSS)
    figure = new_figure(palette, height_inches=0.7 + 1.45 * lines)
    panels = figure.subplots(lines, _PYRAMIDS_ACROSS, squeeze=False)
    for axes in panels.flat[len(cards) :]:
        axes.set_axis_off()
    for axes, (name, card) in zip(panels.flat, cards, strict=False):
        table = route_table(card.sample)
        style_axes(axes, palette, title="", grid="")
        axes.set_title(short(name), loc="left", fontsize=8, color=palette.text, pad=3)
        _draw_pyramid(axes, table, min(4, max(map(len, table), default=1)), named_length=0, palette=palette)
        axes.set_yticks([])
        spread = [found.value for found in layer_variance(table).values() if found.value is not None]
        words = say("layer variance {spread:.3f}", spread=spread[-1]) if spread else say("no later task")
        axes.set_xlabel(words, fontsize=7, color=palette.muted)
    title_figure(figure, palette, say("Accuracy of the last task by the policies up to it (%)"))
    return _finish_with_scale(
        figure,
        say(
            "from the left: {policies}",
            policies=with_commas(say(name, context="label") for name in MAIN_TYPES),
        ),
        palette=palette,
    )


def _named(route: Route) -> str:
    return say(route[0], context="label") if len(route) == 1 else " ".join(_INITIALS[name] for name in route)


def _finish_with_scale(figure: "Figure", words: str, *, palette: FigurePalette) -> "Figure":
    """Say below what the colours and the hatching mean, and words about the cells."""
    from matplotlib.patches import Patch

    steps = [Patch(facecolor=mix(palette.low, palette.high, share)) for share in (0.0, 0.5, 1.0)]
    none = Patch(facecolor=palette.missing, hatch="////", hatchcolor=palette.muted, edgecolor=palette.line)
    return finish_with_legend(
        figure, palette, [*steps, none, Patch(alpha=0)], ["0 %", "50 %", "100 %", say("no such case"), words]
    )
