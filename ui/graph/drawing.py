"""What a canvas is asked to show: suggestions, and the looks of the edges of one task or of two drawings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from scoring.model.case import Edge, Task
from scoring.model.record import Record
from scoring.model.taxonomy import EdgeKind
from ui.graph.looks import (
    BOTH,
    DERIVED,
    LOGICAL,
    ONLY_FIRST,
    ONLY_SECOND,
    OVERLAY_COLOURS,
    PARAMETER,
    REDUNDANT_DASHES,
    SUGGESTED,
    EdgeLook,
)
from ui.theme.words import EDGE_KIND

Pair = tuple[int, int]


class Suggestion(Record):
    """An edge somebody may want, with the reason; never drawn without being accepted."""

    source: int
    target: int
    kind: EdgeKind = EdgeKind.PARAMETER
    reason: str = ""

    @property
    def pair(self) -> Pair:
        """Source and target."""
        return self.source, self.target


def task_looks(
    task: Task, *, redundant: Collection[Pair], labels: Mapping[Pair, str]
) -> dict[Pair, EdgeLook]:
    """How each edge of a task is drawn.

    Args:
        task: The task.
        redundant: Edges that others imply.
        labels: Parameter names where they are known.
    """
    redundant = frozenset(redundant)
    return {
        (pair := edge.pair): _look(edge.kind, labels.get(pair, ""), is_redundant=pair in redundant)
        for edge in task.edges
    }


@lru_cache(maxsize=1024)
def _look(kind: EdgeKind, label: str, *, is_redundant: bool) -> EdgeLook:
    if kind is EdgeKind.DERIVED:
        return DERIVED
    look = LOGICAL if kind is EdgeKind.LOGICAL else replace(PARAMETER, label=label)
    tip = f"{EDGE_KIND[kind]}, {look.tip}" + (f" ({label})" if label else "")
    if is_redundant:
        words = f"{label}, redundant" if label else "redundant"
        return replace(
            look,
            dashes=REDUNDANT_DASHES,
            width=1.3,
            label=words,
            tip=f"{tip}; implied by other edges",
            is_told_by_dashes=True,
        )
    return replace(look, tip=tip)


def suggestion_looks(suggestions: Sequence[Suggestion]) -> dict[Pair, EdgeLook]:
    """How each suggested edge is drawn, its reason as the tooltip."""
    return {item.pair: replace(SUGGESTED, tip=_suggestion_tip(item)) for item in suggestions}


def _suggestion_tip(item: Suggestion) -> str:
    words = (f"suggested, {EDGE_KIND[item.kind]}.", item.reason, "Click to accept.")
    return " ".join(word for word in words if word)


def overlay_looks(
    first: Collection[Edge],
    second: Collection[Edge],
    *,
    names: tuple[str, str],
    colours: tuple[str, str] = OVERLAY_COLOURS,
) -> dict[Pair, EdgeLook]:
    """How the edges of two drawings of the same steps are laid over each other.

    Args:
        first: Edges of one rater.
        second: Edges of the other.
        names: What the two are called.
        colours: Of the tokens, for edges that only the one or the other drew.

    Returns:
        A look for each edge of either; edges only one drew carry that one's name as a label.
    """
    kinds = ({edge.pair: edge.kind for edge in first}, {edge.pair: edge.kind for edge in second})
    looks: dict[Pair, EdgeLook] = {}
    for pair in sorted({*kinds[0], *kinds[1]}):
        kind_a, kind_b = kinds[0].get(pair), kinds[1].get(pair)
        if kind_a is None or kind_b is None:
            which = 1 if kind_a is None else 0
            base, name = (ONLY_FIRST, ONLY_SECOND)[which], names[which]
            kind = EDGE_KIND[kind_a or kind_b or EdgeKind.LOGICAL]
            looks[pair] = replace(base, colour=colours[which], label=name, tip=f"only {name}, {kind}")
        elif kind_a is kind_b:
            looks[pair] = replace(BOTH, tip=f"both, {EDGE_KIND[kind_a]}")
        else:
            said = f"{names[0]} {EDGE_KIND[kind_a]}, {names[1]} {EDGE_KIND[kind_b]}"
            looks[pair] = replace(BOTH, label=said, tip=f"both, but {said}")
    return looks
