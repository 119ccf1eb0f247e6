"""Views of the queue that a team shares: filters by name, each change of them an event of the project."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace

from pydantic import TypeAdapter, ValidationError

from annotator.project.changes import Changes
from annotator.project.workspace import Work, Workspace, operation, query
from db.read import reviews
from db.read.rows import CaseFilter
from db.tables import Transaction
from scoring.errors import ConflictError, InputError, NotFoundError, existing, reworded
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Role

_SUBJECT = "project:views"


@query
def team_views(workspace: Workspace, tx: Transaction) -> dict[str, JsonObject]:
    """The views of the team by name, as the window writes them."""
    return _views(tx)


def _views(tx: Transaction) -> dict[str, JsonObject]:
    views: dict[str, JsonObject | None] = {}
    for event in reversed(reviews.events_of(tx, [_SUBJECT], limit=100_000)):
        views |= json.loads(event.payload)
    return {name: view for name, view in sorted(views.items()) if view is not None}


def view_filter(workspace: Workspace, name: str) -> CaseFilter:
    """What a view of the team keeps; its own cases are those of who asks.

    Raises:
        NotFoundError: The team has no view of this name.
        InputError: Another version of the program saved it, and this one cannot read it.
    """
    gone = NotFoundError(f"The team has no view '{name}'.", "See `annotator view list`.")
    view = existing(team_views(workspace).get(name), gone)
    unread = InputError(f"The view '{name}' cannot be read.", "Save it again with this version.")
    with reworded(ValidationError, into=lambda _: unread):
        where = TypeAdapter(CaseFilter).validate_python(view)
    return replace(where, mine_id=workspace.person.id if view.get("is_mine") else None)


def view_of(where: CaseFilter) -> JsonObject:
    """A filter as a view that `change_team_views` takes."""
    return {key: value for key, value in asdict(where).items() if value}


@operation("project:view:set", roles=(Role.MANAGER, Role.EXPERT), is_alone=True)
def change_team_views(w: Work, changes: Mapping[str, JsonObject | None]) -> None:
    """Save, replace, rename or remove views of the team.

    Args:
        w: Of a manager or an expert.
        changes: What stands under a name from now on; None removes it. A view that is renamed is removed
            under one name and saved under the other.

    Raises:
        NotFoundError: What is removed or renamed is gone.
        ConflictError: There is a view of the name that another one gets.
    """
    views = _views(w.tx)
    removed = {name for name, view in changes.items() if view is None}
    for name in removed - views.keys():
        raise NotFoundError(f"The team has no view '{name}'.", "Somebody renamed or removed it.")
    for name in (changes.keys() - removed) & views.keys() if removed else ():
        raise ConflictError(f"The team has a view '{name}' already.", "Choose another name.")
    w.record(_SUBJECT, dict(changes), Changes(has_policy=True))
