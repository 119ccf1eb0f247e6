"""How long twenty people on one server wait for a claim and a case while five read the Team page."""

import threading
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from annotator.project.workspace import open_workspace
from annotator.review.drafts import open_assignment
from annotator.review.queue.claims import claim_next, leave
from tests.bench.large_project import PEOPLE
from tests.bench.yardsticks import a_bare_query
from ui.services.feed import OTHERS_MILLISECONDS
from ui.team.workload import read_overview

WATCHING = 5
TURNS = 20
AGAIN = OTHERS_MILLISECONDS / 1000
PAUSE = 3.0
"""Seconds between two cases of one person; twenty people who judge one in a minute are slower than that."""


@pytest.mark.parametrize("large_url", ["postgresql"], indirect=True)
def test_claiming_and_opening_beside_the_team_page(large_url: str, benchmark: BenchmarkFixture) -> None:
    people, turns, pause = (PEOPLE, TURNS, PAUSE) if benchmark.enabled else (2, 1, 0.0)
    work = partial(waits_of, large_url, turns=turns, pause=pause)

    def together() -> list[tuple[list[float], list[float], int]]:
        context = get_context("forkserver")
        context.set_forkserver_preload([__name__])
        with ProcessPoolExecutor(people, context) as pool:
            return list(pool.map(work, range(people)))

    shifts = benchmark.pedantic(together)  # type: ignore[no-untyped-call]
    claims, opens = (sorted(wait for shift in shifts for wait in shift[part]) for part in (0, 1))
    assert len(claims) == len(opens) == people * turns
    if benchmark.enabled:
        bare = a_bare_query(large_url)
        read = sum(shift[2] for shift in shifts)
        for name, waits in (("claim", claims), ("open", opens)):
            p95 = waits[int(0.95 * len(waits))]
            print(
                f"\n{name}: p95 {p95 * 1000:.0f} ms ({p95 / bare:.1f} x a bare query of 200 cases), longest "
                f"{waits[-1] * 1000:.0f} ms, {people} people, the Team page read {read} times meanwhile"
            )


def waits_of(url: str, number: int, *, turns: int, pause: float) -> tuple[list[float], list[float], int]:
    """What one person waited for claims and for cases, and how often the Team page was read beside it."""
    workspace = open_workspace(url, f"p{number}")
    over = threading.Event()
    read: list[object] = []
    watcher = threading.Thread(target=_watch, args=(url, over, read, AGAIN if pause else 0.0))
    if number < WATCHING:
        watcher.start()
    claims, opens = [], []
    try:
        time.sleep(pause * number / PEOPLE)
        for _ in range(turns):
            began = time.perf_counter()
            held = claim_next(workspace).value
            claimed = time.perf_counter()
            assert held is not None
            open_assignment(workspace, held.id)
            claims.append(claimed - began)
            opens.append(time.perf_counter() - claimed)
            leave(workspace, held.id, skip=True, reason="seen")
            time.sleep(pause)
    finally:
        over.set()
        if watcher.ident:
            watcher.join()
        workspace.close()
    return claims, opens, len(read)


def _watch(url: str, over: threading.Event, read: list[object], pause: float) -> None:
    """Read the page again and again until `over`, as a window does that follows what others do."""
    workspace = open_workspace(url, "max")
    while not over.is_set():
        read.append(read_overview(workspace))
        over.wait(pause)
    workspace.close()
