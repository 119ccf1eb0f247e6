"""An escalated or sampled case laid side by side for its expert, with what must stay hidden hidden."""

from annotator.cases.access import blinded, visible_findings
from annotator.cases.bodies import load_revision, read_record
from annotator.project.policy import BlindField
from annotator.review.decisions import Adjudication, Decision, Side
from annotator.review.owning import owner_labels
from annotator.review.proposals import proposed_edits
from db import reviews
from db.rows import AssignmentRow, CaseRow
from db.tables import Transaction
from scoring.model.labels import Judgment, compare
from scoring.model.taxonomy import Stage

HIDDEN = frozenset((BlindField.POLICY, BlindField.INFORMATION, BlindField.EDGES))
"""An expert decides between the sides without the owner's version, whatever reviewers may see."""


def lay_out(tx: Transaction, held: AssignmentRow, row: CaseRow) -> Adjudication:
    """Lay everything about a case side by side.

    Args:
        tx: The transaction.
        held: The expert's slot.
        row: The case.
    """
    case = load_revision(tx, row.head_id)
    sides = _sides(tx, row)
    owner = owner_labels(tx, case, row.pk)
    compared = compare(case, [owner, *(side.labels for side in sides)]) if sides else ()
    fields = tuple(field.model_copy(update={"values": field.values[1:]}) for field in compared)
    is_hidden = held.stage is Stage.ESCALATED and bool(sides)
    shown = blinded(case, HIDDEN) if is_hidden else case
    return Adjudication(
        assignment_id=held.id,
        case_id=row.case_id,
        stage=held.stage,
        round=row.round,
        case=shown,
        is_owner_hidden=is_hidden,
        sides=sides,
        fields=fields,
        edits=tuple(edit for side in sides for edit in proposed_edits(side.letter, case, side.edit)),
        findings=visible_findings(shown, is_blind=is_hidden),
        why=row.note,
        template=Decision(feedback=()),
        against_owner=tuple(
            among.id
            for among, field in zip(compared, fields, strict=True)
            if among.differs and not field.differs
        ),
    )


def _sides(tx: Transaction, row: CaseRow) -> tuple[Side, ...]:
    said = reviews.judgments_of(tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    sides = []
    for position, judged in enumerate(said):
        judgment = read_record(Judgment, judged.body)
        sides.append(
            Side(
                letter=chr(ord("A") + position),
                labels=judgment.tasks,
                verdict=judged.verdict,
                reasons=judgment.reasons,
                edit=judgment.edit,
            )
        )
    return tuple(sides)
