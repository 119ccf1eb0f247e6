"""Giving the cases of a batch to people."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from annotator.review.listing import BatchRow
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import CheckList, DropDown
from ui.theme.words import counted

_NOBODY = "Nobody here is an active annotator: add a person first."


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
        self._go = Button("Assign", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("assign-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        frame = DialogFrame(self, "Assign cases", width=420)
        frame.explain(
            "Cases nobody owns yet are given to these people in turn; what is owned stays.", "small-muted"
        )
        frame.add_form().addRow("Batch", self._batch)
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
        self.ordered.emit(str(self._batch.currentData()), self._people.chosen)
