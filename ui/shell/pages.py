"""Which pages there are, and how each is made and joined to the ways between them."""

import importlib
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QWidget

from scoring.texts import tr
from ui.shell.extensions import EXTENSIONS
from ui.shell.navigation import READING, TASK, PageContext, PageKind
from ui.theme.events import tab_as_read
from ui.theme.layouts import build

FIRST_ROOMS = ("annotator.review.queue.claims",)
"""What the queue rests on."""

LATER_ROOMS = (
    "annotator.cases.access",
    "annotator.review.measures.workload",
    "annotator.review.drafts",
    "annotator.cases.file_import",
    "annotator.cases.edits.text_edits",
    "annotator.review.submissions",
    "annotator.release.runs.model_run",
    *(room for part in EXTENSIONS for room in part.rooms),
)
"""What the other pages rest on and takes longest to import."""


def load_rooms(_: object, *, rooms: tuple[str, ...]) -> None:
    """Import what the pages rest on, beside the window's thread.

    Only modules without Qt: its types are made when they are first named, and two threads that do
    that at once end the program.
    """
    for room in rooms:
        importlib.import_module(room)


def _queue(context: PageContext) -> QWidget:
    from ui.queue.page import QueuePage

    return QueuePage(
        context.operations,
        context.commands,
        context.preferences,
        open_requested=context.ways.open_assignment,
        case_requested=context.ways.decide_case,
        reading_requested=context.ways.read_case,
    )


def _workbench(context: PageContext) -> QWidget:
    from ui.workbench.page import WorkbenchPage

    actions = [part.case_action() for part in EXTENSIONS if part.case_action]
    return WorkbenchPage(context.operations, context.commands, context.preferences, actions=actions)


def _reading(context: PageContext) -> QWidget:
    from ui.workbench.read_only_page import ReadOnlyPage

    return ReadOnlyPage(
        context.operations,
        context.commands,
        left=context.ways.stop_reading,
        next_wanted=context.ways.claim_next,
        task_wanted=context.ways.show_task,
    )


def _adjudication(context: PageContext) -> QWidget:
    from ui.adjudication.page import AdjudicationPage

    return AdjudicationPage(
        context.operations,
        context.commands,
        context.preferences,
        reading_requested=context.ways.read_case,
        task_wanted=context.ways.show_task,
    )


def _releases(context: PageContext) -> QWidget:
    from ui.releases.page import ReleasesPage

    return ReleasesPage(context.operations, context.commands)


def _agreement(context: PageContext) -> QWidget:
    from ui.agreement.page import AgreementPage

    return AgreementPage(context.operations, context.commands, case_wanted=context.ways.open_case)


def _coverage(context: PageContext) -> QWidget:
    from ui.coverage.page import CoveragePage

    fill = next((part.fill_coverage for part in EXTENSIONS if part.fill_coverage), None)
    made = [part.coverage_view for part in EXTENSIONS if part.coverage_view]
    return CoveragePage(
        context.operations,
        context.commands,
        generate=partial(fill, context) if fill else None,
        views=[(tr(title), make(context)) for title, make in made],
        case_wanted=context.ways.open_case,
    )


def _runs(context: PageContext) -> QWidget:
    from ui.runs.page import RunsPage

    made = [part.run_view for part in EXTENSIONS if part.run_view]
    return RunsPage(
        context.operations,
        context.commands,
        context.preferences,
        views=[(tr(title), make(context)) for title, make in made],
        case_wanted=context.ways.open_case,
        task_wanted=context.ways.show_task,
    )


def _task(context: PageContext) -> QWidget:
    from ui.runs.task_page import TaskPage

    ways = context.ways
    return TaskPage(context.operations, context.commands, left=ways.leave_task, case_wanted=ways.open_case)


def _team(context: PageContext) -> QWidget:
    from ui.team.page import TeamPage

    return TeamPage(
        context.operations,
        context.commands,
        hourly_rate=lambda: context.preferences.settings.hourly_rate,
        case_wanted=context.ways.open_case,
    )


def _with_parts(*core: PageKind) -> tuple[PageKind, ...]:
    """The pages of the core with those of the parts among them."""
    kinds = list(core)
    for part in EXTENSIONS:
        if part.page:
            above = [place for place, kind in enumerate(kinds) if kind.id == part.page_above]
            kinds.insert(above[0] if above else len(kinds), part.page())
    return tuple(kinds)


PAGES = _with_parts(
    PageKind("queue", tr("Queue"), "text-align-left", _queue, is_of_annotators=True),
    PageKind("workbench", tr("Workbench"), "pencil-simple", _workbench, is_of_annotators=True),
    PageKind("adjudication", tr("Adjudicate"), "scales", _adjudication),
    PageKind("agreement", tr("Agreement"), "chart-line-up", _agreement),
    PageKind("coverage", tr("Coverage"), "triangle", _coverage),
    PageKind("releases", tr("Releases"), "cube", _releases),
    PageKind("runs", tr("Runs"), "play", _runs),
    PageKind("team", tr("Team"), "users", _team),
)
"""The rail from the top."""

READING_PAGE = PageKind(READING, tr("Case"), "book-open", _reading)
TASK_PAGE = PageKind(TASK, tr("One task"), "columns", _task)


class Pages(QStackedWidget):
    """Asks for no more room than the page that is shown needs; Tab goes through it as it is read."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="pages", currentChanged=self.updateGeometry)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        tab_as_read(self)
        return super().focusNextPrevChild(is_next)

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.minimumSizeHint().expandedTo(page.minimumSize()) if page is not None else QSize(0, 0)

    def heightForWidth(self, width: int) -> int:
        # What it needs, not what its columns would like: they would push the bar below them out of sight.
        return self.minimumSizeHint().height()
