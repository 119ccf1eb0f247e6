"""The past and the comments of a known-answer case, as its person sees them: like those of any fresh case."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from annotator.cases.access import copy_as_seen, is_copy_blind
from annotator.cases.bodies import facts_of, read_body, read_record, write_record
from annotator.cases.row_views import get_row
from annotator.project.policy import BlindField
from annotator.project.workspace import Work, policy_of
from db.read import known_answers, queries, reviews
from db.read.queries import split_list
from db.read.rows import CaseFilter, CaseRow, CommentRow, EventRow, KnownAnswerRow, PersonRow, RevisionRow
from db.read.visibility import Viewer
from db.tables import Transaction
from db.write.known_answers import change_copy
from scoring.errors import NotFoundError
from scoring.model.case import Case, content_sha256
from scoring.model.record import Record
from scoring.model.taxonomy import Priority, SlotStatus
from scoring.wording import folded


class CopyComment(Record):
    """One comment on a copy; `where` is a place as for any comment."""

    where: str
    text: str
    at: datetime
    is_resolved: bool = False
    parent: int | None = None


class CopyComments(Record):
    """What is kept beside a copy in the store's `remarks`: comments, and slots left with their status."""

    remarks: tuple[CopyComment, ...] = ()
    left: tuple[tuple[int, str], ...] = ()


def history_of(tx: Transaction, copy: KnownAnswerRow) -> tuple[RevisionRow, ...]:
    """The one revision of a copy: imported with the cases it is shown among."""
    like = known_answers.like_case(tx, copy)
    first = queries.list_revisions(tx, like.pk if like is not None else copy.source_pk)[0]
    sha256 = content_sha256(read_body(copy.body))
    return (replace(first, id=copy.id, sha256="" if is_copy_blind(copy) else sha256),)


def case_of(tx: Transaction, copy: KnownAnswerRow, *, number: int) -> Case:
    """A copy as its person sees it.

    Raises:
        NotFoundError: It has no such revision.
    """
    if number != 1:
        raise NotFoundError(f"{copy.case_id} has no revision {number}.", "See `annotator case history`.")
    return copy_as_seen(tx, copy)


def row_of(tx: Transaction, copy: KnownAnswerRow) -> CaseRow:
    """A copy as the line of the queue that its person sees, with the facts a case of its batch would have."""
    from annotator.cases.findings.checks import check_case  # few hold a copy; the queue starts without checks

    shown, is_blind = copy_as_seen(tx, copy), is_copy_blind(copy)
    facts = facts_of(shown, () if is_blind else check_case(shown))
    like = known_answers.like_case(tx, copy)
    owner = (like.owner, like.owner_id) if is_blind and like is not None else (copy.person, copy.person_id)
    is_owned = (
        is_blind and BlindField.OWNER not in policy_of(tx).blind_fields
    ) or copy.status == SlotStatus.CLAIMED
    since = history_of(tx, copy)[0].at
    between = since + (copy.claimed_at - since) * random.Random(copy.case_id).uniform(0.3, 0.9)
    return CaseRow(
        pk=-copy.id,
        case_id=copy.case_id,
        batch=copy.batch,
        batch_id=like.batch_id if like is not None else 0,
        stage=copy.stage,
        version=1,
        round=1,
        owner=owner[0] if is_owned else None,
        owner_id=owner[1] if is_owned else None,
        head_id=copy.id,
        sha256="" if is_blind else facts.sha256,
        imported_sha256="" if is_blind else facts.sha256,
        task_count=facts.task_count,
        policies=tuple(task.policy or "" for task in shown.tasks),
        informations=tuple(task.information or "" for task in shown.tasks),
        finding_count=facts.finding_count,
        error_count=facts.error_count,
        rules=split_list(facts.rules),
        request=facts.request,
        is_gold=False,
        changed_at=between if is_blind else copy.closed_at or copy.claimed_at,
        note="",
        is_blind=is_blind,
        language=facts.language,
        priority=like.priority if like is not None else Priority.NORMAL,
    )


def named_row(tx: Transaction, case_id: str, person: PersonRow) -> CaseRow:
    """The line of a case, or of the copy that a person has under an id.

    Raises:
        NotFoundError: The project has no such case.
    """
    copy = known_answers.copy_named(tx, case_id, person_id=person.id)
    return row_of(tx, copy) if copy is not None else get_row(tx, case_id)


