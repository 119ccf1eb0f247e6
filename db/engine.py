"""Opening a project's database, and the two kinds of transaction everything else runs in."""

import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from db.failures import is_passing, is_refused_write, translated
from db.project_files.files import BUSY_TIMEOUT_SECONDS, check_file, check_folder, revision_of_file
from db.project_files.location import Location, locate, shown_name
from db.project_files.server import tls_options
from db.project_files.versions import HISTORY, VERSION_TABLE, refuse_unless_current
from scoring.errors import AnnotatorError, StoreError, install_hint, reworded
from scoring.generics import T

_BEGIN = "annotator_begin"
_FILE = "annotator_file"
# A server whose cable was pulled never says goodbye; the system's own patience is two hours.
_SIGNS_OF_LIFE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,  # milliseconds
}
_FIRST_PAUSE_SECONDS = 0.04
_SHORTEST_PAUSE_SECONDS = 0.002


def open_engine(url_or_path: str, *, must_exist: bool = True) -> Engine:
    """Open a project.

    Args:
        url_or_path: A path, `sqlite:///path` or `postgresql://...`.
        must_exist: Whether it must be a project of exactly this program's schema version; if not,
            only its place is checked, for whoever is about to create or migrate it.

    Returns:
        An engine for `writing` and `reading`; the caller disposes of it.

    Raises:
        StoreError: It is no project, of another version, in a place where no project can be, or out
            of reach.
    """
    location = locate(url_or_path)
    if location.path is not None:
        check_folder(location.path)
        if must_exist:
            check_file(location.path)
            _refuse(revision_of_file(location.path), location)
        return file_engine(location.path)
    engine = _postgresql_engine(location)
    if must_exist:
        try:
            _refuse(revision_on_server(engine), location)
        except BaseException:
            engine.dispose()
            raise
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Session]:
    """One operation: a transaction that is committed whole at the end, or undone whole on any exception.

    SQLite takes the write lock at once (`BEGIN IMMEDIATE`), so that nothing read inside can become
    stale and no transaction fails half way for want of the lock. PostgreSQL runs READ COMMITTED; who
    decides on what it read locks those rows (`with_for_update`), in the order that `db.write.store` gives.

    Raises:
        StoreError: The database is locked, full, read-only or out of reach.
        ConflictError: Somebody else's transaction got in between.
    """
    with (
        translated(shown_name(engine.url)),
        engine.connect().execution_options(**{_BEGIN: "BEGIN IMMEDIATE"}) as connection,
        connection.begin(),
        Session(connection, expire_on_commit=False) as session,
    ):
        yield session
        session.flush()


def transact(engine: Engine, work: Callable[[Session], T]) -> T:
    """Run an operation in `writing`; once more from its beginning where the database only says: not now.

    That is a deadlock, a serialisation failure or a busy file, after which nothing of the operation is left.
    It is repeated as long as `BUSY_TIMEOUT_SECONDS` have not passed.

    Raises:
        StoreError, ConflictError: See `writing`; the last of several failures.
    """
    started = time.monotonic()
    while True:
        try:
            with writing(engine) as session:
                return work(session)
        except AnnotatorError as exc:
            if not is_passing(exc) or time.monotonic() - started >= BUSY_TIMEOUT_SECONDS:
                raise
        # Two that met once would meet again if both began at once.
        time.sleep(random.uniform(_SHORTEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS))


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """One look: every query inside sees the same moment, and nothing can be written.

    Raises:
        StoreError: The database is out of reach.
    """
    options: dict[str, object] = {_BEGIN: "BEGIN"}
    if engine.dialect.name == "postgresql":
        options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with (
        translated(shown_name(engine.url)),
        engine.connect().execution_options(**options) as connection,
        connection.begin(),
        Session(connection, autoflush=False) as session,
    ):
        try:
            yield session
        except DBAPIError as exc:
            if is_refused_write(exc):
                raise RuntimeError("a write inside reading(); use writing()") from exc
            raise


@contextmanager
def disposed(engine: Engine) -> Iterator[Engine]:
    """Close an engine's connections at the end of the block."""
    try:
        yield engine
    finally:
        engine.dispose()


