"""Full disks, killed and frozen programs: what was promised stays, the rest was never there."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from db.care.copies import backup_project
from db.care.upgrade import UpgradeStep, create_project, upgrade
from db.engine import disposed, open_engine, reading, writing
from db.project_files.unfinished import abandoned
from db.project_files.versions import HISTORY, History
from db.tables import Batch
from scoring.errors import StoreError
from tests.shared import ROOT

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

_BATCHES = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from db.engine import open_engine, writing
from db.tables import Batch

def add(engine, *names):
    with writing(engine) as session:
        for name in names:
            session.add(Batch(name=name, created_at=datetime.now(UTC), created_by=None, is_flagged=False))
        session.flush()

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _run(code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", _BATCHES + code, *arguments]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)


def _names(url: str) -> list[str]:
    with disposed(open_engine(url)) as engine, reading(engine) as session:
        return list(session.scalars(select(Batch.name).order_by(Batch.name)))


def _add(url: str, name: str) -> None:
    with disposed(open_engine(url)) as engine, writing(engine) as session:
        session.add(Batch(name=name, created_at=NOON, created_by=None, is_flagged=False))


_FULL = """
import resource
from scoring.errors import StoreError
engine = open_engine(sys.argv[1])
add(engine, "before")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
log = os.path.getsize(sys.argv[1] + "-wal")
resource.setrlimit(resource.RLIMIT_FSIZE, (log + 20_000, most))
try:
    add(engine, *(f"{number}" + "x" * 190 for number in range(2000)))
except StoreError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
add(engine, "after")
engine.dispose()
"""


def test_a_disk_that_takes_no_more_is_told_and_work_goes_on_once_it_does(sqlite_path: Path) -> None:
    done = _run(_FULL, str(sqlite_path))
    assert done.returncode == 0, done.stderr
    assert "disk" in done.stdout
    assert "try again" in done.stdout
    assert _names(str(sqlite_path)) == ["after", "before"]


_CREATING = """
from db.care.upgrade import create_project
create_project(sys.argv[1], fill=die)
"""


def test_a_creation_that_was_killed_left_no_project_and_can_be_repeated(vacant_url: str) -> None:
    assert _run(_CREATING, vacant_url).returncode == -signal.SIGKILL
    if "://" not in vacant_url:
        assert not Path(vacant_url).exists()
    create_project(vacant_url)
    assert _names(vacant_url) == []
    if "://" not in vacant_url:
        assert list(Path(vacant_url).parent.glob(".vacant.db*")) == []


_SAVING = """
from db.care.copies import backup_project
backup_project(sys.argv[1], Path(sys.argv[2]), on_progress=die)
"""


def test_a_backup_that_was_killed_left_none_and_can_be_repeated(store_url: str, tmp_path: Path) -> None:
    _add(store_url, "kept")
    target = tmp_path / "saved.db"
    assert _run(_SAVING, store_url, str(target)).returncode == -signal.SIGKILL
    assert not target.exists()
    assert abandoned(target)
    backup_project(store_url, target)
    assert _names(str(target)) == _names(store_url) == ["kept"]
    assert list(tmp_path.glob(".saved.db*")) == []


_UPGRADING = """
from db.project_files.versions import History
from db.care.upgrade import UpgradeStep, upgrade
history = History(folder=Path(sys.argv[2]), revisions=tuple(sys.argv[4:]))
link = os.link
os.link = lambda *names: (link(*names), die())
upgrade(sys.argv[1], history=history, told=lambda step: step == sys.argv[3] and die())
"""


@pytest.mark.parametrize("point", [*UpgradeStep, "half of the swap"])
def test_a_killed_upgrade_leaves_the_project_and_the_next_one_clears_up(
    sqlite_path: Path, later: History, point: str
) -> None:
    _add(str(sqlite_path), "kept")
    done = _run(_UPGRADING, str(sqlite_path), str(later.folder), point, *later.revisions)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert _names(str(sqlite_path)) == ["kept"]
    upgrade(str(sqlite_path), history=later)
    folder = sqlite_path.parent
    assert list(folder.glob(".project.db*")) == []
    assert [path.name for path in folder.glob("*.bak*")] == [f"project.db.bak-{HISTORY.head}"]


_HOLDING = """
engine = open_engine(sys.argv[1])
with writing(engine) as session:
    session.add(Batch(name="taken", created_at=datetime.now(UTC), created_by=None, is_flagged=False))
    session.flush()
    print("holds", flush=True)
    signal.pause()
"""


@contextmanager
def _somebody_who_holds(url: str) -> Iterator["subprocess.Popen[str]"]:
    """Another program in the middle of an operation that will never end by itself."""
    command = [sys.executable, "-c", _BATCHES + _HOLDING, url]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds\n"
        try:
            yield other
        finally:
            other.kill()


def test_what_a_killed_program_held_is_free_again(store_url: str) -> None:
    with _somebody_who_holds(store_url) as other:
        other.kill()
        other.wait(120)
        _add(store_url, "taken")
    assert _names(store_url) == ["taken"]


def test_behind_a_frozen_program_others_are_told_and_can_still_read(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.engine.BUSY_TIMEOUT_SECONDS", 1)
    with _somebody_who_holds(store_url) as other:
        os.kill(other.pid, signal.SIGSTOP)
        assert _names(store_url) == []
        with pytest.raises(StoreError, match="is busy") as told:
            _add(store_url, "taken")
        assert "Try again" in told.value.hint
    _add(store_url, "taken")
    assert _names(store_url) == ["taken"]
