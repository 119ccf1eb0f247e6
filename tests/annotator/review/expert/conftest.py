"""A team on an embedded database: what is tested here is the same on every database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.annotator.team import Team, team_on


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A founded project with its team."""
    with team_on(str(sqlite_path), tmp_path) as found:
        yield found
