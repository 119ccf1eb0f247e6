"""How soon twenty windows on one server see what others do, and what an idle window asks; prints figures."""

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import shiboken6
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot
from sqlalchemy import Connection, Engine, event

from annotator.project.changes import Changes
from annotator.project.workspace import open_workspace
from annotator.review.queue.claims import claim_case
from tests.annotator.crowd import found_crowd
from ui.services.feed import ProjectFeed
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")

WINDOWS = 20
CHANGES = 20
SECONDS = 60.0
PAUSE = 3.0
"""Twenty people who each finish a case every two minutes and take the next claim or submit every 3 s."""


def test_what_one_does_is_seen_in_twenty_windows(
    postgres_url: str, qtbot: QtBot, tmp_path: Path, benchmark: BenchmarkFixture
) -> None:
    windows, changes, seconds, pause = (
        (WINDOWS, CHANGES, SECONDS, PAUSE) if benchmark.enabled else (2, 1, 0.2, 0.1)
    )
    found_crowd(postgres_url, people=windows, cases=changes)
    told: dict[tuple[int, str], float] = {}
    shown = [_follow(qtbot, postgres_url, number, told) for number in range(windows)]
    inside = MainWindow(shown[0], Preferences(tmp_path / "settings.json"))
    project = shown[0].project
    assert project is not None
    inside.entrance.entered.emit(project)
    inside.show()
    for _ in range(20):  # what the start reads, one thing after the other, is read
        with _asked() as asked_at_start:
            qtbot.wait(1500)
        if not asked_at_start:
            break
    with _asked() as idle:
        qtbot.wait(int(seconds * 1000))
    with _asked() as beside_others:
        written = benchmark.pedantic(  # type: ignore[no-untyped-call]
            lambda: _change(
                qtbot, postgres_url, changes, pause=pause, is_told=lambda: len(told) == windows * changes
            )
        )
    late = sorted(told[number, case] - at for case, at in written.items() for number in range(windows))
    assert len(late) == windows * changes
    workspace = shown[0]._workspace
    assert workspace is not None
    asks, asks_beside = (
        [asked for engine, asked in phase if engine is workspace._engine] for phase in (idle, beside_others)
    )
    assert not [asked for asked in asks if "body" in asked]
    if benchmark.enabled:
        bare = _bare_notification(postgres_url)
        minutes = changes * pause / 60
        print(
            f"\n{windows} windows, {len(late):,} times a change was seen: "
            f"p95 {late[int(0.95 * len(late))]:.2f} s, longest {late[-1]:.2f} s; "
            f"a bare notification {bare * 1000:.1f} ms (p50 is {statistics.median(late) / bare:.0f} x)\n"
            f"a window nobody touches asks {len(asks) / (seconds / 60):.0f} queries a minute "
            f"while nobody works, {len(asks_beside) / minutes:.0f} while {windows} people work"
        )
    inside._presence.leave()
    for operations in shown:
        operations.close()
    shiboken6.delete(inside)
    for operations in shown:
        shiboken6.delete(operations)


def _follow(qtbot: QtBot, url: str, number: int, told: dict[tuple[int, str], float]) -> Operations:
    operations = Operations()
    ProjectFeed(operations, parent=operations)

    def note(changes: Changes, _: object) -> None:
        for case_id in changes.case_ids:
            told.setdefault((number, case_id), time.monotonic())

    with qtbot.waitSignal(operations.opened, timeout=20_000):
        operations.open(url, f"p{number}")
    operations.changed.connect(note)
    return operations


def _change(
    qtbot: QtBot, url: str, changes: int, *, pause: float, is_told: Callable[[], bool]
) -> dict[str, float]:
    """Claim one case after the other; the instants at which each was committed."""
    written: dict[str, float] = {}

    def work() -> None:
        workspace = open_workspace(url, "max")
        for number in range(changes):
            case_id = f"c-{number}"
            claim_case(workspace, case_id)
            written[case_id] = time.monotonic()
            time.sleep(pause)
        workspace.close()

    worker = threading.Thread(target=work)
    worker.start()
    qtbot.waitUntil(lambda: not worker.is_alive() and is_told(), timeout=int(changes * (pause + 10) * 1000))
    worker.join()
    return written


@contextmanager
def _asked() -> Iterator[list[tuple[Engine, str]]]:
    """Every statement of this process meanwhile, with its engine."""
    asked: list[tuple[Engine, str]] = []

    def note(connection: Connection, _: object, statement: str, *__: object) -> None:
        asked.append((connection.engine, statement))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _bare_notification(url: str) -> float:
    """Seconds from a bare NOTIFY to the listener that hears it."""
    plain = url.replace("postgresql+psycopg", "postgresql")
    taken = []
    with (
        psycopg.connect(plain, autocommit=True) as listening,
        psycopg.connect(plain, autocommit=True) as telling,
    ):
        listening.execute("LISTEN bare")
        for _ in range(9):
            began = time.perf_counter()
            telling.execute("NOTIFY bare")
            assert list(listening.notifies(timeout=5, stop_after=1))
            taken.append(time.perf_counter() - began)
    return statistics.median(taken)
