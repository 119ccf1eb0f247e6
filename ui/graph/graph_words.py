"""The words of the graph: what a card says of its step, what is said about edges, orders and chains."""

import math
from collections.abc import Collection, Iterator, Sequence

from pydantic import JsonValue

from scoring.model.case import Answer, Ask, Call, Task
from scoring.model.graph import redundant_edges
from scoring.model.record import to_text
from scoring.model.taxonomy import EdgeKind, Policy
from scoring.orders.lattice import Order
from ui.theme import Tone
from ui.theme.words import EDGE_KIND, POLICY_SHORT, counted, visible

LARGEST_IN_FULL = 10**15
_PIECE_LENGTH = 40
_MOST_NAMED = 6
_LONGEST_CHAIN = 12
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def step_title(number: int, step: Call | Ask | Answer) -> str:
    """Number and name of a step, e.g. `1 getCityShow`."""
    if isinstance(step, Call):
        return f"{number} {visible(step.name)}"
    return f"{number} {step.kind}"


def step_detail(step: Call | Ask | Answer) -> str:
    """One line about a step: argument values, what a question asks for, where an answer comes from."""
    if isinstance(step, Call):
        return " · ".join(_pieces(step.arguments)) or "no arguments"
    if isinstance(step, Ask):
        wanted = [name for asked in step.asks_for for name in asked.missing_required_parameters]
        return ", ".join(wanted) or _short(step.text)
    return "direct reply" if step.answer_type == "chat" else "from tool results"


def _pieces(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _pieces(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _pieces(inner)
    else:
        yield _short(to_text(value)) or '""'


def _short(text: str) -> str:
    line = " ".join(visible(text[: 4 * _PIECE_LENGTH]).split())
    return line if len(line) <= _PIECE_LENGTH else line[: _PIECE_LENGTH - 1] + "…"


def about_step(task: Task, step: int | None, rounds: Sequence[int]) -> str:
    """A step and its place in the graph in words, for a screen reader."""
    if step is None:
        return f"{counted(len(task.steps), 'step')}, none selected"
    words = [f"Step {step_title(step, task.steps[step])}", step_detail(task.steps[step])]
    words.append(f"round {rounds[step] + 1}")
    before = sorted(edge.source for edge in task.edges if edge.target == step)
    after = sorted(edge.target for edge in task.edges if edge.source == step)
    if before:
        words.append("waits for " + ", ".join(map(str, before)))
    if after:
        words.append("awaited by " + ", ".join(map(str, after)))
    return "; ".join(words)


def about_edges(task: Task, pairs: Collection[tuple[int, int]]) -> str:
    """What is selected and which keys change it; empty where no edge of the task is selected."""
    kinds = {edge.pair: edge.kind for edge in task.edges if edge.pair in pairs}
    if len(kinds) > 1:
        return f"{len(kinds)} edges selected. K changes their kind, Delete removes them."
    for (source, target), kind in kinds.items():
        if kind is EdgeKind.DERIVED:
            return f"{source} → {target}: the answer follows every last step automatically."
        return f"{source} → {target}, {EDGE_KIND[kind]}. K changes the kind, Delete removes it."
    return ""


def count_words(count: int) -> str:
    """A number of orders as people read it: in full up to fifteen digits, else as a power of ten."""
    if count < LARGEST_IN_FULL:
        return f"{count:,}"
    power = math.floor(math.log10(count))
    leading = count // 10 ** (power - 2)
    return f"{leading / 100:.2f} × 10{str(power).translate(_RAISED)}"


def chain_words(chain: Sequence[int]) -> str:
    """The longest chain as a sentence."""
    if len(chain) < 2:
        return "No step waits for another."
    named = [str(step) for step in chain]
    if len(named) > _LONGEST_CHAIN:
        named = [*named[: _LONGEST_CHAIN - 4], "…", *named[-2:]]
        return f"Longest chain {' → '.join(named)}: {len(chain)} steps."
    return "Longest chain " + " → ".join(named) + "."


def redundant_words(task: Task) -> str:
    """The redundant edges as a sentence."""
    pairs = [edge.pair for edge in redundant_edges(task)]
    if not pairs:
        return "No redundant edges."
    names = ", ".join(f"{source} → {target}" for source, target in pairs[:_MOST_NAMED])
    rest = f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else ""
    return f"{counted(len(pairs), 'redundant edge')}: {names}{rest}."


def declared_chip(declared: Policy | None, drawn: Policy | None) -> tuple[str, Tone]:
    """What the chip beside the drawn policy says about the declared one."""
    if drawn is None:
        return "", Tone.NEUTRAL
    if declared is None:
        return "not labelled", Tone.NEUTRAL
    if declared is drawn:
        return "as declared", Tone.OK
    return f"declared {POLICY_SHORT[declared]}", Tone.WARN


def order_words(order: Order) -> str:
    """An order on one line: rounds apart by blanks, steps that run together joined by a plus."""
    return "  ".join("+".join(map(str, steps)) for steps in order)
