"""What every page and every panel that reports begins with: the way to the project, and where it speaks."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from annotator.project.changes import Changes
from annotator.project.workspace import Workspace
from scoring.generics import T
from ui.services.calls import job_of
from ui.services.commands import Commands
from ui.services.errors import ErrorBanner, Says, unread
from ui.services.feed import OTHERS_MILLISECONDS, ProjectFeed
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.theme.layouts import build


class ProjectPage(QWidget):
    """A page of the window.

    Args:
        name: What its object name begins with, e.g. `queue` for `queue-page`.
        operations: The way to the project.
        commands: Takes the commands of the page.
        parent: The widget it is in.
        properties: Of the widget, and what its signals call.
    """

    def __init__(
        self,
        name: str,
        operations: Operations,
        commands: Commands,
        *,
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(super().__init__, parent, objectName=f"{name}-page", **properties)
        self._operations = operations
        self._commands = commands
        operations.changed.connect(self._note_changes)

    def _note_changes(self, changes: Changes) -> None:
        """What a page does about changes, one's own and those of others; each says that for itself."""


class FiguresPage(ProjectPage):
    """A page of figures: what others change is counted together every so often, and not while it counts.

    Else a count of a large project would be overtaken before it ends. What this window changes is counted
    at once.
    """

    def __init__(self, name: str, operations: Operations, commands: Commands, **properties: Any) -> None:
        super().__init__(name, operations, commands, **properties)
        self._heard = Changes()
        self._later = build(
            QTimer, self, singleShot=True, interval=OTHERS_MILLISECONDS, timeout=self._catch_up
        )

    def _note_changes(self, changes: Changes, origin: object = None) -> None:
        if not isinstance(origin, ProjectFeed):
            self._count_changes(changes)
            return
        self._heard |= changes
        if not self._later.isActive():
            self._later.start()

    def _catch_up(self) -> None:
        if self._is_counting():
            self._later.start()
            return
        heard, self._heard = self._heard, Changes()
        self._count_changes(heard)

    def _count_changes(self, changes: Changes) -> None:
        """What is counted again after some changes."""
        raise NotImplementedError

    def _is_counting(self) -> bool:
        """Whether a count is under way."""
        raise NotImplementedError


class ReportPanel(QWidget):
    """A part of a page that shows what was read or counted, and reads it again when asked.

    Args:
        name: Its object name.
        operations: The way to the project.
        notice: Where it says what happened or went wrong.
        properties: Of the widget, and what its signals call.
    """

    def __init__(self, name: str, operations: Operations, notice: ErrorBanner, **properties: Any) -> None:
        build(super().__init__, objectName=name, **properties)
        self._operations = operations
        self._notice = notice
        self._job: WindowJob | None = None

    @property
    def is_reading(self) -> bool:
        """Whether a reading is under way."""
        return self._job is not None and self._job.is_running

    def _read_again(
        self,
        work: Callable[[Workspace], T],
        title: str,
        *,
        show: Callable[[T], object],
        waiting: tuple[Says, ...] = (),
    ) -> None:
        """Read by a job in place of the one that is under way; `waiting` say where that failed."""
        self._job = self._operations.start_job(
            job_of(work),
            title,
            then=show,
            failed=unread(self._notice.show_error, *waiting),
            instead_of=self._job,
        )
