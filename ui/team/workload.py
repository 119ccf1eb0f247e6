"""Who has how much to do, and how long work takes: a line a person, a line a stage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from annotator.project.people import PersonRow, list_people
from annotator.review.claiming import CaseFilter, count_cases
from annotator.review.measuring import StageReport, stage_report
from scoring.model.taxonomy import Role, Stage
from ui.errors import ErrorBanner
from ui.operations import Operations
from ui.team.batches import GROUPS
from ui.theme import PanelHeader, TextLabel, theme
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.times import duration
from ui.theme.words import ROLE, STAGE

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

_WAITING = ("Not begun", "Self-check", "Returned")
"""Groups that wait for the owner."""

PERSON_COLUMNS = (
    Column("Person", 130),
    Column("Roles"),
    Column("To do", 72, is_figure=True, tip="Own cases that wait for this person"),
    *(Column(name, 86, is_figure=True, tip=tip) for name, tip, _ in GROUPS),
)
STAGE_COLUMNS = (
    Column("Stage"),
    Column("Cases now", 88, is_figure=True),
    Column("Median time", 104, is_figure=True, tip="Active time of a submitted judgment, pauses left out"),
)


@dataclass(frozen=True)
class PersonLoad:
    """One person and how many of their own cases stand where, in the order of `GROUPS`."""

    person: PersonRow
    counts: tuple[int, ...]

    @property
    def waiting(self) -> int:
        """Own cases that wait for them."""
        names = [name for name, _, _ in GROUPS]
        return sum(self.counts[names.index(name)] for name in _WAITING)


@dataclass(frozen=True)
class Workload:
    """What the panel shows."""

    people: tuple[PersonLoad, ...]
    stages: StageReport


def read_workload(workspace: "Workspace") -> Workload:
    """Count the own cases of everybody, and read where the project stands."""
    loads = [
        PersonLoad(
            person,
            tuple(
                count_cases(workspace, CaseFilter(owner=person.name, stages=stages))
                for _, _, stages in GROUPS
            ),
        )
        for person in list_people(workspace)
    ]
    return Workload(tuple(loads), stage_report(workspace))


def person_rows(loads: Sequence[PersonLoad]) -> tuple[Row, ...]:
    """One line a person, who has most to do first; who has nothing says so."""
    ordered = sorted(loads, key=lambda load: (-load.waiting, load.person.name))
    return tuple(Row(load.person.name, _person(load)) for load in ordered)


def _person(load: PersonLoad) -> tuple[Cell, ...]:
    person = load.person
    colour = "text" if person.is_active else "faint"
    roles = ", ".join(ROLE[role].lower() for role in person.roles)
    waiting = Cell(f"{load.waiting:,}", load.waiting, is_strong=bool(load.waiting), colour=colour)
    if person.has_role(Role.ANNOTATOR) and person.is_active and not load.waiting:
        waiting = Cell("nothing", 0, "Give this person cases in the tab Batches.", colour="warn")
    return (
        Cell(person.name if person.is_active else f"{person.name} (disabled)", colour=colour),
        Cell(roles, colour="muted"),
        waiting,
        *(Cell(f"{n:,}", n, colour="text" if n else "faint") for n in load.counts),
    )


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


def _count(count: int) -> Cell:
    return Cell(f"{count:,}", count, colour="text" if count else "faint")


def _time(seconds: float | None) -> Cell:
    if seconds is None:
        return Cell("–", None, "Nobody submitted a judgment here yet.", colour="faint")
    return Cell(duration(seconds), seconds)


class WorkloadPanel(QWidget):
    """Shows the workload."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__()
        self.setObjectName("workload-panel")
        self._operations = operations
        self._notice = notice
        self._people = FigureTable("workload", "Workload", PERSON_COLUMNS)
        self._stages = FigureTable("stage-times", "Stages", STAGE_COLUMNS, is_sortable=False)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(_panel("Workload", "own cases of everybody, by where they stand", self._people))
        splitter.addWidget(_panel("Stages", "", self._stages))
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([theme().px(1040), theme().px(336)])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(splitter)
        self.setFocusProxy(self._people)

    def refresh(self) -> None:
        """Count again."""
        self._operations.run(read_workload, then=self._show, failed=self._notice.show_error)

    def _show(self, found: Workload) -> None:
        self._people.show_rows(person_rows(found.people))
        self._stages.show_rows(stage_rows(found.stages))


def _panel(title: str, words: str, table: QWidget) -> QWidget:
    header = PanelHeader(title)
    header.add_left(TextLabel(words, "small-muted"))
    panel = QWidget()
    column = QVBoxLayout(panel)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(header)
    column.addWidget(table, 1)
    return panel
