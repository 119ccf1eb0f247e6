"""Project files of the embedded database: checks before opening, consistent copies, and swaps."""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Literal

from db.failures import translated
from db.project_files.unfinished import SIDE_FILES
from db.project_files.versions import APPLICATION_ID, VERSION_TABLE
from scoring.errors import StoreError

BUSY_TIMEOUT_SECONDS = 10
_MOUNTS = Path("/proc/self/mounts")
_NETWORK_FILE_SYSTEMS = frozenset(
    """
    9p afs beegfs ceph cifs coda davfs gfs2 glusterfs lustre ncpfs nfs nfs4 ocfs2 orangefs pvfs2 smb3 smbfs
    fuse.afp fuse.ceph fuse.curlftpfs fuse.davfs2 fuse.gcsfuse fuse.glusterfs fuse.goofys fuse.gvfsd-fuse
    fuse.rclone fuse.s3fs fuse.smbnetfs fuse.sshfs
    """.split()  # noqa: SIM905 (a list of thirty quoted names reads worse)
)


def is_network_share(path: Path, mounts_text: str) -> bool:
    """Say whether a path lies on another machine, where SQLite's locks and shared memory do not hold.

    Args:
        path: Absolute path; it need not exist.
        mounts_text: Lines of /proc/mounts (device, mount point, type, ...), blanks escaped as `\\040`.

    Returns:
        True for a Windows share (`//server/folder`) and where the longest mount point above the path
        has a network file system; false where no line fits.
    """
    if str(path).startswith(("//", "\\\\")):
        return True
    longest, kind = -1, ""
    for line in mounts_text.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda found: chr(int(found.group(1), 8)), fields[1]))
        # A later line on the same point covers the earlier one, hence >=.
        if (path == point or point in path.parents) and len(point.parts) >= longest:
            longest, kind = len(point.parts), fields[2]
    return kind.lower() in _NETWORK_FILE_SYSTEMS


def lies_on_network_share(path: Path) -> bool:
    """Look up whether a path lies on another machine; false where the system cannot tell."""
    mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace") if _MOUNTS.exists() else ""
    return is_network_share(path.resolve(), mounts)


def check_folder(path: Path) -> None:
    """Refuse a place where no project file can live.

    Raises:
        StoreError: The folder is missing, read-only or on a network share.
    """
    folder = path.parent
    if not folder.is_dir():
        raise StoreError(f"The folder {folder} does not exist.", "Create it, or choose another place.")
    if lies_on_network_share(folder):
        raise StoreError(
            f"{path} is on a network share, where two computers writing at once would destroy it.",
            "Keep the file on a local disk; for a team use a PostgreSQL server.",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(
            f"The folder {folder} is read-only; SQLite keeps its journal there.",
            "Make the folder writable, or copy the project somewhere else.",
        )


def check_file(path: Path) -> None:
    """Refuse a file that cannot be worked in, without changing it.

    Raises:
        StoreError: It is read-only, or refused by `check_signature`.
    """
    check_signature(path)
    if not os.access(path, os.R_OK | os.W_OK):
        raise StoreError(f"{path} is read-only.", "Make the file writable, or work on a copy.")


def check_signature(path: Path) -> None:
    """Refuse a file that is not one of ours, without changing it.

    Raises:
        StoreError: It is missing, a folder, unreadable, no SQLite database, or another program's.
    """
    if not path.exists():
        raise StoreError(
            f"There is no project at {path}.",
            f"Create one: *New project…* in the window, or `annotator init {path}`.",
        )
    if not path.is_file():
        raise StoreError(f"{path} is not a file.", "Choose the project file itself.")
    if not _is_database(path):
        raise StoreError(
            f"{path} is not a project: it is not an SQLite database.",
            "Choose another file; dialogues are brought in with `annotator import`.",
        )
    if application_id(path) != APPLICATION_ID:
        raise StoreError(
            f"{path} is not a project: it is a database of another program.", "Choose another file."
        )


def _is_database(path: Path) -> bool:
    """Whether SQLite can read a file as a database that holds something.

    SQLite itself has to look. A handle of our own, once closed, would drop the locks of every connection
    this process has open on the file, and another process would take the write-ahead log from under them
    (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    """
    with translated(str(path)):
        if not path.stat().st_size:
            return False
        try:
            with closing(connect(path, mode="ro")) as connection:
                connection.execute("PRAGMA application_id").fetchone()
        except sqlite3.DatabaseError as exc:
            if exc.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                return False
            raise
    return True


def application_id(path: Path) -> int:
    """Read whose SQLite database a file is; 0 where no program signed it.

    Raises:
        StoreError: The file cannot be read as a database.
    """
    with translated(str(path)), closing(connect(path, mode="ro")) as connection:
        return int(connection.execute("PRAGMA application_id").fetchone()[0])


def revision_of_file(path: Path) -> str | None:
    """Read the schema version of a project file, null where it has none.

    Raises:
        StoreError: The file cannot be read as a database.
    """
    with translated(str(path)), closing(connect(path, mode="ro")) as connection:
        known = connection.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (VERSION_TABLE,)
        ).fetchone()
        if known is None:
            return None
        row = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
        return None if row is None else str(row[0])


