"""Work kept on this computer while the store cannot be reached: a small file for each case and window."""

import json
import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import platformdirs
from pydantic import ValidationError

from annotator.drafts.draft_body import DraftBody
from db.project_files.files import sync_folder
from scoring.errors import StoreError
from scoring.model.case import Case
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Stage

_VERSION = 1
_WINDOW, _TURN = "window", "turn"
_ASIDE, _HALF = ".set-aside-", ".tmp"
_UNREADABLE = (OSError, ValueError, ValidationError, KeyError, AttributeError, TypeError, RecursionError)
_LONGEST_WRITE_SECONDS = 60.0


class WorkKey(Record):
    """Whose work on what: the same person's next slot on a case at the same stage goes on with it."""

    project: str
    person: str
    case_id: str
    stage: Stage
    round: int


class JournalEntry(Record):
    """Work as it was kept; `at` is when it was written, in UTC.

    `basis` is the number of the store's draft the work goes on from, `base` the case it began with; None
    in files of earlier versions.
    """

    key: WorkKey
    at: datetime
    body: DraftBody
    basis: int | None = None
    base: Case | None = None


@dataclass(frozen=True)
class SetAside:
    """A file with work that was set aside; `kept` is None where it cannot be read."""

    path: Path
    kept: JournalEntry | None


def journal_folder() -> Path:
    """Where this person's journal lies, by the rules of the operating system."""
    return platformdirs.user_state_path("annotator", appauthor=False) / "drafts"


def window_of(body: DraftBody) -> str:
    """Which window wrote a draft; empty where it does not say."""
    return str(body.cursor.get(_WINDOW, ""))


def is_later(body: DraftBody, other: DraftBody) -> bool | None:
    """Whether a draft was written after another of the same window; None where they are of two windows."""
    if not window_of(body) or window_of(body) != window_of(other):
        return None
    turn, former = body.cursor.get(_TURN), other.cursor.get(_TURN)
    return isinstance(turn, int) and isinstance(former, int) and turn > former


class Journal:
    """The kept work of one person on one computer, as one window sees it.

    Each window writes files of its own, so that two windows on one case do not overwrite each other.

    Args:
        folder: Where the files lie; made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.window = secrets.token_hex(4)
        """What this window signs drafts with."""
        self._turn = 0
        self.damaged: Path | None = None
        """Where the last look found something that cannot be read: the place it was moved to."""

    def signed(self, body: DraftBody) -> DraftBody:
        """A draft that says which window wrote it, and after which others of that window."""
        self._turn += 1
        return body.model_copy(update={"cursor": body.cursor | {_WINDOW: self.window, _TURN: self._turn}})

    def keep(self, kept: JournalEntry) -> None:
        """Write work so that it is there after a power cut; it replaces what this window kept before.

        Raises:
            StoreError: The folder cannot be written.
        """
        self._write(kept, self._path(kept.key))

    def find(self, key: WorkKey) -> JournalEntry | None:
        """What is kept: the newest of all windows, which becomes this window's; None where nothing is.

        What is older, and what cannot be read, is set aside.
        """
        self.damaged = None
        found = [
            (kept, path)
            for path in self._paths(key)
            if (kept := self._read(path)) is not None and kept.key == key
        ]
        if not found:
            return None
        newest, place = max(found, key=lambda pair: pair[0].at)
        for _, path in found:
            if path != place:
                _move_aside(path)
        with suppress(OSError):
            place.replace(self._path(key))
        return newest

    def drop(self, key: WorkKey) -> None:
        """Forget what this window kept, since the store has it."""
        with suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def set_aside(self, key: WorkKey) -> None:
        """Move what this window kept out of the way without losing it."""
        _move_aside(self._path(key))

    def lay_aside(self, kept: JournalEntry) -> Path:
        """Write work beside what is kept, e.g. what another window saved; returns where.

        Raises:
            StoreError: The folder cannot be written.
        """
        path = _aside(self._path(kept.key))
        self._write(kept, path)
        return path

    def laid_aside(self, key: WorkKey) -> tuple[SetAside, ...]:
        """What was set aside of some work by any window, what was written last first; all of it stays."""
        found = []
        for path in self._folder.glob(f"{_name(key)}.*{_ASIDE}*"):
            if path.suffix == _HALF:
                continue
            try:
                kept = _kept_in(path)
            except FileNotFoundError:
                continue
            except _UNREADABLE:
                kept = None
            if kept is None or kept.key == key:
                found.append(SetAside(path, kept))
        return tuple(sorted(found, key=_written_at, reverse=True))

    def _read(self, path: Path) -> JournalEntry | None:
        try:
            return _kept_in(path)
        except FileNotFoundError:
            return None
        except _UNREADABLE:
            self.damaged = _move_aside(path)
            return None

    def _write(self, kept: JournalEntry, path: Path) -> None:
        work = path.with_name(f"{path.name}.{secrets.token_hex(4)}{_HALF}")
        text = json.dumps({"version": _VERSION, **kept.model_dump(mode="json", by_alias=True)})
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with work.open("w", encoding="ascii") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            work.replace(path)
            sync_folder(self._folder)
        except OSError as exc:
            with suppress(OSError):
                work.unlink(missing_ok=True)
            raise StoreError(
                f"Your work cannot be kept in {self._folder}: {exc.strerror}.",
                "Free some space or make it writable.",
            ) from exc

    def _path(self, key: WorkKey) -> Path:
        return self._folder / f"{_name(key)}.{self.window}.json"

    def _paths(self, key: WorkKey) -> list[Path]:
        """What every window kept; what a window that was killed had half written is removed."""
        name, now = _name(key), time.time()
        for path in self._folder.glob(f"{name}*{_HALF}"):
            with suppress(OSError):
                if now - path.stat().st_mtime > _LONGEST_WRITE_SECONDS:
                    path.unlink()
        return sorted(self._folder.glob(f"{name}*.json"))


def _name(key: WorkKey) -> str:
    return sha256_of(key.model_dump(mode="json"))[:32]


def _kept_in(path: Path) -> JournalEntry | None:
    """Read a file; None for one of another version of the program."""
    body = json.loads(path.read_text(encoding="ascii"))
    return JournalEntry.model_validate(body) if body.pop("version") == _VERSION else None


def _written_at(found: SetAside) -> datetime:
    return written_at(found.kept.body, found.kept.at) if found.kept else datetime.min.replace(tzinfo=UTC)


def written_at(body: DraftBody, otherwise: datetime) -> datetime:
    """When a draft was written, by a clock that may have been set back since."""
    at = moment_of(body)
    return at if at is not None and at.tzinfo is not None else otherwise


def moment_of(body: DraftBody) -> datetime | None:
    """When a draft says it was written; None where it says nothing that can be read."""
    found = body.cursor.get("at")
    try:
        return datetime.fromisoformat(found) if isinstance(found, str) else None
    except ValueError:
        return None


def _aside(path: Path) -> Path:
    return path.with_suffix(f"{_ASIDE}{secrets.token_hex(4)}")


def _move_aside(path: Path) -> Path | None:
    place = _aside(path)
    try:
        path.rename(place)
    except OSError:
        return None
    return place
