"""How long counting legal orders takes: a frame after every edit in the window, more beside it."""

from random import Random

from pytest_benchmark.fixture import BenchmarkFixture

from scoring.model.graph import StepGraph
from scoring.orders.legal_orders import summarise_orders
from tests.bench.yardsticks import compare, json_of_the_samples
from ui.graph.order_counts import FRAME_STATE_LIMIT


def random_graph(size: int, *, density: float, seed: int) -> StepGraph:
    rng = Random(seed)
    return StepGraph(
        tuple(f"t{i}" for i in range(size)),
        tuple(frozenset(j for j in range(i) if rng.random() < density) for i in range(size)),
    )


def test_twelve_parallel_calls_count(
    benchmark: BenchmarkFixture,
) -> None:
    graph = StepGraph(tuple("abcdefghijkl"), (frozenset(),) * 12)
    assert benchmark(summarise_orders, graph).count == 28_091_567_595
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median, against=json_of_the_samples)


def test_sixty_steps_are_counted_or_given_up(benchmark: BenchmarkFixture) -> None:
    graphs = [random_graph(60, density=d, seed=s) for s in range(5) for d in (0.02, 0.05, 0.1, 0.2)]

    def all_of_them() -> list[int | None]:
        return [summarise_orders(graph, limit=FRAME_STATE_LIMIT).count for graph in graphs]

    counts = benchmark(all_of_them)
    assert None in counts
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median / len(graphs), against=json_of_the_samples)


def test_twenty_steps_are_always_counted(benchmark: BenchmarkFixture) -> None:
    graphs = [random_graph(20, density=d, seed=s) for s in range(10) for d in (0.05, 0.1, 0.2)]

    def all_of_them() -> list[int | None]:
        return [summarise_orders(graph).count for graph in graphs]

    assert None not in benchmark(all_of_them)
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median / len(graphs), against=json_of_the_samples)
