"""Formats that are written for others to read: what they hold reads back, what they cannot is named."""

import io
import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from scoring.formats.benchmark.bfcl import KEY, MORE_FUNCTIONS
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.formats.case_writer import WriteReport, write_cases
from scoring.formats.chat.messages import call_message, call_part, result_message, text_message
from scoring.formats.chat.openai import decode
from scoring.model.case import Call, Case, content_of
from scoring.model.record import JsonObject
from scoring.model.taxonomy import WrittenFormat
from tests.shared import ROOT

OTHERS = [form for form in WrittenFormat if form is not WrittenFormat.BFCL]
FORECAST: JsonObject = {
    "name": "getForecast",
    "description": "Weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
OSLO = call_message("I look.", [call_part("a", "getForecast", {"city": "Oslo"})], legacy=False)
TWO = call_message(
    None,
    [call_part(i, "getForecast", {"city": city}) for i, city in (("b", "Rome"), ("c", "Bonn"))],
    legacy=False,
)
USER, SUNNY = text_message("user", "Weather in Oslo?"), text_message("assistant", "Sunny.")


def told(*messages: JsonObject, id: str = "c-1", **more: JsonValue) -> Case:  # noqa: A002
    """A case that says no more than a chat does."""
    tools: JsonValue = [{"type": "function", "function": FORECAST}]
    return decode({"id": id, "tools": tools, "messages": list(messages), **more}, file="x.jsonl", line=1)


def whole() -> Case:
    """A case with a system prompt, a thought, two calls in a round, odd results and a second task."""
    return told(
        text_message("system", "Be brief."),
        USER,
        OSLO,
        result_message("a", {"sky": "clear", "name": "x", "content": 1}, function=None),
        TWO,
        result_message("b", "rain", function=None),
        result_message("c", [1, "null", None], function=None),
        SUNNY,
        text_message("user", "Thanks <b>& bye</b>."),
        text_message("assistant", "You're welcome."),
    )


def written(
    cases: list[Case], form: WrittenFormat, folder: Path
) -> tuple[WriteReport, list[JsonObject], Path]:
    """What writing cases says, the lines, and their file."""
    path, stream = folder / "cases.jsonl", io.BytesIO()
    report = write_cases(cases, stream, format=form)
    path.write_bytes(stream.getvalue())
    return report, [json.loads(line) for line in stream.getvalue().splitlines()], path


def read_back(path: Path) -> list[Case]:
    """The cases of a file that has nothing else."""
    found = list(read_cases(path))
    assert all(isinstance(item, ReadCase) for item in found), found
    return [item.case for item in found if isinstance(item, ReadCase)]


def without_thoughts(case: Case) -> Case:
    """A case whose calls were not thought about."""
    tasks = [
        task.model_copy(
            update={
                "steps": tuple(
                    step.model_copy(update={"thought": None}) if isinstance(step, Call) else step
                    for step in task.steps
                )
            }
        )
        for task in case.tasks
    ]
    return case.model_copy(update={"tasks": tuple(tasks)})


@pytest.mark.parametrize("form", OTHERS)
def test_a_dialogue_reads_back_from_every_format(tmp_path: Path, form: WrittenFormat) -> None:
    one = whole()
    report, _, path = written([one], form, tmp_path)
    lost = (
        ("Not kept: parts of steps.",) if form is WrittenFormat.SHAREGPT else ()
    )  # its calls have no text beside them
    assert tuple(remark.text for remark in report.remarks) == lost
    (found,) = read_back(path)
    assert content_of(found) == content_of(without_thoughts(one) if lost else one)
    assert found.id == "c-1"


@pytest.mark.parametrize("form", OTHERS)
def test_what_a_format_cannot_say_is_named(tmp_path: Path, form: WrittenFormat) -> None:
    samples = [
        item.case
        for item in read_cases(ROOT / "resources" / "samples" / "cases.jsonl")
        if isinstance(item, ReadCase)
    ]
    report, lines, path = written(samples, form, tmp_path)
    assert report.written == len(lines) == len(samples)
    assert len(read_back(path)) == len(samples)
    assert {remark.case_id for remark in report.remarks} == {case.id for case in samples}
    assert all("policy" in remark.text for remark in report.remarks)
    has_edges = {case.id for case in samples if any(task.drawn_edges for task in case.tasks)}
    assert has_edges
    assert has_edges <= {one.case_id for one in report.remarks if "dependencies" in one.text}


@pytest.mark.parametrize("form", OTHERS)
@pytest.mark.parametrize("system", ["", "Be brief.", "It is 2024-07-11 22:11:58 here."])
def test_the_simulated_time_is_said_once_to_the_model(
    tmp_path: Path, form: WrittenFormat, system: str
) -> None:
    head = [text_message("system", system)] if system else []
    one = told(*head, USER, OSLO, SUNNY, env_info="2024-07-11 22:11:58")
    _, lines, path = written([one], form, tmp_path)
    assert json.dumps(lines).count("2024-07-11 22:11:58") == 1
    (found,) = read_back(path)
    assert found.now == one.now


def test_the_shape_of_each_format_is_its_own(tmp_path: Path) -> None:
    forms: dict[WrittenFormat, JsonObject] = {}
    for form in OTHERS:
        (forms[form],) = written([whole()], form, tmp_path)[1]
    share = forms[WrittenFormat.SHAREGPT]["conversations"]
    assert isinstance(share, list)
    assert [turn["from"] for turn in share if isinstance(turn, dict)] == [
        *("human", "function_call", "observation", "function_call", "observation", "gpt"),
        *("human", "gpt"),
    ]
    assert forms[WrittenFormat.SHAREGPT]["system"] == "Be brief."
    hermes = forms[WrittenFormat.HERMES]["conversations"]
    assert isinstance(hermes, list)
    assert [turn["from"] for turn in hermes if isinstance(turn, dict)] == [
        *("system", "human", "gpt", "tool", "gpt", "tool", "gpt", "human", "gpt"),
    ]
    assert hermes[2] == {
        "from": "gpt",
        "value": 'I look.\n<tool_call>\n{"name": "getForecast", "arguments": {"city": "Oslo"}}\n</tool_call>',
    }
    table = forms[WrittenFormat.HUGGINGFACE]
    assert json.loads(str(table["tools"])) == [{"type": "function", "function": FORECAST}]
    request = forms[WrittenFormat.ANTHROPIC]
    assert request["system"] == "Be brief."
    assert request["tools"] == [
        {"name": "getForecast", "description": "Weather.", "input_schema": FORECAST["parameters"]}
    ]
    turns = request["messages"]
    assert isinstance(turns, list)
    assert turns[1] == {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "call_1", "name": "getForecast", "input": {"city": "Oslo"}},
        ],
    }
    assert turns[4] == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "call_2", "content": "rain"},
            {"type": "tool_result", "tool_use_id": "call_3", "content": '[1, "null", null]'},
        ],
    }


