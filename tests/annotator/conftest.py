"""A team on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.annotator.team import Team, team_on


@pytest.fixture
def team(store_url: str, tmp_path: Path) -> Iterator[Team]:
    """A founded project with its team, once on each database."""
    with team_on(store_url, tmp_path) as found:
        yield found
