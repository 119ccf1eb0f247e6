"""Long work that tells how far it is and can be cancelled: plain functions `fn(context, ...)`, no Qt."""

import gc
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import chain, islice
from types import TracebackType
from typing import Any, Generic, Self

from pydantic import Field

from scoring.generics import T, U
from scoring.model.record import Record

_REPORT_INTERVAL_SECONDS = 0.05
_LOOK_SECONDS = 0.1
"""How often a job that waits for a call looks whether it was cancelled."""


class JobCancelled(Exception):  # noqa: N818 (not an error: somebody asked for it)
    """The job was told to stop and stopped between two units of work."""


class ProgressReport(Record):
    """How far a job is.

    `done` and `total` count the job's own units (cases, lines, bytes); `total` is None while nobody
    knows it. `note` says in a few words what is being done.
    """

    done: int = Field(ge=0)
    total: int | None = Field(default=None, ge=0)
    note: str = ""

    @property
    def share(self) -> float | None:
        """Part done, from 0 to 1; None while the total is unknown, 1 where there is nothing to do."""
        if self.total is None:
            return None
        return min(1.0, self.done / self.total) if self.total else 1.0


class JobContext:
    """What a job is given: where to tell its progress, and whether to go on. Any thread may call it.

    Args:
        on_progress: Takes the reports, on the thread that made them; None where nobody listens.
        cancel: Set by whoever wants the job to stop.
        leave: Set by whoever does not want to wait for what is under way either.
    """

    def __init__(
        self,
        on_progress: Callable[[ProgressReport], object] | None = None,
        *,
        cancel: threading.Event | None = None,
        leave: threading.Event | None = None,
    ) -> None:
        self._on_progress = on_progress
        self._cancel = cancel or threading.Event()
        self._leave = leave or threading.Event()
        self._lock = threading.Lock()
        self._told_at = float("-inf")
        self._told_note = ""

    def progress(self, done: int, total: int | None = None, note: str = "") -> None:
        """Tell how far the job is; call it for every unit.

        Reports are passed on at most every 50 ms, besides each new note and the last one: a listener
        that draws must not slow the job down.
        """
        if self._on_progress is None:
            return
        with self._lock:
            now = time.monotonic()
            is_due = now - self._told_at >= _REPORT_INTERVAL_SECONDS
            if not is_due and note == self._told_note and done != total:
                return
            self._told_at, self._told_note = now, note
        self._on_progress(ProgressReport(done=done, total=total, note=note))

    def advance(self, done: int, total: int | None = None, note: str = "") -> None:
        """Stop here if asked to, as `check_cancelled` does, else tell how far the job is."""
        self.check_cancelled()
        self.progress(done, total, note)

    def each(self, items: Iterable[T], note: str, *, total: int | None = None) -> Iterator[T]:
        """Go through the units of a job, and `advance` before each of them and behind the last.

        Args:
            items: The units.
            note: What is being done with them.
            total: How many there may be; None where `items` has a length, or nobody knows.
        """
        most = len(items) if isinstance(items, Sized) else total
        for done, item in enumerate(items):
            self.advance(done if most is None else min(done, most), most, note)
            yield item
        if most is not None:
            self.progress(most, most, note)

    def part(self, on_progress: Callable[[ProgressReport], object] | None) -> "JobContext":
        """The context of a part of the job, which tells its own progress and is cancelled with it."""
        return JobContext(on_progress, cancel=self._cancel, leave=self._leave)

    @property
    def is_left(self) -> bool:
        """Whether whoever cancelled does not wait for what is under way."""
        return self._leave.is_set()

    def check_cancelled(self) -> None:
        """Stop here if asked to; call it between units, where nothing is half done.

        Raises:
            JobCancelled: Somebody cancelled the job.
        """
        if self._cancel.is_set():
            raise JobCancelled


@contextmanager
def processes(count: int) -> Iterator[Executor]:
    """So many processes of this machine; where their work is left behind, they are ended with it."""
    # Imported late: little work is done in less time than this takes.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    # Spawned, not forked: the window's process has threads.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in active_children():
                child.terminate()
            raise


