"""Which round each step is drawn in, and in which order the steps of a round stand from left to right."""

from bisect import bisect_right, insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass

_SWEEPS = 12
_PATIENCE = 2
"""Sweeps without a gain after which nothing better is expected."""


@dataclass(frozen=True, eq=False)
class Slot:
    """One place in a round: a step, or a stop of an edge that passes through the round.

    `edge` is the edge that passes; null for a step. Places are told apart by identity, which is what
    makes looking them up thousands of times cheap.
    """

    step: int
    round: int
    edge: tuple[int, int] | None = None


Rows = tuple[tuple[Slot, ...], ...]


def assign_rounds(
    step_count: int,
    pairs: Collection[tuple[int, int]],
    *,
    asks: Collection[int] = (),
    answers: Collection[int] = (),
) -> list[int]:
    """Give each step the earliest round it can run in, as a fastest order would.

    Questions that are ready go first, each in a round of its own; then every call that is ready; the
    answer only when nothing else is. Steps on a circle, which an overlay of two drawings can hold, come
    last, in step order.

    Args:
        step_count: Number of steps.
        pairs: Dependencies (from, to).
        asks: Steps that are questions.
        answers: Steps that are final answers.

    Returns:
        The round of each step, counted from 0.
    """
    unique = {(source, target) for source, target in pairs}
    after: list[list[int]] = [[] for _ in range(step_count)]
    awaited = [0] * step_count
    for source, target in unique:
        after[source].append(target)
        awaited[target] += 1
    rounds = [-1] * step_count
    ready = [step for step, count in enumerate(awaited) if not count]
    current = done = 0
    while done < step_count:
        ready = sorted(ready) or [rounds.index(-1)]
        questions = [step for step in ready if step in asks]
        calls = [step for step in ready if step not in answers]
        chosen = questions[:1] or calls or ready[:1]
        for step in chosen:
            rounds[step] = current
        ready = [step for step in ready if rounds[step] < 0]
        for step in chosen:
            for target in after[step]:
                awaited[target] -= 1
                if not awaited[target] and rounds[target] < 0:
                    ready.append(target)
        done += len(chosen)
        current += 1
    return rounds


def arrange(rounds: Sequence[int], pairs: Collection[tuple[int, int]]) -> Rows:
    """Order the steps of each round so that few edges cross (barycentre heuristic of Sugiyama, 1981).

    Args:
        rounds: The round of each step.
        pairs: Dependencies that lead downwards; others are left to the caller to route.

    Returns:
        For each round its slots from left to right; long edges hold a slot in every round they pass.
    """
    rows, links = _slots(rounds, [pair for pair in pairs if rounds[pair[0]] < rounds[pair[1]]])
    best = [list(row) for row in rows]
    best_crossings = crossings(best, links)
    last_gain = 0
    for sweep in range(_SWEEPS):
        if not best_crossings or sweep - last_gain > _PATIENCE:
            break
        rows = [list(row) for row in rows]
        _sweep(rows, links, is_down=sweep % 2 == 0)
        count = crossings(rows, links)
        if count < best_crossings:
            best, best_crossings, last_gain = [list(row) for row in rows], count, sweep
    return tuple(tuple(row) for row in best)


Link = tuple[Slot, Slot]


def _slots(rounds: Sequence[int], pairs: Sequence[tuple[int, int]]) -> tuple[list[list[Slot]], list[Link]]:
    rows: list[list[Slot]] = [[] for _ in range(max(rounds, default=-1) + 1)]
    steps = [Slot(step, row) for step, row in enumerate(rounds)]
    for slot in steps:
        rows[slot.round].append(slot)
    links: list[Link] = []
    for source, target in pairs:
        last = steps[source]
        for row in range(rounds[source] + 1, rounds[target]):
            stop = Slot(source, row, (source, target))
            rows[row].append(stop)
            links.append((last, stop))
            last = stop
        links.append((last, steps[target]))
    return rows, links


def crossings(rows: Sequence[Sequence[Slot]], links: Sequence[Link]) -> int:
    """Count pairs of edges that cross between neighbouring rounds."""
    place = {slot: at for row in rows for at, slot in enumerate(row)}
    by_round: dict[int, list[tuple[int, int]]] = {}
    for upper, lower in links:
        by_round.setdefault(upper.round, []).append((place[upper], place[lower]))
    total = 0
    for between in by_round.values():
        # Sorted by their upper ends, edges cross where the lower ends are out of order.
        passed: list[int] = []
        for _, end in sorted(between):
            total += len(passed) - bisect_right(passed, end)
            insort(passed, end)
    return total


def _sweep(rows: list[list[Slot]], links: list[Link], *, is_down: bool) -> None:
    neighbours: dict[Slot, list[Slot]] = {}
    for upper, lower in links:
        slot, other = (lower, upper) if is_down else (upper, lower)
        neighbours.setdefault(slot, []).append(other)
    order = range(1, len(rows)) if is_down else range(len(rows) - 2, -1, -1)
    for number in order:
        fixed = {slot: at for at, slot in enumerate(rows[number - 1 if is_down else number + 1])}
        here = {slot: float(at) for at, slot in enumerate(rows[number])}
        for slot in rows[number]:
            near = [fixed[other] for other in neighbours.get(slot, ()) if other in fixed]
            if near:
                here[slot] = sum(near) / len(near)
        rows[number].sort(key=here.__getitem__)
