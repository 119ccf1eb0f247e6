"""Texts, values and labels change one thing and leave everything else as it was."""

import math
from collections.abc import Callable

import pytest
from pydantic import JsonValue

from annotator.cases.edits.text_edits import (
    remove_argument,
    set_answer_text,
    set_argument_value,
    set_arguments,
    set_ask,
    set_information,
    set_now,
    set_observation,
    set_policy,
    set_thought,
    set_tool,
    set_user_text,
)
from annotator.cases.places import task_at
from scoring.errors import InputError
from scoring.model.case import Answer, Ask, AskedTool, Call, Case, Edge, dump_case
from scoring.model.taxonomy import EdgeKind, Policy
from tests.annotator.cases.clean import clean_case, with_task
from tests.factories import answer, call, case, task, tool


def recorded_case() -> Case:
    """A case as its file gave it: recorded rounds, an answer that comes early, unknown keys."""

    def as_recorded(found: Callable[[], Case]) -> Case:
        first = found().tasks[0]
        steps = tuple(step.model_copy(update={"recorded_round": i}) for i, step in enumerate(first.steps))
        edges = (Edge(source=0, target=1), Edge(source=0, target=2, kind=EdgeKind.DERIVED))
        return with_task(found(), 0, lambda whole: whole.model_copy(update={"steps": steps, "edges": edges}))

    return as_recorded(clean_case).model_copy(update={"extras": {"licence": "CC BY 4.0"}})


def call_at(found: Case, task_index: int, step: int) -> Call:
    made = found.tasks[task_index].steps[step]
    assert isinstance(made, Call)
    return made


TEXT_EDITS: list[Callable[[Case], Case]] = [
    lambda found: set_user_text(found, 0, text="Find me a train."),
    lambda found: set_answer_text(found, 0, text="Done."),
    lambda found: set_arguments(found, 0, step=0, arguments={"origin": "Wien"}),
    lambda found: set_argument_value(found, 0, step=0, path="/origin", value="Wien"),
    lambda found: set_observation(found, 0, step=1, observation=["b-1"]),
    lambda found: set_thought(found, 0, step=0, thought="Trains first."),
    lambda found: set_tool(found, 0, step=1, name="cancelBooking"),
    lambda found: set_policy(found, 0, policy=Policy.SINGLE),
    lambda found: set_information(found, 0, information=None),
    lambda found: set_ask(found, 1, step=0, text="When?", reply="Friday"),
]


@pytest.mark.parametrize("edit", TEXT_EDITS)
def test_an_edit_of_texts_leaves_edges_rounds_and_extras_alone(edit: Callable[[Case], Case]) -> None:
    before = recorded_case()
    after = edit(before)
    assert after != before
    assert after.extras == before.extras
    assert [t.edges for t in after.tasks] == [t.edges for t in before.tasks]
    rounds = [step.recorded_round for _, _, step in before.steps()]
    assert [step.recorded_round for _, _, step in after.steps()] == rounds


@pytest.mark.parametrize("edit", TEXT_EDITS)
def test_an_edit_leaves_the_former_case_as_it_was(edit: Callable[[Case], Case]) -> None:
    before = recorded_case()
    body = dump_case(before)
    edit(before)
    assert dump_case(before) == body


def test_an_answer_is_written_where_there_is_none_and_follows_every_sink() -> None:
    bare = case(task(call("act"), call("act"), user="Act twice."))
    found = set_answer_text(bare, 0, text="Done.").tasks[0]
    assert found.steps[2] == Answer(text="Done.", answer_type="tool")
    assert [edge.pair for edge in found.edges] == [(0, 2), (1, 2)]


def test_an_answer_to_a_task_without_calls_is_chat() -> None:
    written = set_answer_text(case(task(user="Hello?")), 0, text="Hello.").tasks[0].answer
    assert written == Answer(text="Hello.", answer_type="chat")


def test_a_question_keeps_the_parts_that_are_not_given() -> None:
    asked = AskedTool(tool_name="findTrain", missing_required_parameters=("origin",))
    changed = set_ask(clean_case(), 1, step=0, asks_for=[asked]).tasks[1].steps[0]
    assert changed == Ask(text="On which day?", reply="On Thursday.", asks_for=(asked,))


def test_a_nested_argument_is_changed_in_its_place() -> None:
    found = set_argument_value(
        set_arguments(
            clean_case(), 0, step=1, arguments={"a": 1, "legs": [{"to": "x"}, {"to": "y"}], "z": 2}
        ),
        0,
        step=1,
        path="/legs/1/to",
        value="w",
    )
    changed = call_at(found, 0, 1).arguments
    assert list(changed.items()) == [("a", 1), ("legs", [{"to": "x"}, {"to": "w"}]), ("z", 2)]


