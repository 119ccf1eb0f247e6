"""Writing cases into a file of any format, one JSON object a line."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import IO

from scoring.errors import InputError
from scoring.formats import c3, native, openai, wildtool
from scoring.model.case import Case
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import CaseFormat


class Skipped(Record):
    """A case the format cannot express, and why."""

    case_id: str
    reason: str


class WriteReport(Record):
    """How many lines were written, and which cases were left out."""

    written: int
    skipped: tuple[Skipped, ...] = ()


def encode(case: Case, format: CaseFormat) -> JsonObject:  # noqa: A002
    """Write one case in a format; an unedited case that came in this format equals its line.

    Raises:
        InputError: The format cannot express the case (wildtool and c3: a task without an answer).
    """
    return _WRITERS[format](case)


def encode_line(case: Case, format: CaseFormat) -> bytes:  # noqa: A002
    """Write one case as a line of UTF-8, its line break included; same case, same bytes.

    Raises:
        InputError: The format cannot express the case, or a text holds a broken character.
    """
    line = json.dumps(encode(case, format), ensure_ascii=False, allow_nan=False)
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError as exc:
        raise InputError(
            f"Case {case.id} holds a broken character (half of a surrogate pair).", "Retype that text."
        ) from exc


def write_cases(cases: Iterable[Case], stream: IO[bytes], *, format: CaseFormat) -> WriteReport:  # noqa: A002
    """Write cases one a line, in UTF-8; same cases, same bytes.

    Args:
        cases: The cases, written in their order.
        stream: Where to; open for bytes.
        format: The format of every line.

    Returns:
        The number of lines, and the cases the format cannot express, which are left out.
    """
    written = 0
    skipped = []
    for case in cases:
        try:
            line = encode_line(case, format)
        except InputError as exc:
            skipped.append(Skipped(case_id=case.id, reason=str(exc)))
        else:
            stream.write(line)
            written += 1
    return WriteReport(written=written, skipped=tuple(skipped))


_WRITERS: Mapping[CaseFormat, Callable[[Case], JsonObject]] = {
    CaseFormat.NATIVE: native.encode,
    CaseFormat.WILDTOOL: wildtool.encode,
    CaseFormat.C3: c3.encode,
    CaseFormat.OPENAI: openai.encode,
}
