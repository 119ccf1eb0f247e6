"""Who has how much to do, how long work takes, and how much goes through: people, stages, days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from annotator.project.people import PersonRow, list_people
from annotator.review.measures.progress import StageReport, stage_report
from annotator.review.measures.workload import DayCount, Workload, throughput, workloads
from scoring.measures.rates import Rate
from scoring.model.taxonomy import EXPERT_STAGES, SELF_CHECKS, Role, Stage
from ui.services.assignments import ExpertList
from ui.services.calls import job_of
from ui.services.commands import Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.team.label_errors import ErrorsPanel
from ui.theme import PanelHeader, TextLabel
from ui.theme.cells import Cell
from ui.theme.layouts import build, column, split, vbox
from ui.theme.look import theme
from ui.theme.tables import Column, FigureTable, Row
from ui.theme.words import ROLE, STAGE, duration

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace
    from ui.services.jobs import WindowJob

DAYS = 30
_NARROW = 1200
"""Below this width, in pixels at 100 %, the people have no room for all their columns beside the stages."""
PERSON_COLUMNS: tuple[Column[Any], ...] = (
    Column("Person", 100),
    Column("Roles"),
    Column("To do", 72, is_figure=True, tip="Own cases in self-check"),
    Column("To decide", 78, is_figure=True, tip="Escalated and sampled cases the queue offers an expert"),
    Column("Held", 50, is_figure=True, tip="Cases held under a lease now"),
    Column("Submitted", 80, is_figure=True, tip="Valid judgments, and cases decided as an expert"),
    Column("Median time", 94, is_figure=True, tip="Active time per judgment, idle time excluded"),
    Column("Too fast", 72, is_figure=True, tip="Submitted faster than anyone reads; an expert gets them too"),
    Column("Agreement", 86, is_figure=True, tip="How often another rater said the same, over all fields"),
    Column("n", 66, is_figure=True, tip="Comparisons with other raters behind the agreement"),
)
STAGE_COLUMNS: tuple[Column[Any], ...] = (
    Column("Stage"),
    Column("Cases now", 88, is_figure=True),
    Column("Median time", 104, is_figure=True, tip="Active time per submitted judgment, idle time excluded"),
)
_KINDS: tuple[tuple[str, tuple[Stage, ...]], ...] = (
    ("Self-check", SELF_CHECKS),
    ("Cross-check", (Stage.CROSS_CHECK,)),
    ("Expert", EXPERT_STAGES),
)
DAY_COLUMNS: tuple[Column[Any], ...] = (
    Column("Day", tip="In UTC"),
    *(Column(name, width, is_figure=True) for (name, _), width in zip(_KINDS, (82, 92, 60), strict=True)),
    Column("All", 48, is_figure=True, tip="Judgments and decisions of the day (UTC)"),
)


@dataclass(frozen=True)
class WorkloadOverview:
    """What the panel shows; `people` gives the roles of those who have a line."""

    people: Mapping[str, PersonRow]
    loads: tuple[Workload, ...]
    stages: StageReport
    days: tuple[DayCount, ...]


def read_overview(workspace: "Workspace") -> WorkloadOverview:
    """Read who does what, where the project stands, and what each of the last days brought."""
    people = {person.name: person for person in list_people(workspace)}
    return WorkloadOverview(
        people, workloads(workspace), stage_report(workspace), throughput(workspace, days=DAYS)
    )


def person_rows(
    loads: Sequence[Workload], people: Mapping[str, PersonRow], *, has_work: bool
) -> tuple[Row, ...]:
    """One line a person, who has most to do first.

    Args:
        loads: The people's work.
        people: Their roles, by name.
        has_work: Whether there are cases that have not begun; then who has nothing to do says so.
    """
    ordered = sorted(loads, key=lambda load: (-load.owned - load.to_decide, load.person))
    return tuple(
        Row(load.person, _person(load, people.get(load.person), has_work=has_work)) for load in ordered
    )


def _person(load: Workload, person: PersonRow | None, *, has_work: bool) -> tuple[Cell, ...]:
    colour = "text" if load.is_active else "faint"
    roles = ", ".join(ROLE[role].lower() for role in person.roles) if person is not None else ""
    to_do = Cell(f"{load.owned:,}", load.owned, is_strong=bool(load.owned), colour=colour)
    if not load.owned:
        to_do = Cell("0", 0, colour="faint")
    is_free = person is not None and person.has_role(Role.ANNOTATOR) and load.is_active
    if has_work and is_free and not (load.owned or load.to_decide):
        to_do = Cell("nothing", 0, "Assign cases to this person in the Batches tab.", colour="warn")
    done = load.submitted + load.decided
    tip = f"{load.submitted:,} judgments, {load.decided:,} decisions"
    return (
        Cell(load.person if load.is_active else f"{load.person} (disabled)", colour=colour),
        Cell(roles, colour="muted"),
        to_do,
        _count(load.to_decide),
        _count(load.held),
        Cell(f"{done:,}", done, tip, colour="text" if done else "faint"),
        _time(load.median_seconds),
        Cell(f"{load.hasty:,}", load.hasty, colour="warn" if load.hasty else "faint"),
        *_agreement(load.agreement),
    )


def _agreement(found: Rate) -> tuple[Cell, Cell]:
    if found.value is None:
        nothing = "Nobody else judged what this person judged, or no round is closed yet."
        return Cell("–", None, nothing, colour="faint"), Cell("0", 0, nothing, colour="faint")
    tip = f"{found.count:,} of {found.total:,} comparisons are the same"
    share = Cell(f"{100 * found.value:.1f} %", found.value, tip)
    return share, Cell(f"{found.total:,}", found.total, tip, colour="muted")


def stage_rows(report: StageReport) -> tuple[Row, ...]:
    """One line a stage: cases there now, and the median active time of its judgments."""
    return tuple(
        Row(
            stage,
            (
                Cell(STAGE[stage]),
                _count(report.counts.get(stage, 0)),
                _time(report.median_seconds.get(stage)),
            ),
        )
        for stage in Stage
    )


def day_rows(days: Sequence[DayCount]) -> tuple[Row, ...]:
    """One line a day, the newest first; darker where more was done."""
    most = max((sum(day.counts.values()) for day in days), default=0)
    return tuple(Row(day.day, _day(day, most)) for day in reversed(days))


def _day(day: DayCount, most: int) -> tuple[Cell, ...]:
    counts = [sum(day.counts.get(stage, 0) for stage in stages) for _, stages in _KINDS]
    total = sum(day.counts.values())
    return (
        Cell(f"{day.day:%a %d %b}", day.day.toordinal(), f"{day.day:%Y-%m-%d} (UTC)"),
        *map(_count, counts),
        Cell(f"{total:,}", total, heat=total / most if total else None, colour="text" if total else "faint"),
    )


def _count(count: int) -> Cell:
    return Cell(f"{count:,}", count, colour="text" if count else "faint")


def _time(seconds: float | None) -> Cell:
    if seconds is None:
        return Cell("–", None, "No judgment was submitted yet.", colour="faint")
    return Cell(duration(seconds), seconds)


class WorkloadPanel(QWidget):
    """Shows who is right above; below people at the left, stages and days at the right."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(
        self, operations: Operations, commands: Commands, notice: ErrorBanner, **properties: Any
    ) -> None:
        build(super().__init__, objectName="workload-panel", **properties)
        self._operations = operations
        self._notice = notice
        self._job: WindowJob | None = None
        self._people = FigureTable("workload", "Workload", PERSON_COLUMNS)
        self._stages = FigureTable("stage-times", "Stages", STAGE_COLUMNS, is_sortable=False)
        self._days = FigureTable("throughput", "Throughput per day", DAY_COLUMNS)
        open_case = self.case_wanted.emit
        self._experts = ExpertList(
            operations, commands, notice, page="team", is_mine=False, case_wanted=open_case
        )
        stages, days, people = (
            column(PanelHeader(title, TextLabel(words, "small-muted")), (table, 1))
            for title, words, table in (
                ("Stages", "", self._stages),
                ("Throughput", f"the last {DAYS} days", self._days),
                ("Workload", "what everybody has to do, and has done", self._people),
            )
        )
        self._right = split(Qt.Orientation.Vertical, (stages, 1), (days, 1))
        self._left = split(Qt.Orientation.Vertical, (people, 320), (self._experts, 170), grows=people)
        self._errors = ErrorsPanel(operations, notice, case_wanted=open_case)
        self._halves = split(
            Qt.Orientation.Horizontal, (self._left, 976), (self._right, 400), grows=self._left
        )
        down = Qt.Orientation.Vertical
        vbox(split(down, (self._errors, 330), (self._halves, 440), grows=self._halves), within=self)
        self.setFocusProxy(self._errors)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        is_narrow = self.width() < theme().px(_NARROW)
        if is_narrow is not (self._halves.orientation() is down):
            self._halves.setOrientation(down if is_narrow else across)
            self._right.setOrientation(across if is_narrow else down)
            self._halves.setSizes([theme().px(976), theme().px(170 if is_narrow else 400)])
            self._left.setSizes([theme().px(320), theme().px(110 if is_narrow else 170)])

    def refresh(self) -> None:
        """Read it again."""
        self._job = self._operations.start_job(
            job_of(read_overview),
            "Count the workload",
            then=self._show,
            failed=unread(self._notice.show_error, self._people, self._stages, self._days),
            instead_of=self._job,
        )
        self._experts.refresh()
        self._errors.refresh()

    def _show(self, found: WorkloadOverview) -> None:
        has_work = found.stages.counts.get(Stage.IMPORTED, 0) > 0
        self._people.show_rows(person_rows(found.loads, found.people, has_work=has_work))
        self._stages.show_rows(stage_rows(found.stages))
        self._days.show_rows(day_rows(found.days))
