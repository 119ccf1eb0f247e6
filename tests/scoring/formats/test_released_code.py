"""Files we write run under the released codes, as the specification tells what those codes read."""

import io
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from pydantic import JsonValue

from annotator.cases.edits.step_edits import delete_step
from scoring.evaluation import score
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.benchmark.completion import completed
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.formats.case_writer import WriteReport, encode, write_cases
from scoring.formats.codecs import sniff
from scoring.model.case import Answer, Case, Now, Task, Tool, content_sha256
from scoring.model.graph import derive_policy, with_drawn_edges
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat, Information, Policy
from scoring.prediction_files import read_predictions
from scoring.predictions import Ignored
from tests.factories import answer, ask, call, case, task, tool
from tests.scoring.formats import released_code
from tests.shared import SHARED, needs_shared

SAMPLES = Path("resources/samples/cases.jsonl")
REAL = ("published_cases.jsonl", "bfcl_multi_turn_base.openai.jsonl")


def _answered(case: Case) -> Case:
    """The case with an answer wherever one is missing."""
    tasks = [
        one
        if one.answer
        else with_drawn_edges(
            one.model_copy(update={"steps": (*one.steps, Answer(text="Done."))}), one.drawn_edges
        )
        for one in case.tasks
    ]
    return case.model_copy(update={"tasks": tuple(tasks)})


@cache
def cases_of(path: Path) -> tuple[Case, ...]:
    """The cases of a file, answers added."""
    return tuple(_answered(item.case) for item in read_cases(path) if isinstance(item, ReadCase))


def written(cases: Sequence[Case], format: CaseFormat) -> tuple[bytes, WriteReport]:  # noqa: A002
    """The file of some cases and what is said about it."""
    stream = io.BytesIO()
    report = write_cases(cases, stream, format=format)
    return stream.getvalue(), report


def read_back(text: bytes, folder: Path) -> list[Case]:
    """The cases of a file of these bytes, formats recognised by their lines."""
    path = folder / "back.jsonl"
    path.write_bytes(text)
    found = list(read_cases(path))
    assert [item for item in found if not isinstance(item, ReadCase)] == []
    return [item.case for item in found if isinstance(item, ReadCase)]


def is_right(text: str) -> bool:
    """Whether the agent of these tests does a task right."""
    return len(text) % 3 > 0


def expected_counts(cases: Sequence[Case]) -> dict[str, list[int]]:
    """What the metric code must find, counted from the cases themselves."""
    found = {
        group: [0, 0]
        for group in (*released_code.TYPES, *released_code.RELATIONS, "0", "1", "2", "3", "total", "session")
    } | {"nodes": [0, 0]}
    names = {
        Information.REFERENCE: "Coreferential Reference",
        Information.OMISSION: "Partial Information",
        Information.LONG_RANGE: "Long-Range Dependency",
    }
    for one in cases:
        rights = [is_right(t.user) for t in one.tasks]
        groups = [(["session"], all(rights), 1)]
        for t, (given, right) in enumerate(zip(one.tasks, rights, strict=True)):
            policy = given.policy or derive_policy(given)
            assert policy is not None
            labels = ["total", str(t), wildtool.TYPES[policy]]
            if t and (given.information or one.source is None or one.source.format != "wildtool"):
                labels.append(names[given.information or Information.LONG_RANGE])
            groups += [(labels, right, 1), (["nodes"], right, len(given.steps))]
        for labels, right, weight in groups:
            for label in labels:
                found[label][0] += weight * right
                found[label][1] += weight
    return found


from_real_files = pytest.mark.parametrize(
    "path",
    [
        pytest.param(SAMPLES, id="samples"),
        *(
            pytest.param(SHARED / "data" / name, id=name, marks=[pytest.mark.shared, needs_shared])
            for name in REAL
        ),
    ],
)


@from_real_files
def test_wildtool_exports_run_and_their_figures_are_those_of_the_cases(path: Path) -> None:
    cases = cases_of(path)
    text, report = written(cases, CaseFormat.WILDTOOL)
    skipped = {item.case_id: item.reason for item in report.skipped}
    fitting = [one for one in cases if one.id not in skipped]
    assert [one.id for one in cases if len(one.tasks) > 4] == list(skipped)
    lines = released_code.load(text)
    assert len(lines) == len(fitting) > 0
    found = released_code.wildtool_metrics(lines, released_code.wildtool_results(lines, is_right))
    assert found == expected_counts(fitting)


