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
  once, the project is tried again after two seconds (then four, up to sixteen), and `restored()` says
  that it answers again.
* `run` returns a `Pending`; its `cancel()` takes back what has not begun and drops what has: for looks
  that were overtaken (a preview while scrolling; see `newest_of`), and for a claim nobody waits for any
  more. Never for work that must be kept: what has begun is still done, and its `changed` goes out.

What other windows and commands do goes out as `changed`, too, where a `ProjectFeed` follows the project.

Long work goes through `start_job`: it runs on a thread of its own with a `Workspace` of its own, so
that the window's calls need not wait behind it.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, overload
from weakref import WeakValueDictionary

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from annotator.jobs import Job, JobCancelled, JobContext, JobRunner
from annotator.project.changes import Changes
from annotator.project.people import PersonRow
from annotator.project.workspace import Done, Workspace
from scoring.errors import AnnotatorError, StoreError, existing, missing_package
from scoring.generics import T
from scoring.model.taxonomy import Role
from ui.services.calls import (
    NOTHING,
    CallOutcome,
    OpenProject,
    OutsideJob,
    Pending,
    WorkspaceJob,
    describe,
    in_own_workspace,
    is_there,
    look,
    open_for,
    split_changes,
    without_workspace,
)
from ui.services.jobs import JobState, WindowJob
from ui.theme.layouts import build, connect

RETRY_MILLISECONDS = 2000
"""How soon a project that does not answer is tried again; each time it does not, the wait is doubled."""

