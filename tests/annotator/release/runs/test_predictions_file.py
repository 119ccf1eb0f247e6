"""The predictions file of a run: torn lines, other cases, other settings, two writers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from annotator.llm.endpoints import SamplingParameters
from annotator.release.runs.conversation import Conversation, Heard, RunSetting
from annotator.release.runs.predictions_file import PredictionFile, open_predictions
from scoring.errors import ConflictError, InputError, StoreError
from scoring.history import MessageLayout
from scoring.matching.gold import prepare
from scoring.model.taxonomy import Protocol, ToolMode
from scoring.prediction_files import read_predictions, recorded_setting
from scoring.predictions import InfraError, Prediction, Reply, ToolCall, Usage
from tests.factories import answer, case, task
from tests.shared import full_disk

SETTING = RunSetting(model="m-1")
CASE = case(*(task(answer(), user=f"{i}") for i in range(4)))


@contextmanager
def opened(path: Path, *, sha: str = "aa", setting: RunSetting = SETTING) -> Iterator[PredictionFile]:
    with open_predictions(path, cases_sha256=sha, setting=setting) as file:
        yield file


def talk(number: int, text: str = "Hi.", *, error: InfraError | None = None) -> Conversation:
    heard = (Heard(Reply(content=text, usage=Usage(prompt_tokens=3, completion_tokens=1))),)
    return Conversation(prepare(CASE, number), () if error else heard, error)


def filled(path: Path, *numbers: int, setting: RunSetting = SETTING) -> Path:
    with opened(path, setting=setting) as file:
        for number in numbers:
            file.append(talk(number))
    return path


def answered(path: Path) -> list[int]:
    with opened(path) as file:
        return [number for _, number in file.answered]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "p.jsonl"


def test_a_new_file_is_made_with_its_folders(path: Path) -> None:
    filled(path, 0)
    assert answered(path) == [0]


def test_what_is_written_is_what_the_scorer_reads(path: Path) -> None:
    call = ToolCall(id="a", name="f", arguments='{"x": "é\\u2028"}')
    reply = Reply(
        content="So\n{…}",
        tool_calls=(call,),
        reasoning_content="Hm.",
        usage=Usage(prompt_tokens=3, completion_tokens=1),
        latency_seconds=0.25,
    )
    with opened(path) as file:
        file.append(Conversation(prepare(CASE, 2), (Heard(reply), Heard(Reply(content="Done.")))))
    (found,) = read_predictions(path)
    assert isinstance(found, Prediction)
    assert (found.case, found.task, found.cases_sha256) == ("c-1", 2, "aa")
    assert found.replies == (reply, Reply(content="Done."))


def test_each_line_is_ascii_and_one_line(path: Path) -> None:
    with opened(path) as file:
        file.append(talk(0, "é\u2028\u0085\n"))
    assert path.read_bytes().isascii()
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("kept", [1, 8, 30, -1])
def test_a_torn_last_line_is_cut_off_and_its_task_is_open_again(path: Path, kept: int) -> None:
    whole = filled(path, 0, 1).read_bytes()
    first, second, _ = whole.split(b"\n")
    path.write_bytes(first + b"\n" + second[:kept])
    assert answered(path) == [0]
    assert path.read_bytes() == first + b"\n"


def test_zeros_left_by_a_power_cut_are_cut_off(path: Path) -> None:
    whole = filled(path, 0).read_bytes()
    path.write_bytes(whole + b"\0" * 500)
    assert answered(path) == [0]
    assert path.read_bytes() == whole


def test_a_file_that_is_only_a_torn_line_starts_anew(path: Path) -> None:
    whole = filled(path, 0).read_bytes()
    path.write_bytes(whole[:20])
    assert answered(path) == []
    assert path.read_bytes() == b""


def test_a_whole_last_line_without_its_end_is_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"case": "c-1", "task": 3, "replies": [{"content": "Hi."}]}')
    with opened(path) as file:
        assert [number for _, number in file.answered] == [3]
        file.append(talk(0))
    assert answered(path) == [3, 0]


def test_a_file_of_something_else_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    for text in ("Dear diary,\nnothing.", '{"format": "annotator-case"}\n', "{}", "x"):
        path.write_text(text)
        with pytest.raises(InputError, match="not a predictions file"), opened(path):
            pass
        assert path.read_text() == text


def test_unreadable_lines_in_between_stay(path: Path) -> None:
    filled(path, 0)
    with path.open("a") as stream:
        stream.write("garbage\n")
    filled(path, 1)
    with opened(path) as file:
        assert file.unread == 1
        assert len(file.answered) == 2


def test_answers_to_other_cases_are_refused(path: Path) -> None:
    filled(path, 0)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"line 1: it answers other cases"), opened(path, sha="bb"):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": "m-2"}, 'model: "m-1" there, "m-2" now'),
        ({"protocol": Protocol.C2}, 'protocol: "wildtool" there, "c2" now'),
        ({"tools": ToolMode.PROMPT}, 'tools: "native" there, "prompt" now'),
        (
            {"sampling": SamplingParameters(temperature=0.5)},
            'sampling: as usual there, {"temperature":0.5} now',
        ),
        ({"layout": MessageLayout(merge_results=True)}, "layout: as usual there"),
        ({"read_text_calls": True}, "read_text_calls: as usual there, true now"),
    ],
)
def test_answers_under_another_setting_are_refused(path: Path, change: dict[str, Any], said: str) -> None:
    filled(path, 0)
    with pytest.raises(InputError) as caught, opened(path, setting=SETTING.model_copy(update=change)):
        pass
    assert said in caught.value.message


def test_the_same_setting_is_recognised(path: Path) -> None:
    setting = RunSetting(
        model="m-1",
        protocol=Protocol.C3,
        layout=MessageLayout(date_in_request=True),
        sampling=SamplingParameters(temperature=0, extra={"top_k": 5}),
    )
    filled(path, 0, setting=setting)
    with opened(path, setting=setting) as file:
        assert len(file.answered) == 1


def test_answers_that_name_no_cases_and_no_setting_are_accepted(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"case": "c-1", "task": 3, "replies": [{"content": "Hi."}]}\n')
    assert answered(path) == [3]


def test_failures_outside_the_model_do_not_count_as_answers(path: Path) -> None:
    with opened(path) as file:
        file.append(talk(0, error=InfraError(kind="timeout", message="slow")))
    with opened(path) as file:
        assert file.answered == {}


def test_tokens_of_every_reply_are_counted(path: Path) -> None:
    filled(path, 0, 1)
    with opened(path) as file:
        assert [usage.prompt_tokens for usage in file.usages if usage] == [3, 3]


def test_two_runs_cannot_write_one_file(path: Path) -> None:
    with opened(path), pytest.raises(ConflictError, match="Another run"), opened(path):
        pass


def test_a_full_disk_is_told_and_what_was_written_stays(path: Path) -> None:
    filled(path, 0)
    with (
        pytest.raises(StoreError, match="The predictions cannot be written"),
        full_disk(path.stat().st_size + 20),
        opened(path) as file,
    ):
        file.append(talk(1))
    assert answered(path) == [0]
    assert answered(filled(path, 1)) == [0, 1]


def test_a_folder_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StoreError), opened(tmp_path):
        pass


def test_the_setting_is_read_back(path: Path, tmp_path: Path) -> None:
    setting = SETTING.model_copy(update={"protocol": Protocol.C2})
    filled(path, 0, setting=setting)
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_text(json.dumps({"case": "c-1", "task": 0, "replies": []}) + "\n")
    assert recorded_setting([path]) == setting.dump()
    assert recorded_setting([foreign, path]) == {}
    assert recorded_setting([tmp_path / "none.jsonl"]) == {}
