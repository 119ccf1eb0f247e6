"""A planted password of a database is found nowhere: processes, logs, settings, events, standard error."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from annotator.project.creation import create_workspace
from tests.e2e.command import annotator
from tests.shared import ROOT
from tests.tls_front import PASSWORD, TlsServer, tls_server
from ui.services.errors import crash_report


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    """A server with TLS and passwords, with a project in its database `team`."""
    with tls_server(tmp_path_factory.mktemp("tls")) as found:
        create_workspace(found.url("team"), person="boss").close()
        yield found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder for a program."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home" / name))
    return tmp_path / "home"


def verified(tls: TlsServer, *, password: str = "") -> str:
    """The address of the project as another computer would have it."""
    return tls.url("team", password=password, host="db.example.org", sslrootcert=quote(str(tls.authority)))


def everything_in(folder: Path) -> str:
    """Every file's text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "\n".join(f"{path}\n{path.read_text(errors='replace')}" for path in files)


def run_window(address: str, folder: Path, **environment: str) -> tuple[str, str]:
    """Open the window, wait until the project is open, kill it; what `ps` showed and what it printed."""
    window = subprocess.Popen(
        [sys.executable, "-m", "ui.cli", "-p", address, "--as", "boss"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while "db.example.org" not in everything_in(folder):
            assert window.poll() is None, window.communicate()[1]
            assert time.monotonic() < deadline, "the project was not opened"
            time.sleep(0.1)
        shown = subprocess.run(["ps", "-ww", "-o", "args=", "-p", str(window.pid)], capture_output=True)
    finally:
        window.send_signal(signal.SIGTERM)
        printed = window.communicate(timeout=120)[1]
    return shown.stdout.decode(), printed


def test_a_window_with_its_password_in_the_password_file_shows_it_nowhere(
    tls: TlsServer, home: Path, tmp_path: Path
) -> None:
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"db.example.org:{tls.port}:team:anna:{PASSWORD}\n")
    passwords.chmod(0o600)
    shown, printed = run_window(verified(tls), home, PGPASSFILE=str(passwords))
    assert "db.example.org" in shown
    assert PASSWORD not in shown + printed + everything_in(home)


def test_a_password_in_the_command_is_kept_nowhere_and_warned_of_once(
    tls: TlsServer, home: Path, tmp_path: Path
) -> None:
    _, printed = run_window(verified(tls, password=PASSWORD), home)
    assert PASSWORD not in printed + everything_in(home)
    assert printed.count("can be read in the list of processes") == 1
    assert f"db.example.org:{tls.port}:team:anna:PASSWORD into ~/.pgpass" in printed


def test_a_command_says_where_else_the_password_goes_and_stores_it_in_no_event(
    tls: TlsServer, home: Path, tmp_path: Path
) -> None:
    address = verified(tls, password=PASSWORD)
    added = annotator("user", "add", "ana", "--role", "annotator", "-p", address, person="boss")
    assert added.code == 0, added.err
    assert "can be read in the list of processes" in added.err
    invited = annotator("user", "invite", "ana", "-p", address, "--json", person="boss")
    assert "Your name in the project: ana" in invited.document["text"]
    shown = annotator("user", "invite", "ana", "-p", address, person="boss")
    assert shown.out.strip() == invited.document["text"].strip()
    copy = tmp_path / "copy.db"
    assert annotator("backup", copy, "-p", address, person="boss").code == 0
    assert "project:store:create" in everything_in(tmp_path)  # the events are in the copy
    assert PASSWORD not in added.err + added.out + invited.err + invited.out + everything_in(tmp_path)


def test_a_command_is_let_in_by_the_password_file(tls: TlsServer, tmp_path: Path) -> None:
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"*:*:*:anna:{PASSWORD}\n")
    passwords.chmod(0o600)
    listed = annotator("user", "list", "-p", verified(tls), person="boss", PGPASSFILE=str(passwords))
    assert (listed.code, listed.err) == (0, "")
    refused = annotator("user", "list", "-p", verified(tls), person="boss", PGPASSFILE="/nonexistent")
    assert refused.code == 1
    assert "~/.pgpass" in refused.err


def test_init_names_the_sql_of_a_server_without_the_database(tls: TlsServer) -> None:
    ran = annotator("init", tls.url("Delivery 08".replace(" ", "%20")))
    assert (ran.code, ran.out) == (1, "")
    assert "CREATE ROLE \"anna\" LOGIN PASSWORD 'choose a password';" in ran.err
    assert 'CREATE DATABASE "Delivery 08" OWNER "anna";' in ran.err


def test_a_crash_report_holds_no_password(tls: TlsServer) -> None:
    report = crash_report(RuntimeError(f"cannot open {tls.url('team')}&password={PASSWORD}"))
    assert "cannot open postgresql://anna@localhost" in report
    assert PASSWORD not in report
