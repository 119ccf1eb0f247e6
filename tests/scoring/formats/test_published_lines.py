"""What WildToolBench and C3-Bench lines mean, and what makes them unusable (formats 2-5, 8)."""

import pytest
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.benchmark.wildtool import read
from scoring.model.case import Answer, Ask, AskedTool, Call, Case, Now
from scoring.model.record import JsonObject
from scoring.model.taxonomy import EdgeKind, Information, Policy


def node(
    name: str, *before: JsonValue, observation: JsonValue = "fine", **arguments: JsonValue
) -> JsonObject:
    """A call that waits for the given steps."""
    return {
        "action": {"name": name, "arguments": arguments},
        "observation": observation,
        "dependency_list": list(before),
    }


def end(*before: JsonValue, text: JsonValue = "Sunny.") -> JsonObject:
    """The answer, after the given steps."""
    return node("prepare_to_answer", *before, observation=text, answer_type="tool")


def asking(*before: JsonValue, **fields: JsonValue) -> JsonObject:
    """A question about the city, with the user's reply unless it is given as something else."""
    asked = node("ask_user_for_required_parameters", *before, observation="Where?")
    return asked | {"user_input": "Oslo"} | fields


def wild(*tasks: list[JsonObject], **fields: JsonValue) -> JsonObject:
    """A WildToolBench line with these answer lists."""
    answers: list[JsonValue] = [list(nodes) for nodes in tasks]
    texts: list[JsonValue] = ["Weather in Oslo?"] * len(tasks)
    line: JsonObject = {"id": "w-1", "english_tasks": texts, "english_answer_list": answers}
    return line | fields


def benched(*tasks: list[JsonObject], **fields: JsonValue) -> JsonObject:
    """A C3-Bench line with these answer lists."""
    answers: list[JsonValue] = [list(nodes) for nodes in tasks]
    texts: list[JsonValue] = ["Weather in Oslo?"] * len(tasks)
    line: JsonObject = {"id": "c-1", "english_task": texts, "english_answer_list": answers}
    return line | fields


def decoded(line: JsonObject) -> Case:
    """The case of a WildToolBench line."""
    return wildtool.decode(line, file="w.jsonl", line=1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (wild([node("a", 1), node("b", 0), end(1)]), "circle: 1 -> 0 -> 1"),
        (wild([node("a", 7), end(0)]), "names step 7, which the task does not have"),
        (wild([node("a", -1), end(0)]), "names step -1"),
        (wild([node("a", True), end(0)]), "dependency_list holds true"),
        (wild([node("a")]), r"exactly one prepare_to_answer, found none"),
        (wild([end(), end()]), r"exactly one prepare_to_answer, found 2 \(0, 1\)"),
        (wild([asking(user_input=None), end(0)]), r"\[0\]\[0\] asks the user, but its user_input"),
        (wild([asking(user_input=3), end(0)]), "user_input is a number; a text is expected"),
        (wild([end()], english_tasks=[]), "english_tasks is empty"),
        ({"id": "x", "english_tasks": ["a"]}, "english_answer_list is missing"),
        ({"id": "x", "answer_list": [[]]}, "english_tasks is missing"),
        (
            {"id": "x", "english_tasks": ["a"], "english_answer_list": None},
            "list is null; a list is expected",
        ),
        (
            wild([end()], english_tasks=["a", "b"]),
            "english_answer_list has 1 item, but the line has 2 tasks",
        ),
        (wild([end()], english_task_types=["Chat", "Chat"]), "english_task_types has 2 items"),
        (wild([end()], english_task_types=[4]), r"english_task_types\[0\] is a number; a text is expected"),
        (wild([end()], english_env_info=["a", "b"]), "english_env_info has 2 items"),
        (wild([end()], english_env_info=5), "english_env_info is a number; a list is expected"),
        (
            wild([end()], english_tools=[{"function": {"description": "?"}}]),
            r"tools\[0\] has no name",
        ),
        (wild([end()], english_tools={"name": "a"}), "english_tools is an object; a list is expected"),
        (wild([end()], english_tasks=[None]), r"english_tasks\[0\] is null; a text is expected"),
        (wild([end()], id={}), "id is an object"),
        (wild([end()], id=""), "id has 0 characters"),
        (wild([end(text={"a": 1})]), r"\[0\]\[0\].observation is an object; a text is expected"),
        (wild([{"name": "a"}, end()]), r"\[0\]\[0\].action is null; an object is expected"),
        (wild([{"action": {"name": "a", "arguments": []}}, end()]), "arguments is a list; an object"),
        (wild([end()], english_messages=[{"role": "user", "content": "x"}, "=====", "====="]), "has 2 items"),
        (wild([end()], english_messages=[5]), "a message or a separator"),
        (wild([end()], english_messages=[{"role": "user"}]), "content is null; a text is expected"),
    ],
)
def test_an_unusable_line_is_refused_with_the_place(line: JsonObject, said: str) -> None:
    with pytest.raises(InputError, match=said):
        decoded(line)


