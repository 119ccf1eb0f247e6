"""Files and folders under construction beside their final name, and what killed programs left of them."""

import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SIDE_FILES = ("-journal", "-wal", "-shm")
_NAME = re.compile(r"\.(?P<target>.+)\.(?P<token>[0-9a-f]{8})\.(tmp|lock)")


@dataclass(frozen=True)
class Abandoned:
    """What a program that is gone was building: the place it was to get, its scratch name, and a note."""

    target: Path
    work: Path
    note: str

    @property
    def lock(self) -> Path:
        """The file that its builder kept locked."""
        return self.work.with_suffix(".lock")

    def remove(self) -> None:
        """Remove what is left; what has got its final name stays."""
        _remove(self.work)
        self.lock.unlink(missing_ok=True)


@contextmanager
def unfinished(target: Path, *, note: str = "") -> Iterator[Path]:
    """Give a name beside `target` for what is under construction, and remove what is left there at the end.

    What killed programs left for the same target is removed first. The name is vouched for by a locked file,
    since the system lets go of a lock when its program dies, however it dies.

    Args:
        target: The final place of the file or folder.
        note: What whoever finds it must know.
    """
    for left in abandoned(target):
        left.remove()
    work, stream = _begin(target)
    with stream:
        stream.write(note.encode())
        stream.flush()
        try:
            yield work
        finally:
            _remove(work)
            if os.name == "posix":  # before another program can lock it; Windows removes no open file
                work.with_suffix(".lock").unlink(missing_ok=True)
    work.with_suffix(".lock").unlink(missing_ok=True)


def abandoned(target: Path) -> tuple[Abandoned, ...]:
    """What killed programs left under construction for one place."""
    return tuple(left for left in abandoned_in(target.parent) if left.target == target)


def abandoned_in(folder: Path) -> tuple[Abandoned, ...]:
    """What killed programs left under construction in a folder; empty where it cannot be read."""
    works: dict[Path, Path] = {}
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            found = _NAME.fullmatch(path.name)
            if found is not None:
                works[path.with_suffix(".tmp")] = path.with_name(found["target"])
    notes = ((target, work, _note_of(work.with_suffix(".lock"))) for work, target in works.items())
    return tuple(Abandoned(target, work, note) for target, work, note in notes if note is not None)


def try_lock(stream: IO[bytes]) -> bool | None:
    """Keep others from locking a file until it is closed; the system lets go when the process dies.

    Returns:
        Whether it was free; None on a file system without locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            # A byte far beyond the end: Windows would refuse readers the bytes they read.
            stream.seek(2**40)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True


def _begin(target: Path) -> tuple[Path, IO[bytes]]:
    while True:
        work = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        lock = work.with_suffix(".lock")
        stream = lock.open("xb+")
        try_lock(stream)
        if lock.exists():
            return work, stream
        stream.close()  # taken for abandoned in the moment before it was locked


def _note_of(lock: Path) -> str | None:
    """What the builder noted; None while it is alive, or where nobody can tell."""
    try:
        with lock.open("rb+") as stream:
            if not try_lock(stream):
                return None
            stream.seek(0)
            return stream.read().decode(errors="replace")
    except FileNotFoundError:
        return ""  # the lock is what a builder removes last
    except OSError:
        return None


def _remove(work: Path) -> None:
    if work.is_dir():
        shutil.rmtree(work, ignore_errors=True)
        return
    for suffix in ("", *SIDE_FILES):
        work.with_name(work.name + suffix).unlink(missing_ok=True)