def test_an_absent_argument_is_added_at_the_end() -> None:
    found = set_argument_value(clean_case(), 0, step=0, path="/passengers", value=2)
    assert list(call_at(found, 0, 0).arguments) == ["origin", "destination", "date", "passengers"]


@pytest.mark.parametrize("path", ["", "/origin/city", "/nowhere/deep"])
def test_a_path_that_leads_nowhere_is_refused(path: str) -> None:
    with pytest.raises(InputError):
        set_argument_value(clean_case(), 0, step=0, path=path, value=1)


def test_an_argument_and_an_item_of_a_list_can_be_removed() -> None:
    wide = set_arguments(clean_case(), 0, step=1, arguments={"a": [1, 2, 3], "b": 4})
    assert call_at(remove_argument(wide, 0, step=1, path="/a/1"), 0, 1).arguments == {"a": [1, 3], "b": 4}
    assert call_at(remove_argument(wide, 0, step=1, path="/a"), 0, 1).arguments == {"b": 4}


def test_removing_an_absent_argument_is_refused() -> None:
    with pytest.raises(InputError):
        remove_argument(clean_case(), 0, step=0, path="/passengers")


def test_another_tool_takes_over_the_arguments_it_has_too() -> None:
    tools = [
        tool("old", city={"type": "string"}, map_id={"type": "string"}, gone={"type": "string"}),
        tool("new", city={"type": "string"}, mapId={"type": "string"}),
    ]
    before = case(task(call("old", city="Graz", map_id="m-1", gone="x")), tools=tools)
    changed = call_at(set_tool(before, 0, step=0, name="new"), 0, 0)
    assert (changed.name, changed.arguments) == ("new", {"city": "Graz", "mapId": "m-1"})


def test_an_argument_the_other_tool_has_by_that_very_name_keeps_it() -> None:
    tools = [
        tool("old", map_id={"type": "string"}),
        tool("new", mapId={"type": "string"}, map_id={"type": "string"}),
    ]
    changed = call_at(
        set_tool(case(task(call("old", map_id="m-1")), tools=tools), 0, step=0, name="new"), 0, 0
    )
    assert changed.arguments == {"map_id": "m-1"}


def test_a_tool_outside_the_toolset_is_refused() -> None:
    with pytest.raises(InputError, match="no tool"):
        set_tool(clean_case(), 0, step=0, name="flyAway")
    with pytest.raises(InputError) as refused:
        set_tool(case(task(call("old"), answer())), 0, step=0, name="flyAway")
    assert refused.value.hint == "Choose one of: none."


def test_the_time_of_the_case_and_of_one_task_are_two_things() -> None:
    whole = set_now(clean_case(), "2026-05-01 08:00:00")
    one = set_now(whole, "Friday, 2026-05-08", task=2)
    assert (one.now and one.now.at, one.tasks[2].now and one.tasks[2].now.at) == (
        "2026-05-01T08:00:00",
        "2026-05-08T00:00:00",
    )
    assert set_now(one, " ", task=2).tasks[2].now is None


BAD_VALUES: list[JsonValue] = [math.nan, math.inf, "\ud800", 10**500]


@pytest.mark.parametrize("value", BAD_VALUES)
def test_a_value_no_file_could_hold_is_refused(value: JsonValue) -> None:
    with pytest.raises(InputError):
        set_argument_value(clean_case(), 0, step=0, path="/origin", value=value)
    with pytest.raises(InputError):
        set_observation(clean_case(), 0, step=0, observation={"x": value})


def test_a_value_nested_too_deep_is_refused() -> None:
    deep: dict[str, JsonValue] = {}
    for _ in range(200):
        deep = {"in": deep}
    with pytest.raises(InputError):
        set_arguments(clean_case(), 0, step=0, arguments=deep)


@pytest.mark.parametrize(
    "edit",
    [
        lambda found: set_user_text(found, 9, text="x"),
        lambda found: set_observation(found, 0, step=9, observation=None),
        lambda found: set_observation(found, 0, step=2, observation=None),
        lambda found: set_arguments(found, 1, step=0, arguments={}),
        lambda found: set_ask(found, 0, step=0, text="x"),
    ],
)
def test_a_step_that_is_not_there_or_of_another_kind_is_refused(edit: Callable[[Case], Case]) -> None:
    with pytest.raises(InputError):
        edit(clean_case())


def test_a_missing_task_is_named() -> None:
    with pytest.raises(InputError, match="no task 4"):
        task_at(case(task(answer())), 4)
