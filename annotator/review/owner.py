"""What the owner of a case has said about it: labels as a rater, evidence and waivers that still hold."""

from collections.abc import Iterator

from annotator.cases.bodies import load_revision, read_record
from annotator.cases.evidence.citations import broken_citations, leaf_paths
from annotator.cases.findings.checks import check_case
from annotator.review.expert.decisions import Decision, drawn_tasks
from db.read import reviews
from db.read.rows import CaseRow, JudgmentRow
from db.tables import Transaction
from scoring.groups import collected
from scoring.model.case import Case, Edge, Task
from scoring.model.graph import step_name
from scoring.model.labels import Citation, Judgment, TaskLabels, Waiver, labels_of
from scoring.model.record import Record
from scoring.model.taxonomy import FINAL_STAGES, SELF_CHECKS, Stage, Verdict


class Settled(Record):
    """What an owner said at their last self-check, as far as it holds for the case as it is now.

    `judgment` is None where they said nothing yet. `evidence` whose source no longer holds the value waits
    to be accepted again; waivers are kept only for findings that still say the same. `drawn` says per task
    whether they have drawn it as it is now: None where nobody asked them and they drew no edge.
    """

    judgment: Judgment | None = None
    round: int = 0
    evidence: tuple[Citation, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    drawn: tuple[bool | None, ...] = ()


def settled(tx: Transaction, case_pk: int, *, head_id: int, case: Case) -> Settled:
    """Read what the owner last said about a case, and sort out what an edit since then has undone.

    Args:
        tx: The transaction.
        case_pk: The case.
        head_id: Its newest revision.
        case: The content of that revision.
    """
    said = last_self_check(tx, case_pk)
    if said is None:
        return Settled(drawn=(False,) * len(case.tasks))
    judgment = read_record(Judgment, said.body)
    before = case if said.result_id == head_id else load_revision(tx, said.result_id)
    return Settled(
        judgment=judgment,
        round=said.round,
        evidence=_holding_citations(case, judgment.evidence),
        waivers=_holding_waivers(judgment.waivers, before=before, after=case),
        drawn=_holding_drawings(judgment.tasks, before=before, after=case),
    )


def last_self_check(tx: Transaction, case_pk: int) -> JudgmentRow | None:
    """The newest standing self-check of a case."""
    return next(
        (said for said in reversed(reviews.judgments_of(tx, case_pk)) if said.stage in SELF_CHECKS), None
    )


@collected
def owner_labels(tx: Transaction, case: Case, case_pk: int) -> Iterator[TaskLabels]:
    """The owner as a rater: the case's own labels; unless they said no, calls are right and tasks done.

    The owner approves what they hand on, so a field they left open counts as a yes. A drawing is theirs
    only where it is known that they drew it.
    """
    said = last_self_check(tx, case_pk)
    judgment = read_record(Judgment, said.body) if said is not None else None
    for t, labels in enumerate(labels_of(case)):
        own = judgment.tasks[t] if judgment is not None and len(judgment.tasks) == len(case.tasks) else None
        calls = own.calls_correct if own is not None else ()
        count = len(labels.calls_correct)
        yield labels.model_copy(
            update={
                "calls_correct": tuple(
                    calls[i] is not False if i < len(calls) else True for i in range(count)
                ),
                "completed": own.completed is not False if own is not None else True,
                "drawn": own.is_drawn is True if own is not None else False,
            }
        )


def drawings(tx: Transaction, row: CaseRow, case: Case) -> tuple[bool | None, ...]:
    """Per task whether a person has drawn it as the newest revision has it; None where that is not known.

    Of a case its reviewers or an expert have dealt with since, their drawing counts too.
    """
    submission = last_self_check(tx, row.pk)
    own: tuple[bool | None, ...] = (False,) * len(case.tasks)
    if submission is not None:
        before = case if submission.result_id == row.head_id else load_revision(tx, submission.result_id)
        own = _holding_drawings(read_record(Judgment, submission.body).tasks, before=before, after=case)
    known = [drawn if task.needs_drawing else True for task, drawn in zip(case.tasks, own, strict=True)]
    if row.stage not in (Stage.APPROVED, Stage.EXPERT, *FINAL_STAGES):
        return tuple(known)
    now = labels_of(case)
    for judgment in reviews.judgments_of(tx, row.pk, stage=Stage.CROSS_CHECK):
        tasks = read_record(Judgment, judgment.body).tasks
        if len(tasks) == len(known):
            known = [
                labels.drawn or (labels.is_drawn and labels.edges == head.edges) or drawn
                for drawn, labels, head in zip(known, tasks, now, strict=True)
            ]
    decided = drawn_tasks(
        field
        for decision in reviews.decisions_of(tx, row.pk)
        if decision.verdict is Verdict.APPROVE
        for field in read_record(Decision, decision.body).fields
    )
    return tuple(task in decided or drawn for task, drawn in enumerate(known))


def _holding_drawings(said: tuple[TaskLabels, ...], *, before: Case, after: Case) -> tuple[bool | None, ...]:
    """A drawing holds while the steps and dependencies are those that were handed in."""
    if not len(said) == len(before.tasks) == len(after.tasks):
        return (False,) * len(after.tasks)
    return tuple(
        labels.is_drawn if _drawing_of(task) == _drawing_of(other) else False
        for labels, task, other in zip(said, before.tasks, after.tasks, strict=True)
    )


def _drawing_of(task: Task) -> tuple[list[str], set[Edge]]:
    return [step_name(step) for step in task.steps], set(task.drawn_edges)


def _holding_citations(case: Case, evidence: tuple[Citation, ...]) -> tuple[Citation, ...]:
    kept = [
        citation
        for citation in evidence
        if (call := case.call_at(citation.task, citation.step))
        and citation.path in leaf_paths(call.arguments)
    ]
    broken = {id(item.citation) for item in broken_citations(case, kept)}
    return tuple(
        citation.model_copy(update={"accepted": False}) if id(citation) in broken else citation
        for citation in kept
    )


def _holding_waivers(waivers: tuple[Waiver, ...], *, before: Case, after: Case) -> tuple[Waiver, ...]:
    if not waivers:
        return ()
    then = {(finding.rule, finding.where): finding.message for finding in check_case(before, undrawn=())}
    now = {(finding.rule, finding.where): finding.message for finding in check_case(after, undrawn=())}
    return tuple(
        waiver
        for waiver in waivers
        if (place := (waiver.rule, waiver.where)) in now and now[place] == then.get(place)
    )
