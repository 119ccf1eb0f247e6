"""Errata: what became known of a release's cases after it was frozen, in a file beside those that stay."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from annotator.files import replace_text
from annotator.project.lookups import release_named
from annotator.project.workspace import Workspace, query
from annotator.release.manifest import Manifest, Predecessor, read_manifest
from annotator.review.escalation import EscalationReason, last_escalation
from db.read import releases, reviews
from db.read.rows import ReleaseRow
from db.tables import Transaction
from scoring.errors import InputError, reworded
from scoring.groups import keyed
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Stage
from scoring.wording import counted

ERRATA = "errata.json"
ERRATA_FORMAT = "annotator-errata"


class Erratum(Record):
    """A released case that was corrected or rejected since.

    `released_sha256` is its content hash in the release, `sha256` that of the correction, None where the case
    was rejected. `models` nominated it, where runs questioned its gold.
    """

    case_id: str
    released_sha256: str
    sha256: str | None
    at: str
    reason: str
    models: tuple[str, ...] = ()


class Errata(Record):
    """The errata of one release, named by its content hash; `errata_sha256` covers everything else."""

    format: str
    release: str
    content_sha256: str
    errata: tuple[Erratum, ...]
    errata_sha256: str

    @property
    def headline(self) -> str:
        """What they say, in one sentence."""
        if not self.errata:
            return f"No case of {self.release} was corrected or rejected since it was frozen."
        return f"{counted(len(self.errata), 'erratum', 'errata')} of {self.release} written."

    @property
    def seal(self) -> str:
        """What `errata_sha256` must be."""
        return sha256_of(self.model_dump(mode="json", exclude={"errata_sha256"}))


def errata_of(workspace: Workspace, release: str) -> Errata:
    """The errata of a release as they are known now: by case id, none for cases still under review.

    Raises:
        NotFoundError: There is no release of this name.
    """

    return workspace.read(lambda tx: _errata(tx, release_named(tx, release)))


def predecessor(tx: Transaction, after: Mapping[str, str]) -> Predecessor | None:
    """The newest release of the project, compared with the next one; None where there is none.

    Args:
        tx: The open transaction.
        after: The content hashes of the next release by case id.
    """
    row = next(iter(reviews.list_releases(tx)), None)
    if row is None:
        return None
    before = releases.released_hashes(tx, row.name)
    return Predecessor(
        name=row.name,
        version=Manifest.model_validate_json(row.manifest).about.version,
        content_sha256=row.content_sha256,
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(sorted(one for one in before.keys() & after.keys() if before[one] != after[one])),
        errata={one.case_id: one.reason for one in _errata(tx, row).errata if one.reason},
    )


@query
@keyed
def unwritten_errata(workspace: Workspace, tx: Transaction) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Cases whose errata the folders of the releases do not say yet, or not as they are now.

    Returns:
        The ids of cases by the name of the release, newest first; a release whose folder says all of them
        is absent. A folder that is not on this computer, or has errata that cannot be read, says none.
    """
    for row in reviews.list_releases(tx):
        differing = set(_errata(tx, row).errata) ^ _written(row)
        if differing:
            yield row.name, tuple(sorted({one.case_id for one in differing}))


def _written(release: ReleaseRow) -> set[Erratum]:
    try:
        found = read_errata(Path(release.directory))
    except InputError:
        return set()
    is_its_own = found is not None and found.content_sha256 == release.content_sha256
    return set(found.errata) if found is not None and is_its_own else set()


def _errata(tx: Transaction, release: ReleaseRow) -> Errata:
    errata = Errata(
        format=ERRATA_FORMAT,
        release=release.name,
        content_sha256=release.content_sha256,
        errata=tuple(_erratum(tx, row) for row in releases.changed_rows(tx, release.name)),
        errata_sha256="",
    )
    return errata.model_copy(update={"errata_sha256": errata.seal})


def _erratum(tx: Transaction, row: releases.ReleasedRow) -> Erratum:
    is_rejected = row.stage is Stage.REJECTED
    escalation = last_escalation(reviews.events_of(tx, [f"case:{row.case_id}"]))
    is_nominated = escalation is not None and escalation.reason is EscalationReason.GOLD_QUESTIONED
    return Erratum(
        case_id=row.case_id,
        released_sha256=row.released_sha256,
        sha256=None if is_rejected else row.sha256,
        at=row.at.isoformat(timespec="seconds"),
        reason=row.note if is_rejected else row.reason,
        models=escalation.models if is_nominated and escalation is not None else (),
    )


def write_errata(workspace: Workspace, release: str, *, directory: Path | None = None) -> Errata:
    """Write `errata.json` into a release folder, over an older one; every other file stays as it is.

    Args:
        workspace: Anybody's.
        release: The release.
        directory: Its folder, where it was copied or moved; None for where it was frozen.

    Raises:
        NotFoundError: There is no release of this name.
        InputError: The folder holds another release, or none.
        StoreError: The file cannot be written.
    """
    row = workspace.read(lambda tx: release_named(tx, release))
    errata = errata_of(workspace, release)
    directory = directory or Path(row.directory)
    if read_manifest(directory).content.content_sha256 != errata.content_sha256:
        raise InputError(f"{directory} holds another release than {release}.", "Name its folder with -o.")
    body = errata.model_dump(mode="json")
    replace_text(directory / ERRATA, json.dumps(body, ensure_ascii=False, indent=1) + "\n")
    return errata


def read_errata(directory: Path) -> Errata | None:
    """The errata in a release folder; None where it has none.

    Raises:
        InputError: The file cannot be read.
    """
    path = directory / ERRATA
    if not path.exists():
        return None
    with reworded(
        OSError,
        ValidationError,
        into=lambda _: InputError(
            f"{path} cannot be read as errata.", "Write it again with `annotator release errata`."
        ),
    ):
        return Errata.model_validate_json(path.read_bytes())
