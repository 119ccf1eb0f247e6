"""Files that hold their cases otherwise than one a line, and files that are named for what they look like."""

import csv
import gzip
import json
import logging
import re
import sys
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats import containers
from scoring.formats.case_reader import ReadCase, Rejected, read_cases
from scoring.formats.codecs import sniff
from scoring.formats.containers import MAX_LINE_BYTES
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat
from scoring.prediction_files import read_predictions
from tests.shared import SHARED, needs_shared


def chat(name: str, text: str = "Weather in [Oslo] {today}?") -> JsonObject:
    """A dialogue whose texts hold what also stands between JSON values."""
    return {"id": name, "messages": [{"role": "user", "content": f'{text} "\\'}]}


CHATS: list[JsonValue] = [chat("a"), chat("b"), chat("c")]


def outcomes(path: Path, content: bytes) -> list[ReadCase | Rejected]:
    """What reading a file of these bytes gives."""
    path.write_bytes(content)
    return list(read_cases(path))


def ids(found: list[ReadCase | Rejected]) -> list[str]:
    """The ids of the cases that were read."""
    return [item.case.id for item in found if isinstance(item, ReadCase)]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(CHATS),
        json.dumps(CHATS, indent=2),
        "\ufeff \n" + json.dumps(CHATS, separators=(",", ":")),
        json.dumps({"data": CHATS}),
        json.dumps({"data": CHATS, "version": [1]}, indent=1),
        json.dumps({"version": 1.5, "name": "x\\", "data": CHATS}),
        "".join(json.dumps(one, indent=4) + "\n" for one in CHATS),
        "".join(json.dumps(one) + "\r\n" for one in CHATS),
        '{"data": [\n' + ",\n".join(map(json.dumps, CHATS)) + "\n]}",
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])
def test_cases_are_found_in_any_container(tmp_path: Path, text: str, is_packed: bool) -> None:
    content = gzip.compress(text.encode()) if is_packed else text.encode()
    found = outcomes(tmp_path / "x.json", content)
    assert ids(found) == ["a", "b", "c"]
    assert len(found) == 3


def test_an_item_that_is_no_case_is_refused_with_its_line_and_the_others_are_read(tmp_path: Path) -> None:
    items = [json.dumps(chat("a")), '{"hello": 1}', "17", json.dumps(chat("b"), indent=1), '{"id" 5}']
    found = outcomes(tmp_path / "x.json", ("[\n" + ",\n".join(items) + "\n]").encode())
    assert ids(found) == ["a", "b"]
    refused = {item.line: item.reason for item in found if isinstance(item, Rejected)}
    assert list(refused) == [3, 4, 14]
    assert "its keys are 'hello'" in refused[3]
    assert "is a number" in refused[4]
    assert "not JSON" in refused[14]


def test_items_without_an_id_in_one_line_get_ids_of_their_own(tmp_path: Path) -> None:
    bare: JsonObject = {"messages": [{"role": "user", "content": "Hi"}]}
    assert ids(outcomes(tmp_path / "x.json", json.dumps([bare, bare]).encode())) == ["x:1", "x:2"]


def test_a_list_that_was_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    found = outcomes(tmp_path / "x.json", json.dumps(CHATS).encode()[:-20])
    assert ids(found) == ["a", "b"]
    assert isinstance(found[-1], Rejected)
    assert "cut off" in found[-1].reason


def test_a_first_line_that_was_cut_off_does_not_make_a_file_of_lines_something_else(tmp_path: Path) -> None:
    lines = [json.dumps(chat("a"))[:-9], json.dumps(chat("b")), json.dumps(chat("c"))]
    found = outcomes(tmp_path / "x.jsonl", "\n".join(lines).encode())
    assert [item.line for item in found if isinstance(item, Rejected)] == [1]
    assert ids(found) == ["b", "c"]


