"""Looking at release folders: whether every byte is as it was frozen, and how two releases differ."""

from collections.abc import Iterator
from pathlib import Path

from annotator.project.workspace import Workspace
from annotator.release.card import card_problem
from annotator.release.errata import ERRATA, read_errata
from annotator.release.freeze import DATA_FILES, as_released, list_releases
from annotator.release.manifest import (
    CARD,
    CASES,
    MANIFEST,
    SEAL,
    Manifest,
    file_entry,
    names_in,
    read_manifest,
)
from scoring.errors import InputError
from scoring.formats.case_reader import Rejected, read_cases
from scoring.groups import keyed
from scoring.model.case import content_sha256
from scoring.model.record import Record
from scoring.model.taxonomy import CaseFormat
from scoring.scorecard import joined_sha256
from scoring.wording import counted


class VerifyReport(Record):
    """Whether a release folder is as it was frozen; `problems` are sentences that name the file.

    `errata` are the cases that `errata.json` says were corrected or rejected since.
    """

    directory: str
    name: str
    content_sha256: str
    case_count: int
    problems: tuple[str, ...]
    errata: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


class ReleaseDiff(Record):
    """How the second release differs from the first, by case id."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    same: int


def verify_release(directory: Path, *, recorded_in: Workspace | None = None) -> VerifyReport:
    """Check every byte of a release folder against its manifest, and the manifest against itself.

    The folder may be a repository of git, and the licence in its card is the owner's: neither is checked.

    Args:
        directory: The release folder.
        recorded_in: The project whose record of the release the manifest has to fit, too; a folder alone
            cannot tell that somebody made all of it anew.

    Raises:
        InputError: It is not a release folder.
    """
    manifest = read_manifest(directory)
    # What a link names may change at any time, and is not copied with the folder.
    present = names_in(directory)
    links = {name for name in present if (directory / name).is_symlink()}
    problems = [f"{name} is a symbolic link, which a release has none of." for name in sorted(links)]
    if (directory / MANIFEST).read_bytes() != manifest.to_bytes() or not manifest.seal_holds:
        problems.append(f"{MANIFEST} was changed: its own checksum does not fit.")
    seal = {SEAL} if manifest.about.hub_files else set()
    if set(manifest.content.files) != set(DATA_FILES):
        problems.append(f"{MANIFEST} does not name the files of a release.")
    for name, entry in manifest.files.items():
        path = directory / name
        if not path.is_file():
            problems.append(f"{name} is missing.")
        elif name == CARD:
            problems += filter(None, [card_problem(path, manifest.about)])
        elif file_entry(path) != entry:
            problems.append(f"{name} was changed: its checksum does not fit.")
    if seal and not ((directory / SEAL).is_file() and (directory / SEAL).read_bytes() == manifest.seal_line):
        problems.append(f"{SEAL} is missing or not the checksum of {MANIFEST}.")
    unknown = sorted(present - {MANIFEST, ERRATA, *seal, *manifest.files, *links})
    problems += [f"{name} does not belong to the release." for name in unknown]
    if not problems:
        problems += _check_cases(directory, manifest)
    if recorded_in is not None:
        problems += _check_record(recorded_in, manifest)
    corrected, doubts = _check_errata(directory, manifest) if ERRATA not in links else ((), [])
    problems += doubts
    return VerifyReport(
        errata=corrected,
        directory=str(directory),
        name=manifest.about.name,
        content_sha256=manifest.content.content_sha256,
        case_count=manifest.content.case_count,
        problems=tuple(problems),
    )


def _check_record(workspace: Workspace, manifest: Manifest) -> list[str]:
    name, place = manifest.about.name, workspace.shown_place
    row = next((row for row in list_releases(workspace) if row.name == name), None)
    if row is None:
        return [f"{place} has recorded no release '{name}'."]
    recorded = Manifest.model_validate_json(row.manifest)
    if row.content_sha256 != manifest.content.content_sha256:
        return [f"{place} recorded other cases for {name}: content hash {row.content_sha256}."]
    if recorded.manifest_sha256 != manifest.manifest_sha256:
        return [f"{MANIFEST} is not the one that {place} recorded for {name}."]
    return []


def _check_cases(directory: Path, manifest: Manifest) -> list[str]:
    hashes = case_hashes(directory)
    if joined_sha256(hashes.values()) != manifest.content.content_sha256:
        return [f"{CASES} does not hold the cases whose content hash the manifest states."]
    if len(hashes) != manifest.content.case_count:
        return [
            f"{CASES} holds {counted(len(hashes), 'case')}, the manifest says {manifest.content.case_count}."
        ]
    return []


def _check_errata(directory: Path, manifest: Manifest) -> tuple[tuple[str, ...], list[str]]:
    """The cases that errata name, and what is wrong with the errata themselves."""
    try:
        errata = read_errata(directory)
        if errata is None:
            return (), []
        hashes = case_hashes(directory)
    except (InputError, OSError) as exc:
        return (), [f"{ERRATA} cannot be checked: {exc}"]
    problems = []
    if errata.errata_sha256 != errata.seal:
        problems.append(f"{ERRATA} was changed: its own checksum does not fit.")
    if errata.content_sha256 != manifest.content.content_sha256:
        problems.append(f"{ERRATA} belongs to another release, {errata.release}.")
    problems += [
        f"{ERRATA} names {item.case_id}, which is not in the release."
        for item in errata.errata
        if item.case_id not in hashes
    ]
    return tuple(item.case_id for item in errata.errata if item.case_id in hashes), problems


@keyed
def case_hashes(directory: Path) -> Iterator[tuple[str, str]]:
    """Case id -> content hash of the cases of a release folder.

    Raises:
        InputError: A line cannot be read.
    """
    for item in read_cases(directory / CASES, format=CaseFormat.NATIVE):
        if isinstance(item, Rejected):
            raise InputError(f"{directory / CASES}, line {item.line}: {item.reason}", "Verify the folder.")
        case = as_released(item.case)
        yield case.id, content_sha256(case)


def diff_releases(first: Path, second: Path) -> ReleaseDiff:
    """Compare two release folders case by case.

    Raises:
        InputError: One of them is not a release folder or cannot be read.
    """
    for directory in (first, second):
        read_manifest(directory)
    before, after = case_hashes(first), case_hashes(second)
    shared = set(before) & set(after)
    changed = sorted(case_id for case_id in shared if before[case_id] != after[case_id])
    return ReleaseDiff(
        added=tuple(sorted(set(after) - set(before))),
        removed=tuple(sorted(set(before) - set(after))),
        changed=tuple(changed),
        same=len(shared) - len(changed),
    )
