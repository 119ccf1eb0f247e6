"""A case that is only read: what a program says about it, why nobody works on it, and its Labels tab."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.findings.checks import check_dialogue, visible_findings
from annotator.cases.history import EventRow, case_events
from annotator.drafts.assessment import Assessment, lines_in
from annotator.drafts.snapshot import Snapshot
from annotator.project.people import PersonRow
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace
from annotator.review.escalation import Escalation
from annotator.review.loaded_case import VisibleCase, is_reopenable, lacks_role, read_case
from annotator.review.queue.case_rows import CaseRow
from annotator.review.queue.checked import DRAWN, ONE_CHECK, CheckReason
from scoring.errors import AnnotatorError
from scoring.model.case import Case, Task
from scoring.model.graph import derive_policy
from scoring.model.labels import Finding, Judgment, Waiver, labels_of
from scoring.model.taxonomy import Role, SlotStatus, Stage, Verdict
from scoring.texts import in_language, tr, tr_count
from ui.desk.document import CaseDocument
from ui.desk.tabs.findings_section import place_words
from ui.desk.tabs.section import Section
from ui.theme import Hint, TextLabel, Tone, theme
from ui.theme.layouts import STRETCH, build, clear_layout, column, fill, grid
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.words import INFORMATION, POLICY, ROLE, STAGE, ago, exactly

_SAID = {
    Verdict.APPROVE: tr("approved"),
    Verdict.RETURN: tr("returned"),
    Verdict.ESCALATE: tr("escalated"),
    Verdict.REJECT: tr("rejected"),
}


@dataclass(frozen=True)
class Happened:
    """One thing that happened; `who` is empty where it followed by rule."""

    who: str
    words: str
    at: datetime


def what_happened(events: Sequence[EventRow]) -> tuple[Happened, ...]:
    """The events that say something about the course of a case, in the order they are given.

    Claims, drafts and comments are left out: they change nothing about it.
    """
    return tuple(
        Happened(
            "" if event.actor == "system" else event.actor,
            _WORDS[event.action](json.loads(event.payload)),
            event.at,
        )
        for event in events
        if event.action in _WORDS
    )


Payload = Mapping[str, Any]


def _submitted(payload: Payload) -> str:
    at, to, said = Stage(payload["at"]), Stage(payload["to"]), Verdict(payload["verdict"])
    is_whole = at is Stage.SELF_CHECK_TASK and said is Verdict.APPROVE and to is not Stage.SELF_CHECK_DIALOGUE
    return tr("{name}: {words}", name=tr("Self-check") if is_whole else STAGE[at], words=_SAID[said])


def _decided(payload: Payload) -> str:
    corrected = tr(", corrected") if payload.get("correction") is True else ""
    return tr("Decision: {said}{corrected}", said=_SAID[Verdict(payload["verdict"])], corrected=corrected)


def _closed(payload: Payload) -> str:
    why = f", {tr(payload['why'])}" if payload.get("why") else ""
    return tr("Round closed{why}; now at: {stage}", why=why, stage=STAGE[Stage(payload["to"])].lower())


_CHECKED = {
    CheckReason.RETURNED: tr("Cross-checked, because it was returned or reopened"),
    CheckReason.FINDING: tr("Cross-checked, because it has findings"),
    CheckReason.RELABELLED: tr("Cross-checked, because its owner changed a label it came with"),
    CheckReason.NEW: tr("Cross-checked, because its owner is new"),
    CheckReason.WEAK: tr("Cross-checked, because its owner's cases pass less often than those of others"),
    CheckReason.MISSED: tr("Cross-checked, because its owner missed the last planted defect"),
}


def _drawn(payload: Payload) -> str:
    if payload["drawn"]:
        return tr("Drawn for a cross-check")
    reason = payload["reason"]
    return _CHECKED[CheckReason(reason)] if reason else tr("Not drawn for a cross-check")


def _left(payload: Payload) -> str:
    words = tr("Skipped") if payload.get("status") == SlotStatus.SKIPPED else tr("Handed back")
    return tr("{name}: {words}", name=words, words=payload["reason"]) if payload.get("reason") else words


_WORDS: Mapping[str, Callable[[Payload], str]] = {
    "review:judgment:submit": _submitted,
    "review:judgment:withdraw": lambda _: tr("Took the judgment back"),
    "review:round:close": _closed,
    DRAWN: _drawn,
    ONE_CHECK: lambda _: tr("One self-check, because its owner is neither new nor weak"),
    "review:case:decide": _decided,
    "review:case:escalate": lambda payload: tr(
        "Escalated: {words}",
        words=tr(Escalation.model_validate_json(json.dumps(payload["escalation"])).words),
    ),
    "review:case:reopen": lambda payload: tr("Reopened: {payload}", payload=payload["reason"]),
    "review:case:reassign": lambda _: tr("Gave it to somebody"),
    "review:case:return": lambda payload: tr("Returned: {payload}", payload=payload["reason"]),
    "review:case:leave": _left,
    "case:content:put": lambda payload: tr("Corrected: {payload}", payload=payload["reason"]),
    "case:gold:mark": lambda payload: (
        tr("Marked as a gold example") if payload.get("is_gold") is True else tr("No gold example any more")
    ),
}


_IDLE = (Stage.APPROVED, Stage.FINAL, Stage.RELEASED, Stage.REJECTED)


@dataclass(frozen=True)
class ReadOnlyCase:
    """A case to read, what is said about it (nothing is suggested), and what happened to it, newest first."""

    read: VisibleCase
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
    snapshot = Snapshot(
        read.case, Judgment(tasks=tasks, evidence=read.settled.evidence, waivers=read.settled.waivers)
    )
    said = _assessed(snapshot, read.policy, is_blind=read.row.is_blind)
    return ReadOnlyCase(read, said, what_happened(case_events(workspace, case_id)))


def _assessed(snapshot: Snapshot, policy: ReviewPolicy, *, is_blind: bool) -> Assessment:
    """What the checks say, as far as the reader may see it; nothing is suggested."""
    case, judgment = snapshot.case, snapshot.judgment
    dialogue = Dialogue(case)
    whole = partial(check_dialogue, dialogue, citations=judgment.evidence, undrawn=judgment.undrawn)
    return Assessment(
        snapshot=snapshot,
        findings=visible_findings(case, is_blind=True) if is_blind else whole(),
        blockers=(),
        evidence=() if is_blind else lines_in(dialogue, judgment, policy),
        suggestions=((),) * len(case.tasks),
    )


def standing_of(read: VisibleCase, person: PersonRow, *, refused: AnnotatorError | None) -> Standing:
    """Say why a person can only read a case.

    Args:
        read: The case.
        person: Who reads it.
        refused: Why they could not take it; None where it has moved on since.
    """
    stage = read.row.stage
    if stage in _IDLE:
        return Standing(tr("{stage}: nobody works on it now.", stage=STAGE[stage]), _advice(read))
    role = lacks_role(stage, person)
    if role is not None:
        return Standing(
            tr("{stage}: it waits for an {role}.", stage=STAGE[stage], role=ROLE[role].lower()),
            _advice_without(role, person),
        )
    if refused is None:
        return Standing(
            tr("{stage}: it has moved on.", stage=STAGE[stage]), tr("Open it from the Queue to work on it.")
        )
    return Standing(in_language(refused.message), in_language(refused.hint))


def _advice_without(role: Role, person: PersonRow) -> str:
    if role is Role.ANNOTATOR and person.has_role(Role.MANAGER):
        return tr("Its menu in the Queue gives it to somebody.")
    can_work = person.has_role(Role.ANNOTATOR) or person.has_role(Role.EXPERT)
    return tr("Take the next case instead (N).") if can_work else tr("The Team page lists who that is.")


def _advice(read: VisibleCase) -> str:
    if read.can_reopen:
        return tr("To change it, reopen it with a reason.")
    if is_reopenable(read.row.stage):
        return tr("An expert can reopen it with a reason.")
    return tr("It waits for the sample of its batch.")


_NOT_LABELLED, _HIDDEN = tr("not labelled"), tr("hidden from you for now")


class _Facts(QWidget):
    """Names and what they say, a line each."""

    def __init__(self, names: Sequence[str], *, prefix: str) -> None:
        super().__init__()
        facts = grid(within=self, gaps=(12, 6), grows=1)
        facts.setColumnMinimumWidth(0, theme().px(84))
        self._names: dict[str, TextLabel] = {}
        self._words: dict[str, TextLabel] = {}
        for row, name in enumerate(names):
            self._names[name] = TextLabel(name, "muted")
            self._words[name] = TextLabel(
                "",
                objectName=f"{prefix}-{name.lower().replace(' ', '-')}",
                wordWrap=True,
                textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            )
            facts.addWidget(self._names[name], row, 0, Qt.AlignmentFlag.AlignTop)
            facts.addWidget(self._words[name], row, 1)

    def show_fact(self, name: str, words: str, *, look: str = "body", tip: str = "") -> None:
        """Show what a name says; a line that says nothing is left out."""
        self._words[name].say(words, look)
        self._words[name].setToolTip(tip)
        self._names[name].setVisible(bool(words))


class CaseFactsPanel(QScrollArea):
    """Shows the labels of one task as text, its findings, and the facts of the case."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="reading-labels",
            accessibleName=tr("Labels"),
            widgetResizable=True,
            frameShape=QFrame.Shape.NoFrame,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        self._labels, self._findings, self._about, self._course = sections = (
            Section(tr("Labels")),
            Section(tr("Findings")),
            Section(tr("Case")),
            Section(tr("What happened")),
        )
        self._shown: ReadOnlyCase | None = None
        self._said = _Facts((tr("Policy"), tr("Drawn as"), tr("Information")), prefix="read")
        self._facts = _Facts((tr("Owner"), tr("Round"), tr("Changed"), tr("Note"), tr("Gold")), prefix="case")
        self._labels.rows.addWidget(self._said)
        self._about.rows.addWidget(self._facts)
        for section in sections:
            # Wrapped words would take room they do not fill.
            section.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setWidget(column(*sections, STRETCH, gap=20, margins=12))

    def set_case(self, shown: ReadOnlyCase) -> None:
        """Show another case, or the one that is shown as it is now."""
        self._shown = shown
        self._show_case(shown.read.row)
        self._show_course(shown.happened)

    def show_task(self, number: int) -> None:
        """Show a task of the case, counted from 0."""
        if self._shown is None:
            return
        task, is_blind = self._shown.case.tasks[number], self._shown.read.row.is_blind
        self._labels.heading.set_heading(tr("Labels · task {number}", number=number + 1))
        self._show_labels(task, is_blind=is_blind, drawn=self._shown.read.drawn[number])
        self._show_findings(self._shown, number)

    def _show_labels(self, task: Task, *, is_blind: bool, drawn: bool | None) -> None:
        nothing = _HIDDEN if is_blind else _NOT_LABELLED
        for name, words in (
            (tr("Policy"), POLICY[task.policy] if task.policy else nothing),
            (tr("Information"), INFORMATION[task.information] if task.information else nothing),
        ):
            self._said.show_fact(name, words, look="muted" if words is nothing else "body")
        derived = derive_policy(task) if drawn else None
        is_other = derived is not None and task.policy is not None and derived is not task.policy
        nobody = tr("not known: its judgments do not say") if drawn is None else tr("not drawn yet")
        words = POLICY[derived] if derived else nobody
        is_hidden = is_blind and not task.drawn_edges
        look = "warn" if is_other else "body" if derived and not is_hidden else "muted"
        self._said.show_fact(tr("Drawn as"), _HIDDEN if is_hidden else words, look=look)

    def _show_findings(self, reading: ReadOnlyCase, number: int) -> None:
        waivers = {(w.rule, w.where): w for w in reading.assessment.snapshot.judgment.waivers}
        found = [f for f in reading.assessment.findings if f.task in (None, number)]
        self._findings.heading.set_heading(
            tr("{finding} · task {number}", finding=tr_count(len(found), "finding"), number=number + 1)
        )
        self._findings.setVisible(bool(found))
        fill(self._findings.rows, (_hint(one, waivers.get((one.rule, one.where))) for one in found))

    def _show_case(self, row: CaseRow) -> None:
        now = datetime.now().astimezone()
        for name, words in (
            (tr("Owner"), row.owner or tr("nobody")),
            (tr("Round"), str(row.round) if row.round > 1 else ""),
            (tr("Note"), tr(row.note)),
            (tr("Gold"), tr("an example of a case done right") if row.is_gold else ""),
        ):
            self._facts.show_fact(name, words)
        self._facts.show_fact(tr("Changed"), ago(row.changed_at, now), tip=exactly(row.changed_at, now))

    def _show_course(self, happened: Sequence[Happened]) -> None:
        clear_layout(self._course.rows)
        self._course.setVisible(bool(happened))
        now = datetime.now().astimezone()
        for one in happened:
            line = TextLabel(one.words, wordWrap=True)
            when = TextLabel(
                " · ".join(part for part in (one.who, ago(one.at, now)) if part),
                "small-muted",
                toolTip=exactly(one.at, now),
            )
            self._course.rows.addWidget(column(line, when, margins=(0, 0, 0, 4)))


def _hint(finding: Finding, waiver: Waiver | None) -> Hint:
    said = (
        tr("{message} Waived: {reason}", message=tr(finding.message), reason=waiver.reason) if waiver else ""
    )
    return Hint(
        place_words(finding),
        said or tr(finding.message),
        Tone.NEUTRAL if waiver else SEVERITY_TONE[finding.severity],
        toolTip=f"{tr(finding.settle)} ({finding.rule})",
    )
