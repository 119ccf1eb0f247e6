"""Which view of a case a person may have: blind reviewers never see labels, whatever command they use."""

from collections.abc import Collection

from annotator.cases.bodies import load_revision
from annotator.cases.checking import check_case
from annotator.project.policy import BlindField, OpenLabels
from annotator.project.workspace import Workspace, policy_of
from db import queries, sight
from db.rows import CaseRow, PersonRow
from db.sight import Viewer as Viewer
from db.tables import Transaction
from scoring.errors import NotFoundError
from scoring.model.case import Case
from scoring.model.labels import Finding, without_labels
from scoring.model.taxonomy import Role

_ABOUT_LABELS = ("graph.", "policy.", "information.")


def get_row(tx: Transaction, case_id: str) -> CaseRow:
    """Find a case by id.

    Raises:
        NotFoundError: The project has no such case.
    """
    row = queries.find_case(tx, case_id)
    if row is None:
        raise NotFoundError(f"The project has no case '{case_id}'.", "See `annotator cases`.")
    return row


def viewer_of(tx: Transaction, person: PersonRow | None) -> Viewer:
    """How somebody looks at cases under the present policy, with the roles they have now.

    Experts and managers look after all cases; annotators, and who named nobody, see what others said
    when the policy lets them (`open_labels`). Nobody sees it of a case they judge right now.
    """
    policy = policy_of(tx)
    now = queries.find_person(tx, person.name) if person is not None else None
    looks_after = (
        now is not None and now.is_active and (now.has_role(Role.EXPERT) or now.has_role(Role.MANAGER))
    )
    return Viewer(
        person_id=person.id if person is not None else None,
        is_trusted=looks_after or policy.open_labels is OpenLabels.ALWAYS,
        hidden=frozenset(field.value for field in policy.blind_fields),
    )


def visible_row(tx: Transaction, case_id: str, person: PersonRow | None) -> CaseRow:
    """The queue's line of a case as somebody may see it.

    Raises:
        NotFoundError: The project has no such case.
    """
    row = queries.find_case(tx, case_id, viewer=viewer_of(tx, person))
    if row is None:
        raise NotFoundError(f"The project has no case '{case_id}'.", "See `annotator cases`.")
    return row


def is_blind(tx: Transaction, row: CaseRow, person: PersonRow | None) -> bool:
    """Whether a person must not see what others said about this case now (`sight.blind_to`)."""
    return sight.is_blind(tx, row.pk, viewer_of(tx, person))


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
    return blinded(case, viewer.hidden) if sight.is_blind(tx, row.pk, viewer) else case


def visible_findings(shown: Case, *, is_blind: bool) -> tuple[Finding, ...]:
    """The findings of a case as it is shown.

    Whoever sees it blind gets none about labels and drawing: they would be about the blank that hides them.
    """
    found = check_case(shown)
    if not is_blind:
        return found
    return tuple(finding for finding in found if not finding.rule.startswith(_ABOUT_LABELS))


def show_case(workspace: Workspace, case_id: str) -> Case:
    """The newest revision of a case, blind where the person may not see labels yet.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.person
    return workspace.read(lambda tx: visible_case(tx, get_row(tx, case_id), person))
