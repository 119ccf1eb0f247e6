"""Backups taken while people work, and the way back, from and to both databases."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, func, insert, select, text

from db.care.copies import backup_project, move_project, restore_project
from db.care.upgrade import create_project
from db.engine import disposed, open_engine, reading, writing
from db.events import append
from db.project_files.location import locate
from db.tables import Batch
from scoring.errors import StoreError
from tests.db.filling import NOON, fill_every_table, rows_of
from tests.shared import ROOT


def _rows(url: str) -> dict[str, list[tuple[object, ...]]]:
    with disposed(open_engine(url)) as engine, reading(engine) as session:
        return rows_of(session.connection())


def _batch(name: str) -> Batch:
    return Batch(name=name, created_at=NOON, created_by=None, is_flagged=False)


@pytest.fixture
def full(store_url: str) -> str:
    """A project with a row in every table."""
    with disposed(open_engine(store_url)) as engine:
        fill_every_table(engine)
    return store_url


@pytest.fixture
def saved(full: str, tmp_path: Path) -> Path:
    """A backup of it."""
    path = tmp_path / "saved.db"
    backup_project(full, path)
    return path


def test_a_backup_is_a_project_that_holds_every_row(full: str, saved: Path) -> None:
    copied = _rows(str(saved))
    assert copied == _rows(full)
    assert all(copied.values())


def test_a_backup_is_one_file_that_can_be_mailed(saved: Path) -> None:
    assert [path.name for path in saved.parent.iterdir() if path.name.startswith("saved")] == ["saved.db"]


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_nobody_reads_a_copy_who_could_not_read_its_source(
    sqlite_path: Path, tmp_path: Path, mode: int
) -> None:
    sqlite_path.chmod(mode)
    open_to_others: list[Path] = []

    def look(done: int, total: int | None, note: str) -> None:
        copies = (path for path in tmp_path.iterdir() if path.suffix in (".db", ".tmp"))
        open_to_others.extend(path for path in copies if path.stat().st_mode & 0o777 & ~mode)

    saved, restored, moved = (tmp_path / f"{name}.db" for name in ("saved", "restored", "moved"))
    backup_project(str(sqlite_path), saved, on_progress=look)
    assert saved.stat().st_mode & 0o777 == mode
    saved.chmod(mode & ~0o200)  # as backups are often kept
    restore_project(saved, str(restored), on_progress=look)
    kept = move_project(str(restored), str(moved), on_progress=look).kept
    assert kept is not None
    assert [path.stat().st_mode & 0o777 for path in (kept, moved)] == [mode, mode]
    assert open_to_others == []


def test_a_backup_reports_the_chain(full: str, tmp_path: Path) -> None:
    report = backup_project(full, tmp_path / "saved.db")
    assert (report.holds, report.event_count) == (True, 3)


def test_a_backup_can_be_restored_into_a_place_where_nothing_is(
    full: str, saved: Path, vacant_url: str
) -> None:
    assert restore_project(saved, vacant_url) is None
    assert _rows(vacant_url) == _rows(full)


def test_a_restored_project_goes_on_numbering_where_it_was(saved: Path, vacant_url: str) -> None:
    restore_project(saved, vacant_url)
    with disposed(open_engine(vacant_url)) as engine, writing(engine) as session:
        session.add(_batch("next"))
        session.flush()
        assert session.scalar(select(Batch.id).where(Batch.name == "next")) == 2


def test_restoring_over_a_project_keeps_what_was_there(sqlite_path: Path, saved: Path) -> None:
    create_project(str(sqlite_path.with_name("team.db")))
    target = sqlite_path.with_name("team.db")
    with disposed(open_engine(str(target))) as engine, writing(engine) as session:
        session.add(_batch("later work"))
    kept = restore_project(saved, str(target))
    assert kept == target.with_name("team.db.replaced")
    assert [row[1] for row in _rows(str(target))["batches"]] == ["ü name"]
    assert [row[1] for row in _rows(str(kept))["batches"]] == ["later work"]


def test_restoring_only_reads_the_backup(saved: Path, vacant_url: str) -> None:
    saved.chmod(0o444)
    before = saved.read_bytes()
    restore_project(saved, vacant_url)
    assert saved.read_bytes() == before


def test_a_project_somebody_works_in_is_not_replaced(sqlite_path: Path, saved: Path) -> None:
    target = sqlite_path.with_name("team.db")
    create_project(str(target))
    with disposed(open_engine(str(target))) as engine:
        with writing(engine):
            pass
        with pytest.raises(StoreError, match="open in another program"):
            restore_project(saved, str(target))


def test_a_server_that_holds_a_project_is_not_overwritten(saved: Path, postgres_url: str) -> None:
    with pytest.raises(StoreError, match="holds a project already"):
        restore_project(saved, postgres_url)


def test_a_file_that_is_no_project_is_not_replaced(saved: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("precious")
    with pytest.raises(StoreError, match="cannot be replaced"):
        restore_project(saved, str(notes))
    assert notes.read_text() == "precious"


def test_a_project_is_not_restored_from_itself(saved: Path) -> None:
    with pytest.raises(StoreError, match="the project itself"):
        restore_project(saved, str(saved))


def test_a_backup_that_is_not_there_is_named_as_one(saved: Path, vacant_url: str) -> None:
    with pytest.raises(StoreError, match="There is no backup at"):
        restore_project(saved.with_name("none.db"), vacant_url)


def test_a_backup_whose_chain_was_tampered_with_is_not_restored(saved: Path, vacant_url: str) -> None:
    with closing(sqlite3.connect(saved)) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET actor = 'mallory' WHERE seq = 2")
        connection.commit()
    with pytest.raises(StoreError, match="Event 2 was changed"):
        restore_project(saved, vacant_url)


def test_a_backup_cut_short_is_not_restored(saved: Path, vacant_url: str) -> None:
    saved.write_bytes(saved.read_bytes()[: saved.stat().st_size // 2])
    with pytest.raises(StoreError):
        restore_project(saved, vacant_url)
    assert vacant_url.startswith("postgresql") or not Path(vacant_url).exists()


def test_a_project_whose_chain_does_not_hold_can_still_be_backed_up(engine: Engine, tmp_path: Path) -> None:
    with writing(engine) as session:
        session.execute(text("UPDATE chain_head SET seq = 7"))
    url = engine.url.render_as_string(hide_password=False)
    report = backup_project(url.replace("+psycopg", ""), tmp_path / "saved.db")
    assert "Event 1 is missing" in report.reason
    assert (tmp_path / "saved.db").exists()


def test_a_backup_never_takes_the_place_of_another_file(store_url: str, tmp_path: Path) -> None:
    (tmp_path / "saved.db").write_text("precious")
    with pytest.raises(StoreError, match="exists already"):
        backup_project(store_url, tmp_path / "saved.db")
    assert (tmp_path / "saved.db").read_text() == "precious"


def test_a_backup_into_a_missing_folder_is_refused(store_url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        backup_project(store_url, tmp_path / "nowhere" / "saved.db")


def test_a_cancelled_backup_leaves_nothing(full: str, tmp_path: Path) -> None:
    def cancel(done: int, total: int | None, note: str) -> None:
        raise LookupError(f"{note} {done} of {total}")

    before = sorted(tmp_path.iterdir())
    with pytest.raises(LookupError):
        backup_project(full, tmp_path / "saved.db", on_progress=cancel)
    assert sorted(tmp_path.iterdir()) == before


def test_a_backup_goes_to_a_network_share_too(
    full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = tmp_path / "share"
    share.mkdir()
    path = locate(full).path
    if path is not None:
        path.chmod(0o600)
    mounts = tmp_path / "mounts"
    mounts.write_text(f"nas:/backups {share} nfs4 rw 0 0\n")
    monkeypatch.setattr("db.project_files.files._MOUNTS", mounts)
    backup_project(full, share / "saved.db")
    monkeypatch.undo()
    assert [path.name for path in share.iterdir()] == ["saved.db"]
    assert path is None or (share / "saved.db").stat().st_mode & 0o777 == 0o600
    assert _rows(str(share / "saved.db")) == _rows(full)


_ON_A_SMALL_DISK = """
import resource, signal, sys
from pathlib import Path
from db.care.copies import backup_project
from scoring.errors import StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))
try:
    backup_project(sys.argv[1], Path(sys.argv[2]))
