"""Looking ahead: the case that would come next, read and checked while the person still works."""

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from annotator.project.changes import Changes
from scoring.errors import AnnotatorError
from ui.operations import Operations, Pending
from ui.workbench.opening import Ready, prepare_next

_DELAY_MILLISECONDS = 1000
_SOON_MILLISECONDS = 120


class Ahead(QObject):
    """Keeps ready what is likely to come next; nothing is claimed by it.

    `prepared` says that something is ready and nothing is open, so that the columns can be filled.
    """

    prepared = Signal()

    def __init__(self, operations: Operations, *, parent: QObject) -> None:
        super().__init__(parent)
        self._operations = operations
        self._besides: str | None = None
        self._pending: Pending | None = None
        self.ready: Ready | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._look)
        operations.changed.connect(self._follow)
        operations.opened.connect(self.forget)

    def look(self, besides: str | None) -> None:
        """Look for the next case in a moment.

        Args:
            besides: Id of the case that is open; null for none.
        """
        self._besides = besides
        if self._pending is not None or (self.ready is not None and self.ready.case_id == besides):
            self.forget()
        self._timer.start(_DELAY_MILLISECONDS if besides else _SOON_MILLISECONDS)

    def take(self) -> Ready | None:
        """What is ready; it is given once, since the claim that follows changes what is next."""
        ready = self.ready
        self.forget()
        return ready

    def forget(self) -> None:
        """Drop what was prepared."""
        self.ready = None
        self._timer.stop()
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None

    def _look(self) -> None:
        page = self.parent()
        if isinstance(page, QWidget) and not page.isVisible():
            return  # nobody asks for a next case there, and the window may be closed by now
        if self.ready is not None:
            self._tell()
        elif self._operations.lost is None and self._operations.project is not None:
            self._pending = self._operations.run(
                partial(prepare_next, besides=self._besides), then=self._keep, failed=self._miss
            )

    def _keep(self, ready: Ready | None) -> None:
        self._pending = None
        self.ready = ready
        self._tell()

    def _miss(self, _: AnnotatorError) -> None:
        # Whatever is wrong is said when the person asks for the case.
        self._pending = None

    def _tell(self) -> None:
        if self.ready is not None and self._besides is None:
            self.prepared.emit()

    def _follow(self, changes: Changes, _: object) -> None:
        is_other = changes.has_policy or changes.has_new_cases
        if self.ready is not None and (is_other or self.ready.case_id in changes.case_ids):
            self.forget()
            self._timer.start(_DELAY_MILLISECONDS)
