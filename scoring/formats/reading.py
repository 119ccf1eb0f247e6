"""Reading cases out of files: line by line, each line by itself, in constant memory (formats 8)."""

import codecs
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader
from pathlib import Path

from scoring.errors import InputError
from scoring.formats import c3, native, openai, wildtool
from scoring.formats.outcome import Reading
from scoring.formats.strict_json import MAX_DEPTH, depth, kind_of, parse
from scoring.model.case import NATIVE_FORMAT
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import CaseFormat

MAX_LINE_BYTES = 16 * 1024 * 1024
"""The longest line that is read, its line break not counted."""

_NATIVE_DEPTH = MAX_DEPTH + 16
"""Our own lines keep foreign values a few levels deeper, under `extras`."""
_LONGEST_REASON = 300
_CHUNK_BYTES = 1024 * 1024
_HEAD_BYTES = 8192

_WILDTOOL_KEYS = ("english_tasks", "english_task_types", "english_turn_subtypes", "tasks", "task_types")
_C3_KEYS = ("english_task", "task", "type", "task_ids", "turn_type", "env_info")
_ANSWER_KEYS = ("english_answer_list", "answer_list")


class ReadCase(Reading):
    """A case with the number of its line, from 1."""

    line: int


class Rejected(Record):
    """A line that gave no case: the file as it was named, the line number from 1, and the reason."""

    file: str
    line: int
    reason: str


def read_cases(path: Path, *, format: CaseFormat | None = None) -> Iterator[ReadCase | Rejected]:  # noqa: A002
    """Read a file of cases, one JSON object a line.

    Blank lines are skipped and counted; a bad line never stops the good ones.

    Args:
        path: The file.
        format: Its format; null to recognise each line by itself.

    Yields:
        For each line a case or the reason there is none, in the order of the file.

    Raises:
        InputError: The file cannot be read, is empty, or is no text at all.
    """
    try:
        with path.open("rb") as stream:
            yield from _read(stream, path, format)
    except IsADirectoryError as exc:
        raise InputError(f"{path} is a folder.", "Name the files in it.") from exc
    except FileNotFoundError as exc:
        raise InputError(f"{path} does not exist.", "Check the name.") from exc
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror or exc}.", "Check its permissions.") from exc


def _read(
    stream: BufferedReader,
    path: Path,
    format: CaseFormat | None,  # noqa: A002
) -> Iterator[ReadCase | Rejected]:
    head = stream.peek(_HEAD_BYTES)[:_HEAD_BYTES]
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    elif b"\0" in head and not head.lstrip().startswith(b"{"):
        raise InputError(f"{path} is not a text file.", "Cases are JSON, one object a line, in UTF-8.")
    is_empty = True
    for number, line in enumerate(_lines(stream), start=1):
        if line is not None and not line.strip():
            continue
        is_empty = False
        try:
            reading = _read_line(line, path.name, number, format)
        except InputError as exc:
            yield Rejected(file=str(path), line=number, reason=_shorten(str(exc)))
        else:
            yield ReadCase(case=reading.case, warnings=reading.warnings, line=number)
    if is_empty:
        raise InputError(f"{path} is empty.", "A file of cases has one JSON object a line.")


def _shorten(reason: str) -> str:
    """Keep a reason within 300 characters."""
    return reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 3] + "..."


def _lines(stream: BufferedReader) -> Iterator[bytes | None]:
    """Cut a stream at its line breaks; a line that is too long is skipped in pieces and given as null."""
    while line := stream.readline(MAX_LINE_BYTES + 2):
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        if len(text) <= MAX_LINE_BYTES:
            yield text
            continue
        del text
        while not line.endswith(b"\n") and (line := stream.readline(_CHUNK_BYTES)):
            pass
        yield None


def _read_line(
    line: bytes | None,
    file: str,
    number: int,
    format: CaseFormat | None,  # noqa: A002
) -> Reading:
    if line is None:
        raise InputError(f"The line is longer than {MAX_LINE_BYTES // 2**20} MiB.", "Split the case.")
    record = parse_line(line)
    found = format or sniff(record)
    if found is None:
        raise InputError(_unknown(record))
    if found is not CaseFormat.NATIVE and depth(record) > MAX_DEPTH:
        raise InputError(f"The JSON nests deeper than {MAX_DEPTH} levels.")
    return _READERS[found](record, file=file, line=number)


def parse_line(line: bytes) -> JsonObject:
    """Parse one line as a JSON object.

    Raises:
        InputError: It is not UTF-8, not JSON, not an object, or beyond the limits.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise InputError(
            f"The line is not UTF-8 (byte {exc.start + 1} is 0x{line[exc.start]:02x}).", "Save it as UTF-8."
        ) from exc
    record = parse(text, max_depth=_NATIVE_DEPTH)
    if not isinstance(record, dict):
        raise InputError(f"The line is {kind_of(record)}; one JSON object a line is expected.")
    return record


def sniff(record: JsonObject) -> CaseFormat | None:
    """Recognise the format of one line by its keys; null where it is none of ours."""
    if record.get("format") == NATIVE_FORMAT:
        return CaseFormat.NATIVE
    if _is_prediction(record):
        return None
    has_answers = any(key in record for key in _ANSWER_KEYS)
    if "messages" in record and not has_answers:
        return CaseFormat.OPENAI
    if str(record.get("id")).startswith("wild_tool_bench") or any(key in record for key in _WILDTOOL_KEYS):
        return CaseFormat.WILDTOOL
    if any(key in record for key in _C3_KEYS):
        return CaseFormat.C3
    return CaseFormat.WILDTOOL if has_answers or "tasks" in record else None


def _is_prediction(record: JsonObject) -> bool:
    is_case = any(key in record for key in ("messages", *_ANSWER_KEYS))
    return "predict_result" in record or (not is_case and ("replies" in record or "result" in record))


def _unknown(record: JsonObject) -> str:
    if _is_prediction(record):
        return "The line holds a model's replies, not a case: give it to `annotator score`."
    keys = ", ".join(repr(key[:40]) for key in list(record)[:6]) or "none"
    return f"The line is no case of a known format (native, wildtool, c3, openai); its keys are {keys}."


_READERS: Mapping[CaseFormat, Callable[..., Reading]] = {
    CaseFormat.NATIVE: native.read,
    CaseFormat.WILDTOOL: wildtool.read,
    CaseFormat.C3: c3.read,
    CaseFormat.OPENAI: openai.read,
}
