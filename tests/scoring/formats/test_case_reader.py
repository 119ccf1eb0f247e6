"""Reading files: every bad line is refused with its number and a reason, and never stops a good one."""

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.case_reader import ReadCase, Rejected, parse_line, read_cases
from scoring.formats.codecs import CODECS, sniff
from scoring.formats.containers import MAX_LINE_BYTES
from scoring.model.case import content_of
from scoring.model.taxonomy import CaseFormat
from tests.shared import ROOT, SHARED, needs_shared

GOOD = b'{"id": "c-1", "messages": [{"role": "user", "content": "Weather in Oslo?"}]}'


def outcomes(path: Path, content: bytes) -> list[ReadCase | Rejected]:
    """What reading a file of these bytes gives."""
    path.write_bytes(content)
    return list(read_cases(path))


def reason(folder: Path, line: bytes) -> str:
    """Why a line between two good ones is refused; the good ones are read."""
    first, refused, last = outcomes(folder / "x.jsonl", GOOD + b"\n" + line + b"\n" + GOOD)
    assert isinstance(first, ReadCase)
    assert isinstance(last, ReadCase)
    assert isinstance(refused, Rejected)
    assert (refused.line, last.line) == (2, 3)
    assert len(refused.reason) <= 300
    return refused.reason


def test_a_plain_reading_says_what_a_whole_one_says(tmp_path: Path) -> None:
    for form in CaseFormat:
        path = tmp_path / f"{form}.jsonl"
        samples = read_cases(ROOT / "resources" / "samples" / "cases.jsonl")
        cases = [item.case for item in samples if isinstance(item, ReadCase)]
        path.write_text("".join(json.dumps(CODECS[form].encode(case)) + "\n" for case in cases))
        whole, plain = list(read_cases(path)), list(read_cases(path, is_plain=True))
        assert len(whole) == len(plain) == len(cases)
        for one, other in zip(whole, plain, strict=True):
            assert isinstance(one, ReadCase)
            assert isinstance(other, ReadCase)
            assert content_of(one.case) == content_of(other.case)
            assert (one.line, one.has_dependencies) == (other.line, other.has_dependencies)
            assert one.case.source == other.case.source


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_no_trouble(tmp_path: Path) -> None:
    found = outcomes(tmp_path / "x.jsonl", b"\xef\xbb\xbf" + GOOD + b"\r\n \r\n\r\n" + GOOD + b"\r\n")
    assert [(type(item), item.line) for item in found] == [(ReadCase, 1), (ReadCase, 4)]


def test_a_last_line_without_a_line_end_is_read(tmp_path: Path) -> None:
    assert len(outcomes(tmp_path / "x.jsonl", GOOD)) == 1


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused_as_a_whole(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="is empty"):
        outcomes(tmp_path / "x.jsonl", content)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 20, b"\x7fELF\2\1\1\0" * 50])
def test_a_binary_file_is_refused_as_a_whole(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="not a text file"):
        outcomes(tmp_path / "x.jsonl", content)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_in_another_encoding_is_refused_with_its_name(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(InputError, match="is in UTF-16 or UTF-32") as refused:
        outcomes(tmp_path / "x.jsonl", json.dumps({"a": 1}).encode(encoding))
    assert refused.value.hint == "Save it as UTF-8."


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        list(read_cases(tmp_path))
    with pytest.raises(InputError, match="does not exist"):
        list(read_cases(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (GOOD[:40], "cut off"),
        (b"{'id': 1}", "not JSON"),
        (b'{"a": "\0"}', "not JSON: invalid control character at character 8."),
        (b'{"a": "\\q"}', "not JSON: invalid \\escape at character 8."),
        (b'{"id": 1} trailing', "after the end"),
        (b"[1, 2]", "a list; one JSON object a line"),
        (b'"text"', "a text; one JSON object a line"),
        (b"null", "null; one JSON object a line"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "not UTF-8"),
        (b'{"a": NaN}', "NaN is not a JSON value"),
        (b'{"a": -Infinity}', "-Infinity is not a JSON value"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 401 + b"}", "401 digits"),
        (b'{"a": "\\ud800 x"}', "half of a surrogate pair"),
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b'{"a": ' + b"[" * 130 + b"]" * 130 + b"}", "deeper than"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "deeper than"),
        (b'{"messages": [], "a": ' + b"[" * 100 + b"]" * 100 + b"}", "deeper than 100"),
        (b'{"colour": "red"}', "not a case of a known format"),
        (b'{"case": "c-1", "task": 0, "replies": []}', "annotator score"),
        (b'{"format": "annotator-case", "version": 2}', "Upgrade"),
    ],
)
def test_a_bad_line_is_refused_with_the_reason(tmp_path: Path, line: bytes, said: str) -> None:
    assert said in reason(tmp_path, line)


_TEXTS = st.sampled_from(["a", "\\", '":', " :"]) | st.text('a":\\ {', max_size=4)
_VALUES = st.recursive(_TEXTS, lambda inner: st.dictionaries(_TEXTS, inner, max_size=3), max_leaves=6)
_OBJECTS = st.dictionaries(_TEXTS, _VALUES, max_size=4)


