"""People of a project: who there is and what they may do."""

import getpass
import os
from collections.abc import Sequence
from datetime import date

from annotator.project.changes import Changes
from annotator.project.lookups import person_named
from annotator.project.passwords import hashed
from annotator.project.workspace import Work, Workspace, operation
from db.read import people
from db.read.rows import PersonRow as PersonRow
from db.write import slots, store
from scoring.errors import ForbiddenError, InputError
from scoring.model.taxonomy import Role


def list_people(workspace: Workspace) -> tuple[PersonRow, ...]:
    """Everybody of the project, by name."""
    return workspace.read(people.list_people)


def default_person(workspace: Workspace) -> str | None:
    """Who works where nobody was named: the login name where a person has it, else the only person."""
    active = [person.name for person in list_people(workspace) if person.is_active]
    login = login_name()
    return login if login in active else active[0] if len(active) == 1 else None


def login_name() -> str:
    """Name of whoever is logged in at this computer."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return os.environ.get("USER") or "me"


@operation("person:roles:add", roles=(Role.MANAGER,))
def add_person(w: Work, name: str, *, roles: Sequence[Role], password: str | None = None) -> int:
    """Add a person; a manager does this.

    Raises:
        InputError: The name is empty or too long, or no role is given.
        ConflictError: The name is taken.
    """
    clean = name.strip()
    if not clean or len(clean) > 100 or clean == "system" or not clean.isprintable():
        raise InputError(
            f"'{name}' cannot be a person's name.", "Use 1 to 100 printable characters, not 'system'."
        )
    _require_role(clean, roles)
    number = store.add_person(
        w.tx, clean, roles=[*dict.fromkeys(roles)], password_hash=hashed(password), at=w.at
    )
    w.record(f"person:{clean}", {"roles": [str(role) for role in roles]}, Changes(has_people=True))
    return number


@operation("person:roles:set", roles=(Role.MANAGER,))
def set_roles(w: Work, name: str, *, roles: Sequence[Role]) -> None:
    """Give a person these roles and no others; slots they hold for a role they lose go back.

    Raises:
        InputError: No role is given.
        NotFoundError: Nobody has this name.
        ForbiddenError: It would leave the project without a manager.
    """
    _require_role(name, roles)
    person = person_named(w.tx, name)
    if Role.MANAGER not in roles:
        _refuse_last_manager(w, person)
    kept = [*dict.fromkeys(roles)]
    store.change_person(w.tx, person.id, {"roles": ",".join(kept)})
    if set(person.roles) - set(kept):
        slots.release_claims(w.tx, person.id, at=w.at, note="roles changed")
    w.record(f"person:{name}", {"roles": [[*person.roles], [*kept]]}, Changes(has_people=True))


@operation("person:password:set")
def set_password(w: Work, name: str, *, password: str | None) -> None:
    """Set or remove a password: one's own, or anybody's as a manager."""
    person = person_named(w.tx, name)
    _refuse_others(w, person)
    store.change_person(w.tx, person.id, {"password_hash": hashed(password)})
    w.record(f"person:{name}", {"has_password": password is not None}, Changes(has_people=True))


@operation("person:absence:set")
def set_away(w: Work, name: str, *, until: date | None) -> None:
    """Say that somebody, oneself or as a manager anybody, is given no work until a day; None for nobody away.

    What they hold stays theirs until a manager shares it out (`share_out`).

    Raises:
        InputError: The day (UTC) is not after today.
    """
    person = person_named(w.tx, name)
    _refuse_others(w, person)
    if until is not None and until <= people.today():
        raise InputError(f"{until} is not after today.", "Name the day on which they are back.")
    day = until.isoformat() if until is not None else None
    store.change_person(w.tx, person.id, {"away_until": day})
    w.record(f"person:{name}", {"away_until": day}, Changes(has_people=True))


@operation("person:activity:set", roles=(Role.MANAGER,))
def set_active(w: Work, name: str, *, active: bool) -> None:
    """Disable or enable a person; what they hold goes back to the queue, their drafts stay.

    Anybody may take over the self-checks of somebody who is disabled.

    Raises:
        ForbiddenError: It would leave the project without a manager.
    """
    person = person_named(w.tx, name)
    if not active:
        _refuse_last_manager(w, person)
    store.change_person(w.tx, person.id, {"is_active": active})
    if not active:
        slots.release_claims(w.tx, person.id, at=w.at, note="person disabled")
    w.record(f"person:{name}", {"is_active": active}, Changes(has_people=True))


def _refuse_others(w: Work, person: PersonRow) -> None:
    if person.id != w.person.id and not w.person.has_role(Role.MANAGER):
        raise ForbiddenError(f"Only {person.name} or a manager can change this.", "Ask a manager.")


def _require_role(name: str, roles: Sequence[Role]) -> None:
    if not roles:
        raise InputError(f"{name} needs a role.", f"Roles: {', '.join(Role)}.")


def _refuse_last_manager(w: Work, person: PersonRow) -> None:
    managers = [p for p in people.list_people(w.tx) if p.is_active and p.has_role(Role.MANAGER)]
    if [manager.id for manager in managers] == [person.id]:
        raise ForbiddenError(f"{person.name} is the only manager.", "Add another manager first.")
