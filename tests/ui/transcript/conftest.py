"""A dialogue on screen, alone and with its panel."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.ui.transcript.dialogue import dialogue
from ui.transcript.panel import TranscriptPanel
from ui.transcript.view import TranscriptView


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> TranscriptView:
    widget = TranscriptView()
    qtbot.addWidget(widget)
    widget.resize(600, 700)
    widget.show()
    widget.show_case(dialogue(), task=1)
    return widget


@pytest.fixture
def panel(qtbot: QtBot, light: QApplication) -> TranscriptPanel:
    widget = TranscriptPanel()
    qtbot.addWidget(widget)
    widget.resize(620, 700)
    widget.show()
    widget.show_case(dialogue(), task=1)
    return widget
