"""The jobs behind the page, measured at once, then with intervals; the units on which raters differ."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import JsonValue

from annotator.review.measures.accuracy_curve import (
    AccuracySlice,
    StageCase,
    accuracy,
    accuracy_by,
    stage_cases,
)
from annotator.review.measures.rater_agreement import (
    AgreementSlice,
    DiagnosisRow,
    RatedRound,
    agreement,
    diagnosis,
    rated_rounds,
)
from annotator.review.measures.trends import (
    ExpertPoint,
    TrendPoint,
    TrendStep,
    against_experts,
    agreement_trend,
)
from scoring.agreement.fields import FieldAgreement
from scoring.agreement.rated_cases import NOT_DRAWN, RatedCase, RatedField
from scoring.measures.stage_accuracy import StagePoint
from scoring.model.labels import TASK_CHECKLIST, UNDRAWN, ComparedField
from scoring.model.taxonomy import EdgeKind, Information, Policy, ReviewLabel, Stage
from scoring.wording import INFORMATION, POLICY
from ui.theme.words import EDGE_KIND, REVIEW

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace


@dataclass(frozen=True)
class Choices:
    """What there is to choose from: batches in the order they were met, and raters by name."""

    batches: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


@dataclass(frozen=True)
class SliceAgreement:
    """The agreement of a slice; `trends` and `experts` are empty and intervals missing until they are drawn.

    `rounds` holds what is behind the figures, `diagnosis` first which rounds count at all, `curve` the
    stage accuracy of the slice.
    """

    part: AgreementSlice
    rounds: tuple[RatedRound, ...]
    table: tuple[FieldAgreement, ...]
    diagnosis: tuple[DiagnosisRow, ...]
    curve: tuple[StagePoint, ...]
    trends: dict[TrendStep, tuple[TrendPoint, ...]] = field(default_factory=dict)
    experts: tuple[ExpertPoint, ...] = ()
    has_intervals: bool = False

    @property
    def case_count(self) -> int:
        """Cases behind the figures; one that was judged in several rounds counts once."""
        return len({one.case.case_id for one in self.rounds})

    @property
    def task_count(self) -> int:
        """Tasks that were judged, once for each round."""
        return sum(len({said.task for said in one.case.fields}) for one in self.rounds)

    @property
    def rater_count(self) -> int:
        """People who said something."""
        return len({rater for one in self.rounds for rater in one.case.raters})


class AccuracyDimension(StrEnum):
    """What stage accuracy is compared by; by value as `accuracy_by` names it."""

    POLICY = "policy"
    PERSON = "person"
    BATCH = "batch"
    FIELD = "field"


def read_choices(context: "JobContext", workspace: "Workspace") -> Choices:
    """Find out which batches and raters there are; a job."""
    context.progress(0, None, "reading")
    rounds = rated_rounds(workspace, AgreementSlice())
    batches = tuple(dict.fromkeys(one.batch for one in rounds))
    return Choices(batches, tuple(sorted({rater for one in rounds for rater in one.case.raters})))


def measure(context: "JobContext", workspace: "Workspace", *, part: AgreementSlice) -> SliceAgreement:
    """Measure a slice without intervals; a job that is done at once."""
    context.progress(0, 3, "measuring")
    rounds = rated_rounds(workspace, part)
    table = agreement(workspace, where=part, resamples=0)
    context.check_cancelled()
    context.progress(1, 3, "what the figures rest on")
    found = diagnosis(workspace, part)
    context.check_cancelled()
    context.progress(2, 3, "stage accuracy")
    return SliceAgreement(part, rounds, table, found, accuracy(workspace, accuracy_slice(part)))


def refine(context: "JobContext", workspace: "Workspace", *, measured: SliceAgreement) -> SliceAgreement:
    """Add intervals and trends to what was measured; a job."""
    part = measured.part
    context.progress(0, 4, "drawing intervals")
    table = agreement(workspace, where=part)
    context.check_cancelled()
    trends = {}
    for done, step in enumerate(TrendStep, start=1):
        context.progress(done, 4, f"trend by {step}")
        trends[step] = agreement_trend(workspace, part, by=step, whole=table)
        context.check_cancelled()
    context.progress(3, 4, "against experts")
    experts = against_experts(workspace, part)
    return replace(measured, table=table, trends=trends, experts=experts, has_intervals=True)


def measure_accuracy(
    context: "JobContext", workspace: "Workspace", *, by: AccuracyDimension
) -> dict[str, tuple[StagePoint, ...]]:
    """The stage-accuracy curve of every value of a dimension; a job, since fields are read from bodies."""
    context.progress(0, None, f"stage accuracy by {by}")
    return accuracy_by(workspace, by.value)


def list_stage_cases(
    context: "JobContext", workspace: "Workspace", *, where: AccuracySlice, stage: Stage
) -> tuple[StageCase, ...]:
    """The cases behind a point of the curve; a job, since what was changed is read from bodies."""
    context.progress(0, None, "reading the cases")
    return stage_cases(workspace, where, stage=stage)


def accuracy_slice(part: AgreementSlice) -> AccuracySlice:
    """The final cases a slice is about: of its batch, its policy, and owned by its person."""
    return AccuracySlice(policy=part.policy, person=part.person, batch=part.batch)


def week_span(label: str) -> tuple[datetime, datetime]:
    """First instant of an ISO week written as `2026-W47`, and that of the next (UTC)."""
    first = datetime.strptime(f"{label}-1", "%G-W%V-%u").replace(tzinfo=UTC)
    return first, first + timedelta(weeks=1)


@dataclass(frozen=True)
class Disagreement:
    """One unit on which raters said different things.

    `where` names the place within the case. `said` holds what was said, most raters first, with who said
    it.
    """

    case_id: str
    task: int
    where: str
    said: tuple[tuple[str, tuple[str, ...]], ...]


def disagreements(cases: Iterable[RatedCase], field: RatedField) -> tuple[Disagreement, ...]:
    """Every unit of a field on which raters differ, in the order of the cases."""
    find = _FINDERS[field]
    return tuple(found for case in cases for found in find(case))


def _labels(kind: str, words: Callable[[JsonValue], str]) -> "Callable[[RatedCase], Iterator[Disagreement]]":
    """Disagreements on fields of a kind among those who said something."""

    def find(case: RatedCase) -> Iterator[Disagreement]:
        for one in case.fields:
            # Nobody is asked for the information of a first task.
            if one.kind == kind and (kind, one.task) != ("information", 0):
                said = {
                    rater: words(value)
                    for rater, value in zip(case.raters, one.values, strict=True)
                    if value is not None and value != UNDRAWN
                }
                yield from _differing(case, one.task, _where(one), said)

    return find


def _edges(case: RatedCase) -> Iterator[Disagreement]:
    drew = case.drew()
    for one in case.fields:
        if one.kind == "edge":
            said = {
                rater: _kind_words(value)
                for rater, value, is_known in zip(case.raters, one.values, drew[one.task], strict=True)
                if is_known
            }
            yield from _differing(case, one.task, _where(one), said)


def _drawings(case: RatedCase) -> Iterator[Disagreement]:
    drew = case.drew()
    for task, step_count in enumerate(case.step_counts):
        if step_count < 2:
            continue
        drawn = [field for field in case.fields if field.kind == "edge" and field.task == task]
        said = {}
        for column, rater in enumerate(case.raters):
            if not drew[task][column]:
                continue
            edges = [_edge_words(field, field.values[column]) for field in drawn if field.values[column]]
            said[rater] = ", ".join(edges) or "no edge"
        yield from _differing(case, task, f"task {task + 1}", said)


def _checklist(case: RatedCase) -> Iterator[Disagreement]:
    for task, rows in enumerate(case.checks):
        items = list(TASK_CHECKLIST.values())
        for number, row in enumerate(rows):
            item = items[number] if len(rows) == len(items) else f"item {number + 1}"
            said = {rater: str(v.value) for rater, v in zip(case.raters, row, strict=True) if v is not None}
            yield from _differing(case, task, f"task {task + 1}, {item[0].lower()}{item[1:]}", said)


def _differing(case: RatedCase, task: int, where: str, said: Mapping[str, str]) -> Iterator[Disagreement]:
    groups: dict[str, list[str]] = {}
    for rater, label in said.items():
        groups.setdefault(label, []).append(rater)
    if len(groups) > 1:
        ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
        yield Disagreement(case.case_id, task, where, tuple((label, tuple(who)) for label, who in ordered))


def _where(field: ComparedField) -> str:
    place = f"task {field.task + 1}"
    if field.pair is not None:
        return f"{place}, {field.pair[0]} → {field.pair[1]}"
    return f"{place}, call {field.step}" if field.step is not None else place


def _kind_words(value: JsonValue) -> str:
    return EDGE_KIND[EdgeKind(str(value))] if value else NOT_DRAWN


def _edge_words(field: ComparedField, kind: JsonValue) -> str:
    assert field.pair is not None
    return f"{field.pair[0]} → {field.pair[1]} {_kind_words(kind)}"


def label_words(field: RatedField, value: object) -> str:
    """A label of a field on screen."""
    if isinstance(value, bool):
        yes, no = ("right", "wrong") if field is RatedField.CALL else ("yes", "no")
        return yes if value else no
    text = str(value)
    if field is RatedField.POLICY:
        return POLICY[Policy(text)]
    if field is RatedField.INFORMATION:
        return INFORMATION[Information(text)]
    if field in (RatedField.EDGE, RatedField.EDGE_KIND):
        return text if text == NOT_DRAWN else EDGE_KIND[EdgeKind(text)]
    if field is RatedField.REVIEW:
        return REVIEW[ReviewLabel(text)]
    return text


def _of(field: RatedField) -> Callable[[JsonValue], str]:
    return lambda value: label_words(field, value)


_FINDERS: Mapping[RatedField, Callable[[RatedCase], Iterator[Disagreement]]] = {
    RatedField.POLICY: _labels("policy", _of(RatedField.POLICY)),
    RatedField.INFORMATION: _labels("information", _of(RatedField.INFORMATION)),
    RatedField.COMPLETED: _labels("completed", _of(RatedField.COMPLETED)),
    RatedField.CALL: _labels("call", _of(RatedField.CALL)),
    RatedField.EDGE: _edges,
    RatedField.EDGE_KIND: _labels("edge", _kind_words),
    RatedField.GRAPH: _drawings,
    RatedField.CHECKLIST: _checklist,
    RatedField.REVIEW: _labels("review", _of(RatedField.REVIEW)),
}
