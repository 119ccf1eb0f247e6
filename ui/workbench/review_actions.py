"""What a person can say about a case: each function is one step of undo of a document."""

from collections.abc import Iterable
from functools import partial

from scoring.model.labels import CASE_CHECKLIST, TASK_CHECKLIST, Citation, DialogueSource, Finding
from scoring.model.record import Record
from scoring.model.taxonomy import CheckAnswer, SourceMark
from ui.theme.words import counted
from ui.workbench import judging
from ui.workbench.assessing import EvidenceLine
from ui.workbench.document import WorkbenchDocument
from ui.workbench.judging import CitedPlace


class Confirmed(Record):
    """What confirming the next item did; `item` is null where nothing was left to confirm in the task."""

    task: int
    item: str | None


def confirm_next(document: WorkbenchDocument) -> Confirmed:
    """Confirm the first open item of the selected task's checklist."""
    task = document.selection.task
    item = judging.open_task_item(document.judgment, task)
    if item is not None:
        answer_item(document, item, answer=CheckAnswer.PASS)
    return Confirmed(task=task, item=item)


def has_open_item(document: WorkbenchDocument, task: int) -> bool:
    """Whether a task's checklist has an item without an answer."""
    return judging.open_task_item(document.judgment, task) is not None


def confirm_next_of_case(document: WorkbenchDocument) -> bool:
    """Confirm the first open item of the case's checklist; whether there was one."""
    item = next((item for item in CASE_CHECKLIST if document.judgment.checklist.get(item) is None), None)
    return item is not None and answer_case_item(document, item, answer=CheckAnswer.PASS)


def answer_item(document: WorkbenchDocument, item: str, *, answer: CheckAnswer | None) -> bool:
    """Answer an item of the selected task's checklist; null takes the answer back."""
    task = document.selection.task
    title = f"{_verb(answer)} “{TASK_CHECKLIST.get(item, item)}”"
    change = partial(judging.set_task_check, task=task, item=item, answer=answer)
    return document.edit_judgment(title, change)


def answer_case_item(document: WorkbenchDocument, item: str, *, answer: CheckAnswer | None) -> bool:
    """Answer an item of the case's checklist; null takes the answer back."""
    change = partial(judging.set_case_check, item=item, answer=answer)
    return document.edit_judgment(f"{_verb(answer)} “{CASE_CHECKLIST.get(item, item)}”", change)


def say_completed(document: WorkbenchDocument, *, completed: bool | None) -> bool:
    """Say whether the selected task is completed."""
    task = document.selection.task
    title = f"say whether task {task + 1} is completed"
    return document.edit_judgment(title, partial(judging.set_completed, task=task, completed=completed))


def say_call(document: WorkbenchDocument, step: int, *, correct: bool | None) -> bool:
    """Say whether a call of the selected task is right."""
    task, case = document.selection.task, document.case
    change = partial(judging.set_call_correct, case=case, task=task, step=step, correct=correct)
    return document.edit_judgment(f"judge call {step}", change)


def open_call(document: WorkbenchDocument, behind: int | None) -> int | None:
    """The next call of the selected task nothing was said about yet, going round; null for none."""
    task = document.selection.task
    calls = [step for step, _ in document.case.tasks[task].calls]
    start = -1 if behind is None else behind
    for step in [*(s for s in calls if s > start), *(s for s in calls if s <= start)]:
        if judging.call_correct(document.judgment, document.case, task=task, step=step) is None:
            return step
    return None


def accept_proposals(document: WorkbenchDocument, lines: Iterable[EvidenceLine]) -> int:
    """Accept where argument values are proposed to come from; returns how many were open."""
    found = [line.citation for line in lines if line.citation is not None and not line.citation.accepted]
    if found:
        title = f"accept {counted(len(found), 'citation')}"
        document.edit_judgment(title, partial(judging.cite, citations=found))
    return len(found)


def mark_value(document: WorkbenchDocument, places: Iterable[CitedPlace], *, mark: SourceMark) -> bool:
    """Say that argument values stand nowhere in the dialogue."""
    citations = [Citation(task=t, step=s, path=path, source=mark) for t, s, path in places]
    if not citations:
        return False
    title = f"mark {counted(len(citations), 'value')} as {mark}"
    return document.edit_judgment(title, partial(judging.cite, citations=citations))


def cite_place(document: WorkbenchDocument, place: CitedPlace, *, source: DialogueSource) -> bool:
    """Cite an argument value from a place a person pointed out."""
    task, step, path = place
    citation = Citation(task=task, step=step, path=path, source=source)
    return document.edit_judgment(f"cite {path.lstrip('/')}", partial(judging.cite, citations=[citation]))


def clear_values(document: WorkbenchDocument, places: Iterable[CitedPlace]) -> bool:
    """Take back where argument values come from."""
    gone = tuple(places)
    title = f"take back {counted(len(gone), 'citation')}"
    return document.edit_judgment(title, partial(judging.uncite, places=gone))


def waive_finding(document: WorkbenchDocument, finding: Finding, *, reason: str) -> bool:
    """Leave a finding as it is, with the reason."""
    return document.edit_judgment(
        f"waive {finding.rule}", partial(judging.waive, finding=finding, reason=reason)
    )


def unwaive_finding(document: WorkbenchDocument, finding: Finding) -> bool:
    """Take a waiver back."""
    return document.edit_judgment(f"reopen {finding.rule}", partial(judging.unwaive, finding=finding))


def _verb(answer: CheckAnswer | None) -> str:
    if answer is None:
        return "reopen"
    return {CheckAnswer.PASS: "confirm", CheckAnswer.FAIL: "fail"}.get(answer, "pass over")
