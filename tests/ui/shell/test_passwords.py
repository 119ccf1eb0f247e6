"""A password in the address of a project: it opens the project, and is seen and kept nowhere."""

import re
from pathlib import Path
from urllib.parse import unquote

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from annotator.project.creation import create_workspace
from tests.postgres import Server
from tests.ui.find import find
from tests.ui.settling import is_settled
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow

SECRET = "hunter2"


def shown_texts(window: QWidget) -> str:
    """Every text a person could see or hear in a window, shown just now or not."""
    texts = [window.window().windowTitle()]
    for widget in window.findChildren(QWidget):
        texts += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        if isinstance(widget, QLabel | QLineEdit):
            texts.append(widget.text())
    return "\n".join(texts)


def test_a_password_typed_in_an_address_is_neither_shown_nor_kept(
    qtbot: QtBot, window: MainWindow, preferences: Preferences, postgres: Server, tmp_path: Path
) -> None:
    with postgres.database() as name:
        address = postgres.url_of(name)
        typed = address.replace("postgres@", f"postgres:{SECRET}@") + f"&sslpassword={SECRET}"
        create_workspace(typed, person="anna").close()
        QTest.keyClicks(find(window, QLineEdit, "welcome-place"), typed)
        QTest.keyClick(find(window, QLineEdit, "welcome-place"), Qt.Key.Key_Return)
        assert find(window, QLabel, "welcome-busy").text().startswith("Opening postgresql://postgres@/")
        while_opening = find(window, QLabel, "welcome-busy").text()
        qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and is_settled(window.operations))
        project = window.operations.project
        assert project is not None
        seen = f"{while_opening} {shown_texts(window)} {project!r}"
        kept = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
        assert unquote(preferences.settings.last_project or "") == address
        assert re.findall(f".{{0,40}}{SECRET}", seen + kept) == []
        window.operations.close()


def test_whoever_worked_last_in_a_project_is_let_in_also_where_the_address_holds_a_password(
    qtbot: QtBot, window: MainWindow, preferences: Preferences, postgres: Server
) -> None:
    with postgres.database() as name:
        address = postgres.url_of(name)
        create_workspace(address, person="anna").close()
        preferences.replace(preferences.settings.model_copy(update={"people": {address: "nobody by now"}}))
        window.entrance.open(address.replace("postgres@", f"postgres:{SECRET}@"))
        qtbot.waitUntil(lambda: window.entrance.sign_in.isVisible())
        assert "nobody by now" in shown_texts(window.entrance.sign_in)
        window.operations.close()
