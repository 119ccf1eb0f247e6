"""Writing cases into a file of any format, one JSON object a line."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from scoring.errors import InputError, existing, reworded
from scoring.formats import native
from scoring.formats.benchmark.completion import completed
from scoring.formats.benchmark.line_format import CASE_ID, published_id
from scoring.formats.chat import openai
from scoring.formats.codecs import CODECS, WRITERS
from scoring.formats.dialects.dialogue import Dialect
from scoring.formats.dialects.known import dialect_of, installed_format
from scoring.formats.fields import list_at, object_at
from scoring.formats.remainder import KEY as REMAINDER_KEY
from scoring.formats.remainder import remainder_of, without_remainder
from scoring.model.case import Case, content_of, content_sha256
from scoring.model.record import JsonObject, Record
from scoring.model.strict_json import MAX_DEPTH, depth
from scoring.model.taxonomy import CaseFormat

_WORDS = {
    "edges": "dependencies",
    "now": "simulated time",
    "steps": "parts of steps",
    "user": "requests",
}


_SAMPLED = 100
"""One line of so many is read again when it is written."""


class Skipped(Record):
    """A case the format cannot express, and why."""

    case_id: str
    reason: str


class Remark(Record):
    """What stands in the line of a case although nobody said it of the case."""

    case_id: str
    text: str


class WriteReport(Record):
    """How many lines were written, which cases were left out, and what was added to some.

    `withheld` counts cases that are not shown to the person for the time being, and not named either.
    """

    written: int
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[Remark, ...] = ()
    withheld: int = 0


def encode(case: Case, format: str, *, position: int = 0) -> JsonObject:  # noqa: A002
    """Write one case in a format, as the released code of that format reads it.

    A line that already is so comes back as its file had it. What the format cannot say stands under a
    key of ours, so that reading the line gives the same content.

    Args:
        case: The case.
        format: The format: ours, one of others, or the name of an installed one.
        position: Which line of its file it becomes, from 0; the id of a WildToolBench line.

    Raises:
        InputError: The format cannot express the case, or the released code could not run it.
    """
    return _line_of(case, format, position=position)[0]


def _line_of(
    case: Case,
    format: str,  # noqa: A002
    *,
    position: int,
) -> tuple[JsonObject, tuple[str, ...]]:
    if format not in CODECS:
        dialect = None if format in WRITERS else installed_format(format)
        write = existing(
            WRITERS.get(format) or (dialect.write if dialect else None),
            InputError(f"No installed format {format} writes cases.", "Install the package that brings it."),
        )
        line = write(case)
        lost = _not_kept(case, line, dialect or dialect_of(line))
        return line, ((f"Not kept: {', '.join(lost)}.",) if lost else ())
    form = CaseFormat(format)
    line = CODECS[form].encode(case)
    if form is CaseFormat.NATIVE:
        return line, ()
    finished = completed(case, line, form)
    line = finished.line
    if form is CaseFormat.WILDTOOL:
        line = _numbered(case, line, position)
    elif line.get("id") is None:
        line = {**line, "id": case.id}
    parse = CODECS[form].parse
    rest = remainder_of(case, parse(line, file="", line=0))
    if rest:
        line = without_remainder(line) | {REMAINDER_KEY: rest}
    if depth(line) > MAX_DEPTH:
        raise InputError(
            f"Case {case.id} nests deeper than the {MAX_DEPTH} levels that are read in this format.",
            "Export it as native.",
        )
    if rest and not _is_kept(case, line, parse, position=position):
        kept_out = ", ".join(list(rest)[1:])
        raise InputError(
            f"Case {case.id} holds what this format cannot keep ({kept_out}).", "Export it as native."
        )
    return line, finished.notes


def _is_kept(case: Case, line: JsonObject, parse: Callable[..., Case], *, position: int) -> bool:
    """Whether reading a line gives the case back.

    It does by the way the remainder is made, which the tests prove for any case, where the line has no
    remainder of its file and native reading takes the values. The others are read again, and a sample.
    """
    if position % _SAMPLED and REMAINDER_KEY not in case.extras:
        with suppress(InputError):
            native.check_values(case)
            return True
    _bytes_of(case, line)
    return content_sha256(parse(line, file="", line=0)) == content_sha256(case)


def _not_kept(case: Case, line: JsonObject, dialect: Dialect | None) -> list[str]:
    """What a line of others does not say of a case, found by reading it again."""
    chats = dialect.chats([line], Path()) if dialect else [line]
    whole, said = content_of(case), content_of(openai.parse(next(iter(chats)), file="", line=0))
    lost = {key for key in whole if key != "tasks" and whole[key] != said[key]}
    tasks, others = (list_at(body["tasks"], "tasks") for body in (whole, said))
    if len(tasks) != len(others):
        lost.add("tasks")
    for task, other in zip(tasks, others, strict=False):
        kept = object_at(other, "tasks")
        lost |= {key for key, value in object_at(task, "tasks").items() if value != kept[key]}
    return sorted(_WORDS.get(part, part) for part in lost)


def _numbered(case: Case, line: JsonObject, position: int) -> JsonObject:
    """The line under the id its place gives it, the case's own id beside it (formats 4)."""
    if case.id == published_id(position):
        return line | {"id": case.id}
    if CASE_ID in line:
        raise InputError(
            f"Case {case.id} has a key {CASE_ID} of its own, which this format needs for the case's id.",
            "Rename that key in the file the case came from.",
        )
    numbered: JsonObject = {"id": published_id(position), CASE_ID: case.id}
    return numbered | {key: value for key, value in line.items() if key != "id"}


def encode_line(case: Case, format: CaseFormat, *, position: int = 0) -> bytes:  # noqa: A002
    """Write one case as a line of UTF-8, its line break included; same case and place, same bytes.

    Raises:
        InputError: As `encode`, or a text holds a broken character.
    """
    return _bytes_of(case, encode(case, format, position=position))


def _bytes_of(case: Case, line: JsonObject) -> bytes:
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    with reworded(
        UnicodeEncodeError,
        into=lambda _: InputError(
            f"Case {case.id} holds a broken character (half of a surrogate pair).", "Retype that text."
        ),
    ):
        return text.encode() + b"\n"


def write_cases(
    cases: Iterable[Case],
    stream: IO[bytes],
    *,
    format: str,  # noqa: A002
    first: int = 0,
    answers: IO[bytes] | None = None,
) -> WriteReport:
    """Write cases one a line, in UTF-8; same cases, same bytes.

    Args:
        cases: The cases, written in their order.
        stream: Where to; open for bytes.
        format: The format of every line.
        first: Number of lines that stand in the file already.
        answers: Where the answers of BFCL's questions go; with the questions where it is None.

    Returns:
        The number of lines, the cases that are left out and why, and what was added to others.
    """
    written = 0
    skipped = []
    remarks = []
    for case in cases:
        try:
            line, notes = _line_of(case, format, position=first + written)
            answer = line.pop("ground_truth", None) if answers else None
            if answers and "involved_classes" in line:  # its functions are in documents of their own
                del line["function"]
            stream.write(_bytes_of(case, line))
            if answers and answer is not None:
                answers.write(_bytes_of(case, {"id": case.id, "ground_truth": answer}))
        except InputError as exc:
            skipped.append(Skipped(case_id=case.id, reason=str(exc)))
        else:
            remarks += [Remark(case_id=case.id, text=note) for note in notes]
            written += 1
    return WriteReport(written=written, skipped=tuple(skipped), remarks=tuple(remarks))
