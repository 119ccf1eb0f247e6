"""Which calls of a task belong together because they are made in one round."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scoring.model.case import Call, Task


@dataclass(frozen=True)
class Round:
    """Calls that stand one behind the other and were made, or can be made, in one round.

    `first` and `last` are step numbers; `note` names the tools.
    """

    first: int
    last: int
    note: str

    @property
    def title(self) -> str:
        """What stands above them."""
        return f"{self.last - self.first + 1} calls in one round"


def rounds_of(task: Task) -> dict[int, Round]:
    """Find the calls that share a round with a neighbour, by step number.

    Calls share a round where the file recorded them in one, or, where it recorded none, where the drawing
    makes them ready together. Calls that wait for each other never do. Without a drawing nothing is known.
    """
    found: dict[int, Round] = {}
    for steps in _runs(task):
        if len(steps) > 1:
            together = Round(steps[0], steps[-1], _tool_words(task, steps))
            found |= dict.fromkeys(steps, together)
    return found


def _runs(task: Task) -> Iterator[list[int]]:
    ready = _ready_rounds(task)
    drawn = {edge.pair for edge in task.drawn_edges}
    run: list[int] = []
    for number, step in enumerate(task.steps):
        if not isinstance(step, Call):
            if run:
                yield run
            run = []
            continue
        is_with_them = bool(run) and _are_together(task, run[-1], number, ready)
        if is_with_them and not any((before, number) in drawn for before in run):
            run.append(number)
        else:
            if run:
                yield run
            run = [number]
    if run:
        yield run


def _are_together(task: Task, one: int, other: int, ready: dict[int, int]) -> bool:
    recorded = (task.steps[one].recorded_round, task.steps[other].recorded_round)
    if recorded != (None, None):
        return recorded[0] == recorded[1]
    return bool(ready) and ready.get(one) == ready.get(other)


def _ready_rounds(task: Task) -> dict[int, int]:
    """For each step the earliest round the drawing allows; nothing where nothing is drawn."""
    if not task.drawn_edges:
        return {}
    before: dict[int, list[int]] = {}
    for edge in task.drawn_edges:
        before.setdefault(edge.target, []).append(edge.source)
    ready: dict[int, int] = {}
    for start in range(len(task.steps)):
        stack = [start]
        while stack:
            step = stack[-1]
            missing = [source for source in before.get(step, ()) if source not in ready]
            if missing:
                stack.extend(missing)
            else:
                ready[stack.pop()] = 1 + max((ready[source] for source in before.get(step, ())), default=0)
    return ready


def _tool_words(task: Task, steps: list[int]) -> str:
    names = Counter(step.name for step in (task.steps[number] for number in steps) if isinstance(step, Call))
    return ", ".join(f"{name} × {count}" if count > 1 else name for name, count in names.items())
