"""Errors of others, said in the words of the program."""

import pytest

from scoring.errors import InputError, NotFoundError, existing, filled, reworded


def test_an_error_of_a_kind_that_is_named_becomes_another_with_itself_as_the_cause() -> None:
    with (
        pytest.raises(InputError, match=r"^'x' is no number, says invalid literal") as raised,
        reworded(
            KeyError, ValueError, into=lambda exc: InputError(f"'x' is no number, says {exc}.", "Write one.")
        ),
    ):
        int("x")
    assert isinstance(raised.value.__cause__, ValueError)


def test_an_error_of_another_kind_goes_on_as_it_is() -> None:
    known: dict[str, int] = {}
    with pytest.raises(KeyError), reworded(ValueError, into=lambda _: InputError("It is no number.")):
        known["x"]


def test_nothing_happens_where_nothing_goes_wrong() -> None:
    with reworded(ValueError, into=lambda _: InputError("It is no number.")):
        number = int("7")
    assert number == 7


def test_a_value_that_is_there_is_taken_and_none_is_refused_in_the_words_given() -> None:
    numbers: dict[str, int] = {"nought": 0}
    error = NotFoundError("There is no such number.", "Name another.")
    assert existing(numbers.get("nought"), error) == 0
    with pytest.raises(NotFoundError, match="no such number"):
        existing(numbers.get("one"), error)


def test_a_list_with_something_in_it_is_taken_and_an_empty_one_refused() -> None:
    error = InputError("There is nothing in it.")
    assert filled([0], error) == [0]
    with pytest.raises(InputError, match="nothing in it"):
        filled([], error)
