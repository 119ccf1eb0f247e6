"""What a set of dialogues consists of, counted by hand."""

import pytest

from scoring.measures.dataset import UNLABELLED, dataset_statistics, toolset_of
from scoring.model.case import Case, Tool
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information, Policy
from tests.factories import answer, ask, call, case, task, tool


def _text(kind: str) -> JsonObject:
    return {"type": kind}


def _cases() -> list[Case]:
    several = task(
        call(), call("getHotel"), answer(), policy=Policy.MULTI_PARALLEL, information=Information.FIRST
    )
    asked = task(ask(), call(), answer(), policy=Policy.CLARIFY, information=Information.OMISSION)
    open_ = task(answer())
    tools = [
        tool("getForecast", required=["city"], city=_text("string"), days=_text("integer")),
        tool("getHotel"),
    ]
    return [
        case(several, asked, open_, id="a", tools=tools),
        case(task(answer(), policy=Policy.CHAT, information=Information.FIRST), id="b", tools=tools[:1]),
    ]


def test_sizes_count_dialogues_messages_and_calls() -> None:
    found = dataset_statistics(_cases())
    assert (found.cases, found.tasks.counts, found.tasks.total) == (2, {1: 1, 3: 1}, 4)
    assert found.messages.counts == {1: 1, 4: 1}, "an answer to a question is a message of the user"
    assert (found.calls.counts, found.calls.mean) == ({1: 1, 2: 1}, 1.5), "tasks without a call are left out"
    assert found.tasks.deviation == pytest.approx(2**0.5)
    assert (found.different_tools, found.offered, found.called, found.never_called) == (2, 2, 2, 0)
    assert (found.required.count, found.required.total) == (1, 2)


def test_a_label_that_is_missing_is_no_label() -> None:
    found = dataset_statistics(_cases())
    assert found.policies == {"multi_parallel": 1, "clarify": 1, "chat": 1, UNLABELLED: 1}
    assert (found.related.count, found.related.total) == (1, 1), "the open task is no task that needs nothing"
    bare = dataset_statistics([case(task(answer()), task(answer()))])
    assert (bare.related.value, bare.switching.value, bare.unlabelled) == (None, None, 2)


def test_a_changed_definition_is_a_different_tool_of_the_same_name() -> None:
    chat = task(answer())
    versions = [tool("getShow", day=_text("string")), tool("getShow", day=_text("integer"))]
    found = dataset_statistics([case(chat, id=f"c-{i}", tools=[one]) for i, one in enumerate(versions)])
    assert (found.different_tools, found.offered, found.never_called) == (2, 1, 1)


@pytest.mark.parametrize(
    ("schema", "kind", "depth"),
    [
        ({"type": "str"}, "string", 0),
        ({"type": ["null", "integer"]}, "integer", 0),
        ({"type": "string", "enum": ["a"]}, "enum", 0),
        ({"type": "array", "items": {"type": "string"}}, "array", 1),
        (
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
            "nested",
            2,
        ),
        ({"type": "object"}, "object", 1),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "nested", 2),
        ({}, "none declared", 0),
    ],
)
def test_arguments_are_counted_by_type_and_depth(schema: JsonObject, kind: str, depth: int) -> None:
    found = dataset_statistics([case(task(answer()), tools=[tool(argument=schema)])])
    assert (found.parameters, found.depths.counts) == ({kind: 1}, {depth: 1})


def test_the_writing_of_requests_is_what_most_of_their_letters_are() -> None:
    texts = {"明天奥斯陆 map": "CJK", "Погода": "CYRILLIC", "7 + 7": "none", "Oslo 天": "LATIN"}
    for text, script in texts.items():
        bare = task(answer()).model_copy(update={"user": text})
        assert dataset_statistics([case(bare)]).scripts == {script: 1}, text


def test_a_category_is_what_the_file_says_beside_or_within_the_function() -> None:
    outside = Tool.model_validate({"type": "function", "category": "Travel", "function": {"name": "getShow"}})
    inside = Tool.model_validate({"type": "function", "function": {"name": "getHotel", "category": "Food"}})
    found = dataset_statistics([case(task(answer()), tools=[outside, inside, tool()])])
    assert found.categories == {"Travel": 1, "Food": 1, "not labelled": 1}


def test_people_say_the_category_of_a_toolset_where_its_file_says_none() -> None:
    said = Tool.model_validate({"type": "function", "category": "Travel", "function": {"name": "getShow"}})
    first = case(task(answer()), id="a", tools=[said, tool("a"), tool("b")])
    second = case(task(answer()), id="b", tools=[tool("b"), tool("c")])
    cases = [first, second]
    # Tools a and b are of the assigned toolset, getShow says it itself, c is in the other one.
    found = dataset_statistics(cases, assigned={toolset_of(first.tools): "Work"})
    assert found.categories == {"Work": 2, "Travel": 1, "not labelled": 1}
    assert dataset_statistics(cases[1:], assigned={toolset_of(first.tools): "Work"}).categories == {}
    assert toolset_of(first.tools) == toolset_of([tool("b"), tool("a"), tool("getShow")])
