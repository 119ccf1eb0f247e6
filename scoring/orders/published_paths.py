"""The paths the released evaluators enumerate: all legal orders, thinned out by names (scoring 2.2).

The released recursion lists every path before a run begins. Here a path is a way down a tree whose children
depend only on the finished steps, so a run walks the tree and never lists it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoring.model.graph import StepGraph
from scoring.orders.lattice import Lattice, Order, bits, lattice_of

Round = tuple[int, ...]


@dataclass(frozen=True)
class PathNode:
    """A point on some paths: the steps placed so far, and the rest of a run of same-named steps.

    A run that was begun with a single step goes on one step at a time, whatever else is ready.
    """

    placed: int
    rest: Round = ()


@dataclass(frozen=True)
class _Wanted:
    """What a round must have: its size, its names (each so many times; None for any), and some steps."""

    size: int
    names: Counter[str] | None
    holding: int


@dataclass(frozen=True)
class PathTree:
    """The tree of published paths of one graph; the bare lattice, questions and answer like any step."""

    names: tuple[str, ...]
    lattice: Lattice

    def children(
        self, node: PathNode, *, named: Counter[str] | None = None, holding: int = 0
    ) -> Iterator[tuple[Round, PathNode]]:
        """The next rounds from a point, in published order, with the points they lead to.

        Args:
            node: The point.
            named: Names the round must have, each so many times; None for every round.
            holding: Ready steps the round must hold.

        Yields:
            Rounds by size, then lexicographically; one for each sequence of names.
        """
        if node.rest:
            following = node.rest[:1]
            is_named = named is None or named == Counter({self.names[following[0]]: 1})
            if is_named and holding & ~_mask(following) == 0:
                yield following, PathNode(node.placed, node.rest[1:])
            return
        ready = tuple(bits(self.lattice.ready(node.placed)))
        runs = self._runs(ready)
        sizes = range(1, len(ready) + 1) if named is None else (named.total(),)
        for size in sizes:
            for chosen in self._first_by_names(ready, runs, _Wanted(size, named, holding)):
                run = runs.get(chosen[0], ())
                placed = node.placed | _mask(run if size == 1 else ()) | _mask(chosen)
                yield chosen, PathNode(placed, run[1:] if size == 1 else ())

    def _runs(self, ready: Round) -> dict[int, Round]:
        """Neighbours among the ready steps that share a name, two or more, by their first step."""
        runs: list[list[int]] = []
        for step in ready:
            if runs and self.names[runs[-1][0]] == self.names[step]:
                runs[-1].append(step)
            else:
                runs.append([step])
        return {run[0]: tuple(run) for run in runs if len(run) > 1}

    def _first_by_names(self, ready: Round, runs: dict[int, Round], wanted: _Wanted) -> Iterator[Round]:
        """For each sequence of names the first combination that has it, lexicographically.

        The first combination takes the earliest step of each name in turn, so only those are followed. A
        larger round that begins in a run holds the whole of it.
        """
        chosen: list[int] = []

        def extend(start: int) -> Iterator[Round]:
            if len(chosen) == wanted.size:
                if wanted.holding & ~_mask(chosen) == 0:
                    yield tuple(chosen)
                return
            seen = set()
            for position in range(start, len(ready)):
                step = ready[position]
                name = self.names[step]
                whole = runs.get(step, (step,)) if not chosen and wanted.size > 1 else (step,)
                if name not in seen and self._fits((*chosen, *whole), ready[position + len(whole) :], wanted):
                    chosen.extend(whole)
                    yield from extend(position + len(whole))
                    del chosen[-len(whole) :]
                seen.add(name)
                if wanted.holding >> step & 1:
                    return  # passed over, it can no longer be held

        return extend(0)

    def _fits(self, chosen: Round, later: Round, wanted: _Wanted) -> bool:
        """Whether some steps can still grow into a round of the wanted size and names."""
        if not len(chosen) <= wanted.size <= len(chosen) + len(later):
            return False
        if wanted.names is None:
            return True
        left = wanted.names - Counter(self.names[step] for step in chosen)
        return left.total() == wanted.size - len(chosen) and left <= Counter(self.names[s] for s in later)

    def is_end(self, node: PathNode) -> bool:
        """Whether every step is placed."""
        return not node.rest and node.placed == self.lattice.full


def _mask(steps: Sequence[int]) -> int:
    return sum(1 << step for step in steps)


def path_tree(graph: StepGraph) -> PathTree:
    """The published paths of a graph, ready to be walked."""
    return PathTree(graph.names, lattice_of(graph, isolated=False))


def list_published_paths(graph: StepGraph) -> Iterator[Order]:
    """List the published paths of a graph one after another, in the order of the released recursion.

    Their number can be astronomic: take as many as are needed.
    """
    return _walk(path_tree(graph), PathNode(0), ())


def _walk(tree: PathTree, node: PathNode, path: Order) -> Iterator[Order]:
    if tree.is_end(node):
        yield path
        return
    for chosen, child in tree.children(node):
        yield from _walk(tree, child, (*path, chosen))
