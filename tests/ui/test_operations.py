"""The way from the window to the project: one thread, results in order, errors where they belong."""

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer
from pytestqt.qtbot import QtBot

from annotator.jobs import JobContext
from annotator.project.changes import Changes
from annotator.project.creation import create_workspace
from annotator.project.people import add_person, list_people
from annotator.project.workspace import Done, Workspace
from scoring.errors import AnnotatorError, ConflictError, InputError, StoreError
from scoring.model.taxonomy import Role
from ui.services.jobs import JobState
from ui.services.operations import Operations

if TYPE_CHECKING:
    from ui.services.calls import OpenProject


@pytest.fixture
def project(vacant_url: str) -> str:
    """A fresh project of one person, anna; once on each database."""
    create_workspace(vacant_url, name="weather", person="anna").close()
    return vacant_url


@pytest.fixture
def operations(qtbot: QtBot, closed_operations: Operations, project: str) -> Operations:
    """Operations with the project open."""
    with qtbot.waitSignal(closed_operations.opened):
        closed_operations.open(project)
    return closed_operations


def test_an_opened_project_names_its_place_and_person(operations: Operations, project: str) -> None:
    found = operations.project
    assert found is not None
    is_shared = project.startswith("postgresql://")
    assert (found.name, found.is_shared) == ("weather", is_shared)
    assert is_shared or found.place == project
    assert found.person is not None
    assert found.person.name == "anna"


def test_a_function_runs_on_the_database_thread_and_its_value_comes_back_here(
    qtbot: QtBot, operations: Operations
) -> None:
    threads: list[str] = []

    def look(workspace: Workspace) -> str:
        threads.append(threading.current_thread().name)
        return workspace.name()

    got: list[tuple[str, bool]] = []

    def take(name: str) -> None:
        got.append((name, threading.current_thread() is threading.main_thread()))

    with qtbot.waitSignal(operations.idle):
        operations.run(look, then=take)
    assert got == [("weather", True)]
    assert threads[0].startswith("database")


def test_results_come_back_in_the_order_of_the_calls(qtbot: QtBot, operations: Operations) -> None:
    got: list[int] = []
    with qtbot.waitSignal(operations.idle):
        for number in range(20):
            operations.run(partial(_given, number=number), then=got.append)
    assert got == list(range(20))


def test_what_an_operation_changed_is_told_to_everybody_with_its_origin(
    qtbot: QtBot, operations: Operations
) -> None:
    me = object()
    with qtbot.waitSignal(operations.changed) as told:
        operations.run(lambda w: add_person(w, "ben", roles=[Role.EXPERT]), origin=me)
    assert told.args == [Changes(has_people=True), me]


def test_an_error_people_can_act_on_goes_to_whoever_asked(qtbot: QtBot, operations: Operations) -> None:
    got: list[AnnotatorError] = []
    failures: list[object] = []
    operations.failure.connect(failures.append)
    with qtbot.waitSignal(operations.idle):
        operations.run(lambda w: add_person(w, "anna", roles=[Role.EXPERT]), failed=got.append)
    assert [type(error) for error in got] == [ConflictError]
    assert failures == []


def test_an_error_nobody_takes_goes_to_the_banner(qtbot: QtBot, operations: Operations) -> None:
    with qtbot.waitSignal(operations.failure) as told:
        operations.run(lambda w: add_person(w, "", roles=[Role.EXPERT]))
    assert isinstance(told.args[0], InputError)


def test_a_bug_goes_to_the_crash_report_and_the_thread_goes_on(qtbot: QtBot, operations: Operations) -> None:
    got: list[str] = []
    with qtbot.waitSignals([operations.crashed, operations.idle]):
        operations.run(_divide)
        operations.run(Workspace.name, then=got.append)
    assert got == ["weather"]


def test_a_result_for_a_widget_that_is_gone_is_dropped(qtbot: QtBot, operations: Operations) -> None:
    class Receiver(QObject):
        got: list[str]

        def take(self, name: str) -> None:
            self.got.append(name)

    receiver = Receiver()
    receiver.got = []
    gate = threading.Event()
    operations.run(lambda w: gate.wait(120))
    operations.run(Workspace.name, then=receiver.take)
    destroyed = receiver.destroyed
    with qtbot.waitSignal(destroyed):
        receiver.deleteLater()
    with qtbot.waitSignal(operations.idle):
        gate.set()
    assert receiver.got == []


