"""What is handed to the database thread, what is done with a workspace there, and what comes back.

The store's libraries take a second to import; that too happens on that thread, so that the window is painted
first. This is why imports stand inside the functions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject

from annotator.jobs import JobContext
from annotator.project.changes import Changes
from scoring.errors import AnnotatorError, ForbiddenError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from annotator.project.people import PersonRow
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
        name=workspace.name(),
        place=workspace.shown_place,
        is_shared=workspace.is_shared,
        person=next((person for person in people if known and person.id == known.id), None),
        people=people,
    )


def _known_person(workspace: "Workspace") -> "PersonRow | None":
    try:
        return workspace.person
    except ForbiddenError:
        return None


def in_own_workspace(
    fn: Callable[[JobContext, "Workspace"], object], project: OpenProject, context: JobContext
) -> tuple[object, Changes]:
    """Run a job with a workspace that lives as long as the job."""
    from annotator.project.workspace import Workspace

    workspace = Workspace(project.project, person=project.person)
    try:
        return split_changes(fn(context, workspace))
    finally:
        workspace.close()


def without_workspace(fn: Callable[[JobContext], object], context: JobContext) -> tuple[object, Changes]:
    """Run a job that needs no open project."""
    return fn(context), NOTHING
