"""BFCL: official questions with the answers and function documents that lie beside them (formats 12)."""

import gzip
import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from scoring.formats.benchmark.bfcl import KEY, MORE_FUNCTIONS, rewritten, single_call
from scoring.formats.case_reader import ReadCase, Rejected, read_cases
from scoring.model.case import Answer, Call, Case
from scoring.model.record import JsonObject
from tests.shared import SHARED, needs_shared

FORECAST: JsonObject = {
    "name": "weather.forecast",
    "description": "Forecast of a day.",
    "parameters": {
        "type": "dict",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "unit": {"type": "string"},
            "area": {"type": "dict", "properties": {"km": {"type": "float"}}},
        },
        "required": ["city"],
    },
}
ADD: JsonObject = {
    "name": "add",
    "parameters": {"type": "dict", "properties": {"a": {"type": "float"}, "b": {"type": "float"}}},
}
ROOT_OF: JsonObject = {"name": "root", "parameters": {"type": "dict", "properties": {"n": {"type": "float"}}}}
SAY: JsonObject = {"name": "say", "parameters": {"type": "dict", "properties": {"text": {"type": "string"}}}}


def question(case_id: str, text: str = "Weather in Oslo?", **more: JsonValue) -> JsonObject:
    """A question of one turn."""
    turns: JsonValue = [[{"role": "user", "content": text}]]
    return {"id": case_id, "question": turns, "function": [FORECAST], **more}


def in_turns(case_id: str, *turns: str, **more: JsonValue) -> JsonObject:
    """A question over the simulators; an empty turn has no message."""
    said: list[JsonValue] = [[{"role": "user", "content": turn}] if turn else [] for turn in turns]
    state: JsonObject = {"MathAPI": {"memory": 0}}
    return {
        "id": case_id,
        "question": said,
        "initial_config": state,
        "involved_classes": ["MathAPI"],
        **more,
    }


def lay_out(
    folder: Path, questions: list[JsonObject], answers: list[JsonObject] | None, *documents: JsonObject
) -> Path:
    """Write the files as the package has them; returns the one of the questions."""
    path = folder / "BFCL_v4_ours.json"
    path.write_text("".join(json.dumps(one) + "\n" for one in questions))
    if answers is not None:
        (folder / "possible_answer").mkdir()
        (folder / "possible_answer" / path.name).write_text(
            "".join(json.dumps(one) + "\n" for one in answers)
        )
    if documents:
        (folder / "multi_turn_func_doc").mkdir()
        text = "".join(json.dumps(one) + "\n" for one in documents)
        (folder / "multi_turn_func_doc" / "math_api.json").write_text(text)
    return path


def cases(path: Path) -> list[Case]:
    """The cases of a file that has nothing else."""
    found = list(read_cases(path))
    assert all(isinstance(item, ReadCase) for item in found), found
    return [item.case for item in found if isinstance(item, ReadCase)]


def refused(path: Path) -> Rejected:
    """The only thing that reading a file gives."""
    (found,) = read_cases(path)
    assert isinstance(found, Rejected)
    return found


def calls(case: Case) -> list[list[tuple[str, JsonObject, int | None]]]:
    """Name, arguments and round of the calls of each task."""
    return [
        [(step.name, step.arguments, step.recorded_round) for step in task.steps if isinstance(step, Call)]
        for task in case.tasks
    ]


def test_a_question_gets_the_first_accepted_value_and_keeps_all_of_them(tmp_path: Path) -> None:
    truth: JsonValue = [
        {
            "weather.forecast": {
                "city": ["Oslo", "Oslo, NO"],
                "days": [3, 4],
                "unit": ["C", ""],
                "area": [{"km": [2.5, 3], "kind": ["", "square"]}],
            }
        }
    ]
    answers: list[JsonObject] = [{"id": "other_1", "ground_truth": []}, {"id": "a_0", "ground_truth": truth}]
    (case,) = cases(lay_out(tmp_path, [question("a_0")], answers))
    given: JsonObject = {"city": "Oslo", "days": 3, "area": {"km": 2.5}}
    assert calls(case) == [[("weather.forecast", given, 0)]]
    assert case.tools[0].definition == {"type": "function", "function": FORECAST}
    assert case.extras[KEY] == {"ground_truth": truth}
    assert case.tasks[0].user == "Weather in Oslo?"
    assert case.tasks[0].calls[0][1].accepted == {
        "/city": {"values": ["Oslo, NO"]},
        "/days": {"values": [4]},
        "/unit": {"values": ["C"], "optional": True},
        "/area/km": {"values": [3]},
        "/area/kind": {"values": ["square"], "optional": True},
    }


