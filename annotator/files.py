"""Files the program writes for people: where their settings lie, and how files appear whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import platformdirs

from scoring.errors import StoreError


def settings_path() -> Path:
    """Where this person's settings lie, by the rules of the operating system."""
    return platformdirs.user_config_path("annotator", appauthor=False) / "settings.json"


@contextmanager
def replaced_file(target: Path) -> Iterator[IO[bytes]]:
    """Write a file beside its target and put it in place at the end; on any failure the target is untouched.

    Raises:
        StoreError: The folder is missing or read-only, or the disk is full.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
        scratch = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            scratch.chmod(0o644)
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as exc:
        raise StoreError(
            f"{target} cannot be written: {exc.strerror or exc}.", "Free some space or choose another place."
        ) from exc


def replace_text(target: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replaced_file(target) as stream:
        stream.write(text.encode("utf-8"))
