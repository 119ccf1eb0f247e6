"""The paths the released evaluators enumerate."""

import json
from itertools import combinations, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.model.graph import StepGraph
from scoring.orders.lattice import Order, lattice_of
from scoring.orders.legal_orders import optimal_rounds
from scoring.orders.published_paths import PathNode, list_published_paths, path_tree
from tests.shared import ROOT

GOLDEN = [
    json.loads(line) for line in (ROOT / "tests" / "golden" / "golden_paths.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["id"])
def test_paths_are_those_of_the_released_code(golden: dict) -> None:  # type: ignore[type-arg]
    graph = StepGraph(tuple(golden["nodes"]), tuple(map(frozenset, golden["dependency_list"])))
    found = [[list(chosen) for chosen in path] for path in list_published_paths(graph)]
    assert found == golden["reference_paths"]
    assert len(found) == golden["reference_count"]
    # The released code lays history out along the first of the shortest paths.
    assert min(found, key=len) == golden["reference_history_path"]
    assert len(golden["reference_history_path"]) == golden["reference_optimal_length"]


@st.composite
def graphs(draw: st.DrawFn) -> StepGraph:
    size = draw(st.integers(1, 5))
    names = draw(st.lists(st.sampled_from("AB"), min_size=size, max_size=size))
    rank = draw(st.permutations(range(size)))
    before = [
        frozenset(j for j in range(size) if rank[j] < rank[i] and draw(st.booleans())) for i in range(size)
    ]
    return StepGraph(tuple(names), tuple(before))


def thinned(graph: StepGraph, done: frozenset[int] = frozenset()) -> list[Order]:
    """Follow scoring 2.2 rule by rule, on full lists."""
    if len(done) == len(graph):
        return [()]
    ready = [i for i in range(len(graph)) if i not in done and graph.before[i] <= done]
    runs: list[list[int]] = []
    for step in ready:
        if runs and graph.names[runs[-1][-1]] == graph.names[step]:
            runs[-1].append(step)
        else:
            runs.append([step])
    whole = [tuple(run) for run in runs if len(run) > 1]
    parts = {part for run in whole for size in range(1, len(run)) for part in combinations(run, size)}
    seen: set[str] = set()
    paths: list[Order] = []
    for size in range(1, len(ready) + 1):
        for chosen in combinations(ready, size):
            text = "|".join(graph.names[step] for step in chosen)
            prefixes = [chosen[: i + 1] for i in range(size)]
            if text in seen:
                continue
            seen.add(text)
            if size > 1 and any(p in parts for p in prefixes) and not any(p in whole for p in prefixes):
                continue
            rounds: Order = (chosen,)
            if size == 1:
                run = next((run for run in whole if run[0] == chosen[0]), chosen)
                rounds = tuple((step,) for step in run)
            placed = done | {step for one in rounds for step in one}
            paths.extend((*rounds, *rest) for rest in thinned(graph, placed))
    return paths


@given(graphs())
def test_walking_the_tree_lists_what_the_five_rules_leave(graph: StepGraph) -> None:
    expected = thinned(graph)
    assert list(list_published_paths(graph)) == expected
    # All that is ready at once is always a published round: the shortest path is the longest chain.
    assert min(map(len, expected)) == optimal_rounds(lattice_of(graph, isolated=False))


def test_twenty_independent_tools_are_walked_without_being_listed() -> None:
    graph = StepGraph(tuple(f"t{i}" for i in range(20)), (frozenset(),) * 20)
    # the last two steps one by one, the other way round, together
    assert [len(path) for path in islice(list_published_paths(graph), 3)] == [20, 20, 19]
    tree, everything = path_tree(graph), (1 << 20) - 1
    chosen, end = next(tree.children(PathNode(0), holding=everything))
    assert chosen == tuple(range(20))
    assert tree.is_end(end)
