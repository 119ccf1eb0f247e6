"""Leaving a project without loss: save, wait for the answers, ask only where something is at risk."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from scoring.errors import AnnotatorError
from ui.services.operations import Operations
from ui.shell.pages import KeepsWork
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame


class LeaveDialog(QDialog):
    """Says what leaving now would stop or lose, and lets people stay.

    Args:
        reasons: One sentence each.
        parent: The window.
    """

    def __init__(self, reasons: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("leave-dialog")
        self.setWindowTitle("Leave?")
        stay = Button(
            "Stay", ButtonKind.PRIMARY, keys="Esc", objectName="leave-stay", default=True, clicked=self.reject
        )
        go = Button("Leave anyway", ButtonKind.DANGER, objectName="leave-go", clicked=self.accept)
        frame = DialogFrame(self, "Not everything is finished", width=440)
        for reason in reasons:
            frame.explain(reason, "body")
        frame.end_with(go, stay, cancel="")
        stay.setFocus()


class ExitGuard(QObject):
    """Brings a project to a point where it can be left.

    Args:
        operations: Whose answers are waited for.
        window: Parent of the question.
        pages: The pages there are now.
    """

    waiting = Signal()
    """Saving; the answer is awaited."""

    def __init__(
        self, operations: Operations, window: QWidget, *, pages: Callable[[], Sequence[QWidget]]
    ) -> None:
        super().__init__(window)
        self._operations = operations
        self._window = window
        self._pages = pages
        self._then: Callable[[], None] | None = None
        self._dialog: LeaveDialog | None = None

    def ask(self, then: Callable[[], None]) -> None:
        """Save everything; call `then` once it is saved, or once people say to leave anyway.

        Asked again while the project has not answered, it stops waiting and asks.
        """
        is_waiting = self._then is not None
        self._then = then
        if self._dialog is not None:
            return
        if is_waiting:
            self._weigh(["The project has not answered yet; your last changes may not be saved."])
            return
        for page in self._pages():
            if isinstance(page, KeepsWork):
                page.flush()
        if self._operations.project is None:
            self._go()
            return
        self.waiting.emit()
        self._operations.run(_nothing, then=self._answered, failed=self._refused)

    def _answered(self, _: None) -> None:
        if self._then is not None and self._dialog is None:
            self._weigh([])

    def _refused(self, _: AnnotatorError) -> None:
        self._answered(None)

    def _weigh(self, reasons: list[str]) -> None:
        kept = [page.unsaved_words() for page in self._pages() if isinstance(page, KeepsWork)]
        reasons += filter(None, kept)
        reasons += [
            f"“{job.title}” is still running. Leaving stops it; finished work is kept."
            for job in self._operations.jobs
        ]
        if not reasons:
            self._go()
            return
        self._dialog = LeaveDialog(reasons, self._window)
        self._dialog.finished.connect(self._decided)
        self._dialog.open()

    def _decided(self, result: int) -> None:
        assert self._dialog is not None
        self._dialog.deleteLater()
        self._dialog = None
        if result == QDialog.DialogCode.Accepted:
            self._go()
        else:
            self._then = None

    def _go(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()


def _nothing(_: object) -> None:
    """Comes back when everything before it has been answered."""