def _begin() -> None:
    """Begin a worker: what it reads it keeps, and it leaves Ctrl+C to the process that started it."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def spread(
    act: Callable[[U], T],
    items: Iterable[U],
    *,
    is_much: bool,
    count: int | None = None,
    opened: Callable[[int], AbstractContextManager[Executor]] = processes,
) -> Iterator[T]:
    """What a function gives for each of many items, in their order.

    Args:
        act: A function of a module, whose items and results can be pickled.
        items: Read a little ahead of what is done.
        is_much: Whether it is worth starting processes; little is done in this one.
        count: How many processes; as many as this machine has processors, at most four.
        opened: Opens so many of them, here or elsewhere.

    Yields:
        The results; what a process had that died is done by fewer, in the end by this one.
    """
    count = (count or min(os.cpu_count() or 1, 4)) if is_much else 1
    rest, waiting = iter(items), deque[U]()
    while count > 1:
        with suppress(BrokenExecutor), opened(count) as pool:
            futures = deque(pool.submit(act, item) for item in waiting)
            while True:
                for item in islice(rest, 2 * count - len(waiting)):
                    waiting.append(item)
                    futures.append(pool.submit(act, item))
                if not waiting:
                    return
                found = futures.popleft().result()
                waiting.popleft()
                yield found
        count //= 2
    yield from map(act, chain(waiting, rest))


def run_leavable(call: Callable[[], T], *, context: JobContext, stop: threading.Event) -> T:
    """Run a call that cannot be stopped, and leave it behind once the job is cancelled.

    Args:
        call: Runs on a daemon thread of its own; what becomes of it once it is left, nobody hears.
        context: Of the job that waits for it.
        stop: Set when it is left, so that it does not go on waiting.

    Returns:
        What the call returns.

    Raises:
        JobCancelled: Somebody cancelled the job.
        Exception: Whatever the call raised.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="leavable", daemon=True).start()
    while True:
        try:
            return future.result(_LOOK_SECONDS)
        except TimeoutError:
            if future.done():
                raise
        try:
            context.check_cancelled()
        except JobCancelled:
            stop.set()
            raise


class Job(Generic[T]):
    """A job that was started; it can be waited for and cancelled."""

    def __init__(self, future: Future[T], cancel: threading.Event) -> None:
        self._future = future
        self._cancel = cancel

    def cancel(self) -> None:
        """Ask it to stop: at once if it has not begun, else between two units."""
        self._cancel.set()
        self._future.cancel()

    def result(self, timeout_seconds: float | None = None) -> T:
        """Wait for what the job returns.

        Raises:
            JobCancelled: It was cancelled.
            TimeoutError: It is still running.
            Exception: Whatever the job raised.
        """
        try:
            return self._future.result(timeout_seconds)
        except CancelledError as exc:
            raise JobCancelled from exc

    def when_done(self, callback: Callable[["Job[T]"], object]) -> None:
        """Call back once it has ended, on the job's thread, or here if it has ended already."""
        self._future.add_done_callback(lambda _: callback(self))


class JobRunner:
    """Runs jobs on threads of its own; close it, or use it in a `with` block.

    Args:
        name: What its threads are called.
        worker_count: How many jobs run at once; further ones wait in line.
    """

    def __init__(self, name: str, *, worker_count: int = 1) -> None:
        self._pool = ThreadPoolExecutor(worker_count, thread_name_prefix=name)
        self._jobs: set[Job[Any]] = set()
        self._lock = threading.Lock()

    def start(
        self, fn: Callable[[JobContext], T], *, on_progress: Callable[[ProgressReport], object] | None = None
    ) -> Job[T]:
        """Put a job in line.

        Args:
            fn: The job; bind its other arguments with `functools.partial`.
            on_progress: Takes its reports, on its thread.

        Raises:
            RuntimeError: The runner is closed.
        """
        cancel = threading.Event()
        job = Job(self._pool.submit(fn, JobContext(on_progress, cancel=cancel)), cancel)
        with self._lock:
            self._jobs.add(job)
        job.when_done(self._forget)
        return job

    def close(self) -> None:
        """Cancel what runs or waits, and wait until every thread has ended."""
        with self._lock:
            jobs = tuple(self._jobs)
        for job in jobs:
            job.cancel()
        self._pool.shutdown()

    def _forget(self, job: Job[T]) -> None:
        with self._lock:
            self._jobs.discard(job)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