@pytest.mark.parametrize(
    "value", ["x" * (MAX_LINE_BYTES + 5), "\\" * MAX_LINE_BYTES, [1] * (MAX_LINE_BYTES // 2)]
)
def test_an_item_that_is_too_long_is_refused_and_the_next_one_read(tmp_path: Path, value: JsonValue) -> None:
    items = [json.dumps(chat("long") | {"note": value}), json.dumps(chat("b"))]
    found = outcomes(tmp_path / "x.json", f"[{items[0]},\n{items[1]}]".encode())
    assert "longer than 16 MiB" in getattr(found[0], "reason", "")
    assert ids(found) == ["b"]


@pytest.mark.parametrize("shift", range(6))
def test_a_backslash_at_the_end_of_a_piece_escapes_what_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shift: int
) -> None:
    monkeypatch.setattr(containers, "MAX_LINE_BYTES", 1000)
    monkeypatch.setattr(containers, "_CHUNK_BYTES", 64)
    items = [json.dumps(chat("long") | {"note": "x" * shift + "\\" * 900 + '"[{'}), json.dumps(chat("b"))]
    found = outcomes(tmp_path / "x.json", f"[{items[0]},\n{items[1]}]".encode())
    assert (len(found), ids(found)) == (2, ["b"])


def test_a_packed_list_is_read_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(b"[")
        for i in range(600):
            stream.write(b"," * bool(i) + json.dumps(chat(f"c-{i}", "y" * 100_000)).encode())
        stream.write(b"]")
    tracemalloc.start()
    assert sum(isinstance(item, ReadCase) for item in read_cases(path)) == 600
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_damaged_packed_file_is_named(tmp_path: Path) -> None:
    whole = gzip.compress("".join(json.dumps(one) + "\n" for one in CHATS).encode())
    with pytest.raises(InputError, match="damaged"):
        outcomes(tmp_path / "x.jsonl.gz", whole[:-12])


_BESIDE = "Put the official file of the same name into the folder possible_answer beside this one."
_ABOVE = "Import the file of the same name in the folder above; the answers are found from there."
_AS_TOOLSETS = "`annotator generate --toolsets` takes it."
FOREIGN: list[tuple[JsonValue, str]] = [
    ({"conversations": [{"from": "human", "value": "Hi"}]}, "ShareGPT"),
    ({"id": "1", "conversations": [], "tools": "[]", "task": "Ask"}, "Hermes function calling"),
    ({"id": "x", "question": [[]], "function": []}, "BFCL"),
    ({"id": "x", "ground_truth": []}, "BFCL"),
    ({"traj": [], "reward": 1, "task_id": 0}, "a tau-bench results file"),
    ({"timestamp": "", "info": {}, "tasks": [{"id": "0"}], "simulations": []}, "a tau2-bench results file"),
    ({"version": 2, "eval": {}, "samples": []}, "an Inspect log"),
    ({"0": {"origin_prompt": [], "ground_truth": {}}}, "T-Eval"),
    ([{"type": "function", "function": {"name": "a"}}], "a toolset"),
]


UNREAD = [pair for pair in FOREIGN if pair[1] in ("BFCL", "T-Eval", "a toolset")]
READ_ELSEWHERE = ("T-Eval", "an Inspect log")  # by commands of its own; as predictions


@pytest.mark.parametrize(("record", "name"), UNREAD)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_in_a_format_that_is_not_read_says_once_what_it_looks_like(
    tmp_path: Path, record: JsonValue, name: str, indent: int | None
) -> None:
    content = "".join(json.dumps(record, indent=indent) + "\n" for _ in range(3 if indent is None else 1))
    (refused,) = outcomes(tmp_path / "x.json", content.encode())
    assert isinstance(refused, Rejected)
    assert refused.reason.startswith(f"This looks like {name}")
    assert "is not read" in refused.reason
    assert refused.reason.endswith(
        (_BESIDE, _ABOVE, "`annotator teval import` reads its folder.", _AS_TOOLSETS)
    )


def test_a_line_with_answers_is_a_case_whatever_other_keys_it_has() -> None:
    line: JsonObject = {"id": "w", "answer_list": [], "tasks": [], "info": {}, "simulations": []}
    assert sniff(line) is CaseFormat.WILDTOOL


def test_a_foreign_file_that_is_longer_than_is_read_is_named_all_the_same(tmp_path: Path) -> None:
    policy, turns = 'A bag [{"costs}" \\ 50.', ["x" * 1000] * (MAX_LINE_BYTES // 1000)
    record = {"timestamp": "", "info": {"policy": policy}, "tasks": [], "simulations": turns}
    for indent in (None, 1):
        (refused,) = outcomes(tmp_path / "x.json", json.dumps(record, indent=indent).encode())
        assert isinstance(refused, Rejected)
        assert "looks like a tau2-bench results file, and one value of it is longer than 16" in refused.reason


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(16) + b"\x09\0\0\0xl/a.xml", "looks like a ZIP archive"),
        (b"SQLite format 3\0" + bytes(80), "looks like an SQLite database, .* named with `-p`"),
        (b"PAR1" + bytes(80), "looks like a Parquet table"),
    ],
)
def test_a_file_that_is_no_text_says_what_it_looks_like(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(content)
    for read in (read_cases, read_predictions):
        with pytest.raises(InputError) as refused:
            list(read(path))
        assert re.search(said, str(refused.value))


@pytest.mark.parametrize(("record", "name"), [pair for pair in FOREIGN if pair[1] not in READ_ELSEWHERE])
@pytest.mark.parametrize("indent", [None, 1])
def test_no_foreign_file_is_taken_for_predictions(
    tmp_path: Path, record: JsonValue, name: str, indent: int | None
) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(record, indent=indent))
    with pytest.raises(InputError) as refused:
        list(read_predictions(path))
    assert f"looks like {name}" in str(refused.value)


