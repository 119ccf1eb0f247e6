"""What the tests of the window's services share."""

import pytest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from ui.services.commands import Command, Commands


@pytest.fixture
def commands(qtbot: QtBot) -> Commands:
    """Two commands of a window."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.show()
    found = Commands(window)
    found.add(Command("next", "Next case", "Queue", lambda: None, keys="N"))
    found.add(Command("import", "Import cases", "Project", lambda: None, keys="Ctrl+I"))
    return found
