"""How long counting legal orders takes: it runs after every edit in the window."""

from random import Random

from pytest_benchmark.fixture import BenchmarkFixture

from scoring.model.graph import StepGraph
from scoring.orders.legal_orders import summarise_orders
from tests.bench.yardsticks import compare, json_of_the_samples


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
        return [summarise_orders(graph).count for graph in graphs]

    counts = benchmark(all_of_them)
    assert None in counts
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median / len(graphs), against=json_of_the_samples)
