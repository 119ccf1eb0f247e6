"""The one way from the window to the project: functions run on the database thread, results come back.

How it is used. A widget never touches a `Workspace`; it hands a function to `Operations.run`:

    operations.run(partial(claim_case, case_id="c-1"), then=self._open, failed=self._refused, origin=self)

* The function runs on the one database thread with the open `Workspace`; calls run in the order they
  were made. It may return `Done[T]` (an operation of `annotator`) or a plain `T` (a look).
* The result comes back on the window's thread, in the same order: first `then(value)`, then, for a
  `Done` that changed something, the signal `changed(Changes, origin)`. Views listen to `changed`,
  compare the flags with what they show, and skip what they caused themselves (`origin is self`).
* `then` and `failed` are bound methods (or `functools.partial`s of them): where their widget is gone by
  then, the result is dropped and only `changed` goes out. A lambda is called in any case.
* An `AnnotatorError` goes to `failed`, or where none was given to the signal `failure`, which the
  window shows in its banner. Anything else is a bug and goes to `crashed`.
* A `StoreError` besides means that nothing can be kept at the moment: `connection_lost(error)` goes out
  once, the project is tried every two seconds, and `restored()` says that it answers again.
* `run` returns a `Pending`; its `cancel()` takes back what has not begun and drops what has: for looks
  that were overtaken (a preview while scrolling), never for writes.

Long work goes through `start_job`: it runs on a thread of its own with a `Workspace` of its own, so
that the window's calls need not wait behind it.

The store's libraries take a second to import; that too happens on the database thread, so that the
window is painted first. This is why some imports below stand inside functions.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from annotator.jobs import Job, JobCancelled, JobContext, JobRunner
from annotator.project.changes import Changes
from scoring.errors import AnnotatorError, ForbiddenError, StoreError
from ui.jobs import JobState, WindowJob

if TYPE_CHECKING:
    from annotator.project.people import PersonRow
    from annotator.project.workspace import Done, Workspace

T = TypeVar("T")

RETRY_MILLISECONDS = 2000
"""How often a project that does not answer is tried again."""


@dataclass(frozen=True)
class OpenProject:
    """The project that is open, and in whose name; `person` is null until somebody was chosen."""

    project: str
    name: str
    place: str
    is_shared: bool
    person: "PersonRow | None"
    people: "tuple[PersonRow, ...]"


class Pending:
    """A call that was handed over; see the module's text for when to cancel it."""

    def __init__(
        self,
        then: Callable[[Any], object] | None,
        failed: Callable[[AnnotatorError], object] | None,
        origin: object = None,
        *,
        is_in_project: bool = False,
    ) -> None:
        self.then = then
        self.failed = failed
        self.origin = origin
        self.is_in_project = is_in_project
        self.is_cancelled = False
        self.future: Future[None] | None = None

    def cancel(self) -> None:
        """Take it back: it does not run if it has not begun, and its result is dropped."""
        self.is_cancelled = True
        if self.future is not None:
            self.future.cancel()


_NOTHING = Changes()


@dataclass(frozen=True)
class _Outcome:
    pending: Pending
    value: object = None
    changes: Changes = _NOTHING
    error: BaseException | None = None


@dataclass(frozen=True)
class _JobOutcome:
    job: WindowJob
    outcome: _Outcome