@pytest.mark.parametrize("prefix", ["english_", ""])
@from_real_files
def test_no_task_of_a_c3_export_is_dropped_in_either_language(path: Path, prefix: str) -> None:
    cases = cases_of(path)
    text, report = written(cases, CaseFormat.C3)
    skipped = {item.case_id for item in report.skipped}
    fitting = [one for one in cases if one.id not in skipped]
    assert skipped == {one.id for one in cases if len(one.tasks) > 4}
    for one, line in zip(fitting, released_code.load(text), strict=True):
        told = released_code.c3_tasks(line, prefix)
        assert [t["text"] for t in told] == [t.user for t in one.tasks]
        assert [t["nodes"] for t in told] == [len(t.steps) for t in one.tasks]
        assert [t["type"] for t in told] == [
            policy.main_type for t in one.tasks if (policy := t.policy or derive_policy(t))
        ]
        assert {t["id"] for t in told} == {one.id}


@pytest.mark.parametrize("format", list(CaseFormat))
@from_real_files
def test_what_is_exported_reads_back_with_the_same_content(
    path: Path,
    format: CaseFormat,  # noqa: A002
    tmp_path: Path,
) -> None:
    cases = cases_of(path)
    text, report = written(cases, format)
    skipped = {item.case_id for item in report.skipped}
    again = read_back(text, tmp_path)
    assert [one.source and one.source.format for one in again if format is not CaseFormat.NATIVE] == [
        format.value for _ in again if format is not CaseFormat.NATIVE
    ]
    assert [(one.id, content_sha256(one)) for one in again] == [
        (one.id, content_sha256(one)) for one in cases if one.id not in skipped
    ]


def answered(*tasks: Task, id: str = "c-1", now: str | None = None) -> Case:  # noqa: A002
    """A case with a tool."""
    return case(*tasks, id=id, tools=[tool()], now=now)


def _line(one: Case, format: CaseFormat) -> JsonObject:  # noqa: A002
    return encode(one, format)


def test_ids_are_the_numbers_of_the_lines_and_own_ids_stand_beside_them(tmp_path: Path) -> None:
    cases = [answered(id="b"), answered(id="wild_tool_bench_1"), answered(id="wild_tool_bench_9")]
    text, _ = written(cases, CaseFormat.WILDTOOL)
    lines = released_code.load(text)
    assert [line["id"] for line in lines] == [f"wild_tool_bench_{i}" for i in range(3)]
    assert [line.get("case_id") for line in lines] == ["b", None, "wild_tool_bench_9"]
    assert [one.id for one in read_back(text, tmp_path)] == ["b", "wild_tool_bench_1", "wild_tool_bench_9"]


def test_a_deleted_call_is_deleted_in_the_other_language_too() -> None:
    calls = task(call("getForecast", city="Oslo"), call("getForecast", city="Bergen"), answer())
    line = _line(answered(calls), CaseFormat.WILDTOOL)
    line["answer_list"] = json.loads(json.dumps(line["answer_list"]).replace("Oslo", "奥斯陆"))
    unedited = wildtool.decode(line, file="w.jsonl", line=1)
    assert _line(unedited, CaseFormat.WILDTOOL)["answer_list"] == line["answer_list"]
    after = _line(delete_step(unedited, task=0, step=0), CaseFormat.WILDTOOL)
    assert after["answer_list"] == after["english_answer_list"]
    assert [len(nodes) for nodes in after["answer_list"]] == [2]  # type: ignore[union-attr, arg-type]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("2024-07-10 09:30:00", "2024-07-10 09:30:00 星期三"),
        ("2024-07-10", "2024-07-10 00:00:00 星期三"),
        ("Current Time：2024-07-10T09:30", "2024-07-10 09:30:00 星期三"),
        ("当前时间：2024-07-10 09:30:00 星期三", "当前时间：2024-07-10 09:30:00 星期三"),
        ("环境：2024-07-10 09:30:00星期三", "环境：2024-07-10 09:30:00星期三"),
    ],
)
def test_the_time_of_a_c3_line_ends_in_its_weekday(raw: str, shown: str) -> None:
    one = answered(now=raw)
    line = _line(one, CaseFormat.C3)
    assert line["env_info"] == shown
    assert content_sha256(c3.decode(line, file="c.jsonl", line=1)) == content_sha256(one)
    assert len(released_code.c3_tasks(line, "english_")) == 1


def test_a_task_with_a_time_of_its_own_names_it_in_a_c3_line_and_keeps_a_case_out_of_wildtool() -> None:
    later = task(answer()).model_copy(update={"now": Now.read("2024-07-11")})
    one = answered(task(answer()), later, now="2024-07-10 09:30:00")
    env = _line(one, CaseFormat.C3)["env_info"]
    assert env == ["2024-07-10 09:30:00 星期三", "2024-07-11 00:00:00 星期四"]
    _, report = written([one], CaseFormat.WILDTOOL)
    assert "knows one time for a case" in report.skipped[0].reason


