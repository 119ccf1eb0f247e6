"""What would settle a finding with one key: the edit, and the words on its button."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from annotator.cases.editing import remove_argument
from annotator.cases.proposals import apply_proposal, has_proposal
from annotator.cases.step_editing import delete_step
from scoring.model.case import Case
from scoring.model.labels import Finding
from ui.transcript.content import ANSWER_MISSING, USER_STEP
from ui.transcript.repairs import argument_name, repair_words

WRITTEN = ("answer.missing", "observation.missing", "task.empty")
"""Rules that are settled by writing what is missing."""


@dataclass(frozen=True)
class Fix:
    """An edit that settles a finding, and what its button says."""

    title: str
    change: Callable[[Case], Case]


@dataclass(frozen=True)
class WritingPlace:
    """A field of a card of the dialogue; an empty field is what the card is mainly about."""

    task: int
    step: int
    field: str


def fix_for(finding: Finding) -> Fix | None:
    """The edit that would settle a finding; null where a person has to think of one."""
    if has_proposal(finding):
        return Fix(repair_words(finding), partial(apply_proposal, finding=finding))
    if finding.task is None or finding.step is None:
        return None
    if finding.rule == "args.undefined" and finding.path:
        change = partial(remove_argument, task=finding.task, step=finding.step, path=finding.path)
        return Fix(f"Remove {argument_name(finding)}", change)
    if finding.rule == "call.duplicate":
        change = partial(delete_step, task=finding.task, step=finding.step)
        return Fix(f"Delete step {finding.step}", change)
    return None


def writing_place(finding: Finding, case: Case) -> WritingPlace | None:
    """Where somebody has to write something to settle a finding; null where that is not what it takes."""
    if finding.task is None or not finding.task < len(case.tasks):
        return None
    if finding.rule == "answer.missing":
        step = case.tasks[finding.task].answer_index
        return WritingPlace(finding.task, ANSWER_MISSING if step is None else step, "")
    if finding.rule == "observation.missing" and finding.step is not None:
        return WritingPlace(finding.task, finding.step, "observation")
    if finding.rule == "task.empty" and case.tasks[finding.task].steps:
        return WritingPlace(finding.task, USER_STEP, "user")
    return None
