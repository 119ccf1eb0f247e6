"""Opening a project, and what its two kinds of transaction promise, on both databases."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session

from db.engine import disposed, open_engine, reading, transact, writing
from db.tables import Batch
from scoring.errors import ConflictError, StoreError
from tests.postgres import Server
from tests.shared import ROOT

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _batch(name: str) -> Batch:
    return Batch(name=name, created_at=NOON, created_by=None, is_flagged=False)


def _add(session: Session, *names: str) -> None:
    session.add_all(_batch(name) for name in names)
    session.flush()


def _write(engine: Engine, *names: str) -> None:
    with writing(engine) as session:
        _add(session, *names)


def _break_off(session: Session, *names: str) -> None:
    _add(session, *names)
    raise LookupError


def _names(engine: Engine) -> list[str]:
    with reading(engine) as session:
        return list(session.scalars(select(Batch.name).order_by(Batch.name)))


@pytest.fixture
def second(store_url: str) -> Iterator[Engine]:
    """Another program on the same project."""
    opened = open_engine(store_url)
    yield opened
    opened.dispose()


def test_a_write_is_there_for_the_next_reader(engine: Engine, second: Engine) -> None:
    with writing(engine) as session:
        session.add(_batch("march"))
    assert _names(second) == ["march"]


def test_an_exception_undoes_the_whole_operation(engine: Engine) -> None:
    with pytest.raises(LookupError), writing(engine) as session:
        _break_off(session, "march")
    assert _names(engine) == []


def test_schema_changes_roll_back_with_the_operation(engine: Engine) -> None:

    def make_table_and_break_off() -> None:
        with writing(engine) as session:
            session.execute(text("CREATE TABLE extra (id INTEGER)"))
            _break_off(session, "march")

    with pytest.raises(LookupError):
        make_table_and_break_off()
    with pytest.raises(DBAPIError, match="extra"), reading(engine) as session:
        session.execute(text("SELECT * FROM extra"))
    assert _names(engine) == []


def test_a_savepoint_undoes_only_its_own_part(engine: Engine) -> None:
    with writing(engine) as session:
        session.add(_batch("march"))
        with pytest.raises(LookupError), session.begin_nested():
            _break_off(session, "april")
    assert _names(engine) == ["march"]


def test_a_reader_sees_one_moment_while_others_write(engine: Engine, second: Engine) -> None:
    with reading(engine) as session:
        assert session.scalars(select(Batch.name)).all() == []
        with writing(second) as other:
            other.add(_batch("march"))
        assert session.scalars(select(Batch.name)).all() == []
    assert _names(engine) == ["march"]


def test_a_write_inside_reading_is_a_bug(engine: Engine) -> None:
    with pytest.raises(RuntimeError, match="use writing"), reading(engine) as session:
        _add(session, "march")
    assert _names(engine) == []


def test_writing_works_again_after_reading_on_the_same_connection(engine: Engine) -> None:
    assert _names(engine) == []
    with writing(engine) as session:
        session.add(_batch("march"))
    assert _names(engine) == ["march"]


def test_rows_two_people_insert_at_once_are_a_conflict(engine: Engine) -> None:
    with writing(engine) as session:
        session.add(_batch("march"))
    with pytest.raises(ConflictError), writing(engine) as session:
        session.add(_batch("march"))


def test_a_broken_reference_is_a_bug_and_passes_untranslated(engine: Engine) -> None:
    with pytest.raises(DBAPIError, match=r"(?i)foreign key"), writing(engine) as session:
        session.add(Batch(name="march", created_at=NOON, created_by=99, is_flagged=False))


def test_errors_do_not_show_what_people_wrote(engine: Engine) -> None:
    with pytest.raises(DBAPIError, match=r"(?i)foreign key") as caught, writing(engine) as session:
        session.add(Batch(name="a secret", created_at=NOON, created_by=99, is_flagged=False))
    assert "a secret" not in str(caught.value)


def test_operations_of_two_threads_follow_each_other(engine: Engine) -> None:
    """Each adds 1 to a number it read: 2 threads x 25 operations from 1 give 51."""
    with writing(engine) as session:
        session.add(_batch("march"))
        session.execute(text("CREATE TABLE counter (n INTEGER)"))
        session.execute(text("INSERT INTO counter VALUES (1)"))
    lock = " FOR UPDATE" if engine.dialect.name == "postgresql" else ""

    def add() -> None:
        for _ in range(25):
            with writing(engine) as session:
                seen = session.scalar(text(f"SELECT n FROM counter{lock}"))
                session.execute(text("UPDATE counter SET n = :n"), {"n": seen + 1})

    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with reading(engine) as session:
        assert session.scalar(text("SELECT n FROM counter")) == 51


def test_sqlite_runs_in_wal_mode_with_full_sync_and_foreign_keys(sqlite_path: Path) -> None:
    opened = open_engine(str(sqlite_path))
    with closing(opened.raw_connection()) as raw:  # the tests turn it off with the first statement
        synchronous = raw.cursor().execute("PRAGMA synchronous").fetchone()
    with reading(opened) as session:
        pragmas = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "foreign_keys", "busy_timeout")
        }
    opened.dispose()
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 10_000}
    assert synchronous == (2,)


def test_a_locked_file_is_told_as_busy(sqlite_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("db.engine.BUSY_TIMEOUT_SECONDS", 0.05)
    first, second = open_engine(str(sqlite_path)), open_engine(str(sqlite_path))
    try:
        with (
            writing(first),
            pytest.raises(StoreError, match="is busy") as caught,
            writing(second),
        ):
            pass
        assert "Try again" in caught.value.hint
    finally:
        first.dispose()
        second.dispose()


def test_opening_a_new_file_waits_while_another_program_writes_to_it(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first opening changes how the file is written; SQLite refuses that at once while it is locked."""
    with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        pauses = []

        def ended_meanwhile(seconds: float) -> None:
            pauses.append(seconds)
            if other.in_transaction:
                other.execute("COMMIT")

        monkeypatch.setattr("db.engine.time.sleep", ended_meanwhile)
        with disposed(open_engine(str(sqlite_path))) as opened:
            assert _names(opened) == []
    assert pauses


