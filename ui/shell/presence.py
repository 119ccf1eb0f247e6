"""Who else has the project open, and which case: a button in the header, a chip above a case."""

import hashlib
import os
import sys
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from weakref import WeakSet

from PySide6.QtCore import QObject, QSysInfo, Qt, QTimer
from PySide6.QtWidgets import QMenu, QPushButton, QStackedWidget, QWidget

from scoring.errors import StoreError
from scoring.texts import tr, tr_count, with_commas
from ui.services.calls import OpenProject
from ui.services.errors import pass_over
from ui.services.operations import Operations
from ui.theme import icon
from ui.theme.layouts import build, connect
from ui.theme.words import ago, name_key

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace
    from annotator.review.queue.presence import PresentRow
    from ui.desk.case_bar import CaseBar

_COMPUTER = hashlib.sha256(
    bytes(QSysInfo.machineUniqueId().data()) + QSysInfo.machineHostName().encode()
).hexdigest()[:12]
"""Begins the names of the windows of this computer."""
_SOON_MILLISECONDS = 300
"""Between two cases nothing is told: who goes on to the next is not seen leaving."""


class PresentButton(QPushButton):
    """Says how many others are here; its menu lists them, each with the case they have open."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="present",
            autoDefault=False,
            cursor=Qt.CursorShape.PointingHandCursor,
            kind="ghost",
        )
        self.setMenu(QMenu(self))

    def show_people(self, others: Sequence["PresentRow"], *, open_case: Callable[[str], None]) -> None:
        """Show the windows of others; a line opens the case."""
        names = sorted({row.person for row in others}, key=name_key)
        words = names[0] if len(names) == 1 else tr_count(len(names), "other")
        self.setIcon(icon("users"))
        self.setText(f" {words}".replace("&", "&&"))
        self.setToolTip(tr("Working in this project now: {names}", names=with_commas(names)))
        self.setAccessibleName(self.toolTip())
        menu, now = self.menu(), datetime.now().astimezone()
        menu.clear()
        for row in others:
            place = tr("has {case_id} open", case_id=row.case_id) if row.case_id else tr("has no case open")
            action = menu.addAction(f"{row.person} {place}, {ago(row.since, now)}".replace("&", "&&"))
            action.setEnabled(row.case_id is not None)
            if row.case_id is not None:
                action.triggered.connect(partial(open_case, row.case_id))


@runtime_checkable
class ShowsCase(Protocol):
    """A page with a case on it."""

    case_bar: "CaseBar"
    """Tells which case is shown, and shows who else has it open."""


class PresenceReporter(QObject):
    """Tells the project that this window is open and at which case, and shows the windows of others.

    It begins when a `ProjectFeed` follows the project; where that fails nobody is shown.

    Args:
        operations: The way to the project.
        button: Shows who is here.
        want_button: Shows or hides the button.
        stack: Holds the pages.
        open_case: Opens a case by id.
    """

    def __init__(
        self,
        operations: Operations,
        button: PresentButton,
        *,
        want_button: Callable[[bool], None],
        stack: QStackedWidget,
        open_case: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._operations = operations
        self._button = button
        self._want_button = want_button
        self._stack = stack
        self._open_case = open_case
        self._window = ""
        self._present: tuple[PresentRow, ...] = ()
        self._told: str | None = None
        self._bars: WeakSet[QObject] = WeakSet()
        self._soon = build(QTimer, self, singleShot=True, interval=_SOON_MILLISECONDS, timeout=self._tell)
        self._beat = build(QTimer, self, interval=60_000, timeout=self._tell_again)
        connect(
            (operations.opened, self._forget),
            (operations.presence_changed, self._look),
            (stack.currentChanged, self._follow_page),
        )

    def leave(self) -> None:
        """Say that this window shows the project no longer."""
        if self._told is not None and not self._operations.is_closed and self._operations.lost is None:
            self._operations.run(partial(_end, window=self._window), failed=pass_over, origin=self)
        self._forget()

    def _forget(self, _: OpenProject | None = None) -> None:
        self._soon.stop()
        self._beat.stop()
        self._told = None
        self._show(())

    def _follow_page(self) -> None:
        page = self._stack.currentWidget()
        if isinstance(page, ShowsCase) and page.case_bar not in self._bars:
            self._bars.add(page.case_bar)
            page.case_bar.case_changed.connect(self._tell_soon)
        self._tell_soon()

    def _tell_soon(self) -> None:
        if self._told is not None:
            self._soon.start()
            self._show_on_case()

    def _shown_case(self) -> str:
        """The case of the page that is shown, else one that is open on another."""
        pages = [self._stack.currentWidget(), *map(self._stack.widget, range(self._stack.count()))]
        return next(filter(None, map(_case_of, pages)), "")

    def _tell(self) -> None:
        if self._shown_case() != self._told:
            self._tell_again()

    def _tell_again(self) -> None:
        project = self._operations.project
        if self._operations.is_closed or self._operations.lost is not None or project is None:
            return
        self._told = self._shown_case()
        self._operations.run(
            partial(_tell, window=self._window, case_id=self._told or None), failed=pass_over, origin=self
        )

    def _look(self) -> None:
        project = self._operations.project
        if self._operations.is_closed or project is None or project.person is None:
            return
        if self._told is None:
            self._window = name_window()
            self._beat.start()
            self._tell_again()
        self._operations.run(_present, then=self._show, failed=pass_over, origin=self)

    def _show(self, present: "tuple[PresentRow, ...]") -> None:
        self._present = (
            tuple(row for row in present if not was_killed(row.window)) if self._told is not None else ()
        )
        others = [row for row in self._present if row.person != self._operations.name]
        if others:
            self._button.show_people(others, open_case=self._open_case)
        self._want_button(bool(others))
        self._show_on_case()

    def _show_on_case(self) -> None:
        page = self._stack.currentWidget()
        if not isinstance(page, ShowsCase):
            return
        shown, me = page.case_bar.shown_id, self._operations.name
        here = [row for row in self._present if row.case_id == shown and row.window != self._window]
        names = sorted(
            {
                tr("you, in another window") if row.person == self._operations.name else row.person
                for row in here
            },
            key=name_key,
        )
        if not shown or not names:
            page.case_bar.show_others("")
            return
        who = tr("open twice") if here[0].person == me else tr("also open: {names}", names=names[0])
        words = (
            who
            if len(names) == 1
            else tr("also open: {people}", people=tr_count(len(names), "person", "people"))
        )
        page.case_bar.show_others(words, tr("This case is also open by {names}.", names=with_commas(names)))


def name_window() -> str:
    """A name for a window of this process, which says on which computer and in which process it is."""
    return f"{_COMPUTER}-{os.getpid()}-{uuid.uuid4().hex[:12]}"


def was_killed(window: str) -> bool:
    """Whether a window was on this computer and its process is gone; on Windows nobody can tell."""
    computer, _, process = window.rpartition("-")[0].partition("-")
    try:
        if computer == _COMPUTER and sys.platform != "win32":
            os.kill(int(process), 0)
    except OSError as exc:
        return isinstance(exc, ProcessLookupError)
    return False


def _case_of(page: object) -> str:
    return page.case_bar.shown_id if isinstance(page, ShowsCase) else ""


# A file that is locked or cannot be written is told when there is work to keep, not by this.
def _tell(workspace: "Workspace", *, window: str, case_id: str | None) -> None:
    from annotator.review.queue.presence import tell_presence

    with suppress(StoreError):
        tell_presence(workspace, window=window, case_id=case_id)


def _end(workspace: "Workspace", *, window: str) -> None:
    from annotator.review.queue.presence import end_presence

    with suppress(StoreError):
        end_presence(workspace, window=window)


def _present(workspace: "Workspace") -> "tuple[PresentRow, ...]":
    from annotator.review.queue.presence import list_present

    return list_present(workspace)
