"""The same dialogue once more, to read only: another task beside the one that is worked on."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.transcript.panel import TranscriptPanel
from ui.workbench.document import WorkbenchDocument

if TYPE_CHECKING:
    from scoring.model.case import Case


class BesidePanel(QWidget):
    """Shows the case of a document with a task of its own unfolded; it follows every edit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("beside-panel")
        self.panel = TranscriptPanel("Beside")
        self.panel.view.set_read_only(on=True)
        self.panel.view.setAccessibleName("Another task of the dialogue, to read only")
        self.panel.view.task_opened.connect(self._open_task)
        self._case: Case | None = None
        self._task = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.panel)

    @property
    def task(self) -> int:
        """The task that is unfolded."""
        return self._task

    def begin(self, document: WorkbenchDocument) -> None:
        """Show the task before the selected one, or the one behind it where there is none before."""
        task = document.selection.task
        self._task = task - 1 if task else min(1, len(document.case.tasks) - 1)
        self.refresh(document)

    def refresh(self, document: WorkbenchDocument) -> None:
        """Show the case of a document as it is now."""
        self._case = document.case
        self._task = min(self._task, len(self._case.tasks) - 1)
        self.panel.show_case(self._case, task=self._task)

    def _open_task(self, task: int) -> None:
        if self._case is not None and task != self._task:
            self._task = task
            self.panel.show_case(self._case, task=task)
