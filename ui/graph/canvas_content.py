"""What a canvas is asked to show: a task with what is said about it, and the looks of its edges."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from scoring.model.case import Edge, Task
from scoring.model.record import Record
from scoring.model.taxonomy import EdgeKind
from ui.theme.words import EDGE_KIND

Pair = tuple[int, int]
"""Source and target of an edge."""


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


class MarkKind(StrEnum):
    """What a simulation or a run says about a step."""

    READY = "ready"
    CHOSEN = "chosen"
    DONE = "done"
    EARLY = "early"
    WRONG = "wrong"
    PROBLEM = "problem"


_MARK_WORDS = {MarkKind.EARLY: "too early", MarkKind.PROBLEM: ""}


@dataclass(frozen=True)
class Mark:
    """A mark on a card; `text` replaces the word of its kind."""

    kind: MarkKind
    text: str = ""

    @property
    def word(self) -> str:
        """What is written on the card."""
        return self.text or _MARK_WORDS.get(self.kind, self.kind.value)


@dataclass(frozen=True)
class CanvasContent:
    """A task and what is said about it.

    `suggestions` are edges to offer, `marks` are by step, `redundant` are drawn edges that others imply,
    `labels` are parameter names by edge. Where `is_drawn` is false, the edges are proposals nobody has
    confirmed: rounds are not named and no order can be played.
    """

    task: Task = field(default_factory=lambda: Task(user=""))
    suggestions: Sequence[Suggestion] = ()
    marks: Mapping[int, Mark] = field(default_factory=dict)
    redundant: Collection[Pair] = ()
    labels: Mapping[Pair, str] = field(default_factory=dict)
    is_drawn: bool = True


@dataclass
class Highlight:
    """What of a drawing stands out: the selection, and what the mouse is over while a line is pulled.

    `target` is the step the line is over and `circle` the edges it would close a circle with;
    `is_refused` says whether it may not end there. `has_grips` says whether cards show their grips.
    """

    step: int | None = None
    edges: set[Pair] = field(default_factory=set)
    target: int | None = None
    is_refused: bool = False
    circle: Collection[Pair] = ()
    has_grips: bool = True


@dataclass(frozen=True)
class EdgeLook:
    """How a line is drawn: a colour of the tokens, a width, a dash pattern in pen widths, a label."""

    colour: str = "muted"
    width: float = 1.6
    dashes: tuple[float, ...] = ()
    label: str = ""
    tip: str = ""


PARAMETER = EdgeLook(tip="a value flows")
LOGICAL = EdgeLook("muted", 1.6, (3.6, 2.6), "logical", "order only")
DERIVED = EdgeLook("faint", 1.1, tip="the answer follows every last step")
SUGGESTED = EdgeLook("accent", 1.6, (1.0, 2.2), "+", "suggested; click to accept")
PROPOSED = EdgeLook("muted", 1.6, (1.0, 2.2), "?", "proposed, nobody has drawn it yet")
PULLED = EdgeLook("accent", 1.6, SUGGESTED.dashes)
AIMED = EdgeLook("accent", 2.0)
REFUSED = EdgeLook("error", 2.4, (1.6, 1.6))
BOTH = EdgeLook("muted", 1.8)
ONLY_FIRST = EdgeLook("accent", 2.0, (3.0, 2.0))
ONLY_SECOND = EdgeLook("observation", 2.0, (5.0, 2.0, 1.0, 2.0))
OVERLAY_COLOURS = (ONLY_FIRST.colour, ONLY_SECOND.colour)
"""Of the two drawings of an overlay, where they have none of their own."""
_REDUNDANT_DASHES = (6.0, 2.4, 1.0, 2.4)


def task_looks(content: CanvasContent) -> dict[Pair, EdgeLook]:
    """How each edge of a task is drawn."""
    redundant = frozenset(content.redundant)
    return {
        edge.pair: _task_look(edge, content, is_redundant=edge.pair in redundant)
        for edge in content.task.edges
    }


def _task_look(edge: Edge, content: CanvasContent, *, is_redundant: bool) -> EdgeLook:
    kind = EDGE_KIND[edge.kind]
    if edge.kind is EdgeKind.DERIVED:
        return DERIVED
    if not content.is_drawn:
        return replace(PROPOSED, tip=f"{kind}, {PROPOSED.tip}")
    label = content.labels.get(edge.pair, "")
    look = LOGICAL if edge.kind is EdgeKind.LOGICAL else replace(PARAMETER, label=label)
    tip = f"{kind}, {look.tip}" + (f" ({label})" if label else "")
    if is_redundant:
        words = f"{label}, redundant" if label else "redundant"
        tip += "; implied by other edges"
        return replace(look, dashes=_REDUNDANT_DASHES, width=1.3, label=words, tip=tip)
    return replace(look, tip=tip)


def suggestion_looks(suggestions: Sequence[Suggestion]) -> dict[Pair, EdgeLook]:
    """How each suggested edge is drawn, its reason as the tooltip."""
    return {item.pair: replace(SUGGESTED, tip=_suggestion_tip(item)) for item in suggestions}


def _suggestion_tip(item: Suggestion) -> str:
    words = (f"suggested, {EDGE_KIND[item.kind]}.", item.reason, "Click to accept.")
    return " ".join(word for word in words if word)


def overlay_looks(
    first: Collection[Edge], second: Collection[Edge], *, names: tuple[str, str], colours: tuple[str, str]
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
