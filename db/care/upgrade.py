"""Creating a project, and bringing one to the schema version this program works with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.orm import Session

from db.columns import Table
from db.engine import disposed, file_engine, open_engine, revision_of, revision_on_server
from db.events import verify_chain
from db.failures import translated
from db.project_files.files import (
    alone_with,
    already_there,
    check_file,
    check_folder,
    copy_database,
    free_name,
    place,
    revision_of_file,
    settle,
    swap_in,
)
from db.project_files.location import Location, locate, shown_name
from db.project_files.unfinished import unfinished
from db.project_files.versions import APPLICATION_ID, HISTORY, History, ProjectState, refuse_unless_current
from scoring.errors import StoreError

_KEEP_AS = "bak-{}"


@dataclass(frozen=True)
class Upgrade:
    """What `upgrade` did: the versions before and after, and the kept file (None on a server)."""

    before: str
    after: str
    kept: Path | None = None


def create_project(url_or_path: str, *, fill: Callable[[Session], object] | None = None) -> None:
    """Create an empty project; it appears whole or not at all.

    Args:
        url_or_path: A path where nothing is yet, or a PostgreSQL database that holds no project.
        fill: Writes the first rows, in the same transaction as the schema.

    Raises:
        StoreError: There is a project, or another thing, already; or none can be there.
    """
    location = locate(url_or_path)
    if location.path is None:
        _create_on_server(url_or_path, fill)
        return
    check_folder(location.path)
    if location.path.exists():
        raise already_there(location.path)
    with translated(location.name), unfinished(location.path) as work:
        with disposed(file_engine(work)) as engine, _migrating(engine) as connection:
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            _fill(connection, HISTORY, fill)
        settle(work)
        place(work, location.path)


def current_revision(url_or_path: str) -> str | None:
    """Read the schema version a database has, null where it is no project.

    Raises:
        StoreError: It is missing, no project file, or out of reach.
    """
    location = locate(url_or_path)
    if location.path is not None:
        check_file(location.path)
        return revision_of_file(location.path)
    with disposed(open_engine(url_or_path, must_exist=False)) as engine:
        return revision_on_server(engine)


class UpgradeStep(StrEnum):
    """What an upgrade does, in this order; on a server nothing is copied or swapped."""

    COPY = "copying the file"
    CHANGE = "changing the tables"
    CHECK = "checking the chain of events"
    SWAP = "putting the new file in place"


@dataclass(frozen=True)
class UpgradePlan:
    """What `upgrade` would do: versions before and after, the file it keeps, and the bytes it copies.

    On a server `kept` is None and `byte_count` 0: one transaction changes all or nothing. Where the name of
    the kept file is taken by then, a number is added to it.
    """

    name: str
    before: str
    after: str
    kept: Path | None
    byte_count: int


def plan_upgrade(url_or_path: str, *, history: History = HISTORY) -> UpgradePlan:
    """Say what `upgrade` would do, and change nothing.

    Raises:
        StoreError: It is no project, of a newer version, or out of reach.
    """
    location = locate(url_or_path)
    before = _upgradable(current_revision(url_or_path), location, history)
    path = location.path
    return UpgradePlan(
        name=location.name,
        before=before,
        after=history.head,
        kept=free_name(path.with_name(f"{path.name}.{_KEEP_AS.format(before)}")) if path else None,
        byte_count=path.stat().st_size if path else 0,
    )


def upgrade(
    url_or_path: str,
    *,
    history: History = HISTORY,
    told: Callable[[UpgradeStep], object] | None = None,
    fill: Callable[[Session], object] | None = None,
) -> Upgrade:
    """Bring a project to the current schema version; a failure leaves it as it was.

    A file is copied, the copy migrated and checked, then swapped in, the old one kept beside it as
    `.bak-<version>`. On a server everything happens in one transaction.

    Args:
        url_or_path: The project.
        history: The schema versions to go along.
        told: Hears of every step as it begins.
        fill: Writes what new tables say of what is there, in the transaction that made them.

    Raises:
        StoreError: It is no project, of a newer version, open elsewhere, or the check failed.
    """
    location = locate(url_or_path)
    tell = told or _tell_nobody
    if location.path is None:
        return _upgrade_on_server(url_or_path, history, tell, fill)
    check_folder(location.path)
    before = _upgradable(current_revision(url_or_path), location, history)
    if before == history.head:
        return Upgrade(before=before, after=before)
    with translated(location.name), alone_with(location.path) as held, unfinished(location.path) as work:
        tell(UpgradeStep.COPY)
        copy_database(held, work)
        with disposed(file_engine(work)) as engine, _migrating(engine) as connection:
            tell(UpgradeStep.CHANGE)
            _fill(connection, history, fill)
            tell(UpgradeStep.CHECK)
            _check_chain(connection)
        tell(UpgradeStep.SWAP)
        settle(work)
        kept = swap_in(work, location.path, keep_as=_KEEP_AS.format(before))
    return Upgrade(before=before, after=history.head, kept=kept)


def _create_on_server(url: str, fill: Callable[[Session], object] | None) -> None:
    with _on_server(url) as connection:
        name = shown_name(connection.engine.url)
        if revision_of(connection) is not None:
            raise StoreError(f"{name} holds a project already.", "Open it, or name an empty database.")
        taken = sorted(set(inspect(connection).get_table_names()) & set(Table.metadata.tables))
        if taken:
            raise StoreError(f"{name} holds another program's table '{taken[0]}'.", "Name an empty database.")
        _fill(connection, HISTORY, fill)


def _tell_nobody(_: UpgradeStep) -> None:
    """Pass over what is told."""


def _upgrade_on_server(
    url: str,
    history: History,
    tell: Callable[[UpgradeStep], object],
    fill: Callable[[Session], object] | None,
) -> Upgrade:
    with _on_server(url) as connection:
        before = _upgradable(revision_of(connection), locate(url), history)
        if before != history.head:
            tell(UpgradeStep.CHANGE)
            _fill(connection, history, fill)
            tell(UpgradeStep.CHECK)
            _check_chain(connection)
    return Upgrade(before=before, after=history.head)


@contextmanager
def _on_server(url: str) -> Iterator[Connection]:
    with (
        translated(locate(url).name),
        disposed(open_engine(url, must_exist=False)) as engine,
        _migrating(engine) as connection,
    ):
        yield connection


def _upgradable(revision: str | None, location: Location, history: History) -> str:
    state = history.state_of(revision)
    if state is not ProjectState.OLDER:
        refuse_unless_current(state, location.name)
    return str(revision)


def _fill(connection: Connection, history: History, fill: Callable[[Session], object] | None) -> None:
    _migrate(connection, history)
    if fill is not None:
        with Session(connection) as session:
            fill(session)
            session.flush()


def _migrate(connection: Connection, history: History) -> None:
    # Here, not above: alembic is slow to import and opening a project does without it.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(history.folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, history.head)


def _check_chain(connection: Connection) -> None:
    with Session(connection) as session:
        report = verify_chain(session)
    if not report.holds:
        raise StoreError(
            f"The project was not upgraded: its event chain is broken. {report.reason}",
            "Restore a backup whose chain is intact, or ask who changed the database by hand.",
        )


@contextmanager
def _migrating(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            # Rebuilding a table drops it for a moment, and inside a transaction this has no effect.
            cursor = connection.connection.cursor()
            cursor.execute("PRAGMA foreign_keys = OFF")
            cursor.close()
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                connection.execute(text(f"SELECT pg_advisory_xact_lock({APPLICATION_ID})"))
            yield connection
