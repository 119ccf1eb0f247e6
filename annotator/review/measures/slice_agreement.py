"""Agreement and stage accuracy of a slice as jobs: measured at once, then with intervals."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from annotator.review.measures.accuracy_curve import (
    AccuracyReading,
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
from scoring.measures.stage_accuracy import StagePoint, judged_right, stage_accuracy
from scoring.model.taxonomy import Stage


@dataclass(frozen=True)
class Choices:
    """What there is to choose from: batches in the order they were met, and raters by name."""

    batches: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


@dataclass(frozen=True)
class SliceAgreement:
    """The agreement of a slice; `trends` and `experts` are empty and intervals missing until they are drawn.

    `rounds` holds what is behind the figures, `diagnosis` first which rounds count at all, `curves` the
    stage accuracy of the slice in both readings.
    """

    part: AgreementSlice
    rounds: tuple[RatedRound, ...]
    table: tuple[FieldAgreement, ...]
    diagnosis: tuple[DiagnosisRow, ...]
    curves: dict[AccuracyReading, tuple[StagePoint, ...]]
    trends: dict[TrendStep, tuple[TrendPoint, ...]] = field(default_factory=dict)
    experts: tuple[ExpertPoint, ...] = ()
    has_intervals: bool = False

    @property
    def counted(self) -> tuple[RatedRound, ...]:
        """The rounds the figures rest on: those of cases that were not checked by choice."""
        return tuple(one for one in self.rounds if not one.case.by_choice)

    @property
    def case_count(self) -> int:
        """Cases behind the figures; one that was judged in several rounds counts once."""
        return len({one.case.case_id for one in self.counted})

    @property
    def task_count(self) -> int:
        """Tasks that were judged, once for each round."""
        return sum(len({field.task for field in rated.case.fields}) for rated in self.counted)

    @property
    def rater_count(self) -> int:
        """People who said something."""
        return len({rater for one in self.counted for rater in one.case.raters})


class AccuracyDimension(StrEnum):
    """What stage accuracy is compared by; by value as `accuracy_by` names it."""

    POLICY = "policy"
    PERSON = "person"
    BATCH = "batch"
    FIELD = "field"


def read_choices(workspace: Workspace, *, context: JobContext) -> Choices:
    """Find out which batches and raters there are; a job."""
    context.progress(0, None, "reading")
    rounds = rated_rounds(workspace, AgreementSlice())
    batches = tuple(dict.fromkeys(one.batch for one in rounds))
    return Choices(batches, tuple(sorted({rater for one in rounds for rater in one.case.raters})))


def measure(workspace: Workspace, *, part: AgreementSlice, context: JobContext) -> SliceAgreement:
    """Measure a slice without intervals; a job that is done at once."""
    context.progress(0, 3, "measuring")
    rounds = rated_rounds(workspace, part)
    context.check_cancelled()
    table = agreement(workspace, where=part, resamples=0, rounds=rounds)
    context.advance(1, 3, "what the figures rest on")
    found = diagnosis(workspace, rounds, table)
    context.advance(2, 3, "stage accuracy")
    curves = {reading: accuracy(workspace, accuracy_slice(part, reading)) for reading in AccuracyReading}
    return SliceAgreement(part, rounds, table, found, curves)


def refine(workspace: Workspace, *, measured: SliceAgreement, context: JobContext) -> SliceAgreement:
    """Add intervals and trends to what was measured; a job."""
    part, rounds = measured.part, measured.rounds
    context.progress(0, 4, "drawing intervals")
    table = agreement(workspace, where=part, rounds=rounds)
    trends = {}
    for done, step in enumerate(TrendStep, start=1):
        context.advance(done, 4, f"trend by {step}")
        trends[step] = agreement_trend(workspace, part, by=step, whole=table, rounds=rounds)
    context.advance(3, 4, "against experts")
    experts = against_experts(workspace, part, rounds=rounds)
    return replace(measured, table=table, trends=trends, experts=experts, has_intervals=True)


def measure_accuracy(
    workspace: Workspace, *, by: AccuracyDimension, context: JobContext
) -> dict[tuple[str, AccuracyReading], tuple[StagePoint, ...]]:
    """The curves of every value of a dimension in both readings; a job, since fields are read from bodies."""
    context.progress(0, None, f"stage accuracy by {by}")
    found = {reading: accuracy_by(workspace, by.value, reading=reading) for reading in AccuracyReading}
    nobody = {AccuracyReading.UNCHANGED: stage_accuracy((), {}), AccuracyReading.JUDGED: judged_right((), {})}
    names = found[AccuracyReading.UNCHANGED] | found[AccuracyReading.JUDGED]
    return {(name, one): found[one].get(name, nobody[one]) for name in names for one in AccuracyReading}


def list_stage_cases(
    workspace: Workspace, *, where: AccuracySlice, stage: Stage, context: JobContext
) -> tuple[StageCase, ...]:
    """The cases behind a point of the curve; a job, since what was changed is read from bodies."""
    context.progress(0, None, "reading the cases")
    return stage_cases(workspace, where, stage=stage)


def accuracy_slice(
    part: AgreementSlice, reading: AccuracyReading = AccuracyReading.UNCHANGED
) -> AccuracySlice:
    """The cases of a reading a slice is about: of its batch, its policy, and owned by its person."""
    return AccuracySlice(reading=reading, policy=part.policy, person=part.person, batch=part.batch)


def week_span(label: str) -> tuple[datetime, datetime]:
    """First instant of an ISO week written as `2026-W47`, and that of the next (UTC)."""
    first = datetime.strptime(f"{label}-1", "%G-W%V-%u").replace(tzinfo=UTC)
    return first, first + timedelta(weeks=1)
