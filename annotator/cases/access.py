"""Which view of a case a person may have: blind reviewers never see labels, whatever command they use."""

from collections.abc import Collection

from annotator.cases.bodies import load_revision, read_body
from annotator.cases.row_views import get_row, is_blind, shown_row, viewer_of
from annotator.project.policy import BlindField
from annotator.project.workspace import Workspace, policy_of, query
from db.read import visibility
from db.read.known_answers import copy_named
from db.read.rows import CaseRow, KnownAnswerRow, PersonRow
from db.tables import Transaction
from scoring.model.case import Case
from scoring.model.labels import without_labels
from scoring.model.taxonomy import Stage


def blinded(case: Case, hidden: Collection[str]) -> Case:
    """A case without the fields that are kept from its reviewers.

    The traces of labels go with them: the order of recording gives a drawing away, the file's own keys
    and the planner's review may hold anything.
    """
    bare = without_labels(case)
    tasks = tuple(
        blank.model_copy(
            update={
                **({} if BlindField.POLICY in hidden else {"policy": task.policy}),
                **({} if BlindField.INFORMATION in hidden else {"information": task.information}),
                **({} if BlindField.EDGES in hidden else {"edges": task.edges}),
            }
        )
        for blank, task in zip(bare.tasks, case.tasks, strict=True)
    )
    return bare.model_copy(update={"tasks": tasks})


def visible_case(tx: Transaction, row: CaseRow, person: PersonRow | None) -> Case:
    """The newest revision as this person may see it."""
    return seen_by(tx, row, load_revision(tx, row.head_id), person)


def seen_by(tx: Transaction, row: CaseRow, case: Case, person: PersonRow | None) -> Case:
    """A revision of a case as this person may see it."""
    viewer = viewer_of(tx, person)
    return blinded(case, viewer.hidden) if visibility.is_blind(tx, row.pk, viewer) else case


def is_copy_blind(copy: KnownAnswerRow) -> bool:
    """Whether a known-answer case is shown without its labels."""
    return copy.stage is Stage.CROSS_CHECK


def copy_as_seen(tx: Transaction, copy: KnownAnswerRow) -> Case:
    """A known-answer case as its person sees it."""
    case = read_body(copy.body)
    return blinded(case, policy_of(tx).blind_fields) if is_copy_blind(copy) else case


@query
def sees_blind(workspace: Workspace, tx: Transaction, case_id: str) -> bool:
    """Whether labels of a case are kept from the person.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.person  # who asks is asked for before the case is
    if (copy := copy_named(tx, case_id, person_id=person.id)) is not None:
        return is_copy_blind(copy)
    return is_blind(tx, get_row(tx, case_id), person)


@query
def show_case(workspace: Workspace, tx: Transaction, case_id: str) -> Case:
    """The newest revision of a case, blind where the person may not see labels yet.

    Raises:
        NotFoundError: The project has no such case.
        ForbiddenError: It is kept from the person for the time being.
    """
    person = workspace.person
    if (copy := copy_named(tx, case_id, person_id=person.id)) is not None:
        return copy_as_seen(tx, copy)
    return visible_case(tx, shown_row(tx, case_id, person), person)
