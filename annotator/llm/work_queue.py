"""Work that many threads do by asking a model, while one thread writes down what they hear."""

import queue
import threading
import time
from collections.abc import Callable
from typing import Generic

from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ModelError
from annotator.llm.budget import OverBudget
from scoring.generics import T, U
from scoring.wording import counted

LOOK_SECONDS = 0.2
"""How often the thread that writes looks whether it was cancelled."""
_GATHER_SECONDS = 0.05
"""So long a quarter of the threads is waited for: what is written together costs one transaction."""
_FAILURES_IN_A_ROW = 10
"""Units that fail outside the model one after another before the work stops by itself."""


class WorkQueue(Generic[T, U]):
    """Threads that take one unit after another; what they hear comes back to the thread that calls `work`.

    The threads are daemons, so that a second Ctrl+C need not wait for an endpoint.

    Args:
        take: Gives the next unit, None where none is left; called on the threads.
        ask: Does one unit, and tells what it heard, once or often, through its second argument. It ends
            early by `JobCancelled` or `OverBudget`; anything else it raises ends all the work.
        thread_count: How many units are done at once.
        name: What the threads are called.
    """

    def __init__(
        self,
        take: Callable[[], T | None],
        ask: Callable[[T, Callable[[U], None]], None],
        *,
        thread_count: int,
        name: str,
    ) -> None:
        self.stop = threading.Event()
        self.is_over_budget = False
        self._take = take
        self._ask = ask
        self._heard: queue.SimpleQueue[tuple[U] | Exception | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work_on, name=f"{name}-{i}", daemon=True)
            for i in range(max(1, thread_count))
        ]

    def run(
        self,
        keep: Callable[[list[U]], object],
        after: Callable[[list[U]], object],
        *,
        context: JobContext,
    ) -> None:
        """Let the threads work until nothing is left to do; what is under way at the end still arrives.

        Args:
            keep: Takes what was heard, also what arrives after a failure; nothing is heard twice.
            after: Called next, and every moment without anything heard; what it raises ends the work.
            context: Ends the work where it is cancelled. Where it is left, what is under way is not waited
                for, while what has arrived is kept.

        Raises:
            Exception: Whatever a unit or `after` raised.
            JobCancelled: The context was cancelled.
        """
        try:
            for thread in self._threads:
                thread.start()
            at_work = len(self._threads)
            while at_work:
                heard, ended, error = self._drain(LOOK_SECONDS)
                at_work -= ended
                keep(heard)
                after(heard)
                context.check_cancelled()
                if error:
                    raise error
        finally:
            self._wind_up(keep, context)

    def _wind_up(self, keep: Callable[[list[U]], object], context: JobContext) -> None:
        self.stop.set()
        try:
            for thread in self._threads:
                # In short waits: Windows lets no Ctrl+C interrupt a long one.
                while thread.is_alive() and not context.is_left:
                    keep(self._drain(LOOK_SECONDS)[0])
        finally:
            keep(self._drain(0)[0])  # what has arrived is kept, also where nobody waits any more

    def _drain(self, seconds: float) -> tuple[list[U], int, Exception | None]:
        """What is there now, how many threads ended, and the first failure; waits for the first items."""
        heard: list[U] = []
        enough, until = len(self._threads) // 4, time.monotonic() + seconds + _GATHER_SECONDS
        ended = 0
        error: Exception | None = None
        try:
            item = self._heard.get(timeout=seconds) if seconds else self._heard.get_nowait()
            while True:
                match item:
                    case OverBudget():
                        self.is_over_budget = True
                        self.stop.set()
                    case Exception():
                        error = error or item
                    case None:
                        ended += 1
                    case _:
                        heard.append(item[0])
                if len(heard) == 1:
                    until = time.monotonic() + _GATHER_SECONDS
                left = until - time.monotonic() if seconds and len(heard) < enough and not ended else 0
                item = self._heard.get(timeout=left) if left > 0 else self._heard.get_nowait()
        except queue.Empty:
            return heard, ended, error

    def _work_on(self) -> None:
        """Do unit after unit; what happens is told to the thread that writes, None at the end."""
        while not self.stop.is_set():
            try:
                unit = self._take()
                if unit is None:
                    break
                self._ask(unit, lambda heard: self._heard.put((heard,)))
            except JobCancelled:
                break
            except Exception as exc:
                self._heard.put(exc)
                break
        self._heard.put(None)


class FailureCount:
    """Stops the work at an endpoint that fails unit after unit.

    Args:
        noun: What a unit is called.
    """

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._in_a_row = 0

    def succeeded(self) -> None:
        """Count a unit that was answered."""
        self._in_a_row = 0

    def heard(self, error: ModelError | None) -> None:
        """Count a unit that was answered, where there is no error, or failed.

        Raises:
            ModelError: No other unit can be answered either, or too many failed in a row.
        """
        if error is None:
            self.succeeded()
        elif error.is_hopeless:
            raise error
        else:
            self.failed(error.kind, error.message, is_refused=error.is_refused)

    def failed(self, kind: str, message: str, *, is_refused: bool) -> None:
        """Count a unit that failed; a refusal concerns one unit only.

        Raises:
            ModelError: Too many failed in a row.
        """
        self._in_a_row += not is_refused
        if self._in_a_row >= _FAILURES_IN_A_ROW:
            raise ModelError(
                f"{counted(self._in_a_row, self._noun)} in a row failed outside the model. {message}",
                "Run the same command again once the endpoint is well.",
                kind=kind,
            )
