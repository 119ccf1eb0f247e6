"""How much of a run of the generator is ours: calls a second, memory, overhead of one call."""

import itertools
import multiprocessing
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_benchmark.fixture import BenchmarkFixture

from annotator.generation.records import GenerationState
from annotator.llm import ChatClient
from annotator.llm.endpoints import Endpoint
from annotator.project.creation import create_workspace
from annotator.project.workspace import Workspace
from tests.annotator.generation.scripted_run import generate, plan_for
from tests.bench.yardsticks import compare
from tests.scripted_model.plain_roles import PlainRoles
from tests.scripted_model.server import Asked, ScriptedModel, Sent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

DIALOGUES, AT_ONCE, SECONDS, REQUESTS = 128, 32, 0.2, 10
"""Each dialogue of two single tasks takes ten requests; so many that start and end weigh little."""


def delayed(seconds: float) -> Callable[[Asked], Sent]:
    """Five roles that take their time."""
    roles = PlainRoles()
    return lambda asked: replace(roles(asked), delay_seconds=seconds)


def run_in(
    folder: Path, name: str, base_url: str, *, dialogues: int, at_once: int, **setting: Any
) -> GenerationState:
    """A whole run in a project of its own."""
    workspace = create_workspace(str(folder / f"{name}.db"), name=name)
    try:
        plan = plan_for(base_url, policies="given", sequences=[["single"] * 2] * dialogues)
        return generate(workspace, plan, concurrency=at_once, **setting)
    finally:
        workspace.close()


def serve(seconds: float, line: "Connection") -> None:
    """Play the five roles until the other end says something; in a process of its own."""
    with ScriptedModel(delayed(seconds)) as model:
        line.send(model.base_url)
        line.recv()


@contextmanager
def endpoint_apart(seconds: float) -> Iterator[str]:
    """An endpoint that shares no interpreter with what is measured; gives its address."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=serve, args=(seconds, theirs))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


def test_thirty_two_at_once_take_little_longer_than_the_endpoint(
    benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    def the_endpoint_alone() -> float:
        # 128 x 10 / 32 x 0.2 = 8 s.
        return DIALOGUES * REQUESTS / AT_ONCE * SECONDS

    with endpoint_apart(SECONDS) as base_url:

        def whole_run(workspace: Workspace, dialogues: int) -> int:
            plan = plan_for(base_url, policies="given", sequences=[["single"] * 2] * dialogues)
            return generate(workspace, plan, concurrency=AT_ONCE).requests

        spaces = [create_workspace(str(tmp_path / f"p{number}.db"), name="p") for number in range(2)]
        whole_run(spaces[0], 1)  # what only the first request pays for
        before = time.process_time()
        requests = benchmark.pedantic(whole_run, (spaces[1], DIALOGUES), rounds=1, iterations=1)  # type: ignore[no-untyped-call]
        busy = time.process_time() - before
        for space in spaces:
            space.close()
    assert requests == DIALOGUES * REQUESTS
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median, against=the_endpoint_alone)
        # Where the machine has other work, wall time says little: a call's own work says what is possible.
        print(f"own work: {1000 * busy / requests:.1f} ms a call, {busy:.1f} s of processor time in all")


def test_one_call_with_all_that_is_kept_of_it(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    names = itertools.count()

    with endpoint_apart(0.0) as base_url:

        def whole_run() -> int:
            return run_in(tmp_path, f"q{next(names)}", base_url, dialogues=5, at_once=1).requests

        def bare_requests() -> float:
            client = ChatClient(Endpoint(base_url, "m"))
            started = time.perf_counter()
            for _ in range(5 * REQUESTS):
                client.ask([{"role": "user", "content": "x" * 8000}], headers={"X-Annotator-Role": "agent"})
            took = time.perf_counter() - started
            client.close()
            return took

        done = benchmark.pedantic(whole_run, rounds=3, iterations=1)  # type: ignore[no-untyped-call]
        assert done == 5 * REQUESTS
        if benchmark.stats:
            compare(benchmark, benchmark.stats.stats.median, against=bare_requests)


def test_memory_stays_flat_over_many_dialogues(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def look(state: GenerationState) -> None:
        if state.finished >= 10 * (len(seen) + 1):
            seen.append((state.finished, tracemalloc.get_traced_memory()[0]))

    tracemalloc.start()
    try:
        with endpoint_apart(0.0) as base_url:
            run_in(tmp_path, "m", base_url, dialogues=60, at_once=4, listen=look)
    finally:
        tracemalloc.stop()
    first, last = seen[0], seen[-1]
    # The first requests of a run are remembered, some kilobytes each; nothing else may grow.
    assert last[1] - first[1] < 40_000 * (last[0] - first[0])