def test_steps_are_calls_questions_and_the_answer() -> None:
    line = wild([asking(), node("book", 0, observation={"ok": True}, guests=2), end(1)])
    assert decoded(line).tasks[0].steps == (
        Ask(text="Where?", reply="Oslo"),
        Call(name="book", arguments={"guests": 2}, observation={"ok": True}),
        Answer(text="Sunny.", answer_type="tool"),
    )


def test_both_published_shapes_of_a_question_are_one() -> None:
    one: JsonObject = {"tool_name": "book", "missing_required_parameters": ["date"]}
    name = "ask_user_for_required_parameters"
    listed = asking(action={"name": name, "arguments": {"tool_list": [one]}})
    single = asking(action={"name": name, "arguments": one})
    for question in (listed, single):
        (asked,) = decoded(wild([question, end(0)])).tasks[0].asks
        assert asked[1].asks_for == (AskedTool(tool_name="book", missing_required_parameters=("date",)),)


def test_a_dependency_along_which_a_value_flows_is_a_parameter_dependency() -> None:
    search = node("search", observation={"hits": [{"id": "show123"}]})
    line = wild([search, node("detail", 0, id="show123"), node("note", 0, text="else"), end(1, 2)])
    kinds = {edge.pair: edge.kind for edge in decoded(line).tasks[0].edges}
    assert kinds == {
        (0, 1): EdgeKind.PARAMETER,
        (0, 2): EdgeKind.LOGICAL,
        (1, 3): EdgeKind.DERIVED,
        (2, 3): EdgeKind.DERIVED,
    }


def test_a_reply_that_becomes_an_argument_is_a_parameter_dependency() -> None:
    (edge, _) = decoded(wild([asking(), node("getForecast", 0, city="Oslo"), end(1)])).tasks[0].edges
    assert edge.kind is EdgeKind.PARAMETER


def test_edges_at_the_answer_stay_as_the_file_has_them() -> None:
    early = wild([node("a"), node("b"), end(0)])
    after = wild([end(), node("a", 0)])
    assert [edge.pair for edge in decoded(early).tasks[0].edges] == [(0, 2)]
    assert [(edge.pair, edge.kind) for edge in decoded(after).tasks[0].edges] == [((0, 1), EdgeKind.DERIVED)]


def test_a_dependency_on_a_later_node_is_legal() -> None:
    line = wild([node("a", 1), node("b"), end(0)])
    assert decoded(line).tasks[0].drawn_edges[0].pair == (1, 0)


def test_nodes_numbered_otherwise_than_by_position_keep_their_dependencies() -> None:
    first, last = node("a") | {"idx": 10}, end(10) | {"idx": 30}
    assert [edge.pair for edge in decoded(wild([first, last])).tasks[0].edges] == [(0, 1)]


def test_repeated_and_self_dependencies_are_left_out_and_noted() -> None:
    found = read(wild([node("a", 0), end(0, 0)]), file="w.jsonl", line=1)
    assert [edge.pair for edge in found.case.tasks[0].edges] == [(0, 1)]
    assert [note.split(" names ")[1] for note in found.warnings] == [
        "its own step; left out.",
        "step 0 twice; kept once.",
    ]