except StoreError as refusal:
    print(refusal)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # what measures this process has room again
"""


def test_a_disk_that_cannot_take_the_backup_is_told_and_left_as_it_was(full: str, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    told = subprocess.run(
        [sys.executable, "-c", _ON_A_SMALL_DISK, full, str(folder / "saved.db")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "saved.db" in told
    assert list(folder.iterdir()) == []


def test_a_backup_taken_while_people_write_is_one_moment(store_url: str, tmp_path: Path) -> None:
    """Every operation adds two batches, so that any single moment holds an even number."""
    stop = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        with disposed(open_engine(store_url)) as engine:
            while not stop.is_set():
                with writing(engine) as session:
                    session.add_all([_batch(f"{written} left"), _batch(f"{written} right")])
                written += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while written < 3:
            stop.wait(0.01)
        for number in range(5):
            backup_project(store_url, tmp_path / f"{number}.db")
    finally:
        stop.set()
        writer.join()
    counts = []
    for number in range(5):
        with disposed(open_engine(str(tmp_path / f"{number}.db"))) as engine, reading(engine) as session:
            counts.append(session.scalar(select(func.count()).select_from(Batch)) or 0)
    assert [count % 2 for count in counts] == [0] * 5
    assert counts == sorted(counts)
    assert counts[0] >= 6


def test_a_large_table_is_copied_in_parts(postgres_url: str, tmp_path: Path) -> None:
    """The one row of the chain's end, then 1,201 batches in parts of 500: 501, 1,001 and 1,202 done."""
    with disposed(open_engine(postgres_url)) as engine, writing(engine) as session:
        rows = [{"name": f"{n}", "created_at": NOON, "is_flagged": False} for n in range(1201)]
        session.execute(insert(Batch), rows)
    seen: list[int] = []
    backup_project(postgres_url, tmp_path / "saved.db", on_progress=lambda done, _, __: seen.append(done))
    assert seen == [1, 501, 1001, 1202]
    assert len(_rows(str(tmp_path / "saved.db"))["batches"]) == 1201