@pytest.mark.parametrize(
    ("accepted", "argument"),
    [
        (["", "x"], "x"),  # required: the text that is given
        ([""], ""),
        (["x", ""], "x"),
        ([[1, 2], [2, 1]], [1, 2]),
        ([[{"k": [1, 2]}]], [{"k": 1}]),
        ([None, "x"], None),
        ([0, 1], 0),
        ([False], False),
        ("plain", "plain"),
    ],
)
def test_what_a_function_requires_is_never_left_out(accepted: JsonValue, argument: JsonValue) -> None:
    assert single_call("f", {"a": accepted}, {"required": ["a"]})[1] == {"a": argument}


@pytest.mark.parametrize("accepted", [["x", ""], ["", "x"], [""], []])
def test_what_may_be_left_out_or_has_no_value_is_left_out(accepted: JsonValue) -> None:
    assert single_call("f", {"a": accepted, "b": [1]}, {"required": ["b"]})[1] == {"b": 1}


def test_parallel_calls_share_a_round_and_may_be_the_same_function(tmp_path: Path) -> None:
    truth: JsonValue = [{"weather.forecast": {"city": ["Oslo"]}}, {"weather.forecast": {"city": ["Rome"]}}]
    (case,) = cases(lay_out(tmp_path, [question("p_0")], [{"id": "p_0", "ground_truth": truth}]))
    assert [(given["city"], at) for _, given, at in calls(case)[0]] == [("Oslo", 0), ("Rome", 0)]


def test_no_call_is_right_for_an_irrelevant_question_and_nobody_knows_the_calls_of_a_relevant_one(
    tmp_path: Path,
) -> None:
    one, other = cases(
        lay_out(tmp_path, [question("live_irrelevance_0"), question("live_relevance_0")], None)
    )
    assert [(type(step), getattr(step, "text", None)) for step in one.tasks[0].steps] == [(Answer, "")]
    assert other.tasks[0].steps == ()


def test_turns_are_tasks_with_calls_one_after_another_over_the_documented_functions(tmp_path: Path) -> None:
    asked = in_turns("m_0", "Add 1 and 2, then 3.", "Which?", "", excluded_function=["root"])
    truth: JsonValue = [["add(1, b=2.0)", "add(a=3, b=3)"], [], ["add(a=-1, b=1e3)"]]
    answers: list[JsonObject] = [{"id": "m_0", "ground_truth": truth}]
    (case,) = cases(lay_out(tmp_path, [asked], answers, ADD, ROOT_OF))
    assert calls(case) == [
        [("add", {"a": 1, "b": 2.0}, 0), ("add", {"a": 3, "b": 3}, 1)],
        [],
        [("add", {"a": -1, "b": 1000.0}, 0)],
    ]
    assert [task.user for task in case.tasks] == ["Add 1 and 2, then 3.", "Which?", MORE_FUNCTIONS]
    assert [step.text for step in case.tasks[1].steps if isinstance(step, Answer)] == [""]
    assert [tool.name for tool in case.tools] == ["add"]
    assert case.extras[KEY] == {
        "initial_config": {"MathAPI": {"memory": 0}},
        "involved_classes": ["MathAPI"],
        "excluded_function": ["root"],
        "ground_truth": truth,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("say(text='He said \"it\\'s\"')", 'He said "it\'s"'),
        ('say("a, (b) = [c]")', "a, (b) = [c]"),
        ("say(text='''two\nlines''')", "two\nlines"),
        ("say(text='tab\\t')", "tab\t"),
    ],
)
def test_quotes_within_quotes_and_places_without_names_are_read(tmp_path: Path, text: str, said: str) -> None:
    record = in_turns("m_0", "Speak.", function=[SAY], ground_truth=[[text]])
    assert calls(cases(lay_out(tmp_path, [record], None))[0]) == [[("say", {"text": said}, 0)]]


@pytest.mark.parametrize(
    "text",
    [
        "say(text=f'{name}')",
        "say(text=name)",
        "say(**{'text': 'a'})",
        "say(*['a'])",
        "say('a', 'b')",
        "say(text='a'",
        "say(text={1, 2})",
        "say(text=1e999)",
        "'say'",
        "(" * 5000,
    ],
)
def test_a_call_that_is_not_of_literals_is_refused_with_what_it_says(tmp_path: Path, text: str) -> None:
    record = in_turns("m_0", "Speak.", function=[SAY], ground_truth=[[text]])
    path = lay_out(tmp_path, [record, question("irrelevance_1")], None)
    found = list(read_cases(path))
    assert isinstance(found[1], ReadCase)
    assert isinstance(found[0], Rejected)
    assert repr(text[:80]) in found[0].reason
    assert "Write it as name(argument=value)" in found[0].reason


