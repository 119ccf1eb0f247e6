"""Asking which people get the cases of a batch; more than one page asks it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from annotator.review.queue.case_rows import BatchRow
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import CheckList, DropDown
from ui.theme.words import counted

_NOBODY = "This project has no active annotator: add a person first."


class AssignDialog(QDialog):
    """Asks which batch goes to whom.

    Args:
        batches: To choose from, the newest first.
        people: Names of those who can own cases.
        wanted: The batch marked first; the newest where there is none of this name.
    """

    ordered = Signal(str, object)
    """(batch name, names of people)."""

    def __init__(
        self,
        batches: Sequence[BatchRow],
        people: Sequence[str],
        *,
        wanted: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("assign-dialog")
        self.setWindowTitle("Assign cases")
        self._batch = DropDown(
            "assign-batch",
            [(f"{batch.name} · {counted(batch.case_count, 'case')}", batch.name) for batch in batches],
        )
        self._batch.setCurrentIndex(max(0, self._batch.findData(wanted)))
        self._people = CheckList("assign-people", "People", names=people, nothing=_NOBODY)
        self._people.itemChanged.connect(self._check)
        frame = DialogFrame(self, "Assign cases", width=420)
        frame.explain(
            "Cases without an owner are assigned to these people in turn; cases with an owner are skipped.",
            "small-muted",
        )
        frame.add_form().addRow("Batch", self._batch)
        frame.add(self._people, stretch=1)
        self._go = frame.confirm("Assign", "assign-go", self._order)
        self._check()

    def _check(self) -> None:
        reason = "Choose at least one person."
        if self._people.is_empty:
            reason = _NOBODY
        self._go.set_blocked("" if self._people.chosen else reason)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(str(self._batch.currentData()), self._people.chosen)