def test_a_full_disk_is_told_and_nothing_is_half_written(sqlite_path: Path) -> None:
    opened = open_engine(str(sqlite_path))
    try:
        with writing(opened) as session:
            pages = session.scalar(text("PRAGMA page_count"))
            session.execute(text(f"PRAGMA max_page_count = {pages + 2}"))
        with pytest.raises(StoreError, match="is full"), writing(opened) as session:
            _add(session, *(f"{number}" + "x" * 190 for number in range(1000)))
        assert _names(opened) == []
    finally:
        opened.dispose()


def test_a_file_moved_away_while_open_is_told(sqlite_path: Path) -> None:
    opened = open_engine(str(sqlite_path))
    try:
        with writing(opened) as session:
            session.add(_batch("march"))
        sqlite_path.rename(sqlite_path.with_name("moved.db"))
        with pytest.raises(StoreError, match="moved or replaced"):
            _write(opened, "april")
    finally:
        opened.dispose()


def test_a_log_taken_away_while_open_is_told_before_more_is_written_to_it(sqlite_path: Path) -> None:
    opened = open_engine(str(sqlite_path))
    try:
        with writing(opened) as session:
            session.add(_batch("march"))
        sqlite_path.open("rb").close()  # which drops the locks of this process
        look = (
            "import sys, sqlite3; held = sqlite3.connect(sys.argv[1]);"
            "held.execute('SELECT * FROM batches').fetchall(); held.close()"
        )
        subprocess.run([sys.executable, "-c", look, str(sqlite_path)], check=True)
        with pytest.raises(StoreError, match="moved or replaced"):
            _write(opened, "april")
    finally:
        opened.dispose()


