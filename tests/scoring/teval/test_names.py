"""Names of tools and ids as T-Eval takes them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.teval.names import escape_name, plain_tool_name, tool_name, unescape_name

_TRICKY = st.text(alphabet="_x2d-. aé天f", max_size=12)


@given(_TRICKY)
def test_an_escaped_name_is_made_of_word_characters_and_leads_back(name: str) -> None:
    escaped = escape_name(name)
    assert re.fullmatch(r"\w*", escaped)
    assert unescape_name(escaped) == name


@given(st.one_of(_TRICKY, st.just("Tools.find"), st.just("find")).filter(bool))
def test_a_tool_name_has_one_dot_and_leads_back(name: str) -> None:
    found = tool_name(name)
    assert re.fullmatch(r"\w+\.\w+", found)
    assert plain_tool_name(found) == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getForecast", "Tools.getForecast"),
        ("Weather.forecast", "Weather.forecast"),
        ("Tools.find", "Tools.Tools_x2e_find"),
        ("get-forecast", "Tools.get_x2d_forecast"),
    ],
)
def test_a_plain_name_gets_a_toolset(name: str, expected: str) -> None:
    assert tool_name(name) == expected
