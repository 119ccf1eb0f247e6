"""What is refused before a project file is opened, and the copies and swaps that keep it whole."""

import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from itertools import takewhile
from pathlib import Path

import pytest

from db.engine import open_engine, writing
from db.project_files.files import (
    alone_with,
    check_file,
    check_folder,
    copy_database,
    is_network_share,
    place,
    settle,
    swap_in,
)
from db.project_files.unfinished import abandoned, abandoned_in, unfinished
from scoring.errors import StoreError
from tests.shared import ROOT

MOUNTS = r"""
/dev/vda1 / ext4 rw,relatime 0 0
tmpfs /tmp tmpfs rw 0 0
fileserver:/export/home /home nfs4 rw 0 0
/dev/vdb1 /home/local ext4 rw 0 0
//office/share /mnt/Team\040Files cifs rw 0 0
anna@host: /mnt/remote fuse.sshfs rw 0 0
systemd-1 /net autofs rw 0 0
server:/net /net nfs rw 0 0
/dev/sda1 /mnt/stick vfat rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "is_share"),
    [
        ("/var/lib/team.db", False),
        ("/tmp/team.db", False),
        ("/home/anna/team.db", True),
        ("/home/local/team.db", False),
        ("/homework/team.db", False),
        ("/mnt/Team Files/team.db", True),
        ("/mnt/remote/deep/er/team.db", True),
        ("/net", True),
        ("/mnt/stick/team.db", False),
        ("//office/share/team.db", True),
    ],
)
def test_the_mount_nearest_to_the_path_decides(path: str, is_share: bool) -> None:
    assert is_network_share(Path(path), MOUNTS) is is_share


def test_no_mounts_mean_no_share() -> None:
    assert not is_network_share(Path("/home/anna/team.db"), "")


def test_broken_mount_lines_are_passed_over() -> None:
    assert is_network_share(Path("/a/b"), "nonsense\n\nx /a nfs\n")


def test_a_share_is_refused_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/x {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr("db.project_files.files._MOUNTS", mounts)
    with pytest.raises(StoreError, match="network share") as caught:
        open_engine(str(tmp_path / "team.db"))
    assert "PostgreSQL" in caught.value.hint


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere does not exist"):
        check_folder(tmp_path / "nowhere" / "team.db")


def test_a_missing_file_is_answered_with_how_to_create_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no project") as caught:
        open_engine(str(tmp_path / "team.db"))
    assert "annotator init" in caught.value.hint
    assert not (tmp_path / "team.db").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b'{"id": 1}\n', b"SQLite format 2\0", b"\xff" * 5000],
    ids=["empty", "json", "old", "binary"],
)
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "team.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="not an SQLite database"):
        open_engine(str(path))
    assert path.read_bytes() == content


def test_a_database_cut_short_is_refused(sqlite_path: Path) -> None:
    sqlite_path.write_bytes(sqlite_path.read_bytes()[:300])
    with pytest.raises(StoreError, match=r"damaged|not an SQLite database"):
        open_engine(str(sqlite_path))


def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_engine(str(path))
    assert path.read_bytes() == before


def test_a_folder_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a file"):
        check_file(tmp_path)


_AS_SOMEBODY = """
import os, sys
from db.engine import open_engine
from scoring.errors import StoreError
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    open_engine(sys.argv[1])
except StoreError as refusal:
    print(refusal)
"""


def _refusal_met_by_an_ordinary_user(path: Path) -> str:
    """Open in a process without root's right to write everywhere.

    The tests may run as root, and pytest's folders are closed to everybody else.
    """
    outside = Path(tempfile.gettempdir()).resolve()
    for folder in takewhile(lambda folder: folder != outside, path.resolve().parents):
        folder.chmod(folder.stat().st_mode | stat.S_IROTH | stat.S_IXOTH)
    return subprocess.run(
        [sys.executable, "-c", _AS_SOMEBODY, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_read_only_file_is_refused(sqlite_path: Path) -> None:
    sqlite_path.chmod(0o444)
    sqlite_path.parent.chmod(0o777)
    assert "project.db is read-only" in _refusal_met_by_an_ordinary_user(sqlite_path)


def test_a_read_only_folder_is_refused(sqlite_path: Path) -> None:
    sqlite_path.chmod(0o666)
    sqlite_path.parent.chmod(0o555)
    refusal = _refusal_met_by_an_ordinary_user(sqlite_path)
    sqlite_path.parent.chmod(0o755)
    assert "is read-only; SQLite keeps its journal there" in refusal


_BUILDING = """
import os, signal, sys
from pathlib import Path
from db.project_files.unfinished import unfinished

with unfinished(Path(sys.argv[1]), note="of anna") as work:
    work.write_text("half")
    work.with_name(f"{work.name}-wal").write_text("half")
    print(work, flush=True)
    if sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.readline()
