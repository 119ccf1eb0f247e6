"""What is handed to the database thread, what is done with a workspace there, and what comes back.

The store's libraries take a second to import; that too happens on that thread, so that the window is painted
first. This is why imports stand inside the functions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import shiboken6
from PySide6.QtCore import QObject

from annotator.jobs import JobContext
from annotator.project.changes import Changes
from scoring.errors import AnnotatorError, ForbiddenError
from scoring.texts import tr
from ui.theme.words import name_key

if TYPE_CHECKING:
    from concurrent.futures import Future

    from annotator.project.people import PersonRow
    from annotator.project.upgrade import UpgradePlan
    from annotator.project.workspace import Workspace


@dataclass(frozen=True)
class OpenProject:
    """The project that is open, and in whose name; `person` is None until somebody was chosen.

    `project` opens it again and may hold a password: it is never shown or written; `place` is what people
    see, `address` what files keep.
    """

    project: str = field(repr=False)
    address: str
    name: str
    place: str
    is_shared: bool
    person: "PersonRow | None"
    people: "tuple[PersonRow, ...]"

    @property
    def desk(self) -> str:
        """Names the project and the person in settings."""
        return f"{self.address} {self.person.name if self.person else ''}"


class Pending:
    """A call that was handed over; see `operations` for when to cancel it."""

    def __init__(
        self,
        then: Callable[[Any], object] | None,
        failed: Callable[[AnnotatorError], object] | None,
        origin: object = None,
        *,
        is_in_project: bool = False,
    ) -> None:
        self.then = then
        self.failed = failed
        self.origin = origin
        self.is_in_project = is_in_project
        self.is_cancelled = False
        self.future: Future[None] | None = None

    def cancel(self) -> None:
        """Take it back: it does not run if it has not begun, and its result is dropped."""
        self.is_cancelled = True
        if self.future is not None:
            self.future.cancel()


NOTHING = Changes()
"""What a look changes."""


@dataclass(frozen=True)
class CallOutcome:
    """What became of a call."""

    pending: Pending
    value: object = None
    changes: Changes = NOTHING
    error: BaseException | None = None


def is_there(callback: Callable[..., object]) -> bool:
    """Whether the widget behind a bound method still exists; anything else always does."""
    while isinstance(callback, partial):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    return not isinstance(owner, QObject) or shiboken6.isValid(owner)


def open_for(project: str, person: str | None, password: str | None) -> "Workspace":
    """Open a project in somebody's name, as `open_workspace` does, with what the keyring knows."""
    from annotator.project.passwords import with_kept_password
    from annotator.project.workspace import open_workspace

    return open_workspace(with_kept_password(project), person, password=password)


def create_project(project: str, person: str | None = None) -> "Workspace":
    """Create a project with a person in every role, with what the keyring knows."""
    from annotator.project.creation import create_workspace
    from annotator.project.passwords import with_kept_password

    return create_workspace(with_kept_password(project), person=person)


def foresee_upgrade(project: str) -> "UpgradePlan":
    """What an upgrade of an older project would do."""
    from annotator.project.passwords import with_kept_password
    from annotator.project.upgrade import plan_upgrade

    return plan_upgrade(with_kept_password(project))


def upgrade_project(project: str, *, context: JobContext) -> None:
    """Upgrade an older project, as `annotator migrate` does."""
    from annotator.project.passwords import with_kept_password
    from annotator.project.upgrade import migrate
    from annotator.review.precedents import fill_precedents

    migrate(with_kept_password(project), context=context, fill=fill_precedents)


def keep_password(project: str) -> None:
    """Keep the password of a server's project in the keyring."""
    from annotator.project.passwords import keep_server_password

    keep_server_password(project)


def prepare_sample(place: Path, *, context: JobContext) -> str:
    """Make the sample project where there is none yet, and say in whose name it is opened; a job."""
    from annotator.project.people import login_name
    from annotator.release.sample_project import make_sample

    if not place.exists():
        make_sample(place, context=context)
    return login_name()


def look(workspace: "Workspace") -> None:
    """Read the least there is, to see whether the project answers."""
    workspace.name()


def split_changes(value: object) -> tuple[object, Changes]:
    """A value, and what it changed where it came from an operation."""
    from annotator.project.workspace import Done

    return (value.value, value.changes) if isinstance(value, Done) else (value, NOTHING)


def describe(workspace: "Workspace") -> OpenProject:
    """Read what the window shows of a project; the person as they are now, not as they were at the start."""
    from annotator.project.people import list_people

    known, people = _known_person(workspace), list_people(workspace)
    return OpenProject(
        project=workspace.project,
        address=workspace.address,
        name=tr("Sample project") if workspace.name() == "Sample project" else workspace.name(),
        place=workspace.shown_place,
        is_shared=workspace.is_shared,
        person=next((person for person in people if known and person.id == known.id), None),
        people=tuple(sorted(people, key=lambda person: name_key(person.name))),
    )


def _known_person(workspace: "Workspace") -> "PersonRow | None":
    try:
        return workspace.person
    except ForbiddenError:
        return None


class WorkspaceJob(Protocol):
    """Long work on a project, such as `carry_out` of an order."""

    def __call__(self, workspace: "Workspace", /, *, context: JobContext) -> object:
        """Do it; cancelling is noticed between two units."""


class OutsideJob(Protocol):
    """Long work that needs no open project."""

    def __call__(self, *, context: JobContext) -> object:
        """Do it; cancelling is noticed between two units."""


def job_of(read: Callable[["Workspace"], object]) -> WorkspaceJob:
    """A long reading as a job; it tells no progress, and its result is dropped where it is cancelled."""

    def job(workspace: "Workspace", /, *, context: JobContext) -> object:
        value = read(workspace)
        context.check_cancelled()
        return value

    return job


def in_own_workspace(fn: WorkspaceJob, project: OpenProject, context: JobContext) -> tuple[object, Changes]:
    """Run a job with a workspace that lives as long as the job."""
    from annotator.project.workspace import Workspace

    workspace = Workspace(project.project, person=project.person)
    try:
        return split_changes(fn(workspace, context=context))
    finally:
        workspace.close()


def without_workspace(fn: OutsideJob, context: JobContext) -> tuple[object, Changes]:
    """Run a job that needs no open project."""
    return fn(context=context), NOTHING
