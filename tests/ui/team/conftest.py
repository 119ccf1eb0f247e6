"""The team page on the sample project."""

from collections.abc import Iterator

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from tests.ui.team.opening import Opened
from ui.services.operations import Operations


@pytest.fixture
def opened(qtbot: QtBot, closed_operations: Operations, sample_project: str) -> Iterator[Opened]:
    """A way to open the page."""
    found = Opened(qtbot, closed_operations, sample_project)
    yield found
    closed_operations.close()
    shiboken6.delete(found.window)
