"""Which pages there are, what they are made with, and what the window expects of them."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QSize, SignalInstance
from PySide6.QtWidgets import QStackedWidget, QWidget

from scoring.errors import AnnotatorError
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences

if TYPE_CHECKING:
    from ui.desk.case_bar import CaseBar


@dataclass(frozen=True)
class PageContext:
    """What every page is made with."""

    operations: Operations
    commands: Commands
    preferences: Preferences


@dataclass(frozen=True)
class PageKind:
    """A page of the rail; it is made when it is first shown, and anew for another project."""

    id: str
    title: str
    icon_name: str
    make: Callable[[PageContext], QWidget]


FIRST_ROOMS = ("annotator.review.queue.claims",)
"""What the queue rests on."""

LATER_ROOMS = (
    "annotator.cases.access",
    "annotator.review.measures.workload",
    "annotator.review.drafts",
    "annotator.cases.file_import",
    "annotator.cases.edits.text_edits",
    "annotator.review.submissions",
    "annotator.training.feedback",
    "annotator.release.runs.model_run",
    "annotator.generation.run_loop",
)
"""What the other pages rest on and takes longest to import."""


def load_rooms(_: object, *, rooms: tuple[str, ...]) -> None:
    """Import what the pages rest on, beside the window's thread.

    Only modules without Qt: its types are made when they are first named, and two threads that do
    that at once end the program.
    """
    for room in rooms:
        importlib.import_module(room)


@runtime_checkable
class KeepsWork(Protocol):
    """A page that holds work in progress."""

    def flush(self) -> None:
        """Hand everything unsaved to the operations now."""

    def unsaved_words(self) -> str:
        """What leaving now would lose, in one sentence; empty where nothing is at risk."""


@runtime_checkable
class TellsState(Protocol):
    """A page that has something to say in the footer while it is shown."""

    saved_changed: SignalInstance
    """(words, tone): e.g. `Saved 14:02:11` and `Tone.OK`."""
    undo_changed: SignalInstance
    """(words): e.g. `Undo: change city of call 1`."""


@runtime_checkable
class TellsWork(Protocol):
    """A page on which people work on a case of theirs."""

    work_changed: SignalInstance
    """(assignment or null): the slot that is open now."""


@runtime_checkable
class ShowsCase(Protocol):
    """A page with a case on it."""

    case_bar: "CaseBar"
    """Tells which case is shown, and shows who else has it open."""


@runtime_checkable
class SendsBack(Protocol):
    """A page that ends by itself: the queue is shown again and the words stand in the footer."""

    finished: SignalInstance
    """(words): e.g. `Submitted; nothing else waits for you`."""


@runtime_checkable
class OpensAssignments(Protocol):
    """The Workbench: where a claimed case is worked on."""

    def open_assignment(self, assignment_id: int) -> None:
        """Open a slot the person holds."""


@runtime_checkable
class OpensCases(Protocol):
    """The Adjudication page: where an escalated or sampled case is decided."""

    def open_case(self, case_id: str) -> None:
        """Open a case an expert may decide; the page claims it."""


@runtime_checkable
class ListsCases(Protocol):
    """The Queue: where cases are found and taken."""

    open_requested: SignalInstance
    """(`AssignmentRow`): the person holds this slot and wants to work on it."""
    case_requested: SignalInstance
    """(case id): the person wants to decide this case."""

    def open_case_of_list(self, case_id: str) -> None:
        """Take a case and open it, or have it read where the person cannot work on it."""

    def claim_next(self) -> None:
        """Take the next case and open it, or say why there is none."""

    def show_owner(self, name: str) -> None:
        """List the cases of a person."""


@runtime_checkable
class RequestsReading(Protocol):
    """A page on which a case can be wanted that the person cannot work on."""

    reading_requested: SignalInstance
    """(case id, `ForbiddenError`): the person can only read this case, and why."""


@runtime_checkable
class ReadsCases(Protocol):
    """The page that only reads a case."""

    left: SignalInstance
    """(): the person has read enough."""
    next_wanted: SignalInstance
    """(): the person wants a case to work on."""

    def read(self, case_id: str, refused: AnnotatorError) -> None:
        """Show a case and why the person cannot work on it."""


@runtime_checkable
class WantsCases(Protocol):
    """A page of figures: what they rest on is opened in the queue's way."""

    case_wanted: SignalInstance
    """(case id): the person wants to see this case."""


@runtime_checkable
class WantsGeneration(Protocol):
    """A page that shows what is missing: it can be generated."""

    generation_wanted: SignalInstance
    """(): the person wants to generate what is missing."""


@runtime_checkable
class Generates(Protocol):
    """The Generate page: where runs of the generator are started."""

    def ask_missing(self) -> None:
        """Ask for a run that fills what the coverage lacks."""


def _queue(context: PageContext) -> QWidget:
    from ui.queue.page import QueuePage

    return QueuePage(context.operations, context.commands, context.preferences)


def _workbench(context: PageContext) -> QWidget:
    from ui.workbench.page import WorkbenchPage

    return WorkbenchPage(context.operations, context.commands, context.preferences)


def _reading(context: PageContext) -> QWidget:
    from ui.workbench.read_only_page import ReadOnlyPage

    return ReadOnlyPage(context.operations, context.commands)


def _training(context: PageContext) -> QWidget:
    from ui.workbench.training_page import TrainingPage

    return TrainingPage(context.operations, context.commands, context.preferences)


def _adjudication(context: PageContext) -> QWidget:
    from ui.adjudication.page import AdjudicationPage

    return AdjudicationPage(context.operations, context.commands, context.preferences)


def _releases(context: PageContext) -> QWidget:
    from ui.releases.page import ReleasesPage

    return ReleasesPage(context.operations, context.commands)


def _agreement(context: PageContext) -> QWidget:
    from ui.agreement.page import AgreementPage

    return AgreementPage(context.operations, context.commands)


def _coverage(context: PageContext) -> QWidget:
    from ui.coverage import CoveragePage

    return CoveragePage(context.operations, context.commands)


def _runs(context: PageContext) -> QWidget:
    from ui.runs.page import RunsPage

    return RunsPage(context.operations, context.commands, context.preferences)


def _generate(context: PageContext) -> QWidget:
    from ui.generate.page import GeneratePage

    return GeneratePage(context.operations, context.commands)


def _team(context: PageContext) -> QWidget:
    from ui.team.page import TeamPage

    return TeamPage(context.operations, context.commands)


PAGES: tuple[PageKind, ...] = (
    PageKind("queue", "Queue", "text-align-left", _queue),
    PageKind("workbench", "Workbench", "pencil-simple", _workbench),
    PageKind("adjudication", "Adjudicate", "scales", _adjudication),
    PageKind("agreement", "Agreement", "chart-line-up", _agreement),
    PageKind("coverage", "Coverage", "triangle", _coverage),
    PageKind("releases", "Releases", "cube", _releases),
    PageKind("runs", "Runs", "play", _runs),
    PageKind("generate", "Generate", "sparkle", _generate),
    PageKind("team", "Team", "users", _team),
    PageKind("training", "Training", "graduation-cap", _training),
)
"""The rail from the top."""

READING = PageKind("reading", "Case", "book-open", _reading)
"""Shown in the place of the page a case was wanted on; it has no button of its own."""


class Pages(QStackedWidget):
    """Asks for no more room than the page that is shown needs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pages")
        self.currentChanged.connect(self._ask_for_room)

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.minimumSizeHint().expandedTo(page.minimumSize()) if page is not None else QSize(0, 0)

    def _ask_for_room(self) -> None:
        self.updateGeometry()
