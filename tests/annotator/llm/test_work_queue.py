"""When work at an endpoint stops by itself."""

import pytest

from annotator.llm.work_queue import FailureCount
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