_LONGEST_WAIT = 8
"""The longest wait between two tries, in times of the first."""


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
    presence_changed = Signal()
    """Who has the project open may have changed; told where a `ProjectFeed` follows it."""
    opened = Signal(object)
    """The `OpenProject`."""
    people_changed = Signal(object)
    """The `OpenProject` with its people as they are now."""
    job_started = Signal(object)
    """A `WindowJob`."""
    closing = Signal()
    """Nothing can be run from now on."""
    idle = Signal()
    """Every call so far has been answered."""

    _settled = Signal(object)
    _job_told = Signal(object, object)
    _job_settled = Signal(object, object)

    def __init__(
        self, parent: QObject | None = None, *, retry_milliseconds: int = RETRY_MILLISECONDS
    ) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._runner = JobRunner("job", worker_count=4)  # pages read while imports and runs go on
        self._workspace: Workspace | None = None  # touched on the database thread only
        self.project: OpenProject | None = None
        """The project that is open; None before the first was opened."""
        self.pending_count = 0
        """Calls that have not been answered yet."""
        self.is_closed = False
        """Whether `close` was called: nothing can be run any more."""
        self.lost: StoreError | None = None
        """Why nothing can be kept at the moment; None while all is well."""
        self.jobs: list[WindowJob] = []
        """The jobs that run now."""
        # By who looks, as long as somebody waits for the answer; it must keep neither of them alive.
        self._newest: WeakValueDictionary[int, Pending] = WeakValueDictionary()
        self._retry = build(QTimer, self, singleShot=True, timeout=self._try_again)
        self._retry.setTimerType(Qt.TimerType.PreciseTimer)  # people see it counted down
        self._retry_milliseconds = retry_milliseconds
        self._wait = 1
        connect(
            (self._settled, self._deliver),
            (self._job_told, self._tell_job),
            (self._job_settled, self._deliver_job),
            kind=Qt.ConnectionType.QueuedConnection,
        )

    @property
    def person(self) -> PersonRow | None:
        """In whose name the project is open; None for nobody, or no project."""
        return self.project.person if self.project is not None else None

    @property
    def name(self) -> str:
        """Of the person in whose name the project is open; empty for nobody, or no project."""
        return self.person.name if self.person is not None else ""

    def has_role(self, *roles: Role) -> bool:
        """Whether the person has one of these roles."""
        return self.person is not None and any(map(self.person.has_role, roles))

    def active_people(self, role: Role) -> tuple[str, ...]:
        """Names of the people who have a role and are neither disabled nor away."""
        people = self.project.people if self.project is not None else ()
        return tuple(person.name for person in people if person.is_here and person.has_role(role))

    @property
    def milliseconds_to_retry(self) -> int:
        """How long until a project that was lost is tried again; 0 while it is being tried or all is well."""
        return max(0, self._retry.remainingTime()) if self.lost is not None else 0

    @overload
    def run(
        self,
        fn: Callable[[Workspace], "Done[T]"],
        *,
        then: Callable[[T], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        origin: object = None,
        newest_of: object = None,
    ) -> Pending: ...

    @overload
    def run(
        self,
        fn: Callable[[Workspace], T],
        *,
        then: Callable[[T], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        origin: object = None,
        newest_of: object = None,
    ) -> Pending: ...

    def run(
        self,
        fn: Callable[[Workspace], Any],
        *,
        then: Callable[[Any], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        origin: object = None,
        newest_of: object = None,
    ) -> Pending:
        """Run a function on the database thread and bring its result back.

        Args:
            fn: Gets the open workspace; returns `Done` or a plain value, only frozen values.
            then: Gets the value, on the window's thread.
            failed: Gets an error the user can act on; without it the window's banner shows it.
            origin: Who asks; given back with `changed`.
            newest_of: Who looks; a look of theirs that is under way is overtaken, as by `drop_look`.

        Raises:
            RuntimeError: After `close`.
        """
        pending = Pending(then, failed, origin, is_in_project=True)
        return self._hand_over(partial(self._with_workspace, fn), pending, newest_of)

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
            person: In whose name; None for the only person there is.
            password: Of that person, where they have one.
            then: Gets the `OpenProject`, before `opened` goes out.
            failed: As for `run`.
        """
        return self.open_made(partial(open_for, project, person, password), then=then, failed=failed)

    def open_made(
        self,
        make: Callable[[], Workspace],
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

    def run_outside(
        self,
        fn: Callable[[], T],
        *,
        then: Callable[[T], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        newest_of: object = None,
    ) -> Pending:
        """Run a function that needs no open project on the database thread, and bring its result back.

        Args:
            fn: Returns a frozen value.
            then: As for `run`.
            failed: As for `run`.
            newest_of: As for `run`.
        """
        return self._hand_over(fn, Pending(then, failed), newest_of)

    def drop_look(self, looker: object) -> None:
        """Cancel the look of somebody that is under way, where there is one: nobody waits for it any more."""
        look_before = self._newest.pop(id(looker), None)
        if look_before is not None:
            look_before.cancel()

    def start_job(
        self,
        fn: WorkspaceJob,
        title: str,
        *,
        then: Callable[[Any], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
        changes: Changes | None = None,
        origin: object = None,
        instead_of: WindowJob | None = None,
    ) -> WindowJob:
        """Start long work beside the window's calls.

        Args:
            fn: Gets a workspace of its own, and a context for progress and cancelling.
            title: What it does, for the status bar.
            then: Gets what it returns (the value of a `Done`); not called where it was cancelled.
            failed: As for `run`.
            changes: What it changes, where it returns no `Done`; goes out however it ends, since what
                it did before it was stopped stays.
            origin: As for `run`.
            instead_of: A job that this one overtakes, which may have ended; it is cancelled.
        """
        if instead_of is not None:
            instead_of.cancel()
        project = existing(self.project, RuntimeError("a job needs an open project"))
        work = partial(in_own_workspace, fn, project)
        job = self._start(work, title, Pending(then, failed, origin), changes or NOTHING)
        self.job_started.emit(job)
        return job

    def start_outside(
        self,
        fn: OutsideJob,
        title: str,
        *,
        then: Callable[[Any], object] | None = None,
        failed: Callable[[AnnotatorError], object] | None = None,
    ) -> WindowJob:
        """Start long work that needs no open project; whoever starts it shows it.

        Args:
            fn: Gets a context for progress and cancelling.
            title: What it does.
            then: Gets what it returns; not called where it was cancelled.
            failed: As for `run`.
        """
        return self._start(partial(without_workspace, fn), title, Pending(then, failed), NOTHING)

    def _start(
        self,
        work: Callable[[JobContext], tuple[object, Changes]],
        title: str,
        pending: Pending,
        changes: Changes,
    ) -> WindowJob:
        if self.is_closed:
            raise RuntimeError("the operations are closed")
        job = WindowJob(title, stop=lambda: handle.cancel(), parent=self)
        handle = self._runner.start(work, on_progress=partial(self._job_told.emit, job))
        self.jobs.append(job)
        handle.when_done(partial(self._settle_job, job, pending, changes))
        return job

    def reload(self) -> None:
        """Have every view read again: other windows and the command line change the project too."""
        if self.project is not None and not self.is_closed:
            self._tell_changes(CallOutcome(Pending(None, None), changes=Changes.everything()))

    def retry_now(self) -> None:
        """Try a project that was lost at once, and not only when it is due."""
        if self.lost is not None and not self.is_closed:
            self._retry.stop()
            self._wait = 1
            self._try_again()

    def close(self) -> None:
        """Finish what was handed over, stop the jobs, close the project; blocks until that is done.

        Answers that come now are dropped: whoever needs them waits for them first (`idle`).
        """
        if self.is_closed:
            return
        self.is_closed = True
        self.closing.emit()
        self._retry.stop()
        self._runner.close()
        self._pool.submit(self._leave)
        self._pool.shutdown(wait=True)

    def _hand_over(self, work: Callable[[], object], pending: Pending, newest_of: object = None) -> Pending:
        if newest_of is not None:
            self.drop_look(newest_of)
            self._newest[id(newest_of)] = pending
        if self.is_closed:
            raise RuntimeError("the operations are closed")
        self.pending_count += 1
        pending.future = self._pool.submit(self._work, work, pending)
        pending.future.add_done_callback(partial(self._note_cancelled, pending))
        return pending

    def _work(self, work: Callable[[], object], pending: Pending) -> None:
        try:
            value, changes = split_changes(work())
            outcome = CallOutcome(pending, value, changes)
        except Exception as exc:  # every error goes to the window's thread, bugs too
            outcome = CallOutcome(pending, error=exc)
        self._settled.emit(outcome)

    def _note_cancelled(self, pending: Pending, future: Future[None]) -> None:
        if future.cancelled():
            self._settled.emit(CallOutcome(pending))

    def _with_workspace(self, fn: Callable[[Workspace], object]) -> object:
        if self._workspace is None:
            raise RuntimeError("no project is open")
        return fn(self._workspace)

    def _adopt(self, opener: Callable[[], Workspace]) -> OpenProject:
        workspace = opener()
        try:
            project = describe(workspace)
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

    def _deliver(self, outcome: CallOutcome) -> None:
        self.pending_count -= 1
        pending = outcome.pending
        if self.is_closed:
            return  # whoever asked would only ask on
        if outcome.error is not None:
            self._deliver_error(pending, outcome.error)
        elif not pending.future or not pending.future.cancelled():
            self._note_answer()
            self._deliver_value(outcome)
        if self.pending_count == 0:
            self.idle.emit()

    def _deliver_value(self, outcome: CallOutcome) -> None:
        pending, value = outcome.pending, outcome.value
        is_opened = isinstance(value, OpenProject) and not pending.is_in_project
        if isinstance(value, OpenProject):
            self.project = value
        if pending.then is not None and not pending.is_cancelled and is_there(pending.then):
            pending.then(value)
        if is_opened:
            self.opened.emit(value)
        self._tell_changes(outcome)

    def _tell_changes(self, outcome: CallOutcome) -> None:
        if outcome.changes != NOTHING:
            self.changed.emit(outcome.changes, outcome.pending.origin)
        if outcome.changes.has_people and not self.is_closed:
            self.run(describe, then=self._note_people)

    def _note_people(self, project: OpenProject) -> None:
        self.project = project
        self.people_changed.emit(project)

    def _deliver_error(self, pending: Pending, error: BaseException) -> None:
        if isinstance(error, ImportError):
            error = missing_package(error) or error
        if not isinstance(error, AnnotatorError):
            self.crashed.emit(error)
            return
        if isinstance(error, StoreError) and pending.is_in_project:
            self._note_loss(error)
        if pending.is_cancelled:
            return
        if pending.failed is None:
            self.failure.emit(error)
        elif is_there(pending.failed):
            pending.failed(error)

    def _note_loss(self, error: StoreError) -> None:
        # Whoever was told before may have closed this: the timer must not begin again.
        if self.lost is None and not self.is_closed:
            self.lost = error
            self._wait = 1
            self._retry.start(self._retry_milliseconds)
            self.connection_lost.emit(error)

    def _note_answer(self) -> None:
        if self.lost is not None:
            self.lost = None
            self._retry.stop()
            self.restored.emit()

    def _try_again(self) -> None:
        if self.pending_count == 0:
            self.run(look, failed=self._try_later)
        else:
            self._retry.start(self._retry_milliseconds)  # an answer is on its way

    def _try_later(self, _: AnnotatorError) -> None:
        """The loss was told already; it is tried again."""
        if not self.is_closed:
            self._wait = min(self._wait * 2, _LONGEST_WAIT)
            self._retry.start(self._retry_milliseconds * self._wait)

    def _settle_job(
        self, job: WindowJob, pending: Pending, changes: Changes, handle: Job[tuple[object, Changes]]
    ) -> None:
        try:
            value, more = handle.result()
            outcome = CallOutcome(pending, value, changes | more)
        except Exception as exc:  # as in `_work`
            outcome = CallOutcome(pending, changes=changes, error=exc)
        self._job_settled.emit(job, outcome)

    def _tell_job(self, job: WindowJob, report: object) -> None:
        job.tell(report)  # type: ignore[arg-type]  # a signal carries objects

    def _deliver_job(self, job: WindowJob, outcome: CallOutcome) -> None:
        self.jobs.remove(job)
        if self.is_closed:
            return
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
