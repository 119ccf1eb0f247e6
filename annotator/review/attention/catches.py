"""Whether a submission caught a planted defect: its place is flagged or corrected."""

from collections.abc import Sequence

from annotator.cases.history import CommentPlace
from annotator.cases.versions.identity import known_again, laid_tasks
from annotator.review.attention.defects import Defect, DefectKind
from scoring.model.case import Call, Case
from scoring.model.flow import leaves
from scoring.model.graph import step_name
from scoring.model.labels import Judgment, TaskLabels
from scoring.model.taxonomy import CheckAnswer, FeedbackCategory, Verdict

_ITEMS = {
    DefectKind.ANSWER: ("facts", "relevant"),
    DefectKind.VALUE: (),
    DefectKind.INFORMATION: ("hidden",),
    DefectKind.REQUEST: ("language",),
    DefectKind.ORDER: (),
    DefectKind.INCOMPLETE: ("relevant",),
}
"""The items of a task's checklist that a defect breaks."""
_REASONS = {
    DefectKind.ANSWER: (FeedbackCategory.WRONG_ANSWER,),
    DefectKind.VALUE: (FeedbackCategory.WRONG_VALUE,),
    DefectKind.INFORMATION: (FeedbackCategory.INFORMATION_MISMATCH,),
    DefectKind.REQUEST: (FeedbackCategory.UNNATURAL_LANGUAGE,),
    DefectKind.ORDER: (FeedbackCategory.WRONG_DEPENDENCY,),
    DefectKind.INCOMPLETE: (FeedbackCategory.WRONG_ANSWER, FeedbackCategory.INSUFFICIENT_EVIDENCE),
}
"""The reasons of a verdict other than an approval that name a defect."""


def is_caught(defect: Defect, copy: Case, judgment: Judgment, *, commented: Sequence[str] = ()) -> bool:
    """Whether a submission flags or corrects the planted place.

    Flagged: the task's item of the checklist fails, the call is said to be wrong, a task that lacks what
    its answer claims is said not to be completed, a verdict other than an approval gives the category as
    its reason, or a comment was made at the place. Corrected: what was planted no longer stands there.
    Another change elsewhere counts for nothing.

    Args:
        defect: What was planted.
        copy: The case as it was shown, before labels were hidden.
        judgment: What the person submitted; its labels belong to its edit where it has one.
        commented: The places the person commented on.
    """
    reasons = () if judgment.verdict is Verdict.APPROVE else judgment.reasons
    if any(_is_at(defect, where) for where in commented) or any(
        reason.category in _REASONS[defect.kind] for reason in reasons
    ):
        return True
    after = judgment.edit or copy
    task = _task_now(copy, after, defect.task)
    if task is None or task >= len(judgment.tasks):
        return True  # the whole task was taken out
    labels = judgment.tasks[task]
    places = _steps_now(copy, after, defect.task, task)
    return (
        any(labels.checklist.get(item) is CheckAnswer.FAIL for item in _ITEMS[defect.kind])
        or (defect.kind in (DefectKind.ANSWER, DefectKind.INCOMPLETE) and labels.completed is False)
        or _is_corrected(defect, copy, after, labels=labels, task=task, places=places)
    )


def _is_at(defect: Defect, where: str) -> bool:
    """Whether the place of a comment is the planted one: its task and, where one was changed, its step."""
    place = CommentPlace.of(where)
    return place.task == defect.task and defect.step in (None, place.step)


def _task_now(copy: Case, after: Case, task: int) -> int | None:
    """Where a task of the copy stands after an edit; None where it is gone."""
    if len(copy.tasks) == len(after.tasks):
        return task
    slots = laid_tasks([copy.tasks, after.tasks, copy.tasks]).slots
    return next((slot.mine for slot in slots if slot.base == task), None)


def _steps_now(copy: Case, after: Case, task: int, now: int) -> dict[int, int]:
    """Where the steps of a task stand after an edit; those that are gone are absent."""
    known = known_again(copy.tasks[task].steps, after.tasks[now].steps)
    return {before: place for place, before in enumerate(known) if before is not None}


def _is_corrected(
    defect: Defect, copy: Case, after: Case, *, labels: TaskLabels, task: int, places: dict[int, int]
) -> bool:
    before, now = copy.tasks[defect.task], after.tasks[task]
    match defect.kind:
        case DefectKind.ANSWER:
            planted, was, answer = str(defect.planted), before.answer, now.answer
            return answer is None or was is None or answer.text.count(planted) < was.text.count(planted)
        case DefectKind.REQUEST:
            return str(defect.planted) not in now.user
        case DefectKind.INFORMATION:
            return labels.information != defect.planted
        case DefectKind.INCOMPLETE:
            added = [step_name(step) for place, step in enumerate(now.steps) if place not in places.values()]
            return defect.gold in added
    place = places.get(defect.step if defect.step is not None else -1)
    if defect.kind is DefectKind.ORDER:
        end = places.get(defect.target if defect.target is not None else -1)
        return place is None or end is None or (place, end) in {edge[:2] for edge in labels.edges}
    call = now.steps[place] if place is not None else None
    if place is None or not isinstance(call, Call):
        return True
    return (
        _is_denied(labels, now.calls, place)
        or dict(leaves(call.arguments)).get(str(defect.path)) != defect.planted
    )


def _is_denied(labels: TaskLabels, calls: Sequence[tuple[int, Call]], step: int) -> bool:
    said = dict(zip((place for place, _ in calls), labels.calls_correct, strict=False))
    return said.get(step) is False
