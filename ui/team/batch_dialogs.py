"""Asking about a batch: to whom it goes, or why it goes back."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.words import counted


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
        self.setFixedWidth(theme().px(420))
        self._batch = batch
        self._boxes = [QCheckBox(name) for name in people]
        for box in self._boxes:
            box.setObjectName(f"give-{box.text()}")
            box.toggled.connect(self._check)
        self._go = Button("Give", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("give-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        words = "Cases nobody owns yet go to these people in turn; what is owned stays."
        column = _lay_out(self, f"Give {batch} to", words, go=self._go)
        for box in self._boxes:
            column.addWidget(box)
        self._check()

    def _names(self) -> tuple[str, ...]:
        return tuple(box.text() for box in self._boxes if box.isChecked())

    def _check(self) -> None:
        reason = "Choose at least one person."
        if not self._boxes:
            reason = "Nobody here is an active annotator: add a person first."
        self._go.set_blocked("" if self._names() else reason)

    def _order(self) -> None:
        names = self._names()
        self.accept()
        self.ordered.emit(self._batch, names)


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
        self.setFixedWidth(theme().px(460))
        self._batch = batch
        self._reason = QPlainTextEdit()
        self._reason.setObjectName("return-reason")
        self._reason.setAccessibleName("Reason")
        self._reason.setPlaceholderText("What is wrong, for the owners")
        self._reason.setTabChangesFocus(True)
        self._reason.setFixedHeight(theme().px(90))
        self._reason.textChanged.connect(self._check)
        self._go = Button(f"Return {counted(count, 'case')}", ButtonKind.DANGER)
        self._go.setObjectName("return-go")
        self._go.clicked.connect(self._order)
        words = "Cases in cross-check or approved go back to their owners' self-check, with this reason."
        column = _lay_out(self, f"Return {batch}", words, go=self._go)
        column.addWidget(self._reason)
        self._check()

    def _check(self) -> None:
        self._go.set_blocked("" if self._reason.toPlainText().strip() else "Say why, for the owners.")

    def _order(self) -> None:
        reason = self._reason.toPlainText().strip()
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
        self.setFixedWidth(theme().px(420))
        self._batch = batch
        self._from, self._to = QComboBox(), QComboBox()
        for name, count in owners.items():
            self._from.addItem(f"{name}, {counted(count, 'case')}", name)
        for name in people:
            self._to.addItem(name, name)
        self._go = Button("Reassign", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("hand-over-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        words = "Cases in self-check go to another owner; who checked or decided a case is passed over."
        column = _lay_out(self, f"Reassign cases of {batch}", words, go=self._go)
        for box, name, title in ((self._from, "hand-over-from", "From"), (self._to, "hand-over-to", "To")):
            box.setObjectName(name)
            box.setAccessibleName(title)
            box.currentIndexChanged.connect(self._check)
            column.addWidget(TextLabel(title, "small-muted"))
            column.addWidget(box)
        self._check()

    def _check(self) -> None:
        reason = "" if self._from.count() else "Nobody owns a case in self-check here."
        if not reason and self._from.currentData() == self._to.currentData():
            reason = "Choose two different people."
        self._go.set_blocked(reason)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._batch, self._from.currentData(), self._to.currentData())


def _lay_out(dialog: QDialog, title: str, words: str, *, go: Button) -> QVBoxLayout:
    """Title, explanation, room for fields, buttons; returns the room."""
    look = theme()
    explanation = TextLabel(words, "small-muted")
    explanation.setWordWrap(True)
    cancel = Button("Cancel")
    cancel.clicked.connect(dialog.reject)
    buttons = QHBoxLayout()
    buttons.addStretch(1)
    buttons.addWidget(cancel)
    buttons.addWidget(go)
    fields = QVBoxLayout()
    fields.setSpacing(look.px(4))
    column = QVBoxLayout(dialog)
    column.setContentsMargins(*(look.px(16),) * 4)
    column.setSpacing(look.px(12))
    column.addWidget(TextLabel(title, "title"))
    column.addWidget(explanation)
    column.addLayout(fields)
    column.addLayout(buttons)
    return fields
