"""Upgrading a project's schema."""

from collections.abc import Callable
from pathlib import Path

from annotator.jobs import JobContext
from db.care.upgrade import UpgradePlan as UpgradePlan
from db.care.upgrade import UpgradeStep, upgrade
from db.care.upgrade import plan_upgrade as plan_upgrade
from db.project_files.location import locate
from db.tables import Transaction
from scoring.model.record import Record


class Migrated(Record):
    """What a migration did: schema versions before and after, and the file that was there, kept beside it."""

    project: str
    before: str
    after: str
    kept: Path | None


def migrate(
    project: str, *, context: JobContext | None = None, fill: Callable[[Transaction], object] | None = None
) -> Migrated:
    """Bring a project to this program's schema: copy, migrate the copy, check, swap.

    Args:
        project: Path or URL.
        context: Progress in steps; an upgrade that has begun is not cancelled.
        fill: Writes what new tables say of what is there; the project appears with it or stays as it was.

    Raises:
        StoreError: It is no project, newer, open elsewhere, or the check failed; it stays as it was.
    """
    steps = tuple(UpgradeStep)

    def tell(step: UpgradeStep) -> None:
        if context is not None:
            context.progress(steps.index(step), len(steps), step.value)

    done = upgrade(project, told=tell, fill=fill)
    return Migrated(project=locate(project).name, before=done.before, after=done.after, kept=done.kept)
