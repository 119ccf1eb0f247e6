"""Pictures of many models: bars, lines and dots in the colour of their kind, pairs found by their cards."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log2, log10, nan
from statistics import StatisticsError, correlation, linear_regression
from typing import TYPE_CHECKING

from annotator.release.reports.bars import MeasuredRate, accuracy_heat, heat_figure, rate_cell
from annotator.release.reports.effect_tables import (
    dollars_of_task,
    size_series,
    thinking_pairs,
    tokens_of_task,
)
from annotator.release.reports.figure_style import (
    LIGHT,
    FigurePalette,
    add_line,
    finish_with_legend,
    inside,
    say,
    short,
    titled_axes,
    upright_words,
)
from annotator.release.reports.point_names import name_points
from annotator.release.reports.run_groups import Cards
from annotator.release.reports.score_figures import AXES, TITLES, ModelRobustness, Slice, kind_words, sliced
from scoring.agreement.preferences import WinRate
from scoring.groups import grouped
from scoring.measures.accuracy import accuracy_by_transitions
from scoring.measures.rates import Rate
from scoring.model.taxonomy import ModelKind, WildtoolMistake
from scoring.scorecard import Scorecard
from scoring.texts import with_commas

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS: tuple[ModelKind | None, ...] = (*ModelKind, None)
"""In the order of their colours."""
_FIRST = "first tasks"
_APART = -1.0
"""Where first tasks stand, which hide nothing and come after no other task."""
Point = tuple[str, float, float, ModelKind | None]
"""A named point of a model of some kind."""


def _kind(card: Scorecard) -> ModelKind | None:
    return card.model_card.kind if card.model_card else None


def _number(kind: ModelKind | None) -> int:
    """The place of a kind among colours and marks; grey where it is not known."""
    return _KINDS.index(kind) if kind else 7


def overall_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy over all tasks, the best model first, in the colour of its kind, with Wilson intervals."""
    rates = {name: MeasuredRate.of(card.summary.accuracy.tasks) for name, card in cards}
    runs = sorted(
        (run for run in cards if rates[run[0]].interval), key=lambda run: -(rates[run[0]].rate.value or 0)
    )
    figure, axes = titled_axes(
        palette, title=say("Accuracy (%)"), grid="x", height_inches=1.3 + 0.24 * len(runs)
    )
    handles = {}
    for row, (name, card) in enumerate(runs):
        value, bounds, number = rates[name].rate.value or 0, rates[name].interval, _number(_kind(card))
        assert bounds is not None
        [bar] = axes.barh(row, 100 * value, height=0.7, color=palette.colour(number))
        handles[kind_words(_kind(card))] = bar
        axes.plot([100 * bounds.low, 100 * bounds.high], [row, row], color=palette.text, linewidth=0.9)
        axes.text(
            100 * bounds.high + 1, row, f"{100 * value:.1f}", va="center", fontsize=8, color=palette.muted
        )
    highest = max((100 * one.interval.high for one in rates.values() if one.interval), default=94)
    axes.set(
        yticks=range(len(runs)),
        yticklabels=[short(name) for name, _ in runs],
        ylim=(len(runs) - 0.4, -0.6),
        xlim=(0, min(108, 6 + highest)),
    )
    return finish_with_legend(figure, palette, list(handles.values()), list(handles))


_LABEL_SHARE = 0.05
"""Share of the axis that the label of a size takes; sizes nearer than that to one written go without."""
_MOST_NAMED = 4
"""Runs that are named where they are left out of a picture; of more their number is said."""