class Operations(QObject):
    """Owns the database thread and the workspace that lives in it; see the module's text."""

    changed = Signal(object, object)
    """`Changes` and the origin that was given."""
    failure = Signal(object)
    """An `AnnotatorError` nobody else shows."""
    crashed = Signal(object)
    """An exception that is a bug."""
    connection_lost = Signal(object)
    """The `StoreError` that says why nothing can be kept."""
    restored = Signal()
    opened = Signal(object)
    """The `OpenProject`."""
    people_changed = Signal(object)
    """The `OpenProject` with its people as they are now."""
    job_started = Signal(object)
    """A `WindowJob`."""
    idle = Signal()
    """Every call so far has been answered."""

    _settled = Signal(object)
    _job_told = Signal(object, object)
    _job_settled = Signal(object)

    def __init__(
        self, parent: QObject | None = None, *, retry_milliseconds: int = RETRY_MILLISECONDS
    ) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._runner = JobRunner("job", worker_count=2)
        self._workspace: Workspace | None = None  # touched on the database thread only
        self._project: OpenProject | None = None
        self._waiting = 0
        self._is_closed = False
        self._lost: StoreError | None = None
        self._jobs: list[WindowJob] = []
        self._retry = QTimer(self)
        self._retry.setInterval(retry_milliseconds)
        self._retry.timeout.connect(self._try_again)
        queued = Qt.ConnectionType.QueuedConnection
        self._settled.connect(self._deliver, queued)
        self._job_told.connect(self._tell_job, queued)
        self._job_settled.connect(self._deliver_job, queued)

    @property
    def project(self) -> OpenProject | None:
        """The project that is open; null before the first was opened."""
        return self._project

    @property
    def pending_count(self) -> int:
        """Calls that have not been answered yet."""
        return self._waiting

    @property
    def lost(self) -> StoreError | None:
        """Why nothing can be kept at the moment; null while all is well."""
        return self._lost

    @property
    def jobs(self) -> tuple[WindowJob, ...]:
        """The jobs that run now."""
        return tuple(self._jobs)

    @overload
    def run(
        self,
        fn: Callable[["Workspace"], "Done[T]"],
        *,
        then: Callable[[T], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        origin: object = None,
    ) -> Pending: ...

    @overload
    def run(
        self,
        fn: Callable[["Workspace"], T],
        *,
        then: Callable[[T], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        origin: object = None,
    ) -> Pending: ...

    def run(
        self,
        fn: Callable[["Workspace"], Any],
        *,
        then: Callable[[Any], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        origin: object = None,
    ) -> Pending:
        """Run a function on the database thread and bring its result back.

        Args:
            fn: Gets the open workspace; returns `Done` or a plain value, only frozen values.
            then: Gets the value, on the window's thread.
            failed: Gets an error the user can act on; without it the window's banner shows it.
            origin: Who asks; given back with `changed`.

        Raises:
            RuntimeError: After `close`.
        """
        return self._hand_over(
            partial(self._with_workspace, fn), Pending(then, failed, origin, is_in_project=True)
        )

    def open(
        self,
        project: str,
        person: str | None = None,
        *,
        password: str | None = None,
        then: Callable[[OpenProject], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
    ) -> Pending:
        """Open a project instead of the one that is open; where that fails the former one stays.

        Args:
            project: Path or URL.
            person: In whose name; null for the only person there is.
            password: Of that person, where they have one.
            then: Gets the `OpenProject`, before `opened` goes out.
            failed: As for `run`.
        """
        opener = partial(_open, project, person, password)
        return self._hand_over(partial(self._adopt, opener), Pending(then, failed))

    def open_made(
        self,
        make: Callable[[], "Workspace"],
        *,
        then: Callable[[OpenProject], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
    ) -> Pending:
        """Make a project, on the database thread, and open it instead of the one that is open.

        Args:
            make: Creates the project and returns it open, as `create_workspace` does.
            then: As for `open`.
            failed: As for `run`.
        """
        return self._hand_over(partial(self._adopt, make), Pending(then, failed))

    def start_job(
        self,
        fn: Callable[[JobContext, "Workspace"], Any],
        title: str,
        *,
        then: Callable[[Any], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        changes: Changes | None = None,
        origin: object = None,
    ) -> WindowJob:
        """Start long work beside the window's calls.

        Args:
            fn: Gets a context for progress and cancelling, and a workspace of its own.
            title: What it does, for the status bar.
            then: Gets what it returns (the value of a `Done`); not called where it was cancelled.
            failed: As for `run`.
            changes: What it changes, where it returns no `Done`; goes out however it ends, since what
                it did before it was stopped stays.
            origin: As for `run`.
        """
        project = self._project
        if project is None or self._is_closed:
            raise RuntimeError("a job needs an open project")
        job = WindowJob(title, stop=lambda: handle.cancel(), parent=self)
        pending = Pending(then, failed, origin)
        work = partial(_in_own_workspace, fn, project)
        handle = self._runner.start(work, on_progress=partial(self._job_told.emit, job))
        self._jobs.append(job)
        self.job_started.emit(job)
        handle.when_done(partial(self._settle_job, job, pending, changes or _NOTHING))
        return job

    def close(self) -> None:
        """Finish what was handed over, stop the jobs, close the project; blocks until that is done."""
        if self._is_closed:
            return
        self._is_closed = True
        self._retry.stop()
        self._runner.close()
        self._pool.submit(self._leave)
        self._pool.shutdown(wait=True)

    def _hand_over(self, work: Callable[[], object], pending: Pending) -> Pending:
        if self._is_closed:
            raise RuntimeError("the operations are closed")
        self._waiting += 1
        pending.future = self._pool.submit(self._work, work, pending)
        pending.future.add_done_callback(partial(self._note_cancelled, pending))
        return pending

    def _work(self, work: Callable[[], object], pending: Pending) -> None:
        try:
            value, changes = _split(work())
            outcome = _Outcome(pending, value, changes)
        except Exception as exc:  # every error goes to the window's thread, bugs too
            outcome = _Outcome(pending, error=exc)
        self._settled.emit(outcome)

    def _note_cancelled(self, pending: Pending, future: Future[None]) -> None:
        if future.cancelled():
            self._settled.emit(_Outcome(pending))

    def _with_workspace(self, fn: Callable[["Workspace"], object]) -> object:
        if self._workspace is None:
            raise RuntimeError("no project is open")
        return fn(self._workspace)

    def _adopt(self, opener: Callable[[], "Workspace"]) -> OpenProject:
        workspace = opener()
        try:
            project = _describe(workspace)
        except BaseException:
            workspace.close()
            raise
        self._leave()
        self._workspace = workspace
        return project

    def _leave(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None

    def _deliver(self, outcome: _Outcome) -> None:
        self._waiting -= 1
        pending = outcome.pending
        if outcome.error is not None:
            self._deliver_error(pending, outcome.error)
        elif not pending.future or not pending.future.cancelled():
            self._note_answer()
            self._deliver_value(outcome)
        if self._waiting == 0:
            self.idle.emit()

    def _deliver_value(self, outcome: _Outcome) -> None:
        pending, value = outcome.pending, outcome.value
        is_opened = isinstance(value, OpenProject) and not pending.is_in_project
        if isinstance(value, OpenProject):
            self._project = value
        if pending.then is not None and not pending.is_cancelled and _is_there(pending.then):
            pending.then(value)
        if is_opened:
            self.opened.emit(value)
        self._tell_changes(outcome)

    def _tell_changes(self, outcome: _Outcome) -> None:
        if outcome.changes != _NOTHING:
            self.changed.emit(outcome.changes, outcome.pending.origin)
        if outcome.changes.has_people and not self._is_closed:
            self.run(_describe, then=self._note_people)

    def _note_people(self, project: OpenProject) -> None:
        self._project = project
        self.people_changed.emit(project)

    def _deliver_error(self, pending: Pending, error: BaseException) -> None:
        if not isinstance(error, AnnotatorError):
            self.crashed.emit(error)
            return
        if isinstance(error, StoreError) and pending.is_in_project:
            self._note_loss(error)
        if pending.is_cancelled:
            return
        if pending.failed is None:
            self.failure.emit(error)
        elif _is_there(pending.failed):
            pending.failed(error)

    def _note_loss(self, error: StoreError) -> None:
        if self._lost is None:
            self._lost = error
            self._retry.start()
            self.connection_lost.emit(error)

    def _note_answer(self) -> None:
        if self._lost is not None:
            self._lost = None
            self._retry.stop()
            self.restored.emit()

    def _try_again(self) -> None:
        if self._waiting == 0:
            self.run(_look, failed=_ignore)

    def _settle_job(
        self, job: WindowJob, pending: Pending, changes: Changes, handle: "Job[tuple[object, Changes]]"
    ) -> None:
        try:
            value, more = handle.result()
            outcome = _Outcome(pending, value, changes | more)
        except Exception as exc:  # as in `_work`
            outcome = _Outcome(pending, changes=changes, error=exc)
        self._job_settled.emit(_JobOutcome(job, outcome))

    def _tell_job(self, job: WindowJob, report: object) -> None:
        job.tell(report)  # type: ignore[arg-type]  # a signal carries objects

    def _deliver_job(self, settled: _JobOutcome) -> None:
        job, outcome = settled.job, settled.outcome
        self._jobs.remove(job)
        if outcome.error is None:
            job.end(JobState.DONE)
            self._deliver_value(outcome)
        else:
            is_cancelled = isinstance(outcome.error, JobCancelled)
            job.end(JobState.CANCELLED if is_cancelled else JobState.FAILED)
            if not is_cancelled:
                self._deliver_error(outcome.pending, outcome.error)
            self._tell_changes(outcome)
        job.deleteLater()


def _open(project: str, person: str | None, password: str | None) -> "Workspace":
    from annotator.project.workspace import open_workspace

    return open_workspace(project, person, password=password)


def _look(workspace: "Workspace") -> None:
    workspace.name()


def _split(value: object) -> tuple[object, Changes]:
    """A value, and what it changed where it came from an operation."""
    from annotator.project.workspace import Done

    return (value.value, value.changes) if isinstance(value, Done) else (value, _NOTHING)


def _describe(workspace: "Workspace") -> OpenProject:
    from annotator.project.people import list_people

    known, people = _known_person(workspace), list_people(workspace)
    return OpenProject(
        project=workspace.project,
        name=workspace.name(),
        place=workspace.shown_place,
        is_shared=workspace.is_shared,
        person=next((person for person in people if known and person.id == known.id), None),
        people=people,
    )


def _known_person(workspace: "Workspace") -> "PersonRow | None":
    try:
        return workspace.person
    except ForbiddenError:
        return None


def _in_own_workspace(
    fn: Callable[[JobContext, "Workspace"], object], project: OpenProject, context: JobContext
) -> tuple[object, Changes]:
    from annotator.project.workspace import Workspace

    workspace = Workspace(project.project, person=project.person)
    try:
        return _split(fn(context, workspace))
    finally:
        workspace.close()


def _is_there(callback: Callable[..., object]) -> bool:
    """Whether the widget behind a bound method still exists; anything else always does."""
    while isinstance(callback, partial):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    return not isinstance(owner, QObject) or shiboken6.isValid(owner)


def _ignore(error: AnnotatorError) -> None:
    """The loss was told already; it is tried again."""