def test_a_deadlock_is_a_conflict_and_one_of_the_two_gets_through(postgres_url: str) -> None:
    opened = open_engine(postgres_url)
    with writing(opened) as session:
        session.add_all([_batch("a"), _batch("b")])
    met = threading.Barrier(2)
    outcomes: list[str] = []

    def cross(first: str, then: str) -> None:
        try:
            with writing(opened) as session:
                session.execute(update(Batch).where(Batch.name == first).values(is_flagged=True))
                met.wait(120)
                session.execute(update(Batch).where(Batch.name == then).values(is_flagged=True))
            outcomes.append("done")
        except ConflictError:
            outcomes.append("conflict")

    threads = [threading.Thread(target=cross, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    opened.dispose()
    assert sorted(outcomes) == ["conflict", "done"]


def test_a_lost_connection_is_told_and_the_next_operation_reconnects(
    postgres: Server, postgres_url: str
) -> None:
    opened = open_engine(postgres_url)

    def write_while_the_server_hangs_up() -> None:
        with writing(opened) as session:
            pid = session.scalar(text("SELECT pg_backend_pid()"))
            postgres.execute(f"SELECT pg_terminate_backend({pid})")
            _add(session, "march")

    with pytest.raises(StoreError, match="was lost"):
        write_while_the_server_hangs_up()
    assert _names(opened) == []
    opened.dispose()


def test_an_idle_connection_the_server_closed_is_replaced_silently(
    postgres: Server, postgres_url: str
) -> None:
    opened = open_engine(postgres_url)
    with reading(opened) as session:
        pid = session.scalar(text("SELECT pg_backend_pid()"))
    postgres.execute(f"SELECT pg_terminate_backend({pid})")
    assert _names(opened) == []
    opened.dispose()


def test_postgresql_sessions_say_who_they_are_and_cannot_hang_for_ever(postgres_url: str) -> None:
    opened = open_engine(postgres_url)
    with reading(opened) as session:
        said = [
            session.scalar(text(f"SHOW {name}"))
            for name in ("application_name", "statement_timeout", "lock_timeout", "TimeZone")
        ]
    opened.dispose()
    assert said == ["annotator", "1min", "10s", "UTC"]


def test_a_server_that_vanished_without_a_word_is_noticed_within_half_a_minute(postgres_url: str) -> None:
    opened = open_engine(postgres_url)
    with opened.connect() as connection:
        given = connection.connection.driver_connection.info.get_parameters()  # type: ignore[union-attr]
    opened.dispose()
    silence = int(given["keepalives_idle"]) + int(given["keepalives_interval"]) * int(
        given["keepalives_count"]
    )
    assert silence <= 30
    assert int(given["tcp_user_timeout"]) <= 30_000
    assert int(given["connect_timeout"]) <= 30


def test_a_database_that_is_not_there_is_told(postgres: Server) -> None:
    with pytest.raises(StoreError, match="does not exist on its server"):
        open_engine(postgres.url_of("nowhere"))


def test_a_server_that_refuses_the_user_is_told_without_the_password(postgres_url: str) -> None:
    with pytest.raises(StoreError, match="does not let this user in") as caught:
        open_engine(postgres_url.replace("postgres@", "nobody:hush@"))
    assert "hush" not in str(caught.value)


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        open_engine(f"postgresql://anna:hush@/team?host={tmp_path}")


def test_a_database_without_our_tables_is_no_project(postgres: Server) -> None:
    with postgres.database() as name, pytest.raises(StoreError, match="There is no project"):
        open_engine(postgres.url_of(name))


_KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from db.engine import open_engine, writing
from db.tables import Batch
engine = open_engine(sys.argv[1])
with writing(engine) as session:
    session.add(Batch(name="kept", created_at=datetime.now(UTC), created_by=None, is_flagged=False))
with writing(engine) as session:
    for number in range(2000):
        session.add(Batch(name=str(number), created_at=datetime.now(UTC), created_by=None, is_flagged=False))
    session.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_only_what_it_had_committed(store_url: str) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, store_url], cwd=ROOT, check=False)
    assert done.returncode == -9
    opened = open_engine(store_url)
    assert _names(opened) == ["kept"]
    with writing(opened) as session:
        session.add(_batch("next"))
    assert _names(opened) == ["kept", "next"]
    opened.dispose()


def test_an_unknown_error_of_the_database_is_a_bug(sqlite_path: Path) -> None:
    opened = open_engine(str(sqlite_path))
    with pytest.raises(OperationalError, match="no such table"), writing(opened) as session:
        session.execute(text("SELECT * FROM nonsense"))
    opened.dispose()


def test_a_server_without_its_driver_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "psycopg"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError) as caught:
        open_engine("postgresql://ana@localhost/team")
    assert "annotator-workbench[postgresql]" in caught.value.hint


def _meet_a_busy_file(session: Session) -> None:
    # The file is busy in truth: this transaction holds the lock that the other connection asks for.
    path = session.get_bind().engine.url.database
    with closing(sqlite3.connect(str(path), timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")


def test_an_operation_that_met_a_busy_file_is_run_again_from_its_beginning(sqlite_path: Path) -> None:
    tries: list[int] = []

    def work(session: Session) -> None:
        tries.append(len(tries))
        _add(session, f"try {len(tries)}")
        if len(tries) < 3:
            _meet_a_busy_file(session)

    engine = open_engine(str(sqlite_path))
    transact(engine, work)
    assert (len(tries), _names(engine)) == (3, ["try 3"])
    engine.dispose()


def test_an_operation_that_stays_busy_is_given_up(sqlite_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("db.engine.BUSY_TIMEOUT_SECONDS", 0.2)
    engine = open_engine(str(sqlite_path))
    with pytest.raises(StoreError, match="busy"):
        transact(engine, _meet_a_busy_file)
    engine.dispose()


def test_an_operation_that_fails_for_good_is_run_once(engine: Engine) -> None:
    tries: list[int] = []

    def work(session: Session) -> None:
        tries.append(1)
        _add(session, "twice", "twice")

    with pytest.raises(ConflictError):
        transact(engine, work)
    assert len(tries) == 1
