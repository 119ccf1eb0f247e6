"""What a person can say about a case: each function is one step of undo of a document."""

from collections.abc import Iterable
from functools import partial

from annotator.drafts import statements
from annotator.drafts.assessment import EvidenceLine
from annotator.drafts.checklists import Item, next_open
from annotator.drafts.statements import CitedPlace
from scoring.model.labels import Citation, DialogueSource, Finding
from scoring.model.record import Record
from scoring.model.taxonomy import CheckAnswer, SourceMark, Stage
from scoring.texts import tr, tr_count
from ui.desk.document import CaseDocument


class Accepted(Record):
    """How many proposed sources were accepted, and how many were left since the value differs from them."""

    count: int
    differing: int

    @property
    def words(self) -> str:
        """Both in a few words, e.g. `6 accepted, 1 different`."""
        said = tr("{count} accepted", count=self.count)
        return tr("{said}, {count} different", said=said, count=self.differing) if self.differing else said


def next_item(document: CaseDocument) -> Item | None:
    """The first open item of the selected task, and of the dialogue once no task has one.

    A second round asks for the dialogue.
    """
    tasks = range(len(document.case.tasks))
    is_of_task = document.stage is not Stage.SELF_CHECK_DIALOGUE and any(
        has_open_item(document, task) for task in tasks
    )
    task = document.selection.task if is_of_task else None
    return next_open(document.assessment.items, document.judgment, task=task)


def has_open_item(document: CaseDocument, task: int) -> bool:
    """Whether a task's checklist has an item that waits for a person."""
    return next_open(document.assessment.items, document.judgment, task=task) is not None


def answer_item(document: CaseDocument, item: Item, *, answer: CheckAnswer | None) -> bool:
    """Answer an item of a checklist; None takes the answer back."""
    change = (
        partial(statements.set_case_check, item=item.id, answer=answer)
        if item.task is None
        else partial(statements.set_task_check, task=item.task, item=item.id, answer=answer)
    )
    return document.edit_judgment(
        tr("{verb} “{sentence}”", verb=_verb(answer), sentence=tr(item.sentence)), change
    )


def say_completed(document: CaseDocument, *, completed: bool | None) -> bool:
    """Say whether the selected task is completed."""
    task = document.selection.task
    title = tr("say whether task {task} is completed", task=task + 1)
    return document.edit_judgment(title, partial(statements.set_completed, task=task, completed=completed))


def say_call(document: CaseDocument, step: int, *, correct: bool | None) -> bool:
    """Say whether a call of the selected task is right."""
    task, case = document.selection.task, document.case
    change = partial(statements.set_call_correct, case=case, task=task, step=step, correct=correct)
    return document.edit_judgment(tr("judge call {step}", step=step), change)


def open_call(document: CaseDocument, behind: int | None) -> int | None:
    """The next call of the selected task nothing was said about yet, going round; None if there is none."""
    task = document.selection.task
    calls = [step for step, _ in document.case.tasks[task].calls]
    start = -1 if behind is None else behind
    unsaid = (
        step
        for step in [*(s for s in calls if s > start), *(s for s in calls if s <= start)]
        if statements.call_correct(document.judgment, document.case, task=task, step=step) is None
    )
    return next(unsaid, None)


def accept_proposals(
    document: CaseDocument, lines: Iterable[EvidenceLine], *, is_bulk: bool = True
) -> Accepted:
    """Accept where argument values are proposed to come from.

    In bulk only sources that say the same: what differs from its source, or is not held by it any more,
    a person has to look at by itself.
    """
    offered = [line for line in lines if line.citation is not None and not line.citation.accepted]
    inexact = document.assessment.inexact_places if is_bulk else frozenset()
    found = [line.citation for line in offered if line.citation and line.place not in inexact]
    if found:
        title = tr("accept {citation}", citation=tr_count(len(found), "citation"))
        document.edit_judgment(title, partial(statements.cite, citations=found))
    return Accepted(count=len(found), differing=len(offered) - len(found))


def mark_value(
    document: CaseDocument, places: Iterable[CitedPlace], *, mark: SourceMark, note: str = ""
) -> bool:
    """Say that argument values stand nowhere in the dialogue; `note` is what they were worked out from."""
    citations = [Citation(task=t, step=s, path=path, source=mark, note=note) for t, s, path in places]
    if not citations:
        return False
    title = tr("mark {value} as {mark}", value=tr_count(len(citations), "value"), mark=mark)
    return document.edit_judgment(title, partial(statements.cite, citations=citations))


def cite_place(document: CaseDocument, place: CitedPlace, *, source: DialogueSource) -> bool:
    """Cite an argument value from a place a person pointed out."""
    task, step, path = place
    return document.edit_judgment(
        tr("cite {lstrip}", lstrip=path.lstrip("/")),
        partial(statements.cite, citations=[Citation(task=task, step=step, path=path, source=source)]),
    )


def clear_values(document: CaseDocument, places: Iterable[CitedPlace]) -> bool:
    """Take back where argument values come from."""
    gone = tuple(places)
    title = tr("take back {citation}", citation=tr_count(len(gone), "citation"))
    return document.edit_judgment(title, partial(statements.uncite, places=gone))


def waive_finding(document: CaseDocument, finding: Finding, *, reason: str) -> bool:
    """Leave a finding as it is, with the reason."""
    return document.edit_judgment(
        tr("waive {rule}", rule=finding.rule), partial(statements.waive, finding=finding, reason=reason)
    )


def unwaive_finding(document: CaseDocument, finding: Finding) -> bool:
    """Take a waiver back."""
    return document.edit_judgment(
        tr("reopen {rule}", rule=finding.rule), partial(statements.unwaive, finding=finding)
    )


def _verb(answer: CheckAnswer | None) -> str:
    said = {None: tr("reopen"), CheckAnswer.PASS: tr("confirm"), CheckAnswer.FAIL: tr("fail")}
    return said.get(answer, tr("pass over"))