@settings(max_examples=300)
@given(_OBJECTS, st.sampled_from([":", " :", ": ", "\n: "]), st.data())
def test_a_key_that_occurs_twice_is_found_whatever_stands_beside_it(
    value: dict[str, JsonValue], colon: str, data: st.DataObject
) -> None:
    value = {"many": [[]] * 200, **value}
    text = json.dumps(value, separators=(",", colon))
    assert parse_line(text.encode()) == value
    again = json.dumps(data.draw(st.sampled_from(sorted(value))))
    with pytest.raises(InputError, match="occurs twice"):
        parse_line(f"{text[:-1]},{again}:0}}".encode())


def test_what_is_just_within_the_limits_is_read(tmp_path: Path) -> None:
    deep = b'{"messages": [{"role": "user", "content": "x"}], "a": ' + b"[" * 99 + b"]" * 99 + b"}"
    digits = b'{"messages": [{"role": "user", "content": "x"}], "a": -' + b"9" * 400 + b"}"
    pair = b'{"messages": [{"role": "user", "content": "\\ud83d\\ude00 \\u0000"}]}'
    found = outcomes(tmp_path / "x.jsonl", b"\n".join([deep, digits, pair]))
    assert all(isinstance(item, ReadCase) for item in found)
    assert isinstance(found[2], ReadCase)
    assert found[2].case.tasks[0].user == "\U0001f600 \0"


def test_a_line_of_exactly_sixteen_mebibytes_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    fits = GOOD + b" " * (MAX_LINE_BYTES - len(GOOD))
    found = outcomes(tmp_path / "x.jsonl", fits + b"\r\n" + fits + b" \n" + GOOD + b"\n")
    assert [type(item).__name__ for item in found] == ["ReadCase", "Rejected", "ReadCase"]
    assert isinstance(found[1], Rejected)
    assert "longer than 16 MiB" in found[1].reason


def test_a_huge_file_is_read_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as stream:
        for _ in range(6):
            stream.write(GOOD + b"\n")
            for _ in range(20):
                stream.write(b"{" * 1024 * 1024)
            stream.write(b"\n")
    tracemalloc.start()
    kinds = [type(item).__name__ for item in read_cases(path)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kinds == ["ReadCase", "Rejected"] * 6
    # One line's limit while it is read and cut, far below the 120 MB of the file.
    assert peak < 4 * MAX_LINE_BYTES


def test_lines_are_handed_over_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(GOOD + b"\n" + b"{broken\n")
    assert isinstance(next(iter(read_cases(path))), ReadCase)


def test_each_line_is_recognised_by_itself(tmp_path: Path) -> None:
    answer = {
        "action": {"name": "prepare_to_answer", "arguments": {}},
        "observation": "",
        "dependency_list": [],
    }
    lines = [
        {"id": "a", "english_tasks": ["x"], "english_answer_list": [[answer]]},
        {"id": "b", "english_task": ["x"], "english_answer_list": [[answer]], "type": ["拒"]},
        {"id": "c", "messages": [{"role": "user", "content": "x"}]},
        {"format": "annotator-case", "version": 1, "id": "d", "tasks": [{"user": "x"}]},
    ]
    found = outcomes(tmp_path / "x.jsonl", "\n".join(map(json.dumps, lines)).encode())
    assert [item.case.source and item.case.source.format for item in found if isinstance(item, ReadCase)] == [
        "wildtool",
        "c3",
        "openai",
        None,
    ]


def test_a_forced_format_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(GOOD)
    (refused,) = read_cases(path, format=CaseFormat.WILDTOOL)
    assert isinstance(refused, Rejected)
    assert "english_tasks is missing" in refused.reason


def test_a_case_without_an_id_is_named_after_its_file_and_line(tmp_path: Path) -> None:
    (found,) = outcomes(tmp_path / "chats.jsonl", b'{"messages": [{"role": "user", "content": "x"}]}')
    assert isinstance(found, ReadCase)
    assert found.case.id == "chats:1"
    assert found.case.source is not None
    assert (found.case.source.file, found.case.source.line) == ("chats.jsonl", 1)


def test_replies_of_a_model_are_no_case_and_a_case_may_have_a_result() -> None:
    assert sniff({"id": "x", "model_name": "m", "result": []}) is None
    assert sniff({"id": "x", "answer_list": [], "messages": [], "predict_result": []}) is None
    assert sniff({"id": "x", "messages": [], "result": "passed"}) is CaseFormat.OPENAI


def test_a_line_of_chinese_plain_keys_is_a_c3_line() -> None:
    assert sniff({"id": "x", "task": ["查天气"], "answer_list": [[]], "messages": []}) is CaseFormat.C3


@pytest.mark.shared
@needs_shared
def test_all_real_dialogues_are_read_without_a_rejection() -> None:
    found = [
        item
        for name in ("published_cases.jsonl", "bfcl_multi_turn_base.openai.jsonl")
        for item in read_cases(SHARED / "data" / name)
    ]
    assert [item for item in found if isinstance(item, Rejected)] == []
    assert len(found) == 213
    assert all(item.warnings == () for item in found if isinstance(item, ReadCase))


@pytest.mark.parametrize(("length", "is_case"), [(0, False), (1, True), (200, True), (201, False)])
def test_an_id_has_1_to_200_characters(tmp_path: Path, length: int, is_case: bool) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(GOOD.replace(b"c-1", b"x" * length) + b"\n")
    (found,) = read_cases(path)
    assert isinstance(found, ReadCase) is is_case


def test_a_long_reason_is_cut_and_says_so(tmp_path: Path) -> None:
    line = json.dumps({f"{'k' * 60}{number}": 1 for number in range(9)}).encode()
    said = reason(tmp_path, line)
    assert (len(said), said[-3:]) == (300, "...")