def test_arguments_come_as_objects_texts_or_not_at_all() -> None:
    shapes: list[JsonValue] = ['{"a": 1}', {"a": 1}, "", None, "{broken"]
    for given, meant in zip(shapes, [{"a": 1}, {"a": 1}, {}, {}, {}], strict=True):
        action: JsonObject = {"name": "a", "arguments": given}
        (_, call), *_ = decoded(wild([node("a") | {"action": action}, end(0)])).tasks[0].calls
        assert call.arguments == meant


def test_unreadable_arguments_are_noted() -> None:
    line = wild([{"action": {"name": "a", "arguments": "{broken"}, "dependency_list": []}, end(0)])
    assert "holds no JSON object" in read(line, file="w.jsonl", line=1).warnings[0]


def test_an_answer_never_published_is_empty() -> None:
    answered = decoded(wild([end(text=None)])).tasks[0].answer
    assert answered is not None
    assert answered.text == ""


def test_an_answer_of_no_type_is_a_chat_where_nothing_was_called() -> None:
    bare: JsonObject = {"action": {"name": "prepare_to_answer"}, "observation": "Hi.", "dependency_list": []}
    chatted = decoded(wild([bare], [node("a"), bare | {"dependency_list": [0]}]))
    assert [task.answer and task.answer.answer_type for task in chatted.tasks] == ["chat", "tool"]


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("Single-Tool", Policy.SINGLE),
        ("parallel multi-tool", Policy.MULTI_PARALLEL),
        ("Sequential Multi-Tool", Policy.MULTI_SERIAL),
        ("Serial Multi-Tool", Policy.MULTI_SERIAL),
        ("Mixed Multi-Tool", Policy.MULTI_MIXED),
        ("Clarify", Policy.CLARIFY),
        ("Chat", Policy.CHAT),
        ("Something else", None),
        (None, None),
    ],
)
def test_wildtool_types_are_policies(name: str | None, policy: Policy | None) -> None:
    assert decoded(wild([end()], english_task_types=[name])).tasks[0].policy is policy


@pytest.mark.parametrize(
    ("code", "policy"), [("单", Policy.SINGLE), ("反", Policy.CLARIFY), ("拒", Policy.CHAT), ("?", None)]
)
def test_c3_codes_are_policies(code: str, policy: Policy | None) -> None:
    assert c3.decode(benched([end()], type=[code]), file="c.jsonl", line=1).tasks[0].policy is policy


def test_a_multi_task_with_one_call_is_noted() -> None:
    found = c3.read(benched([node("a"), end(0)], type=["多"]), file="c.jsonl", line=1)
    assert found.case.tasks[0].policy is Policy.MULTI_SERIAL
    assert "says several calls, but the task has 1" in found.warnings[0]


REFERENCE, OMISSION, LONG = "Coreferential Reference", "Partial Information", "Long-Range Dependency"


@pytest.mark.parametrize(
    ("relations", "meant"),
    [
        ([REFERENCE, LONG], [Information.REFERENCE, Information.LONG_RANGE]),
        ([None, OMISSION, LONG], [Information.OMISSION, Information.LONG_RANGE]),
        ([], [None, None]),
        ([LONG], [None, None]),
        (["指代理解", "?"], [Information.REFERENCE, None]),
    ],
)
def test_wildtool_relations_belong_to_the_later_tasks(
    relations: list[JsonValue], meant: list[Information | None]
) -> None:
    line = wild([end()], [end()], [end()], english_turn_subtypes=relations)
    assert [task.information for task in decoded(line).tasks] == [Information.FIRST, *meant]


