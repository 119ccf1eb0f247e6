"""Keeping in a case's extras what its file said beyond the case, and writing it back on export."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pydantic import Field, JsonValue

from scoring.errors import InputError
from scoring.formats.alignment import digest, digest_of_text
from scoring.formats.differences import Difference, Origins, differences, restore
from scoring.model.case import Case, Source, Tool, content_sha256
from scoring.model.record import JsonObject, Record, to_json
from scoring.model.taxonomy import CaseFormat

KEPT_KEY = "annotator"
"""The one key of `extras` that is ours; every other key is an unknown key of the file."""

FORMAT_KEYS = frozenset(
    {
        *(
            "id",
            "tools",
            "messages",
            "functions",
            "env_info",
            "format",
            "version",
            "language",
            "now",
            "extras",
        ),
        *("task", "tasks", "task_ids", "answer_list", "type", "task_types", "turn_type", "turn_subtypes"),
        *("english_task", "english_tasks", "english_tools", "english_answer_list", "english_messages"),
        *("english_env_info", "english_task_types", "english_turn_subtypes"),
    }
)
"""Keys some format gives a meaning; as unknown keys of one format they are not carried into another."""

_BOUND_KEYS = frozenset(
    {"idx", "dependency_list", "task_ids", "turn_type", "id", "tool_call_id"}
    | {"type", "task_types", "english_task_types", "turn_subtypes", "english_turn_subtypes"}
)
"""Fields that are read together with others: half file, half edited, they may mean something else."""


_MOST_PLACES = 16
"""Places tried one by one before the bound fields of all of them are written our way."""


class PreservedFields(Record):
    """What export needs to write a case the way its file had it.

    `layout` holds what the codec itself chose by looking at the file (which of two key names, role
    labels, call ids). `unchanged` is the digest of the line as we would have written it right after
    reading; while it holds, nothing was edited. `twins` are the fields of the other language, each with
    the digest of what it translates.
    """

    format: CaseFormat
    layout: JsonObject = Field(default_factory=dict)
    unchanged: str = ""
    differences: tuple[Difference, ...] = ()
    twins: dict[str, str] = Field(default_factory=dict)


Write = Callable[[Case, JsonObject], JsonObject]
"""Write a case in a codec's own shape under a layout, without unknown keys; `{}` is the usual layout."""
Read = Callable[[JsonObject], Case]
"""Read a line into a case."""


def remember(
    case: Case,
    record: JsonObject,
    *,
    format: CaseFormat,  # noqa: A002
    layout: JsonObject,
    write: Write,
    origins: Origins | None = None,
    as_read: Sequence[str] = (),
) -> Case:
    """Put into a case's extras the unknown keys of its line and whatever writing it again would change.

    Args:
        case: The case just read, without extras.
        record: The line it was read from.
        format: The line's format.
        layout: What the codec noted about the line; `{}` where it is as usual.
        write: The codec's way of writing.
        origins: Which items of our lists were read from which of the file's, where reading noted it.
        as_read: Keys whose values are written as they were read, so that nobody has to compare them.
    """
    written = write(case, layout)
    unknown = {key: value for key, value in record.items() if key not in written and key != KEPT_KEY}
    base = written | unknown
    noted = differences(base | {key: record[key] for key in as_read}, record, origins=origins)
    extras = dict(unknown)
    if noted or layout or FORMAT_KEYS & unknown.keys():
        kept: JsonObject = {"format": format.value}
        twins: JsonObject = {key: digest(_translated(written, key)) for key in unknown if _is_twin(key)}
        if twins:
            kept["twins"] = twins
        if layout:
            kept["layout"] = layout
        if noted:
            kept["unchanged"] = _digest_of_line(base, case.tools)
            kept["differences"] = [item.model_dump(mode="json", exclude_unset=True) for item in noted]
        extras[KEPT_KEY] = kept
    return case.model_copy(update={"extras": extras})


def _digest_of_line(line: JsonObject, tools: Sequence[Tool]) -> str:
    """The digest of a line as we write it; its tools, which many lines share, are not written once more."""
    own = [id(tool.definition) for tool in tools]
    texts = {
        key: f"[{','.join(tool.json_text for tool in tools)}]"
        if isinstance(value, list) and list(map(id, value)) == own
        else to_json(value)
        for key, value in line.items()
    }
    return digest_of_text(f"{{{','.join(f'{to_json(key)}:{text}' for key, text in texts.items())}}}")