def test_a_request_with_a_round_of_calls_is_a_question_of_bfcl(tmp_path: Path) -> None:
    area: JsonValue = {"area": {"km": [1, {"x": 2}]}}
    nested = call_message(None, [call_part("d", "getForecast", area)], legacy=False)  # type: ignore[arg-type]
    report, lines, path = written(
        [told(text_message("system", "Be brief."), USER, TWO), told(USER, nested, id="c-2")],
        WrittenFormat.BFCL,
        tmp_path,
    )
    assert report.remarks == ()
    assert lines == [
        {
            "id": "c-1",
            "question": [[text_message("system", "Be brief."), USER]],
            "function": [FORECAST],
            "ground_truth": [{"getForecast": {"city": ["Rome"]}}, {"getForecast": {"city": ["Bonn"]}}],
        },
        {
            "id": "c-2",
            "question": [[USER]],
            "function": [FORECAST],
            "ground_truth": [{"getForecast": {"area": [{"km": [[1, {"x": [2]}]]}]}}],
        },
    ]
    assert [
        [step.arguments for _, _, step in case.steps() if isinstance(step, Call)] for case in read_back(path)
    ] == [
        [{"city": "Rome"}, {"city": "Bonn"}],
        [area],
    ]


def test_results_and_answers_are_named_as_lost_to_bfcl(tmp_path: Path) -> None:
    report, lines, _ = written(
        [told(USER, OSLO, result_message("a", "rain", function=None), SUNNY)], WrittenFormat.BFCL, tmp_path
    )
    assert lines[0]["question"] == [[USER]]
    assert [remark.text for remark in report.remarks] == ["Not kept: dependencies, parts of steps."]


@pytest.mark.parametrize(
    "messages",
    [
        (USER, OSLO, TWO),
        (USER, OSLO, text_message("user", "And now?"), TWO),
        (USER, OSLO, text_message("user", "Thanks.")),
        (USER, SUNNY),
    ],
)
def test_what_bfcl_cannot_hold_is_left_out_with_the_reason(
    tmp_path: Path, messages: tuple[JsonObject, ...]
) -> None:
    report, lines, _ = written([told(*messages)], WrittenFormat.BFCL, tmp_path)
    assert lines == []
    assert "one round of calls" in report.skipped[0].reason