def test_a_chinese_case_can_be_run_in_english_keys_and_stays_chinese(tmp_path: Path) -> None:
    chinese = answered(task(call(), answer("晴天。"), user="奥斯陆的天气?"), now="2024-07-10").model_copy(
        update={"language": "zh"}
    )
    for form in (CaseFormat.WILDTOOL, CaseFormat.C3):
        text, _ = written([chinese], form)
        assert read_back(text, tmp_path) != []
        assert content_sha256(read_back(text, tmp_path)[0]) == content_sha256(chinese)


def test_tools_of_another_shape_are_written_as_functions_and_read_back_as_they_were() -> None:
    odd = Tool(definition={"name": "book", "inputSchema": {"properties": {"n": {"type": "float"}}}})
    one = answered().model_copy(update={"tools": (odd, tool())})
    for form in (CaseFormat.WILDTOOL, CaseFormat.C3):
        line = _line(one, form)
        tools = line["english_tools"]
        assert isinstance(tools, list)
        assert released_code.offered(tools) == ["book", "getForecast"]  # type: ignore[arg-type]
    again = wildtool.decode(_line(one, CaseFormat.WILDTOOL), file="w.jsonl", line=1)
    assert again.tools == one.tools


@pytest.mark.parametrize("form", [CaseFormat.WILDTOOL, CaseFormat.C3])
@pytest.mark.parametrize(
    ("one", "said"),
    [
        (case(id="c"), "has no tools"),
        (answered(*[task(answer())] * 5), "has 5 tasks"),
        (answered(task(call())), "has no answer"),
    ],
)
def test_what_the_released_code_cannot_run_is_left_out_with_the_reason(
    one: Case, said: str, form: CaseFormat
) -> None:
    text, report = written([one, answered(id="good")], form)
    assert len(text.splitlines()) == 1
    (skipped,) = report.skipped
    assert skipped.case_id == one.id
    assert said in skipped.reason


def test_a_time_that_is_no_date_keeps_a_case_out_of_c3() -> None:
    _, report = written([answered(now="noon")], CaseFormat.C3)
    assert "'noon'" in report.skipped[0].reason


def test_what_stands_in_for_something_missing_is_said() -> None:
    one = answered(task(call(), answer()), task(ask(), call(), answer()))
    said = [remark.text for remark in written([one], CaseFormat.WILDTOOL)[1].remarks]
    assert said == [
        "Tasks 0, 1 have no policy; the type its graph shows stands in.",
        "Task 1 has no information label; Long-Range Dependency stands in.",
    ]
    assert "It has no time" in written([one], CaseFormat.C3)[1].remarks[-1].text


def test_our_c3_line_is_read_as_c3_whatever_its_id() -> None:
    one = answered(task(answer(), policy=Policy.CHAT), id="wild_tool_bench_3")
    assert sniff(_line(one, CaseFormat.C3)) is CaseFormat.C3
    assert sniff(_line(one, CaseFormat.WILDTOOL)) is CaseFormat.WILDTOOL


def _run(cases: Sequence[Case], folder: Path) -> tuple[Path, Path]:
    """The exported file of some cases, and the results the released code writes for it."""
    exported, results = folder / "wild.jsonl", folder / "results.jsonl"
    exported.write_bytes(written(cases, CaseFormat.WILDTOOL)[0])
    told = released_code.wildtool_results(released_code.load(exported.read_bytes()), lambda _: True)
    for result in told:
        for one in result["result"]:
            one["inference_log"]["step_0"] = {"inference_output": {"content": "Hi.", "tool_calls": None}}
    results.write_text("".join(json.dumps(line) + "\n" for line in told))
    return exported, results


CHATS = [
    answered(task(answer(), user="First?"), id="wild_tool_bench_1"),
    answered(task(answer(), user="Second?"), id="wild_tool_bench_0"),
]


def test_results_find_their_cases_through_the_line_that_was_run(tmp_path: Path) -> None:
    exported, results = _run(CHATS, tmp_path)
    card = score(read_back(exported.read_bytes(), tmp_path), read_predictions(results, exported=exported))
    assert card.ignored == ()
    assert [(one.case, one.label) for one in card.tasks] == [
        ("wild_tool_bench_1", "correct"),
        ("wild_tool_bench_0", "correct"),
    ]


def test_results_that_answer_other_texts_are_refused(tmp_path: Path) -> None:
    _, results = _run(CHATS, tmp_path)
    card = score(CHATS, read_predictions(results))
    assert [item.reason for item in card.ignored] == [
        "It answers another request: the texts of the task differ."
    ] * 2


def test_results_of_lines_are_refused_against_cases_that_are_no_such_file(tmp_path: Path) -> None:
    _, results = _run(CHATS, tmp_path)
    native = tmp_path / "cases.jsonl"
    native.write_bytes(written(CHATS, CaseFormat.NATIVE)[0])
    told = list(read_predictions(results, exported=native))
    assert all(isinstance(item, Ignored) and "number of a line" in item.reason for item in told)


