"""How much of the space of policy switches a set of cases covers (scoring 5.7; MMTB, C3-Bench)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product, takewhile

from scoring.measures.rates import Rate, rate, share_of
from scoring.model.case import Case
from scoring.model.record import Record
from scoring.model.taxonomy import Information, Policy

MAIN_TYPES = ("single", "multi", "clarify", "chat")
"""The four types that span the switching space, in the order its pyramid is drawn."""

LONGEST = 4
"""Tasks of the longest sequences that are counted."""

Route = tuple[str, ...]
"""Main types of the first tasks of a dialogue."""


class SequenceCoverage(Record):
    """Which sequences of main types occur as the beginning of a case.

    `cases` counts the cases that begin with each sequence that occurs. `total` is over all lengths up to
    `longest` (4 + 16 + 64 + 256 = 340 for four), `switching` over lengths from 2 on (336), `by_length`
    over the 4^l sequences of each length.
    """

    longest: int
    cases: dict[Route, int]
    total: Rate
    switching: Rate
    by_length: dict[int, Rate]

    @property
    def missing(self) -> tuple[Route, ...]:
        """Sequences no case begins with, shortest first."""
        return tuple(route for route in routes(self.longest) if route not in self.cases)


def routes(longest: int) -> Iterator[Route]:
    """All sequences of main types up to a length, by length, then in the order of `MAIN_TYPES`.

    Example:
        >>> len(list(routes(4)))
        340
    """
    for length in range(1, longest + 1):
        yield from product(MAIN_TYPES, repeat=length)


def route_of(policies: Iterable[Policy | None]) -> Route:
    """Main types up to the first task whose policy is unknown."""
    return tuple(policy.main_type for policy in takewhile(bool, policies) if policy)


def switching_space_coverage(
    dialogues: Iterable[Sequence[Policy | None]], *, longest: int = LONGEST
) -> SequenceCoverage:
    """Coverage of the switching space (scoring 5.7; MSSS of MMTB, PST of C3-Bench).

    With C the set of distinct sequences of main types that occur as prefixes of length 1..N:
    coverage = `|C| / (4 + 16 + ... + 4^N)`.

    Args:
        dialogues: Policies of the tasks of each case.
        longest: N, the longest prefix that counts.
    """
    cases = Counter(
        route[:length]
        for route in map(route_of, dialogues)
        for length in range(1, min(len(route), longest) + 1)
    )
    lengths = Counter(map(len, cases))
    by_length = {length: rate(lengths[length], 4**length) for length in range(1, longest + 1)}
    return SequenceCoverage(
        longest=longest,
        cases={route: cases[route] for route in routes(longest) if route in cases},
        total=_together(by_length.values()),
        switching=_together(found for length, found in by_length.items() if length > 1),
        by_length=by_length,
    )


def _together(rates: Iterable[Rate]) -> Rate:
    every = list(rates)
    return rate(sum(one.count for one in every), sum(one.total for one in every))


def related_tasks(cases: Iterable[Case]) -> Rate:
    """Share of later tasks that need the earlier dialogue (scoring 5.7)."""
    later = (task for case in cases for task in case.tasks[1:])
    return share_of(later, lambda task: task.information not in (None, Information.FIRST))
