"""Asking about a batch: why it goes back, or who gets the cases of somebody else."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from ui.theme import ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import DropDown, NoteField
from ui.theme.words import counted


class ReturnDialog(QDialog):
    """Asks why a batch goes back to its owners.

    Args:
        batch: Its name.
        count: Cases that would go back: those in cross-check or approved.
    """

    ordered = Signal(str, str)
    """(batch, reason)."""

    def __init__(self, batch: str, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("return-dialog")
        self.setWindowTitle("Return a batch")
        self._batch = batch
        self._reason = NoteField("return-reason", "Reason", "What is wrong, for the owners")
        self._reason.textChanged.connect(self._check)
        self._reason.sent.connect(self._order)
        frame = DialogFrame(self, f"Return {batch}", width=460)
        frame.explain(
            "Cases in cross-check or approved go back to their owners' self-check, with this reason.",
            "small-muted",
        )
        frame.add(self._reason, stretch=1)
        self._go = frame.confirm(
            f"Return {counted(count, 'case')}",
            "return-go",
            self._order,
            kind=ButtonKind.DANGER,
            keys="Ctrl ↵",
        )
        self._check()

    def _check(self) -> None:
        self._go.set_blocked("" if self._reason.words else "Enter a reason for the owners.")

    def _order(self) -> None:
        reason = self._reason.words
        if reason:
            self.accept()
            self.ordered.emit(self._batch, reason)


class HandOverDialog(QDialog):
    """Asks whose unfinished cases of a batch go to whom.

    Args:
        batch: Its name.
        owners: How many cases in self-check each owner has there.
        people: Names of those who can own cases.
    """

    ordered = Signal(str, str, str)
    """(batch, from, to)."""

    def __init__(
        self, batch: str, owners: Mapping[str, int], people: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("hand-over-dialog")
        self.setWindowTitle("Reassign cases")
        self._batch = batch
        held = [(f"{name}, {counted(count, 'case')}", name) for name, count in owners.items()]
        self._from = DropDown("hand-over-from", held)
        self._to = DropDown("hand-over-to", [(name, name) for name in people])
        frame = DialogFrame(self, f"Reassign cases of {batch}", width=420)
        frame.explain(
            "Cases in self-check go to another owner; people who checked or decided a case are skipped.",
            "small-muted",
        )
        form = frame.add_form()
        for box, title in ((self._from, "From"), (self._to, "To")):
            box.setAccessibleName(title)
            box.currentIndexChanged.connect(self._check)
            form.addRow(title, box)
        self._go = frame.confirm("Reassign", "hand-over-go", self._order)
        self._check()

    def _check(self) -> None:
        reason = "" if self._from.count() else "No case in self-check has an owner here."
        if not reason and self._from.currentData() == self._to.currentData():
            reason = "Choose two different people."
        self._go.set_blocked(reason)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._batch, self._from.currentData(), self._to.currentData())
