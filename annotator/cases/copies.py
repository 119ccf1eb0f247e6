"""The past and the comments of a known-answer case, as its person sees them: like those of any fresh case."""

from datetime import datetime

from annotator.cases.access import blinded
from annotator.cases.bodies import read_body, read_record, write_record
from annotator.project.workspace import Work, policy_of
from db.read import queries
from db.read.rows import CommentRow, KnownAnswerRow, RevisionRow
from db.tables import Transaction
from db.write.known_answers import change_copy
from scoring.errors import NotFoundError
from scoring.model.case import Case, content_sha256
from scoring.model.record import Record
from scoring.model.taxonomy import Stage


class CopyComment(Record):
    """One comment on a copy; `where` is a place as for any comment."""

    where: str
    text: str
    at: datetime
    is_resolved: bool = False


class CopyComments(Record):
    """The comments on a copy, oldest first; kept in the store as `remarks`, its former word."""

    remarks: tuple[CopyComment, ...] = ()


def history_of(tx: Transaction, copy: KnownAnswerRow) -> tuple[RevisionRow, ...]:
    """The one revision of a copy: imported when its gold case was."""
    first = queries.list_revisions(tx, copy.source_pk)[0]
    return (
        RevisionRow(
            id=copy.source_revision_id,
            number=1,
            parent_id=None,
            author=first.author,
            stage=Stage.IMPORTED,
            reason=first.reason,
            at=first.at,
            sha256=content_sha256(read_body(copy.body)),
        ),
    )


def case_of(tx: Transaction, copy: KnownAnswerRow, *, number: int = 1) -> Case:
    """A copy as its person sees it.

    Raises:
        NotFoundError: It has no such revision.
    """
    if number != 1:
        raise NotFoundError(f"{copy.case_id} has no revision {number}.", "See `annotator case history`.")
    case = read_body(copy.body)
    return blinded(case, policy_of(tx).blind_fields) if copy.stage is Stage.CROSS_CHECK else case


def comments_of(copy: KnownAnswerRow) -> tuple[CommentRow, ...]:
    """The comments on a copy, oldest first."""
    return tuple(
        CommentRow(
            id=number,
            parent_id=None,
            person=copy.person,
            where=comment.where,
            text=comment.text,
            at=comment.at,
            is_resolved=comment.is_resolved,
        )
        for number, comment in enumerate(read_record(CopyComments, copy.remarks).remarks, 1)
    )


def add_comment(w: Work, copy: KnownAnswerRow, *, where: str, text: str) -> int:
    """Comment on a place of a copy; returns the number of the comment."""
    found = (*read_record(CopyComments, copy.remarks).remarks, CopyComment(where=where, text=text, at=w.at))
    _keep(w, copy, found)
    return len(found)


def resolve_comment(w: Work, copy: KnownAnswerRow, number: int) -> None:
    """Resolve a comment.

    Raises:
        NotFoundError: There is none of this number.
    """
    found = list(read_record(CopyComments, copy.remarks).remarks)
    if not 0 < number <= len(found):
        raise NotFoundError(f"{copy.case_id} has no comment {number}.", "Load the case again.")
    found[number - 1] = found[number - 1].model_copy(update={"is_resolved": True})
    _keep(w, copy, tuple(found))


def _keep(w: Work, copy: KnownAnswerRow, comments: tuple[CopyComment, ...]) -> None:
    change_copy(
        w.tx, copy.id, expected=copy.status, values={"remarks": write_record(CopyComments(remarks=comments))}
    )
    w.record(f"attention:{copy.id}", {"comments": len(comments)})
    w.touch(copy.case_id)
