"""Everything the page shows about a document besides its content: computed anew from each snapshot."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pydantic import JsonValue

from annotator.cases.evidence.citations import (
    CitedValues,
    broken_in,
    inexact_places,
    leaf_paths,
    proposals_for,
)
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.suggestions import SuggestedEdge, suggestions_for
from annotator.cases.findings.checks import check_dialogue
from annotator.cases.pointers import value_at
from annotator.cases.versions.conflicts import Clash, FieldPlace, ItemPlace
from annotator.drafts.checklists import Item, hidden_in, items_of
from annotator.drafts.clash_words import clash_message
from annotator.drafts.gates import Blocker, blockers, taken_as_found
from annotator.drafts.precedents import (
    NO_PRECEDENTS,
    LabelOffer,
    Precedents,
    decided_before,
    usual_orders,
)
from annotator.drafts.snapshot import Snapshot
from annotator.drafts.statements import CitedPlace, cited_place
from annotator.project.policy import ReviewPolicy
from scoring.groups import collected, grouped
from scoring.model.case import Answer, Call, Case
from scoring.model.labels import Citation, Finding, Judgment
from scoring.model.taxonomy import SourceMark, Stage, Verdict

_MARKS = {
    SourceMark.DEFAULT: "default",
    SourceMark.DERIVED: "derived",
    SourceMark.WORLD: "world knowledge",
}


class EvidenceState(StrEnum):
    """How far it is settled where an argument value comes from."""

    CITED = "cited"
    MARKED = "marked"
    BROKEN = "broken"
    FOUND = "found"
    PROPOSED = "proposed"
    OPEN = "open"


@dataclass(frozen=True)
class EvidenceLine:
    """One argument value and where it comes from.

    `citation` is what a person said, or what is proposed where nobody has said anything; `origin` says
    it in a few words. `reason` says why a program does not see the value at its source; empty where it
    does.
    """

    task: int
    step: int
    path: str
    tool_name: str
    value: JsonValue
    state: EvidenceState
    citation: Citation | None = None
    origin: str = ""
    reason: str = ""

    @property
    def place(self) -> CitedPlace:
        """Task, step and path."""
        return self.task, self.step, self.path

    @property
    def is_settled(self) -> bool:
        """Whether a person has said where the value comes from, or nobody has to."""
        return self.state in (EvidenceState.CITED, EvidenceState.MARKED, EvidenceState.FOUND)


@dataclass(frozen=True)
class Assessment:
    """What the checks, the gates and the proposals say about one snapshot.

    `items` are those of the checklists the stage shows, `offers` the labels proposed for each task.
    `dialogue` is the case as it was prepared for that, for another look after an edit.
    """

    snapshot: Snapshot
    findings: tuple[Finding, ...]
    blockers: tuple[Blocker, ...]
    evidence: tuple[EvidenceLine, ...]
    suggestions: tuple[tuple[SuggestedEdge, ...], ...]
    items: tuple[Item, ...] = ()
    offers: tuple[tuple[LabelOffer, ...], ...] = ()
    dialogue: Dialogue | None = field(default=None, compare=False, repr=False)

    @property
    def settled_count(self) -> int:
        """Argument values whose origin is settled."""
        return sum(line.is_settled for line in self.evidence)

    def lines_of(self, task: int, step: int | None = None) -> tuple[EvidenceLine, ...]:
        """The argument values of a task, or of one call."""
        return tuple(
            line for line in self.evidence if line.task == task and (step is None or line.step == step)
        )

    def offers_of(self, task: int) -> tuple[LabelOffer, ...]:
        """The labels proposed for a task, the first to look at in front."""
        return self.offers[task] if task < len(self.offers) else ()

    @property
    def inexact_places(self) -> frozenset[CitedPlace]:
        """Argument values whose proposed source says something else, or does not hold them any more."""
        offered = [line.citation for line in self.evidence if line.citation and not line.is_settled]
        broken = {line.place for line in self.evidence if line.reason}
        return inexact_places(self.snapshot.case, self.findings, offered) | broken

    def open_findings(self) -> tuple[Finding, ...]:
        """Findings nobody has waived."""
        waived = {(waiver.rule, waiver.where) for waiver in self.snapshot.judgment.waivers}
        return tuple(finding for finding in self.findings if (finding.rule, finding.where) not in waived)


def assess(
    snapshot: Snapshot,
    *,
    stage: Stage,
    policy: ReviewPolicy,
    before: Assessment | None = None,
    precedents: Precedents = NO_PRECEDENTS,
) -> Assessment:
    """Look at a snapshot with everything a program can say about it.

    Args:
        snapshot: The document.
        stage: Stage of the assignment; decides which gates apply.
        policy: The project's review policy.
        before: What was said about an earlier snapshot; saves looking at what did not change.
        precedents: What earlier cases of the toolset say; the same for every look at one document.
    """
    case, judgment = snapshot.case, snapshot.judgment
    if before is not None and _says_the_same_of_values(before.snapshot, snapshot):
        items = before.items
        if before.dialogue is not None:
            items = items_of(before.dialogue, judgment, stage=stage, policy=policy)
        open_points = _open_points(
            snapshot, before.findings, items, before.dialogue, stage=stage, policy=policy
        )
        return replace(before, snapshot=snapshot, items=items, blockers=open_points)
    known = before.dialogue if before is not None else None
    dialogue = known if known is not None and known.case is case else Dialogue(case)
    findings = check_dialogue(dialogue, citations=judgment.evidence, undrawn=judgment.undrawn)
    items = items_of(dialogue, judgment, stage=stage, policy=policy)
    return Assessment(
        snapshot=snapshot,
        findings=findings,
        blockers=_open_points(snapshot, findings, items, dialogue, stage=stage, policy=policy),
        evidence=lines_in(dialogue, judgment, policy),
        suggestions=tuple(suggestions_in(dialogue, task, precedents) for task in range(len(case.tasks))),
        items=items,
        offers=tuple(_offers(dialogue, task, judgment, precedents) for task in range(len(case.tasks))),
        dialogue=dialogue,
    )


def suggestions_in(dialogue: Dialogue, task: int, precedents: Precedents) -> tuple[SuggestedEdge, ...]:
    """Dependencies to propose for a task: those a value flows along, and those drawn in other cases."""
    flowing = suggestions_for(dialogue, task)
    return (*flowing, *usual_orders(dialogue.case.tasks[task], precedents.habits, suggested=flowing))


def _offers(
    dialogue: Dialogue, task: int, judgment: Judgment, precedents: Precedents
) -> tuple[LabelOffer, ...]:
    """The information type the citations imply where none is chosen, then what was decided before."""
    asked, labels = dialogue.case.tasks[task], judgment.tasks[task]
    offers = []
    hidden = hidden_in(dialogue, task, judgment) if asked.information is None else None
    if hidden is not None and hidden.count:
        offers.append(LabelOffer(hidden.reason, information=hidden.information))
    precedent = precedents.of_task(asked)
    if precedent is not None:
        before = decided_before(asked, labels, number=task, precedent=precedent)
        offers += [offer for offer in before if offer.information is None or not offers]
    return tuple(offers)


def _open_points(
    snapshot: Snapshot,
    findings: Sequence[Finding],
    items: Sequence[Item],
    dialogue: Dialogue | None,
    *,
    stage: Stage,
    policy: ReviewPolicy,
) -> tuple[Blocker, ...]:
    case = snapshot.case
    clashing = tuple(_clashing(clash, case) for clash in snapshot.clashes)
    approving = snapshot.judgment.model_copy(update={"verdict": Verdict.APPROVE})
    own = blockers(
        case, approving, stage=stage, policy=policy, findings=findings, items=items, dialogue=dialogue
    )
    return (*clashing, *own)


def _clashing(clash: Clash, case: Case) -> Blocker:
    place = clash.place
    return Blocker(
        kind="clash",
        message=clash_message(clash, case),
        task=place.task,
        step=place.step if isinstance(place, FieldPlace | ItemPlace) else None,
        path=place.path or None if isinstance(place, FieldPlace) and place.field == "arguments" else None,
        clash=clash,
    )


def _says_the_same_of_values(before: Snapshot, snapshot: Snapshot) -> bool:
    one, other = before.judgment, snapshot.judgment
    return before.case is snapshot.case and (one.evidence, one.undrawn) == (other.evidence, other.undrawn)


@collected
def lines_in(dialogue: Dialogue, judgment: Judgment, policy: ReviewPolicy) -> Iterator[EvidenceLine]:
    """Every argument value of a case and where it comes from, in dialogue order."""
    case = dialogue.case
    said = _by_call(judgment.evidence)
    broken = {cited_place(item.citation): item.reason for item in broken_in(dialogue, judgment.evidence)}
    cited = CitedValues(case, [citation for citation in judgment.evidence if citation.accepted])
    for t, task in enumerate(case.tasks):
        proposed = _by_call(proposals_for(dialogue, t, cited=cited))
        for s, call in task.calls:
            own, offered = said.get((t, s), ()), proposed.get((t, s), ())
            reasons = {c.path: reason for c in own if (reason := broken.get(cited_place(c)))}
            as_found = taken_as_found(dialogue, (t, s), policy)
            yield from _lines_of(case, (t, s), call, own, offered, reasons, as_found)


def _by_call(citations: Iterable[Citation]) -> dict[tuple[int, int], list[Citation]]:
    return grouped(((citation.task, citation.step), citation) for citation in citations)


def _lines_of(
    case: Case,
    place: tuple[int, int],
    call: Call,
    said: Sequence[Citation],
    proposed: Sequence[Citation],
    reasons: Mapping[str, str],
    as_found: Collection[str],
) -> Iterator[EvidenceLine]:
    by_person = {citation.path: citation for citation in said}
    by_program = {citation.path: citation for citation in proposed}
    for path in leaf_paths(call.arguments):
        citation = by_person.get(path)
        state = _state(citation)
        if path in by_program and (citation is None or (not citation.accepted and path in as_found)):
            citation = by_program[path]
            state = EvidenceState.FOUND if path in as_found else EvidenceState.PROPOSED
        yield EvidenceLine(
            task=place[0],
            step=place[1],
            path=path,
            tool_name=call.name,
            value=value_at(call.arguments, path),
            state=state,
            citation=citation,
            origin=origin_words(case, citation) if citation else "",
            reason=reasons.get(path, ""),
        )


def origin_words(case: Case, citation: Citation) -> str:
    """Where a value comes from, in a few words; the task is named where it is another one."""
    source = citation.source
    if isinstance(source, SourceMark):
        return f"{_MARKS[source]}: {citation.note}" if citation.note else _MARKS[source]
    if source.text in ("now", "system"):
        return "now" if source.text == "now" else "system text"
    at = source.task if source.task is not None else citation.task
    other = f"task {at + 1} · " if at != citation.task else ""
    if source.step is None:
        return other + "request"
    step = case.step_at(at, source.step)
    match step:
        case Call():
            return other + f"call {source.step} {source.path or ''}".rstrip()
        case Answer():
            return other + "answer"
        case _:
            return other + (f"reply {source.step}" if source.text == "reply" else f"question {source.step}")


def _state(citation: Citation | None) -> EvidenceState:
    if citation is None:
        return EvidenceState.OPEN
    if not citation.accepted:
        return EvidenceState.BROKEN
    if isinstance(citation.source, str):
        return EvidenceState.MARKED
    # What a person cited by hand stands, even where a program does not see the value there.
    return EvidenceState.CITED
