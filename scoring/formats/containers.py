"""Files as streams of JSON texts: one a line, in a list, under `data`, indented, compressed or not."""

import codecs
import csv
import gzip
import json
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, cast

from scoring.errors import InputError, install_hint, reworded
from scoring.formats.foreign import foreign_binary

try:
    from backports.zstd import zipfile
except ImportError:
    import zipfile  # type: ignore[no-redef]  # the same, with fewer ways to unpack

STANDARD_STREAM = Path("-")
"""Standard input where a file is read, standard output where one is written."""

MAX_STREAM_BYTES = 2 * 10**9
"""How much is read of a pipe, which may have no end, unless told otherwise."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""The longest line or item that is read, its line break not counted."""

_DAMAGED = (
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    EOFError,
    getattr(getattr(zipfile, "zstd", None), "ZstdError", zlib.error),
    zlib.error,
)
_CHUNK_BYTES = 1024 * 1024
_HEAD_BYTES = 65536
_GZIP = b"\x1f\x8b"
_BLANK = b" \t\r\n"
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_SCALAR = rb'(?:"(?:[^"\\]++|\\.)*+"|[-+.\w]+)'
_DATA = re.compile(rb'\s*\{\s*(?:"[^"\\]*"\s*:\s*' + _SCALAR + rb'\s*,\s*)*"data"\s*:\s*\[', re.DOTALL)


@dataclass(frozen=True)
class JsonPart:
    """One JSON text of a file.

    Attributes:
        line: The line it begins in, from 1.
        number: Its line in a file of lines, else which item of its list it is, from 1.
        text: Its bytes; None where it is longer than is read.
        in_list: Whether several may stand in one line.
    """

    line: int
    number: int
    text: bytes | None
    in_list: bool = False


class LimitedStream(RawIOBase):
    """A stream up to so many bytes, in whole blocks even where it trickles.

    Args:
        source: The stream; it stays open.
        most_bytes: How much of it is read.
        name: What it is called in the message.
    """

    def __init__(self, source: IO[bytes], most_bytes: int, *, name: str) -> None:
        super().__init__()
        self._source = cast("RawIOBase", source)
        self._left = self._most_bytes = most_bytes
        self._name = name

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a block, except at the end.

        Raises:
            InputError: More than the limit has been read.
        """
        block, filled = memoryview(buffer), 0
        while filled < len(block) and (count := self._source.readinto(block[filled:])):
            filled += count
        self._left -= filled
        if self._left < 0:
            raise InputError(
                f"{self._name} holds more than {self._most_bytes:,} bytes; it was not read further.",
                "Save it as a file, or import it with a higher --stream-limit.",
            )
        return filled


def shown_name(path: Path) -> str:
    """What a file is called in messages."""
    return "Standard input" if path == STANDARD_STREAM else str(path)


def file_name(path: Path) -> str:
    """The name of a file without its folder, `stdin` for standard input."""
    return "stdin" if path == STANDARD_STREAM else path.name


def open_raw(path: Path) -> AbstractContextManager[IO[bytes]]:
    """Open a file or standard input without a buffer; closing it leaves standard input open.

    A table (Parquet, CSV, or CSV cut by tabs) gives its rows as JSON Lines.

    Raises:
        InputError: Standard input is closed, or a table is damaged.
    """
    if path.suffix.casefold() in (".parquet", ".csv", ".tsv"):
        return _table_lines(path)
    if path != STANDARD_STREAM:
        return path.open("rb", buffering=0)
    if sys.stdin is None:
        raise InputError("Standard input is closed.", "Name a file.")
    return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)


def _row_line(row: dict[str, Any]) -> bytes:
    """A row of a table as a line; a list or an object that a cell has as JSON text is read."""
    from scoring.formats.fields import parsed  # with pydantic, which the start of the window does without

    read = {
        key: parsed(cell) if isinstance(cell, str) and cell.startswith(("[", "{")) else cell
        for key, cell in row.items()
    }
    return f"{json.dumps(read, default=str)}\n".encode()


@contextmanager
def _table_lines(path: Path) -> Iterator[IO[bytes]]:
    """The rows of a table, one a line, in a file that is gone once it is closed."""
    rows = _parquet_rows(path) if path.suffix.casefold() == ".parquet" else _text_rows(path)
    with TemporaryFile() as lines:
        for row in rows:
            lines.write(_row_line(row))
            if lines.tell() > MAX_STREAM_BYTES:
                raise InputError(
                    f"{path} unpacks to more than {MAX_STREAM_BYTES:,} bytes.",
                    "Split the table, and name the parts.",
                )
        lines.seek(0)
        yield lines


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    from pyarrow import ArrowInvalid, parquet

    with reworded(
        ArrowInvalid,
        into=lambda _: InputError(f"{path} is damaged: it is no whole Parquet table.", "Fetch it again."),
    ):
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=100):
            yield from batch.to_pylist()


def _text_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a CSV table by the names in its first line; an empty cell is none."""
    csv.field_size_limit(MAX_LINE_BYTES)
    delimiter = "\t" if path.suffix.casefold() == ".tsv" else ","
    with path.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.DictReader(text, delimiter=delimiter, strict=True, restkey="")
        begins = 2
        try:
            for row in rows:
                if "" in row:
                    raise csv.Error
                begins = rows.line_num + 1
                yield {name: cell for name, cell in row.items() if cell}
        except UnicodeDecodeError as exc:
            raise InputError(f"{path} is not in UTF-8.", "Save it as UTF-8.") from exc
        except csv.Error as exc:
            raise InputError(
                f"Line {begins} of {path} does not fit the columns that its first line names.",
                "Put a cell with commas, quotes or line breaks in quotes, and a quote twice.",
            ) from exc


