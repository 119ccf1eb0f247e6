"""Looking for what should not be in a store, and the few repairs that lose nothing."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Engine, Select, UpdateBase, and_, delete, func, or_, select, text, update
from sqlalchemy.orm import Session, aliased
from sqlalchemy.schema import SchemaItem

from db.columns import Table
from db.engine import reading
from db.events import verify_chain
from db.failures import translated
from db.project_files.files import check_file, connect, faults_of
from db.project_files.location import locate
from db.project_files.versions import VERSION_TABLE
from db.tables import Assignment, CaseHead, Draft, JudgmentRecord, Person, Project, Revision
from db.write.store import changed_rows
from scoring.model.case import content_sha256, load_case
from scoring.model.taxonomy import Role, SlotStatus, Stage

LONGEST_LEASE = timedelta(days=8)
"""The longest lease a policy allows is seven days; a lease beyond this comes from a wrong clock."""

_ROWS_A_FETCH = 200
_TRIGGERS = {
    "sqlite": {"events_no_update", "events_no_delete", "revisions_no_update", "revisions_no_delete"},
    "postgresql": {
        "events_no_change",
        "events_no_truncate",
        "revisions_no_change",
        "revisions_no_truncate",
    },
}


@dataclass(frozen=True)
class StoreFault:
    """One thing in a store that should not be.

    `rule` is a stable id. `where` names the row for people. `row_id` is the row a repair works on,
    None where there is no repair.
    """

    rule: str
    where: str
    message: str
    row_id: int | None = None


def file_faults(url_or_path: str) -> tuple[StoreFault, ...]:
    """Let SQLite check a project file's structure and references; empty for a server.

    Raises:
        StoreError: The file is missing or none of ours, or too damaged to be read at all.
    """
    path = locate(url_or_path).path
    if path is None:
        return ()
    check_file(path)
    with translated(path.name), closing(connect(path, mode="rw")) as connection:
        said = faults_of(connection)
    return tuple(StoreFault("file.damaged", path.name, f"SQLite says: {complaint}.") for complaint in said)


def schema_faults(engine: Engine) -> tuple[StoreFault, ...]:
    """Compare the schema of a store with the one this program expects, triggers included."""
    # Here, not above: alembic is slow to import and only this check needs it.
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def is_ours(_: object, name: str | None, kind: str, reflected: bool, compared: object) -> bool:
        return kind != "table" or not reflected or compared is not None

    with reading(engine) as session:
        context = MigrationContext.configure(
            session.connection(), opts={"version_table": VERSION_TABLE, "include_object": is_ours}
        )
        faults = [
            StoreFault("schema.differs", "schema", f"The schema differs: {' '.join(_words(difference))}.")
            for difference in compare_metadata(context, Table.metadata)
        ]
        query = (
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            if engine.dialect.name == "sqlite"
            else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
        )
        missing = _TRIGGERS[engine.dialect.name] - set(session.scalars(text(query)))
    faults += [
        StoreFault("schema.trigger", name, f"The guard '{name}' is missing: history could be changed.")
        for name in sorted(missing)
    ]
    return tuple(faults)


def row_faults(session: Session, *, at: datetime) -> tuple[StoreFault, ...]:
    """Check everything that a few queries can tell, whatever the size of the store.

    Args:
        session: A transaction from `reading`.
        at: The present instant.
    """
    found = (
        StoreFault(rule, where.format_map(row), message.format_map(row), row.get("row_id"))
        for rule, where, message, query in _wrong_rows(at)
        for row in session.execute(query).mappings()
    )
    return (*_chain(session), *_project(session), *found)


def body_faults(session: Session, *, on_progress: Callable[[int, int], object]) -> Iterator[StoreFault]:
    """Read every revision and draft and compare what it holds with what is written beside it.

    Args:
        session: A transaction from `reading`.
        on_progress: Called with bodies done and bodies in all; an exception from it stops the check.
    """
    total = sum(session.scalar(select(func.count()).select_from(table)) or 0 for table in (Revision, Draft))
    for done, fault in enumerate(chain(_revision_bodies(session), _draft_bodies(session)), 1):
        on_progress(done, total)
        if fault is not None:
            yield fault


def repair(session: Session, fault: StoreFault, *, at: datetime) -> bool:
    """Put one fault right inside the caller's transaction; the caller appends the event.

    Returns:
        False where this kind of fault has no repair, or the row is in order by now.
    """
    newest = select(Revision.sha256).where(Revision.id == CaseHead.head_id).scalar_subquery()
    is_claimed = (Assignment.id == fault.row_id, Assignment.status == SlotStatus.CLAIMED)
    repairs: dict[str, UpdateBase] = {
        "case.hash": update(CaseHead)
        .where(CaseHead.id == fault.row_id, CaseHead.sha256 != newest)
        .values(sha256=newest),
        "draft.sealed": delete(Draft).where(Draft.assignment_id == fault.row_id),
        "lease.future": update(Assignment)
        .where(*is_claimed)
        .values(status=SlotStatus.EXPIRED, lease_until=at, closed_at=at),
    }
    if fault.row_id is None or fault.rule not in repairs:
        return False
    return changed_rows(session.execute(repairs[fault.rule])) > 0


def _words(difference: object) -> Iterator[str]:
    # Alembic nests what it found in tuples and lists: the kind of change, then what it is about.
    match difference:
        case tuple() | list():
            for part in difference:
                yield from _words(part)
        case str():
            yield (
                difference.replace("_", " ")
                if difference.startswith(("add", "remove", "modify"))
                else difference
            )
        case SchemaItem():
            yield str(getattr(difference, "name", ""))


def _chain(session: Session) -> Iterator[StoreFault]:
    report = verify_chain(session)
    if not report.holds:
        yield StoreFault("chain.broken", f"event {report.broken_seq}", report.reason)


def _project(session: Session) -> Iterator[StoreFault]:
    count = session.scalar(select(func.count()).select_from(Project))
    if count != 1:
        yield StoreFault(
            "project.missing", "project", f"There should be one row for the project, not {count}."
        )
    roles = session.scalars(select(Person.roles).where(Person.is_active)).all()
    if not any(Role.MANAGER in held.split(",") for held in roles):
        yield StoreFault("people.no_manager", "people", "Nobody active holds the role manager.")


def _wrong_rows(at: datetime) -> tuple[tuple[str, str, str, Select[*tuple[Any, ...]]], ...]:
    """Rule, place and message of a fault, with the query for the rows that have it.

    Place and message name columns of the row; `row_id` is what `repair` finds it by.
    """
    parent = aliased(Revision)
    return (
        (
            "case.stage",
            "case {case_id}",
            "The stage '{stage}' does not exist.",
            select(CaseHead.case_id, CaseHead.stage).where(
                CaseHead.stage.not_in([stage.value for stage in Stage])
            ),
        ),
        (
            "case.head",
            "case {case_id}",
            "Its present revision is missing or of another case.",
            select(CaseHead.case_id)
            .outerjoin(Revision, Revision.id == CaseHead.head_id)
            .where(or_(Revision.id.is_(None), Revision.case_pk != CaseHead.id)),
        ),
        (
            "case.hash",
            "case {case_id}",
            "Its hash is not the one of its present revision.",
            select(CaseHead.id.label("row_id"), CaseHead.case_id)
            .join(Revision, Revision.id == CaseHead.head_id)
            .where(Revision.case_pk == CaseHead.id, Revision.sha256 != CaseHead.sha256),
        ),
        (
            "revision.parent",
            "case {case_id} revision {number}",
            "It does not follow an earlier revision.",
            select(Revision.number, CaseHead.case_id)
            .join(CaseHead, CaseHead.id == Revision.case_pk)
            .outerjoin(parent, parent.id == Revision.parent_id)
            .where(
                or_(
                    and_(Revision.number > 1, parent.id.is_(None)),
                    parent.case_pk != Revision.case_pk,
                    parent.number >= Revision.number,
                )
            ),
        ),
        (
            "judgment.case",
            "judgment {id}",
            "Its case, person and revision do not belong together.",
            select(JudgmentRecord.id)
            .join(Assignment, Assignment.id == JudgmentRecord.assignment_id)
            .join(Revision, Revision.id == JudgmentRecord.revision_id)
            .where(
                or_(
                    Assignment.case_pk != JudgmentRecord.case_pk,
                    Assignment.person_id != JudgmentRecord.person_id,
                    Revision.case_pk != JudgmentRecord.case_pk,
                )
            ),
        ),
        (
            "draft.sealed",
            "assignment {row_id}",
            "A draft was left behind by a submitted review.",
            select(Draft.assignment_id.label("row_id"))
            .join(Assignment, Assignment.id == Draft.assignment_id)
            .where(Assignment.status == SlotStatus.SUBMITTED),
        ),
        (
            "lease.future",
            "assignment {row_id}",
            "It is held until {lease_until:%Y-%m-%d}: the clock of some computer was wrong.",
            select(Assignment.id.label("row_id"), Assignment.lease_until).where(
                Assignment.status == SlotStatus.CLAIMED, Assignment.lease_until > at + LONGEST_LEASE
            ),
        ),
    )


def _revision_bodies(session: Session) -> Iterator[StoreFault | None]:
    with session.execute(
        select(Revision.number, CaseHead.case_id, Revision.sha256, Revision.body)
        .join(CaseHead, CaseHead.id == Revision.case_pk)
        .order_by(Revision.id)
        .execution_options(yield_per=_ROWS_A_FETCH)
    ) as rows:
        yield from (
            _body_fault(f"case {case_id} revision {number}", case_id, sha256, body)
            for number, case_id, sha256, body in rows
        )


def _body_fault(where: str, case_id: str, sha256: str, body: str) -> StoreFault | None:
    try:
        case = load_case(json.loads(body))
    except (ValueError, ValidationError, AttributeError, RecursionError):
        return StoreFault("revision.unreadable", where, "Its body cannot be read as a case.")
    if case.id != case_id:
        return StoreFault("revision.case", where, f"Its body is the case '{case.id}'.")
    if content_sha256(case) != sha256:
        return StoreFault("revision.hash", where, "Its body was changed after it was written.")
    return None


def _draft_bodies(session: Session) -> Iterator[StoreFault | None]:
    query = select(Draft.assignment_id, Draft.body).execution_options(yield_per=_ROWS_A_FETCH)
    with session.execute(query) as rows:
        for number, body in rows:
            try:
                json.loads(body)
            except (ValueError, RecursionError):
                yield StoreFault("draft.unreadable", f"assignment {number}", "Its draft is not JSON.")
            else:
                yield None