def test_a_cancelled_look_neither_runs_nor_answers(qtbot: QtBot, operations: Operations) -> None:
    ran: list[str] = []
    got: list[object] = []
    gate = threading.Event()
    operations.run(lambda w: gate.wait(120))
    pending = operations.run(lambda w: ran.append(w.name()), then=got.append)
    pending.cancel()
    with qtbot.waitSignal(operations.idle):
        gate.set()
    assert (ran, got) == ([], [])


def test_a_lost_project_is_told_once_and_again_when_it_answers(
    qtbot: QtBot, closed_operations: Operations, sample_project: str
) -> None:
    project, operations = sample_project, closed_operations
    with qtbot.waitSignal(operations.opened):
        operations.open(project, "ann-1")
    away = Path(project + ".away")
    lost: list[StoreError] = []
    operations.connection_lost.connect(lost.append)
    Path(project).rename(away)
    with qtbot.waitSignal(operations.idle):
        operations.run(list_people, failed=_ignore)
        operations.run(list_people, failed=_ignore)
    assert len(lost) == 1
    assert operations.lost is lost[0]
    with qtbot.waitSignal(operations.restored):
        away.rename(project)
    assert operations.lost is None


def _lose(operations: Operations, project: str, qtbot: QtBot) -> Path:
    """Open a project and take its file away; gives where it lies now."""
    with qtbot.waitSignal(operations.opened):
        operations.open(project, "ann-1")
    away = Path(project).rename(project + ".away")
    with qtbot.waitSignal(operations.connection_lost):
        operations.run(list_people, failed=_ignore)
    return away


def test_a_project_that_stays_away_is_tried_less_and_less_often(
    qtbot: QtBot, sample_project: str, closed_operations: Operations
) -> None:
    operations = closed_operations
    timers = operations.findChildren(QTimer)
    [retry] = [timer for timer in timers if timer.timerType() is Qt.TimerType.PreciseTimer]
    waits: list[int] = []
    _lose(operations, sample_project, qtbot)
    first = retry.interval()
    operations.idle.connect(lambda: waits.append(retry.interval()))
    qtbot.waitUntil(lambda: len(waits) > 5)
    assert list(dict.fromkeys((first, *waits))) == [first, 2 * first, 4 * first, 8 * first]


def test_waiting_for_a_lost_project_never_grows_beyond_eight_times_the_first_wait(
    qtbot: QtBot, sample_project: str
) -> None:
    operations = Operations(retry_milliseconds=5)
    remaining: list[int] = []
    _lose(operations, sample_project, qtbot)
    operations.idle.connect(lambda: remaining.append(operations.milliseconds_to_retry))
    qtbot.waitUntil(lambda: len(remaining) > 8)
    assert max(remaining) <= 8 * 5
    operations.close()
    shiboken6.delete(operations)


def test_a_lost_project_is_tried_at_once_where_people_ask_for_it(
    qtbot: QtBot, tmp_path: Path, sample_project: str
) -> None:
    operations = Operations(retry_milliseconds=60_000)
    away = _lose(operations, sample_project, qtbot)
    away.rename(sample_project)
    assert 0 < operations.milliseconds_to_retry <= 60_000
    with qtbot.waitSignal(operations.restored):
        operations.retry_now()
    assert operations.milliseconds_to_retry == 0
    operations.close()
    shiboken6.delete(operations)


def test_what_is_lost_while_closing_is_not_tried_again(
    qtbot: QtBot, closed_operations: Operations, sample_project: str
) -> None:
    operations = closed_operations
    with qtbot.waitSignal(operations.opened):
        operations.open(sample_project, "ann-1")

    def fail(workspace: Workspace, *, context: JobContext) -> None:
        raise StoreError("The disk is full.", "Free some space.")

    job = operations.start_job(fail, "Import")
    job.ended.connect(lambda _: operations.close())
    with qtbot.waitSignal(job.ended):
        pass
    qtbot.wait(80)  # a timer that began again would raise in here
    assert operations.lost is None