def size_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy against size, a line for each family in several sizes, other models of known size as dots."""
    figure, axes = titled_axes(palette, title=say("Accuracy by size (%)"), height_inches=3.8)
    series = size_series(cards)
    handles: list[Artist] = [
        add_line(
            axes,
            palette,
            [(log2(size), 100 * (card.summary.task_accuracy or 0)) for size, _, card in runs],
            number=number,
            of=1,
        )
        for number, runs in enumerate(series.values())
    ]
    joined = {name for runs in series.values() for _, name, _ in runs}
    alone = [
        (name, card) for name, card in cards if name not in joined and card.summary.task_accuracy is not None
    ]
    sizes = {name: known.size for name, card in alone if (known := card.model_card) and known.size}
    dots = [
        (name, log2(sizes[name]), 100 * (c.summary.task_accuracy or 0), _kind(c))
        for name, c in alone
        if name in sizes
    ]
    _draw_points(axes, palette, dots)
    every = sorted({size for runs in series.values() for size, _, _ in runs} | set(sizes.values()))
    written: list[float] = []
    for size in every:
        if not written or log2(size / written[-1]) > _LABEL_SHARE * log2(every[-1] / every[0]):
            written.append(size)
    axes.set(
        xticks=[log2(size) for size in written],
        xticklabels=[f"{size:g}" for size in written],
        xmargin=0.08,
        ymargin=0.12,
    )
    unknown = [short(name) for name, _ in alone if name not in sizes]
    left_out = (
        with_commas(unknown) if len(unknown) <= _MOST_NAMED else say("{count} runs", count=len(unknown))
    )
    across = say("size (billions of parameters, logarithmic)")
    if unknown:
        across = say("{first}; size unknown: {runs}", first=across, runs=left_out)
    _label(axes, palette, across, upright_words(axes, say("accuracy (%)")))
    name_points(figure, palette, [(name, x, y) for name, x, y, _ in dots])
    return finish_with_legend(
        figure, palette, handles, [short(with_commas(map(say, name.split(", ")))) for name in series]
    )


def _label(axes: "Axes", palette: FigurePalette, across: str, up: str) -> None:
    axes.set_xlabel(across, color=palette.muted, fontsize=8, wrap=True)
    axes.set_ylabel(up, color=palette.muted, fontsize=8)


def _draw_points(axes: "Axes", palette: FigurePalette, points: Sequence[Point]) -> "dict[str, Artist]":
    """Dots in colour and mark of their kind, and a handle for each kind there is."""
    handles: dict[str, Artist] = {
        kind_words(kind): add_line(axes, palette, [(x, y)], number=_number(kind), of=1)
        for _, x, y, kind in points
    }
    return {words: handles[words] for words in map(kind_words, _KINDS) if words in handles}


def _scatter(
    title: str,
    points: Sequence[Point],
    *,
    across: str,
    up: str,
    palette: FigurePalette,
    has_trend: bool = False,
    is_logarithmic: bool = False,
) -> "Figure":
    """Named dots on axes that fit them, with a trend where three or more say one."""
    height = 4.2 + 0.08 * max(0, len(points) - 16)
    figure, axes = titled_axes(palette, title=title, height_inches=height)
    handles = _draw_points(axes, palette, points)
    xs, ys = [x for _, x, _, _ in points], [y for _, _, y, _ in points]
    if is_logarithmic:
        axes.set(xscale="log", xmargin=0.12)
    else:
        axes.set_xlim(_around(xs))
    axes.set_ylim(_around(ys))
    _label(axes, palette, across, up)
    try:
        if has_trend and len(points) > 2:
            slope, height = linear_regression(xs, ys)
            ranked = correlation(_ranks(xs), _ranks(ys))
            line = add_line(
                axes, palette, [(x, slope * x + height) for x in (min(xs), max(xs))], number=7, of=1
            )
            line.set(marker="", linestyle=":", linewidth=1.2, zorder=1)
            handles[
                say(
                    "trend, rank correlation {ranked} over {count}",
                    ranked=f"{ranked:+.2f}".replace("-", "−"),
                    count=len(points),
                )
            ] = line
    except StatisticsError:
        pass  # all alike in one of both: there is no trend
    ticks = _decades(axes.get_xlim()) if is_logarithmic else inside(axes.get_xticks(), axes.get_xlim())
    axes.set_xticks(ticks, [f"{tick:,.6g}" for tick in ticks] if is_logarithmic else None)
    axes.minorticks_off()
    axes.set_yticks(inside(axes.get_yticks(), axes.get_ylim()))
    name_points(figure, palette, [(name, x, y) for name, x, y, _ in points])
    return finish_with_legend(figure, palette, list(handles.values()), list(handles))


def _around(percents: Sequence[float]) -> tuple[float, float]:
    """Limits of an axis that shows percents, also equal ones; within 0 and 100."""
    low, high = min(percents, default=0), max(percents, default=100)
    room = max(0.12 * (high - low), 3)
    return max(0, low - room), min(100, high + room)


def _decades(limits: tuple[float, float]) -> list[float]:
    """The 1, 2 and 5 of each power of ten between two limits above 0; finer steps where they are near."""
    powers = range(floor(log10(limits[0])), ceil(log10(limits[1])) + 1)
    finer = ((1, 2, 5), range(1, 10), [first / 10 for first in range(10, 100)])
    found = [inside([one * 10.0**power for power in powers for one in firsts], limits) for firsts in finer]
    return next((ticks for ticks in found if len(ticks) > 2), found[-1])


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each value among the others; equal ones share the middle of theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def volatility_figure(models: Sequence[ModelRobustness], *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy after the full process against volatility (VF), how often a model changes its mind (C3-F8)."""
    return _scatter(
        say("Accuracy against volatility (VF)"),
        [
            (model.name, 100 * flips, 100 * model.accuracy, model.kind)
            for model in models
            if (flips := model.table.overall.volatility) is not None and model.accuracy is not None
        ],
        across=say("tasks that flip between histories (%)"),
        up=say("accuracy after the full process (%)"),
        palette=palette,
        has_trend=True,
    )