def connect(path: Path, *, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """Open an existing file, without transactions of the driver's own; the caller closes the connection.

    With `ro` nothing in the file can change; `rw` also clears its side files away when it leaves last.
    """
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_TIMEOUT_SECONDS,
        isolation_level=None,
    )


@contextmanager
def alone_with(path: Path) -> Iterator[sqlite3.Connection]:
    """Hold a project file so that no other program can open it meanwhile.

    Raises:
        StoreError: Another program has it open.
    """
    with translated(str(path)), closing(connect(path, mode="rw")) as connection:
        connection.execute("PRAGMA busy_timeout = 1000")  # who works in it will not leave within seconds
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            # Leaving WAL mode needs to be the only connection, and takes the side files away: a stale
            # -wal beside a swapped-in file would be replayed into it.
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            raise StoreError(
                f"{path} is open in another program.", "Close it everywhere and try again."
            ) from exc
        # In this locking mode the lock outlives the transaction; the backup API refuses open ones.
        connection.execute("COMMIT")
        yield connection


def copy_database(
    source: sqlite3.Connection, target: Path, *, on_progress: Callable[[int, int], None] | None = None
) -> None:
    """Copy a database as it is at this moment, while others read and write it.

    Who may read the source may read the copy, and nobody else at any moment.

    Args:
        source: Connection to a file, without an open transaction.
        target: File to write; what it held is overwritten.
        on_progress: Called with pages done and pages in all; an exception from it stops the copy.
    """

    def tell(_: int, remaining: int, total: int) -> None:
        if on_progress is not None:
            on_progress(total - remaining, total)

    file = Path(source.execute("PRAGMA database_list").fetchone()[2])
    target.touch(mode=0o600)
    target.chmod(file.stat().st_mode & 0o777 | 0o600)  # a backup may be read-only, a project may not
    # An open read keeps the moment: without it every write of others would start the copy afresh.
    source.execute("BEGIN")
    try:
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            source.backup(copy, pages=1024, progress=tell)
    finally:
        source.execute("ROLLBACK")


def settle(path: Path) -> None:
    """Check a finished file and bring all of it into the one file, so that it can be moved.

    Raises:
        StoreError: SQLite finds the file damaged, or a row names another that is not there.
    """
    with translated(str(path)), closing(connect(path, mode="rw")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        faults = faults_of(connection)
    if faults:
        raise StoreError(
            f"The copy of the project did not pass its check: {faults[0]}.", "Run `annotator doctor`."
        )


def faults_of(connection: sqlite3.Connection) -> tuple[str, ...]:
    """What SQLite's own checks of structure and foreign keys complain about; empty where nothing."""
    said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    dangling = connection.execute("PRAGMA foreign_key_check").fetchmany(20)
    return (
        *(line for line in said if line != "ok"),
        *(f"row {row[1]} of {row[0]} names a row of {row[2]} that does not exist" for row in dangling),
    )


def place(built: Path, target: Path) -> None:
    """Move a settled file to its final name, never over another file.

    Raises:
        StoreError: Something has that name already, or left its side files there.
    """
    refuse_leftovers(target)
    try:
        os.link(built, target)
    except FileExistsError as exc:
        raise already_there(target) from exc
    except OSError:  # a file system without hard links
        if target.exists():
            raise already_there(target) from None
        built.rename(target)
    built.unlink(missing_ok=True)
    sync_folder(target.parent)


def refuse_leftovers(target: Path) -> None:
    """Refuse a name beside which another file's journal lies: SQLite would replay it into the new one.

    Raises:
        StoreError: Such a file holds something; it may be the last work of a file that was moved away.
    """
    for suffix in SIDE_FILES:
        leftover = target.with_name(target.name + suffix)
        if leftover.exists() and leftover.stat().st_size and suffix != "-shm":
            raise StoreError(
                f"{leftover} was left behind by a project that is gone.",
                "Move it back beside its project, or remove it.",
            )
        leftover.unlink(missing_ok=True)


def already_there(path: Path) -> StoreError:
    """The error for a new project whose name is taken."""
    return StoreError(f"{path} exists already.", "Open it, or choose another name.")


def swap_in(built: Path, target: Path, *, keep_as: str) -> Path:
    """Put a settled file in the place of another in one step, the other kept beside it.

    Args:
        built: The settled file, in the same folder.
        target: The file to replace, held through `alone_with`.
        keep_as: Suffix of the kept file; a number is added where that name is taken.

    Returns:
        Path of the kept file.
    """
    kept = target.with_name(f"{target.name}.{keep_as}")
    if not (kept.exists() and kept.samefile(target)):  # else a swap was killed after its first half
        kept = free_name(kept)
    shutil.copymode(target, built)
    with suppress(OSError):  # only the owner's own or root's may do it
        shutil.chown(built, target.stat().st_uid, target.stat().st_gid)
    if not kept.exists():
        try:
            os.link(target, kept)
        except OSError:
            target.rename(kept)
    built.replace(target)
    sync_folder(target.parent)
    return kept


def free_name(path: Path) -> Path:
    """A path, or where it is taken the first one free with a number behind it."""
    candidates = (path.with_name(f"{path.name}-{number}") if number > 1 else path for number in count(1))
    return next(candidate for candidate in candidates if not candidate.exists())


def sync_folder(folder: Path) -> None:
    # The new name must survive a power cut too; Windows cannot open folders and needs no such thing.
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