def test_a_moved_project_holds_every_row_and_numbers_on(full: str, vacant_url: str) -> None:
    """From the file to the server, and from the server to a file: whichever `full` is not."""
    before = _rows(full)
    moved = move_project(full, vacant_url)
    assert _rows(vacant_url) == before
    assert (moved.event_count, moved.missed_count) == (3, 0)
    with disposed(open_engine(vacant_url)) as engine, writing(engine) as session:
        session.add(_batch("next"))


def test_a_moved_file_is_kept_under_another_name(sqlite_path: Path, tmp_path: Path) -> None:
    moved = move_project(str(sqlite_path), str(tmp_path / "new.db"))
    assert moved.kept == sqlite_path.with_name(f"{sqlite_path.name}.moved")
    left = sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(sqlite_path.name))
    assert left == [moved.kept.name]


def test_a_server_that_was_written_to_while_it_moved_says_how_many_events_are_missing(
    postgres_url: str, tmp_path: Path
) -> None:
    def write_once(done: int, total: int | None, note: str) -> None:
        if note == "copying pages" and done == total and not written:
            written.append(done)
            with disposed(open_engine(postgres_url)) as engine, writing(engine) as session:
                append(
                    session, actor="bob", action="case:stage:change", subject="case:1", payload={}, at=NOON
                )

    written: list[int] = []
    moved = move_project(postgres_url, str(tmp_path / "here.db"), on_progress=write_once)
    assert (moved.event_count, moved.missed_count, moved.kept) == (0, 1, None)


def test_a_project_somebody_works_in_is_not_moved(sqlite_path: Path, tmp_path: Path) -> None:
    with disposed(open_engine(str(sqlite_path))) as engine, reading(engine) as session:
        session.scalar(select(Batch.id))
        with pytest.raises(StoreError, match="is open in another program"):
            move_project(str(sqlite_path), str(tmp_path / "new.db"))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("new")] == []


def test_a_project_is_not_moved_over_another(sqlite_path: Path, saved: Path, postgres_url: str) -> None:
    with pytest.raises(StoreError, match="exists already"):
        move_project(str(sqlite_path), str(saved))
    with pytest.raises(StoreError, match="holds a project already"):
        move_project(str(sqlite_path), postgres_url)
    assert sqlite_path.exists()


def test_a_project_whose_chain_was_tampered_with_stays_where_it_is(full: str, vacant_url: str) -> None:
    with disposed(open_engine(full)) as engine, writing(engine) as session:
        session.execute(text("UPDATE chain_head SET seq = 1"))
    with pytest.raises(StoreError, match=r"chain of .* is broken"):
        move_project(full, vacant_url)
    assert _rows(full)["events"]
    create_project(vacant_url)  # nothing is there


def test_a_row_that_arrives_changed_undoes_the_copy(postgres_url: str, tmp_path: Path) -> None:
    def capitals(
        connection: object, cursor: object, statement: str, given: object, context: object, is_many: bool
    ) -> tuple[str, object]:
        return statement.replace(
            "VALUES (?, ?", "VALUES (?, upper(?)"
        ) if "INTO batches" in statement else statement, given

    with disposed(open_engine(postgres_url)) as engine, writing(engine) as session:
        session.add(_batch("small"))
    event.listen(Engine, "before_cursor_execute", capitals, retval=True)
    try:
        with pytest.raises(StoreError, match="rows of batches did not arrive as they were"):
            backup_project(postgres_url, tmp_path / "saved.db")
    finally:
        event.remove(Engine, "before_cursor_execute", capitals)
    assert list(tmp_path.iterdir()) == []


_KILLED = """
import os
import sys
from db.care.copies import move_project

finished = []

def end_in_the_second_copy(done, total, note):
    if done == total:
        finished.append(note)
    if len(finished) == 2:
        os._exit(9)

move_project(sys.argv[1], sys.argv[2], on_progress=end_in_the_second_copy)
"""


def test_a_move_that_is_killed_leaves_the_project_and_can_be_repeated(full: str, tmp_path: Path) -> None:
    before, target = _rows(full), tmp_path / "there.db"
    killed = subprocess.run([sys.executable, "-c", _KILLED, full, str(target)], cwd=ROOT, check=False)
    assert killed.returncode == 9
    assert not target.exists()
    assert _rows(full) == before
    move_project(full, str(target))
    assert _rows(str(target)) == before
