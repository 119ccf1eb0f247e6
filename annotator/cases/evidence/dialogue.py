"""The order of a dialogue: which passages a call could know of when it was made."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import accumulate, chain

from annotator.cases.evidence.passage_index import Known, PartIndex, PassageIndex
from annotator.cases.evidence.passages import Passage, Speaker
from scoring.formats.chat.openai import system_text
from scoring.generics import T
from scoring.groups import grouped, united
from scoring.model.case import Answer, Ask, Call, Case, Now, Task
from scoring.model.flow import Scalar, leaves
from scoring.orders.lattice import bits

_FIRST_YEAR, _LAST_YEAR = 1000, 9000


class Dialogue:
    """A case prepared for searching: every passage built once, in dialogue order.

    Args:
        case: The case; it is not changed, and a changed case needs a dialogue of its own.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self._known: dict[Hashable, object] = {}
        self._turns = tuple(_turns(case))
        # A request has one number, and each of its steps two: what it says, and what is replied.
        self._starts = tuple(accumulate((1 + 2 * len(task.steps) for task in case.tasks), initial=1))

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was worked out of the case, made when it is first asked for.

        Args:
            key: What it is, and of which part of the case.
            make: Makes it from the case alone; always of one type for one key.
        """
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]  # type: ignore[return-value]

    @cached_property
    def system(self) -> tuple[Passage, ...]:
        """The system text of the file, where it had one."""
        text = system_text(self.case)
        return (Passage(Speaker.SYSTEM, text),) if text else ()

    @cached_property
    def tasks(self) -> tuple[tuple[Passage, ...], ...]:
        """For each task its request and what its steps said and returned, in step order."""
        return tuple(tuple(self.passages_of(t)) for t in range(len(self.case.tasks)))

    @cached_property
    def nows(self) -> tuple[Passage | None, ...]:
        """For each task the simulated time, None where the case has none."""
        return tuple(
            Passage(Speaker.NOW, now.raw, t, turn=self._turns[t], today=_day(now)) if now else None
            for t, now in enumerate(task.now or self.case.now for task in self.case.tasks)
        )

    @cached_property
    def index(self) -> PassageIndex:
        """All passages by number."""
        passages = {self.number_of(p): p for p in (*self.system, *chain.from_iterable(self.tasks))}
        return PassageIndex((*map(passages.get, range(self._starts[-1])), *self.nows))

    def number_of(self, passage: Passage) -> int:
        """The number of a passage in the index."""
        if passage.task is None:
            return 0
        if passage.step is None:
            return self._starts[passage.task]
        return self._starts[passage.task] + 1 + 2 * passage.step + (passage.speaker is Speaker.REPLY)

    def today(self, task: int) -> date | None:
        """The simulated day of a task, None where it is unknown."""
        return _day(self.case.tasks[task].now or self.case.now)

    def passages_of(self, t: int) -> Iterator[Passage]:
        """What is said and returned in a task, as new passages."""
        task = self.case.tasks[t]
        today, turn = self.today(t), self._turns[t]
        yield Passage(Speaker.USER, task.user, t, turn=turn, today=today)
        for s, step in enumerate(task.steps):
            match step:
                case Ask():
                    yield Passage(Speaker.ASK, step.text, t, s, turn=turn, today=today)
                    turn += 1
                    yield Passage(Speaker.REPLY, step.reply, t, s, turn=turn, today=today)
                case Answer():
                    yield Passage(Speaker.ANSWER, step.text, t, s, turn=turn, today=today)
                case Call() if step.observation is not None:
                    yield Passage(Speaker.OBSERVATION, step.observation, t, s, turn=turn, today=today)

    def request(self, task: int) -> Passage:
        """What the user asked for in a task."""
        return self.index.at(self._starts[task])

    def before_call(self, task: int, step: int) -> Known:
        """What a call could know of: the replies and request of its task first, then the nearest before."""
        within = self.within_task(task, step)
        spoken = within & self.index.spoken
        now = self.index.all & (1 << (self._starts[-1] + task))
        request = 1 << self._starts[task]
        return Known(self.index, (spoken, request, within & ~spoken, self.before_task(task), now))

    def before_steps(self, task: int) -> Known:
        """What every call of a task could know of: its request, then the nearest said before."""
        return Known(self.index, (1 << self._starts[task], self.before_task(task)))

    def before_task(self, task: int) -> int:
        """What was said and returned before a task began, without its request, as numbers of the index."""
        return self.index.all & ((1 << self._starts[task]) - 1)

    def within_task(self, task: int, step: int, *, until: int | None = None) -> int:
        """What earlier steps of the same task said and returned, as numbers of the index.

        Args:
            task: Task number.
            step: Step number.
            until: Leaves out this step and all behind it.
        """
        known = self._before[task][step]
        if until is not None:
            known &= (1 << max(until, 0)) - 1
        doubled = int(f"{known:b}".replace("0", "00").replace("1", "11"), 2)
        return self.index.all & (doubled << (self._starts[task] + 1))

    @cached_property
    def _before(self) -> tuple[tuple[int, ...], ...]:
        found = zip(self.case.tasks, self._ancestors, strict=True)
        return tuple(tuple(_steps_before(task, ancestors)) for task, ancestors in found)

    @cached_property
    def _unrecorded(self) -> tuple[int, ...]:
        return tuple(
            sum(1 << s for s, call in task.calls if call.observation is None) for task in self.case.tasks
        )

    def steps_before(self, task: int, step: int) -> int:
        """Steps whose outcome a step could know, as the bits of an integer.

        A step that stands earlier in the list counts, unless both were recorded in one round or it
        waits for this step; a later one counts where the graph puts it first.
        """
        return self._before[task][step]

    def misses_observation(self, task: int, step: int) -> bool:
        """Whether the outcome of any call before this one was never recorded."""
        return any(self._unrecorded[:task]) or bool(self._unrecorded[task] & self._before[task][step])

    @cached_property
    def parts(self) -> PartIndex:
        """What observations hold that a longer text may contain."""
        observed = bits(self.index.observed)
        return PartIndex((i, *part) for i in observed for part in self.index.at(i).telling_parts)

    def numbers_of(self, task: int) -> int:
        """All that is said and returned in a task, its simulated time included, as numbers of the index."""
        first, behind = self._starts[task], self._starts[task + 1]
        return self.index.all & ((1 << behind) - (1 << first) | 1 << self._starts[-1] + task)

    def uses(self, value: Scalar) -> tuple[tuple[int, int], ...]:
        """The calls made with a value, as (task, step) in dialogue order."""
        return tuple(self._uses.get((type(value), value), ()))

    @cached_property
    def _uses(self) -> dict[tuple[type, Scalar], list[tuple[int, int]]]:
        return grouped(
            ((type(value), value), (t, s))
            for t, task in enumerate(self.case.tasks)
            for s, call in task.calls
            for _, value in leaves(call.arguments)
        )

    @cached_property
    def _ancestors(self) -> tuple[tuple[int, ...], ...]:
        return tuple(
            ancestors_along(len(task.steps), [e.pair for e in task.edges]) for task in self.case.tasks
        )

    def ancestors(self, task: int, step: int) -> int:
        """Steps a step waits for, directly or through others, as the bits of an integer."""
        return self._ancestors[task][step]


def ancestors_along(step_count: int, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """For each step the steps it waits for along edges, directly or through others, as bits of an integer.

    Steps in a circle, and those behind one, have what was known of them when it was met.
    """
    found = [0] * step_count
    waiting = [0] * step_count
    after: list[list[int]] = [[] for _ in range(step_count)]
    for source, target in pairs:
        after[source].append(target)
        waiting[target] += 1
    ready = [step for step, count in enumerate(waiting) if not count]
    while ready:
        step = ready.pop()
        for target in after[step]:
            found[target] |= found[step] | 1 << step
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return tuple(found)


def _steps_before(task: Task, ancestors: Sequence[int]) -> Iterator[int]:
    descendants = ancestors_along(len(task.steps), [(edge.target, edge.source) for edge in task.edges])
    rounds = united((call.recorded_round, 1 << step) for step, call in task.calls)
    for step, content in enumerate(task.steps):
        earlier = (1 << step) - 1
        if isinstance(content, Call) and content.recorded_round is not None:
            earlier &= ~rounds[content.recorded_round]
        yield ((earlier & ~descendants[step]) | ancestors[step]) & ~(1 << step)


def _turns(case: Case) -> Iterator[int]:
    turn = 0
    for task in case.tasks:
        yield turn
        turn += 1 + len(task.asks)


def _day(now: Now | None) -> date | None:
    # At the ends of the calendar there is no "next week" to count to.
    day = now.moment.date() if now and now.moment else None
    return day if day and _FIRST_YEAR < day.year < _LAST_YEAR else None
