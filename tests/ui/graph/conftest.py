"""A small drawing on the canvas."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.ui.graph.graphs import show_task
from ui.graph.canvas_content import CanvasContent
from ui.graph.view import GraphView


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> GraphView:
    widget = GraphView()
    qtbot.addWidget(widget)
    widget.resize(480, 520)
    widget.show()
    widget.show_content(CanvasContent(show_task()))
    return widget
