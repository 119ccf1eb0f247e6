"""A project's first day: creating the store, its first person and its policy."""

from collections.abc import Callable
from datetime import datetime

from annotator.project.people import login_name
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace, open_workspace, utc_now
from db import events
from db.care.upgrade import create_project
from db.project_files.location import locate
from db.project_files.server import FIRST_TIME, read_place, setup_statements
from db.tables import Transaction
from db.write import store
from scoring.errors import InputError, ServerAccessError
from scoring.model.taxonomy import Role


def create_workspace(
    project: str,
    *,
    name: str = "",
    person: str | None = None,
    policy: ReviewPolicy | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Workspace:
    """Create a project with one person who holds every role, and open it in their name.

    Args:
        project: Path or URL where nothing is yet; a PostgreSQL database may exist but be empty.
        name: Shown name; the file's or database's name where empty.
        person: The first person; the login name where None.
        policy: The review policy; the default one where None.
        clock: Gives the present instant; None for the store's.

    Raises:
        StoreError: The place is taken or unusable.
        InputError: The name is too long.
    """
    location = locate(project)
    shown = name.strip() or (location.path.stem if location.path else location.url.database) or "project"
    if len(shown) > 200:
        raise InputError("A project's name has at most 200 characters.", "Choose a shorter one.")
    owner = person or login_name()
    at = clock() if clock else utc_now()
    try:
        create_project(
            project,
            fill=lambda tx: write_first_rows(
                tx, name=shown, owner=owner, policy=policy or ReviewPolicy(), at=at
            ),
        )
    except ServerAccessError as exc:
        lines = "\n    ".join(setup_statements(read_place(project)[0]))
        raise ServerAccessError(exc.message, f"{exc.hint}\n{FIRST_TIME}\n    {lines}") from exc
    return open_workspace(project, owner, clock=clock)


def write_first_rows(tx: Transaction, *, name: str, owner: str, policy: ReviewPolicy, at: datetime) -> None:
    """Write what every project starts with: name, policy, a person with every role, the first event."""
    store.set_project(tx, name, policy=policy.model_dump_json(), at=at)
    store.add_person(tx, owner, roles=list(Role), password_hash=None, at=at)
    events.append(
        tx,
        actor=owner,
        action="project:store:create",
        subject=f"project:{name}",
        payload={"policy": policy.model_dump(mode="json")},
        at=at,
    )
