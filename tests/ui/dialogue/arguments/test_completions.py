"""What is offered at a spot: names of the schema, allowed values, and values seen before."""

from scoring.model.case import Case, Task, Tool
from tests.factories import ask, call, case, task, tool
from ui.dialogue.arguments.completions import ArgumentCompletion, offers_for, seen_values
from ui.dialogue.arguments.json_source import spot_at

FORECAST = tool(
    "getForecast",
    required=["city", "day"],
    format={"type": "string", "enum": ["short", "long"], "default": "short"},
    city={"type": "string", "description": "Where\nto look."},
    day={"type": "string"},
    hours={"type": "integer"},
    wind={"type": "boolean"},
    legs={"type": "array", "items": {"type": "object", "properties": {"to": {"type": "string"}}}},
    units={"type": "array", "items": {"type": "string", "enum": ["C", "F"]}},
)


def dialogue() -> Case:
    first = call("listCities", {"cities": [{"city": "Oslo", "population": 709037}]}, country="NO")
    return case(
        Task(user="Which 'big towns' are there, see order A-17 of 2024-07-13?", steps=(first,)),
        task(ask(reply="For 36 hours."), call("getForecast", "late"), user="The weather there?"),
        tools=[FORECAST],
    )


def offers(marked: str, used: Tool | None = FORECAST, found: Case | None = None) -> list[ArgumentCompletion]:
    spot = spot_at(marked.replace("|", ""), marked.index("|"))
    assert spot is not None
    seen = seen_values(found, 1, step=1) if found else ()
    return list(offers_for(spot, used, seen))


def texts(marked: str, found: Case | None = None) -> list[str]:
    return [offer.text for offer in offers(marked, found=found)]


def test_names_not_used_come_first_and_required_ones_before_optional_ones() -> None:
    assert texts('{"city": "Oslo", |}') == [
        '"day"', '"format"', '"hours"', '"wind"', '"legs"', '"units"', '"city"',
    ]  # fmt: skip


def test_a_name_says_whether_it_is_required_its_type_and_what_it_means() -> None:
    assert offers('{"ci|"}')[0].note == "required · string · Where to look."


def test_what_is_typed_narrows_the_names_those_that_begin_so_first() -> None:
    assert texts('{"t|') == ['"city"', '"format"', '"units"']
    assert texts('{"f|') == ['"format"']


def test_allowed_values_and_the_default_are_offered() -> None:
    assert texts('{"format": "|"}') == ['"short"', '"long"']


def test_a_boolean_is_true_or_false() -> None:
    assert texts('{"wind": |') == ["true", "false"]


def test_names_in_a_list_of_objects_are_those_of_its_items() -> None:
    assert texts('{"legs": [{"to": "x"}, {"|') == ['"to"']


def test_values_in_a_list_are_those_of_its_items() -> None:
    assert texts('{"units": ["C", "|') == ['"C"', '"F"']


def test_a_value_seen_under_the_same_name_comes_first_with_its_place() -> None:
    first = offers('{"city": "|"}', found=dialogue())[0]
    assert (first.text, first.note) == ('"Oslo"', "task 1, step 0 cities/0/city")


def test_numbers_identifiers_dates_and_quoted_words_of_texts_are_offered() -> None:
    found = {seen.value: seen.where for seen in seen_values(dialogue(), 1, step=1)}
    assert found[36] == "task 2, step 0, reply"
    assert found["A-17"] == "task 1, user"
    assert found["2024-07-13"] == "task 1, user"
    assert found["big towns"] == "task 1, user"
    assert found["NO"] == "task 1, step 0, argument country"


def test_only_whole_numbers_are_offered_where_one_is_wanted() -> None:
    assert texts('{"hours": |', dialogue()) == ["36", "709037"]


def test_nothing_of_the_call_itself_or_behind_it_is_offered() -> None:
    assert "late" not in {seen.value for seen in seen_values(dialogue(), 1, step=1)}


def test_a_tool_nobody_knows_still_offers_the_words_of_json_and_what_was_seen() -> None:
    found = offers('{"x": |', used=None, found=dialogue())
    assert {"true", "false", "null", '"Oslo"'} <= {offer.text for offer in found}
