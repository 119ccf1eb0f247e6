"""Looking at a long case beside the window's thread, so that it can be read and edited meanwhile."""

import sys
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from annotator.project.policy import ReviewPolicy
from scoring.model.taxonomy import Stage
from ui.workbench.assessing import Assessment, assess
from ui.workbench.snapshot import Snapshot

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

_USUAL_SECONDS, _SHORT_SECONDS = sys.getswitchinterval(), 0.0002
"""How long the interpreter stays with one thread: painting must not wait whole turns of the checks."""
_SOON_MILLISECONDS = 30
"""How long the checks leave the window alone, so that what changed is painted first."""


class Assessor(QObject):
    """Looks at the snapshots of one document: one at a time, and of those that wait only the newest.

    A thread lives only as long as a snapshot is looked at. What was said last is kept, since another look
    after an edit saves what did not change.

    Args:
        stage: Stage of the assignment; decides which gates apply.
        policy: The project's review policy.
        last: What was said before; null where nobody looked yet.
    """

    assessed = Signal()
    """`last` is another one, made beside the window's thread."""

    _ended = Signal(int)

    def __init__(
        self, *, stage: Stage, policy: ReviewPolicy, last: Assessment | None, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._stage = stage
        self._policy = policy
        self._number = 0
        self._running: Future[Assessment] | None = None
        self._wanted: Snapshot | None = None
        self._asked: Snapshot | None = None
        self.last = last
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._start)
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def says(self, snapshot: Snapshot) -> bool:
        """Whether `last` is about this very snapshot."""
        return self.last is not None and self.last.snapshot is snapshot

    def look(self, snapshot: Snapshot) -> Assessment:
        """What is to say about a snapshot, waiting for it."""
        self._asked = snapshot
        self._wanted = None
        if self.last is not None and self.says(snapshot):
            return self.last
        self._finish()
        if self._soon.isActive():
            self._soon.stop()
            self._ended.emit(self._number)
        if self.last is None or not self.says(snapshot):
            self.last = self._assess(snapshot, self.last)
        return self.last

    def begin(self, snapshot: Snapshot) -> None:
        """Look at a snapshot beside the window's thread; `assessed` follows."""
        self._asked = self._wanted = snapshot
        if self._running is None:
            self._soon.start()

    def _start(self) -> None:
        if self._wanted is None or self._running is not None:
            return
        self._number += 1
        sys.setswitchinterval(_SHORT_SECONDS)
        pool = ThreadPoolExecutor(1, thread_name_prefix="assess")
        self._running = pool.submit(self._run, self._number, self._wanted, self.last, self._ended)
        self._wanted = None
        pool.shutdown(wait=False)

    def _run(
        self, number: int, snapshot: Snapshot, before: Assessment | None, ended: "SignalInstance"
    ) -> Assessment:
        try:
            return self._assess(snapshot, before)
        finally:
            sys.setswitchinterval(_USUAL_SECONDS)
            ended.emit(number)

    def _finish(self) -> None:
        """Take what is being looked at, waiting for it.

        Where somebody went back meanwhile to what was looked at before, that is what counts.
        """
        running, self._running = self._running, None
        if running is not None:
            found = running.result()
            if self._asked is None or not self.says(self._asked):
                self.last = found

    def _deliver(self, number: int) -> None:
        if number != self._number:
            return
        try:
            self._finish()
        finally:
            self._start()  # what waits is looked at even where this one failed
        self.assessed.emit()

    def _assess(self, snapshot: Snapshot, before: Assessment | None) -> Assessment:
        return assess(snapshot, stage=self._stage, policy=self._policy, before=before)
