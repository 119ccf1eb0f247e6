"""Importing into a project: good lines land, bad ones are named, and nothing lands twice or by halves."""

import gzip
import json
import os
import tempfile
import threading
from pathlib import Path

import pytest
from pydantic import JsonValue

from annotator.cases.access import show_case
from annotator.cases.file_export import export_cases
from annotator.cases.file_import import CHUNK, ImportOrder, import_files, land_cases
from annotator.cases.findings.checks import LISTED, check_file
from annotator.jobs import JobCancelled, JobContext, ProgressReport
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import batches, count_cases, list_cases
from db.read.rows import CaseFilter
from scoring.errors import ForbiddenError, InputError
from scoring.formats.case_reader import ReadCase
from scoring.formats.containers import MAX_LINE_BYTES
from scoring.model.case import Case, content_sha256, dump_case
from scoring.model.taxonomy import CaseFormat, WrittenFormat
from tests.annotator.team import Team, two_step_case
from tests.annotator.test_files import endless_writer
from tests.factories import answer, call, case, task
from tests.shared import SHARED, needs_shared

REAL = ("published_cases.jsonl", "bfcl_multi_turn_base.openai.jsonl")


def _line(case: Case) -> bytes:
    return json.dumps(dump_case(case)).encode() + b"\n"


def _import(team: Team, path: Path, **options: str):  # type: ignore[no-untyped-def]
    return import_files(team["max"], [path], context=JobContext(), **options)  # type: ignore[arg-type]


