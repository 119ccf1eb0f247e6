"""An escalated or sampled case laid side by side for its expert, with what must stay hidden hidden."""

from collections.abc import Iterator, Sequence

from annotator.cases.access import blinded
from annotator.cases.bodies import load_revision, read_record
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.findings.checks import visible_findings
from annotator.drafts.checklists import is_asked, is_open, items_of
from annotator.drafts.labels import with_labels
from annotator.project.policy import BlindField
from annotator.review.escalation import last_escalation
from annotator.review.expert.decisions import Adjudication, Decision, Side
from annotator.review.expert.proposed_edits import proposed_edits
from annotator.review.owner import last_self_check, owner_labels
from db.read import expert_queue, reviews
from db.read.rows import CaseRow
from db.tables import Transaction
from scoring.model.case import Case
from scoring.model.labels import ComparedField, Judgment, TaskLabels, compare, failed_items
from scoring.model.taxonomy import Stage, Verdict

HIDDEN = frozenset((BlindField.POLICY, BlindField.INFORMATION, BlindField.EDGES))
"""An expert decides between the sides without the owner's version, whatever reviewers may see."""


def lay_out(tx: Transaction, row: CaseRow, *, assignment_id: int) -> Adjudication:
    """Lay everything about a case side by side.

    A drawing that none of those it shows has made is to be settled by the expert: field `task.<t>.drawn`.

    Args:
        tx: The transaction.
        row: The case, at a stage at which experts decide.
        assignment_id: The expert's slot; 0 where the case is listed only.
    """
    case = load_revision(tx, row.head_id)
    said = reviews.judgments_of(tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    judgments = [read_record(Judgment, judged.body) for judged in said]
    sides = tuple(
        _side(chr(ord("A") + position), case, judgment, verdict=judged.verdict)
        for position, (judged, judgment) in enumerate(zip(said, judgments, strict=True))
    )
    owner = owner_labels(tx, case, row.pk)
    compared = compare(case, [owner, *(side.labels for side in sides)]) if sides else ()
    fields = tuple(field.model_copy(update={"values": field.values[1:]}) for field in compared)
    checks = failed_items(judgments) if sides else _denied_by_owner(tx, row, case, owner)
    is_hidden = row.stage is Stage.ESCALATED and bool(sides)
    voices = [side.labels for side in sides] + ([] if is_hidden else [owner])
    shown = blinded(case, HIDDEN) if is_hidden else case
    return Adjudication(
        assignment_id=assignment_id,
        case_id=row.case_id,
        stage=row.stage,
        round=row.round,
        case=shown,
        is_owner_hidden=is_hidden,
        sides=sides,
        fields=(*(field for field in fields if field.said), *checks, *_undrawn(case, sides, voices)),
        edits=tuple(edit for side in sides for edit in proposed_edits(side.letter, case, side.edit)),
        findings=visible_findings(shown, is_blind=is_hidden),
        why=row.note,
        handed_to=expert_queue.handed_to(tx, row.pk),
        escalation=last_escalation(reviews.events_of(tx, [f"case:{row.case_id}"])),
        template=Decision(feedback=()),
        against_owner=tuple(
            among.id
            for among, field in zip(compared, fields, strict=True)
            if among.differs and field.said and not field.differs
        ),
    )


def _side(letter: str, case: Case, judgment: Judgment, *, verdict: Verdict) -> Side:
    """What one reviewer says; dependencies of a task they did not draw are not theirs."""
    labels = (said if said.is_drawn else said.model_copy(update={"edges": ()}) for said in judgment.tasks)
    return Side(
        letter=letter,
        labels=tuple(labels),
        verdict=verdict,
        reasons=judgment.reasons,
        edit=judgment.edit,
        unanswered_count=_unanswered_count(case, judgment),
    )


def _undrawn(
    case: Case, sides: Sequence[Side], voices: Sequence[Sequence[TaskLabels]]
) -> Iterator[ComparedField]:
    """The drawings none of the voices made."""
    for t, task in enumerate(case.tasks):
        if task.needs_drawing and not any(said[t].is_drawn for said in voices):
            yield ComparedField(
                id=f"task.{t}.drawn",
                task=t,
                kind="drawn",
                values=tuple(side.labels[t].is_drawn for side in sides),
            )


def _unanswered_count(case: Case, judgment: Judgment) -> int:
    """How many items of the checklist an approval leaves open that no program proves."""
    if judgment.verdict is not Verdict.APPROVE:
        return 0
    seen = Dialogue(with_labels(blinded(case, HIDDEN), judgment.tasks))
    items = items_of(seen, judgment, stage=Stage.CROSS_CHECK)
    return sum(is_asked(item, Stage.CROSS_CHECK) and is_open(item, judgment) for item in items)


def _denied_by_owner(
    tx: Transaction, row: CaseRow, case: Case, owner: Sequence[TaskLabels]
) -> tuple[ComparedField, ...]:
    """What an owner who escalated says is wrong: tasks, calls and items of the checklists."""
    said = last_self_check(tx, row.pk)
    judgment = read_record(Judgment, said.body) if said is not None else None
    if judgment is None or len(judgment.tasks) != len(case.tasks):
        return ()
    denied = (field for field in compare(case, [owner]) if field.values == (False,))
    return (*denied, *failed_items([judgment]))
