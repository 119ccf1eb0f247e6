"""Who has how much to do, how long work takes, and how much goes through: people, stages, days."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from PySide6.QtCore import Qt, Signal

from annotator.project.people import PersonRow, list_people
from annotator.project.workspace import Workspace
from annotator.review.measures.progress import StageReport, stage_report
from annotator.review.measures.workload import DayCount, Workload, throughput, workloads
from scoring.measures.rates import Rate
from scoring.model.taxonomy import EXPERT_STAGES, SELF_CHECKS, Role, Stage
from scoring.texts import tr, with_commas
from ui.services.assignments import ExpertList
from ui.services.commands import Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.team.label_errors import ErrorsPanel
from ui.theme import ElidedLabel, PanelHeader
from ui.theme.cells import Cell, known_cell, share_cell, tally_cell
from ui.theme.layouts import column, split, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import ROLE, STAGE, day_words, duration, name_key

DAYS = 30
_NARROW = 1200
"""Below this width, in pixels at 100 %, the people have no room for all their columns beside the stages."""
StageLine = tuple[Stage, int, float | None, float | None]
"""A stage, its cases now, and the seconds of its judgments: the median, and in all for each final case."""
_KINDS: tuple[tuple[str, int, tuple[Stage, ...]], ...] = (
    (tr("Self-check"), 82, SELF_CHECKS),
    (tr("Cross-check"), 104, (Stage.CROSS_CHECK,)),
    (tr("Expert"), 60, EXPERT_STAGES),
)


def stage_columns(hourly_rate: float) -> tuple[Column[StageLine], ...]:
    """What is said of a stage; what it costs for each final case where an hour of work has a price."""
    nothing = tr("No case is final yet, or nothing here is timed.")
    cost = Column[StageLine](
        tr("Cost"),
        68,
        lambda line: known_cell(
            None if line[3] is None else line[3] / 3600 * hourly_rate, "{:,.2f}", why_none=nothing
        ),
        is_figure=True,
        tip=tr("Of that time, at {rate:,} an hour", rate=hourly_rate),
    )
    return (
        Column(tr("Stage"), cell=lambda line: STAGE[line[0]]),
        Column(tr("Cases"), 60, lambda line: tally_cell(line[1]), is_figure=True),
        Column(
            tr("Median time"),
            94,
            lambda line: _time(line[2]),
            is_figure=True,
            tip=tr("Active time per submitted judgment, idle time excluded"),
            leave_out=1,
        ),
        Column(
            tr("Per final"),
            84,
            lambda line: _time(line[3], why_none=nothing),
            is_figure=True,
            tip=tr("All active time over the final cases: cases under way count, decisions are not timed"),
        ),
        *([cost] if hourly_rate else []),
    )


@dataclass(frozen=True)
class WorkloadOverview:
    """What the panel shows; `people` gives the roles of those who have a line."""

    people: Mapping[str, PersonRow]
    loads: tuple[Workload, ...]
    stages: StageReport
    days: tuple[DayCount, ...]


def read_overview(workspace: Workspace) -> WorkloadOverview:
    """Read who does what, where the project stands, and what each of the last days brought."""
    people = {person.name: person for person in list_people(workspace)}
    return WorkloadOverview(
        people, workloads(workspace), stage_report(workspace), throughput(workspace, days=DAYS)
    )


def person_columns(
    people: Mapping[str, PersonRow],
    *,
    has_work: bool,
    stages: StageReport | None = None,
    hourly_rate: float = 0,
) -> tuple[Column[Workload], ...]:
    """What is said of a person's work.

    Args:
        people: Who they are, by name.
        has_work: Whether there are cases that have not begun; then who has nothing to do says so.
        stages: Has the time of everybody at each stage.
        hourly_rate: What an hour of it costs; 0 where that is not known.
    """

    def spent(load: Workload) -> str:
        money = tr(", {money:,.2f}", money=load.seconds / 3600 * hourly_rate) if hourly_rate else ""
        by_stage = stages.seconds_of_work.get(load.person, {}) if stages else {}
        lines = (tr("{name}: {words}", name=STAGE[stage], words=duration(s)) for stage, s in by_stage.items())
        return "\n".join((tr("{time} in all", time=duration(load.seconds)) + money, *lines))

    def roles(load: Workload) -> Cell:
        names = (ROLE[role].lower() for role in people[load.person].roles) if load.person in people else ()
        return Cell(with_commas(names), colour="muted")

    def to_do(load: Workload) -> Cell:
        person = people.get(load.person)
        is_free = person is not None and person.has_role(Role.ANNOTATOR) and person.is_here
        if has_work and is_free and not (load.owned or load.to_decide):
            return Cell(
                tr("nothing"), 0, tr("Assign cases to this person in the Batches tab."), colour="warn"
            )
        is_bright = load.owned and load.is_active
        return Cell(
            f"{load.owned:,}", load.owned, is_strong=bool(load.owned), colour="text" if is_bright else "muted"
        )

    return (
        Column(
            tr("Person"),
            100,
            lambda load: (
                Cell(load.person)
                if load.is_active
                else Cell(tr("{person} (disabled)", person=load.person), colour="muted")
            ),
        ),
        Column(tr("Roles"), cell=roles),
        Column(tr("To do"), 72, to_do, is_figure=True, tip=tr("Own cases in self-check")),
        Column(
            tr("To decide"),
            78,
            lambda load: tally_cell(load.to_decide),
            is_figure=True,
            tip=tr("Escalated and sampled cases the queue offers an expert"),
        ),
        Column(
            tr("Held"),
            50,
            lambda load: tally_cell(load.held),
            is_figure=True,
            tip=tr("Cases held under a lease now"),
        ),
        Column(
            tr("Submitted"),
            80,
            lambda load: tally_cell(
                load.submitted + load.decided,
                tr(
                    "{submitted:,} judgments, {decided:,} decisions",
                    submitted=load.submitted,
                    decided=load.decided,
                ),
            ),
            is_figure=True,
            tip=tr("Valid judgments, and cases decided as an expert"),
        ),
        Column(
            tr("Median time"),
            94,
            lambda load: _time(load.median_seconds, spent(load)),
            is_figure=True,
            tip=tr("Active time per judgment, idle time excluded"),
        ),
        Column(
            tr("Too fast"),
            72,
            lambda load: tally_cell(load.hasty, colour="warn"),
            is_figure=True,
            tip=tr("Submitted faster than anyone reads; an expert gets them too"),
        ),
        Column(
            tr("Agreement"),
            86,
            lambda load: share_cell(load.agreement.value, _same(load.agreement), why_none=_ALONE),
            is_figure=True,
            tip=tr("How often another rater said the same, over all fields"),
        ),
        Column(
            "n",
            66,
            lambda load: tally_cell(load.agreement.total, _same(load.agreement), colour="muted"),
            is_figure=True,
            tip=tr("Comparisons with other raters behind the agreement"),
        ),
    )


_ALONE = tr("Nobody else judged what this person judged, or no round is closed yet.")


def _same(found: Rate) -> str:
    return (
        tr("{count:,} of {total:,} comparisons are the same", count=found.count, total=found.total)
        if found.total
        else _ALONE
    )


def day_columns(days: Sequence[DayCount]) -> tuple[Column[DayCount], ...]:
    """What was done on a day; darker where it was more."""
    most = max((sum(day.counts.values()) for day in days), default=0) or 1
    return (
        Column(
            tr("Day"),
            cell=lambda day: Cell(
                day_words(day.day, tr("ddd dd MMM")),
                day.day.toordinal(),
                tr("{day:%Y-%m-%d} (UTC)", day=day.day),
            ),
            tip=tr("In UTC"),
        ),
        *(Column(name, width, partial(_done_in, stages), is_figure=True) for name, width, stages in _KINDS),
        Column(
            tr("All"),
            48,
            lambda day: replace(_done_in(Stage, day), heat=sum(day.counts.values()) / most or None),
            is_figure=True,
            tip=tr("Judgments and decisions of the day (UTC)"),
        ),
    )


def _done_in(stages: Iterable[Stage], day: DayCount) -> Cell:
    return tally_cell(sum(day.counts.get(stage, 0) for stage in stages))


def _time(
    seconds: float | None, tip: str = "", *, why_none: str = tr("No judgment was submitted yet.")
) -> Cell:
    if seconds is None:
        return Cell("–", None, why_none, colour="muted")
    return Cell(duration(seconds), seconds, tip)


class WorkloadPanel(ReportPanel):
    """Shows who is right above; below people at the left, stages and days at the right."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        notice: ErrorBanner,
        *,
        hourly_rate: Callable[[], float],
        **properties: Any,
    ) -> None:
        super().__init__("workload-panel", operations, notice, **properties)
        self._hourly_rate = hourly_rate
        self._people = FigureTable("workload", tr("Workload"), person_columns({}, has_work=False))
        self._stages = FigureTable("stage-times", tr("Stages"), stage_columns(0), is_sortable=False)
        self._cost = ElidedLabel("", "small-muted", objectName="case-cost")
        self._days = FigureTable("throughput", tr("Throughput per day"), day_columns(()))
        open_case = self.case_wanted.emit
        self._experts = ExpertList(
            operations, commands, notice, page="team", is_mine=False, case_wanted=open_case
        )
        stages, days, people = (
            column(PanelHeader(title, (words, 1)), (table, 1))
            for title, words, table in (
                (tr("Stages"), self._cost, self._stages),
                (
                    tr("Throughput"),
                    ElidedLabel(tr("the last {days} days", days=DAYS), "small-muted"),
                    self._days,
                ),
                (
                    tr("Workload"),
                    ElidedLabel(tr("what everybody has to do, and has done"), "small-muted"),
                    self._people,
                ),
            )
        )
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        right = split(across, (stages, 1), (days, 1), least=_NARROW // 2)
        left = split(down, (people, 320), (self._experts, 170), grows=people)
        self._errors = ErrorsPanel(operations, notice, case_wanted=open_case)
        halves = split(across, (left, 976), (right, 400), grows=left, least=_NARROW)
        vbox(
            split(down, (self._errors, 330), (halves, 440), grows=halves),
            within=self,
            focus=self._errors,
        )

    def refresh(self) -> None:
        """Read it again."""
        self._read_again(
            read_overview,
            tr("Count the workload"),
            show=self._show,
            waiting=(
                self._people,
                self._stages,
                self._days,
            ),
        )
        self._experts.refresh()
        self._errors.refresh()

    def _show(self, found: WorkloadOverview) -> None:
        has_work = found.stages.counts.get(Stage.IMPORTED, 0) > 0
        loads = sorted(found.loads, key=lambda load: (-load.owned - load.to_decide, name_key(load.person)))
        rate = self._hourly_rate()
        columns = person_columns(found.people, has_work=has_work, stages=found.stages, hourly_rate=rate)
        self._cost.setText(found.stages.cost_words(rate))
        self._people.show_items(loads, key=attrgetter("person"), columns=columns)
        counts, median, spent = found.stages.counts, found.stages.median_seconds, found.stages.per_final
        stages = [(one, counts.get(one, 0), median.get(one), spent(one)) for one in Stage]
        self._stages.show_items(stages, key=itemgetter(0), columns=stage_columns(rate))
        self._days.show_items(found.days[::-1], key=attrgetter("day"), columns=day_columns(found.days))
