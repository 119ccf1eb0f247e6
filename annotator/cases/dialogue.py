"""The order of a dialogue: which passages a call could know of when it was made."""

from collections.abc import Iterator
from datetime import date
from functools import cached_property

from annotator.cases.passages import Passage, Speaker
from scoring.formats.openai import system_text
from scoring.model.case import Answer, Ask, Call, Case, Now, Task
from scoring.model.flow import Scalar, leaves

_FIRST_YEAR, _LAST_YEAR = 1000, 9000


class Dialogue:
    """A case prepared for searching: every passage built once, in dialogue order.

    Args:
        case: The case; it is not changed, and a changed case needs a dialogue of its own.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self._turns = tuple(_turns(case))

    @cached_property
    def system(self) -> tuple[Passage, ...]:
        """The system text of the file, where it had one."""
        text = system_text(self.case)
        return (Passage(Speaker.SYSTEM, text),) if text else ()

    @cached_property
    def tasks(self) -> tuple[tuple[Passage, ...], ...]:
        """For each task its request and what its steps said and returned, in step order."""
        return tuple(tuple(self._passages(t, task)) for t, task in enumerate(self.case.tasks))

    @cached_property
    def nows(self) -> tuple[Passage | None, ...]:
        """For each task the simulated time, null where the case has none."""
        return tuple(
            Passage(Speaker.NOW, now.raw, t, turn=self._turns[t], today=_day(now)) if now else None
            for t, now in enumerate(task.now or self.case.now for task in self.case.tasks)
        )

    def today(self, task: int) -> date | None:
        """The simulated day of a task, null where it is unknown."""
        return _day(self.case.tasks[task].now or self.case.now)

    def _passages(self, t: int, task: Task) -> Iterator[Passage]:
        today, turn = self.today(t), self._turns[t]
        yield Passage(Speaker.USER, task.user, t, turn=turn, today=today)
        for s, step in enumerate(task.steps):
            if isinstance(step, Ask):
                yield Passage(Speaker.ASK, step.text, t, s, turn=turn, today=today)
                turn += 1
                yield Passage(Speaker.REPLY, step.reply, t, s, turn=turn, today=today)
            elif isinstance(step, Answer):
                yield Passage(Speaker.ANSWER, step.text, t, s, turn=turn, today=today)
            elif step.observation is not None:
                yield Passage(Speaker.OBSERVATION, step.observation, t, s, turn=turn, today=today)

    def before_task(self, task: int) -> tuple[Passage, ...]:
        """What was said and returned before a task began, nearest first, without its request."""
        earlier = [passage for passages in self.tasks[:task] for passage in passages]
        return (*reversed(earlier), *self.system)

    def request(self, task: int) -> Passage:
        """What the user asked for in a task."""
        return self.tasks[task][0]

    def within_task(self, task: int, step: int) -> tuple[Passage, ...]:
        """What earlier steps of the same task said and returned, nearest first."""
        known = self.steps_before(task, step)
        return tuple(passage for passage in reversed(self.tasks[task][1:]) if passage.step in known)

    def steps_before(self, task: int, step: int) -> frozenset[int]:
        """Steps whose outcome a step could know.

        A step that stands earlier in the list counts, unless both were recorded in one round or it
        waits for this step; a later one counts where the graph puts it first.
        """
        steps = self.case.tasks[task].steps
        ancestors, descendants = self._ancestors[task][step], self._descendants(task, step)
        round_ = steps[step].recorded_round

        def is_sibling(other: int) -> bool:
            return (
                round_ is not None
                and steps[other].recorded_round == round_
                and isinstance(steps[step], Call)
                and isinstance(steps[other], Call)
            )

        earlier = {other for other in range(step) if not is_sibling(other)}
        return frozenset((earlier - descendants) | ancestors) - {step}

    def misses_observation(self, task: int, step: int) -> bool:
        """Whether the outcome of any call before this one was never recorded."""
        for earlier in self.case.tasks[:task]:
            if any(call.observation is None for _, call in earlier.calls):
                return True
        steps = self.case.tasks[task].steps
        known = [steps[other] for other in self.steps_before(task, step)]
        return any(isinstance(other, Call) and other.observation is None for other in known)

    def uses(self, value: Scalar) -> tuple[tuple[int, int], ...]:
        """The calls made with a value, as (task, step) in dialogue order."""
        return tuple(self._uses.get((type(value), value), ()))

    @cached_property
    def _uses(self) -> dict[tuple[type, Scalar], list[tuple[int, int]]]:
        found: dict[tuple[type, Scalar], list[tuple[int, int]]] = {}
        for t, task in enumerate(self.case.tasks):
            for s, call in task.calls:
                for _, value in leaves(call.arguments):
                    found.setdefault((type(value), value), []).append((t, s))
        return found

    @cached_property
    def _ancestors(self) -> tuple[tuple[frozenset[int], ...], ...]:
        return tuple(_ancestors(task) for task in self.case.tasks)

    def ancestors(self, task: int, step: int) -> frozenset[int]:
        """Steps a step waits for, directly or through others."""
        return self._ancestors[task][step]

    def _descendants(self, task: int, step: int) -> frozenset[int]:
        return frozenset(i for i, before in enumerate(self._ancestors[task]) if step in before)


def _ancestors(task: Task) -> tuple[frozenset[int], ...]:
    found: list[frozenset[int]] = [frozenset()] * len(task.steps)
    waiting = [0] * len(task.steps)
    after: list[list[int]] = [[] for _ in task.steps]
    for edge in task.edges:
        after[edge.source].append(edge.target)
        waiting[edge.target] += 1
    ready = [step for step, count in enumerate(waiting) if not count]
    while ready:
        step = ready.pop()
        for target in after[step]:
            found[target] |= found[step] | {step}
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return tuple(found)


def _turns(case: Case) -> Iterator[int]:
    turn = 0
    for task in case.tasks:
        yield turn
        turn += 1 + len(task.asks)


def _day(now: Now | None) -> date | None:
    # At the ends of the calendar there is no "next week" to count to.
    day = now.moment.date() if now and now.moment else None
    return day if day and _FIRST_YEAR < day.year < _LAST_YEAR else None
