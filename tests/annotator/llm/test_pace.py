"""Turns of requests that several threads want to start."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from annotator.jobs import JobCancelled
from annotator.llm.pace import Pace


def starts(pace: Pace, count: int) -> list[float]:
    """When each of several threads got its turn, in seconds from now."""
    began = time.monotonic()

    def start(_: int) -> float:
        pace.take_turn(threading.Event())
        return time.monotonic() - began

    with ThreadPoolExecutor(count) as pool:
        return sorted(pool.map(start, range(count)))


def test_without_a_limit_nobody_waits() -> None:
    assert starts(Pace(), 5)[-1] < 1


def test_turns_are_spaced_over_all_threads() -> None:
    # 1,200 a minute is one each 0.05 s; the first needs no wait.
    assert starts(Pace(1200), 5)[-1] >= 0.2


def test_a_hold_keeps_every_thread_back() -> None:
    pace = Pace()
    pace.hold(0.3)
    assert starts(pace, 4)[0] >= 0.3


def test_a_shorter_hold_does_not_end_a_longer_one() -> None:
    pace = Pace()
    pace.hold(0.3)
    pace.hold(0.01)
    assert starts(pace, 1)[0] >= 0.3


def test_a_hold_that_comes_while_waiting_is_kept_too() -> None:
    pace = Pace(600)
    pace.take_turn(threading.Event())
    threading.Timer(0.02, pace.hold, (0.4,)).start()
    assert starts(pace, 1)[0] >= 0.3


def test_stopping_ends_the_wait() -> None:
    pace = Pace()
    pace.hold(60)
    stop = threading.Event()
    stop.set()
    with pytest.raises(JobCancelled):
        pace.take_turn(stop)
