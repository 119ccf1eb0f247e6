"""When work at an endpoint stops by itself, and what is kept where somebody stops it."""

import threading
from collections.abc import Callable, Sequence

import pytest

from annotator.jobs import JobCancelled
from annotator.llm.work_queue import FailureCount, WorkQueue
from scoring.errors import AnnotatorError


def fail(count: FailureCount, times: int, *, is_refused: bool = False) -> None:
    for _ in range(times):
        count.failed("http_503", "Overloaded.", is_refused=is_refused)


def test_ten_failures_in_a_row_stop_the_work_and_nine_do_not() -> None:
    count = FailureCount("task")
    fail(count, 9)
    with pytest.raises(AnnotatorError, match="10 tasks in a row failed outside the model"):
        fail(count, 1)


def test_an_answer_begins_the_count_again() -> None:
    count = FailureCount("task")
    fail(count, 9)
    count.succeeded()
    fail(count, 9)
    with pytest.raises(AnnotatorError, match="10 tasks"):
        fail(count, 1)


def test_a_refused_unit_says_nothing_of_the_endpoint() -> None:
    count = FailureCount("dialogue")
    fail(count, 50, is_refused=True)
    fail(count, 9)
    with pytest.raises(AnnotatorError, match="10 dialogues"):
        fail(count, 1)


def test_what_has_arrived_is_kept_when_a_second_ctrl_c_ends_the_waiting() -> None:
    units = iter(["one"])
    goes_on, has_told = threading.Event(), threading.Event()
    kept: list[int] = []

    def ask(_: str, tell: Callable[[int], None]) -> None:
        tell(1)
        work.stop.wait(20)
        tell(2)
        goes_on.wait(20)
        tell(3)
        has_told.set()

    def keep(heard: Sequence[int]) -> None:
        kept.extend(heard)
        if 2 in heard:
            goes_on.set()
            assert has_told.wait(20)
            raise KeyboardInterrupt

    def after(heard: Sequence[int]) -> None:
        if heard:
            raise JobCancelled

    work: WorkQueue[str, int] = WorkQueue(lambda: next(units, None), ask, thread_count=1, name="test")
    with pytest.raises(KeyboardInterrupt):
        work.run(keep, after)
    assert kept == [1, 2, 3]
