"""Connecting to a real server over TLS: what a test says, and invitations."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.jobs import JobCancelled, JobContext
from annotator.project.connection import (
    ConnectionResult,
    ConnectionTest,
    keep_certificates,
    read_invitation,
    try_connection,
    write_invitation,
)
from annotator.project.creation import create_workspace
from annotator.project.people import add_person, set_active
from db.project_files.versions import VERSION_TABLE
from scoring.errors import InputError, NotFoundError, ServerAccessError, StoreError
from scoring.model.taxonomy import Role
from tests.postgres import Server
from tests.tls_front import PASSWORD, TlsServer, tls_server


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    """A server with TLS and passwords, its database `team` empty."""
    with tls_server(tmp_path_factory.mktemp("tls")) as found:
        yield found


@pytest.fixture
def database(tls: TlsServer) -> Iterator[str]:
    """An empty database of anna's."""
    with tls.mortal.server.database() as name:
        tls.mortal.server.execute(f'ALTER DATABASE "{name}" OWNER TO anna')
        yield name


def found_at(url: str) -> ConnectionTest:
    """What a test of an address says."""
    return try_connection(url, context=JobContext())


def test_the_right_authority_opens_an_empty_database_and_then_the_project(
    tls: TlsServer, database: str
) -> None:
    url = tls.url(database, host="db.example.org", sslrootcert=str(tls.authority))
    empty = found_at(url)
    assert (empty.finding, empty.statements) == (ConnectionResult.EMPTY, ())
    assert "encrypted, and the server is the one it claims to be" in empty.hint
    create_workspace(url, name="Delivery 08", person="anna").close()
    project = found_at(url)
    assert project.finding is ConnectionResult.PROJECT
    assert project.message == "Connected: the project Delivery 08 with 1 active person."


@pytest.mark.parametrize(
    ("host", "password", "options", "message", "step"),
    [
        ("db.example.org", PASSWORD, {}, "signed by nobody this computer trusts", "certificate file"),
        ("db.example.org", PASSWORD, {"sslrootcert": "{stranger}"}, "signed by nobody", "certificate file"),
        (
            "evil.example",
            PASSWORD,
            {"sslrootcert": "{authority}"},
            "is for another host name",
            "Use the name",
        ),
        ("db.example.org", PASSWORD, {"sslrootcert": "/no/such.pem"}, "file for .* cannot be read", "PEM"),
        ("localhost", "wrong", {}, "the password is wrong, or there is no such user", "~/.pgpass"),
        ("localhost", "", {}, "asks for a password, and none was found", "~/.pgpass"),
        ("localhost", PASSWORD, {"sslmode": "disable"}, "no rule that lets this user in", "TLS"),
        ("localhost", PASSWORD, {"sslmode": "nonsense"}, "option that PostgreSQL does not know", "Check"),
        ("localhost", PASSWORD, {"nonsense": "1"}, "option that PostgreSQL does not know", "Check"),
    ],
)
def test_what_is_wrong_is_said_with_the_next_step(
    tls: TlsServer, host: str, password: str, options: dict[str, str], message: str, step: str
) -> None:
    files = {"authority": tls.authority, "stranger": tls.stranger}
    named = {key: value.format(**files) for key, value in options.items()}
    found = found_at(tls.url("team", host=host, password=password, **named))
    assert found.finding is ConnectionResult.UNUSABLE
    with pytest.raises(StoreError, match=message):
        raise StoreError(found.message)
    assert step in found.hint
    assert PASSWORD not in f"{found!r}"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://anna@localhost:1/team", "its computer answers, but not at this port"),
        ("postgresql://anna@no-such-host.invalid/team", "no computer has this host name"),
        ("postgresql://anna@/team?host=/no/such/folder", "cannot be reached"),
    ],
)
def test_a_server_that_is_not_there_is_told_from_a_wrong_name(url: str, message: str) -> None:
    found = found_at(url)
    assert message in found.message
    assert found.hint
    assert found.statements == ()


def test_a_missing_database_comes_with_the_sql_that_makes_it(tls: TlsServer) -> None:
    found = found_at(tls.url("no-such"))
    assert "does not exist on its server" in found.message
    assert found.statements[1] == 'CREATE DATABASE "no-such" OWNER "anna";'
    with pytest.raises(ServerAccessError) as caught:
        create_workspace(tls.url("no-such"))
    assert 'CREATE ROLE "anna" LOGIN PASSWORD' in caught.value.hint
    assert 'CREATE DATABASE "no-such" OWNER "anna";' in caught.value.hint


def test_another_programs_database_is_left_alone(tls: TlsServer, database: str) -> None:
    import psycopg

    with psycopg.connect(tls.url(database)) as connection:
        connection.execute("CREATE TABLE invoices (number int)")
    found = found_at(tls.url(database))
    assert found.finding is ConnectionResult.UNUSABLE
    assert "another program's table 'invoices'" in found.message


