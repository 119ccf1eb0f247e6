"""What the owner of a case has said about it: labels as a rater, evidence and waivers that still hold."""

from annotator.cases.bodies import load_revision, read_record
from annotator.cases.checking import check_case
from annotator.cases.evidence import broken_citations, leaf_paths
from annotator.project.stages import SELF_CHECKS
from db import reviews
from db.rows import JudgmentRow
from db.tables import Transaction
from scoring.model.case import Call, Case
from scoring.model.labels import Citation, Judgment, TaskLabels, Waiver, labels_of
from scoring.model.record import Record


class Settled(Record):
    """What an owner said at their last self-check, as far as it holds for the case as it is now.

    `judgment` is null where they said nothing yet. `evidence` whose source no longer holds the value waits
    to be accepted again; waivers are kept only for findings that still say the same.
    """

    judgment: Judgment | None = None
    round: int = 0
    evidence: tuple[Citation, ...] = ()
    waivers: tuple[Waiver, ...] = ()


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
        return Settled()
    judgment = read_record(Judgment, said.body)
    before = case if said.result_id == head_id else load_revision(tx, said.result_id)
    return Settled(
        judgment=judgment,
        round=said.round,
        evidence=_holding_citations(case, judgment.evidence),
        waivers=_holding_waivers(judgment.waivers, before=before, after=case),
    )


def last_self_check(tx: Transaction, case_pk: int) -> JudgmentRow | None:
    """The newest standing self-check of a case."""
    return next(
        (said for said in reversed(reviews.judgments_of(tx, case_pk)) if said.stage in SELF_CHECKS), None
    )


def owner_labels(tx: Transaction, case: Case, case_pk: int) -> tuple[TaskLabels, ...]:
    """The owner as a rater: the case's own labels; unless they said no, calls are right and tasks done.

    The owner approves what they hand on, so a field they left open counts as a yes.
    """
    said = last_self_check(tx, case_pk)
    judgment = read_record(Judgment, said.body) if said is not None else None
    owner = []
    for t, labels in enumerate(labels_of(case)):
        own = judgment.tasks[t] if judgment is not None and len(judgment.tasks) == len(case.tasks) else None
        calls = own.calls_correct if own is not None else ()
        count = len(labels.calls_correct)
        owner.append(
            labels.model_copy(
                update={
                    "calls_correct": tuple(
                        calls[i] is not False if i < len(calls) else True for i in range(count)
                    ),
                    "completed": own.completed is not False if own is not None else True,
                }
            )
        )
    return tuple(owner)


def _holding_citations(case: Case, evidence: tuple[Citation, ...]) -> tuple[Citation, ...]:
    kept = [citation for citation in evidence if citation.path in _paths(case, citation)]
    broken = {id(item.citation) for item in broken_citations(case, kept)}
    return tuple(
        citation.model_copy(update={"accepted": False}) if id(citation) in broken else citation
        for citation in kept
    )


def _paths(case: Case, citation: Citation) -> tuple[str, ...]:
    steps = case.tasks[citation.task].steps if 0 <= citation.task < len(case.tasks) else ()
    step = steps[citation.step] if 0 <= citation.step < len(steps) else None
    return leaf_paths(step.arguments) if isinstance(step, Call) else ()


def _holding_waivers(waivers: tuple[Waiver, ...], *, before: Case, after: Case) -> tuple[Waiver, ...]:
    if not waivers:
        return ()
    then = {(finding.rule, finding.where): finding.message for finding in check_case(before)}
    now = {(finding.rule, finding.where): finding.message for finding in check_case(after)}
    return tuple(
        waiver
        for waiver in waivers
        if (place := (waiver.rule, waiver.where)) in now and now[place] == then.get(place)
    )