"""


def _builder(target: Path, end: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", _BUILDING, str(target), end]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def test_only_what_a_killed_program_left_is_abandoned(tmp_path: Path) -> None:
    target = tmp_path / "team.db"
    with _builder(target, "wait") as building:
        assert building.stdout is not None
        alive = Path(building.stdout.readline().strip())
        with _builder(target, "die") as killed:
            dead = Path(killed.communicate()[0].strip())
        (tmp_path / ".other.db.0123abcd.tmp").write_text("of another target")
        [left] = abandoned(target)
        assert (left.work, left.note) == (dead, "of anna")
        assert {found.target.name for found in abandoned_in(tmp_path)} == {"team.db", "other.db"}
        with unfinished(target):
            assert not dead.exists()
            assert abandoned(target) == ()
            assert alive.exists()
        building.communicate("end\n")
    assert [path.name for path in tmp_path.iterdir()] == [".other.db.0123abcd.tmp"]


def test_what_is_left_of_an_unfinished_file_goes_away(tmp_path: Path) -> None:
    def break_off() -> None:
        with unfinished(tmp_path / "team.db") as work:
            work.write_text("half")
            work.with_name(f"{work.name}-wal").write_text("half")
            raise LookupError

    with pytest.raises(LookupError):
        break_off()
    assert list(tmp_path.iterdir()) == []


def test_a_finished_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    built, target = tmp_path / "built", tmp_path / "team.db"
    built.write_text("new")
    target.write_text("precious")
    with pytest.raises(StoreError, match="exists already"):
        place(built, target)
    assert target.read_text() == "precious"


def test_a_swap_keeps_the_old_file_under_a_free_name(tmp_path: Path) -> None:
    built, target = tmp_path / "built", tmp_path / "team.db"
    built.write_text("new")
    target.write_text("old")
    (tmp_path / "team.db.bak-0001").write_text("older")
    kept = swap_in(built, target, keep_as="bak-0001")
    assert (target.read_text(), kept.name, kept.read_text()) == ("new", "team.db.bak-0001-2", "old")


def test_a_swap_that_was_killed_after_its_first_half_keeps_the_old_file_once(tmp_path: Path) -> None:
    built, target, kept = tmp_path / "built", tmp_path / "team.db", tmp_path / "team.db.bak-0001"
    built.write_text("new")
    target.write_text("old")
    kept.hardlink_to(target)
    assert swap_in(built, target, keep_as="bak-0001") == kept
    assert sorted(path.name for path in tmp_path.iterdir()) == ["team.db", "team.db.bak-0001"]
    assert (target.read_text(), kept.read_text()) == ("new", "old")


def test_a_swap_keeps_the_permissions_of_the_file(tmp_path: Path) -> None:
    built, target = tmp_path / "built", tmp_path / "team.db"
    built.write_text("new")
    target.write_text("old")
    target.chmod(0o640)
    swap_in(built, target, keep_as="bak")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.fixture
def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without hard links, such as a memory stick's."""

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted", str(target))

    monkeypatch.setattr("os.link", refuse)


@pytest.mark.usefixtures("without_links")
def test_without_hard_links_a_file_is_placed_all_the_same(tmp_path: Path) -> None:
    built, target = tmp_path / "built", tmp_path / "team.db"
    built.write_text("new")
    place(built, target)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("team.db", "new")]


@pytest.mark.usefixtures("without_links")
def test_without_hard_links_a_file_is_still_never_overwritten(tmp_path: Path) -> None:
    built, target = tmp_path / "built", tmp_path / "team.db"
    built.write_text("new")
    target.write_text("precious")
    with pytest.raises(StoreError, match="exists already"):
        place(built, target)
    assert target.read_text() == "precious"


@pytest.mark.usefixtures("without_links")
def test_without_hard_links_a_swap_keeps_the_old_file(tmp_path: Path) -> None:
    built, target = tmp_path / "built", tmp_path / "team.db"
    built.write_text("new")
    target.write_text("old")
    kept = swap_in(built, target, keep_as="bak")
    assert (target.read_text(), kept.read_text()) == ("new", "old")


def test_nobody_is_alone_with_a_file_another_program_has_open(sqlite_path: Path) -> None:
    opened = open_engine(str(sqlite_path))
    try:
        with (
            writing(opened),
            pytest.raises(StoreError, match="open in another program"),
            alone_with(sqlite_path),
        ):
            pass
    finally:
        opened.dispose()


def test_while_somebody_is_alone_with_a_file_nobody_else_gets_in(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.project_files.files.BUSY_TIMEOUT_SECONDS", 0.05)
    with alone_with(sqlite_path), pytest.raises(StoreError, match="is busy"):
        open_engine(str(sqlite_path))


def test_a_copy_is_one_moment_although_others_write_in_between(sqlite_path: Path, tmp_path: Path) -> None:
    """Both rows of a pair are written in one transaction, so a copy holds both or neither."""
    target = tmp_path / "copy.db"
    with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE pairs (n INTEGER, filler BLOB)")
        connection.execute("CREATE TABLE twins (n INTEGER)")
        # 8 MiB: two steps of 1024 pages of 4 KiB
        connection.execute("INSERT INTO pairs VALUES (0, zeroblob(8 << 20))")
        connection.execute("INSERT INTO twins VALUES (0)")
    seen: list[int] = []

    def write_meanwhile(done: int, total: int) -> None:
        seen.append(done)
        with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("INSERT INTO pairs VALUES (?, '')", (done,))
            writer.execute("INSERT INTO twins VALUES (?)", (done,))
            writer.execute("COMMIT")

    with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as source:
        copy_database(source, target, on_progress=write_meanwhile)
    settle(target)
    with closing(sqlite3.connect(target)) as copy:
        counts = [copy.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("pairs", "twins")]
    assert counts == [1, 1]
    assert len(seen) >= 2


def test_a_copy_counts_its_pages_up_to_the_last(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with closing(sqlite3.connect(tmp_path / "large.db", isolation_level=None)) as source:
        source.execute("CREATE TABLE x (y)")
        source.execute("INSERT INTO x VALUES (zeroblob(10000000))")
        [pages] = source.execute("PRAGMA page_count").fetchone()
        copy_database(source, tmp_path / "copy.db", on_progress=lambda *told: seen.append(told))
    assert seen == [(1024, pages), (2048, pages), (pages, pages)]


def test_a_damaged_file_does_not_settle(sqlite_path: Path) -> None:
    body = bytearray(sqlite_path.read_bytes())
    body[8192:20480] = b"\xff" * 12288
    sqlite_path.write_bytes(body)
    with pytest.raises(StoreError, match=r"damaged|did not pass"):
        settle(sqlite_path)