def test_an_empty_database_of_somebody_else_names_the_right_that_is_missing(tls: TlsServer) -> None:
    with tls.mortal.server.database() as name:
        tls.mortal.server.execute(f'REVOKE CREATE ON DATABASE "{name}" FROM PUBLIC')
        found = found_at(tls.url(name))
        assert found.finding is ConnectionResult.UNUSABLE
        assert found.statements == (f'ALTER DATABASE "{name}" OWNER TO "anna";',)


@pytest.mark.parametrize(
    ("version", "finding"), [("0001", ConnectionResult.OLDER), ("9999", ConnectionResult.UNUSABLE)]
)
def test_another_version_says_which_program_is_behind(
    tls: TlsServer, database: str, version: str, finding: ConnectionResult
) -> None:
    import psycopg

    create_workspace(tls.url(database)).close()
    with psycopg.connect(tls.url(database)) as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'".encode())
    found = found_at(tls.url(database))
    assert found.finding is finding
    assert ("older version" if finding is ConnectionResult.OLDER else "newer version") in found.message


def test_an_attempt_at_a_server_that_says_nothing_can_be_cancelled() -> None:
    cancel = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        threading.Timer(0.2, cancel.set).start()
        started = time.monotonic()
        with pytest.raises(JobCancelled):
            try_connection(
                f"postgresql://a@127.0.0.1:{silent.getsockname()[1]}/team", context=JobContext(cancel=cancel)
            )
        assert time.monotonic() - started < 3


def test_a_server_without_encryption_is_refused_unless_that_is_wanted() -> None:
    def answer(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(8)
            connection.send(b"N")  # to the request for TLS
            connection.recv(8)

    with socket.create_server(("127.0.0.1", 0)) as plain:
        thread = threading.Thread(target=answer, args=(plain,))
        thread.start()
        address = f"postgresql://a@db.example.org:{plain.getsockname()[1]}/team?hostaddr=127.0.0.1"
        found = found_at(address)
        thread.join()
    assert "offers no encryption" in found.message
    assert "sslmode=disable" in found.hint


def test_an_invitation_survives_a_mail_and_holds_no_secret(tls: TlsServer, database: str) -> None:
    bundle = tls.authority.with_name("bundle.pem")  # as some keep them: certificate and key in one file
    bundle.write_text(tls.authority.read_text() + tls.authority.with_name("authority.key").read_text())
    url = tls.url(database, host="db.example.org", sslrootcert=str(bundle))
    with closing(create_workspace(url, name="Delivery 08", person="boss")) as boss:
        add_person(boss, "Ana Müller", roles=[Role.ANNOTATOR])
        text = write_invitation(boss, "Ana Müller")
    assert PASSWORD not in text
    assert "PRIVATE KEY" not in text
    assert str(bundle) not in text
    mail = "Hello Ana,\n\nas promised:\n\n> " + text.replace("\n", "\r\n> ") + "\nBest, B."
    read = read_invitation(mail)
    assert read.person == "Ana Müller"
    kept = keep_certificates(read.certificates)
    joined = read.url.replace("anna@", f"anna:{PASSWORD}@") + f"&sslrootcert={kept}"
    assert found_at(joined).finding is ConnectionResult.PROJECT


@pytest.mark.parametrize(
    ("text", "url", "person"),
    [
        ("see <postgresql://anna@h/team>.", "postgresql://anna@h/team", ""),
        ("postgres://h/team, your name in the project: bo", "postgres://h/team", ""),
        ("postgresql://h/team\n**Your name in the project:** bo", "postgresql://h/team", "bo"),
        ("* Your name in the project: bo *\nat (postgresql://h/team)", "postgresql://h/team", "bo"),
    ],
)
def test_the_address_is_found_whatever_stands_around_it(text: str, url: str, person: str) -> None:
    read = read_invitation(text)
    assert (read.url, read.person) == (url, person)


@pytest.mark.parametrize("text", ["", "Dear all, lunch at 12.", "https://example.org/team", "postgresql://"])
def test_a_text_without_an_invitation_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_invitation(text)
    assert caught.value.hint


def test_only_active_people_of_a_team_project_are_invited(tmp_path: Path, postgres: Server) -> None:
    file = create_workspace(str(tmp_path / "a.db"), person="boss")
    with closing(file), pytest.raises(InputError, match="is a file"):
        write_invitation(file, "boss")
    with postgres.database() as name, closing(create_workspace(postgres.url_of(name), person="boss")) as boss:
        add_person(boss, "ana", roles=[Role.ANNOTATOR])
        set_active(boss, "ana", active=False)
        for nobody in ("ana", "nobody"):
            with pytest.raises(NotFoundError, match="Nobody active"):
                write_invitation(boss, nobody)
