"""Our own lines (formats 10.2): the shape of `case show`, `case put` and releases."""

import json
from contextlib import suppress
from datetime import datetime

from pydantic import ValidationError

from scoring.errors import GraphError, InputError, reworded
from scoring.formats.case_fields import read_tools
from scoring.formats.outcome import Reading
from scoring.model.case import NATIVE_FORMAT, NATIVE_VERSION, Answer, Case, Now, Task, dump_case
from scoring.model.graph import check_edges
from scoring.model.record import JsonObject
from scoring.model.strict_json import kind_of
from scoring.model.taxonomy import EdgeKind

BLIND = "blind"
"""Key of a case that was printed for somebody who may not see its labels; such a case is never read."""

_EXPECTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "tuple_type": "a list",
    "too_short": "at least one item",
    "string_too_short": "at least one character",
}
_STEP_KINDS = ("call", "ask", "answer")


def decode(record: JsonObject, *, file: str, line: int) -> Case:
    """Read one native line.

    Fields that may be left out get their defaults; nothing is converted from one type to another. Its
    `source` says where the case first came from and stays; `file` and `line` are not looked at.

    Args:
        record: The line as parsed.
        file: Name of the file it stands in.
        line: Its number, from 1.

    Raises:
        InputError: A field is missing, unknown or of the wrong type, a graph cannot be run, or the
            line was written by a newer version of the program.
    """
    _check_version(record)
    if record.get(BLIND):
        raise InputError(
            "This is what a blind reviewer sees of the case: its labels and dependencies are left out.",
            "Take the case from somebody who may see all of it.",
        )
    fields = {key: value for key, value in record.items() if key not in ("format", "version")}
    with reworded(ValidationError, into=lambda exc: InputError(_explain(exc))):
        case = _validated(fields)
    check_values(case)
    return case


def check_values(case: Case) -> None:
    """Refuse what the types allow and no line may hold.

    Raises:
        InputError: A time is none, or a graph cannot be run.
    """
    _check_time(case.now, "now")
    for t, task in enumerate(case.tasks):
        _check_time(task.now, f"tasks[{t}].now")
        _check_graph(task, f"tasks[{t}]")


def _validated(fields: JsonObject) -> Case:
    if isinstance(fields.get("tools"), list):
        with suppress(InputError, ValidationError):  # looked at as a whole, it says what is wrong first
            case = Case.model_validate_json(json.dumps(fields | {"tools": []}), strict=True)
            return case.model_copy(update={"tools": read_tools(fields["tools"], "tools")})
    return Case.model_validate_json(json.dumps(fields), strict=True)


def read(record: JsonObject, *, file: str, line: int) -> Reading:
    """Read one native line as `decode` does; there is nothing to note, what does not fit is refused."""
    return Reading(case=decode(record, file=file, line=line))


def encode(case: Case) -> JsonObject:
    """Write a case in our own shape, every field spelt out."""
    return dump_case(case)


def _check_version(record: JsonObject) -> None:
    if record.get("format") != NATIVE_FORMAT:
        raise InputError(f"format is not {NATIVE_FORMAT}.")
    version = record.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(f"version is {kind_of(version)}; a whole number from 1 is expected.")
    if version > NATIVE_VERSION:
        raise InputError(
            f"The line has version {version}, this program reads up to {NATIVE_VERSION}.",
            "Upgrade annotator to read it.",
        )


def _check_time(now: Now | None, where: str) -> None:
    if now is None or now.at is None:
        return
    try:
        is_zoned = datetime.fromisoformat(now.at).tzinfo is not None
    except ValueError as exc:
        raise InputError(
            f"{where}.at is {now.at[:40]!r}, which is not a time (2024-07-11T22:11:58)."
        ) from exc
    if is_zoned:
        raise InputError(f"{where}.at has a time zone; the simulated world has none.")


def _check_graph(task: Task, where: str) -> None:
    answers = [i for i, step in enumerate(task.steps) if isinstance(step, Answer)]
    if len(answers) > 1:
        raise InputError(
            f"{where} has {len(answers)} answers (steps {', '.join(map(str, answers))}); keep one."
        )
    pairs = [(edge.source, edge.target) for edge in task.edges]
    repeats = len(set(pairs)) < len(pairs)
    for e, (edge, pair) in enumerate(zip(task.edges, pairs, strict=True)):
        if repeats and pair in pairs[:e]:
            raise InputError(f"{where}.edges[{e}] repeats the dependency {edge.source} -> {edge.target}.")
        at_answer = edge.source in answers or edge.target in answers
        if at_answer != (edge.kind is EdgeKind.DERIVED):
            should = "derived" if at_answer else "parameter or logical"
            raise InputError(f"{where}.edges[{e}] has the kind {edge.kind}; {should} is expected there.")
    with reworded(GraphError, into=lambda exc: InputError(f"{where}: {exc.message}", exc.hint)):
        check_edges(len(task.steps), pairs)


def _explain(exc: ValidationError) -> str:
    """Say the first thing that does not fit: where, what was found, what is expected."""
    error = exc.errors(include_url=False)[0]
    where = _path(error["loc"])
    kind, context = error["type"], error.get("ctx", {})
    match kind:
        case "missing":
            return f"{where} is missing."
        case "extra_forbidden":
            return f"{where} is not a field of this format; unknown keys belong under extras."
        case "union_tag_invalid" | "union_tag_not_found":
            return f"{where}.kind is none of {', '.join(_STEP_KINDS)}."
        case "enum" | "literal_error":
            return f"{where} is {json.dumps(error['input'])[:60]}; {context['expected']} is expected."
    if kind in _EXPECTED and isinstance(error["input"], bool | int | float | str | list | dict | None):
        return f"{where} is {kind_of(error['input'])}; {_EXPECTED[kind]} is expected."
    message = error["msg"].removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}."


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for i, part in enumerate(location):
        if isinstance(part, int):
            path += f"[{part}]"
        elif not (part in _STEP_KINDS and i and isinstance(location[i - 1], int)):
            path += f".{part}" if path else part
    return path or "The line"
