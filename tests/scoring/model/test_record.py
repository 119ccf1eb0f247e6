"""Records that are copied and made without checks are those that pydantic would have made."""

from pydantic import BaseModel

from scoring.model.case import Call, Task, Tool
from scoring.model.taxonomy import Policy
from scoring.predictions import Reply, ToolCall
from tests.factories import answer, call, task, tool


def test_a_copy_is_the_one_that_pydantic_makes() -> None:
    one = task(call(), answer(), user="Weather?")
    for update in ({"policy": Policy.SINGLE, "user": "Rain?"}, {}, None):
        ours, theirs = one.model_copy(update=update), BaseModel.model_copy(one, update=update)
        assert ours == theirs
        assert list(vars(ours)) == list(vars(theirs))
        assert ours.model_fields_set == theirs.model_fields_set
        assert ours.model_dump_json() == theirs.model_dump_json()
    assert one.user == "Weather?"
    assert one.model_copy(deep=True).steps[0] is not one.steps[0]
    assert one.model_copy().steps[0] is one.steps[0]


def test_a_record_of_trusted_values_is_the_one_that_is_validated() -> None:
    values = {"observation": [1, {"a": None}], "arguments": {"city": "Oslo"}, "name": "getForecast"}
    pairs = [
        (Call.trusted(**values), Call.model_validate(values)),
        (Task.trusted(user="Hi"), Task(user="Hi")),
        (Tool.trusted(definition=tool().definition), Tool(definition=tool().definition)),
        (Reply.trusted(tool_calls=(ToolCall.trusted(name="a"),)), Reply(tool_calls=(ToolCall(name="a"),))),
    ]
    for ours, theirs in pairs:
        assert ours == theirs
        assert list(vars(ours)) == list(vars(theirs))
        assert ours.model_fields_set == theirs.model_fields_set
        assert ours.model_dump_json() == theirs.model_dump_json()
        assert ours.model_copy() == theirs
