"""The work behind the page, done beside the window's thread: reading what was rated, and measuring a part."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.review.claiming import CaseFilter, list_cases
from annotator.review.measuring import curve, rated_cases
from scoring.agreement import FieldAgreement, agreement_table
from scoring.model.taxonomy import Policy
from scoring.rated_cases import RatedCase
from scoring.stage_accuracy import StagePoint
from ui.agreement.slicing import RatedRound, Slice, batches_of, sliced

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

RESAMPLES = 2000
"""Samples drawn for an interval."""
SEED = 0
_PAGE = 1000


@dataclass(frozen=True)
class Rated:
    """Everything that was rated in a project, and its stage-accuracy curve."""

    rounds: tuple[RatedRound, ...]
    curve: tuple[StagePoint, ...]


@dataclass(frozen=True)
class Measured:
    """The agreement of a part, and of each of its batches without intervals."""

    part: Slice
    table: tuple[FieldAgreement, ...]
    trend: tuple[tuple[str, tuple[FieldAgreement, ...]], ...]
    round_count: int
    case_count: int
    task_count: int
    rater_count: int
    has_intervals: bool


def read_rated(context: "JobContext", workspace: "Workspace") -> Rated:
    """Read all rounds of rating; a job."""
    facts: dict[str, tuple[str, tuple[Policy | None, ...]]] = {}
    while page := list_cases(workspace, CaseFilter(order="case"), offset=len(facts), limit=_PAGE):
        context.check_cancelled()
        for row in page:
            policies = tuple(Policy(policy) if policy else None for policy in row.policies)
            facts[row.case_id] = (row.batch, policies)

    cases = workspace.read(lambda tx: tuple(_counted(rated_cases(tx), context)))
    points = workspace.read(curve)
    rounds = (RatedRound(case, *facts.get(case.case_id, ("", ()))) for case in cases)
    return Rated(tuple(rounds), points)


def _counted(cases: Iterable[RatedCase], context: "JobContext") -> Iterator[RatedCase]:
    for done, case in enumerate(cases, 1):
        context.check_cancelled()
        context.progress(done, None, f"{done:,} rounds read")
        yield case


def measure(
    context: "JobContext", workspace: "Workspace", *, rated: Rated, part: Slice, resamples: int
) -> Measured:
    """Measure the agreement of a part; a job. Without resamples it is done at once, but has no intervals."""
    context.progress(0, None, "drawing intervals" if resamples else "measuring")
    cases = sliced(rated.rounds, part)
    table = agreement_table(cases, seed=SEED, resamples=resamples)
    trend = []
    for batch in batches_of(rated.rounds):
        context.check_cancelled()
        inside = [one for one in rated.rounds if one.batch == batch]
        found = sliced(inside, part)
        if found:
            trend.append((batch, agreement_table(found, seed=SEED, resamples=0)))
    return Measured(
        part=part,
        table=table,
        trend=tuple(trend),
        round_count=len(cases),
        case_count=len({case.case_id for case in cases}),
        task_count=sum(len({field.task for field in case.fields}) for case in cases),
        rater_count=len({rater for case in cases for rater in case.raters}),
        has_intervals=resamples > 0,
    )
