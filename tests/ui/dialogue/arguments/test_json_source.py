"""JSON text is understood where it stands, broken or whole, and one value of it is changed."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.pointers import has_value, value_at, with_value_at
from scoring.model.flow import escape, leaves
from tests.ui.dialogue.test_json_text import values
from ui.dialogue.arguments.json_source import (
    Spot,
    edit_to_remove,
    edit_to_set,
    matching_bracket,
    path_at,
    places_in,
    spot_at,
)
from ui.dialogue.json_text import write_json

# what a cursor stands in


def spot(marked: str) -> Spot | None:
    """The spot of the cursor that is written as a bar."""
    return spot_at(marked.replace("|", ""), marked.index("|"))


@pytest.mark.parametrize(
    ("marked", "path", "typed"),
    [
        ('{"ci|', "", "ci"),
        ("{|}", "", ""),
        ('{"a": 1, |}', "", ""),
        ('{"a": {"b": 1, "c|"}}', "/a", "c"),
        ('[{"a": 1}, {"b|"}]', "/1", "b"),
        ('{"a/b": {"|"}}', "/a~1b", ""),
    ],
)
def test_a_name_belongs_to_its_object(marked: str, path: str, typed: str) -> None:
    found = spot(marked)
    assert found is not None
    assert (found.is_name, found.path, found.typed) == (True, path, typed)


@pytest.mark.parametrize(
    ("marked", "path", "typed"),
    [
        ('{"a": |', "/a", ""),
        ('{"a": fal|se}', "/a", "fal"),
        ('{"a": "Os|lo"}', "/a", "Os"),
        ('{"a": [1, |]}', "/a/1", ""),
        ('{"a": [{"b": "x|', "/a/0/b", "x"),
        ('{"a": 1, "b": {"c": 2}, "d": n|}', "/d", "n"),
    ],
)
def test_a_value_belongs_to_its_name_or_place(marked: str, path: str, typed: str) -> None:
    found = spot(marked)
    assert found is not None
    assert (found.is_name, found.path, found.typed) == (False, path, typed)


def test_behind_a_finished_text_nothing_is_written() -> None:
    assert spot('{"a": "x"|}') is None


def test_the_names_before_and_behind_are_used_up() -> None:
    found = spot('{"a": {"x": 1}, "ci|, "b": [{"y": 2}], "c": 1}')
    assert found is not None
    assert found.names == {"a", "b", "c"}


def test_a_whole_word_is_replaced_but_not_what_stands_behind_it() -> None:
    whole, broken = spot('{"ci|ty": 1}'), spot('{"ci|, "b": 1}')
    assert whole is not None
    assert broken is not None
    assert (whole.start, whole.end) == (1, 7)
    assert (broken.start, broken.end) == (1, 4)


@given(values, st.sampled_from([None, 1]))
def test_the_path_of_every_scalar_is_found_from_where_it_stands(value: JsonValue, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    for path, _ in leaves(value):
        start, end = places_in(text, {path})[path]
        for at in {start + 1, end}:
            assert path_at(text, at) == path
            assert path_at(f"{text[:at]}\n, }}", at) == path


def test_brackets_that_never_close_do_not_take_forever() -> None:
    began = time.monotonic()
    assert path_at("[" * 50_000, 50_000) == ""
    assert time.monotonic() - began < 5


# brackets


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


# places


@given(values)
def test_every_scalar_is_located_however_the_text_is_spaced(value: JsonValue) -> None:
    tight = write_json(value)
    loose = "".join(f"\n {token.text.strip()} " for token in tight.tokens)
    for token in tight.tokens:
        if token.kind not in ("key", "punctuation"):
            places = places_in(loose, {token.path})
            assert loose[slice(*places[token.path])] == token.text


def test_values_under_names_with_slashes_and_escapes_are_located() -> None:
    text = '{"x": [1, {"a/b~": {"\\u0063": true}}]}'
    places = places_in(text, {"/x/1/a~1b~0", "/x/1/a~1b~0/c", "/x/0", "/y", "/x/7"})
    assert {path: text[slice(*span)] for path, span in places.items()} == {
        "/x/1/a~1b~0": '"a/b~"',
        "/x/1/a~1b~0/c": "true",
        "/x/0": "1",
    }


# changes

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
    changed = with_value_at(before, path, replacement=value)
    assert json.dumps(json.loads(after_set(text, path, value))) == json.dumps(changed)
    if has_value(before, path):
        left = json.loads(after_remove(text, path))
        holder, _, key = path.rpartition("/")
        is_item = isinstance(value_at(before, holder), list)
        assert has_value(left, path) == (is_item and has_value(before, f"{holder}/{int(key) + 1}"))
        assert len(value_at(left, holder)) == len(value_at(before, holder)) - 1  # type: ignore[arg-type]
