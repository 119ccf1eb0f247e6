"""What a card of the graph says: a title and one line about the step."""

from collections.abc import Collection, Iterator, Sequence

from pydantic import JsonValue

from scoring.model.case import Answer, Ask, Call, Task
from scoring.model.record import to_text
from scoring.model.taxonomy import EdgeKind
from scoring.wording import counted
from ui.theme.untrusted import visible
from ui.theme.words import EDGE_KIND

_PIECE_LENGTH = 40


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
            return f"{source} → {target}: the answer follows every last step by itself."
        return f"{source} → {target}, {EDGE_KIND[kind]}. K changes the kind, Delete removes it."
    return ""