def test_accepted_values_stay_where_nobody_changed_the_call(tmp_path: Path) -> None:
    schema: JsonObject = {"type": "dict", "properties": {"city": {}, "days": {}}, "required": ["city"]}
    truth: JsonValue = [
        {"f": {"city": ["Oslo", "Oslo, NO"], "days": [1, ""]}},
        {"f": {"city": ["Oslo"], "days": [2, ""]}},
        {"f": {"city": ["Rome", "Roma"]}},
    ]
    record: JsonObject = {
        "id": "parallel_0",
        "question": [[USER]],
        "function": [{"name": "f", "parameters": schema}],
        "ground_truth": truth,
    }
    (tmp_path / "in.json").write_text(json.dumps(record))
    (one,) = read_back(tmp_path / "in.json")
    assert written([one], WrittenFormat.BFCL, tmp_path)[1] == [record]
    first, *others = one.tasks[0].steps
    assert isinstance(first, Call)

    def answers(**changed: object) -> JsonValue:
        steps = (first.model_copy(update=changed), *others)
        edited = one.model_copy(update={"tasks": (one.tasks[0].model_copy(update={"steps": steps}),)})
        return written([edited], WrittenFormat.BFCL, tmp_path)[1][0]["ground_truth"]

    rest = [{"f": {"city": ["Oslo"], "days": [2, ""]}}, {"f": {"city": ["Rome", "Roma"]}}]
    assert answers(arguments={"city": "Bergen"}, accepted=None) == [{"f": {"city": ["Bergen"]}}, *rest]
    more: JsonObject = {
        "/city": {"values": ["Kristiania"], "optional": True},
        "/a~1b": {"values": [{"c": 1}]},
    }
    said = {"city": ["Oslo", "Kristiania", ""], "a/b": [{"c": [1]}]}
    assert answers(accepted=more) == [{"f": said}, *rest]


def test_answers_go_when_somebody_took_the_calls_away(tmp_path: Path) -> None:
    kept: JsonObject = {"ground_truth": [{"f": {"city": ["Oslo"]}}], "note": 1}
    one = told(USER, SUNNY, id="irrelevance_0").model_copy(update={"extras": {KEY: kept}})
    (line,) = written([one], WrittenFormat.BFCL, tmp_path)[1]
    assert line == {"id": "irrelevance_0", "question": [[USER]], "function": [FORECAST], "note": 1}


def test_turns_over_the_simulators_are_written_as_they_were(tmp_path: Path) -> None:
    record: JsonObject = {
        "id": "multi_turn_miss_func_0",
        "question": [[USER], [], [text_message("user", "Thanks.")]],
        "function": [FORECAST],
        "initial_config": {"MathAPI": {}},
        "involved_classes": ["MathAPI"],
        "ground_truth": [["getForecast( 'Oslo' )", "getForecast(city='Rome')"], ["getForecast('Bonn')"], []],
    }
    (tmp_path / "in.json").write_text(json.dumps(record))
    (one,) = read_back(tmp_path / "in.json")
    assert one.tasks[1].user == MORE_FUNCTIONS
    assert written([one], WrittenFormat.BFCL, tmp_path)[1] == [record]
    step = one.tasks[1].steps[0]
    assert isinstance(step, Call)
    changed = step.model_copy(update={"arguments": {"city": 'Aix\'s "end"'}})
    tasks = (one.tasks[0], one.tasks[1].model_copy(update={"steps": (changed,)}), one.tasks[2])
    edited = one.model_copy(update={"tasks": tasks})
    report, lines, path = written([edited], WrittenFormat.BFCL, tmp_path)
    assert lines[0]["ground_truth"] == [
        ["getForecast( 'Oslo' )", "getForecast(city='Rome')"],
        ["getForecast(city='Aix\\'s \"end\"')"],
        [],
    ]
    assert report.remarks == ()
    assert content_of(read_back(path)[0]) == content_of(edited)


def test_the_answers_of_bfcl_go_into_a_file_of_their_own(tmp_path: Path) -> None:
    questions, answers = io.BytesIO(), io.BytesIO()
    record: JsonObject = {
        "id": "multi_turn_0",
        "question": [[USER]],
        "function": [FORECAST],
        "involved_classes": ["MathAPI"],
        "ground_truth": [["getForecast('Oslo')"]],
    }
    (tmp_path / "in.json").write_text(json.dumps(record))
    cases = [told(USER, TWO), told(USER, SUNNY, id="irrelevance_1"), *read_back(tmp_path / "in.json")]
    write_cases(cases, questions, format=WrittenFormat.BFCL, answers=answers)
    lines = [json.loads(line) for line in questions.getvalue().splitlines()]
    assert [line.keys() for line in lines] == [
        {"id", "question", "function"},
        {"id", "question", "function"},
        {"id", "question", "involved_classes"},
    ]
    assert [json.loads(line) for line in answers.getvalue().splitlines()] == [
        {
            "id": "c-1",
            "ground_truth": [{"getForecast": {"city": ["Rome"]}}, {"getForecast": {"city": ["Bonn"]}}],
        },
        {"id": "multi_turn_0", "ground_truth": [["getForecast('Oslo')"]]},
    ]


def test_kept_answers_that_were_damaged_by_hand_keep_nothing_else_out(tmp_path: Path) -> None:
    one = told(USER, TWO)
    damaged = [
        one.model_copy(update={"extras": {KEY: value}})
        for value in (5, {"ground_truth": 5}, {"ground_truth": [5]})
    ]
    report, lines, _ = written(damaged, WrittenFormat.BFCL, tmp_path)
    assert report.written == 3
    assert all(line["ground_truth"] == lines[0]["ground_truth"] for line in lines)
