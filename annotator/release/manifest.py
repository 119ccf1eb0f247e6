"""A release folder's own words: the manifest, what it vouches for, and the dataset card."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue, ValidationError

from scoring.errors import InputError
from scoring.measures.residual_error import Quality
from scoring.model.record import JsonObject, Record, sha256_of
from scoring.wording import counted

MANIFEST_FORMAT = "annotator-release"
MANIFEST_VERSION = 1
MANIFEST = "manifest.json"
CARD = "README.md"
CASES = "cases.jsonl"
WILDTOOL = "wildtoolbench.jsonl"


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


class About(Record):
    """Who froze what, when, under which policy, the measures of the process behind it, and known defects."""

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
    def seal_holds(self) -> bool:
        """Whether the checksum fits the rest; a field that an older manifest lacks is no part of it."""
        body = self.model_dump(mode="json", exclude={"manifest_sha256"}, exclude_unset=True)
        return sha256_of(body) == self.manifest_sha256


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


def card_text(
    content: Content,
    about_name: str,
    *,
    statistics: JsonObject,
    by: str,
    at: str,
    kept: Sequence[KeptDefect],
    quality: Quality,
) -> str:
    """The dataset card: what is in the folder, how it was verified, how to use it."""
    lines = [
        f"# {about_name}",
        "",
        f"{counted(content.case_count, 'verified case')} of tool use with "
        f"{counted(content.task_count, 'task')}, "
        f"frozen on {at} by {by}.",
        "",
        "| file | what |",
        "| --- | --- |",
        "| `cases.jsonl` | native cases: dialogue, tools, steps, dependency graphs, labels |",
        "| `wildtoolbench.jsonl` | the same in the WildToolBench case format; own ids under `case_id` |",
        "| `c3bench.jsonl` | the same in the C3-Bench case format |",
        "| `openai.jsonl` | the same as OpenAI chat messages |",
        "| `manifest.json` | checksums, policy, agreement and stage accuracy |",
        "",
        "## What is in it",
        "",
        "| | count |",
        "| --- | ---: |",
        *(f"| {name} | {_shown(value)} |" for name, value in statistics.items()),
        "",
        "## How wrong may it be",
        "",
        quality.headline,
        *quality.details,
        "",
        "The bound rests on random samples that experts looked at, failed rounds included; a case is wrong "
        "if an expert would correct a label, a dependency, an argument or an answer.",
        "",
        "## Use it",
        "",
        "    annotator release verify .",
        "    annotator score . predictions.jsonl -o scores",
        "",
        f"Content hash: `{content.content_sha256}`",
        "",
    ]
    if kept:
        from annotator.review.expert.decisions import defect_words  # whoever only scores needs no reviews

        lines += ["## Known defects, kept on purpose", ""]
        lines += [f"- `{item.case_id}`: {defect_words(item.field)}. {item.reason}" for item in kept]
        lines.append("")
    if content.not_expressed:
        lines += ["## Not in every file", ""]
        lines += [
            f"- `{item.case_id}` is not in `{item.file}`: {item.reason}" for item in content.not_expressed
        ]
        lines.append("")
    return "\n".join(lines)


def _shown(value: JsonValue) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {count}" for key, count in value.items())
    return str(value)
