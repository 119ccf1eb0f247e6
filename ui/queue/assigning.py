"""Giving the cases of a batch to people."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotator.review.listing import BatchRow
from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.words import counted


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
        look = theme()
        self.setFixedWidth(look.px(420))
        self._batch = QComboBox()
        self._batch.setObjectName("assign-batch")
        for batch in batches:
            self._batch.addItem(f"{batch.name} · {counted(batch.case_count, 'case')}", batch.name)
        self._batch.setCurrentIndex(max(0, self._batch.findData(wanted)))
        self._people = QListWidget()
        self._people.setObjectName("assign-people")
        self._people.setAccessibleName("People")
        for name in people:
            item = QListWidgetItem(name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            self._people.addItem(item)
        self._people.itemChanged.connect(self._check)
        form = QFormLayout()
        form.setHorizontalSpacing(look.px(16))
        form.addRow("Batch", self._batch)
        form.addRow("To", self._people)
        words = TextLabel(
            "Cases nobody owns yet are given to these people in turn; what is owned stays.", "small-muted"
        )
        words.setWordWrap(True)
        cancel = Button("Cancel")
        cancel.setObjectName("assign-cancel")
        cancel.clicked.connect(self.reject)
        self._go = Button("Assign", ButtonKind.PRIMARY)
        self._go.setObjectName("assign-go")
        self._go.clicked.connect(self._order)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._go)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(look.px(16),) * 4)
        column.setSpacing(look.px(12))
        column.addWidget(TextLabel("Assign cases", "title"))
        column.addLayout(form)
        column.addWidget(words)
        column.addLayout(buttons)
        self._check()

    def _names(self) -> tuple[str, ...]:
        items = [self._people.item(row) for row in range(self._people.count())]
        return tuple(item.text() for item in items if item.checkState() is Qt.CheckState.Checked)

    def _check(self) -> None:
        self._go.set_blocked("" if self._names() else "Choose at least one person.")

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(str(self._batch.currentData()), self._names())
