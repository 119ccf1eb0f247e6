"""Putting back what a file said: exactly while nothing changed, and place by place after an edit."""

import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.formats.alignment import align, digest
from scoring.formats.differences import Difference, differences, restore, same
from scoring.model.record import JsonObject
from tests.scoring.formats.json_values import json_objects, json_values


def through_json(noted: list[Difference]) -> list[Difference]:
    """Differences as they come back out of a case's extras."""
    text = json.dumps([item.model_dump(mode="json", exclude_unset=True) for item in noted])
    return [Difference.model_validate(item) for item in json.loads(text)]


@given(json_objects(), json_objects())
def test_any_file_comes_back_exactly(base: JsonObject, file: JsonObject) -> None:
    assert same(restore(base, through_json(differences(base, file))), file)


@given(st.lists(json_values(), max_size=6), st.lists(json_values(), max_size=6))
def test_any_list_in_a_file_comes_back_exactly(base: list[JsonValue], file: list[JsonValue]) -> None:
    noted = through_json(differences({"k": base}, {"k": file}))
    assert same(restore({"k": base}, noted), {"k": file})


@given(json_objects())
def test_what_is_written_our_way_needs_no_notes(value: JsonObject) -> None:
    assert differences(value, value) == []


@given(json_values(), json_values())
def test_values_that_json_writes_alike_are_the_same(left: JsonValue, right: JsonValue) -> None:
    assert same(left, right) == (json.dumps(left) == json.dumps(right))


def test_one_and_one_point_nought_and_true_are_three_values() -> None:
    values: list[JsonValue] = [1, 1.0, True]
    assert [[same(a, b) for b in values] for a in values] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]


def test_an_edited_place_is_written_our_way() -> None:
    noted = differences({"a": {"x": 1}, "b": 2}, {"a": '{"x": 1}', "b": "2"})
    assert restore({"a": {"x": 5}, "b": 2}, noted) == {"a": {"x": 5}, "b": "2"}


def test_a_key_only_the_file_has_stays_when_its_neighbour_is_edited() -> None:
    noted = differences({"text": "a"}, {"note": "n", "text": "a"})
    assert list(restore_object({"text": "b"}, noted).items()) == [("note", "n"), ("text", "b")]


def test_a_key_the_file_leaves_out_appears_once_its_value_changes() -> None:
    noted = differences({"labels": None}, {})
    assert restore_object({"labels": None}, noted) == {}
    assert restore_object({"labels": "new"}, noted) == {"labels": "new"}


def test_an_item_inserted_before_another_does_not_take_over_its_oddities() -> None:
    base: JsonObject = {"steps": [{"name": "a"}, {"name": "b"}]}
    file: JsonObject = {"steps": [{"name": "a"}, {"name": "b", "note": "kept"}]}
    edited: JsonObject = {"steps": [{"name": "a"}, {"name": "x"}, {"name": "b"}]}
    assert restore(edited, differences(base, file)) == {
        "steps": [{"name": "a"}, {"name": "x"}, {"name": "b", "note": "kept"}]
    }


def test_items_that_changed_places_take_their_oddities_along() -> None:
    base: JsonObject = {"steps": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}
    file: JsonObject = {"steps": [{"name": "a"}, {"name": "b"}, {"name": "c", "note": "kept"}]}
    edited: JsonObject = {"steps": [{"name": "c"}, {"name": "a"}, {"name": "b"}]}
    assert restore(edited, differences(base, file)) == {
        "steps": [{"name": "c", "note": "kept"}, {"name": "a"}, {"name": "b"}]
    }


def test_an_item_only_the_file_has_stays_behind_its_neighbour() -> None:
    base: JsonObject = {"messages": [{"t": 1}, {"t": 2}]}
    file: JsonObject = {"messages": [{"t": 1}, {"extra": True}, {"t": 2}]}
    noted = differences(base, file)
    assert restore({"messages": [{"t": 1}, {"t": 9}]}, noted) == {
        "messages": [{"t": 1}, {"extra": True}, {"t": 9}]
    }


def test_items_the_file_wrote_together_are_written_our_way_once_one_is_edited() -> None:
    base: JsonObject = {"messages": [{"t": 1}, {"t": 2}, {"t": 3}]}
    file: JsonObject = {"messages": ["1+2", {"t": 3}]}
    noted = differences(base, file)
    assert restore({"messages": [{"t": 1}, {"t": 7}, {"t": 3}]}, noted) == {
        "messages": [{"t": 1}, {"t": 7}, {"t": 3}]
    }


def test_keys_with_slashes_and_tildes_find_their_way_back() -> None:
    base: JsonObject = {"a/b": {"~": 1}, "": {"": 2}}
    file: JsonObject = {"a/b": {"~": "1"}, "": {"": "2"}}
    assert restore(base, through_json(differences(base, file))) == file


def test_lists_too_long_to_be_lined_up_still_come_back() -> None:
    base: JsonObject = {"k": [{"t": i} for i in range(1500)]}
    file: JsonObject = {"k": [{"t": -i} for i in range(1, 1400)]}
    assert same(restore(base, differences(base, file)), file)


def test_a_digest_tells_key_orders_apart() -> None:
    assert digest({"a": 1, "b": 2}) != digest({"b": 2, "a": 1})


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_lining_up_never_gives_two_items_one_place(before: list[str], after: list[str]) -> None:
    pairs = align(before, after)
    assert len(set(pairs.values())) == len(pairs)
    assert all(0 <= i < len(before) and 0 <= j < len(after) for i, j in pairs.items())


def restore_object(ours: JsonObject, noted: list[Difference]) -> JsonObject:
    """`restore` of an object."""
    value = restore(ours, noted)
    assert isinstance(value, dict)
    return value