@pytest.mark.parametrize(
    ("truths", "relations", "meant"),
    [
        ([False, False, True], ["省略成分"], [None, Information.OMISSION]),
        (["假", "真", "假"], ["长期记忆"], [Information.LONG_RANGE, None]),
        ([False, True, True], ["", "ellipsis", "omit"], [Information.OMISSION, Information.OMISSION]),
        (None, ["指代理解", "指代理解"], [Information.REFERENCE, Information.REFERENCE]),
        ([False, True, True], [], [None, None]),
    ],
)
def test_c3_relations_belong_to_the_dependent_tasks(
    truths: JsonValue, relations: list[JsonValue], meant: list[Information | None]
) -> None:
    line = benched([end()], [end()], [end()], turn_type=truths, turn_subtypes=relations)
    found = c3.decode(line, file="c.jsonl", line=1)
    assert [task.information for task in found.tasks] == [Information.FIRST, *meant]


def test_the_time_keeps_its_text_and_is_read() -> None:
    raw = "当前时间：2024-07-10 09:30:00 星期三"
    assert decoded(wild([end()], english_env_info=raw)).now == Now(raw=raw, at="2024-07-10T09:30:00")


def test_a_time_for_each_task_is_the_cases_where_they_agree() -> None:
    times: list[JsonValue] = ["2024-07-10", "2024-07-10", "2024-07-11"]
    found = c3.decode(benched([end()], [end()], [end()], env_info=times), file="c.jsonl", line=1)
    assert found.now == Now.read("2024-07-10")
    assert [task.now and task.now.raw for task in found.tasks] == [None, None, "2024-07-11"]


def test_english_fields_come_first_and_chinese_ones_take_their_place() -> None:
    both = wild([end()], tasks=["查天气"], env_info="2024-07-10")
    assert decoded(both).language == "en"
    assert decoded(both).tasks[0].user == "Weather in Oslo?"
    assert decoded(both).now == Now.read("2024-07-10")


def test_plain_fields_alone_make_a_chinese_case() -> None:
    line: JsonObject = {"id": "x", "tasks": ["查天气"], "answer_list": [[end()]]}
    assert decoded(line).language == "zh"
    assert wildtool.encode(decoded(line)) == line


def test_scalars_of_a_single_task_are_wrapped() -> None:
    line: JsonObject = {"id": 7, "english_tasks": "Weather?", "english_answer_list": [end()]}
    found = read(line, file="w.jsonl", line=1)
    assert found.case.id == "7"
    assert found.case.tasks[0].user == "Weather?"
    assert len(found.warnings) == 2


def test_an_id_in_pieces_is_joined() -> None:
    assert decoded(wild([end()], id=["1f", "0c"])).id == "1f0c"


def test_tools_of_any_shape_keep_it() -> None:
    tools: list[JsonValue] = [
        {"name": "a"},
        {"type": "function", "function": {"name": "b", "input_schema": {}}},
    ]
    found = decoded(wild([end()], english_tools=tools))
    assert [tool.definition for tool in found.tools] == tools
    assert [tool.parameters["properties"] for tool in found.tools] == [{}, {}]


def test_a_dialogue_that_does_not_fit_its_tasks_is_noted_and_kept() -> None:
    messages: list[JsonValue] = [{"role": "assistant", "content": "AI: Hello."}, "====="]
    found = read(wild([end()], english_messages=messages), file="w.jsonl", line=1)
    assert len(found.warnings) == 2
    assert wildtool.encode(found.case)["english_messages"] == messages


@pytest.mark.parametrize(("task_ids", "warning_count"), [(None, 1), ([], 1), ([2], 0), ([0], 1)])
def test_the_request_of_a_task_is_looked_for_where_the_line_says(
    task_ids: JsonValue, warning_count: int
) -> None:
    words = ("Hello.", "Hello to you.", "Weather in Oslo?", "Sunny.")
    messages: list[JsonValue] = [
        {"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(words)
    ]
    line = benched([end()], type=["单"], english_messages=messages, task_ids=task_ids)
    assert len(c3.read(line, file="c.jsonl", line=1).warnings) == warning_count


def test_unknown_keys_stand_beside_the_content() -> None:
    plain, noted = decoded(wild([end()])), decoded(wild([end()], note="x"))
    assert noted.extras["note"] == "x"
    assert plain.tasks == noted.tasks
