"""Calls belong together as the file recorded them, or as the drawing makes them ready."""

import pytest

from scoring.model.case import Call, Task
from tests.factories import answer, ask, call, task
from ui.dialogue.content import Round, rounds_of


def groups(found: Task) -> list[tuple[int, int]]:
    return sorted({(together.first, together.last) for together in rounds_of(found).values()})


def recorded(*rounds: int | None) -> list[Call]:
    return [call("look").model_copy(update={"recorded_round": number}) for number in rounds]


def test_calls_recorded_in_one_round_belong_together() -> None:
    assert groups(task(*recorded(0, 1, 1, 2, 2, 2), answer())) == [(1, 2), (3, 5)]


def test_without_rounds_the_drawing_says_what_is_ready_together() -> None:
    # 0 -> 1 and 0 -> 2: both are ready once 0 is done.
    assert groups(task(call(), call(), call(), answer(), edges=[(0, 1), (0, 2)])) == [(1, 2)]


def test_without_rounds_and_drawing_nothing_is_known() -> None:
    assert groups(task(call(), call(), answer())) == []


def test_calls_that_wait_for_each_other_never_belong_together() -> None:
    assert groups(task(*recorded(0, 0), answer(), edges=[(0, 1)])) == []


def test_a_question_between_them_keeps_calls_apart() -> None:
    assert groups(task(*recorded(0), ask(), *recorded(0), answer())) == []


@pytest.mark.parametrize(("names", "note"), [(("a", "a", "b"), "a × 2, b"), (("a", "b", "c"), "a, b, c")])
def test_a_round_names_its_tools(names: tuple[str, ...], note: str) -> None:
    steps = [call(name).model_copy(update={"recorded_round": 0}) for name in names]
    assert rounds_of(task(*steps))[0] == Round(0, 2, note)
    assert rounds_of(task(*steps))[0].title == "3 calls in one round"