@contextmanager
def open_unpacked(path: Path, *, most_bytes: int | None = None) -> Iterator[BufferedReader]:
    """Open a file for reading, unpacked where it is compressed by gzip and without a byte-order mark.

    Args:
        path: The file; `-` is standard input.
        most_bytes: Beyond so many bytes, packed or unpacked, reading fails; None for all there are.

    Raises:
        InputError: It cannot be read, or not to its end.
    """
    name = shown_name(path)

    def limited(stream: IO[bytes]) -> BufferedReader:
        limit = LimitedStream(stream, most_bytes, name=name) if most_bytes is not None else stream
        return BufferedReader(cast("RawIOBase", limit), _HEAD_BYTES)

    try:
        with open_raw(path) as source, limited(source) as raw:
            if raw.peek(2)[:2] != _GZIP:
                yield after_mark(raw)
                return
            with gzip.open(raw) as unpacked:
                yield after_mark(limited(cast("IO[bytes]", unpacked)))
    except IsADirectoryError as exc:
        raise InputError(f"{name} is a folder.", "Name the files in it.") from exc
    except FileNotFoundError as exc:
        raise InputError(f"{name} does not exist.", "Check the name.") from exc
    except _DAMAGED as exc:
        raise InputError(f"{name} is damaged: it cannot be unpacked to its end.", "Pack it again.") from exc
    except OSError as exc:
        raise InputError(f"{name} cannot be read: {exc.strerror or exc}.", "Check its permissions.") from exc


def members(path: Path, *, most_bytes: int | None = None) -> Iterator[tuple[Path, BufferedReader]]:
    """The JSON files in a zip archive, each with its place in it, one after another; else the file itself.

    Of a packed log of Inspect those in `samples` are read.

    Raises:
        InputError: As `open_unpacked`, or the archive is damaged, locked, too large, or holds no JSON.
    """
    if not path.is_file() or not zipfile.is_zipfile(path):
        with open_unpacked(path, most_bytes=most_bytes) as stream:
            yield path, stream
        return
    try:
        with zipfile.ZipFile(path) as archive:
            of_log = any(one.filename.startswith("_journal/") for one in archive.infolist())
            files = [one for one in archive.infolist() if one.filename.endswith((".json", ".jsonl"))]
            listed = [one for one in files if not of_log or one.filename.startswith("samples/")]
            size = sum(one.file_size for one in listed)
            if not files:
                raise InputError(f"{path} is a ZIP archive without JSON files.", "Name the files of cases.")
            if size > MAX_STREAM_BYTES:
                raise InputError(f"{path} unpacks to {size:,} bytes.", "Unpack it, and name the files in it.")
            for one in listed:
                with archive.open(one) as packed:
                    yield (
                        path / one.filename,
                        after_mark(BufferedReader(cast("RawIOBase", packed), _HEAD_BYTES)),
                    )
    except NotImplementedError as exc:
        raise InputError(
            f"{path} is packed by Zstandard, which Python reads from version 3.14 on.",
            f"{install_hint('inspect')}, or unpack it: `inspect log dump` prints a log.",
        ) from exc
    except (*_DAMAGED, RuntimeError) as exc:
        raise InputError(f"{path} is damaged: it cannot be unpacked to its end.", "Pack it again.") from exc


def after_mark(stream: BufferedReader) -> BufferedReader:
    """The stream behind its byte order mark, if it has one."""
    if stream.peek(len(codecs.BOM_UTF8)).startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    return stream


def require_text(stream: BufferedReader, path: Path) -> None:
    """Refuse a stream that does not begin like JSON, or at least like text, and say what it looks like.

    Raises:
        InputError: It is no text, or one that is not in UTF-8.
    """
    head, name = stream.peek(_HEAD_BYTES)[:_HEAD_BYTES], shown_name(path)
    if found := foreign_binary(head):
        raise InputError(f"{name} looks like {found.name}, which is not read.", found.hint)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        raise InputError(f"{name} is in UTF-16 or UTF-32.", "Save it as UTF-8.")
    if b"\0" in head and not head.lstrip().startswith((b"{", b"[")):
        raise InputError(f"{name} is not a text file.", "JSON is read, one object a line, in UTF-8.")


