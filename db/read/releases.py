"""What a release holds, beside what became of its cases since."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import aliased

from db.columns import given
from db.tables import CaseHead, Release, ReleasedCase, Revision, Transaction
from scoring.model.taxonomy import FINAL_STAGES, Stage


@dataclass(frozen=True)
class ReleasedRow:
    """A case as it was released, and as it is: its stage, content hash and newest revision."""

    case_id: str
    released_sha256: str
    stage: Stage
    sha256: str
    at: datetime
    reason: str
    note: str


def changed_rows(tx: Transaction, release: str) -> tuple[ReleasedRow, ...]:
    """The cases of a release that were rejected since, or are final again with another content; by id."""
    frozen, head = aliased(Revision), aliased(Revision)
    is_rejected = CaseHead.stage == Stage.REJECTED.value
    is_final = CaseHead.stage.in_([stage.value for stage in FINAL_STAGES])
    return tuple(
        ReleasedRow(
            case_id=row.case_id,
            released_sha256=sha256,
            stage=Stage(row.stage),
            sha256=row.sha256,
            at=at,
            reason=reason,
            note=row.note,
        )
        for row, sha256, at, reason in tx.execute(
            select(CaseHead, frozen.sha256, head.at, head.reason)
            .join(ReleasedCase, ReleasedCase.case_pk == CaseHead.id)
            .join(Release, Release.id == ReleasedCase.release_id)
            .join(frozen, frozen.id == ReleasedCase.revision_id)
            .join(head, head.id == CaseHead.head_id)
            .where(Release.name == release)
            .where(or_(is_rejected, and_(is_final, CaseHead.sha256 != frozen.sha256)))
            .order_by(CaseHead.case_id)
        )
    )


def released_hashes(tx: Transaction, release: str) -> dict[str, str]:
    """Case id -> content hash of the cases of a release."""
    statement = (
        select(CaseHead.case_id, Revision.sha256)
        .join(ReleasedCase, ReleasedCase.case_pk == CaseHead.id)
        .join(Release, Release.id == ReleasedCase.release_id)
        .join(Revision, Revision.id == ReleasedCase.revision_id)
        .where(Release.name == release)
    )
    return {row.case_id: row.sha256 for row in tx.execute(statement)}


def released_bodies(
    tx: Transaction, release: str, *, case_id: str = "", without: Collection[int] = ()
) -> Iterator[str]:
    """The very bodies that went into a release; memory stays flat.

    Args:
        tx: The open transaction.
        release: Its name.
        case_id: Only this case; empty for all.
        without: Numbers of cases that are left out.
    """
    statement = (
        select(Revision.case_pk, Revision.body)
        .join(ReleasedCase, ReleasedCase.revision_id == Revision.id)
        .join(Release, Release.id == ReleasedCase.release_id)
        .join(CaseHead, CaseHead.id == Revision.case_pk)
        .where(Release.name == release, given(CaseHead.case_id, case_id or None))
        .order_by(Revision.id)
        .execution_options(yield_per=200)
    )
    yield from (body for case_pk, body in tx.execute(statement) if case_pk not in without)
