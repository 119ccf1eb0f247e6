"""Values, counts and sets put together: by what they have in common, or as they come."""

from collections.abc import Iterator

from scoring.groups import collected, grouped, keyed, summed, united


def test_values_of_a_key_stand_in_the_order_they_come() -> None:
    assert list(grouped([("b", 2), ("a", 1), ("b", 1)]).items()) == [("b", [2, 1]), ("a", [1])]


def test_numbers_of_a_key_are_added_up_and_a_key_without_any_is_missing() -> None:
    assert list(summed([("b", 2), ("a", 0), ("b", 3)]).items()) == [("b", 5), ("a", 0)]
    assert summed([("a", 0.5), ("a", 0.25)]) == {"a": 0.75}
    assert summed([]) == {}


def test_sets_of_a_key_are_joined_as_bits() -> None:
    assert united([("a", 0b001), ("b", 0b100), ("a", 0b011)]) == {"a": 0b011, "b": 0b100}


def test_what_is_yielded_is_there_when_the_function_returns() -> None:
    done = []

    @collected
    def squares(most: int, *, start: int = 0) -> Iterator[int]:
        for number in range(start, most):
            done.append(number)
            yield number**2

    assert squares(4, start=1) == (1, 4, 9)
    squares(1)
    assert done == [1, 2, 3, 0]


def test_the_last_value_of_a_key_stays() -> None:
    @keyed
    def pairs(text: str) -> Iterator[tuple[str, int]]:
        for place, letter in enumerate(text):
            yield letter, place

    assert pairs("abca") == {"a": 3, "b": 1, "c": 2}
    assert pairs("") == {}
