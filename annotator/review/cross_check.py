"""Closing a cross-check round: the owner as one more rater, and what follows by rule (design 3.3)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from annotator.cases.bodies import load_revision, read_record, write_record
from annotator.cases.history import new_revision
from annotator.drafts.labels import apply_fields
from annotator.project.stages import Actor
from annotator.project.workspace import Work
from annotator.review import samples, stage_moves
from annotator.review.escalation import Escalation, EscalationReason
from annotator.review.owner import owner_labels
from annotator.review.queue import checked, pairs
from db.read import assignments, queries, reviews
from db.read.rows import CaseFilter, CaseRow, JudgmentRow
from db.write import outcomes, slots
from scoring.agreement.rated_cases import RatedCase, independent_fields, rated_case
from scoring.errors import GraphError
from scoring.model.case import Case, content_sha256
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import (
    ComparedField,
    Judgment,
    TaskLabels,
    compare,
    failed_items,
    without_labels,
)
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import Stage, Verdict


class CaseComparison(Record):
    """All compared fields of a case with what every rater said; the owner is the first rater."""

    fields: tuple[ComparedField, ...]

    @property
    def differing(self) -> tuple[ComparedField, ...]:
        """Fields on which any two raters differ."""
        return tuple(field for field in self.fields if field.differs)


def settle_open_rounds(w: Work) -> None:
    """Close the rounds that have enough judgments under the policy as it is now, and ask people anew.

    Where the cross-check is off, cases nobody has judged yet pass it.
    """
    where = CaseFilter(stages=(Stage.CROSS_CHECK,), order="case")
    load = Counter(assignments.held_counts(w.tx))  # all who were asked are asked anew
    for row in queries.list_cases(w.tx, where, limit=queries.count_cases(w.tx, where)):
        said = reviews.judgments_of(w.tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
        if len(said) < w.policy.needed_judgments:
            pairs.ask_reviewers(w, row, load=load)
        elif said:
            close_round(w, row, base=load_revision(w.tx, row.head_id), said=said)
        else:
            _pass_by(w, row)


def _pass_by(w: Work, row: CaseRow) -> None:
    stage_moves.move(w, row, "pass", to=Stage.APPROVED, note="the cross-check was switched off")
    slots.close_assignments(w.tx, row.pk, at=w.at, note="the cross-check was switched off")
    w.follow("review:round:pass", f"case:{row.case_id}", {})
    samples.settle_batch(w, row.batch_id)


def close_round(w: Work, row: CaseRow, *, base: Case, said: Sequence[JudgmentRow]) -> None:
    """Decide by rule what becomes of a case all of whose reviewers have spoken."""
    judgments = [read_record(Judgment, judged.body) for judged in said]
    owner = owner_labels(w.tx, base, row.pk)
    comparison = CaseComparison(fields=compare(base, [owner, *(said.tasks for said in judgments)]))
    raters = {judged.person: judgment.tasks for judged, judgment in zip(said, judgments, strict=True)}
    chance, by_choice = checked.chance(w.tx, row)
    rated = rated_case(base, {row.owner or "owner": owner, **raters}).model_copy(
        update={"chance": chance, "by_choice": by_choice}
    )
    verdicts = {judgment.verdict for judgment in judgments}
    result: Case | None = None
    escalation = Escalation(reason=EscalationReason.NOT_ALL_APPROVED)
    if verdicts == {Verdict.APPROVE}:
        excess = excess_words(rated, threshold=w.policy.case_threshold, allowed=w.policy.case_fields)
        settled = _majority(_without_proposals(base, owner), comparison, judgments, excess=excess)
        result, escalation = (None, settled) if isinstance(settled, Escalation) else (settled, escalation)
    if result is not None:
        to, action, why = Stage.APPROVED, "agree", _outvoted_words(comparison)
    elif verdicts == {Verdict.RETURN}:
        to, action, why = Stage.RETURNED, "return", _notes(judgments)
    else:
        to, action, why = Stage.ESCALATED, "disagree", escalation.words
    columns: Mapping[str, object] = {}
    if result is not None:
        _, columns = new_revision(
            w,
            row,
            result,
            reason="majority of the cross-check",
            stage=Stage.CROSS_CHECK,
            by_system=True,
            undrawn=(),
        )
    differing = [field.id for field in comparison.differing]
    sha256 = str(columns.get("sha256", row.sha256))
    outcomes.add_exit(
        w.tx,
        row.pk,
        stage=Stage.CROSS_CHECK,
        round_=row.round,
        sha256=sha256,
        at=w.at,
        differing=differing,
    )
    outcomes.add_round(w.tx, row.pk, round_=row.round, at=w.at, outcome=to, body=write_record(rated))
    stage_moves.move(w, row, action, to=to, who=Actor.SYSTEM, note=why, **columns)
    slots.close_assignments(w.tx, row.pk, at=w.at, note="round closed")
    payload: JsonObject = {
        "to": to.value,
        "fields": len(comparison.fields),
        "differing": list(differing),
        "why": why,
        **(escalation.payload if to is Stage.ESCALATED else {}),
    }
    w.follow("review:round:close", f"case:{row.case_id}", payload)
    samples.after_round(w, row, to=to, is_changed=sha256 != row.sha256)


def excess_words(rated: RatedCase, *, threshold: float, allowed: int) -> str:
    """How many fields differ, where they are more than max(share, `allowed`); empty where they are not.

    Args:
        rated: What everybody said.
        threshold: Share of the fields that may differ.
        allowed: How many independent fields may always differ; 0 reads the share strictly, of all fields.
    """
    fields = independent_fields(rated) if allowed else rated.fields
    count = sum(field.differs for field in fields)
    if count <= max(Fraction(str(threshold)) * len(fields), Fraction(allowed)):
        return ""
    share = f"{100 * count / len(fields):.1f}"
    return (
        f"{count} of {len(fields)} independent fields differ ({share} %)"
        if allowed
        else f"{count} of {len(fields)} fields differ ({share} %)"
    )


def _majority(
    base: Case, comparison: CaseComparison, judgments: Sequence[Judgment], *, excess: str
) -> Case | Escalation:
    """The case with the majority's labels, or why it must be escalated."""
    differing = comparison.differing
    if excess:
        return Escalation(reason=EscalationReason.SHARE_ABOVE_THRESHOLD, detail=excess)
    if any(not field.has_majority for field in differing):
        return Escalation(reason=EscalationReason.NO_MAJORITY)
    denied = [field.id for field in comparison.fields if field.majority is False]
    if denied:
        return Escalation(reason=EscalationReason.MOST_SAY_NO, field=denied[0])
    failed = failed_items(judgments)
    if failed:
        return Escalation(reason=EscalationReason.REVIEWER_SAYS_NO, field=failed[0].id)
    if any(proposes_change(base, judgment) for judgment in judgments):
        return Escalation(reason=EscalationReason.EDIT_PROPOSED)
    try:
        return apply_fields(base, {field: field.majority for field in comparison.fields})
    except GraphError as exc:
        return Escalation(reason=EscalationReason.DRAWING_BREAKS_RULE, detail=exc.message)


def _outvoted_words(comparison: CaseComparison) -> str:
    count = len(comparison.differing)
    return f"{count} of {len(comparison.fields)} fields differed" if count else ""


def _without_proposals(base: Case, owner: Sequence[TaskLabels]) -> Case:
    """The case without dependencies that nobody is known to have drawn: the reviewers' are all there are."""
    tasks = tuple(
        task if said.is_drawn or not task.drawn_edges else with_drawn_edges(task, ())
        for task, said in zip(base.tasks, owner, strict=True)
    )
    return base.model_copy(update={"tasks": tasks})


def proposes_change(base: Case, judgment: Judgment) -> bool:
    """Whether a reviewer's edit changes anything but labels and drawings, which are compared anyway."""
    if judgment.edit is None:
        return False
    return content_sha256(without_labels(judgment.edit)) != content_sha256(without_labels(base))


def _notes(judgments: Sequence[Judgment]) -> str:
    reasons = (reason for judgment in judgments for reason in judgment.reasons)
    return "; ".join(dict.fromkeys(reason.note or str(reason.category) for reason in reasons))
