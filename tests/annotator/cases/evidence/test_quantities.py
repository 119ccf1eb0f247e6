"""Numbers are read however people write them."""

import pytest

from annotator.cases.evidence.quantities import LARGEST, as_number, combines, quantities_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("$10,000 by Friday", {10_000}),
        ("5% off", {5, 0.05}),
        ("2.5k steps", {2.5, 2_500}),
        ("3 million", {3, 3_000_000, 1_000_000}),
        ("twenty-five", {25}),
        ("two hundred and fifty", {250}),
        ("one hundred thousand", {100_000}),
        ("the second half", {2, 0.5}),
        ("a pair, a couple, both and twice", {2}),
        ("triple or thrice", {3}),
        ("a single dozen, a quarter, none", {1, 12, 0.25, 0}),
        ("double", {2}),
        ("at 10am", {10}),
        ("longitude -118.24", {-118.24}),
        ("(48.85, 2.35)", {48.85, 2.35}),
        ("三十五个人", {35}),
        ("两千万", {20_000_000}),
        ("共5个", {5}),
        ("map_12345 and v2", set()),
        ("1.2.3", {1.2}),
        ("", set()),
    ],
)
def test_the_numbers_of_a_text(text: str, numbers: set[float]) -> None:
    assert {quantity.number for quantity in quantities_in(text)} == numbers


def test_a_number_knows_the_characters_that_state_it() -> None:
    (found,) = quantities_in("For twenty people")
    assert "For twenty people"[found.start : found.end] == "twenty"


def test_a_figure_of_hundreds_of_digits_is_no_number() -> None:
    assert all(quantity.number < 10**31 for quantity in quantities_in("9" * 5_000))


@pytest.mark.parametrize(
    ("value", "number"),
    [("$1,234.50", 1234.5), ("-7", -7), (3, 3), (True, None), ("5 apples", None), (None, None), ("x", None)],
)
def test_only_numbers_and_plain_figures_are_read_as_numbers(value: object, number: float | None) -> None:
    assert as_number(value) == number


@pytest.mark.parametrize(("number", "is_combined"), [(15.0, True), (2.5, True), (12.5, True), (11.0, False)])
def test_a_number_combines_from_two_others(number: float, is_combined: bool) -> None:
    # 15 = 2 x 7.5, 12.5 = 5 + 7.5, 2.5 = 7.5 - 5; 11 is none of 7.5 and 2 and 5 put together.
    assert combines(number, [7.5, 2, 5]) is is_combined


def test_what_is_too_long_to_count_with_is_no_number() -> None:
    assert [as_number(one) for one in (LARGEST - 1, LARGEST, -LARGEST)] == [LARGEST - 1, None, None]


def test_nothing_is_nothing_less_nothing() -> None:
    assert combines(0, [0])


def test_what_is_too_large_to_be_told_apart_combines_to_nothing() -> None:
    assert combines(2.0 * 10**17, [10**17])
    assert not combines(2.0 * LARGEST, [LARGEST])
