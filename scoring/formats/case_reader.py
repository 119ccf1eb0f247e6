"""Reading cases out of files: each by itself, in constant memory, a bad one never stopping the others."""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BufferedReader
from itertools import islice
from pathlib import Path

from pydantic import JsonValue

from scoring.errors import InputError, reworded
from scoring.formats.codecs import CODECS, Codec, is_prediction, sniff
from scoring.formats.containers import (
    MAX_LINE_BYTES,
    JsonPart,
    file_name,
    first_keys,
    members,
    open_unpacked,
    pieces,
    require_text,
    shown_name,
)
from scoring.formats.dialects.dialogue import Dialect
from scoring.formats.dialects.known import dialect_of, installed_dialect
from scoring.formats.dialects.logs import SESSION, is_session_line
from scoring.formats.foreign import Foreign, ForeignError, foreign_by_keys, foreign_format
from scoring.formats.outcome import Reading
from scoring.model.record import JsonObject, Record
from scoring.model.strict_json import MAX_DEPTH, depth, kind_of, parse_measured
from scoring.model.taxonomy import CaseFormat

_NATIVE_DEPTH = MAX_DEPTH + 16
"""Our own lines keep foreign values a few levels deeper, under `extras`."""
_LONGEST_REASON = 300
_MOST_MIB = MAX_LINE_BYTES // 2**20
_SPLIT = "Write each dialogue into a line of its own."
_LOG = logging.getLogger(__name__)


class ReadCase(Reading):
    """A case with the number of the line it begins in, from 1."""

    line: int


class Rejected(Record):
    """A line that gave no case: the file as it was named, the line number from 1, and the reason."""

    file: str
    line: int
    reason: str


def read_cases(
    path: Path,
    *,
    format: CaseFormat | None = None,  # noqa: A002
    most_bytes: int | None = None,
    is_plain: bool = False,
) -> Iterator[ReadCase | Rejected]:
    """Read a file of cases: one JSON object a line, or a list of them, maybe under `data`, maybe indented.

    A file packed by gzip is unpacked on the way, and of a zip archive every JSON file is read. Blank lines
    are skipped and counted; a bad line never stops the good ones, and neither does an error in this program.
    Lines that look like one of the formats that are not read are rejected together, after all others.

    Args:
        path: The file; `-` is standard input.
        format: Its format; None to recognise each line by itself.
        most_bytes: Beyond so many bytes, packed or unpacked, reading fails; None for all there are.
        is_plain: Whether only what a case says counts, not what its file did its own way.

    Yields:
        For each line or item a case or the reason there is none, in the order of the file.

    Raises:
        InputError: The file cannot be read, is empty, or is no text at all.
    """
    for place, stream in members(path, most_bytes=most_bytes):
        yield from _read_stream(stream, place, format, is_plain=is_plain)


def _read_stream(
    stream: BufferedReader,
    path: Path,
    format: CaseFormat | None,  # noqa: A002
    *,
    is_plain: bool,
) -> Iterator[ReadCase | Rejected]:
    foreign: Counter[Foreign] = Counter()
    first: dict[Foreign, int] = {}
    session: list[JsonObject] = []
    is_empty = True
    require_text(stream, path)
    begins_with = first_keys(stream)
    for piece in pieces(stream):
        is_empty = False
        try:
            if piece.text is None and piece.number == 1 and (looks := foreign_by_keys(begins_with)):
                raise InputError(
                    f"This looks like {looks.name}, and one value of it is longer than {_MOST_MIB} MiB.",
                    _SPLIT,
                )
            value = _value(piece)
            if format is None and isinstance(value[0], dict) and is_session_line(value[0]):
                session.append(value[0])
                continue
            for found in _readings(value, path, piece.number, format, is_plain=is_plain):
                yield _numbered(found, path, piece.line)
        except ForeignError as exc:
            foreign[exc.format] += 1
            first.setdefault(exc.format, piece.line)
        except InputError as exc:
            yield Rejected(file=str(path), line=piece.line, reason=_shorten(_place(piece) + str(exc)))
        except Exception as exc:
            _LOG.exception("%s, line %d could not be read", path.name, piece.line)
            yield Rejected(file=str(path), line=piece.line, reason=_place(piece) + fault(exc))
    yield from (_numbered(found, path, 1) for found in _rewritten(SESSION, session, path, 1))
    if is_empty:
        raise InputError(f"{shown_name(path)} is empty.", "A file of cases has one JSON object a line.")
    for named, count in foreign.items():
        records = "1 record" if count == 1 else f"{count:,} records"
        reason = f"This looks like {named.name}, which is not read ({records}). {named.hint}"
        yield Rejected(file=str(path), line=first[named], reason=reason)


def _numbered(found: Reading | InputError, path: Path, line: int) -> ReadCase | Rejected:
    if isinstance(found, InputError):
        return Rejected(file=str(path), line=line, reason=_shorten(str(found)))
    return ReadCase(**dict(found), line=line)


def read_records(path: Path) -> Iterator[JsonObject]:
    """Read the JSON objects of a file as they stand there; what is none is passed over.

    Raises:
        InputError: The file cannot be read.
    """
    with open_unpacked(path) as stream:
        for piece in pieces(stream):
            try:
                yield parse_line(piece.text or b"")
            except InputError:
                continue