def first_keys(stream: BufferedReader) -> frozenset[str]:
    """The keys of the first object of a stream, as far as its beginning shows them; nothing is read."""
    head, depth, keys = stream.peek(_HEAD_BYTES)[:_HEAD_BYTES].lstrip(_BLANK + b"["), 0, []
    for token in _TOKEN.finditer(head):
        sign = token[0]
        if len(sign) > 1 and depth == 1 and head[token.end() :].lstrip(_BLANK).startswith(b":"):
            keys.append(sign[1:-1].decode(errors="replace"))
        elif len(sign) == 1:
            depth += (sign in b"[{") - (sign in b"]}")
            if depth == 0 or sign == b'"':  # the object, or what is seen of it, ends here
                break
    return frozenset(keys)


def pieces(stream: BufferedReader) -> Iterator[JsonPart]:
    """Cut a stream into its JSON texts, in constant memory; blank lines are skipped and counted."""
    head = stream.peek(_HEAD_BYTES)[:_HEAD_BYTES]
    data = _DATA.match(head)
    if _is_lines(head):
        for number, line in enumerate(lines(stream), start=1):
            if line is None or line.strip():
                yield JsonPart(line=number, number=number, text=line)
        return
    before = b""
    if data:
        before = stream.read(data.end())
    elif head.lstrip().startswith(b"["):
        before = stream.read(len(head) - len(head.lstrip()) + 1)
    for number, (begins, text) in enumerate(_values(stream, before.count(b"\n") + 1), start=1):
        yield JsonPart(line=begins, number=number, text=text, in_list=True)


def _is_lines(head: bytes) -> bool:
    """Whether a file holds one JSON text a line, as far as its beginning shows."""
    first, _, rest = head.strip(_BLANK).partition(b"\n")
    first, rest = first.rstrip(_BLANK), rest.lstrip(_BLANK)
    if first.startswith(b"["):
        return bool(rest) and _is_whole(first)
    if not first.startswith(b"{") or (first.endswith(b"}") and (rest or not _DATA.match(head))):
        return True
    return not (_DATA.match(head) or first.endswith((b"{", b"[")) or rest.startswith(b'"'))


def _is_whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def lines(stream: BufferedReader) -> Iterator[bytes | None]:
    """Cut a stream at its line breaks; a line that is too long is skipped in pieces and given as None."""
    while line := stream.readline(MAX_LINE_BYTES + 2):
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        if len(text) <= MAX_LINE_BYTES:
            yield text
            continue
        del text
        while not line.endswith(b"\n") and (line := stream.readline(_CHUNK_BYTES)):
            pass
        yield None


def _values(stream: BufferedReader, line: int) -> Iterator[tuple[int, bytes | None]]:
    """Cut out objects and lists one after another, up to the end of the list around them.

    What stands between them and is no comma is given, too, so that it is refused with its line.
    """
    buffer, scanned, start, depth, is_long = b"", 0, 0, 0, False
    while chunk := stream.read(_CHUNK_BYTES):
        buffer += chunk
        for token in _TOKEN.finditer(buffer, scanned):
            sign = token[0]
            if sign == b'"':  # the text goes on in the next chunk
                break
            scanned = token.end()
            if len(sign) > 1:
                continue
            if depth == 0:
                between = buffer[start : token.start()]
                found = between.lstrip(_BLANK + b",")
                if found:
                    skipped = between[: len(between) - len(found)].count(b"\n")
                    yield line + skipped, found.rstrip(_BLANK + b",")
                if sign in b"]}":
                    return
                line += between.count(b"\n")
                start = token.start()
            depth += 1 if sign in b"[{" else -1
            if depth == 0:
                text = buffer[start:scanned]
                yield line, None if is_long or len(text) > MAX_LINE_BYTES else text
                line += text.count(b"\n")
                start, is_long = scanned, False
        else:
            scanned = len(buffer)
        if scanned - start > MAX_LINE_BYTES:
            line += buffer.count(b"\n", start, scanned)
            start, is_long = scanned, True
        buffer, scanned, start = buffer[start:], scanned - start, 0
        if len(buffer) - scanned > MAX_LINE_BYTES:  # a text that has no end yet: its beginning is enough
            is_escaped = (len(buffer) - len(buffer.rstrip(b"\\"))) % 2
            buffer, scanned, is_long = b'"' + b"\\" * is_escaped, 0, True
    if buffer.strip(_BLANK + b","):
        yield line, buffer.strip(_BLANK + b",")
