"""The program of the next version, for tests of upgrades."""

import shutil
from pathlib import Path

import pytest

from db.project_files.versions import HISTORY, History

_NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{head}"


def upgrade() -> None:
    with op.batch_alter_table("batches") as batch:
        batch.add_column(sa.Column("colour", sa.String(20), nullable=False, server_default="grey"))
    {then}
"""


def later_history(tmp_path: Path, *, then: str) -> History:
    """The history of a later program, whose migration ends in the given statement."""
    folder = tmp_path / "migrations"
    shutil.copytree(HISTORY.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "next.py").write_text(_NEXT.format(head=HISTORY.head, then=then))
    return History(folder=folder, revisions=(*HISTORY.revisions, "next"))


@pytest.fixture
def later(tmp_path: Path) -> History:
    """The history of a later program, which rebuilds a table others refer to."""
    return later_history(tmp_path, then="pass")
