"""The people of a project, its policy and its clock."""

from datetime import UTC, date, datetime
from typing import Literal

from sqlalchemy import String, and_, bindparam, func, not_, or_, select

from db.read.rows import PersonRow, PresentRow
from db.read.visibility import Viewer, blind_to
from db.tables import CaseHead, Person, Presence, Project, Transaction
from scoring.model.taxonomy import Role


def today() -> date:
    """The present day (UTC)."""
    return datetime.now(UTC).date()


IS_HERE = and_(
    Person.is_active.is_(True),
    or_(
        Person.away_until.is_(None),
        Person.away_until <= bindparam("today", type_=String, callable_=lambda: today().isoformat()),
    ),
)
"""People who are given work: neither disabled nor away today."""


def person_row(person: Person) -> PersonRow:
    """A person as other floors see them."""
    back = date.fromisoformat(person.away_until) if person.away_until else None
    return PersonRow(
        id=person.id,
        name=person.name,
        roles=tuple(Role(role) for role in person.roles.split(",") if role),
        is_active=person.is_active,
        has_password=person.password_hash is not None,
        created_at=person.created_at,
        away_until=back if back is not None and back > today() else None,
    )


def list_people(tx: Transaction) -> tuple[PersonRow, ...]:
    """Everybody of the project, by name."""
    return tuple(map(person_row, tx.scalars(select(Person).order_by(Person.name))))


def find_person(tx: Transaction, name: str) -> PersonRow | None:
    """A person by name."""
    person = tx.scalars(select(Person).where(Person.name == name)).one_or_none()
    return person_row(person) if person else None


def password_hash(tx: Transaction, person_id: int) -> str | None:
    """The stored hash of a person's password, None where none is set."""
    return tx.scalar(select(Person.password_hash).where(Person.id == person_id))


def present_people(tx: Transaction, viewer: Viewer, *, after: datetime) -> tuple[PresentRow, ...]:
    """The windows that were heard of after an instant, by person.

    A case the viewer judges blind, or that is kept from them, is not named: who looks at it may be its owner.
    """
    is_own = Presence.person_id == viewer.person_id
    return tuple(
        PresentRow(row.window, person, None if pk in viewer.withheld else case_id, row.since)
        for row, person, pk, case_id in tx.execute(
            select(Presence, Person.name, CaseHead.id, CaseHead.case_id)
            .join(Person, Person.id == Presence.person_id)
            .outerjoin(CaseHead, and_(CaseHead.id == Presence.case_pk, or_(is_own, not_(blind_to(viewer)))))
            .where(Presence.seen_at > after, Person.is_active)
            .order_by(Person.name, Presence.since)
        )
    )


def project_row(tx: Transaction, *, lock: Literal["shared", "alone"] | None = None) -> tuple[str, str, int]:
    """Name of the project, its policy as JSON text and the policy's version.

    Locked, the policy cannot change until the transaction ends; `alone` also keeps every other operation out.
    """
    statement = select(Project.name, Project.policy, Project.policy_version)
    row = tx.execute(statement.with_for_update(read=lock == "shared") if lock else statement).one()
    return row.name, row.policy, row.policy_version


def present(tx: Transaction) -> datetime:
    """The present instant: the server's where there is one, so that all its clients share a clock."""
    if tx.get_bind().dialect.name != "postgresql":
        return datetime.now(UTC)
    instant = tx.scalar(select(func.clock_timestamp()))
    assert isinstance(instant, datetime)
    return instant.astimezone(UTC)
