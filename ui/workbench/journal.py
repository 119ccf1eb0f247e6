"""Work kept on this computer while the store cannot be reached, one small file for an assignment."""

import json
import os
import secrets
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import platformdirs
from pydantic import ValidationError

from annotator.review.drafts import DraftBody
from scoring.errors import StoreError
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Stage

_VERSION = 1


class WorkKey(Record):
    """Whose work on what: the same person's next slot on a case at the same stage goes on with it."""

    project: str
    person: str
    case_id: str
    stage: Stage
    round: int


class Kept(Record):
    """Work as it was kept; `at` is when it was written, in UTC."""

    key: WorkKey
    at: datetime
    body: DraftBody


def journal_folder() -> Path:
    """Where this person's journal lies, by the rules of the operating system."""
    return platformdirs.user_state_path("annotator", appauthor=False) / "drafts"


class Journal:
    """The kept work of one person on one computer.

    Args:
        folder: Where the files lie; made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, kept: Kept) -> None:
        """Write work so that it is there after a power cut; it replaces what was kept before.

        Raises:
            StoreError: The folder cannot be written.
        """
        path = self._path(kept.key)
        work = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
        text = json.dumps({"version": _VERSION, **kept.model_dump(mode="json", by_alias=True)})
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with work.open("w", encoding="ascii") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            work.replace(path)
            _sync_folder(self._folder)
        except OSError as exc:
            with suppress(OSError):
                work.unlink(missing_ok=True)
            raise StoreError(
                f"Your work cannot be kept in {self._folder}: {exc.strerror}.",
                "Free some space or make it writable.",
            ) from exc

    def find(self, key: WorkKey) -> Kept | None:
        """What is kept; null where nothing is, or where it cannot be read and was set aside."""
        path = self._path(key)
        try:
            body = json.loads(path.read_text(encoding="ascii"))
            if body.pop("version") != _VERSION:
                return None
            kept = Kept.model_validate(body)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, ValidationError, KeyError, AttributeError, TypeError, RecursionError):
            self.set_aside(key)
            return None
        return kept if kept.key == key else None

    def drop(self, key: WorkKey) -> None:
        """Forget what is kept, since the store has it."""
        with suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def set_aside(self, key: WorkKey) -> None:
        """Move what is kept out of the way without losing it."""
        path = self._path(key)
        with suppress(OSError):
            path.rename(path.with_suffix(f".set-aside-{secrets.token_hex(4)}"))

    def _path(self, key: WorkKey) -> Path:
        return self._folder / f"{sha256_of(key.model_dump(mode='json'))[:32]}.json"


def _sync_folder(folder: Path) -> None:
    # Only POSIX systems let a folder be opened; elsewhere the rename itself is durable.
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