def test_results_that_were_published_are_predictions_whatever_other_keys_they_have(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"id": "parallel_0", "result": [], "question": [], "function": []}))
    assert list(read_predictions(path)) == []


@pytest.mark.shared
@needs_shared
@pytest.mark.parametrize(
    ("name", "looks"),
    [
        ("toolsets_en.jsonl", "a toolset"),
        ("bfcl_v4/possible_answer/BFCL_v4_parallel.json", "BFCL"),
    ],
)
def test_real_files_that_are_not_read_are_refused_once(name: str, looks: str) -> None:
    (refused,) = read_cases(SHARED / "data" / name)
    assert isinstance(refused, Rejected)
    assert looks in refused.reason


@pytest.mark.shared
@needs_shared
@pytest.mark.parametrize(
    ("name", "turns"), [("inspect_browser.json", "messages"), ("tau_bench_airline.json", "traj")]
)
def test_every_call_of_a_real_log_is_read(name: str, turns: str) -> None:
    path = SHARED / "data" / name
    written = json.loads(path.read_bytes())
    dialogues = written if isinstance(written, list) else written["samples"]
    cases = [one.case for one in read_cases(path) if isinstance(one, ReadCase)]
    named = [
        [c["function"] for turn in one[turns] for c in turn.get("tool_calls") or ()] for one in dialogues
    ]
    names = [[c if isinstance(c, str) else c["name"] for c in calls] for calls in named]
    assert sum(map(len, names)) > 3
    assert [[step.name for task in case.tasks for _, step in task.calls] for case in cases] == names
    assert all(
        {tool.name for tool in case.tools} >= set(called) for case, called in zip(cases, names, strict=True)
    )


def test_a_fault_of_this_program_is_the_rejection_of_its_line_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in CHATS))
    with caplog.at_level(logging.ERROR):
        found = list(read_cases(path, format="no format"))  # type: ignore[arg-type]
    assert [item.reason for item in found if isinstance(item, Rejected)] == [
        "A fault in this program (KeyError) kept the line out; the log has more."
    ] * 3
    assert len(caplog.records) == 3


def archive(path: Path, **files: str) -> Path:
    """A zip archive with these files; `__` in a name stands for a folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name.replace("__", "/") + ".json", text)
    return path


def test_every_json_file_of_an_archive_is_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", a=json.dumps(CHATS[:2]), deep__b=json.dumps({"messages": []}))
    found = list(read_cases(path))
    assert ids(found) == ["a", "b"]
    [refused] = [one for one in found if isinstance(one, Rejected)]
    assert refused.file == str(path / "deep" / "b.json")


def test_of_a_packed_log_of_inspect_the_samples_are_read(tmp_path: Path) -> None:
    sample = {
        "id": 1,
        "epoch": 2,
        "target": "",
        "messages": [{"role": "user", "content": "Hi"}],
        "events": [],
    }
    path = archive(tmp_path / "x.eval", header="{}", _journal__start="{}", samples__s=json.dumps(sample))
    assert ids(list(read_cases(path))) == ["1-2"]


def test_an_archive_that_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = archive(tmp_path / "good.zip", a=json.dumps(CHATS))
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(good.read_bytes().replace(b"PK\x03\x04", b"PK\x03\x05", 1))
    with pytest.raises(InputError, match="cannot be unpacked"):
        list(read_cases(damaged))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as packed:
        packed.writestr("readme.txt", "none")
    with pytest.raises(InputError, match="a ZIP archive without JSON files"):
        list(read_cases(tmp_path / "other.zip"))
    monkeypatch.setattr(containers, "MAX_STREAM_BYTES", 50)
    with pytest.raises(InputError, match=r"unpacks to [0-9]+ bytes"):
        list(read_cases(good))


# tables

ROWS: list[dict[str, object]] = [
    {"id": "1", "messages": json.dumps([{"role": "user", "content": "[Hi] {you}"}]), "at": b"x"},
    {"id": "2", "messages": [{"role": "user", "content": "[Hi]", "tool_calls": None}], "tools": "[]"},
]


class InvalidTableError(ValueError):
    """What pyarrow raises for a file that is no table."""


class ParquetFile:
    """Stands for pyarrow's, which only the extra brings; the package tests read a real table."""

    def __init__(self, path: Path) -> None:
        if path.read_bytes() != b"PAR1":
            raise InvalidTableError("not a Parquet file")

    def iter_batches(self, batch_size: int) -> Iterator["ParquetFile"]:
        assert 0 < batch_size <= 1000  # a batch is held in memory
        yield self

    def to_pylist(self) -> list[dict[str, object]]:
        return ROWS


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pyarrow, parquet = ModuleType("pyarrow"), ModuleType("pyarrow.parquet")
    pyarrow.__dict__.update(ArrowInvalid=InvalidTableError, parquet=parquet)
    parquet.__dict__.update(ParquetFile=ParquetFile)
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    path = tmp_path / "train.parquet"
    path.write_bytes(b"PAR1")
    return path


