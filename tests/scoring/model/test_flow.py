"""Where values flow: what counts as found, where, and what says nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.model.flow import Scalar, SearchableText, ValuePlace, flows, is_telling, leaves, squeeze

SHOWS: JsonValue = {
    "response": {"shows": [{"id": "show123", "price": 40}, {"id": "show456", "price": 40.5}]},
    "note": "Meet at Gate 12, Las Vegas; flight AY 1234.",
}


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("show456", ValuePlace(path="/response/shows/1/id")),
        (40, ValuePlace(path="/response/shows/0/price")),
        (40.0, ValuePlace(path="/response/shows/0/price")),
        ("40", ValuePlace(path="/response/shows/0/price", exact=False)),
        (40.5, ValuePlace(path="/response/shows/1/price")),
        ("SHOW-123", ValuePlace(path="/response/shows/0/id", exact=False)),
        ("Las Vegas", ValuePlace(path="/note", span=(17, 26))),
        ("las vegas", ValuePlace(path="/note", span=(17, 26), exact=False)),
        (12, ValuePlace(path="/note", span=(13, 15))),
        ("Gate", ValuePlace(path="/note", span=(8, 12))),
    ],
)
def test_a_value_is_found_with_its_place(value: Scalar, place: ValuePlace) -> None:
    assert SearchableText(SHOWS).find(value) == place


@pytest.mark.parametrize(
    ("value", "expected"),
    [(-2, True), (-1, False), (0, False), (1, False), (2, True), ("a", False), ("ab", True)],
)
def test_small_numbers_and_single_characters_say_nothing(value: Scalar, expected: bool) -> None:
    assert is_telling(value) is expected


@pytest.mark.parametrize(
    "value", [True, False, None, "", " ", "a", 0, 1, -1, 1.0, "Vega", "show", 123, "LasVegas", 5]
)
def test_a_value_that_says_nothing_or_stands_nowhere_is_not_found(value: Scalar) -> None:
    assert SearchableText(SHOWS).find(value) is None


def test_a_whole_value_goes_before_a_word_in_a_text() -> None:
    assert SearchableText({"text": "from Oslo", "city": "Oslo"}).find("Oslo") == ValuePlace(path="/city")


def test_a_word_is_found_behind_longer_ones_that_hold_it() -> None:
    said = SearchableText("Oslofjord, _Oslo, NyOslo, Oslo2 or Oslo.")
    assert said.find("Oslo") == ValuePlace(path="", span=(35, 39))


def test_chinese_words_need_no_blanks_around_them() -> None:
    assert SearchableText("明天奥斯陆天气晴朗").find("奥斯陆") == ValuePlace(path="", span=(2, 5))


def test_a_number_as_text_keeps_its_sign_and_point() -> None:
    assert SearchableText({"x": "-12.5"}).find(125) is None
    assert SearchableText({"x": "-12.5"}).find(-12.5) == ValuePlace(path="/x", exact=False)


def test_folding_that_lengthens_a_text_never_points_beside_the_word() -> None:
    text = "İstanbul and Oslo"
    place = SearchableText(text).find("oslo")
    assert place is None or (place.span is not None and text[slice(*place.span)] == "Oslo")


def test_values_flow_from_anywhere_in_an_observation_into_any_argument() -> None:
    assert flows({"filter": {"ids": ["x1", "show456"]}}, SHOWS)
    assert not flows({"filter": {"ids": ["x1", "x2"]}, "all": True, "page": 1}, SHOWS)
    assert not flows({"city": "Oslo"}, None)


def test_leaves_are_walked_in_order_with_their_pointers() -> None:
    assert list(leaves({"a/b": [1, {"~": None}], "c": []})) == [("/a~1b/0", 1), ("/a~1b/1/~0", None)]
    assert list(leaves("x")) == [("", "x")]


def test_squeezing_leaves_letters_and_digits() -> None:
    assert squeeze("Las-Vegas, ＮＶ 89109!") == "lasvegasnv89109"


@given(st.text(min_size=1, max_size=30), st.integers(0, 29), st.integers(1, 30))
def test_a_found_span_holds_the_value(text: str, start: int, length: int) -> None:
    value = text[start : start + length].strip()
    place = SearchableText({"t": text}).find(value)
    if place is not None and place.span is not None:
        found = text[slice(*place.span)]
        assert found == value if place.exact else found.casefold() == value.casefold()


@given(
    st.text(max_size=10) | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
)
def test_a_telling_value_is_found_in_itself(value: Scalar) -> None:
    assert (SearchableText([value]).find(value) is not None) == is_telling(value)


def test_many_values_are_looked_up_in_one_large_observation() -> None:
    said = SearchableText([{"id": f"row-{i}", "text": f"Row {i} of the table"} for i in range(5_000)])
    assert [said.find(f"row-{i}") for i in range(5_000)] == [
        ValuePlace(path=f"/{i}/id") for i in range(5_000)
    ]


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_are_squeezed_as_all_others_are(text: str) -> None:
    assert squeeze(text) + "é" == squeeze(text + "é")
