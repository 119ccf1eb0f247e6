"""The Generate page on a project of its own, and the scripted endpoint it asks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from annotator.project.creation import create_workspace
from annotator.project.people import login_name
from tests.scripted_model.endpoint import scripted_endpoint
from tests.scripted_model.server import ScriptedModel
from ui.generate.page import GeneratePage
from ui.services.commands import Commands
from ui.services.operations import Operations

NUMBER = {"type": "string", "description": "Number of the parcel."}
SPEED = {"type": "string", "description": "Speed, supports 'fast' or 'slow'."}


@pytest.fixture
def toolset(tmp_path: Path) -> Path:
    """A file with one toolset of three tools, one of which lacks an enum."""
    tools = [
        _tool("findParcel", "Find where a parcel lies.", parcelNumber=NUMBER),
        _tool("sendParcel", "Send a parcel on its way.", parcelNumber=NUMBER, speed=SPEED),
        _tool("callDriver", "Ask the driver of a van to call back.", vanNumber=NUMBER),
    ]
    path = tmp_path / "tools.jsonl"
    path.write_text(json.dumps(tools) + "\n")
    return path


def _tool(name: str, description: str, **properties: dict[str, str]) -> dict[str, object]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """The shipped endpoint that plays every role, without mistakes."""
    with scripted_endpoint(seed=1) as running:
        yield running


@pytest.fixture
def page(qtbot: QtBot, closed_operations: Operations, tmp_path: Path) -> Iterator[GeneratePage]:
    """The page of an empty project, in a window of its own."""
    project = str(tmp_path / "p.db")
    create_workspace(project, name="p").close()
    with qtbot.waitSignal(closed_operations.opened):
        closed_operations.open(project, login_name())
    window = QMainWindow()
    shown = GeneratePage(closed_operations, Commands(window))
    window.setCentralWidget(shown)
    window.resize(1400, 860)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and is_quiet(closed_operations))
    yield shown
    closed_operations.close()
    shiboken6.delete(window)


def is_quiet(operations: Operations) -> bool:
    """Whether nothing is asked and no job runs."""
    return operations.pending_count == 0 and not operations.jobs