_REPEATING = ("messages", "english_messages")
_REPEATED = ("english_tasks", "english_task", "tasks", "task", "english_answer_list", "answer_list")


def _is_twin(key: str) -> bool:
    """Whether a field that is not the case's own repeats one of the case in the other language."""
    return key in FORMAT_KEYS and (key.startswith("english_") or f"english_{key}" in FORMAT_KEYS)


def _translated(written: JsonObject, key: str) -> JsonValue:
    """What a field of the other language says again, as we write it; a dialogue repeats texts and steps."""
    if key in _REPEATING:
        return [written.get(name) for name in _REPEATED]
    return written.get(key.removeprefix("english_") if key.startswith("english_") else f"english_{key}")


def kept_of(case: Case) -> PreservedFields | None:
    """What was kept of a case's file; None where there is none, or somebody has damaged it by hand."""
    return PreservedFields.readable(case.extras.get(KEPT_KEY))


def recall(case: Case, *, format: CaseFormat, write: Write, parse: Callable[..., Case]) -> JsonObject:  # noqa: A002
    """Write a case in a format, the way its file had it where it came from that format.

    An unedited case gives its line back exactly. After an edit the file's own values return where
    nothing changed, as far as the line still reads as the case that is written.

    Raises:
        InputError: The format cannot express the case.
    """
    source = case.source or Source(format=format)
    read = partial(parse, file=source.file or "", line=source.line or 0)
    kept = kept_of(case)
    if kept is not None and kept.format is not format:
        kept = None
    written = write(case, kept.layout if kept else {})
    unknown = _unknown_fields(case, written, kept, format)
    ours = written | unknown
    if FORMAT_KEYS & unknown.keys() and _read_or_none(ours, read) is None:
        # A field the codec could make nothing of, one item a task, no longer fits the tasks.
        ours = written | {key: value for key, value in unknown.items() if key not in FORMAT_KEYS}
    if kept is None or not kept.differences:
        return ours
    if digest(ours) == kept.unchanged:
        return _restored(ours, kept.differences)
    # A format may not express all of a case: then the line must read as our own way of writing does.
    plain = read(ours)
    accepted = (content_sha256(case), content_sha256(plain))
    # Messages do not say their language: it is guessed, and an edit may have changed the guess.
    language = {"language": case.language} if plain.language != case.language else {}
    for noted in _ever_fewer(kept.differences):
        line = _restored(ours, noted)
        found = _read_or_none(line, read)
        if found is not None and content_sha256(found.model_copy(update=language)) in accepted:
            return line
    return ours


def _unknown_fields(
    case: Case,
    written: JsonObject,
    kept: PreservedFields | None,
    format: CaseFormat,  # noqa: A002
) -> JsonObject:
    """The fields of a case's own line that its format does not know, but translations of what was edited."""
    came_from_here = kept is not None or (case.source is not None and case.source.format == format.value)
    twins = kept.twins if kept is not None else {}
    # A translation of what was edited gives way; what the released code needs of it is added again.
    outdated = [key for key, was in twins.items() if digest(_translated(written, key)) != was]
    return {
        key: value
        for key, value in case.extras.items()
        if key not in (KEPT_KEY, *outdated)
        and key not in written
        and (came_from_here or key not in FORMAT_KEYS)
    }


def _restored(ours: JsonObject, noted: Sequence[Difference]) -> JsonObject:
    line = restore(ours, noted)
    return line if isinstance(line, dict) else ours


def _read_or_none(line: JsonObject, read: Read) -> Case | None:
    try:
        return read(line)
    except InputError:
        return None


def _ever_fewer(noted: Sequence[Difference]) -> Iterator[list[Difference]]:
    """All; without the bound fields of one task, of all; without one field of the line; only its keys."""
    yield list(noted)
    places = [item.tokens[:2] if _BOUND_KEYS.intersection(item.tokens) else None for item in noted]
    bound = [place for place in dict.fromkeys(places) if place is not None]
    for dropped in bound[:_MOST_PLACES]:
        yield [item for item, place in zip(noted, places, strict=True) if place != dropped]
    yield [item for item, place in zip(noted, places, strict=True) if place is None]
    for field in dict.fromkeys(item.tokens[0] for item in noted if item.tokens):
        yield [item for item in noted if item.tokens[:1] != (field,)]
    yield [item for item in noted if not item.tokens]
