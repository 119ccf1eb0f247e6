"""What a canvas is asked to show: a task with what is said about it, looks of its edges, and its words."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from annotator.cases.evidence.suggestions import SuggestedEdge
from scoring.groups import keyed
from scoring.model.case import Answer, Ask, Call, Edge, Task
from scoring.model.flow import leaves
from scoring.model.graph import redundant_edges
from scoring.model.record import to_text
from scoring.model.taxonomy import EdgeKind, Policy
from scoring.orders.lattice import Order
from scoring.texts import tr, tr_count, with_commas
from ui.theme import Tone
from ui.theme.words import EDGE_KIND, visible

Pair = tuple[int, int]
"""Source and target of an edge."""


class MarkKind(StrEnum):
    """What a simulation or a run says about a step."""

    READY = "ready"
    CHOSEN = "chosen"
    DONE = "done"
    EARLY = "early"
    WRONG = "wrong"
    PROBLEM = "problem"


_MARK_WORDS = {
    MarkKind.READY: tr("ready"),
    MarkKind.CHOSEN: tr("chosen"),
    MarkKind.DONE: tr("done"),
    MarkKind.EARLY: tr("too early"),
    MarkKind.WRONG: tr("wrong"),
    MarkKind.PROBLEM: "",
}


@dataclass(frozen=True)
class Mark:
    """A mark on a card; `text` replaces the word of its kind."""

    kind: MarkKind
    text: str = ""

    @property
    def word(self) -> str:
        """What is written on the card."""
        return self.text or _MARK_WORDS[self.kind]


@dataclass(frozen=True)
class CanvasContent:
    """A task and what is said about it.

    `suggestions` are edges to offer, `marks` are by step, `redundant` are drawn edges that others imply,
    `labels` are parameter names by edge. Where `is_drawn` is false, the edges but those in
    `own` are proposals nobody has confirmed: rounds are not named and no order can be played.
    """

    task: Task = field(default_factory=lambda: Task(user=""))
    suggestions: Sequence[SuggestedEdge] = ()
    marks: Mapping[int, Mark] = field(default_factory=dict)
    redundant: Collection[Pair] = ()
    labels: Mapping[Pair, str] = field(default_factory=dict)
    is_drawn: bool = True
    own: Collection[Pair] = ()

    @property
    def proposed_count(self) -> int:
        """Dotted edges of a task that is not drawn: of its file, and suggested."""
        return sum(edge.pair not in self.own for edge in self.task.drawn_edges) + len(self.suggestions)


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


PARAMETER = EdgeLook(tip=tr("a value flows"))
LOGICAL = EdgeLook("muted", 1.6, (3.6, 2.6), tr("logical"), tr("order only"))
DERIVED = EdgeLook("faint", 1.1, tip=tr("the answer follows every last step"))
SUGGESTED = EdgeLook("accent", 1.6, (1.0, 2.2), "+", tr("suggested; click to accept"))
PROPOSED = EdgeLook("muted", 1.6, (1.0, 2.2), "?", tr("proposed, nobody has drawn it yet"))
PULLED = EdgeLook("accent", 1.6, SUGGESTED.dashes)
AIMED = EdgeLook("accent", 2.0)
REFUSED = EdgeLook("error", 2.4, (1.6, 1.6))
BOTH = EdgeLook("muted", 1.8)
ONLY_FIRST = EdgeLook("accent", 2.0, (3.0, 2.0))
ONLY_SECOND = EdgeLook("observation", 2.0, (5.0, 2.0, 1.0, 2.0))
OVERLAY_COLOURS = (ONLY_FIRST.colour, ONLY_SECOND.colour)
"""Of the two drawings of an overlay, where they have none of their own."""


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
    if not content.is_drawn and edge.pair not in content.own:
        return replace(PROPOSED, tip=f"{kind}, {PROPOSED.tip}")
    label = content.labels.get(edge.pair, "")
    look = LOGICAL if edge.kind is EdgeKind.LOGICAL else replace(PARAMETER, label=label)
    tip = f"{kind}, {look.tip}" + (f" ({label})" if label else "")
    if is_redundant:
        words = tr("{label}, redundant", label=label) if label else tr("redundant")
        tip += tr("; implied by other edges")
        return replace(look, dashes=(6.0, 2.4, 1.0, 2.4), width=1.3, label=words, tip=tip)
    return replace(look, tip=tip)


def suggestion_looks(suggestions: Sequence[SuggestedEdge]) -> dict[Pair, EdgeLook]:
    """How each suggested edge is drawn, its reason as the tooltip."""
    words = {
        item.edge.pair: (
            tr("suggested, {edge_kind}.", edge_kind=EDGE_KIND[item.edge.kind]),
            tr(item.reason),
            tr("Click to accept."),
        )
        for item in suggestions
    }
    return {pair: replace(SUGGESTED, tip=" ".join(filter(None, said))) for pair, said in words.items()}


@keyed
def overlay_looks(
    first: Collection[Edge], second: Collection[Edge], *, names: tuple[str, str], colours: tuple[str, str]
) -> Iterator[tuple[Pair, EdgeLook]]:
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
    for pair in sorted({*kinds[0], *kinds[1]}):
        kind_a, kind_b = kinds[0].get(pair), kinds[1].get(pair)
        if kind_a is None or kind_b is None:
            which = 1 if kind_a is None else 0
            base, name = (ONLY_FIRST, ONLY_SECOND)[which], names[which]
            kind = EDGE_KIND[kind_a or kind_b or EdgeKind.LOGICAL]
            yield (
                pair,
                replace(
                    base,
                    colour=colours[which],
                    label=name,
                    tip=tr("only {name}, {kind}", name=name, kind=kind),
                ),
            )
        elif kind_a is kind_b:
            yield pair, replace(BOTH, tip=tr("both, {kind}", kind=EDGE_KIND[kind_a]))
        else:
            said = f"{names[0]} {EDGE_KIND[kind_a]}, {names[1]} {EDGE_KIND[kind_b]}"
            yield pair, replace(BOTH, label=said, tip=tr("both, but {said}", said=said))


LARGEST_IN_FULL = 10**15
_PIECE_LENGTH = 40
_MOST_NAMED = 6
_LONGEST_CHAIN = 12
_MOST_TOLD = 60
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def step_title(number: int, step: Call | Ask | Answer) -> str:
    """Number and name of a step, e.g. `1 getCityShow`."""
    kind = tr("answer") if isinstance(step, Answer) else tr("ask")
    return f"{number} {visible(step.name) if isinstance(step, Call) else kind}"


def step_detail(step: Call | Ask | Answer) -> str:
    """One line about a step: argument values, what a question asks for, where an answer comes from."""
    match step:
        case Call():
            pieces = (_short(to_text(value)) or '""' for _, value in leaves(step.arguments))
            return " · ".join(pieces) or tr("no arguments")
        case Ask():
            wanted = [name for asked in step.asks_for for name in asked.missing_required_parameters]
            return with_commas(wanted) or _short(step.text)
        case _:
            return tr("direct reply") if step.answer_type == "chat" else tr("from tool results")


def _short(text: str) -> str:
    line = " ".join(visible(text[: 4 * _PIECE_LENGTH]).split())
    return line if len(line) <= _PIECE_LENGTH else line[: _PIECE_LENGTH - 1] + "…"


def about_step(task: Task, step: int | None, rounds: Sequence[int]) -> str:
    """A step and its place in the graph in words, for a screen reader; without one, the list of all steps."""
    if step is None:
        every = (about_step(task, number, rounds) for number in range(min(len(task.steps), _MOST_TOLD)))
        return ". ".join([tr("{step}, none selected", step=tr_count(len(task.steps), "step")), *every])
    words = [
        tr("Step {step_title}", step_title=step_title(step, task.steps[step])),
        step_detail(task.steps[step]),
        tr("round {rounds}", rounds=rounds[step] + 1),
    ]
    before = sorted(edge.source for edge in task.edges if edge.target == step)
    after = sorted(edge.target for edge in task.edges if edge.source == step)
    if before:
        words.append(tr("waits for {steps}", steps=with_commas(before)))
    if after:
        words.append(tr("awaited by {steps}", steps=with_commas(after)))
    return "; ".join(words)


def about_edges(task: Task, pairs: Collection[tuple[int, int]]) -> str:
    """What is selected and which keys change it; empty where no edge of the task is selected."""
    kinds = {edge.pair: edge.kind for edge in task.edges if edge.pair in pairs}
    if len(kinds) > 1:
        return tr(
            "{kinds_count} edges selected. K changes their kind, Delete removes them.", kinds_count=len(kinds)
        )
    for (source, target), kind in kinds.items():
        if kind is EdgeKind.DERIVED:
            return tr(
                "{source} → {target}: the answer follows every last step automatically.",
                source=source,
                target=target,
            )
        return tr(
            "{source} → {target}, {edge_kind}. K changes the kind, Delete removes it.",
            source=source,
            target=target,
            edge_kind=EDGE_KIND[kind],
        )
    return ""


def count_words(count: int) -> str:
    """A number of orders as people read it: in full up to fifteen digits, else as a power of ten."""
    if count < LARGEST_IN_FULL:
        return f"{count:,}"
    power = math.floor(math.log10(count))
    return f"{(count // 10 ** (power - 2)) / 100:.2f} × 10{str(power).translate(_RAISED)}"


def chain_words(chain: Sequence[int]) -> str:
    """The longest chain as a sentence."""
    if len(chain) < 2:
        return tr("No step waits for another.")
    named = [str(step) for step in chain]
    if len(named) > _LONGEST_CHAIN:
        named = [*named[: _LONGEST_CHAIN - 4], "…", *named[-2:]]
        return tr(
            "Longest chain {named}: {chain_count} steps.", named=" → ".join(named), chain_count=len(chain)
        )
    return tr("Longest chain {named}.", named=" → ".join(named))


def redundant_words(task: Task) -> str:
    """The redundant edges as a sentence."""
    pairs = [edge.pair for edge in redundant_edges(task)]
    if not pairs:
        return tr("No redundant edges.")
    names = with_commas(f"{source} → {target}" for source, target in pairs[:_MOST_NAMED])
    rest = (
        tr(" and {pairs_count} more", pairs_count=len(pairs) - _MOST_NAMED)
        if len(pairs) > _MOST_NAMED
        else ""
    )
    return tr("{name}: {words}.", name=tr_count(len(pairs), "redundant edge"), words=names + rest)


def declared_chip(declared: Policy | None, drawn: Policy | None) -> tuple[str, Tone]:
    """What the chip beside the drawn policy says about the declared one."""
    if drawn is None:
        return "", Tone.NEUTRAL
    if declared is None:
        return tr("not labelled"), Tone.NEUTRAL
    if declared is drawn:
        return tr("as declared"), Tone.OK
    return tr("not as declared"), Tone.WARN


def order_words(order: Order) -> str:
    """An order on one line: rounds apart by blanks, steps that run together joined by a plus."""
    return "  ".join("+".join(map(str, steps)) for steps in order)
