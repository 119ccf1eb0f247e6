"""A form is made from the schema and the values, and says of every value what it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.model.record import JsonObject
from tests.factories import tool
from tests.ui.dialogue.test_json_text import values
from ui.dialogue.arguments.model import (
    FieldKind,
    FormRow,
    item_to_add,
    read_field,
    rows_of,
)

HOTEL = tool(
    "bookHotel",
    required=["city"],
    city={"type": "string", "description": "Where."},
    nights={"type": "integer"},
    price={"type": "number", "default": 120.5},
    breakfast={"type": "boolean"},
    room={"type": "string", "enum": ["single", "double"]},
    guests={"type": "array", "items": {"type": "object", "properties": {"age": {"type": "integer"}}}},
    contact={"type": "object", "properties": {"mail": {"type": "string"}}},
    when={"anyOf": [{"type": "string"}, {"type": "object"}]},
)


def row(path: str, **arguments: object) -> FormRow:
    rows = rows_of(HOTEL, json.loads(json.dumps(arguments)))
    return next(found for found in rows if found.path == path)


def test_every_parameter_has_a_field_in_the_order_of_the_schema() -> None:
    assert [found.name for found in rows_of(HOTEL, {})] == [
        "city", "nights", "price", "breakfast", "room", "guests", "contact", "when",
    ]  # fmt: skip


def test_arguments_the_schema_does_not_know_follow() -> None:
    last = rows_of(HOTEL, {"extra": 1, "city": "Oslo"})[-1]
    assert (last.name, last.is_declared, last.kind) == ("extra", False, FieldKind.JSON)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/city", FieldKind.TEXT),
        ("/nights", FieldKind.NUMBER),
        ("/price", FieldKind.NUMBER),
        ("/breakfast", FieldKind.CHOICE),
        ("/room", FieldKind.CHOICE),
        ("/guests", FieldKind.GROUP),
        ("/contact", FieldKind.GROUP),
        ("/when", FieldKind.JSON),
    ],
)
def test_a_parameter_is_typed_into_what_fits_it(path: str, kind: FieldKind) -> None:
    assert row(path).kind is kind


def test_a_required_parameter_its_description_and_a_default_are_named() -> None:
    assert (row("/city").is_required, row("/city").description) == (True, "Where.")
    assert row("/price").default == "120.5"


def test_a_value_of_another_type_is_shown_as_json_and_kept() -> None:
    found = row("/nights", nights="two")
    assert (found.kind, found.text) == (FieldKind.JSON, '"two"')


def test_left_out_null_and_empty_are_three_things() -> None:
    assert not row("/city").is_given
    assert row("/city", city=None).is_given
    assert row("/city", city=None).value is None
    assert row("/city", city="").value == ""


def test_a_choice_keeps_a_value_that_is_not_among_its_options() -> None:
    assert row("/room", room="suite").options == ("single", "double", "suite")


def test_values_inside_lists_and_objects_have_rows_of_their_own() -> None:
    paths = [found.path for found in rows_of(HOTEL, {"guests": [{"age": 3}], "contact": {"mail": ""}})]
    assert paths[5:10] == ["/guests", "/guests/0", "/guests/0/age", "/contact", "/contact/mail"]


def test_a_text_a_field_would_change_is_edited_as_json() -> None:
    assert row("/city", city="a\u2028b").kind is FieldKind.JSON
    assert row("/city", city="a\u00a0b").kind is FieldKind.JSON
    assert row("/city", city="a\nb").kind is FieldKind.LINES


def test_very_many_values_are_not_taken_apart() -> None:
    guests = [{"age": number} for number in range(30)]
    assert row("/guests", guests=guests).kind is FieldKind.GROUP
    assert row("/guests", guests=[*guests, {}]).kind is FieldKind.JSON


def test_a_number_is_read_as_it_is_written() -> None:
    assert read_field(row("/price"), "1.50") == 1.5
    with pytest.raises(ValueError, match="not a number"):
        read_field(row("/price"), "cheap")
    with pytest.raises(ValueError, match="not a whole number"):
        read_field(row("/nights"), "1.5")
    with pytest.raises(ValueError, match="not a number"):
        read_field(row("/price"), "NaN")


def test_an_item_is_added_with_an_empty_value_of_its_kind() -> None:
    assert item_to_add(row("/guests", guests=[]), HOTEL) == {}


@given(st.dictionaries(st.sampled_from(["city", "nights", "guests", "contact", "when", "x/y"]), values))
def test_what_a_field_shows_reads_back_as_the_very_value(arguments: JsonObject) -> None:
    for found in rows_of(HOTEL, arguments):
        if (
            found.is_given
            and found.value is not None
            and found.kind not in (FieldKind.GROUP, FieldKind.CHOICE)
        ):
            assert json.dumps(read_field(found, found.text)) == json.dumps(found.value)