def fault(error: Exception) -> str:
    """The reason of a rejection that is nobody's but this program's."""
    return f"A fault in this program ({type(error).__name__}) kept the line out; the log has more."


def _place(piece: JsonPart) -> str:
    return f"Item {piece.number}: " if piece.in_list and piece.number != piece.line else ""


def read_case(path: Path) -> Reading:
    """Read a file that holds one case, on one line or spread over several.

    Raises:
        InputError: The file cannot be read, or is not one case.
    """
    with open_unpacked(path) as stream:
        found = list(islice(pieces(stream), 2))
    if len(found) != 1:
        what = "is empty" if not found else "holds more than one case"
        raise InputError(f"{path} {what}.", "Give a file with one case.")
    readings = list(islice(_readings(_value(found[0]), path, found[0].number, None), 2))
    if isinstance(readings[0], InputError):
        raise readings[0]
    if len(readings) != 1:
        raise InputError(f"{path} holds more than one case.", "Give a file with one case.")
    return readings[0]


def read_piece(piece: JsonPart, path: Path) -> Reading | None:
    """The case of one JSON text of a file; None where it has none, or several."""
    try:
        found = list(_readings(_value(piece), path, piece.number, None))
    except InputError:
        return None
    return found[0] if len(found) == 1 and isinstance(found[0], Reading) else None


def _shorten(reason: str) -> str:
    """Keep a reason within 300 characters."""
    return reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 3] + "..."


def _value(piece: JsonPart) -> tuple[JsonValue, int]:
    """The JSON value of a piece, and its levels."""
    if piece.text is None:
        raise InputError(f"The {'item' if piece.in_list else 'line'} is longer than {_MOST_MIB} MiB.", _SPLIT)
    return _parse(piece.text)


def _readings(
    parsed: tuple[JsonValue, int],
    path: Path,
    number: int,
    format: CaseFormat | None,  # noqa: A002
    *,
    is_plain: bool = False,
) -> Iterator[Reading | InputError]:
    """The cases of one JSON value: one, or those of a record that holds several dialogues."""
    value, levels = parsed
    found = format or (sniff(value) if isinstance(value, dict) else None)
    is_open = format is None and found in (None, CaseFormat.OPENAI)
    dialect = dialect_of(value) if isinstance(value, dict) and is_open else None
    if dialect is None and isinstance(value, dict) and found is None:
        dialect = installed_dialect(value)
    if isinstance(value, dict) and dialect is not None:
        yield from _rewritten(dialect, [value], path, number)
        return
    if found is None and (named := foreign_format(value)):
        raise ForeignError(named)
    record = _object(value)
    if found is None:
        raise InputError(_unknown(record))
    if found is not CaseFormat.NATIVE and levels > MAX_DEPTH and depth(record) > MAX_DEPTH:
        raise InputError(f"The JSON nests deeper than {MAX_DEPTH} levels.")
    yield _reading(record, CODECS[found], path, number, is_plain=is_plain)


def _reading(record: JsonObject, codec: Codec, path: Path, number: int, *, is_plain: bool) -> Reading:
    file = file_name(path)
    if is_plain:
        case = codec.parse(record, file=file, line=number)
        line_id = record.get("id") if codec is CODECS[CaseFormat.WILDTOOL] else None
        return Reading(case=case, has_dependencies=codec.has_dependencies, line_id=line_id)
    return codec.read(record, file=file, line=number)


def _rewritten(
    dialect: Dialect, records: Sequence[JsonObject], path: Path, number: int
) -> Iterator[Reading | InputError]:
    """The dialogues of records of another shape, each read as OpenAI messages or given as what is wrong.

    What their file did its own way is always kept: the rules of BFCL look at it.
    """
    codec = CODECS[CaseFormat.OPENAI]
    for record in dialect.chats(records, path):
        try:
            if depth(record) > MAX_DEPTH:
                raise InputError(f"The JSON nests deeper than {MAX_DEPTH} levels.")
            reading = _reading(record, codec, path, number, is_plain=False)
        except InputError as exc:
            yield InputError(
                f"{dialect.name}, dialogue {str(record.get('id', 1))[:60]}: {exc.message}", exc.hint
            )
        else:
            yield reading.model_copy(update={"dialect": dialect.name})


def parse_line(line: bytes) -> JsonObject:
    """Parse one line as a JSON object.

    Raises:
        InputError: It is not UTF-8, not JSON, not an object, or beyond the limits.
    """
    return _object(_parse(line)[0])


def _parse(line: bytes) -> tuple[JsonValue, int]:
    with reworded(
        UnicodeDecodeError,
        into=lambda exc: InputError(
            f"The line is not UTF-8 (byte {exc.start + 1} is 0x{line[exc.start]:02x}).", "Save it as UTF-8."
        ),
    ):
        text = line.decode("utf-8")
    return parse_measured(text, max_depth=_NATIVE_DEPTH)


def _object(value: JsonValue) -> JsonObject:
    if not isinstance(value, dict):
        raise InputError(f"The line is {kind_of(value)}; one JSON object a line is expected.")
    return value


def _unknown(record: JsonObject) -> str:
    if is_prediction(record):
        return "The line holds a model's replies, not a case: give it to `annotator score`."
    keys = ", ".join(repr(key[:40]) for key in list(record)[:6]) or "none"
    return f"The line is not a case of a known format ({', '.join(CODECS)}); its keys are {keys}."
