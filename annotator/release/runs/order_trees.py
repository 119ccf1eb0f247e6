"""Pictures of one task: the tree of its legal orders with what runs took, and their replies side by side."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from annotator.jobs import JobContext
from annotator.release.reports.album import Picture, save_album
from annotator.release.reports.figure_style import (
    LIGHT,
    FigurePalette,
    drawable,
    finish,
    say,
    short,
    titled_axes,
)
from annotator.release.runs.task_replies import TakenTask
from scoring.groups import grouped
from scoring.matching.gold import Gold
from scoring.orders.lattice import Order
from scoring.orders.legal_orders import count_orders, list_orders
from scoring.texts import in_language, with_commas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ORDERS = 24
"""Legal orders that are drawn; beside them only what was taken."""
_LINE = 120
"""Characters of a line of replies."""
_WRONG = 2
"""The colour of what is wrong."""
_LEFT = (-1,)
"""Stands in the tree for the rounds of runs that left the legal orders."""


def task_pictures(gold: Gold, taken: Sequence[TakenTask]) -> tuple[Picture, ...]:
    """The replies side by side, and the tree of legal orders."""
    words = _title(gold)
    return (
        Picture(
            "replies", say("{task}: what each run did.", task=words), partial(replies_figure, gold, taken)
        ),
        Picture(
            "orders",
            say("{task}: legal orders and what was taken.", task=words),
            partial(tree_figure, gold, taken),
        ),
    )


def save_task_pictures(
    gold: Gold, taken: Sequence[TakenTask], folder: Path, *, context: JobContext
) -> tuple[Path, ...]:
    """Write both pictures in every form; a job.

    Raises:
        StoreError: The folder cannot be written.
    """
    context.check_cancelled()
    return save_album(task_pictures(gold, taken), folder)


def _title(gold: Gold) -> str:
    """The task in words; it counts from 1, as the papers do."""
    return say("{case}, task {number}", case=short(gold.case_id), number=gold.task_number + 1)


def tree_figure(gold: Gold, taken: Sequence[TakenTask], *, palette: FigurePalette = LIGHT) -> "Figure":
    """The legal orders of a task as a tree: what some run took in colour, what all of them pruned grey.

    A node is the set of steps of one round. Beside the last node of a run stands who came to the answer
    there; runs that left the legal orders stand on a branch of their own.
    """
    ends = grouped((one.path if one.left is None else (*one.path, _LEFT), one) for one in taken if one.match)
    reached = Counter(
        path[:depth] for path, runs in ends.items() for depth in range(len(path) + 1) for _ in runs
    )
    every = count_orders(gold.graph)
    listed = list(list_orders(gold.graph, at_most=MOST_ORDERS))
    prefixes = {order[:depth] for order in (*listed, *ends) for depth in range(len(order) + 1)}
    places = _places(sorted(prefixes, key=lambda prefix: (len(prefix), *((len(one), one) for one in prefix))))
    total = say("very many") if every is None else f"{every:,}"
    title = say("Legal orders of {task} ({total})", task=_title(gold), total=total)
    if every is None or every > len(listed):
        title = say("{title}: the first {count} and those taken", title=title, count=len(listed))
    figure, axes = titled_axes(
        palette,
        title=title,
        grid="",
        height_inches=1.6 + 0.34 * max(y + 1 for _, y in places.values()),
    )
    for prefix, (x, y) in places.items():
        is_taken, is_left = prefix in reached, prefix[-1:] == (_LEFT,)
        colour = palette.colour(_WRONG if is_left else 0) if is_taken else palette.muted
        if prefix:
            before = places[prefix[:-1]]
            axes.plot(
                [before[0], x - 0.5, x - 0.5, x - 0.35 if is_left else x],
                [before[1], before[1], y, y],
                color=colour if is_taken else palette.line,
                linewidth=2.2 if is_taken else 1.0,
                linestyle=":" if is_left else "-",
                zorder=2 if is_taken else 1,
            )
        if is_left:
            continue
        axes.text(
            x,
            y,
            f"[{','.join(map(str, prefix[-1]))}]" if prefix else say("start"),
            ha="center",
            va="center",
            fontsize=8,
            color=colour,
            zorder=3,
            bbox={
                "boxstyle": "round,pad=0.3",
                "facecolor": palette.background,
                "edgecolor": colour if is_taken else palette.line,
            },
        )
    for prefix, runs in ends.items():
        names = with_commas(short(one.run) for one in runs[:3])
        if len(runs) > 3:
            names = say("{names} and {count} more", names=names, count=len(runs) - 3)
        is_left = prefix[-1:] == (_LEFT,)
        x, y = places[prefix]
        axes.text(
            x - 0.3 if is_left else x + 0.35,
            y,
            say("left: {names}", names=names) if is_left else names,
            va="center",
            fontsize=7,
            color=palette.colour(_WRONG) if is_left else palette.text,
        )
    steps = with_commas(f"{step}\xa0{drawable(name)}" for step, name in enumerate(gold.graph.names))
    axes.set_xlabel("\n".join(wrap(steps, _LINE)), color=palette.muted, fontsize=8, loc="left")
    axes.set(
        xlim=(-0.4, max(x for x, _ in places.values()) + 1.2),
        ylim=(max(y for _, y in places.values()) + 0.6, -0.6),
        xticks=[],
        yticks=[],
    )
    axes.spines[:].set_visible(False)
    return finish(figure)


def _places(prefixes: Sequence[Order]) -> dict[Order, tuple[float, float]]:
    """Depth and height of each node: leaves one below the other, others in the middle of what follows."""
    following = grouped((prefix[:-1], prefix) for prefix in prefixes if prefix)
    heights: dict[Order, float] = {}

    def place(prefix: Order) -> float:
        below = [place(one) for one in following.get(prefix, ())]
        leaves = sum(one not in following for one in heights)
        heights[prefix] = (below[0] + below[-1]) / 2 if below else float(leaves)
        return heights[prefix]

    place(())
    return {prefix: (float(len(prefix)), height) for prefix, height in heights.items()}


def replies_figure(gold: Gold, taken: Sequence[TakenTask], *, palette: FigurePalette = LIGHT) -> "Figure":
    """The request, then for each run its replies, whether they are right, and what went wrong (C3-T19)."""
    lines: list[tuple[float, str, str]] = [(0, text, palette.text) for text in _wrapped(gold.task.user)]
    for one in taken:
        sign = say("right") if one.score.is_correct else say("wrong")
        colour = palette.colour(1 if one.score.is_correct else _WRONG)
        lines += [(0, "", palette.text), (0, say("{name}: {sign}", name=short(one.run), sign=sign), colour)]
        for number, words in enumerate(one.said, start=1):
            ground = palette.colour(_WRONG) if number == one.left else palette.text
            lines += [(0.02, text, ground) for text in _wrapped(f"{number} {words}")]
        lines += [(0.02, text, palette.muted) for text in _wrapped(in_language(one.why))]
    figure, axes = titled_axes(
        palette,
        title=_title(gold),
        grid="",
        height_inches=0.7 + 0.17 * len(lines),
    )
    for row, (indent, text, colour) in enumerate(lines):
        axes.text(indent, row, text, va="center", fontsize=8, color=colour)
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(len(lines) - 0.5, -0.5))
    return finish(figure)


def _wrapped(text: str) -> list[str]:
    return wrap(drawable(text), _LINE, subsequent_indent="   ")
