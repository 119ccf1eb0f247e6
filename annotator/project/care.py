"""Looking after a project as a whole: consistency check with repairs, backup and restore."""

from datetime import datetime
from pathlib import Path

from annotator.jobs import JobContext
from annotator.project.people import list_people
from annotator.project.workspace import Work, Workspace, open_workspace
from db import care
from db.copies import Progress, backup_project, restore_project
from db.engine import disposed, open_engine, reading
from db.location import locate
from scoring.errors import ForbiddenError
from scoring.model.record import Record
from scoring.model.taxonomy import Role

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
    "draft.unreadable": "Open the review again; it starts from the case as it was.",
}
_REPAIRS = {
    "case.hash": "take the hash of its present revision",
    "draft.sealed": "remove the draft; the submitted review stays",
    "lease.future": "free the slot; the draft stays",
}


class Problem(Record):
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


class Restored(Record):
    """A project that was restored; `kept` is the file that was there before, null where there was none."""

    project: str
    kept: Path | None


class Keeper(Record):
    """Whoever looks after a project as a whole; in a project of several people a manager does."""

    name: str
    password: str | None = None


def examine(
    context: JobContext, project: str, *, at: datetime, keeper: Keeper | None = None
) -> tuple[Problem, ...]:
    """Check a project for consistency; nothing is changed.

    Args:
        context: Counts the revisions and drafts that were read.
        project: Path or URL.
        at: The present instant, to notice leases from a wrong clock.
        keeper: In whose name, null for nobody's; a file too damaged to know its people is looked at anyway.

    Returns:
        The problems, the gravest kinds first; empty where all is well.

    Raises:
        StoreError: The project cannot be opened at all; the message says why.
        NotFoundError, ForbiddenError: The keeper is not let in, or is no manager.
    """
    return tuple(_problem(fault) for fault in _faults(context, project, at, keeper=keeper))


def repair_problems(context: JobContext, workspace: Workspace) -> tuple[Problem, ...]:
    """Put right what can be put right without losing anything: one operation, one event each.

    Args:
        context: Counts the problems.
        workspace: The project, in the name of a manager.

    Returns:
        What was repaired.

    Raises:
        ForbiddenError: The person is no manager.
    """
    repairable = [
        fault for fault in _faults(context, workspace.project, workspace.now()) if fault.rule in _REPAIRS
    ]
    done = []
    for number, fault in enumerate(repairable, 1):
        context.check_cancelled()
        if _repair(workspace, fault):
            done.append(_problem(fault))
        context.progress(number, len(repairable), "repairing")
    return tuple(done)


def backup(context: JobContext, project: str, target: Path, *, keeper: Keeper | None = None) -> Backup:
    """Write a consistent copy of a project into a new file while people work in it.

    The copy is an ordinary project file, also for a project on a server. It holds everything, other
    reviewers' judgments and password hashes too.

    Args:
        context: Counts pages or rows; cancelling leaves nothing behind.
        project: Path or URL.
        target: The file to write; nothing may have that name.
        keeper: In whose name, null for nobody's.

    Raises:
        StoreError: The project cannot be opened, or the file cannot be written.
        NotFoundError, ForbiddenError: The keeper is not let in, or is no manager.
    """
    if keeper is not None:
        _require_manager(project, keeper)
    report = backup_project(project, target, on_progress=_tell(context))
    return Backup(path=target, event_count=report.event_count, warning=report.reason)


def restore(context: JobContext, file: Path, project: str) -> Restored:
    """Bring a project back to what a backup holds; a replaced file is kept beside it.

    Args:
        context: Counts pages or rows; cancelling leaves the project as it was.
        file: The backup.
        project: A project file, a path where none is yet, or a server's database without a project.

    Raises:
        StoreError: The backup is not sound, or the place cannot take it.
    """
    kept = restore_project(file, project, on_progress=_tell(context))
    return Restored(project=locate(project).name, kept=kept)


def _require_manager(project: str, keeper: Keeper) -> None:
    workspace = open_workspace(project, keeper.name, password=keeper.password)
    try:
        is_shared_work = len(list_people(workspace)) > 1
        if is_shared_work and not workspace.person.has_role(Role.MANAGER):
            raise ForbiddenError(
                f"{keeper.name} is not manager in this project.",
                "A copy or a check shows everybody's work: ask a manager for it.",
            )
    finally:
        workspace.close()


def _faults(
    context: JobContext, project: str, at: datetime, *, keeper: Keeper | None = None
) -> tuple[care.Fault, ...]:
    def tell(done: int, total: int) -> None:
        context.check_cancelled()
        context.progress(done, total, "reading revisions and drafts")

    found = care.file_faults(project)
    if found:
        return found  # nothing read from a damaged file can be trusted
    with disposed(open_engine(project)) as engine:
        schema = care.schema_faults(engine)
        if any(fault.rule == "schema.differs" for fault in schema):
            return schema  # the other checks would stumble over what is missing
        if keeper is not None:
            _require_manager(project, keeper)
        with reading(engine) as tx:
            return (*schema, *care.row_faults(tx, at=at), *care.body_faults(tx, on_progress=tell))


def _problem(fault: care.Fault) -> Problem:
    return Problem(
        rule=fault.rule,
        where=fault.where,
        message=fault.message,
        hint=_HINTS.get(fault.rule, "Repair it with `annotator doctor`."),
        repair=_REPAIRS.get(fault.rule, ""),
    )


def _repair(workspace: Workspace, fault: care.Fault) -> bool:
    def work(w: Work) -> bool:
        if not care.repair(w.tx, fault, at=w.at):
            return False
        w.record(fault.where, {"rule": fault.rule, "repair": _REPAIRS[fault.rule]})
        return True

    return workspace.run("project:fault:repair", work, roles=(Role.MANAGER,)).value


def _tell(context: JobContext) -> Progress:
    def tell(done: int, total: int | None, note: str) -> None:
        context.check_cancelled()
        context.progress(done, total, note)

    return tell