def cost_points(cards: Cards) -> tuple[str, list[Point]]:
    """Dollars for a thousand tasks where cards have prices, else tokens written for a task; and accuracy.

    Returns:
        What is counted, and the runs that say it.
    """
    dollars, written = [], []
    for name, card in cards:
        accuracy, tokens, spent = card.summary.task_accuracy, tokens_of_task(card), dollars_of_task(card)
        if accuracy is not None and tokens is not None:
            written.append((name, tokens, 100 * accuracy, _kind(card)))
        if accuracy is not None and spent is not None:
            dollars.append((name, 1000 * spent, 100 * accuracy, _kind(card)))
    if dollars:
        return say("dollars for a thousand tasks, logarithmic"), dollars
    return say("tokens written for a task, logarithmic"), written


def cost_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy against what a task costs, on a logarithmic axis (C3 3.4); runs that cost nothing are named.

    An arrow leads from a model to itself with thinking.
    """
    words, every = cost_points(cards)
    points = [point for point in every if point[1] > 0]
    if left_out := len(cards) - len(every):
        words = say("{first}; {some} of {all} runs do not say", first=words, some=left_out, all=len(cards))
    if free := with_commas(short(name) for name, spent, *_ in every if not spent):
        words = say("{first}; nothing: {runs}", first=words, runs=free)
    figure = _scatter(
        say("Accuracy against cost"),
        points,
        across=words,
        up=say("accuracy (%)"),
        palette=palette,
        is_logarithmic=bool(points),
    )
    places = {name: (x, y) for name, x, y, _ in points}
    look = {"arrowstyle": "->", "color": palette.muted, "linewidth": 0.6, "alpha": 0.6}
    for (fast, _), (slow, _) in thinking_pairs(cards):
        if fast in places and slow in places:
            figure.axes[0].annotate("", places[slow], xytext=places[fast], arrowprops=look, zorder=1)
    return figure


def win_figure(
    cards: Cards, wins: Sequence[tuple[str, WinRate]], *, palette: FigurePalette = LIGHT
) -> "Figure":
    """Win rates against accuracy; at 50 % a run is as good as the baseline (TE-F4)."""
    own = dict(cards)
    figure = _scatter(
        say("Win rate against accuracy"),
        [
            (name, 100 * one.accuracy.value, 100 * one.win_rate.value, _kind(own[name]))
            for name, one in wins
            if one.accuracy.value is not None and one.win_rate.value is not None
        ],
        across=say("accuracy over the compared tasks (%)"),
        up=say("win rate against {name} (%)", name=short(wins[0][1].baseline)),
        palette=palette,
        has_trend=True,
    )
    figure.axes[0].axhline(50, color=palette.muted, linewidth=0.8, zorder=0)
    return figure


def profile_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Refusals against wrong tool names: cautious models stand right, eager ones high (WT-T4)."""
    axes = (WildtoolMistake.REFUSAL, WildtoolMistake.WRONG_NAME)
    points = [
        (name, 100 * x, 100 * y, _kind(card))
        for name, card in cards
        for x, y in [[card.summary.errors[mistake].value for mistake in axes]]
        if x is not None and y is not None
    ]
    across, up = (say("{name}, share of failed tasks (%)", name=say(mistake.value)) for mistake in axes)
    return _scatter(say("Cautious against eager"), points, across=across, up=up, palette=palette)


def slice_rates(card: Scorecard, by: Slice) -> dict[str, Rate]:
    """Accuracy in slices with first tasks apart, as lines show it."""
    later: Mapping[str, Rate] = (
        accuracy_by_transitions(card.sample, has_first=False) if by is Slice.TRANSITIONS else sliced(card, by)
    )
    names = (
        ("omission", "reference", "long range")
        if by is Slice.INFORMATION
        else tuple(name for name in later if name != "task 1")
    )
    return {
        _FIRST: card.summary.accuracy.by_information["first"],
        **{name: later[name] for name in names if name in later},
    }


