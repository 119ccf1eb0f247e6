"""The form of a team project: nothing is tried while typing, what is found is said, joining opens it."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from annotator.project.connection import write_invitation
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.resources import place_of_message
from scoring.model.taxonomy import Role
from tests.tls_front import PASSWORD, TlsServer, tls_server
from tests.ui.find import find
from tests.ui.settling import is_settled
from tests.ui.shell.test_passwords import shown_texts
from ui.services.errors import ManualLink
from ui.shell.connect_dialog import ConnectDialog
from ui.shell.main_window import MainWindow
from ui.theme.fields import DropDown


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    """A server with TLS and passwords, its database `team` empty."""
    with tls_server(tmp_path_factory.mktemp("tls")) as found:
        yield found


@pytest.fixture
def form(qtbot: QtBot, window: MainWindow) -> ConnectDialog:
    """The form, opened from the welcome page."""
    QTest.mouseClick(find(window, QAbstractButton, "welcome-team"), Qt.MouseButton.LeftButton)
    found = window.findChild(ConnectDialog)
    assert found is not None
    qtbot.waitUntil(found.isVisible)
    return found


def fill(form: ConnectDialog, tls: TlsServer, *, password: str = PASSWORD) -> None:
    """Type an address of the server."""
    find(form, QLineEdit, "connect-port").setText(str(tls.port))
    choice = find(form, DropDown, "connect-tls")
    choice.setCurrentIndex(choice.findData("verify-full"))
    typed = {
        "host": "localhost",
        "database": "team",
        "user": "anna",
        "password": password,
        "certificate": str(tls.authority),
    }
    for name, text in typed.items():
        field = find(form, QLineEdit, f"connect-{name}")
        field.clear()
        QTest.keyClicks(field, text)


def press(form: ConnectDialog, name: str) -> None:
    """Press a button of the form."""
    QTest.mouseClick(find(form, QPushButton, f"connect-{name}"), Qt.MouseButton.LeftButton)


def said(form: ConnectDialog) -> str:
    """What the form says of the last attempt."""
    return " ".join(find(form, QLabel, f"connect-{name}").text() for name in ("message", "hint"))


def is_inside(window: MainWindow) -> bool:
    """Whether a project is open and shown."""
    return bool(window.ways.open_pages()) and is_settled(window.operations)


def test_a_wrong_password_is_said_and_the_right_one_creates_the_project(
    qtbot: QtBot, window: MainWindow, form: ConnectDialog, tls: TlsServer, tmp_path: Path
) -> None:
    fill(form, tls, password="wrong")
    press(form, "go")
    qtbot.waitUntil(lambda: "the password is wrong" in said(form))
    assert "CREATE ROLE" in find(form, QLabel, "connect-statements").text()
    assert place_of_message(find(form, ManualLink, "connect-manual").page.partition("#")[2])
    fill(form, tls)
    assert said(form).strip() == ""  # it was about another password
    test, go = find(form, QPushButton, "connect-test"), find(form, QPushButton, "connect-go")
    test.setFocus()
    QTest.keyClick(test, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "the database is empty" in said(form))
    assert go.text() == "Create project"
    assert find(form, ManualLink, "connect-manual").isHidden()
    assert go.hasFocus()  # Enter goes on
    dots = find(form, QLineEdit, "connect-password")
    assert (dots.text(), dots.displayText()) == (PASSWORD, "●" * len(PASSWORD))
    press(form, "go")
    qtbot.waitUntil(lambda: is_inside(window))
    qtbot.waitUntil(lambda: "was not kept" in window.banner.message)  # the tests have no keyring
    assert f"localhost:{tls.port}:team:anna:PASSWORD into ~/.pgpass" in window.banner.words
    kept = "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*.json"))
    assert "localhost" in kept
    assert PASSWORD not in shown_texts(window) + kept
    window.operations.close()


def test_a_member_pastes_the_invitation_and_joins(
    qtbot: QtBot, window: MainWindow, form: ConnectDialog, tls: TlsServer, tmp_path: Path
) -> None:
    with tls.mortal.server.database() as name:
        tls.mortal.server.execute(f'ALTER DATABASE "{name}" OWNER TO anna')
        url = tls.url(name, host="db.example.org", sslrootcert=quote(str(tls.authority)))
        boss = create_workspace(url, name="Delivery 08", person="boss")
        add_person(boss, "ana", roles=[Role.ANNOTATOR])
        invitation = write_invitation(boss, "ana")
        boss.close()
        QGuiApplication.clipboard().setText(f"Hi Ana!\n{invitation}\nSee you")
        press(form, "paste")
        assert find(form, QLineEdit, "connect-host").text() == "db.example.org"
        assert find(form, QLineEdit, "connect-name").text() == "ana"
        QTest.keyClicks(find(form, QLineEdit, "connect-password"), PASSWORD)
        press(form, "test")
        qtbot.waitUntil(lambda: "the project Delivery 08 with 2 active people" in said(form))
        find(form, QLineEdit, "connect-password").setFocus()
        QTest.keyClick(find(form, QLineEdit, "connect-password"), Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: is_inside(window))
        project = window.operations.project
        assert project is not None
        assert project.person is not None
        assert (project.name, project.person.name) == ("Delivery 08", "ana")
        assert window.windowTitle() == "Delivery 08 – Annotator"
        window.operations.close()


def test_nothing_is_tried_while_somebody_types_and_a_press_is_one_attempt_that_can_be_cancelled(
    qtbot: QtBot, form: ConnectDialog
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        find(form, QLineEdit, "connect-port").setText(str(silent.getsockname()[1]))
        for name, text in (("host", "127.0.0.1"), ("database", "team"), ("password", "hush")):
            QTest.keyClicks(find(form, QLineEdit, f"connect-{name}"), text)
        with pytest.raises(BlockingIOError):
            silent.accept()
        press(form, "test")
        arrived: list[socket.socket] = []

        def has_arrived() -> bool:
            try:
                arrived.append(silent.accept()[0])
            except BlockingIOError:
                return bool(arrived)
            return True

        qtbot.waitUntil(has_arrived)
        assert find(form, QPushButton, "connect-test").text() == "Cancel test"
        assert not find(form, QPushButton, "connect-go").isEnabled()
        press(form, "test")
        assert "was cancelled" in said(form)
        assert find(form, QPushButton, "connect-go").isEnabled()
        with pytest.raises(BlockingIOError):
            silent.accept()
        for connection in arrived:
            connection.close()


def test_a_clipboard_without_an_invitation_and_a_form_without_a_database_are_said(
    qtbot: QtBot, form: ConnectDialog
) -> None:
    QGuiApplication.clipboard().setText("lunch at 12")
    press(form, "paste")
    assert "not an invitation" in said(form)
    press(form, "go")
    assert "No database is named" in said(form)


def test_a_port_that_is_none_is_said_beside_it_and_nothing_is_tried(form: ConnectDialog) -> None:
    find(form, QLineEdit, "connect-database").setText("team")
    find(form, QLineEdit, "connect-port").setText("70000")
    press(form, "go")
    assert "“Port” takes a whole number from 1 to 65535." in shown_texts(form)
    assert said(form).strip() == ""


def test_a_recent_project_whose_password_was_changed_comes_back_with_the_form(
    qtbot: QtBot, window: MainWindow, tls: TlsServer
) -> None:
    window.entrance.open(tls.url("team", password="wrong"))
    qtbot.waitUntil(lambda: window.findChild(ConnectDialog) is not None)
    form = window.findChild(ConnectDialog)
    assert form is not None
    assert "the password is wrong" in said(form)
    assert find(form, QLineEdit, "connect-database").text() == "team"
