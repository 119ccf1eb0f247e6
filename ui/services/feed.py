"""Following what other windows and commands do: a thread that waits for changes, and reads them when told."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from scoring.errors import AnnotatorError
from ui.services.calls import OpenProject
from ui.services.operations import Operations
from ui.theme.layouts import connect

if TYPE_CHECKING:
    from annotator.project.feed import News, Watch
    from annotator.project.workspace import Done, Workspace

OTHERS_MILLISECONDS = 10_000
"""How often figures are read again that others' work changes, where the rows themselves are shown at once."""


class ProjectFeed(QObject):
    """Tells `Operations.changed` what others change in the open project, within two seconds.

    Args:
        operations: The way to the project; with it the feed closes.
    """

    _noticed = Signal(object)

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self._last: int | None = None
        self._is_asking = self._is_noticed_again = False
        self._thread: _WatchThread | None = None
        self._noticed.connect(self._hear, Qt.ConnectionType.QueuedConnection)
        connect(
            (operations.opened, self._follow),
            (operations.restored, partial(self._hear, None)),  # nothing was read while the project was away
            (operations.closing, self.close),
        )

    def close(self) -> None:
        """Stop following; blocks for a moment at most."""
        if self._thread is not None:
            self._thread.stop()
            self._thread.join(timeout=1.0)  # a dead server may take longer to give up
            self._thread = None

    def _follow(self, project: OpenProject) -> None:
        self.close()
        self._last, self._is_asking, self._is_noticed_again = None, False, False
        self._thread = _WatchThread(project.project, tell=self._noticed.emit)
        self._thread.start()
        self._ask()

    def _hear(self, news: "frozenset[News] | None") -> None:
        """Read what was written; None for whatever it may have been."""
        if news is None or "events" in news:
            self._ask()
        if news is None or "presence" in news:
            self._operations.presence_changed.emit()

    def _ask(self) -> None:
        if self._operations.is_closed or self._operations.lost is not None or self._thread is None:
            return
        if self._is_asking:
            self._is_noticed_again = True
            return
        self._is_asking = True
        self._operations.run(
            partial(_news, after=self._last),
            then=partial(self._take, self._thread),
            failed=self._give_up,
            origin=self,
        )

    def _give_up(self, _: AnnotatorError) -> None:
        self._is_asking = False

    def _take(self, thread: "_WatchThread", last: int) -> None:
        if thread is not self._thread:
            return  # of the project that was open before
        self._last = last
        self._is_asking = False
        if self._is_noticed_again:
            self._is_noticed_again = False
            self._ask()


class _WatchThread(threading.Thread):
    """Waits for changes until it is stopped, over outages of the project too."""

    def __init__(self, project: str, *, tell: Callable[["frozenset[News] | None"], object]) -> None:
        super().__init__(name="feed", daemon=True)
        self._project = project
        self._tell = tell
        self._stopped = threading.Event()
        self._watch: Watch | None = None

    def stop(self) -> None:
        """End it within a second."""
        self._stopped.set()
        watch = self._watch
        if watch is not None:
            watch.stop()

    def run(self) -> None:
        from annotator.project.feed import Watch

        while not self._stopped.is_set():
            try:
                self._watch = Watch(self._project)
                try:
                    self._tell(None)  # of what came before this watch began
                    self._follow(self._watch)
                finally:
                    self._watch.close()
            except AnnotatorError:
                self._stopped.wait(timeout=2.0)

    def _follow(self, watch: "Watch") -> None:
        while not self._stopped.is_set():
            news = watch.wait()
            if news and not self._stopped.is_set():
                self._tell(news)


def _news(workspace: "Workspace", *, after: int | None) -> "int | Done[int]":
    from annotator.project.feed import last_event, news

    return last_event(workspace) if after is None else news(workspace, after=after)