def test_the_same_file_twice_is_all_duplicates(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(_line(two_step_case("c-1")) + _line(two_step_case("c-2")))
    assert _import(team, path).imported == 2
    again = _import(team, path)
    assert (again.imported, again.duplicates, again.rejected) == (0, 2, 0)
    assert again.batch == batches(team["max"])[0].id


def test_a_known_id_with_other_content_is_rejected_with_the_way_out(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(_line(two_step_case("c-1")))
    _import(team, path)
    other = two_step_case("c-1").model_copy(update={"language": "nb"})
    path.write_bytes(_line(other))
    report = _import(team, path)
    assert (report.imported, report.rejected) == (0, 1)
    assert report.rejects[0].line == 1
    assert "annotator case put c-1" in report.rejects[0].reason
    assert show_case(team["max"], "c-1").language == "en"


def test_the_same_id_twice_in_one_file_lands_once(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    other = two_step_case("c-1").model_copy(update={"language": "nb"})
    path.write_bytes(_line(two_step_case("c-1")) + _line(two_step_case("c-1")) + _line(other))
    report = _import(team, path)
    assert (report.imported, report.duplicates, report.rejected) == (1, 1, 1)
    assert report.rejects[0].line == 3


BAD_LINES = {
    "truncated": b'{"format": "annotator-case", "version": 1, "id": "x", ',
    "not utf-8": b'{"id": "\xff\xfe"}',
    "a list": b"[1, 2]",
    "unknown shape": b'{"hello": 1}',
    "nan": b'{"messages": [], "x": NaN}',
    "wrong types": b'{"id": 5, "english_tasks": 7, "english_answer_list": {}, "english_tools": "no"}',
    "newer": b'{"format": "annotator-case", "version": 99, "id": "x", "tasks": []}',
    "cyclic": json.dumps(
        {
            **dump_case(two_step_case("cycle")),
            "tasks": [
                {
                    **dump_case(two_step_case())["tasks"][0],  # type: ignore[index, dict-item]
                    "edges": [
                        {"from": 0, "to": 1, "kind": "logical"},
                        {"from": 1, "to": 0, "kind": "logical"},
                    ],
                }
            ],
        }
    ).encode(),
    "beyond 16 MiB": b'{"id": "' + b"x" * MAX_LINE_BYTES + b'"}',
}


def test_bad_lines_are_named_and_never_stop_the_good_ones(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    lines = [_line(two_step_case("first"))]
    lines += [bad + b"\n" for bad in BAD_LINES.values()]
    lines.append(_line(two_step_case("last")))
    path.write_bytes(b"".join(lines))
    report = _import(team, path)
    assert (report.imported, report.rejected) == (2, len(BAD_LINES))
    assert [reject.line for reject in report.rejects] == list(range(2, len(BAD_LINES) + 2))
    assert all(len(reject.reason) > 10 for reject in report.rejects)
    reasons = dict(zip(BAD_LINES, (reject.reason for reject in report.rejects), strict=True))
    assert "0 -> 1 -> 0" in reasons["cyclic"]
    assert "16" in reasons["beyond 16 MiB"]
    assert [row.case_id for row in list_cases(team["max"], CaseFilter(order="case"))] == ["first", "last"]


def test_several_processes_check_the_same_in_the_same_order(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mixed.jsonl"
    good = [_line(two_step_case(f"c-{number}")) for number in range(7)]
    path.write_bytes(b"".join([*good[:5], *(bad + b"\n" for bad in BAD_LINES.values()), *good[5:]]))
    monkeypatch.setattr("annotator.cases.file_import._MANY", 0)
    monkeypatch.setattr("annotator.cases.file_import.CHUNK", 3)
    report = _import(team, path)
    assert (report.imported, report.rejected) == (7, len(BAD_LINES))
    assert [row.case_id for row in list_cases(team["max"], CaseFilter())] == [f"c-{6 - n}" for n in range(7)]
    monkeypatch.setattr("annotator.cases.file_import._MANY", 1000)
    again = _import(team, path)
    assert (again.duplicates, again.rejects) == (7, report.rejects)


def test_a_strict_landing_refuses_a_case_for_its_first_error(team: Team) -> None:
    unknown = case(task(call("nameless"), answer()))
    landed = land_cases(
        team["max"], [ReadCase(case=unknown, line=7)], file=Path("made"), batch="b", is_strict=True
    )
    (refused,) = landed.rejects
    assert (refused.line, landed.imported) == (7, 0)
    assert refused.reason.startswith('"nameless" is not in the toolset')


def test_a_call_that_waits_for_the_answer_is_a_rejection_of_its_line_alone(
    team: Team, tmp_path: Path
) -> None:
    steps = [dump_case(two_step_case("odd"))["tasks"][0]["steps"][i] for i in (2, 0)]  # type: ignore[index, call-overload]
    edges = [{"from": 0, "to": 1, "kind": "derived"}]
    odd = dump_case(two_step_case("odd")) | {"tasks": [{"user": "?", "steps": steps, "edges": edges}]}
    path = tmp_path / "mixed.jsonl"
    path.write_bytes(_line(two_step_case("a")) + json.dumps(odd).encode() + b"\n" + _line(two_step_case("b")))
    report = _import(team, path)
    assert (report.imported, report.rejected) == (2, 1)
    assert report.rejects[0].line == 2
    assert "depends on the answer" in report.rejects[0].reason
    assert [item.reason for item in check_file(path) if item.reason] == [report.rejects[0].reason]


def test_lists_and_packed_files_are_imported_line_by_line(team: Team, tmp_path: Path) -> None:
    whole = json.dumps([dump_case(two_step_case(f"c-{i}")) for i in range(3)], indent=1)
    path = tmp_path / "cases.json.gz"
    path.write_bytes(gzip.compress(whole.encode()))
    assert _import(team, path).imported == 3


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02PNG\xff\xfe\x00binary" * 50])
def test_an_empty_or_binary_file_lands_nothing(team: Team, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"odd\.jsonl") as refused:
        _import(team, path)
    assert refused.value.hint
    assert count_cases(team["max"], CaseFilter()) == 0


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pipe; the folder `scratch` is where temporary files would lie."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    os.mkfifo(tmp_path / "pipe.jsonl")
    return tmp_path / "pipe.jsonl"


@pytest.mark.parametrize(("is_packed", "many"), [(False, 1000), (True, 1000), (True, -1)])
def test_a_pipe_without_end_is_read_up_to_its_limit_and_what_came_before_lands(
    team: Team, pipe: Path, is_packed: bool, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.cases.file_import._MANY", many)
    good = _line(two_step_case("c-1")) + _line(two_step_case("c-2"))
    first = gzip.compress(good + b"x\n" * 1_000_000) if is_packed else good
    with (
        endless_writer(pipe, first),
        pytest.raises(InputError, match=r"pipe\.jsonl holds more than 400,000 bytes"),
    ):
        import_files(team["max"], [pipe], context=JobContext(), stream_bytes=400_000)
    assert count_cases(team["max"], CaseFilter()) == 2
    assert batches(team["max"])[0].name == "pipe"
    assert list((pipe.parent / "scratch").iterdir()) == []


def test_a_pipe_that_trickles_is_read_as_the_file_it_carries(team: Team, pipe: Path) -> None:
    listed = json.dumps([dump_case(two_step_case("c-1")), dump_case(two_step_case("c-2"))], indent=1).encode()

    def write() -> None:
        with pipe.open("wb", buffering=0) as stream:
            for byte in gzip.compress(listed):
                stream.write(bytes([byte]))

    writer = threading.Thread(target=write)
    writer.start()
    report = _import(team, pipe)
    writer.join(timeout=120)
    assert (report.imported, report.rejected) == (2, 0)


def test_of_many_rejected_lines_the_first_are_kept_and_the_rest_counted(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl"
    path.write_bytes(gzip.compress(b"x\n" * (LISTED + 500) + _line(two_step_case("c-1")) + b"x\n" * 500))
    report = _import(team, path)
    assert (report.imported, report.rejected, len(report.rejects)) == (1, LISTED + 1000, LISTED)
    assert [reject.line for reject in report.rejects] == list(range(1, LISTED + 1))
    assert report.model_dump(mode="json")["rejected"] == LISTED + 1000


def test_a_missing_file_is_named_before_anything_is_read(team: Team, tmp_path: Path) -> None:
    good = tmp_path / "good.jsonl"
    good.write_bytes(_line(two_step_case()))
    with pytest.raises(InputError, match=r"There is no file .*missing\.jsonl"):
        import_files(team["max"], [good, tmp_path / "missing.jsonl"], context=JobContext())
    assert count_cases(team["max"], CaseFilter()) == 0


def test_a_cancelled_import_keeps_whole_chunks(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"".join(_line(two_step_case(f"c-{i}")) for i in range(CHUNK * 3)))
    stop = threading.Event()

    def after_first_chunk(report: ProgressReport) -> None:
        stop.set()

    with pytest.raises(JobCancelled):
        import_files(team["max"], [path], context=JobContext(after_first_chunk, cancel=stop))
    assert count_cases(team["max"], CaseFilter()) == CHUNK
    report = _import(team, path)
    assert (report.imported, report.duplicates) == (CHUNK * 2, CHUNK)


def test_an_empty_task_and_a_missing_answer_are_findings_not_rejections(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    bare = two_step_case("open").model_copy(update={"tasks": (task(user="And then?"), task(answer()))})
    path.write_bytes(_line(bare))
    assert _import(team, path).imported == 1
    (row,) = list_cases(team["max"], CaseFilter())
    assert "task.empty" in row.rules


@needs_shared
def test_all_real_dialogues_import_without_a_rejection(team: Team) -> None:
    files = [SHARED / "data" / name for name in REAL]
    report = import_files(team["max"], files, context=JobContext(), batch="real")
    assert (report.imported, report.duplicates, report.rejected) == (213, 0, 0)


@needs_shared
def test_the_published_wildtool_entries_are_exported_with_numbers_as_ids_and_fields_added(
    team: Team, tmp_path: Path
) -> None:
    path = SHARED / "data" / REAL[0]
    _import(team, path)
    written = _exported(team, tmp_path / "out.jsonl", CaseFormat.WILDTOOL)
    assert [line["id"] for line in written] == [f"wild_tool_bench_{i}" for i in range(13)]
    by_id = {line["case_id"]: line for line in written}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        exported = by_id[entry["id"]]
        assert {key: exported[key] for key in entry} == entry | {"id": exported["id"]}
        assert set(exported) - set(entry) == {"case_id", "answer_list"}
        assert exported["answer_list"] == entry["english_answer_list"]


@needs_shared
def test_a_file_that_the_released_code_runs_comes_back_field_by_field(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "wild.jsonl"
    entries = [json.loads(line) for line in (SHARED / "data" / REAL[0]).read_text().splitlines()]
    lines = [
        entry | {"id": f"wild_tool_bench_{i}", "answer_list": entry["english_answer_list"]}
        for i, entry in enumerate(entries)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    _import(team, path)
    written = _exported(team, tmp_path / "out.jsonl", CaseFormat.WILDTOOL)
    assert [list(line.items()) for line in written] == [list(line.items()) for line in lines]


def _exported(team: Team, out: Path, format: CaseFormat | WrittenFormat) -> list[dict[str, JsonValue]]:  # noqa: A002
    export_cases(team["max"], out, format=format, stages=())
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_the_answers_of_bfcl_come_and_go_in_a_file_beside_its_questions(team: Team, tmp_path: Path) -> None:
    function: JsonValue = {
        "name": "f",
        "parameters": {"type": "dict", "properties": {"a": {}}, "required": []},
    }
    turn: JsonValue = [[{"role": "user", "content": "Do it."}]]
    questions = [{"id": f"simple_{i}", "question": turn, "function": [function]} for i in range(3)]
    answers = [{"id": f"simple_{i}", "ground_truth": [{"f": {"a": [i, str(i)]}}]} for i in range(3)]
    for path, lines in (("in/x.json", questions), ("in/possible_answer/x.json", answers)):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert _import(team, tmp_path / "in" / "x.json").imported == 3
    assert _exported(team, tmp_path / "out" / "y.json", WrittenFormat.BFCL) == questions
    assert [
        json.loads(line) for line in (tmp_path / "out/possible_answer/y.json").read_text().splitlines()
    ] == answers


def test_importing_keeps_the_content_hash(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(_line(two_step_case()))
    _import(team, path)
    (row,) = list_cases(team["max"], CaseFilter())
    assert row.sha256 == content_sha256(two_step_case())


def test_only_managers_import_unless_the_policy_lets_annotators(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(_line(two_step_case("c-1")))
    for name in ("ann", "eve"):
        with pytest.raises(ForbiddenError, match=f"{name} is not a manager") as caught:
            import_files(team[name], [path], context=JobContext())
        assert "annotators_import=true" in (caught.value.hint or "")
    assert batches(team["max"]) == ()
    change_review_policy(team["max"], ("annotators_import=true",))
    assert import_files(team["ann"], [path], context=JobContext()).imported == 1
    with pytest.raises(ForbiddenError):
        import_files(team["eve"], [path], context=JobContext())


def test_a_look_says_what_files_hold_and_imports_nothing(team: Team, tmp_path: Path) -> None:
    turns = [
        {"from": "human", "value": "Warm?\nIn Oslo?"},
        {"from": "function_call", "value": '{"name": "a"}'},
    ]
    path = tmp_path / "cases.jsonl"
    foreign = json.dumps({"task_id": 1, "traj": [{"role": "user", "content": "Hi"}]}).encode()
    path.write_bytes(
        _line(two_step_case("c-1")) + json.dumps({"conversations": turns}).encode() + b"\n" + foreign
    )
    bad = tmp_path / "bad.jsonl"
    bad.write_text("[1]\n" * 3)
    order = ImportOrder(files=(path, bad))
    report = order.look(team["max"], context=JobContext())
    assert (report.imported, list_cases(team["max"], CaseFilter())) == (0, ())
    seen = report.preview
    assert seen is not None
    assert [(one.name, one.cases, bool(one.lost)) for one in seen.formats] == [
        ("Annotator (native)", 1, False),
        ("ShareGPT, Hermes, ToolACE or LLaMA-Factory", 1, False),
        ("tau-bench trajectories", 1, True),
    ]
    assert [(one.case_id, one.tasks, one.calls, one.tools) for one in seen.first[1:]] == [
        ("cases:2", 1, 1, 1),
        ("1-0", 1, 0, 0),
    ]
    assert seen.first[1].request == "Warm? In Oslo?"
    assert (seen.rejected, seen.rejects[0].line) == (3, 1)
    assert "3 lines would be rejected." in seen.lines
    assert seen.lines[-1].startswith("bad.jsonl, line 3: ")


def test_a_look_can_be_cancelled(team: Team, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(_line(two_step_case("c-1")))
    stop = threading.Event()
    stop.set()
    with pytest.raises(JobCancelled):
        ImportOrder(files=(path,)).look(team["max"], context=JobContext(cancel=stop))


def test_a_batch_without_a_name_is_called_after_the_first_file(team: Team, tmp_path: Path) -> None:
    first, second = tmp_path / "monday.jsonl", tmp_path / "tuesday.jsonl"
    first.write_bytes(_line(two_step_case("c-1")))
    second.write_bytes(_line(two_step_case("c-2")))
    order = ImportOrder(files=(first, second))
    order.carry_out(team["max"], context=JobContext())
    assert [row.name for row in batches(team["max"])] == [order.shown_batch] == ["monday"]
    assert ImportOrder(files=(first,), batch="week 7").shown_batch == "week 7"
