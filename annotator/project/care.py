"""Looking after a project as a whole: consistency check with repairs, backup and restore."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from annotator.files import is_stream, replaced_file
from annotator.jobs import JobContext
from annotator.project.people import list_people
from annotator.project.workspace import Work, Workspace
from db.care import faults
from db.care.copies import backup_project, move_project, restore_project
from db.engine import disposed, open_engine, reading
from db.project_files.location import locate
from db.project_files.unfinished import Abandoned, abandoned_in
from db.read.reviews import list_releases
from scoring.errors import ForbiddenError, StoreError
from scoring.groups import collected
from scoring.model.record import Record
from scoring.model.taxonomy import Role
from scoring.wording import counted

_LEFT = "file.unfinished"
_RESTORE = "Restore the last backup with `annotator restore`."
_BY_HAND = "Somebody changed the database by hand: compare with a backup, then restore it."
_HINTS = {
    "file.damaged": _RESTORE,
    "schema.differs": _BY_HAND,
    "schema.trigger": _BY_HAND,
    "chain.broken": _BY_HAND,
    "project.missing": _RESTORE,
    "people.no_manager": "Give somebody the role with `annotator user add NAME --role manager`.",
    "case.stage": _RESTORE,
    "case.head": _RESTORE,
    "revision.parent": _BY_HAND,
    "revision.unreadable": _RESTORE,
    "revision.case": _BY_HAND,
    "revision.hash": _BY_HAND,
    "judgment.case": _BY_HAND,
    _LEFT: "Remove it with `annotator doctor --repair`.",
    "draft.unreadable": "Open the review again; it starts from the case as it was.",
}
_REPAIRS = {
    "case.hash": "take the hash of its present revision",
    "draft.sealed": "remove the draft; the submitted review stays",
    "lease.future": "free the slot; the draft stays",
    _LEFT: "remove it",
}


class ProjectProblem(Record):
    """One thing in a project that should not be.

    `rule` is a stable id, `where` names the row, `hint` says what a person can do. `repair` says what
    `repair_problems` would do; empty where nothing can be done without losing something.
    """

    rule: str
    where: str
    message: str
    hint: str
    repair: str = ""


class Backup(Record):
    """A backup that was written. `warning` says what is wrong with the project; empty where nothing."""

    path: Path
    event_count: int
    warning: str = ""


class RestoredProject(Record):
    """A project that was restored; `kept` is the file that was there before, None where there was none."""

    project: str
    kept: Path | None


class MovedProject(Record):
    """A project that was moved; `kept` is the file under its new name, None where it lies on a server still.

    `missed_count` counts the events that others wrote there meanwhile.
    """

    project: str
    event_count: int
    missed_count: int
    kept: Path | None


Keeper = Callable[[], AbstractContextManager[Workspace]]
"""Opens the project in the name of whoever looks after it as a whole: among several people a manager."""


def examine(
    context: JobContext, project: str, *, at: datetime, keeper: Keeper | None = None
) -> tuple[ProjectProblem, ...]:
    """Check a project for consistency; nothing is changed.

    Args:
        context: Counts the revisions and drafts that were read.
        project: Path or URL.
        at: The present instant, to notice leases from a wrong clock.
        keeper: In whose name, None for anybody's; a file too damaged to know its people is looked at anyway.

    Returns:
        The problems, the gravest kinds first; empty where all is well.

    Raises:
        StoreError: The project cannot be opened at all; the message says why.
        NotFoundError, ForbiddenError: The keeper is not let in, or is no manager.
    """
    return tuple(_problem(fault) for fault in _faults(context, project, at, keeper=keeper))


@collected
def repair_problems(workspace: Workspace, *, context: JobContext) -> Iterator[ProjectProblem]:
    """Put right what can be put right without losing anything: one operation, one event each.

    Args:
        workspace: The project, in the name of a manager.
        context: Counts the problems.

    Returns:
        What was repaired.

    Raises:
        ForbiddenError: The person is no manager.
    """
    repairable = [
        fault for fault in _faults(context, workspace.project, workspace.now()) if fault.rule in _REPAIRS
    ]
    left = {str(found.work): found for found in _left_behind(workspace.project)}
    for fault in context.each(repairable, "repairing"):
        if fault.rule == _LEFT:
            left[fault.where].remove()
            yield _problem(fault)
        elif _repair(workspace, fault):
            yield _problem(fault)


def backup(workspace: Workspace, target: Path, *, context: JobContext) -> Backup:
    """Write a consistent copy of a project into a new file while people work in it.

    The copy is an ordinary project file, also for a project on a server. It holds everything, other
    reviewers' judgments and password hashes too.

    Args:
        workspace: The project; where several people work in it, in the name of a manager.
        target: The file to write: nothing has that name, or it is a stream.
        context: Counts pages or rows; cancelling leaves nothing behind.

    Raises:
        StoreError: The project cannot be opened, or the file cannot be written.
        ForbiddenError: The person is nobody, or no manager.
    """
    require_manager(workspace)
    if is_stream(target):
        with TemporaryDirectory() as folder, replaced_file(target) as stream:
            copy = Path(folder) / "copy.db"
            report = backup_project(workspace.project, copy, on_progress=context.advance)
            with copy.open("rb") as file:
                shutil.copyfileobj(file, stream)
    else:
        report = backup_project(workspace.project, target, on_progress=context.advance)
    return Backup(path=target, event_count=report.event_count, warning=report.reason)


def restore(file: Path, project: str, *, context: JobContext) -> RestoredProject:
    """Bring a project back to what a backup holds; a replaced file is kept beside it.

    Args:
        file: The backup.
        project: A project file, a path where none is yet, or a server's database without a project.
        context: Counts pages or rows; cancelling leaves the project as it was.

    Raises:
        StoreError: The backup is not sound, or the place cannot take it.
    """
    return RestoredProject(
        project=locate(project).name, kept=restore_project(file, project, on_progress=context.advance)
    )


def move(workspace: Workspace, project: str, *, context: JobContext) -> MovedProject:
    """Take a project from a file to a server, or back; the workspace is closed, and the new place not opened.

    What goes from one database to the other is compared afterwards. A file keeps everything under another
    name, a server's project stays as it is.

    Args:
        workspace: The project; where several people work in it, in the name of a manager.
        project: A path where nothing is, or a server's database without a project.
        context: Counts pages or rows; cancelling leaves both places as they were.

    Raises:
        StoreError: The project is open elsewhere, `examine` finds a problem in it, or the new place cannot
            take it.
        ForbiddenError: The person is nobody, or no manager.
    """
    require_manager(workspace)
    found = _faults(context, workspace.project, workspace.now())
    if inside := [fault for fault in found if fault.rule != _LEFT]:
        raise StoreError(
            f"{workspace.shown_place} was not moved: {inside[0].message}",
            f"See `annotator doctor`, which finds {counted(len(inside), 'problem')} in it.",
        )
    workspace.close()
    done = move_project(workspace.project, project, on_progress=context.advance)
    return MovedProject(
        project=locate(project).name,
        event_count=done.event_count,
        missed_count=done.missed_count,
        kept=done.kept,
    )


def require_manager(workspace: Workspace) -> None:
    """Refuse who may not see everybody's work: where several people work, all but managers.

    Raises:
        ForbiddenError: The person is nobody, or no manager.
    """
    is_shared_work = len(list_people(workspace)) > 1
    if is_shared_work and not workspace.person.has_role(Role.MANAGER):
        raise ForbiddenError(
            f"{workspace.person.name} is not a manager in this project.",
            "A copy or a check shows everybody's work: ask a manager for it.",
        )


def _faults(
    context: JobContext, project: str, at: datetime, *, keeper: Keeper | None = None
) -> tuple[faults.StoreFault, ...]:
    found = faults.file_faults(project)
    if found:
        return found  # nothing read from a damaged file can be trusted
    with disposed(open_engine(project)) as engine:
        schema = faults.schema_faults(engine)
        if any(fault.rule == "schema.differs" for fault in schema):
            return schema  # the other checks would stumble over what is missing
        if keeper is not None:
            with keeper() as workspace:
                require_manager(workspace)
        with reading(engine) as tx:
            tell = partial(context.advance, note="reading revisions and drafts")
            rows = (*faults.row_faults(tx, at=at), *faults.body_faults(tx, on_progress=tell))
    left = tuple(
        faults.StoreFault(
            _LEFT, str(found.work), f"A killed program left {found.target.name} unfinished there."
        )
        for found in _left_behind(project)
    )
    return (*schema, *rows, *left)


def _left_behind(project: str) -> tuple[Abandoned, ...]:
    """What killed programs left under construction beside the project and beside its releases."""
    path = locate(project).path
    folders = {path.parent} if path is not None else set()
    with disposed(open_engine(project)) as engine, reading(engine) as tx:
        folders |= {Path(release.directory).parent for release in list_releases(tx)}
    found = (left for folder in sorted(folders) for left in abandoned_in(folder))
    return tuple(left for left in found if left.work.exists())


def _problem(fault: faults.StoreFault) -> ProjectProblem:
    return ProjectProblem(
        rule=fault.rule,
        where=fault.where,
        message=fault.message,
        hint=_HINTS.get(fault.rule, "Repair it with `annotator doctor --repair`."),
        repair=_REPAIRS.get(fault.rule, ""),
    )


def _repair(workspace: Workspace, fault: faults.StoreFault) -> bool:
    def work(w: Work) -> bool:
        if not faults.repair(w.tx, fault, at=w.at):
            return False
        w.record(fault.where, {"rule": fault.rule, "repair": _REPAIRS[fault.rule]})
        return True

    return workspace.run("project:fault:repair", work, roles=(Role.MANAGER,)).value