PLAIN: JsonObject = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "d",
        "parameters": {"type": "object", "properties": {}, "required": []},
    },
}


def _keeps(form: CaseFormat, key: str, value: JsonValue) -> bool:
    """Whether a completed line keeps what stands under a key, or gets what the case says there."""
    one = answered(
        task(call(), answer(), policy=Policy.SINGLE),
        task(answer(), policy=Policy.CHAT, information=Information.OMISSION),
        now="2024-07-10",
    )
    line = _line(one, form)
    done = completed(one, {**line, key: value}, form).line
    assert done[key] in (value, line[key])
    return done[key] == value


@pytest.mark.parametrize(
    ("form", "key", "good", "bad"),
    [
        (CaseFormat.C3, "turn_type", [["真", "假"], [True, True]], [["x", "假"], ["真"], None]),
        (CaseFormat.C3, "type", [["多", "反"]], [["多"], ["多", "?"], "多"]),
        (CaseFormat.C3, "turn_subtypes", [[], ["长期记忆"], ["", ""]], [["x"], ["", "", ""]]),
        (CaseFormat.C3, "english_task", [["a", "b"]], [["a"], ["a", 3], "ab"]),
        (CaseFormat.C3, "env_info", ["2024-07-11 10:00:00 星期四"], ["noon", ["2024-07-11 10:00:00 星期四"]]),
        (CaseFormat.C3, "env_info", [["2024-07-11 10:00:00 星期四"] * 2], [["noon"] * 2, [1, 2]]),
        (CaseFormat.C3, "english_tools", [[PLAIN]], []),
        (CaseFormat.C3, "tools", [[PLAIN], []], [["f"], None, "f"]),
        (CaseFormat.C3, "task", [["a", "b"]], [["a"], ["a", 3], None]),
        (CaseFormat.C3, "answer_list", [[[1, 2], [3]]], [[[1], [3]], [[1, 2]], [3, 4], None]),
        (CaseFormat.WILDTOOL, "english_env_info", ["", "noon"], [3, None, []]),
        (CaseFormat.WILDTOOL, "english_tasks", [["a", "b"]], [["a"], ["a", 3]]),
        (CaseFormat.WILDTOOL, "english_task_types", [["Clarify", "Chat"]], [["Clarify"], ["Clarify", "x"]]),
        (CaseFormat.WILDTOOL, "english_turn_subtypes", [["Coreferential Reference"]], [[], ["x"], ["", ""]]),
    ],
)
def test_what_the_released_code_can_read_stays_and_the_rest_gives_way(
    form: CaseFormat, key: str, good: list[JsonValue], bad: list[JsonValue]
) -> None:
    assert [value for value in good if not _keeps(form, key, value)] == []
    assert [value for value in bad if _keeps(form, key, value)] == []


def test_a_dialogue_stays_where_it_has_a_segment_with_the_request_of_each_task() -> None:
    one = answered(task(answer(), user="First?"), task(answer(), user="Second?"), now="2024-07-10")
    line = _line(one, CaseFormat.C3)
    first: list[JsonValue] = [{"role": "user", "content": "I ask: First?"}]
    second: list[JsonValue] = [{"role": "user", "content": "Well."}, {"role": "user", "content": "Second?"}]
    told = [*first, "=" * 12, *second, "=" * 12]

    def stays(messages: JsonValue, ids: JsonValue) -> bool:
        done = completed(one, {**line, "english_messages": messages, "task_ids": ids}, CaseFormat.C3).line
        return done["english_messages"] == messages

    assert stays(told, [0, 1])
    assert not stays(told, [0, 0])
    assert not stays(told, [0, 2])
    assert not stays(told, [0, -1])
    assert not stays(told, [0, "1"])
    assert not stays(told, [0])
    assert not stays(told, None)
    assert not stays([*first, "=" * 12], [0, 1])


@pytest.mark.parametrize(
    ("before", "is_kept"),
    [
        ([[], [], [0, 1]], True),
        ([[], [], [1, 0]], True),
        ([[], [], [0]], False),
        ([[], [], None], False),
        ([[], [], [0, 1, "1"]], False),
        ([[], [], [0, 1], []], False),
    ],
)
def test_dependencies_stay_where_they_are_the_positions_of_the_graph(
    before: list[JsonValue], is_kept: bool
) -> None:
    one = answered(task(call(), call(), answer()), now="2024-07-10")
    nodes: list[JsonValue] = [{"dependency_list": sources, "mine": True} for sources in before]
    for form in (CaseFormat.WILDTOOL, CaseFormat.C3):
        line: JsonObject = {**_line(one, form), "english_answer_list": [nodes]}
        assert (completed(one, line, form).line["english_answer_list"] == [nodes]) is is_kept
