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
  that were overtaken (a preview while scrolling), never for writes.

What other windows and commands do goes out as `changed`, too, where a `ProjectFeed` follows the project.

Long work goes through `start_job`: it runs on a thread of its own with a `Workspace` of its own, so
that the window's calls need not wait behind it.
"""

from ui.services.operations.calls import OpenProject, Pending
from ui.services.operations.collector import Collector
from ui.services.operations.feed import OTHERS_MILLISECONDS, ProjectFeed
from ui.services.operations.operations import RETRY_MILLISECONDS, Operations

__all__ = [
    "OTHERS_MILLISECONDS",
    "RETRY_MILLISECONDS",
    "Collector",
    "OpenProject",
    "Operations",
    "Pending",
    "ProjectFeed",
]
