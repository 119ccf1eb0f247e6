"""What a cursor stands in is understood in whole and in broken JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.transcript.json_scan import JsonScanner, Spot


def spot(marked: str) -> Spot | None:
    """The spot of the cursor that is written as a bar."""
    return JsonScanner().spot(marked.replace("|", ""), marked.index("|"))


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


@given(st.lists(st.integers(0, 400), min_size=1, max_size=6), st.data())
def test_what_was_walked_before_a_change_is_not_needed_again(rows: list[int], data: st.DataObject) -> None:
    scanner = JsonScanner()
    text = json.dumps([{"id": "x" * 100, "n": [number] * number} for number in rows], indent=1)
    for _ in range(4):
        at = data.draw(st.integers(0, len(text)))
        assert scanner.spot(text, at) == JsonScanner().spot(text, at)
        added = data.draw(st.sampled_from(["", '"', "{", ",", "1", "]"]))
        text = text[:at] + added + text[at:]
        scanner.forget_from(at)
