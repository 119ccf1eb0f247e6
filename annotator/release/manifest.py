"""A release folder's own words: the manifest, and what it vouches for."""

import hashlib
import json
from pathlib import Path

from pydantic import Field, ValidationError

from scoring.errors import InputError
from scoring.measures.residual_error import Quality
from scoring.model.record import JsonObject, Record, sha256_of

MANIFEST_FORMAT = "annotator-release"
MANIFEST_VERSION = 1
FIRST_VERSION = "1.0.0"
MANIFEST = "manifest.json"
CARD = "README.md"
CASES = "cases.jsonl"
WILDTOOL = "wildtoolbench.jsonl"
CROISSANT = "croissant.json"
SEAL = "manifest.sha256"
"""The checksum of the manifest, and with it of everything, as `sha256sum -c` reads it."""
ROWS = "data"
"""The folder of the tables."""
KEPT_BY_GIT = frozenset({".git", ".gitattributes", ".gitignore"})
"""What a repository puts beside the files of a release; nothing of it is read."""


class FileEntry(Record):
    """One file of a release: its size in bytes and SHA-256."""

    bytes: int
    sha256: str


def file_entry(path: Path) -> FileEntry:
    """Size and checksum of a file."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    return FileEntry(bytes=path.stat().st_size, sha256=digest.hexdigest())


class NotExpressed(Record):
    """A case that one of the foreign formats cannot express, and why."""

    file: str
    case_id: str
    reason: str


class KeptDefect(Record):
    """A field that an expert knows to be wrong in a case and keeps so on purpose, with the reason."""

    case_id: str
    field: str
    reason: str


class Content(Record):
    """What depends on nothing but the cases and the format version: same cases, same bytes."""

    version: int
    content_sha256: str
    case_count: int
    task_count: int
    files: dict[str, FileEntry]
    not_expressed: tuple[NotExpressed, ...]


class Predecessor(Record):
    """The release before this one in its project, and by case id what became of its cases since.

    `errata` are the reasons of those that were corrected or rejected, where one was given.
    """

    name: str
    version: str | None
    content_sha256: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    errata: dict[str, str]

    @property
    def next_version(self) -> str:
        """What follows: major where cases are gone, minor where some are new, patch where some changed."""
        major, minor, patch = map(int, (self.version or FIRST_VERSION).split("."))
        if self.removed:
            return f"{major + 1}.0.0"
        if self.added:
            return f"{major}.{minor + 1}.0"
        return f"{major}.{minor}.{patch + bool(self.changed)}"


class About(Record):
    """Who froze what, when, under which policy, the measures of the process behind it, and known defects.

    `card` is the card without a licence, `front_matter_sha256` the hash of its first part. `hub_files`
    are the tables and their description; both are absent where an older program froze.
    """

    name: str
    at: str
    by: str
    project: str
    policy: JsonObject
    statistics: JsonObject
    agreement: tuple[JsonObject, ...]
    stage_accuracy: tuple[JsonObject, ...]
    card: FileEntry
    kept: tuple[KeptDefect, ...] = ()
    quality: Quality | None = None
    hub_files: dict[str, FileEntry] = Field(default_factory=dict)
    front_matter_sha256: str | None = None
    version: str | None = None
    previous: Predecessor | None = None


class Manifest(Record):
    """The manifest of a release; `manifest_sha256` covers everything else in it."""

    format: str
    content: Content
    about: About
    manifest_sha256: str

    @staticmethod
    def seal(content: Content, about: About) -> "Manifest":
        """Put both blocks together under one checksum."""
        body = {
            "format": MANIFEST_FORMAT,
            "content": content.model_dump(mode="json", exclude_unset=True),
            "about": about.model_dump(mode="json", exclude_unset=True),
        }
        return Manifest(format=MANIFEST_FORMAT, content=content, about=about, manifest_sha256=sha256_of(body))

    def to_bytes(self) -> bytes:
        """The very bytes of `manifest.json`."""
        text = json.dumps(self.model_dump(mode="json", exclude_unset=True), ensure_ascii=False, indent=1)
        return (text + "\n").encode("utf-8")

    @property
    def files(self) -> dict[str, FileEntry]:
        """Every file whose checksum the manifest knows, by its path in the folder."""
        return {**self.content.files, **self.about.hub_files, CARD: self.about.card}

    @property
    def seal_line(self) -> bytes:
        """The very bytes of `manifest.sha256`."""
        return f"{hashlib.sha256(self.to_bytes()).hexdigest()}  {MANIFEST}\n".encode()

    @property
    def seal_holds(self) -> bool:
        """Whether the checksum fits the rest; a field that an older manifest lacks is no part of it."""
        return self.manifest_sha256 == sha256_of(
            self.model_dump(mode="json", exclude={"manifest_sha256"}, exclude_unset=True)
        )


def read_manifest(directory: Path) -> Manifest:
    """Read the manifest of a release folder.

    Raises:
        InputError: The folder holds none, or one that cannot be read.
    """
    path = directory / MANIFEST
    try:
        manifest = Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError as exc:
        raise InputError(f"{directory} is not a release folder: {MANIFEST} is missing.", "Name one.") from exc
    except (OSError, ValidationError) as exc:
        raise InputError(
            f"{path} cannot be read as a manifest.", "Restore the folder from a good copy."
        ) from exc
    if manifest.format != MANIFEST_FORMAT or manifest.content.version > MANIFEST_VERSION:
        raise InputError(f"{path} was written by a newer version of Annotator.", "Upgrade Annotator.")
    return manifest


def names_in(directory: Path) -> frozenset[str]:
    """What lies in a release folder, by path: those of `data` singly, any other folder as a whole."""
    present = [path for path in directory.iterdir() if path.name not in KEPT_BY_GIT]
    rows = [path for path in present if path.name == ROWS and path.is_dir() and not path.is_symlink()]
    inner = [path for folder in rows for path in folder.iterdir()]
    return frozenset(
        path.relative_to(directory).as_posix() for path in [*present, *inner] if path not in rows
    )