def kind_lines_figure(cards: Cards, by: Slice, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy in slices: thin lines for runs, wide ones for the mean of each kind, first tasks apart."""
    figure, axes = titled_axes(
        palette, title=say("{title}, by kind of model", title=say(TITLES[by])), height_inches=3.6
    )
    rates = [(_kind(card), slice_rates(card, by)) for _, card in cards]
    labels = dict.fromkeys(label for _, own in rates for label, rate in own.items() if rate.total)
    places = {label: float(x) for x, label in enumerate(one for one in labels if one != _FIRST)}
    places |= {_FIRST: _APART} if _FIRST in labels else {}
    handles: dict[str, Artist] = {}
    kinds = grouped(rates)
    for kind in (one for one in _KINDS if one in kinds):
        every = [
            {places[label]: 100 * rate.value for label, rate in own.items() if rate.value is not None}
            for own in kinds[kind]
        ]
        for own in every:
            _line_with_first(axes, palette, own, kind=kind, width=0.7)
        values = grouped((x, value) for own in every for x, value in own.items())
        mean = {x: sum(found) / len(found) for x, found in sorted(values.items())}
        words = say("{kind}, mean of {count}", kind=kind_words(kind), count=len(every))
        handles[words] = _line_with_first(axes, palette, mean, kind=kind, width=2.4)
    if _FIRST in places:
        axes.axvline(_APART / 2, color=palette.line, linewidth=0.8)
    axes.set(
        xticks=list(places.values()),
        xticklabels=[say(label, context="label") for label in places],
        xmargin=0.05,
        ymargin=0.08,
    )
    _label(axes, palette, say(AXES[by]), upright_words(axes, say("accuracy (%)")))
    return finish_with_legend(figure, palette, list(handles.values()), list(handles))


def _line_with_first(
    axes: "Axes",
    palette: FigurePalette,
    values: Mapping[float, float],
    *,
    kind: ModelKind | None,
    width: float,
) -> "Artist":
    """A line of one kind; first tasks are a mark of their own, which no line joins."""
    place = _APART + 0.08 * (_KINDS.index(kind) - 1)  # beside the others, which it would hide
    first = [(place, value) for x, value in values.items() if x == _APART]
    points = [(x, value) for x, value in sorted(values.items()) if x != _APART]
    line = add_line(axes, palette, [*first, (_APART / 2, nan), *points], number=_number(kind), of=1)
    line.set(linewidth=width, markersize=1 + 2 * width, alpha=1 if width > 1 else 0.45, zorder=2 + width)
    return line


def slice_heat_figure(cards: Cards, by: Slice, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Accuracy in slices as a heat map, a row for each run, the best run first."""
    return accuracy_heat(
        [
            (name, slice_rates(card, by))
            for name, card in sorted(cards, key=lambda run: -(run[1].summary.task_accuracy or 0))
        ],
        title=TITLES[by],
        palette=palette,
    )


def error_heat_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Error classes among the failed tasks of each run; each column is shaded up to its own largest share."""
    classes = list(WildtoolMistake)
    columns = {one: [card.summary.errors[one] for _, card in cards] for one in classes}
    largest = {one: max(rate.value or 0.0 for rate in column) or 1.0 for one, column in columns.items()}
    return heat_figure(
        [
            (short(name), [rate_cell(card.summary.errors[one], largest=largest[one]) for one in classes])
            for name, card in cards
        ],
        classes,
        title=say("{title} (%)", title=say("Error classes among failed tasks")),
        palette=palette,
        has_long_labels=True,
    )


def pairs_figure(cards: Cards, *, palette: FigurePalette = LIGHT) -> "Figure":
    """Fast against slow thinking: a row for each pair of one family and size, the difference at its end."""
    pairs = [
        (name, 100 * one, 100 * other)
        for (name, fast), (_, slow) in thinking_pairs(cards)
        if (one := fast.summary.task_accuracy) is not None
        and (other := slow.summary.task_accuracy) is not None
    ]
    pairs = sorted(pairs, key=lambda pair: pair[1] - pair[2])
    figure, axes = titled_axes(
        palette,
        title=say("Thinking off against on: accuracy (%)"),
        grid="x",
        height_inches=1.4 + 0.26 * len(pairs),
    )
    handles: list[Artist] = []
    for row, (_, fast_value, slow_value) in enumerate(pairs):
        axes.plot([fast_value, slow_value], [row, row], color=palette.muted, linewidth=1.2, zorder=1)
        handles = [
            add_line(axes, palette, [(value, row)], number=number, of=1)
            for number, value in enumerate((fast_value, slow_value))
        ]
        axes.annotate(
            f"{slow_value - fast_value:+.1f}".replace("-", "−"),
            (max(fast_value, slow_value), row),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=palette.muted,
        )
    axes.set(
        yticks=range(len(pairs)),
        yticklabels=[short(name) for name, _, _ in pairs],
        ylim=(len(pairs) - 0.4, -0.6),
        xmargin=0.1,
    )
    return finish_with_legend(
        figure, palette, handles, [say("thinking off"), say("thinking on")][: len(handles)]
    )
