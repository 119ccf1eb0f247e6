"""Calls written as text in the ways models have of their own."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.call_texts import read_call_text


def found(text: str) -> list[tuple[str | None, object]]:
    read = read_call_text(text)
    return [(one.name, json.loads(one.arguments or "")) for one in read.calls] if read else []


OSLO = ("getWeather", {"city": "Oslo"})


@pytest.mark.parametrize(
    "text",
    [
        '[getWeather(city="Oslo")]',
        '[{"name": "getWeather", "arguments": {"city": "Oslo"}}]',
        '{"name": "getWeather", "parameters": {"city": "Oslo"}}',
        '{"type": "function", "name": "getWeather", "parameters": {"city": "Oslo"}}',
        '{"type": "function", "function": {"name": "getWeather", "arguments": {"city": "Oslo"}}}',
        '{"tool_calls": [{"name": "getWeather", "arguments": {"city": "Oslo"}}]}',
        '```json\n[{"name": "getWeather", "arguments": {"city": "Oslo"}}]\n```',
        '```\n[getWeather(city="Oslo")]\n```',
        '<tool_call>\n{"name": "getWeather", "arguments": {"city": "Oslo"}}\n</tool_call>',
        '<tool_call>{"name": "getWeather", "arguments": {"city": "Oslo"}}',
        '<function=getWeather>{"city": "Oslo"}</function>',
        'getWeather\n{"city": "Oslo"}',
    ],
)
def test_every_known_form_is_read(text: str) -> None:
    assert found(text) == [OSLO]


@pytest.mark.parametrize(
    "text",
    [
        '[getWeather(city="Oslo"), maps.getRoute(to=[1, 2], fast=True, via=null)]',
        '<tool_call>{"name": "getWeather", "arguments": {"city": "Oslo"}}</tool_call>\n'
        '<tool_call>{"name": "maps.getRoute", '
        '"arguments": {"to": [1, 2], "fast": true, "via": null}}</tool_call>',
        '<function=getWeather>{"city": "Oslo"}</function>'
        '<function=maps.getRoute>{"to": [1, 2], "fast": true, "via": null}</function>',
    ],
)
def test_several_calls_are_read_in_order(text: str) -> None:
    assert found(text) == [OSLO, ("maps.getRoute", {"to": [1, 2], "fast": True, "via": None})]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It is sunny in Oslo.",
        "[1, 2, 3]",
        "[]",
        '{"city": "Oslo"}',
        '[getWeather("Oslo")]',
        "[getWeather(**options)]",
        "[(lambda: 1)()]",
        "[getWeather(city=town)]",
        "[getWeather(city={1, 2})]",
        '[{"name": "getWeather", "arguments": {}}, "and more"]',
        "<tool_call>soon</tool_call>",
        "Note\n[1]",
        'The call getWeather\n{"city": "Oslo"}',
        "[" * 5_000,
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert read_call_text(text) is None


def test_text_around_tags_is_kept() -> None:
    read = read_call_text('One moment. <tool_call>{"name": "f", "arguments": {}}</tool_call>')
    assert read is not None
    assert read.content == "One moment."


@given(st.text(alphabet="[]{}()<>\"'\\,:=f1 \n_call", max_size=60))
def test_any_text_can_be_looked_at(text: str) -> None:
    read_call_text(text)
