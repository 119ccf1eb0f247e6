"""How long counting legal orders takes: it runs after every edit in the window."""

from random import Random

from pytest_benchmark.fixture import BenchmarkFixture

from scoring.model.graph import StepGraph
from scoring.orders import summarise_orders


def random_graph(size: int, *, density: float, seed: int) -> StepGraph:
    rng = Random(seed)
    return StepGraph(
        tuple(f"t{i}" for i in range(size)),
        tuple(frozenset(j for j in range(i) if rng.random() < density) for i in range(size)),
    )


def test_twelve_parallel_calls_count_in_far_less_than_fifty_milliseconds(
    benchmark: BenchmarkFixture,
) -> None:
    graph = StepGraph(tuple("abcdefghijkl"), (frozenset(),) * 12)
    assert benchmark(summarise_orders, graph).count == 28_091_567_595
    if benchmark.stats:
        assert benchmark.stats.stats.median < 0.005


def test_sixty_steps_are_counted_or_given_up_within_a_frame(benchmark: BenchmarkFixture) -> None:
    graphs = [random_graph(60, density=d, seed=s) for s in range(5) for d in (0.02, 0.05, 0.1, 0.2)]

    def all_of_them() -> list[int | None]:
        return [summarise_orders(graph).count for graph in graphs]

    counts = benchmark(all_of_them)
    assert None in counts
    if benchmark.stats:
        assert benchmark.stats.stats.median / len(graphs) < 0.016
