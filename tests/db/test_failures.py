"""Which errors of a database become advice, and which stay bugs."""

import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from db.engine import open_engine
from db.failures import is_refused_write, translated
from scoring.errors import AnnotatorError, ConflictError, StoreError
from tests.postgres import Server


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
        (_read_text_as_database, StoreError, "not an SQLite database"),
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


@contextmanager
def _server_that_asks_for_a_password() -> Iterator[str]:
    """The first words of a PostgreSQL server that lets nobody in without one; gives its address."""

    def answer() -> None:
        with closing(listening.accept()[0]) as client:
            client.recv(1024)  # the startup message
            client.sendall(b"R" + (8).to_bytes(4, "big") + (3).to_bytes(4, "big"))  # AuthenticationCleartext
            client.recv(1024)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer)
        thread.start()
        port = listening.getsockname()[1]
        yield f"postgresql://anna@127.0.0.1:{port}/team?sslmode=disable&gssencmode=disable"
        thread.join()


def test_a_missing_password_is_told_before_the_server_can_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSFILE", "/nonexistent")
    with (
        _server_that_asks_for_a_password() as address,
        pytest.raises(StoreError, match=r"does not let this user in.*~/\.pgpass"),
    ):
        open_engine(address)


def test_a_user_the_server_does_not_know_is_told(postgres: Server) -> None:
    with (
        postgres.database() as name,
        pytest.raises(StoreError, match="does not let this user in"),
    ):
        open_engine(postgres.url_of(name).replace("postgres@", "nobody@"))


def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        open_engine("postgresql://anna@127.0.0.1:9/team")
