"""Which view of a case a person may have: blind reviewers never see labels, whatever command they use."""

from annotator.cases.bodies import load_revision
from annotator.project.workspace import Workspace
from db import queries, work
from db.rows import CaseRow, PersonRow
from db.tables import Transaction
from scoring.errors import NotFoundError
from scoring.model.case import Case
from scoring.model.labels import without_labels


def get_row(tx: Transaction, case_id: str) -> CaseRow:
    """Find a case by id.

    Raises:
        NotFoundError: The project has no such case.
    """
    row = queries.find_case(tx, case_id)
    if row is None:
        raise NotFoundError(f"The project has no case '{case_id}'.", "See `annotator cases`.")
    return row


def is_blind(tx: Transaction, row: CaseRow, person: PersonRow) -> bool:
    """Whether a person is cross-checking this case right now and must not see what others said."""
    return work.blind_now(tx, row.pk, person.id)


def visible_case(tx: Transaction, row: CaseRow, person: PersonRow) -> Case:
    """The newest revision as this person may see it."""
    case = load_revision(tx, row.head_id)
    return without_labels(case) if is_blind(tx, row, person) else case


def show_case(workspace: Workspace, case_id: str) -> Case:
    """The newest revision of a case, blind where the person cross-checks it.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.person
    return workspace.read(lambda tx: visible_case(tx, get_row(tx, case_id), person))
