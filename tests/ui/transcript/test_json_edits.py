"""One value of a JSON text is changed, and the rest stays as it was written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.pointers import has_value
from scoring.model.flow import escape
from tests.ui.transcript.test_json_text import values
from ui.transcript.form_rows import with_argument, without_argument
from ui.transcript.json_edits import edit_to_remove, edit_to_set

WRITTEN = '{ "a" : 1,\n\n  "b":{"c":[ 1, 2 ],"d": "x"},\n    "e": null }'


def after_set(text: str, path: str, value: JsonValue) -> str:
    return edit_to_set(text, path, value).made_in(text)


def after_remove(text: str, path: str) -> str:
    return edit_to_remove(text, path).made_in(text)


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        ("/a", 7, WRITTEN.replace(": 1,", ": 7,")),
        ("/b/c/1", "y", WRITTEN.replace("1, 2 ]", '1, "y" ]')),
        ("/b/c/2", 3, WRITTEN.replace("1, 2 ]", "1, 2, 3 ]")),
        ("/b/new", True, WRITTEN.replace('"x"}', '"x", "new": true}')),
    ],
)
def test_only_the_value_itself_is_written_anew(path: str, value: JsonValue, changed: str) -> None:
    assert after_set(WRITTEN, path, value) == changed


def test_a_new_name_stands_in_a_line_of_its_own_where_the_others_do() -> None:
    assert after_set('{\n    "a": 1\n}', "/b", {"c": 2}) == (
        '{\n    "a": 1,\n    "b": {\n      "c": 2\n    }\n}'
    )
    assert after_set('{"a": 1}', "/b", {"c": 2}) == '{"a": 1, "b": {"c": 2}}'


def test_an_empty_object_is_opened_over_lines() -> None:
    assert after_set("{}", "/a", 1) == '{\n  "a": 1\n}'
    assert after_set('{\n  "a": {}\n}', "/a/b", 1) == '{\n  "a": {\n    "b": 1\n  }\n}'
    assert after_set('{\n  "a": []\n}', "/a/0", 1) == '{\n  "a": [\n    1\n  ]\n}'


@pytest.mark.parametrize(
    ("text", "path", "left"),
    [
        ('{\n  "a": 1,\n  "b": 2\n}', "/a", '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', "/b", '{\n  "a": 1\n}'),
        ('{\n  "a": 1\n}', "/a", "{}"),
        ('{"a": [1, 2, 3]}', "/a/1", '{"a": [1, 3]}'),
        ('{"a": 1}', "/b", '{"a": 1}'),
    ],
)
def test_what_is_taken_out_goes_with_its_comma(text: str, path: str, left: str) -> None:
    assert after_remove(text, path) == left


layouts = st.sampled_from([None, 0, 2, 4, "\t"])
objects = st.dictionaries(st.sampled_from(["a", "b/c", "é", "x~y", "🙂"]), values, max_size=4)


def pointers(value: JsonValue, path: str = "") -> list[str]:
    inner: list[tuple[str, JsonValue]] = []
    if isinstance(value, dict):
        inner = [(escape(key), one) for key, one in value.items()]
    elif isinstance(value, list):
        inner = [(str(at), one) for at, one in enumerate(value)]
    return [path] * bool(path) + [found for key, one in inner for found in pointers(one, f"{path}/{key}")]


@given(st.data(), objects, layouts, values)
def test_the_text_holds_the_very_value_the_edit_means(
    data: st.DataObject, before: dict[str, JsonValue], layout: int | str | None, value: JsonValue
) -> None:
    text = json.dumps(before, ensure_ascii=False, indent=layout)
    path = data.draw(st.sampled_from([*pointers(before), "/new"]))
    assert json.dumps(json.loads(after_set(text, path, value))) == json.dumps(
        with_argument(before, path, value)
    )
    if has_value(before, path):
        assert json.dumps(json.loads(after_remove(text, path))) == json.dumps(without_argument(before, path))
