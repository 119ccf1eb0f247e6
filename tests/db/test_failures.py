"""Which errors of a database become advice, and which stay bugs."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from db.failures import is_refused_write, translated
from scoring.errors import AnnotatorError, ConflictError, StoreError


def _from_server(state: str) -> DBAPIError:
    """What SQLAlchemy raises for an error with this state (PostgreSQL, appendix A)."""
    raised = psycopg.errors.lookup(state)("told by the server")
    return DBAPIError("SELECT 1", None, raised)


def _raise(error: Exception) -> None:
    with translated("team"):
        raise error


@pytest.mark.parametrize(
    ("state", "kind", "message"),
    [
        ("40001", ConflictError, "Somebody else changed team"),
        ("40P01", ConflictError, "Somebody else changed team"),
        ("23505", ConflictError, "Somebody else changed team"),
        ("08006", StoreError, "connection to team was lost"),
        ("57P01", StoreError, "connection to team was lost"),
        ("25P03", StoreError, "connection to team was lost"),
        ("57P03", StoreError, "server of team cannot be reached"),
        ("28P01", StoreError, "does not let this user in"),
        ("3D000", StoreError, "does not exist on its server"),
        ("42501", StoreError, "lacks a right"),
        ("53100", StoreError, "disk that holds team is full"),
        ("53300", StoreError, "out of connections"),
        ("55P03", StoreError, "team is busy"),
        ("57014", StoreError, "took too long"),
        ("XX001", StoreError, "team is damaged"),
    ],
)
def test_a_servers_error_becomes_advice(state: str, kind: type[AnnotatorError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        _raise(_from_server(state))
    assert caught.value.hint


@pytest.mark.parametrize("state", ["23503", "23502", "42601", "42P01", "22P02", "25006"])
def test_a_mistake_of_our_own_stays_a_bug(state: str) -> None:
    with pytest.raises(DBAPIError):
        _raise(_from_server(state))


def test_a_pool_that_gives_no_connection_is_busy() -> None:
    with pytest.raises(StoreError, match="busy"):
        _raise(PoolTimeoutError())


@pytest.mark.parametrize("state", ["25006"])
def test_a_write_refused_in_a_reading_transaction_is_known(state: str) -> None:
    assert is_refused_write(_from_server(state))
    assert not is_refused_write(_from_server("42501"))


def _open_nothing(path: Path) -> None:
    sqlite3.connect(f"{(path / 'no' / 'where.db').as_uri()}?mode=rw", uri=True)


def _write_to_read_only(path: Path) -> None:
    file = path / "team.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE x (y)")
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("INSERT INTO x VALUES (1)")


def _read_text_as_database(path: Path) -> None:
    file = path / "team.db"
    file.write_text("no database" * 100)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("SELECT * FROM sqlite_master")


def _insert_twice(path: Path) -> None:
    with closing(sqlite3.connect(path / "team.db")) as connection:
        connection.execute("CREATE TABLE x (y UNIQUE)")
        connection.execute("INSERT INTO x VALUES (1), (1)")


@pytest.mark.parametrize(
    ("provoke", "kind", "message"),
    [
        (_open_nothing, StoreError, "cannot be opened"),
        (_write_to_read_only, StoreError, "cannot be written"),
        (_read_text_as_database, StoreError, "no SQLite database"),
        (_insert_twice, ConflictError, "Somebody else changed"),
    ],
)
def test_an_error_of_a_file_becomes_advice(
    tmp_path: Path, provoke: Callable[[Path], None], kind: type[AnnotatorError], message: str
) -> None:
    with pytest.raises(kind, match=message), translated("team"):
        provoke(tmp_path)


def test_a_wrong_statement_to_a_file_stays_a_bug(tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "team.db")) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        translated("team"),
    ):
        connection.execute("SELECT * FROM nonsense")


def test_an_error_with_its_own_advice_passes_as_it_is() -> None:
    with pytest.raises(ConflictError, match="as it is"):
        _raise(ConflictError("as it is"))
