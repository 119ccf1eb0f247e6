"""Whether a case moved on since somebody opened it, and who moved it."""

from annotator.cases.row_views import is_blind
from annotator.project.workspace import Workspace, query
from annotator.review.attention import known_answers
from db.read import assignments, queries
from db.read.rows import AssignmentRow, CaseRow, PersonRow
from db.tables import Transaction
from scoring.errors import NotFoundError
from scoring.model.record import Record
from scoring.model.taxonomy import SlotStatus, Stage


class MovedOn(Record):
    """How a case is another one than somebody opened.

    `head_id` is its newest revision now. `by` names who made the revisions since, in their order; empty
    where the content is the same, and for whoever may not know. `ended` says how the person's slot ended
    (`released`, `skipped`, `submitted`, `expired`), None while they hold it; `owner` who owns the case now,
    None for nobody, themselves, and for whoever may not know.
    """

    case_id: str
    stage: Stage
    version: int
    head_id: int
    has_other_content: bool
    by: tuple[str, ...] = ()
    ended: str | None = None
    owner: str | None = None


@query
def look_for_changes(
    workspace: Workspace, tx: Transaction, assignment_id: int, *, base_id: int
) -> MovedOn | None:
    """Say whether what a person works on is still what they opened.

    Args:
        workspace: In whose name.
        assignment_id: Their slot.
        base_id: The revision their work goes on from.

    Returns:
        None while a submission would find the case as it was.
    """
    person = workspace.person
    held = assignments.find_assignment(tx, assignment_id)
    if held is None and known_answers.copy_of_slot(tx, assignment_id, person_id=person.id) is not None:
        return None
    if held is None:
        raise NotFoundError(f"There is no assignment {assignment_id}.", "Open a case from the queue.")
    row = queries.get_case(tx, held.case_pk)
    is_as_it_was = row.head_id == base_id and not is_behind(held, row)
    if held.status == SlotStatus.CLAIMED and is_as_it_was:
        return None
    is_blind_now = row.stage is Stage.CROSS_CHECK or is_blind(tx, row, person)
    owner = row.owner if row.owner_id != person.id and not is_blind_now else None
    # A lease that ended is taken back by the next save, unless the case went to somebody else meanwhile.
    is_held = held.status == SlotStatus.CLAIMED or (held.status == SlotStatus.EXPIRED and owner is None)
    if is_held and is_as_it_was:
        return None
    return MovedOn(
        case_id=row.case_id,
        stage=row.stage,
        version=row.version,
        head_id=row.head_id,
        has_other_content=row.head_id != base_id,
        by=authors_since(tx, row, person, base_id=base_id),
        ended=None if is_held else held.status,
        owner=owner,
    )


def authors_since(
    tx: Transaction, row: CaseRow, person: PersonRow | None, *, base_id: int
) -> tuple[str, ...]:
    """Who made the revisions of a case after one of them, each once; nobody for a blind reviewer."""
    if row.stage is Stage.CROSS_CHECK or is_blind(tx, row, person):
        return ()
    later = [found for found in queries.list_revisions(tx, row.pk) if found.id > base_id]
    return tuple(dict.fromkeys(found.author for found in later if found.author is not None))


def is_behind(held: AssignmentRow, row: CaseRow) -> bool:
    """Whether a slot is about an earlier state of its case, so that nothing can be submitted from it."""
    return (row.stage, row.round, row.version) != (held.stage, held.round, held.case_version)