def rows_beside(tx: Transaction, viewer: Viewer, where: CaseFilter) -> tuple[CaseRow, ...]:
    """The copies in a viewer's list: those they hold or left that a filter keeps."""
    if viewer.person_id is None or not viewer.has_copies:
        return ()
    found = known_answers.copies_of(tx, viewer.person_id, known_answers.OPEN)
    named = partial(known_answers.copy_named, tx, person_id=viewer.person_id)  # a case may have the id by now
    listed = [(row_of(tx, copy), copy) for copy in found if named(copy.case_id) is not None]
    return tuple(row for row, copy in listed if _is_kept(row, copy, where))


def _is_kept(row: CaseRow, copy: KnownAnswerRow, where: CaseFilter) -> bool:
    listed = (row.policies, where.policies), (row.informations, where.informations), (row.rules, where.rules)
    asks_for_labels = any(wanted for _, wanted in listed) or where.only_with_errors
    return (
        (not where.stages or row.stage in where.stages)
        and not (row.is_blind and asks_for_labels)
        and all(not wanted or set(wanted) & set(found) for found, wanted in listed)
        and where.owner in ("", row.owner)
        and where.batch in ("", row.batch)
        and (not where.priorities or row.priority in where.priorities)
        and folded(where.text).casefold() in facts_of(read_body(copy.body), ()).searched
        and (where.mine_id is None or copy.status == SlotStatus.CLAIMED)
        and (not where.only_with_errors or row.error_count > 0)
        and not where.only_gold
    )


def events_of(tx: Transaction, copy: KnownAnswerRow) -> tuple[EventRow, ...]:
    """What its person did with a copy, newest first, as it stands of any case; nothing while it is blind."""
    numbers = (copy.id, *(number for number, _ in read_record(CopyComments, copy.remarks).left))
    subjects = [] if is_copy_blind(copy) else [f"attention:{number}" for number in numbers]
    found = reviews.events_of(tx, subjects)
    return tuple(
        replace(event, subject=f"case:{copy.case_id}") for event in found if event.actor == copy.person
    )


def comments_of(copy: KnownAnswerRow) -> tuple[CommentRow, ...]:
    """The comments on a copy, oldest first."""
    return tuple(
        CommentRow(
            id=number,
            parent_id=comment.parent,
            person=copy.person,
            where=comment.where,
            text=comment.text,
            at=comment.at,
            is_resolved=comment.is_resolved,
        )
        for number, comment in enumerate(read_record(CopyComments, copy.remarks).remarks, 1)
    )


def add_comment(w: Work, copy: KnownAnswerRow, *, where: str, text: str, parent: int | None) -> int:
    """Comment on a place of a copy; returns the number of the comment.

    Raises:
        NotFoundError: There is no comment `parent` to answer.
    """
    before = read_record(CopyComments, copy.remarks).remarks
    if parent is not None:
        _require(copy, before, parent)
    number = len(before) + 1
    _keep(w, copy, (*before, CopyComment(where=where, text=text, at=w.at, parent=parent)))
    w.record(f"attention:{copy.id}", {"comment": number, "where": where})
    return number


def resolve_comment(w: Work, copy: KnownAnswerRow, number: int) -> None:
    """Resolve a comment.

    Raises:
        NotFoundError: There is none of this number.
    """
    found = list(read_record(CopyComments, copy.remarks).remarks)
    _require(copy, found, number)
    found[number - 1] = found[number - 1].model_copy(update={"is_resolved": True})
    _keep(w, copy, tuple(found))
    w.record(f"attention:{copy.id}", {"comment": number})


def _require(copy: KnownAnswerRow, comments: Sequence[CopyComment], number: int) -> None:
    if not 0 < number <= len(comments):
        raise NotFoundError(f"{copy.case_id} has no comment {number}.", "Load the case again.")


def _keep(w: Work, copy: KnownAnswerRow, comments: tuple[CopyComment, ...]) -> None:
    kept = read_record(CopyComments, copy.remarks).model_copy(update={"remarks": comments})
    change_copy(w.tx, copy.id, expected=copy.status, values={"remarks": write_record(kept)})
    w.touch(copy.case_id)
