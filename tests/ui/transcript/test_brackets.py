"""Brackets find their partners, also in broken text."""

import pytest

from ui.transcript.brackets import matching_bracket


@pytest.mark.parametrize(("text", "at", "partner"), [("{}", 0, 1), ("{}", 1, 0), ('[{"a": [1]}]', 0, 11)])
def test_a_bracket_finds_its_partner(text: str, at: int, partner: int) -> None:
    assert matching_bracket(text, at) == partner


def test_brackets_in_strings_do_not_count() -> None:
    assert matching_bracket('{"a": "}"}', 0) == 9
    assert matching_bracket('{"a": "}"}', 7) is None


def test_escaped_quotes_do_not_end_a_string() -> None:
    assert matching_bracket(r'["\"]"]', 0) == 6


def test_a_bracket_of_the_wrong_kind_is_no_partner() -> None:
    assert matching_bracket("{]", 0) is None


def test_a_character_that_is_no_bracket_has_no_partner() -> None:
    assert matching_bracket("{a}", 1) is None
    assert matching_bracket("{}", 5) is None
