"""Which step of a predicted plan stands for which gold step, and how many keep the order (teval 5.2)."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache

from scoring.matching.assignment import solve_assignment
from scoring.teval.reach import reached

_MOST_MATCHINGS = 100_000
"""Matchings of the greatest weight that are looked at for a longer chain."""

Links = Sequence[Sequence[int]]
"""One row per predicted step, one column per gold step: the weight of a link, 0 where there is none."""


def chain_length(matching: Sequence[int]) -> int:
    """Length of the longest increasing run of gold numbers, steps without a gold step (-1) left out."""
    ends: list[int] = []
    for gold in matching:
        if gold >= 0:
            place = bisect_left(ends, gold)
            ends[place : place + 1] = [gold]
    return len(ends)


def free_chain_length(matching: Sequence[int], dependencies: Sequence[Sequence[int]]) -> int:
    """The longest chain over all legal orders of the gold plan (teval 5.2, dependency-aware variant).

    Two predicted steps clash where the later stands for something the earlier one needs. Clashing is
    transitive, so the largest set without a clash has as many steps as there are, less the size of a
    maximum matching between earlier and later ones of clashing pairs (Dilworth, König).

    Args:
        matching: The gold step of each predicted step, -1 for none.
        dependencies: For each gold step those it waits for.
    """
    needed = [reached(waits_for, dependencies.__getitem__) for waits_for in dependencies]
    steps = [gold for gold in matching if gold >= 0]
    clashes = [
        [later for later in range(place + 1, len(steps)) if steps[later] in needed[gold]]
        for place, gold in enumerate(steps)
    ]
    return len(steps) - len(_augmented(clashes))


def _augmented(choices: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest matching of rows to columns: the row of each column that is taken."""
    owner: dict[int, int] = {}
    for new in range(len(choices)):
        came_from: dict[int, int] = {}
        todo = [new]
        free: int | None = None
        while todo and free is None:
            row = todo.pop()
            for column in choices[row]:
                if column in came_from:
                    continue
                came_from[column] = row
                if column not in owner:
                    free = column
                    break
                todo.append(owner[column])
        while free is not None:
            row = came_from[free]
            before = next((column for column, holder in owner.items() if holder == row), None)
            owner[free] = row
            free = None if row == new else before
    return owner


def match_plans(links: Links) -> tuple[int, ...]:
    """Match predicted to gold steps with the greatest total weight (teval 5.2 steps 6 and 7).

    Of several such matchings the one with the longest chain; of these the first where rows are taken in
    order, columns ascending and no column last.

    Args:
        links: Whole positive weights of the linked pairs, 0 for the others.

    Returns:
        For each predicted step its gold step, -1 where it has none.
    """
    best: tuple[int, ...] = (-1,) * len(links)
    if not any(map(any, links)):
        return best
    tight = _tight_links(links)
    longest = -1
    # A chain takes one column of each row at most: falling, those of one row never follow each other.
    limit = chain_length([column for columns in tight.rows for column in sorted(columns, reverse=True)])
    for number, matching in enumerate(tight.matchings(), 1):
        length = chain_length(matching)
        if length > longest:
            best, longest = matching, length
        if longest >= limit or number >= _MOST_MATCHINGS:
            break
    return best


def match_as_released(scores: Sequence[Sequence[float]], *, threshold: float) -> tuple[int, ...]:
    """Match predicted to gold steps as the released evaluator does, ties and all.

    Scores are compared as they are, and of several matchings of the greatest weight the one counts that
    `max_weight_matching` of networkx happens to find where rows are added before columns.

    Args:
        scores: One row per predicted step, one column per gold step.
        threshold: Score above which two steps are linked.

    Returns:
        For each predicted step its gold step, -1 where it has none.
    """
    import networkx as nx

    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (i, str(j), score) for i, row in enumerate(scores) for j, score in enumerate(row) if score > threshold
    )
    matched = {
        predicted: int(gold)
        for one in nx.max_weight_matching(graph)
        for predicted, gold in (one if isinstance(one[0], int) else one[::-1],)
    }
    return tuple(matched.get(i, -1) for i in range(len(scores)))


class _Tight:
    """The links that may stand in a matching of the greatest weight, and who must be matched in it.

    By complementary slackness a matching has the greatest weight exactly if all its links are tight under
    optimal prices and everyone with a positive price is matched.
    """

    def __init__(self, rows: list[list[int]], needed_rows: set[int], needed_columns: set[int]) -> None:
        self.rows = rows
        self._needed_rows = needed_rows
        self._needed_columns = needed_columns

    def matchings(self) -> Iterator[tuple[int, ...]]:
        """Every matching of the greatest weight, rows in order, columns ascending, no column last."""
        can_go_on = cache(self._can_go_on)
        chosen: list[int] = []
        taken: frozenset[int] = frozenset()
        todo = [self._choices(0, taken)]
        while todo:
            column = next(todo[-1], None)
            if column is None:
                todo.pop()
                if chosen:
                    taken -= {chosen.pop()}
                continue
            after = taken | {column} if column >= 0 else taken
            row = len(chosen)
            if not can_go_on(row + 1, after):
                continue
            if row + 1 == len(self.rows):
                yield (*chosen, column)
                continue
            chosen.append(column)
            taken = after
            todo.append(self._choices(row + 1, taken))

    def _choices(self, row: int, taken: frozenset[int]) -> Iterator[int]:
        yield from (column for column in self.rows[row] if column not in taken)
        if row not in self._needed_rows:
            yield -1

    def _can_go_on(self, row: int, taken: frozenset[int]) -> bool:
        """Whether the rows from this one on can match all that must be: rows and columns each on their own.

        If one matching covers the rows and another the columns, a third covers both (Mendelsohn, Dulmage).
        """
        later = range(row, len(self.rows))
        free = {i: [column for column in self.rows[i] if column not in taken] for i in later}
        needed = [free[i] for i in later if i in self._needed_rows]
        if len(_augmented(needed)) < len(needed):
            return False
        wanted = [[i for i in later if column in free[i]] for column in sorted(self._needed_columns - taken)]
        return len(_augmented(wanted)) == len(wanted)


def _tight_links(links: Links) -> _Tight:
    """Price everyone; each gold step may instead take a column of its own with weight 0."""
    predicted, gold = range(len(links)), range(len(links[0]))
    solved = solve_assignment([[links[i][j] for i in predicted] + [0] * len(gold) for j in gold])
    columns, rows = solved.row_prices, solved.column_prices
    return _Tight(
        [[j for j in gold if links[i][j] and columns[j] + rows[i] == links[i][j]] for i in predicted],
        {i for i in predicted if rows[i]},
        {j for j in gold if columns[j]},
    )