def file_engine(path: Path) -> Engine:
    """An engine on a file whatever it holds; `open_engine` is the one that looks first.

    Args:
        path: Absolute path; a missing file is created by the first connection.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_TIMEOUT_SECONDS},
        hide_parameters=True,  # parameters are people's dialogues: they must not reach logs or reports
    )

    def remember_file(_: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        entry.info[_FILE] = _identity(path)

    def refuse_moved_file(connection: Connection) -> None:
        # In WAL mode SQLite does not notice, and what is written next would be lost with the old file.
        if _identity(path) != connection.info[_FILE]:
            raise StoreError(
                f"{path} was moved or replaced while it was open; nothing of this action was saved.",
                "Open the project again.",
            )

    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "connect", remember_file)
    event.listen(engine, "begin", refuse_moved_file)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def revision_on_server(engine: Engine) -> str | None:
    """Read the schema version of a PostgreSQL project, null where the database is none.

    Raises:
        StoreError: The server is out of reach or refuses.
    """
    with translated(shown_name(engine.url)), engine.connect() as connection:
        return revision_of(connection)


def revision_of(connection: Connection) -> str | None:
    """Read the schema version in an open transaction, null where the database is no project."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return None if found is None else str(found)


def _refuse(revision: str | None, location: Location) -> None:
    refuse_unless_current(HISTORY.state_of(revision), location.name)


def _identity(path: Path) -> list[tuple[int, int]]:
    """Which file is there, and which write-ahead log; a program that ignores the locks takes the log away."""
    found = [one.stat() for one in (path, path.with_name(f"{path.name}-wal")) if one.exists()]
    return [(one.st_dev, one.st_ino) for one in found]


def _prepare_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # The driver's own transactions leave DDL outside; with autocommit off our BEGIN rules alone.
    connection.isolation_level = None
    cursor = connection.cursor()
    # A new file is changed to it by whoever opens it first; SQLite itself does not wait for a second one.
    _wait_in_line(lambda: cursor.execute("PRAGMA journal_mode = WAL"))
    # NORMAL would be faster, but in WAL mode it may lose the last commits when the power fails, and a
    # submitted judgment is never lost. People commit a few times a minute: one fsync each is nothing.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA user_version").fetchone()  # has it open the log, which is remembered next
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    begin = connection.get_execution_options().get(_BEGIN, "BEGIN IMMEDIATE")
    connection.exec_driver_sql(f"PRAGMA query_only = {'ON' if begin == 'BEGIN' else 'OFF'}")
    if begin == "BEGIN":
        connection.exec_driver_sql(begin)
        return
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    try:
        cursor = connection.connection.cursor()
        _wait_in_line(lambda: cursor.execute(begin))
        cursor.close()
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {round(1000 * BUSY_TIMEOUT_SECONDS)}")


def _wait_in_line(take_lock: Callable[[], object]) -> None:
    """Wait for a lock of SQLite: whoever has waited longer looks more often.

    SQLite's own waiting looks ten times a second, the latest as often as the first: among twenty
    processes that write all the time some would not get their turn within the timeout.
    """
    started = time.monotonic()
    while True:
        try:
            take_lock()
        except sqlite3.OperationalError as exc:
            waited = time.monotonic() - started
            if exc.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or waited >= BUSY_TIMEOUT_SECONDS:
                raise
            time.sleep(max(_SHORTEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 0.25**waited))
        else:
            return


def _postgresql_engine(location: Location) -> Engine:
    with reworded(
        ImportError,
        into=lambda _: StoreError(
            "A project on PostgreSQL needs the package psycopg.",
            install_hint("postgresql"),
        ),
    ):
        engine = create_engine(
            location.url,
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,  # the server may have closed an idle connection overnight
            connect_args={
                "application_name": "annotator",
                "connect_timeout": 10,
                "client_encoding": "utf8",
                **_SIGNS_OF_LIFE,
                **tls_options(location.url),
            },
            hide_parameters=True,
        )
    event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _prepare_postgresql(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    settings = {
        "statement_timeout": "60s",
        "lock_timeout": f"{BUSY_TIMEOUT_SECONDS}s",
        # A frozen client must not hold its locks against everybody else for ever.
        "idle_in_transaction_session_timeout": "120s",
        "timezone": "UTC",
    }
    cursor = connection.cursor()
    for key, value in settings.items():
        cursor.execute(f"SET SESSION {key} = '{value}'")
    cursor.close()
    connection.commit()
