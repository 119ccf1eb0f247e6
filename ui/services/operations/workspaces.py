"""What is done with a workspace on its own thread: opening, describing, looking.

The store's libraries take a second to import; that too happens there, so that the window is painted
first. This is why imports stand inside these functions.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from annotator.jobs import JobContext
from annotator.project.changes import Changes
from scoring.errors import ForbiddenError
from ui.services.operations.calls import NOTHING, OpenProject

if TYPE_CHECKING:
    from annotator.project.people import PersonRow
    from annotator.project.workspace import Workspace


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
