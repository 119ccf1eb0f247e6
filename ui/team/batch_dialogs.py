"""Asking about a batch: to whom it goes, or why it goes back."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import CheckList, DropDown, NoteField
from ui.theme.words import counted

_NOBODY = "Nobody here is an active annotator: add a person first."


class GiveDialog(QDialog):
    """Asks which people get the cases of a batch that nobody owns.

    Args:
        batch: Its name.
        people: Names of those who can own cases.
    """

    ordered = Signal(str, object)
    """(batch, names)."""

    def __init__(self, batch: str, people: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("give-dialog")
        self.setWindowTitle("Give a batch")
        self._batch = batch
        self._people = CheckList("give-people", "People", names=people, nothing=_NOBODY)
        self._people.itemChanged.connect(self._check)
        self._go = Button("Give", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("give-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        frame = DialogFrame(self, f"Give {batch} to", width=420)
        frame.explain("Cases nobody owns yet go to these people in turn; what is owned stays.", "small-muted")
        frame.add(self._people, stretch=1)
        frame.end_with(self._go)
        self._check()

    def _check(self) -> None:
        reason = "Choose at least one person."
        if self._people.is_empty:
            reason = _NOBODY
        self._go.set_blocked("" if self._people.chosen else reason)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._batch, self._people.chosen)


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
        self._go = Button(f"Return {counted(count, 'case')}", ButtonKind.DANGER, keys="Ctrl ↵")
        self._go.setObjectName("return-go")
        self._go.clicked.connect(self._order)
        frame = DialogFrame(self, f"Return {batch}", width=460)
        frame.explain(
            "Cases in cross-check or approved go back to their owners' self-check, with this reason.",
            "small-muted",
        )
        frame.add(self._reason, stretch=1)
        frame.end_with(self._go)
        self._check()

    def _check(self) -> None:
        self._go.set_blocked("" if self._reason.words else "Say why, for the owners.")

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
        self._go = Button("Reassign", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("hand-over-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        frame = DialogFrame(self, f"Reassign cases of {batch}", width=420)
        frame.explain(
            "Cases in self-check go to another owner; who checked or decided a case is passed over.",
            "small-muted",
        )
        form = frame.add_form()
        for box, title in ((self._from, "From"), (self._to, "To")):
            box.setAccessibleName(title)
            box.currentIndexChanged.connect(self._check)
            form.addRow(title, box)
        frame.end_with(self._go)
        self._check()

    def _check(self) -> None:
        reason = "" if self._from.count() else "Nobody owns a case in self-check here."
        if not reason and self._from.currentData() == self._to.currentData():
            reason = "Choose two different people."
        self._go.set_blocked(reason)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._batch, self._from.currentData(), self._to.currentData())
