"""What is shown of a case that is only read: all a program says about it, and why nobody works on it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QObject

from annotator.cases.access import visible_findings
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.findings.checks import check_dialogue
from annotator.cases.history import EventRow, case_events
from annotator.drafts.assessment import Assessment, lines_in
from annotator.drafts.snapshot import Snapshot
from annotator.project.people import PersonRow
from annotator.project.workspace import Workspace
from annotator.review.case_view import ReadCase, is_reopenable, lacks_role, read_case
from annotator.review.escalation import Escalation
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Role, Stage, Verdict
from ui.desk.document import CaseDocument
from ui.theme.words import ROLE, STAGE

_SAID = {
    Verdict.APPROVE: "approved",
    Verdict.RETURN: "returned",
    Verdict.ESCALATE: "escalated",
    Verdict.REJECT: "rejected",
}
_SYSTEM = "system"


@dataclass(frozen=True)
class Happened:
    """One thing that happened; `who` is empty where it followed by rule."""

    who: str
    words: str
    at: datetime


def what_happened(events: Sequence[EventRow]) -> tuple[Happened, ...]:
    """The events that say something about the course of a case, in the order they are given.

    Claims, drafts and remarks are left out: they change nothing about it.
    """
    found = []
    for event in events:
        words_of = _WORDS.get(event.action)
        if words_of is not None:
            words = words_of(json.loads(event.payload))
            found.append(Happened("" if event.actor == _SYSTEM else event.actor, words, event.at))
    return tuple(found)


Payload = Mapping[str, Any]


def _submitted(payload: Payload) -> str:
    at, to, said = Stage(payload["at"]), Stage(payload["to"]), Verdict(payload["verdict"])
    is_whole = at is Stage.SELF_CHECK_TASK and said is Verdict.APPROVE and to is not Stage.SELF_CHECK_DIALOGUE
    return f"{'Self-check' if is_whole else STAGE[at]}: {_SAID[said]}"


def _decided(payload: Payload) -> str:
    corrected = ", corrected" if payload.get("correction") is True else ""
    return f"Decision: {_SAID[Verdict(payload['verdict'])]}{corrected}"


def _escalated(payload: Payload) -> str:
    return f"Escalated: {Escalation.model_validate_json(json.dumps(payload['escalation'])).words}"


def _closed(payload: Payload) -> str:
    why = f", {payload['why']}" if payload.get("why") else ""
    return f"Round closed{why}; now at: {STAGE[Stage(payload['to'])].lower()}"


def _left(payload: Payload) -> str:
    words = "Skipped" if payload.get("status") == "skipped" else "Handed back"
    return f"{words}: {payload['reason']}" if payload.get("reason") else words


def _marked(payload: Payload) -> str:
    return "Marked as a gold example" if payload.get("is_gold") is True else "No gold example any more"


_WORDS: Mapping[str, Callable[[Payload], str]] = {
    "review:judgment:submit": _submitted,
    "review:judgment:withdraw": lambda _: "Took the judgment back",
    "review:round:close": _closed,
    "review:case:decide": _decided,
    "review:case:escalate": _escalated,
    "review:case:reopen": lambda payload: f"Reopened: {payload['reason']}",
    "review:case:reassign": lambda _: "Gave it to somebody",
    "review:case:leave": _left,
    "case:content:put": lambda payload: f"Corrected: {payload['reason']}",
    "case:gold:mark": _marked,
}


_IDLE = (Stage.APPROVED, Stage.FINAL, Stage.RELEASED, Stage.REJECTED)


@dataclass(frozen=True)
class ReadOnlyCase:
    """A case to read, what is said about it (nothing is suggested), and what happened to it, newest first."""

    read: ReadCase
    assessment: Assessment
    happened: tuple[Happened, ...] = ()

    @property
    def case(self) -> Case:
        """The case as the reader may see it."""
        return self.read.case


def document_to_read(shown: ReadOnlyCase, *, parent: QObject) -> CaseDocument:
    """A document of the case that takes no edit."""
    snapshot = shown.assessment.snapshot
    return CaseDocument(
        snapshot.case,
        snapshot.judgment,
        stage=shown.read.row.stage,
        policy=shown.read.policy,
        is_blind=shown.read.row.is_blind,
        draft=snapshot,
        assessment=shown.assessment,
        is_read_only=True,
        parent=parent,
    )


@dataclass(frozen=True)
class Standing:
    """Why a case can only be read, and what can be done instead."""

    reason: str
    advice: str


def load_read_only(workspace: Workspace, *, case_id: str) -> ReadOnlyCase:
    """Read a case with what the checks say about it.

    Raises:
        NotFoundError: The project has no such case.
    """
    read = read_case(workspace, case_id)
    tasks = tuple(
        labels if labels.drawn is None else labels.model_copy(update={"drawn": drawn is True})
        for labels, drawn in zip(labels_of(read.case), read.drawn, strict=True)
    )
    judgment = Judgment(tasks=tasks, evidence=read.settled.evidence, waivers=read.settled.waivers)
    said = _assessed(Snapshot(read.case, judgment), is_blind=read.row.is_blind)
    return ReadOnlyCase(read, said, what_happened(case_events(workspace, case_id)))


def _assessed(snapshot: Snapshot, *, is_blind: bool) -> Assessment:
    """What the checks say, as far as the reader may see it; nothing is suggested."""
    case, judgment = snapshot.case, snapshot.judgment
    dialogue = Dialogue(case)
    if is_blind:
        findings = visible_findings(case, is_blind=True)
    else:
        findings = check_dialogue(dialogue, citations=judgment.evidence, undrawn=judgment.undrawn)
    return Assessment(
        snapshot=snapshot,
        findings=findings,
        blockers=(),
        evidence=() if is_blind else lines_in(dialogue, judgment),
        suggestions=((),) * len(case.tasks),
    )


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
