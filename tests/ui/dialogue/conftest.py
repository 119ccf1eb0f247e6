"""A dialogue on screen, alone and with its panel."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.ui.dialogue.dialogue import dialogue
from ui.dialogue.panel import DialoguePanel
from ui.dialogue.view import DialogueView


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> DialogueView:
    widget = DialogueView()
    qtbot.addWidget(widget)
    widget.resize(600, 700)
    widget.show()
    widget.show_case(dialogue(), task=1)
    return widget


@pytest.fixture
def panel(qtbot: QtBot, light: QApplication) -> DialoguePanel:
    widget = DialoguePanel()
    qtbot.addWidget(widget)
    widget.resize(620, 700)
    widget.show()
    widget.show_case(dialogue(), task=1)
    return widget
