"""When work at an endpoint stops by itself, and what is kept where somebody stops it."""

import threading
from collections.abc import Callable, Sequence

import pytest

from annotator.jobs import JobCancelled, JobContext
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


def test_what_has_arrived_is_kept_where_nobody_waits_any_more() -> None:
    units = iter(["one"])
    cancel, leave, goes_on, has_told = (threading.Event() for _ in range(4))
    kept: list[int] = []

    def ask(_: str, tell: Callable[[int], None]) -> None:
        tell(1)
        work.stop.wait(120)
        tell(2)
        goes_on.wait(120)
        tell(3)
        has_told.set()

    def keep(heard: Sequence[int]) -> None:
        kept.extend(heard)
        if 2 in heard:
            goes_on.set()
            assert has_told.wait(120)
            leave.set()

    def after(heard: Sequence[int]) -> None:
        if heard:
            cancel.set()

    work: WorkQueue[str, int] = WorkQueue(lambda: next(units, None), ask, thread_count=1, name="test")
    with pytest.raises(JobCancelled):
        work.run(keep, after, context=JobContext(cancel=cancel, leave=leave))
    assert kept == [1, 2, 3]
