"""Files the program reads and writes for people, standard streams among them."""

import csv
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO

import platformdirs

from db.project_files.unfinished import try_lock, unfinished
from scoring.errors import AnnotatorError, ConflictError, InputError, StoreError, reworded
from scoring.formats.containers import (
    MAX_STREAM_BYTES,
    STANDARD_STREAM,
    LimitedStream,
    file_name,
    open_raw,
    shown_name,
)


def settings_path() -> Path:
    """Where this person's settings lie, by the rules of the operating system."""
    return platformdirs.user_config_path("annotator", appauthor=False) / "settings.json"


def log_path() -> Path:
    """Where what goes wrong in the window is written."""
    return platformdirs.user_log_path("annotator", appauthor=False) / "annotator.log"


@contextmanager
def replaced_file(target: Path) -> Iterator[IO[bytes]]:
    """Write a file; nothing arrives before the end, and on any failure the target is untouched.

    A regular file is replaced in one step, or is new; what a killed program left beside it is removed.
    Whatever else has the name is written into and stays what it is: a link leads to the file that is
    replaced, a pipe or device gets the bytes.

    Args:
        target: The file; `-` is standard output.

    Raises:
        StoreError: The folder is missing or read-only, the disk is full, or standard output is closed.
    """
    with reworded(OSError, into=partial(_not_written, target)):
        if is_stream(target):
            with tempfile.TemporaryFile() as scratch:
                yield scratch
                scratch.seek(0)
                with opened_stream(target) as stream:
                    shutil.copyfileobj(scratch, stream)
            return
        place = target.resolve() if target.is_symlink() else target
        place.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(place) as work:
            with work.open("xb") as file:
                if place.exists():
                    shutil.copymode(place, work)
                yield file
                file.flush()
                os.fsync(file.fileno())
            work.replace(place)


def is_stream(path: Path) -> bool:
    """Whether a path is a standard stream, a pipe or a device: neither a file, a folder nor free."""
    return path == STANDARD_STREAM or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def opened_stream(target: Path) -> Iterator[IO[bytes]]:
    """Open a stream to write into it.

    Raises:
        StoreError: It cannot be written, or standard output is closed.
    """
    with reworded(OSError, into=partial(_not_written, target)):
        if target != STANDARD_STREAM:
            with target.open("wb") as stream:
                yield stream
        elif sys.stdout is None:
            raise StoreError("Standard output is closed.", "Leave it open, or name a file.")
        else:
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()


def _not_written(target: Path, exc: OSError) -> StoreError:
    return StoreError(
        f"{target} cannot be written: {exc.strerror or exc}.", "Free some space or choose another place."
    )


@contextmanager
def appending(out: Path) -> Iterator[Callable[[str], None]]:
    """Append lines, each on the disk before the next; a line torn by a kill is cut off first.

    Raises:
        ConflictError: Another program is appending to it.
        StoreError: It cannot be written.
    """
    with reworded(OSError, into=partial(_not_written, out)):
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("a+b") as stream:
            if try_lock(stream) is False:
                raise ConflictError(
                    f"Another run is writing {out}.", "Wait for it or stop it, or name another file with -o."
                )
            stream.seek(0)
            stream.truncate(stream.read().rfind(b"\n") + 1)
            yield lambda line: append_line(stream, line)


def append_line(stream: IO[bytes], line: str) -> None:
    """Write a line and wait until it is on the disk, where the stream leads to one."""
    stream.write(f"{line}\n".encode())
    stream.flush()
    if stream.seekable():
        os.fsync(stream.fileno())


def read_bytes(path: Path, *, hint: str = "Check the path.") -> bytes:
    """The bytes of a file.

    Raises:
        InputError: It cannot be read; the hint says what to do.
    """
    with reworded(
        OSError, into=lambda exc: InputError(f"{path} cannot be read: {exc.strerror or exc}.", hint)
    ):
        return path.read_bytes()


def decoded(content: bytes, path: Path) -> str:
    """The text of a file in UTF-8, with or without a mark of its order, with ends of lines as they are here.

    Raises:
        InputError: It is another encoding, or no text.
    """
    with reworded(
        UnicodeDecodeError,
        into=lambda _: InputError(f"{path} is not a text file in UTF-8.", "Save it as UTF-8."),
    ):
        return content.decode("utf-8-sig").replace("\r\n", "\n")


def read_text(path: Path, *, most_bytes: int = MAX_STREAM_BYTES) -> str:
    """The text of a file in UTF-8.

    Raises:
        InputError: It cannot be read, is longer than so many bytes, or no such text.
    """
    content = read_bytes(path)
    if len(content) > most_bytes:
        raise InputError(f"{path} is longer than {most_bytes // 2**20} MB.", "Split it into smaller files.")
    return decoded(content, path)


def replace_text(target: Path, text: str) -> None:
    """Write a text file in UTF-8 as `replaced_file` does."""
    replace_bytes(target, text.encode("utf-8"))


def replace_bytes(target: Path, data: bytes) -> None:
    """Write a whole file as `replaced_file` does."""
    with replaced_file(target) as stream:
        stream.write(data)


@contextmanager
def readable_files(*paths: Path, most_bytes: int = MAX_STREAM_BYTES) -> Iterator[tuple[Path, ...]]:
    """Give files that can be read more than once: what comes through a stream is copied for the time being.

    What a killed program left of such copies is removed by the next that makes one.

    Args:
        *paths: Files and folders, given back as they are, pipes, and `-` for standard input.
        most_bytes: How much is read of a stream.

    Raises:
        InputError: Standard input is closed, or a stream is longer than is read.
        StoreError: There is no room for the copy.
    """
    copies: dict[Path, Path] = {}
    with ExitStack() as stack:
        for path in paths:
            if is_stream(path) and path not in copies:
                folder = stack.enter_context(unfinished(Path(tempfile.gettempdir(), "annotator-stream")))
                folder.mkdir(mode=0o700)
                copies[path] = folder / file_name(path)
                _copy_stream(path, copies[path], most_bytes=most_bytes)
        try:
            yield tuple(copies.get(path, path) for path in paths)
        except AnnotatorError as exc:
            for path, copy in copies.items():
                exc.message = exc.message.replace(str(copy), shown_name(path))
            raise


def _copy_stream(path: Path, copy: Path, *, most_bytes: int) -> None:
    with (
        reworded(
            OSError,
            into=lambda exc: StoreError(f"{path} cannot be read: {exc.strerror or exc}.", "Name a file."),
        ),
        copy.open("wb") as file,
        open_raw(path) as stream,
    ):
        shutil.copyfileobj(LimitedStream(stream, most_bytes, name=shown_name(path)), file)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "" if value is None else value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