def test_questions_without_their_answers_say_once_where_these_belong(tmp_path: Path) -> None:
    found = refused(lay_out(tmp_path, [question("a_0"), question("a_1")], None))
    assert found.reason == (
        "This looks like BFCL questions without their answers, which is not read (2 records). "
        "Put the official file of the same name into the folder possible_answer beside this one."
    )


def test_answers_without_their_questions_say_once_what_to_import(tmp_path: Path) -> None:
    path = tmp_path / "BFCL_v4_ours.json"
    path.write_text('{"id": "a_0", "ground_truth": []}\n' * 2)
    found = refused(path)
    assert "looks like BFCL answers without their questions" in found.reason
    assert "Import the file of the same name in the folder above" in found.reason


def test_turns_without_the_documents_of_their_functions_say_once_where_these_belong(tmp_path: Path) -> None:
    path = lay_out(tmp_path, [in_turns("m_0", "Add."), in_turns("m_1", "Add.")], [])
    found = refused(path)
    assert "Put the official folder multi_turn_func_doc beside this file." in found.reason
    assert "(2 records)" in found.reason


@pytest.mark.parametrize("service", ["MemoryAPI", "WebSearchAPI"])
def test_memory_and_web_search_are_refused_with_the_reason(tmp_path: Path, service: str) -> None:
    found = refused(lay_out(tmp_path, [in_turns("w_0", "Who?") | {"involved_classes": [service]}], []))
    assert "BFCL memory or web search" in found.reason
    assert "need a live service" in found.reason


def test_a_question_whose_answer_is_missing_or_cut_off_is_refused_alone(tmp_path: Path) -> None:
    truth: JsonValue = [{"weather.forecast": {"city": ["Oslo"]}}]
    path = lay_out(tmp_path, [question("a_0"), question("a_1")], [{"id": "a_0", "ground_truth": truth}])
    with (tmp_path / "possible_answer" / path.name).open("a") as twin:
        twin.write('{"id": "a_1", "ground_tr')
    first, second = read_cases(path)
    assert isinstance(first, ReadCase)
    assert isinstance(second, Rejected)
    assert second.reason == (
        "possible_answer/BFCL_v4_ours.json has no answer to 'a_1' that can be read. "
        "Take both files from the same version."
    )


def test_answers_for_more_turns_than_were_asked_are_refused(tmp_path: Path) -> None:
    answers: list[JsonObject] = [{"id": "m_0", "ground_truth": [["add(1, 2)"], ["add(3, 4)"]]}]
    assert (
        "ground_truth has 2 items"
        in refused(lay_out(tmp_path, [in_turns("m_0", "Add.")], answers, ADD)).reason
    )


def test_a_packed_file_finds_its_answers_and_a_changed_answer_is_read_again(tmp_path: Path) -> None:
    truth: list[JsonValue] = [{"weather.forecast": {"city": ["Oslo"]}}]
    plain = lay_out(tmp_path, [question("a_0")], [{"id": "a_0", "ground_truth": truth}])
    packed = plain.with_name(plain.name + ".gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert calls(cases(packed)[0]) == [[("weather.forecast", {"city": "Oslo"}, 0)]]
    twin = tmp_path / "possible_answer" / plain.name
    twin.write_text(
        json.dumps({"id": "a_0", "ground_truth": [{"weather.forecast": {"city": ["Rome, Italy"]}}]})
    )
    assert calls(cases(packed)[0]) == [[("weather.forecast", {"city": "Rome, Italy"}, 0)]]


@pytest.mark.parametrize("asked", ["Weather?", [{"role": "user", "content": "Weather?"}]])
def test_the_first_edition_had_one_text_or_one_turn(asked: JsonValue) -> None:
    record = question("a_0") | {"question": asked, "function": FORECAST, "ground_truth": []}
    messages = rewritten(record, Path("x.json"))["messages"]
    assert messages == [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": ""}]


@pytest.mark.shared
@needs_shared
def test_every_question_of_the_official_files_is_read() -> None:
    for path in sorted((SHARED / "data" / "bfcl_v4").glob("BFCL_v4_*.json")):
        found = cases(path)
        assert len(found) == 15, path.name
        for case in found:
            has_calls = any(isinstance(step, Call) for task in case.tasks for step in task.steps)
            assert has_calls is ("irrelevance" not in path.name), case.id
