"""The legal orders of a task."""

import json
from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import GraphError
from scoring.model.graph import ANSWER_NAME, ASK_NAME, StepGraph, longest_chain
from scoring.orders.lattice import Order, lattice_of
from scoring.orders.legal_orders import (
    count_orders,
    first_optimal_order,
    is_legal_round,
    list_orders,
    longest_dependent_chain,
    optimal_rounds,
    ready_steps,
    remaining_orders,
    sample_order,
    summarise_orders,
)
from tests.shared import ROOT

GOLDEN = [
    json.loads(line) for line in (ROOT / "tests" / "golden" / "golden_paths.jsonl").read_text().splitlines()
]
NAMES = ("getA", "getB", ASK_NAME)


def graph(names: str | list[str], **before: list[int]) -> StepGraph:
    """A graph whose keyword arguments `s2=[0, 1]` say what a step waits for."""
    return StepGraph(tuple(names), tuple(frozenset(before.get(f"s{i}", ())) for i, _ in enumerate(names)))


def golden_graph(golden: dict[str, list[list[int]]]) -> StepGraph:
    return StepGraph(tuple(golden["nodes"]), tuple(map(frozenset, golden["dependency_list"])))  # type: ignore[arg-type]


def listed(orders: list[list[list[int]]]) -> list[Order]:
    return [tuple(map(tuple, order)) for order in orders]


@st.composite
def graphs(draw: st.DrawFn) -> StepGraph:
    """Small graphs in any node order, with questions anywhere and perhaps an answer."""
    size = draw(st.integers(0, 5))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=size, max_size=size))
    rank = draw(st.permutations(range(size)))
    before = [
        frozenset(j for j in range(size) if rank[j] < rank[i] and draw(st.booleans())) for i in range(size)
    ]
    if draw(st.booleans()):
        return StepGraph((*names, ANSWER_NAME), (*before, frozenset(range(0, size, 2))))
    return StepGraph(tuple(names), tuple(before))


def brute_force(task: StepGraph, *, isolated: bool, done: frozenset[int] = frozenset()) -> list[Order]:
    """Follow scoring 2.1 word by word: every non-empty subset of the ready steps, recursively."""
    if len(done) == len(task):
        return [()]
    ready = [i for i in range(len(task)) if i not in done and task.before[i] <= done]
    orders: list[Order] = []
    for size in range(1, len(ready) + 1):
        for chosen in combinations(ready, size):
            pseudo = task.pseudo & set(chosen)
            early = task.answers & set(chosen) and len(done) + 1 < len(task)
            if isolated and pseudo and (size > 1 or early):
                continue
            rest = brute_force(task, isolated=isolated, done=done | set(chosen))
            orders.extend((chosen, *order) for order in rest)
    return orders


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["id"])
def test_bare_orders_are_those_of_the_published_algorithm(golden: dict) -> None:  # type: ignore[type-arg]
    task = golden_graph(golden)
    summary = summarise_orders(task, isolated=False)
    assert summary.count == golden["paper_count"]
    assert summary.rounds == golden["optimal_length"]
    assert [summary.first] == listed([golden["paper_history_path"]])
    assert list(list_orders(task, isolated=False, at_most=1000)) == listed(golden["paper_paths"])


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["id"])
def test_isolated_orders_keep_questions_and_answers_by_themselves(golden: dict) -> None:  # type: ignore[type-arg]
    # The golden file gives an isolated list only where it differs from the bare one.
    task = golden_graph(golden)
    expected = listed(golden.get("isolated_paths", golden["paper_paths"]))
    summary = summarise_orders(task)
    assert summary.count == len(expected)
    assert summary.rounds == golden.get("isolated_optimal_length", golden["optimal_length"])
    assert list(list_orders(task, at_most=1000)) == expected


@given(graphs(), st.booleans())
def test_counting_and_listing_agree_with_brute_force(task: StepGraph, isolated: bool) -> None:
    expected = brute_force(task, isolated=isolated)
    summary = summarise_orders(task, isolated=isolated)
    shortest = [order for order in expected if len(order) == min(map(len, expected))]
    assert list(list_orders(task, isolated=isolated, at_most=10_000)) == expected
    assert summary.count == len(expected)
    assert summary.rounds == len(shortest[0])
    assert summary.optimal_count == len(shortest)
    assert summary.first == shortest[0]


@given(graphs())
def test_the_longest_chain_is_as_long_as_the_bare_optimum(task: StepGraph) -> None:
    # scoring 2.1: optimal length = number of steps on the longest dependency chain
    lattice = lattice_of(task, isolated=False)
    chain = longest_dependent_chain(lattice)
    assert (
        len(chain) == optimal_rounds(lattice) == len(longest_chain(task, counted=frozenset(range(len(task)))))
    )
    assert all(a in task.before[b] for a, b in pairwise(chain))


