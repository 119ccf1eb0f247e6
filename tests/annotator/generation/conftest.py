"""An empty project, and a server that plays the roles."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.project.creation import create_workspace
from annotator.project.workspace import Workspace
from tests.scripted_model.plain_roles import PlainRoles
from tests.scripted_model.server import ScriptedModel


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """An empty project of one person."""
    found = create_workspace(str(tmp_path / "p.db"), name="p")
    yield found
    found.close()


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A server that plays the roles; its user words five requests at a time."""
    with ScriptedModel(PlainRoles()) as found:
        yield found
