"""What a format cannot say of a case: kept under one key of the line, and put back when the line is read."""

from scoring.errors import InputError
from scoring.formats import native
from scoring.formats.alignment import digest
from scoring.model.case import NATIVE_FORMAT, NATIVE_VERSION, Case, content_of, content_sha256, dump_case
from scoring.model.record import JsonObject, objects_in

KEY = "annotator_case"
"""The line's key: the parts of the native case that the line itself does not give back."""
_OF = "of"
"""Under it, the digest of what the line said by itself: the parts belong to that line and no other."""


def remainder_of(case: Case, plain: Case) -> JsonObject:
    """The parts of a case that its line does not give back; empty where it gives back everything.

    Args:
        case: The case that is written.
        plain: What its line reads as.

    Returns:
        Native fields by name; `tasks` has one object for each task with the fields that differ, or all
        tasks whole where their number differs.
    """
    said_sha256 = content_sha256(plain)
    if content_sha256(case) == said_sha256:
        return {}
    # Tools, which are most of a case, have their text by them.
    bare, bare_plain = (one.model_copy(update={"tools": ()}) for one in (case, plain))
    whole, said, full = content_of(bare), content_of(bare_plain), dump_case(bare)
    parts = {key: full[key] for key in whole if key != "tasks" and digest(whole[key]) != digest(said[key])}
    if [tool.json_text for tool in case.tools] != [tool.json_text for tool in plain.tools]:
        parts["tools"] = [tool.definition for tool in case.tools]
    if len(case.tasks) != len(plain.tasks):
        parts["tasks"] = full["tasks"]
    elif digest(whole["tasks"]) != digest(said["tasks"]):
        columns = (objects_in(body["tasks"]) for body in (whole, said, full))
        parts["tasks"] = [
            {key: written[key] for key in task if digest(task[key]) != digest(read[key])}
            for task, read, written in zip(*columns, strict=True)
        ]
    return {_OF: said_sha256[:16], **parts}


def without_remainder(record: JsonObject) -> JsonObject:
    """A line without the key; the line itself where it has none of ours."""
    return {key: value for key, value in record.items() if key != KEY} if _parts(record) else record


def _parts(record: JsonObject) -> JsonObject:
    parts = record.get(KEY)
    return parts if isinstance(parts, dict) and isinstance(parts.get(_OF), str) else {}


def with_remainder(plain: Case, record: JsonObject, notes: list[str]) -> Case:
    """Put back what a line could not say.

    Args:
        plain: What the line reads as by itself.
        record: The line.
        notes: Gets a sentence where the parts do not belong to the line, since somebody edited it.
    """
    if not _parts(record):
        return plain
    parts, body = _parts(record), dump_case(plain)
    changed = objects_in(parts.get("tasks"))
    if len(changed) == len(plain.tasks):
        changed = [task | part for task, part in zip(objects_in(body["tasks"]), changed, strict=True)]
    try:
        if parts[_OF] != content_sha256(plain)[:16]:
            raise InputError("The line was edited.")
        body |= {key: value for key, value in parts.items() if key not in (_OF, "tasks")}
        body |= {"format": NATIVE_FORMAT, "version": NATIVE_VERSION}
        if "tasks" in parts:
            body["tasks"] = list(changed)
        return native.decode(body, file="", line=0).model_copy(update={"source": plain.source})
    except InputError:
        notes.append(f"{KEY} does not belong to this line any more; it is not used.")
        return plain
