"""Upgrading a project's schema and checking its chain of events."""

from pathlib import Path

from annotator.project.workspace import Workspace
from db.events import ChainReport, verify_chain
from db.location import locate
from db.upgrading import upgrade
from scoring.model.record import Record


class Migrated(Record):
    """What a migration did: schema versions before and after, and the file that was there, kept beside it."""

    project: str
    before: str
    after: str
    kept: Path | None


def migrate(project: str) -> Migrated:
    """Bring a project to this program's schema: copy, migrate the copy, check, swap.

    Raises:
        StoreError: It is no project, newer, open elsewhere, or the check failed; it stays as it was.
    """
    done = upgrade(project)
    return Migrated(project=locate(project).name, before=done.before, after=done.after, kept=done.kept)


def audit(workspace: Workspace) -> ChainReport:
    """Check that no event was changed, removed or inserted."""
    return workspace.read(verify_chain)
