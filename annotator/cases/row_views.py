"""Who looks at which case: a case's line in the queue as somebody may see it, without its content."""

from annotator.project.policy import OpenLabels, ReviewPolicy, stored_policy
from db.read import known_answers, queries, visibility
from db.read.known_answers import PersonStanding
from db.read.rows import CaseRow, PersonRow
from db.read.visibility import Viewer
from db.tables import Transaction
from scoring.errors import ForbiddenError, NotFoundError, existing
from scoring.model.taxonomy import Role


def get_row(tx: Transaction, case_id: str) -> CaseRow:
    """Find a case by id.

    Raises:
        NotFoundError: The project has no such case.
    """
    return existing(
        queries.find_case(tx, case_id),
        NotFoundError(f"The project has no case '{case_id}'.", "See `annotator cases`."),
    )


def shown_row(tx: Transaction, case_id: str, person: PersonRow | None) -> CaseRow:
    """Find a case by id for somebody who wants to look at it.

    Raises:
        NotFoundError: The project has no such case.
        ForbiddenError: It is kept from the person for the time being.
    """
    row = get_row(tx, case_id)
    _refuse_withheld(tx, row, person)
    return row


def _refuse_withheld(tx: Transaction, row: CaseRow, person: PersonRow | None) -> None:
    if row.pk in viewer_of(tx, person).withheld:
        raise ForbiddenError(
            f"{row.case_id} is a gold case and is not shown to you at the moment.",
            "Submit the cases you hold, then it is shown again.",
        )


def viewer_of(tx: Transaction, person: PersonRow | None) -> Viewer:
    """How somebody looks at cases under the present policy, with the roles they have now.

    Experts and managers look after all cases; annotators, and who named nobody, see what others said
    when the policy lets them (`open_labels`). Nobody sees it of a case they judge right now, nor an expert
    who manages nothing of a dispute they could decide (`sight.blind_to`).
    """
    standing, policy = standing_in(tx, person)
    now = standing.person
    roles = now.roles if now is not None and now.is_active else ()
    is_expert, is_manager = Role.EXPERT in roles, Role.MANAGER in roles
    may_hold = _are_copies_about(standing, policy)
    return Viewer(
        person_id=person.id if person is not None else None,
        is_trusted=is_expert or is_manager or policy.open_labels is OpenLabels.ALWAYS,
        decides_disputes=is_expert and not is_manager,
        hidden=frozenset(field.value for field in policy.blind_fields),
        withheld=known_answers.withheld(tx, person.id) if person and may_hold else frozenset(),
        has_copies=standing.has_copies,
    )


def standing_in(tx: Transaction, person: PersonRow | None) -> tuple[PersonStanding, ReviewPolicy]:
    """How somebody stands in the project, and its policy; one statement."""
    standing = known_answers.standing_of(tx, person.name if person is not None else None)
    return standing, stored_policy(standing.policy)


def _are_copies_about(standing: PersonStanding, policy: ReviewPolicy) -> bool:
    """Whether some of what people hold may be known-answer cases."""
    return policy.attention_share > 0 or standing.are_given


def held_apart(tx: Transaction, person: PersonRow | None) -> frozenset[int]:
    """Cases a person holds or has left, where some of what people hold may be known-answer cases.

    What is counted or written for them leaves these out, since it never has a known-answer case: else it
    would tell which of the cases in their list is one.
    """
    if person is None:
        return frozenset()
    is_apart = _are_copies_about(*standing_in(tx, person))
    return frozenset(known_answers.at_hand(tx, person.id)) if is_apart else frozenset()


def apart_in_figures(tx: Transaction, person: PersonRow | None) -> frozenset[int]:
    """As `held_apart`, but nothing for managers, who lead by figures and can look after the store itself."""
    return frozenset() if person is not None and person.has_role(Role.MANAGER) else held_apart(tx, person)


def visible_row(tx: Transaction, case_id: str, person: PersonRow | None) -> CaseRow:
    """The queue's line of a case as somebody may see it.

    Raises:
        NotFoundError: The project has no such case.
        ForbiddenError: It is kept from the person for the time being.
    """
    row = existing(
        queries.find_case(tx, case_id, viewer=viewer_of(tx, person)),
        NotFoundError(f"The project has no case '{case_id}'.", "See `annotator cases`."),
    )
    _refuse_withheld(tx, row, person)
    return row


def is_blind(tx: Transaction, row: CaseRow, person: PersonRow | None) -> bool:
    """Whether a person must not see what others said about this case now (`sight.blind_to`)."""
    return visibility.is_blind(tx, row.pk, viewer_of(tx, person))
