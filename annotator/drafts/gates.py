"""What stands between a judgment and its submission: every open point, with its place and its way out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.cases.evidence.citations import leaf_paths
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import exact_paths
from annotator.cases.findings.checks import check_dialogue
from annotator.cases.versions.conflicts import Clash
from annotator.drafts.checklists import Item, answer_of, is_asked, is_open, items_of
from annotator.project.policy import ReviewPolicy
from scoring.errors import BlockedError
from scoring.model.case import Case
from scoring.model.labels import Citation, Finding, Judgment, TaskLabels, Waiver, labels_of
from scoring.model.taxonomy import SELF_CHECKS, CheckAnswer, Severity, Stage, Verdict


@dataclass(frozen=True, kw_only=True)
class Blocker:
    """One open point: what is missing, where, and so what the next key press should be about.

    `clash` is what a blocker of that kind asks to decide, noticed by an editor alone: a place that somebody
    else changed too. `finding` is what one of kind `finding` asks to fix or waive, `label` the one that one
    of kind `label` misses.
    """

    kind: Literal[
        "clash", "finding", "evidence", "label", "review", "drawing", "checklist", "judgment", "reason"
    ]
    message: str
    task: int | None = None
    step: int | None = None
    path: str | None = None
    finding: Finding | None = None
    clash: Clash | None = None
    label: Literal["policy", "information"] | None = None


def blockers(
    case: Case,
    judgment: Judgment,
    *,
    stage: Stage,
    policy: ReviewPolicy,
    findings: Sequence[Finding] | None = None,
    items: Sequence[Item] | None = None,
    dialogue: Dialogue | None = None,
) -> tuple[Blocker, ...]:
    """List what must be done before a judgment can be submitted (design 3.1 to 3.3).

    Args:
        case: The case as it would be submitted.
        judgment: What the reviewer says so far; its verdict decides which gates apply.
        stage: The stage of the assignment.
        policy: The project's review policy.
        findings: What the checks noticed, where the caller knows it already; None has them run here.
        items: The items of the checklists, where the caller knows them already.
        dialogue: The case as it is prepared, where the caller has it already.

    Returns:
        The open points in dialogue order; empty when the judgment can be submitted.
    """
    if judgment.verdict is None:
        return (Blocker(kind="reason", message="Choose a verdict."),)
    if judgment.verdict is not Verdict.APPROVE:
        if judgment.reasons:
            return ()
        return (Blocker(kind="reason", message=f"Say why: '{judgment.verdict}' needs a reason."),)
    if stage not in (*SELF_CHECKS, Stage.CROSS_CHECK):
        return ()
    dialogue, is_own = dialogue or Dialogue(case), stage in SELF_CHECKS
    if items is None:
        items = items_of(dialogue, judgment, stage=stage, policy=policy)
    found: list[Blocker] = []
    if is_own and findings is None:
        findings = check_dialogue(dialogue, citations=judgment.evidence, undrawn=judgment.undrawn)
    if is_own:
        found += _open_findings(findings or (), judgment.waivers)
    if is_own and policy.evidence_gate:
        found += _open_evidence(dialogue, judgment.evidence, policy)
    found += _open_labels(case, judgment.tasks)
    if policy.teval_fields:
        found += _open_reviews(case, labels_of(case) if is_own else judgment.tasks)
    found += _open_drawings(case, judgment.tasks)
    found += _denied(case, judgment.tasks) if is_own else _open_judgments(case, judgment.tasks)
    found += _failed_items(items, judgment) if is_own else ()
    found += _open_items(items, judgment, stage)
    return tuple(found)


def require_open(found: Sequence[Blocker]) -> None:
    """Refuse a submission while points are open.

    Raises:
        BlockedError: Names the first three points and how many there are.
    """
    if not found:
        return
    count = len(found)
    lead = f"{count} open:" if count <= 3 else f"{count} open, the first three:"
    points = " ".join(f"{i}. {blocker.message}" for i, blocker in enumerate(found[:3], 1))
    raise BlockedError(f"{lead} {points}", "Settle these, then submit again.")


def _open_findings(findings: Sequence[Finding], waivers: Sequence[Waiver]) -> list[Blocker]:
    waived = {(waiver.rule, waiver.where) for waiver in waivers}
    return [
        Blocker(
            kind="finding",
            message=f"{finding.message} Fix it, or waive it with a reason.",
            task=finding.task,
            step=finding.step,
            path=finding.path,
            finding=finding,
        )
        for finding in findings
        if finding.severity is Severity.ERROR and (finding.rule, finding.where) not in waived
    ]


def _open_evidence(
    dialogue: Dialogue, evidence: Sequence[Citation], policy: ReviewPolicy
) -> Iterator[Blocker]:
    cited = {(c.task, c.step, c.path) for c in evidence if c.accepted}
    for t, task in enumerate(dialogue.case.tasks):
        for s, step in task.calls:
            as_found = taken_as_found(dialogue, (t, s), policy)
            for path in leaf_paths(step.arguments):
                if (t, s, path) not in cited and path not in as_found:
                    message = f"Task {t + 1}, step {s}: say where {path} of {step.name} comes from."
                    yield Blocker(kind="evidence", message=message, task=t, step=s, path=path)


def taken_as_found(dialogue: Dialogue, place: tuple[int, int], policy: ReviewPolicy) -> frozenset[str]:
    """The argument values of a call, as paths, whose source nobody has to confirm."""
    return exact_paths(dialogue, place[0], step=place[1]) if policy.exact_as_found else frozenset()


def _open_labels(case: Case, tasks: Sequence[TaskLabels]) -> Iterator[Blocker]:
    for t, labels in enumerate(_aligned(case, tasks)):
        if labels.policy is None:
            yield Blocker(kind="label", message=f"Task {t + 1}: choose the policy.", task=t, label="policy")
        if labels.information is None and t > 0:
            yield Blocker(
                kind="label",
                message=f"Task {t + 1}: choose the information type.",
                task=t,
                label="information",
            )


def _open_reviews(case: Case, tasks: Sequence[TaskLabels]) -> list[Blocker]:
    """Thoughts and plans may be missing: that takes items of T-Eval away, not the case."""
    return [
        Blocker(
            kind="review",
            message=f"Task {t + 1}, step {step}: say how the call of {call.name} ended.",
            task=t,
            step=step,
        )
        for t, labels in enumerate(_aligned(case, tasks))
        for position, (step, call) in enumerate(case.tasks[t].calls)
        if position >= len(labels.reviews) or labels.reviews[position] is None
    ]


def _open_drawings(case: Case, tasks: Sequence[TaskLabels]) -> Iterator[Blocker]:
    """An untouched canvas says nothing: neither that steps are parallel nor that a file is right."""
    for t, (task, labels) in enumerate(zip(case.tasks, _aligned(case, tasks), strict=True)):
        if task.needs_drawing and not labels.drawn:
            message = (
                f"Task {t + 1}: 'drawn' is missing; say with true or false whether you drew it."
                if labels.drawn is None
                else f"Task {t + 1}: it is not drawn; draw it, or say that nothing waits for anything."
            )
            yield Blocker(kind="drawing", message=message, task=t)


def _open_judgments(case: Case, tasks: Sequence[TaskLabels]) -> Iterator[Blocker]:
    for t, labels in enumerate(_aligned(case, tasks)):
        if labels.completed is None:
            yield Blocker(kind="judgment", message=f"Task {t + 1}: is it completed?", task=t)
        for position, (step, call) in enumerate(case.tasks[t].calls):
            said = labels.calls_correct[position] if position < len(labels.calls_correct) else None
            if said is None:
                message = f"Task {t + 1}, step {step}: is the call of {call.name} correct?"
                yield Blocker(kind="judgment", message=message, task=t, step=step)


def _denied(case: Case, tasks: Sequence[TaskLabels]) -> Iterator[Blocker]:
    """An owner does not hand on what they say themselves is wrong or not completed."""
    for t, labels in enumerate(tasks):
        if labels.completed is False:
            message = f"Task {t + 1}: you say it is not completed; repair it, or escalate the case."
            yield Blocker(kind="judgment", message=message, task=t)
        for (step, call), said in zip(case.tasks[t].calls, labels.calls_correct, strict=False):
            if said is False:
                message = f"Task {t + 1}, step {step}: you say the call of {call.name} is wrong; repair it."
                yield Blocker(kind="judgment", message=message, task=t, step=step)


def _failed_items(items: Sequence[Item], judgment: Judgment) -> Iterator[Blocker]:
    """An owner does not hand on what they say themselves fails; a reviewer's case goes to an expert then."""
    failed = (item for item in items if answer_of(item, judgment) is CheckAnswer.FAIL)
    return (
        Blocker(
            kind="checklist",
            message=f"{_place_of(item)}: “{item.sentence}” fails; repair it, or escalate the case.",
            task=item.task,
        )
        for item in failed
    )


def _open_items(items: Sequence[Item], judgment: Judgment, stage: Stage) -> Iterator[Blocker]:
    unanswered = (item for item in items if is_asked(item, stage) and is_open(item, judgment))
    return (
        Blocker(kind="checklist", message=f"{_place_of(item)}: confirm “{item.sentence}”.", task=item.task)
        for item in unanswered
    )


def _place_of(item: Item) -> str:
    return "The dialogue" if item.task is None else f"Task {item.task + 1}"


def _aligned(case: Case, tasks: Sequence[TaskLabels]) -> Sequence[TaskLabels]:
    if len(tasks) != len(case.tasks):
        raise BlockedError(
            f"The judgment speaks of {len(tasks)} tasks, the case has {len(case.tasks)}.",
            "Load the case again and judge every task.",
        )
    return tasks