def test_a_project_that_cannot_be_opened_leaves_the_former_one_open(
    qtbot: QtBot, operations: Operations, tmp_path: Path
) -> None:
    got: list[AnnotatorError] = []
    with qtbot.waitSignal(operations.idle):
        operations.open(str(tmp_path / "missing.db"), failed=got.append)
    assert len(got) == 1
    names: list[str] = []
    with qtbot.waitSignal(operations.idle):
        operations.run(Workspace.name, then=names.append)
    assert names == ["weather"]
    assert operations.lost is None


def test_people_who_were_added_are_known_at_once(qtbot: QtBot, operations: Operations) -> None:
    with qtbot.waitSignal(operations.people_changed):
        operations.run(lambda w: add_person(w, "ben", roles=[Role.EXPERT]))
    assert operations.project is not None
    assert [person.name for person in operations.project.people] == ["anna", "ben"]


@pytest.mark.usefixtures("in_chinese")
def test_people_are_offered_by_the_pinyin_of_their_names(qtbot: QtBot, operations: Operations) -> None:
    for name in ("张三", "李四", "陈一"):
        with qtbot.waitSignal(operations.people_changed):
            operations.run(partial(add_person, name=name, roles=[Role.EXPERT]))
    assert operations.active_people(Role.EXPERT)[:3] == ("陈一", "李四", "张三")


def test_creating_a_project_opens_it(qtbot: QtBot, operations: Operations, tmp_path: Path) -> None:
    got: list[OpenProject] = []
    with qtbot.waitSignal(operations.opened):
        make = partial(create_workspace, str(tmp_path / "second.db"), name="second", person="eva")
        operations.open_made(make, then=got.append)
    assert [(found.name, found.person and found.person.name) for found in got] == [("second", "eva")]


def test_closing_finishes_what_was_handed_over(operations: Operations, project: str) -> None:
    gate = threading.Event()
    operations.run(lambda w: gate.wait(120))
    operations.run(lambda w: add_person(w, "late", roles=[Role.ANNOTATOR]))
    gate.set()
    operations.close()
    assert "late" in _people_of(project)


def test_a_job_runs_beside_the_calls_and_its_changes_are_told(qtbot: QtBot, operations: Operations) -> None:
    gate = threading.Event()

    def work(workspace: Workspace, *, context: JobContext) -> Done[int]:
        context.progress(1, 2, "half")
        gate.wait(120)
        return add_person(workspace, "carl", roles=[Role.ANNOTATOR])

    names: list[str] = []
    job = operations.start_job(work, "Add people")
    with qtbot.waitSignal(operations.idle):
        operations.run(Workspace.name, then=names.append)
    assert names == ["weather"]
    assert job.is_running
    with qtbot.waitSignal(operations.changed) as told:
        gate.set()
    assert told.args[0] == Changes(has_people=True)


def test_a_cancelled_job_tells_what_it_had_changed(qtbot: QtBot, operations: Operations) -> None:
    begun = threading.Event()

    def work(workspace: Workspace, *, context: JobContext) -> None:
        add_person(workspace, "dora", roles=[Role.ANNOTATOR])
        begun.set()
        while True:
            context.check_cancelled()

    states: list[JobState] = []
    job = operations.start_job(work, "For ever", changes=Changes(has_people=True))
    job.ended.connect(states.append)
    assert begun.wait(120)
    with qtbot.waitSignal(operations.changed):
        job.cancel()
    assert states == [JobState.CANCELLED]


def test_a_failing_job_shows_its_error(qtbot: QtBot, operations: Operations) -> None:
    def work(workspace: Workspace, *, context: JobContext) -> None:
        raise InputError("No file.", "Name one.")

    with qtbot.waitSignal(operations.failure) as told:
        operations.start_job(work, "Import")
    assert str(told.args[0]) == "No file. Name one."


def _given(workspace: Workspace, *, number: int) -> int:
    return number


def _divide(workspace: Workspace) -> float:
    return 1 / 0


def _ignore(error: AnnotatorError) -> None:
    assert isinstance(error, StoreError)


def _people_of(project: str) -> set[str]:
    workspace = Workspace(project, person=None)
    try:
        return {person.name for person in list_people(workspace)}
    finally:
        workspace.close()
