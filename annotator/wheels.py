"""Packages that the program uses but does not depend on: fetched once as wheels, checked by their digests."""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from db.project_files.unfinished import unfinished
from scoring.errors import InputError, StoreError, reworded


class PinnedWheel(NamedTuple):
    """One version of a package (`name==1.0`) and the SHA-256 of its wheel."""

    requirement: str
    sha256: str


def fetched_wheel(pinned: PinnedWheel, folder: Path, *, wheels: Path | None = None, hint: str) -> Path:
    """Let pip fetch a wheel into a folder: it knows the index, the proxy and the cache of this computer.

    Args:
        pinned: The package.
        folder: Where the wheel goes; it holds nothing else of that package.
        wheels: A folder in which pip looks, for a computer without a network.
        hint: What to do where it cannot be fetched.

    Raises:
        StoreError: pip brings nothing.
    """
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{pinned.requirement} --hash=sha256:{pinned.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--require-hashes", "--only-binary=:all:", "-d", str(folder), "-r", str(wanted)]
    command += ["--no-index", "--find-links", str(wheels)] if wheels else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    name = pinned.requirement.partition("==")[0].replace("-", "_")
    wheel = next(folder.glob(f"{name}-*.whl"), None)
    if done.returncode or wheel is None:
        why = (done.stderr.strip() or "pip gave no reason").splitlines()[-1]
        raise StoreError(f"{pinned.requirement} cannot be fetched: {why}", hint)
    return wheel


def install_wheels(*wanted: PinnedWheel, into: Path, wheels: Path | None = None, hint: str) -> None:
    """Unpack packages into a folder of their own; what stood there is replaced at the end.

    Raises:
        StoreError: A package cannot be fetched, or the folder cannot be written.
    """
    with (
        reworded(OSError, into=lambda exc: StoreError(f"{into} cannot be written: {exc.strerror}.", hint)),
        TemporaryDirectory() as scratch,
    ):
        into.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(into) as made:
            for pinned in wanted:
                wheel = fetched_wheel(pinned, Path(scratch), wheels=wheels, hint=hint)
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(made)
            shutil.rmtree(into, ignore_errors=True)
            made.rename(into)


def check_digest(path: Path, expected: str) -> None:
    """Refuse a file that is not the one that is meant.

    Raises:
        InputError: It is another one, or cannot be read.
    """
    with (
        reworded(
            OSError,
            into=lambda exc: InputError(f"{path} cannot be read: {exc.strerror or exc}.", "Check the name."),
        ),
        path.open("rb") as stream,
    ):
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != expected:
        raise InputError(
            f"{path} is not the file that is pinned: its SHA-256 is {digest}.", f"Expected is {expected}."
        )