@given(graphs())
def test_orders_split_over_the_next_round(task: StepGraph) -> None:
    # count(S) = sum over legal next rounds C of count(S + C)
    ready = ready_steps(task, ())
    rounds = [
        chosen
        for size in range(1, len(ready) + 1)
        for chosen in combinations(ready, size)
        if is_legal_round(task, (), chosen)
    ]
    if rounds:
        assert count_orders(task) == sum(remaining_orders(task, chosen) or 0 for chosen in rounds)


@given(graphs(), st.integers(0, 10))
def test_a_sampled_order_is_legal(task: StepGraph, seed: int) -> None:
    order = sample_order(task, Random(seed))
    assert order is not None
    done: set[int] = set()
    for chosen in order:
        assert is_legal_round(task, done, chosen)
        done |= set(chosen)
    assert len(done) == len(task)


@pytest.mark.parametrize(
    "task",
    [
        graph("aaab", s3=[0]),  # parallel parts with a chain inside
        graph("abcd", s2=[0], s3=[0, 1]),  # the N, which splits neither in series nor in parallel
        graph("abcdef", s3=[0, 1, 2], s4=[0, 1, 2], s5=[2]),  # interchangeable steps in such a part
        graph([ASK_NAME, "b", "a", ANSWER_NAME], s2=[0]),  # a question unordered against a call
    ],
    ids=["forest", "n-shape", "twins", "question"],
)
def test_every_order_is_drawn_equally_often(task: StepGraph) -> None:
    orders = list(list_orders(task, at_most=1000))
    times = 30
    rng = Random(20_24)
    counts = Counter(sample_order(task, rng) for _ in range(times * len(orders)))
    assert set(counts) == set(orders)
    # chi-square with k - 1 degrees of freedom: mean k - 1, standard deviation sqrt(2(k - 1)); allow five
    spread = sum((counts[order] - times) ** 2 / times for order in orders)
    freedom = len(orders) - 1
    assert spread < freedom + 5 * (2 * freedom) ** 0.5


def test_twelve_parallel_calls_have_28_billion_orders() -> None:
    # Ordered set partitions of 12 elements (Fubini number), scoring 2.1: 1, 3, 13, 75, 541, 4683, ...
    assert count_orders(graph("abcdefghijkl")) == 28_091_567_595


def test_parallel_chains_multiply_without_being_walked() -> None:
    # Two chains of two: 13 interleavings in the golden file; twenty chains of three stay countable.
    assert count_orders(graph("abcd", s2=[0], s3=[1])) == 13
    chains = StepGraph(
        tuple(f"t{i}" for i in range(60)),
        tuple(frozenset({i - 20} if i >= 20 else ()) for i in range(60)),
    )
    assert summarise_orders(chains).rounds == 3
    assert len(str(count_orders(chains))) == 76


def test_counting_stops_at_the_limit_and_says_so() -> None:
    n_shape = graph("abcd", s2=[0], s3=[0, 1])
    summary = summarise_orders(n_shape, limit=3)
    assert (summary.count, summary.optimal_count, summary.state_limit) == (None, None, 3)
    assert (summary.rounds, summary.first) == (2, ((0, 1), (2, 3)))
    assert sample_order(n_shape, Random(1), limit=3) is None
    assert count_orders(n_shape) == 11


def test_a_task_without_steps_has_one_order_of_no_rounds() -> None:
    summary = summarise_orders(graph(""))
    assert (summary.count, summary.rounds, summary.chain, summary.first) == (1, 0, (), ())
    assert list(list_orders(graph(""), at_most=5)) == [()]
    assert sample_order(graph(""), Random(1)) == ()


def test_the_presentation_example_has_five_orders_two_of_them_shortest() -> None:
    # scoring 2.1: [1] -> [2]; [0],[2] -> [3]: 0>1>2>3, 1>0>2>3, 1>2>0>3, 1>02>3, 01>2>3
    summary = summarise_orders(graph("abcd", s2=[1], s3=[0, 2]))
    assert (summary.count, summary.optimal_count, summary.rounds) == (5, 2, 3)
    assert summary.chain == (1, 2, 3)
    assert summary.first == ((1,), (0, 2), (3,))


def test_what_remains_shrinks_as_rounds_are_run() -> None:
    diamond = graph("abcd", s1=[0], s2=[0], s3=[1, 2])
    assert [remaining_orders(diamond, done) for done in ((), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3))] == [
        3, 3, 1, 1, 1,
    ]  # fmt: skip
    assert ready_steps(diamond, (0,)) == (1, 2)
    assert not is_legal_round(diamond, (0,), (1, 3))


def test_the_answer_waits_for_everything_when_isolated() -> None:
    early = graph(["getA", "getB", ANSWER_NAME], s2=[0])
    assert ready_steps(early, (0,)) == (1,)
    assert ready_steps(early, (0,), isolated=False) == (1, 2)
    assert first_optimal_order(lattice_of(early)) == ((0, 1), (2,))


def test_a_call_may_come_before_a_question_in_the_first_optimal_order() -> None:
    asked = graph(["getA", ASK_NAME, ANSWER_NAME])
    assert first_optimal_order(lattice_of(asked)) == ((0,), (1,), (2,))


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(GraphError, match="step 7"):
        remaining_orders(graph("ab"), (7,))
