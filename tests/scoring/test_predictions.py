"""Reading predictions, whatever shape they come in."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.evaluation import score
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ActionDetail
from scoring.prediction_files import read_predictions
from scoring.predictions import (
    Ignored,
    InfraError,
    Prediction,
    Reply,
    ToolCall,
    Usage,
    read_prediction,
    read_reply,
)
from scoring.published_results import read_c3_result
from tests.factories import answer, case, task

CALL: JsonObject = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


def written(path: Path, lines: Iterable[object]) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_prediction_in_the_documented_shape_is_read_whole() -> None:
    found = read_prediction(
        {
            "case": "c-1",
            "task": 2,
            "cases_sha256": "ab",
            "replies": [
                {
                    "content": None,
                    "tool_calls": [CALL],
                    "reasoning_content": "hm",
                    "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
                    "latency_seconds": 0.5,
                },
                {"content": "Done.", "tool_calls": None},
            ],
        }
    )
    call = ToolCall(id="c1", name="f", arguments='{"a": 1}')
    usage = Usage(prompt_tokens=7, completion_tokens=3)
    first = Reply(tool_calls=(call,), reasoning_content="hm", usage=usage, latency_seconds=0.5)
    assert found == Prediction(case="c-1", task=2, cases_sha256="ab", replies=(first, Reply(content="Done.")))


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ({"content": "", "tool_calls": []}, Reply(content="")),
        ("just text", Reply(content="just text")),
        (None, Reply()),
        (7, Reply()),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, Reply(content="ab")),
        ({"content": 7}, Reply(content="7")),
        ({"tool_calls": CALL}, Reply(tool_calls=(ToolCall(id="c1", name="f", arguments='{"a": 1}'),))),
        (
            {"function_call": {"name": "f", "arguments": "{}"}},
            Reply(tool_calls=(ToolCall(name="f", arguments="{}"),)),
        ),
        (
            {"tool_calls": [{"id": "", "function": {"name": "f", "arguments": {"ä": 1}}}]},
            Reply(tool_calls=(ToolCall(name="f", arguments='{"ä": 1}'),)),
        ),
        (
            {"tool_calls": [{"function": {"name": "f", "arguments": None}}]},
            Reply(tool_calls=(ToolCall(name="f", arguments="null"),)),
        ),
        ({"tool_calls": [{"function": {"name": "f"}}]}, Reply(tool_calls=(ToolCall(name="f"),))),
        ({"tool_calls": ["f(a=1)"]}, Reply(tool_calls=(ToolCall(),))),
        ({"tool_calls": "f(a=1)"}, Reply(tool_calls=(ToolCall(),))),
        ({"content": "x", "usage": "many", "latency_seconds": "slow"}, Reply(content="x")),
    ],
)
def test_odd_replies_are_read_as_what_they_clearly_are(message: JsonValue, reply: Reply) -> None:
    assert read_reply(message) == reply


@pytest.mark.parametrize("task", [3, "3", 3.0])
def test_a_task_number_may_be_written_as_text(task: JsonValue) -> None:
    assert read_prediction({"case": "c-1", "task": task, "replies": []}).task == 3


@pytest.mark.parametrize("task", [None, -1, True, "three", 1.5, [0], "٣"])
def test_a_task_number_that_is_none_is_refused(task: JsonValue) -> None:
    with pytest.raises(InputError, match="names no task"):
        read_prediction({"case": "c-1", "task": task, "replies": []})


@pytest.mark.parametrize("case", [None, "", 1.5, ["c-1"]])
def test_a_prediction_without_case_is_refused(case: JsonValue) -> None:
    with pytest.raises(InputError, match="names no case"):
        read_prediction({"case": case, "task": 0, "replies": []})


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"kind": "timeout", "message": "60 s"}, InfraError(kind="timeout", message="60 s")),
        ({"kind": "timeout"}, InfraError(kind="timeout", message="")),
        ({"kind": None, "message": None}, InfraError(kind="unknown", message="")),
        ("connection refused", InfraError(kind="unknown", message="connection refused")),
        (None, None),
    ],
)
def test_a_failure_outside_the_model_is_kept(value: JsonValue, error: InfraError | None) -> None:
    assert read_prediction({"case": "c-1", "task": 0, "error": value}).error == error


def test_the_hash_of_a_prediction_does_not_depend_on_where_it_was_read() -> None:
    one = Prediction(case="c-1", task=0, replies=(Reply(content="a"),))
    assert one.sha256 == one.model_copy(update={"file": "x", "line": 9}).sha256
    assert one.sha256 != one.model_copy(update={"task": 1}).sha256


def test_a_reply_without_a_time_to_its_first_token_has_the_hash_of_older_programs() -> None:
    reply = Reply(content="a", latency_seconds=0.5)
    one = Prediction(case="c-1", task=0, replies=(reply,))
    assert one.sha256 == "ad5c35dfcfa9401a5f0d9efa2f28f7e8ee16567430578c58cc3a7e87e7ffe540"
    timed = reply.model_copy(update={"first_token_seconds": 0.25})
    assert one.sha256 != one.model_copy(update={"replies": (timed,)}).sha256


@pytest.mark.parametrize(
    ("said", "seconds"), [(0.25, 0.25), (0, 0.0), (-1, None), ("fast", None), (None, None)]
)
def test_the_time_to_the_first_token_is_read_where_it_is_one(said: JsonValue, seconds: float | None) -> None:
    reply: JsonObject = {"content": "a", "first_token_seconds": said}
    line: JsonObject = {"case": "c-1", "task": 0, "replies": [reply]}
    assert read_prediction(line).replies[0].first_token_seconds == seconds


def test_every_bad_line_is_reported_and_the_good_ones_are_read(tmp_path: Path) -> None:
    good = {"case": "c-1", "task": 0, "replies": []}
    path = written(
        tmp_path / "p.jsonl",
        [
            good,
            "",
            "{broken",
            '"text"',
            '{"case": "c-1", "task": NaN, "replies": []}',
            {"weather": "fine"},
            {"case": "c-1"},
            {"case": "c-1", "task": 0, "replies": "many"},
            good,
        ],
    )
    found = list(read_predictions(path))
    assert [item.line for item in found if isinstance(item, Prediction)] == [1, 9]
    ignored = [item for item in found if isinstance(item, Ignored)]
    assert [item.line for item in ignored] == [3, 4, 5, 6, 7, 8]
    assert all(item.reason and item.file == str(path) for item in ignored)


def test_several_files_are_parts_of_one_run(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / f"{n}.jsonl", [{"case": f"c-{n}", "task": 0, "replies": []}]) for n in range(3)
    ]
    found = [item for item in read_predictions(*paths) if isinstance(item, Prediction)]
    assert [item.case for item in found] == ["c-0", "c-1", "c-2"]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"case": "ä", "task": 0}).encode() + b"\r\n")
    assert [item.case for item in read_predictions(path)] == ["ä"]


def test_bytes_that_are_no_text_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"case": "\xff"}\n{"case": "c-1", "task": 0}\n')
    assert [type(item) for item in read_predictions(path)] == [Ignored, Prediction]


def test_a_line_beyond_all_measure_is_skipped_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with path.open("wb") as stream:
        stream.write(b'{"case": "')
        stream.write(b"x" * (17 * 1024 * 1024))
        stream.write(b'"}\n{"case": "c-1", "task": 0}\n')
    found = list(read_predictions(path))
    assert [(type(item), item.line) for item in found] == [(Ignored, 1), (Prediction, 2)]


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(read_predictions(tmp_path / "none.jsonl"))


def test_a_c3_result_line_is_one_prediction(tmp_path: Path) -> None:
    # formats 6.1; an id given as parts is joined
    line = {
        "id": ["ab", "cd"],
        "idx": 1,
        "predict_label": "correct",
        "predict_result": [
            {
                "step": 0,
                "content": None,
                "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {}}}],
            },
            {"step": 1, "content": "Done.", "tool_calls": None},
        ],
    }
    [found] = read_predictions(written(tmp_path / "c3.jsonl", [line]))
    assert isinstance(found, Prediction)
    assert (found.case, found.task) == ("abcd", 1)
    assert found.replies == (
        Reply(tool_calls=(ToolCall(id="1", name="f", arguments="{}"),)),
        Reply(content="Done."),
    )


def test_a_c3_task_whose_graph_timed_out_failed_outside_the_model(tmp_path: Path) -> None:
    line = {"id": "ab", "idx": 0, "predict_label": "graph generate timeout.", "predict_result": None}
    [found] = read_predictions(written(tmp_path / "c3.jsonl", [line]))
    assert isinstance(found, Prediction)
    assert found.error == InfraError(kind="graph generate timeout.", message="no replies recorded")


@pytest.mark.parametrize(
    ("says", "count"),
    [
        ({"messages_length": 7, "messages": []}, 7),
        ({"messages": [{"content": "Hi"}, {"content": "No"}, {"content": "Hi"}, {"content": "Bye"}]}, 2),
        ({"messages": [{"content": "No"}]}, -1),
        ({}, None),
    ],
)
def test_a_c3_result_counts_its_messages_as_the_released_analysis_does(
    says: JsonObject, count: int | None
) -> None:
    line: JsonObject = {"id": "c-1", "idx": 0, "task": "Hi", "predict_result": [], **says}
    assert read_c3_result(line).shown_messages == count


def test_of_repeated_c3_lines_the_first_counts_though_it_timed_out(tmp_path: Path) -> None:
    timeout = {"id": "c-1", "idx": 0, "predict_label": "graph generate timeout.", "predict_result": None}
    right = {"id": "c-1", "idx": 0, "predict_label": "correct", "predict_result": [{"content": "Hi."}]}
    path = written(tmp_path / "c3.jsonl", [timeout, right])
    card = score([case(task(answer()))], read_predictions(path))
    assert card.tasks[0].action_detail is ActionDetail.INFRA_ERROR
    assert [item.reason for item in card.ignored] == [
        "A second prediction for the same task; the first one counts."
    ]


def wildtool_task(number: int, *outputs: dict[str, object]) -> dict[str, object]:
    log: dict[str, object] = {"task_idx": number, "begin_of_current_task": {}}
    log |= {f"step_{i}": {"inference_output": output} for i, output in enumerate(outputs)}
    return {
        "action_name_label": "correct",
        "latency": [1.5, 2.5],
        "input_token_count": [10, 20],
        "output_token_count": [1, 2],
        "inference_log": log,
    }


@pytest.mark.parametrize("key", ["result", "results"])
def test_a_wildtool_result_line_is_one_prediction_per_task(tmp_path: Path, key: str) -> None:
    # formats 6.2 and 6.3
    tasks = [
        wildtool_task(0, {"content": "", "tool_calls": [CALL]}, {"content": "Done.", "tool_calls": None}),
        wildtool_task(1, {"content": None, "tool_calls": None}),
    ]
    found = list(read_predictions(written(tmp_path / "w.jsonl", [{"id": "wild_tool_bench_0", key: tasks}])))
    assert [(item.case, item.task) for item in found] == [("wild_tool_bench_0", 0), ("wild_tool_bench_0", 1)]
    assert isinstance(found[0], Prediction)
    assert [reply.latency_seconds for reply in found[0].replies] == [1.5, 2.5]
    assert found[0].replies[1].usage == Usage(prompt_tokens=20, completion_tokens=2)
    assert found[0].replies[1].content == "Done."


def test_a_wildtool_score_file_is_refused_with_the_name_of_the_result_file(tmp_path: Path) -> None:
    # formats 6.3; the released scorer deletes the step after one with a bad argument (scoring 8, D-27)
    task = {"label": "correct"} | wildtool_task(0, {"content": "Done.", "tool_calls": None})
    path = written(tmp_path / "en_model_score.jsonl", [{"id": "wild_tool_bench_0", "results": [task]}])
    with pytest.raises(InputError, match="removes replies") as refused:
        list(read_predictions(path))
    assert refused.value.hint == "Name the result file it was made from: en_model_result.jsonl."


def test_a_wildtool_entry_that_crashed_failed_as_a_whole(tmp_path: Path) -> None:
    line = {"id": "wild_tool_bench_0", "result": "Error during inference: timeout"}
    [found] = read_predictions(written(tmp_path / "w.jsonl", [line]))
    assert isinstance(found, Prediction)
    assert found.task is None
    assert found.error == InfraError(kind="run failed", message="Error during inference: timeout")
