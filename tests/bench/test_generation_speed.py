"""How much of a run of the generator is ours: calls a second, memory, overhead of one call."""

import itertools
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from annotator.generation.records import GenerationState
from annotator.generation.scripted.server import Asked, ScriptedModel, Sent
from annotator.llm import ChatClient, Endpoint
from annotator.project.creation import create_workspace
from tests.annotator.generation.plain_roles import PlainRoles
from tests.annotator.generation.scripted_run import generate, plan_for
from tests.bench.yardsticks import compare

DIALOGUES, AT_ONCE, SECONDS, REQUESTS = 64, 32, 0.2, 10
"""Each dialogue of two single tasks takes ten requests."""


def delayed(seconds: float) -> Callable[[Asked], Sent]:
    """Five roles that take their time."""
    roles = PlainRoles()
    return lambda asked: replace(roles(asked), delay_seconds=seconds)


def run_in(
    folder: Path, name: str, *, dialogues: int, seconds: float, at_once: int, **setting: Any
) -> GenerationState:
    """A whole run in a project of its own."""
    workspace = create_workspace(str(folder / f"{name}.db"), name=name)
    try:
        with ScriptedModel(delayed(seconds)) as model:
            plan = plan_for(model.base_url, policies="given", sequences=[["single"] * 2] * dialogues)
            return generate(workspace, plan, concurrency=at_once, **setting)
    finally:
        workspace.close()


def test_thirty_two_at_once_take_little_longer_than_the_endpoint(
    benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    names = itertools.count()

    def whole_run() -> int:
        made = run_in(tmp_path, f"p{next(names)}", dialogues=DIALOGUES, seconds=SECONDS, at_once=AT_ONCE)
        return made.requests

    def the_endpoint_alone() -> float:
        # 64 x 10 / 32 x 0.2 = 4 s; its threads run in this process, too.
        return DIALOGUES * REQUESTS / AT_ONCE * SECONDS

    requests = benchmark.pedantic(whole_run, rounds=1, iterations=1)  # type: ignore[no-untyped-call]
    assert requests == DIALOGUES * REQUESTS
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median, against=the_endpoint_alone)


def test_one_call_with_all_that_is_kept_of_it(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    names = itertools.count()

    def whole_run() -> int:
        return run_in(tmp_path, f"q{next(names)}", dialogues=5, seconds=0.0, at_once=1).requests

    def bare_requests() -> float:
        with ScriptedModel(delayed(0.0)) as model:
            client = ChatClient(Endpoint(model.base_url, "m"))
            started = time.perf_counter()
            for _ in range(5 * REQUESTS):
                client.ask([{"role": "user", "content": "x" * 8000}], headers={"X-Annotator-Role": "agent"})
            took = time.perf_counter() - started
            client.close()
        return took

    assert benchmark.pedantic(whole_run, rounds=3, iterations=1) == 5 * REQUESTS  # type: ignore[no-untyped-call]
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median, against=bare_requests)


def test_memory_stays_flat_over_many_dialogues(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def look(state: GenerationState) -> None:
        if state.finished >= 10 * (len(seen) + 1):
            seen.append((state.finished, tracemalloc.get_traced_memory()[0]))

    tracemalloc.start()
    try:
        run_in(tmp_path, "m", dialogues=60, seconds=0.0, at_once=4, listen=look)
    finally:
        tracemalloc.stop()
    first, last = seen[0], seen[-1]
    # The first requests of a run are remembered, some kilobytes each; nothing else may grow.
    assert last[1] - first[1] < 40_000 * (last[0] - first[0])
