"""While the project does not answer: says so, counts down to the next try, and says when it is over."""

from datetime import datetime
from math import ceil

from PySide6.QtCore import QObject, QTimer

from scoring.errors import StoreError
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.shell.footer import Footer
from ui.shell.page_state import PageStates
from ui.theme.layouts import build

_TICK_MILLISECONDS = 250


class Outage(QObject):
    """Shows in banner and footer that nothing can be kept; people go on, and what they do is kept here.

    Args:
        operations: What tries again.
        banner: Says it large, until it is closed.
        footer: Tells the end.
        states: Says it small, as long as it lasts.
    """

    def __init__(
        self,
        operations: Operations,
        banner: ErrorBanner,
        footer: Footer,
        *,
        states: PageStates,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._operations = operations
        self._banner = banner
        self._footer = footer
        self._states = states
        self._error: StoreError | None = None
        self._tick = build(QTimer, self, interval=_TICK_MILLISECONDS, timeout=self._count)
        operations.connection_lost.connect(self._begin)
        operations.restored.connect(self._end)
        banner.acted.connect(operations.retry_now)
        banner.closed.connect(self._tick.stop)

    def _begin(self, error: StoreError) -> None:
        self._error = error
        self._states.show_loss(error)
        self.remind()

    def remind(self) -> None:
        """Say it again: something else could not be done for the same reason."""
        if self._error is not None:
            self._banner.show_error(self._error)
            self._banner.offer("Retry now")
            self._count()
            self._tick.start()

    def _count(self) -> None:
        if self._error is None or self._banner.message != self._error.message:
            self._tick.stop()  # something else is said there now
            return
        seconds = ceil(self._operations.milliseconds_to_retry / 1000)
        trying = f"Retrying in {seconds} s." if seconds else "Retrying …"
        kept = "Your work is saved on this computer in the meantime."
        self._banner.change_hint(f"{self._error.hint} {kept} {trying}")

    def _end(self) -> None:
        if self._error is not None and self._banner.message == self._error.message:
            self._banner.dismiss()
        self._error = None
        self._tick.stop()
        self._states.end_loss()
        self._footer.tell(
            f"The project has been available again since {datetime.now().astimezone():%H:%M:%S}."
        )