def test_the_rows_of_a_table_are_read_and_lists_in_its_cells_too(table: Path) -> None:
    found = [one for one in read_cases(table) if isinstance(one, ReadCase)]
    assert [(one.line, one.case.id, one.case.tasks[0].user) for one in found] == [
        (1, "1", "[Hi] {you}"),
        (2, "2", "[Hi]"),
    ]


def test_a_table_that_is_cut_off_says_so(table: Path) -> None:
    table.write_bytes(b"PAR")
    with pytest.raises(InputError, match="is damaged: it is no whole Parquet table"):
        list(read_cases(table))


def test_a_table_that_would_fill_the_disk_is_not_unpacked_further(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "MAX_STREAM_BYTES", 100)
    with pytest.raises(InputError, match="unpacks to more than 100 bytes"):
        list(read_cases(table))


def test_a_table_that_is_not_there_is_said_like_any_file(table: Path) -> None:
    table.unlink()
    with pytest.raises(InputError, match="does not exist"):
        list(read_cases(table))


TOOLS: list[JsonValue] = [{"type": "function", "function": {"name": "say", "parameters": {"type": "object"}}}]


def as_table(path: Path, rows: list[dict[str, str]], *, delimiter: str = ",") -> Path:
    """The rows as a CSV table."""
    with path.open("w", encoding="utf-8-sig", newline="") as text:
        table = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
    return path


@pytest.mark.parametrize(("name", "delimiter"), [("x.csv", ","), ("X.CSV", ","), ("x.tsv", "\t")])
def test_the_rows_of_a_csv_table_are_read_as_if_they_were_lines(
    tmp_path: Path, name: str, delimiter: str
) -> None:
    long = 'Weather, in "Oslo"\n\tand é ' * 10_000
    as_json = json.dumps(TOOLS)
    lines: list[JsonValue] = [chat("a", long) | {"tools": TOOLS}, chat("b") | {"tools": TOOLS}]
    rows = [
        {"id": key, "messages": json.dumps(chat(key, text)["messages"]), "tools": as_json, "note": ""}
        for key, text in (("a", long), ("b", "Weather in [Oslo] {today}?"))
    ]
    table = list(read_cases(as_table(tmp_path / name, rows, delimiter=delimiter)))
    (tmp_path / "x.json").write_text(json.dumps(lines))
    read = [one for one in table if isinstance(one, ReadCase)]
    assert ids(table) == ["a", "b"]
    assert [one.line for one in read] == [1, 2]
    plain = [one for one in read_cases(tmp_path / "x.json") if isinstance(one, ReadCase)]
    assert [one.case.tasks for one in read] == [one.case.tasks for one in plain]
    assert [one.case.tools for one in read] == [one.case.tools for one in plain]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'id,messages\na,"[1,2\n', "^Line 2 of .* does not fit the columns"),
        (b"id,messages\na,[1,2]\n", "^Line 2 of .* does not fit the columns"),
        (b"id,messages\nb,[]\n\xe9,[]\n", "is not in UTF-8"),
    ],
)
def test_a_csv_table_that_cannot_be_read_says_why(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(read_cases(path))


def test_a_row_with_fewer_cells_has_no_others(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('messages,id,tools\n"[{""role"": ""user"", ""content"": ""Hi""}]",a\n')
    assert ids(list(read_cases(path))) == ["a"]
