"""The cases behind one point of the stage-accuracy curve, as lines of a table and in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.review.measures.accuracy_curve import StageCase
from scoring.model.taxonomy import Policy, Stage
from ui.agreement.agreement_jobs import Dimension
from ui.theme import Tone
from ui.theme.tables import Cell, Column, Row
from ui.theme.words import POLICY, STAGE, counted

STAGE_CASE_COLUMNS = (
    Column("Case", 240),
    Column("Outcome", 124, tip="Whether the stage left the case as it is in the end"),
    Column("What was changed later"),
    Column("Owner", 96),
    Column("Batch", 110),
)
_ELSEWHERE = "something else, e.g. tools or edges into an answer"


@dataclass(frozen=True)
class CurvePlace:
    """One point of a curve: its stage, and the line it belongs to; of the whole slice without `by`."""

    stage: Stage
    by: Dimension | None = None
    name: str = ""


def stage_name(stage: Stage) -> str:
    """A stage of the curve in words: the imported content is the raw one."""
    return "Raw, as imported" if stage is Stage.IMPORTED else STAGE[stage]


def place_words(place: CurvePlace, found: Sequence[StageCase]) -> str:
    """What is listed, e.g. `Cross-check, batch b1: 15 of 16 right`."""
    of = f", {place.by.value} {_line_name(place)}" if place.by is not None else ""
    right = sum(case.is_right for case in found)
    counts = f"{right:,} of {counted(len(found), 'case')} right" if found else "no case"
    return f"{stage_name(place.stage)}{of}: {counts}"


def _line_name(place: CurvePlace) -> str:
    return POLICY[Policy(place.name)] if place.by is Dimension.POLICY else place.name


def stage_case_rows(found: Sequence[StageCase]) -> tuple[Row, ...]:
    """One line a case, keyed by its id."""
    return tuple(Row(case.case_id, _cells(case)) for case in found)


def _cells(case: StageCase) -> tuple[Cell, ...]:
    changed = "" if case.is_right else ", ".join(case.changed) or _ELSEWHERE
    return (
        Cell(case.case_id, is_mono=True),
        Cell("right", chip=Tone.OK) if case.is_right else Cell("changed later", chip=Tone.WARN),
        Cell(changed),
        Cell(case.owner or "", colour="muted"),
        Cell(case.batch, colour="muted"),
    )
