"""Whole copies of a project: a consistent backup file while people work, and the way back."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, delete, func, insert, select, text
from sqlalchemy.orm import Session

from db import columns, tables
from db.care.upgrade import create_project
from db.columns import UtcTime
from db.engine import disposed, file_engine, open_engine, reading
from db.events import ChainReport, last_number, verify_chain
from db.failures import translated
from db.project_files.files import (
    alone_with,
    already_there,
    check_file,
    check_folder,
    check_signature,
    connect,
    copy_database,
    free_name,
    lies_on_network_share,
    place,
    revision_of_file,
    settle,
    swap_in,
    sync_folder,
)
from db.project_files.location import locate
from db.project_files.unfinished import unfinished
from db.project_files.versions import HISTORY, ProjectState, refuse_unless_current
from scoring.errors import StoreError, reworded

Progress = Callable[[int, int | None, str], None]
"""Takes done, total (None while unknown) and a note; an exception from it stops the copy."""

_ANOTHER = "Choose another backup; this one can be opened as a project of its own to look into it."
_LOOK = "Look into it with `annotator doctor`; it was not moved."


def _silent(done: int, total: int | None, note: str) -> None:
    """Nobody listens."""


def backup_project(url_or_path: str, target: Path, *, on_progress: Progress = _silent) -> ChainReport:
    """Write everything a project holds at this moment into a new project file, while others work in it.

    A project on a server becomes an ordinary project file too, row by row, so that one kind of backup
    serves both. The file appears whole or not at all.

    Args:
        url_or_path: The project.
        target: The file to write; nothing may have that name.
        on_progress: Counts pages of a file, or rows of a server's tables.

    Returns:
        How the event chain of the copy stands; one that does not hold is copied all the same.

    Raises:
        StoreError: The project cannot be opened, the target exists, its disk is full, or the copy did
            not pass its check.
    """
    if not target.parent.is_dir():
        raise StoreError(f"The folder {target.parent} does not exist.", "Create it, or choose another place.")
    if target.exists():
        raise already_there(target)
    with disposed(open_engine(url_or_path)) as engine, _told(target), unfinished(target) as work:
        with _local(work) as built:
            path = locate(url_or_path).path
            if path is not None:
                with closing(connect(path, mode="rw")) as source:
                    _copy_file(source, built, on_progress)
            else:
                _copy_server(engine, built, on_progress)
            report = _settled(built)
        place(work, target)
    return report


def restore_project(backup: Path, url_or_path: str, *, on_progress: Progress = _silent) -> Path | None:
    """Bring a project back to what a backup holds.

    Args:
        backup: A project file; it is only read.
        url_or_path: A project file, which is replaced and kept beside as `.replaced`, or a place where
            none is yet. A server's database must hold no project, since nothing of it could be kept.
        on_progress: Counts pages of a file, or rows of a server's tables.

    Returns:
        The kept file; None where there was none.

    Raises:
        StoreError: The backup is no sound project of a version this program knows, or the place cannot
            take it.
    """
    if not backup.exists():
        raise StoreError(f"There is no backup at {backup}.", "Name a copy made by `annotator backup`.")
    check_signature(backup)
    state = HISTORY.state_of(revision_of_file(backup))
    path = locate(url_or_path).path
    if path is None or state is not ProjectState.OLDER:
        refuse_unless_current(state, str(backup))
    if path is None:
        _restore_on_server(backup, url_or_path, on_progress)
        return None
    check_folder(path)
    if path.exists() and path.samefile(backup):
        raise StoreError(f"{backup} is the project itself.", "Name the backup to restore from.")
    with _told(path), unfinished(path) as work:
        with closing(connect(backup, mode="ro")) as source:
            _copy_file(source, work, on_progress)
        _refuse_broken(_settled(work), backup)
        if not path.exists():
            place(work, path)
            return None
        _check_replaceable(path)
        with alone_with(path):
            return swap_in(work, path, keep_as="replaced")


@dataclass(frozen=True)
class ProjectMove:
    """A project that was moved.

    `kept` is the renamed file, None for a server's project. `missed_count` counts the events that others
    wrote there meanwhile: they are not in the new place.
    """

    event_count: int
    missed_count: int
    kept: Path | None


def move_project(source: str, target: str, *, on_progress: Progress = _silent) -> ProjectMove:
    """Take a project from a file to a server, or back, or to another place of the same kind.

    Rows that go from one database to another are counted and summed on both sides. A file is held meanwhile,
    so that nobody works in it, and renamed at the end to `.moved`; a server's project stays as it is.

    Args:
        source: The project.
        target: A path where nothing is, or a server's database without a project.
        on_progress: Counts pages of a file, or rows of tables.

    Raises:
        StoreError: The project is open elsewhere, its chain is broken, the target is taken, or a row did not
            arrive as it was. The target is empty as before, the source untouched.
    """
    path, goal = locate(source).path, locate(target).path
    if goal is not None:
        check_folder(goal)
        if goal.exists():
            raise already_there(goal)
    with TemporaryDirectory() as folder, _told(goal or Path(folder)):
        copy = Path(folder) / "moved.db"
        if path is None:
            report = backup_project(source, copy, on_progress=on_progress)
            _refuse_broken(report, locate(source).name, hint=_LOOK)
            restore_project(copy, target, on_progress=on_progress)
            with disposed(open_engine(source)) as engine, reading(engine) as session:
                return ProjectMove(report.event_count, last_number(session) - report.event_count, kept=None)
        check_file(path)
        refuse_unless_current(HISTORY.state_of(revision_of_file(path)), str(path))
        with alone_with(path) as held:
            _copy_file(held, copy, on_progress)
            report = _settled(copy)
            _refuse_broken(report, str(path), hint=_LOOK)
            restore_project(copy, target, on_progress=on_progress)
            kept = path.rename(free_name(path.with_name(f"{path.name}.moved")))
            path.with_name(f"{path.name}-shm").unlink(missing_ok=True)  # nobody has the file open
            sync_folder(path.parent)
    return ProjectMove(report.event_count, missed_count=0, kept=kept)


def _check_replaceable(path: Path) -> None:
    with reworded(
        StoreError,
        into=lambda _: StoreError(
            f"{path} cannot be replaced: it is not a project, or too damaged to tell.",
            "Move the file away and restore again.",
        ),
    ):
        check_file(path)


def _refuse_broken(report: ChainReport, name: Path | str, *, hint: str = _ANOTHER) -> None:
    if not report.holds:
        raise StoreError(f"The event chain of {name} is broken: {report.reason}", hint)


@contextmanager
def _told(target: Path) -> Iterator[None]:
    with (
        reworded(
            OSError,
            into=lambda exc: StoreError(
                f"{target} cannot be written: {exc.strerror}.",
                "Check the disk and its free space, then try again.",
            ),
        ),
        translated(str(target)),
    ):
        yield


@contextmanager
def _local(work: Path) -> Iterator[Path]:
    """Give a path where SQLite can build the file: not on a share, where only the finished one goes."""
    if not lies_on_network_share(work.parent):
        yield work
        return
    with TemporaryDirectory() as folder:
        built = Path(folder) / work.name
        yield built
        shutil.copy(built, work)


def _copy_file(source: sqlite3.Connection, target: Path, on_progress: Progress) -> None:
    def tell(done: int, total: int) -> None:
        on_progress(done, total, "copying pages")

    copy_database(source, target, on_progress=tell)


def _settled(path: Path) -> ChainReport:
    with disposed(file_engine(path)) as engine, reading(engine) as session:
        report = verify_chain(session)
    settle(path)
    return report


def _copy_server(engine: Engine, target: Path, on_progress: Progress) -> None:
    create_project(str(target))
    with (
        disposed(file_engine(target)) as file,
        reading(engine) as source,
        file.connect() as connection,
        connection.begin(),
    ):
        _copy_rows(source.connection(), connection, on_progress)


def _restore_on_server(backup: Path, url: str, on_progress: Progress) -> None:
    # From a copy: opening the backup itself for the copying would write to it.
    with TemporaryDirectory() as folder:
        work = Path(folder) / "backup.db"
        with closing(connect(backup, mode="ro")) as held:
            _copy_file(held, work, _silent)
        _refuse_broken(_settled(work), backup)
        with disposed(file_engine(work)) as file, reading(file) as source:

            def fill(target: Session) -> None:
                _copy_rows(source.connection(), target.connection(), on_progress)
                _set_sequences(target.connection())

            create_project(url, fill=fill)


def _copy_rows(source: Connection, target: Connection, on_progress: Progress) -> None:
    plain = [_plain(table) for table in columns.Table.metadata.sorted_tables]
    total = sum(source.scalar(select(func.count()).select_from(table)) or 0 for table in plain)
    done = 0
    target.execute(delete(tables.ChainHead))  # the migration wrote the head of an empty chain
    for table in plain:
        sent = _Sum()
        for rows in _batches(source, table):
            target.execute(insert(table), rows)
            sent.add(rows)
            done += len(rows)
            on_progress(done, total, f"copying {table.name}")
        arrived = _Sum()
        for rows in _batches(target, table):
            arrived.add(rows)
        if arrived != sent:
            raise StoreError(
                f"The rows of {table.name} did not arrive as they were.",
                "Nothing was copied. Check the settings of both databases, the encoding first.",
            )


@dataclass
class _Sum:
    """Number and hashes of a table's rows, in any order: databases sort texts each in their way."""

    count: int = 0
    total: int = 0

    def add(self, rows: Sequence[Mapping[str, object]]) -> None:
        self.count += len(rows)
        for row in rows:
            self.total += int.from_bytes(sha256(repr(list(row.items())).encode()).digest())


def _plain(table: Table) -> Table:
    # Times as the text they are stored as: a copy must not fail on, or tidy up, what it copies.
    columns = (
        Column(c.name, String() if isinstance(c.type, UtcTime) else c.type, primary_key=c.primary_key)
        for c in table.columns
    )
    return Table(table.name, MetaData(), *columns)


def _batches(source: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    # By primary key: a revision's parent and the comment that is answered come before it.
    query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=500)
    with source.execute(query) as result:
        yield from (list(map(dict, part)) for part in result.mappings().partitions())


def _set_sequences(target: Connection) -> None:
    # Rows came with their numbers; PostgreSQL's counters do not notice.
    for table in columns.Table.metadata.sorted_tables:
        if list(table.primary_key.columns.keys()) != ["id"]:
            continue
        counter = target.scalar(text("SELECT pg_get_serial_sequence(:name, 'id')"), {"name": table.name})
        newest = target.scalar(select(func.max(table.c.id)))
        if table.name == tables.Assignment.__tablename__:
            newest = max(newest or 0, target.scalar(select(func.max(tables.KnownAnswer.id))) or 0) or None
        if counter is not None and newest is not None:
            target.execute(select(func.setval(counter, newest)))
