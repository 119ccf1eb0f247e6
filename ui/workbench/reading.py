"""What is shown of a case that is only read: all a program says about it, and why nobody works on it."""

from dataclasses import dataclass, replace

from annotator.cases.access import visible_findings
from annotator.cases.checking import check_dialogue
from annotator.cases.dialogue import Dialogue
from annotator.cases.history import case_events
from annotator.project.people import PersonRow
from annotator.project.workspace import Workspace
from annotator.review.reading import ReadCase, is_reopenable, lacks_role, read_case
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Role, Stage
from ui.theme.words import ROLE, STAGE
from ui.workbench.assessing import Assessment, lines_in
from ui.workbench.awaiting import awaited, is_long
from ui.workbench.reading_events import Happened, what_happened
from ui.workbench.snapshot import Snapshot

_IDLE = (Stage.APPROVED, Stage.FINAL, Stage.RELEASED, Stage.REJECTED)


@dataclass(frozen=True)
class Reading:
    """A case to read, what is said about it (nothing is suggested), and what happened to it, newest first."""

    read: ReadCase
    assessment: Assessment
    happened: tuple[Happened, ...] = ()

    @property
    def case(self) -> Case:
        """The case as the reader may see it."""
        return self.read.case


@dataclass(frozen=True)
class Standing:
    """Why a case can only be read, and what can be done instead."""

    reason: str
    advice: str


def load_reading(workspace: Workspace, *, case_id: str) -> Reading:
    """Read a case; a long one without what the checks say, which `with_checks` adds.

    Raises:
        NotFoundError: The project has no such case.
    """
    read = read_case(workspace, case_id)
    said = read.settled
    judgment = Judgment(tasks=labels_of(read.case), evidence=said.evidence, waivers=said.waivers)
    nothing = awaited(Snapshot(read.case, judgment), None)
    reading = Reading(read, nothing, what_happened(case_events(workspace, case_id)))
    return reading if is_long(read.case) else with_checks(reading)


def with_checks(reading: Reading) -> Reading:
    """A case to read with what the checks say about it."""
    snapshot, is_blind = reading.assessment.snapshot, reading.read.row.is_blind
    case, judgment = snapshot.case, snapshot.judgment
    dialogue = Dialogue(case)
    if is_blind:
        findings = visible_findings(case, is_blind=True)
    else:
        findings = check_dialogue(dialogue, citations=judgment.evidence)
    said = Assessment(
        snapshot=snapshot,
        findings=findings,
        blockers=(),
        evidence=() if is_blind else lines_in(dialogue, judgment),
        suggestions=((),) * len(case.tasks),
    )
    return replace(reading, assessment=said)


def standing_of(read: ReadCase, person: PersonRow, *, refused: AnnotatorError | None) -> Standing:
    """Say why a person can only read a case.

    Args:
        read: The case.
        person: Who reads it.
        refused: Why they could not take it; null where it has moved on since.
    """
    stage = read.row.stage
    if stage in _IDLE:
        return Standing(f"{STAGE[stage]}: nobody works on it now.", _advice(read))
    role = lacks_role(stage, person)
    if role is not None:
        return Standing(
            f"{STAGE[stage]}: it waits for an {ROLE[role].lower()}.", _advice_without(role, person)
        )
    if refused is None:
        return Standing(f"{STAGE[stage]}: it has moved on.", "Open it from the Queue to work on it.")
    return Standing(refused.message, refused.hint)


def _advice_without(role: Role, person: PersonRow) -> str:
    if role is Role.ANNOTATOR and person.has_role(Role.MANAGER):
        return "Its menu in the Queue gives it to somebody."
    can_work = person.has_role(Role.ANNOTATOR) or person.has_role(Role.EXPERT)
    return "Take the next case instead (N)." if can_work else "The Team page lists who that is."


def _advice(read: ReadCase) -> str:
    if read.can_reopen:
        return "To change it, reopen it with a reason."
    if is_reopenable(read.row.stage):
        return "An expert can reopen it with a reason."
    return "It waits until its whole batch is approved and the sample is drawn."
