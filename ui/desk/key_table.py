"""A table whose keys mean something for its rows, and win over those of the page; and what it shows."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView

from ui.services.held_key import is_key_held
from ui.theme.layouts import build

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")


class RowModel(QAbstractTableModel, Generic[Row]):
    """Rows under headings; what stands in a cell is said by `data` of each kind of it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()
        """The rows shown."""
        self._headings: tuple[str, ...] = ()

    def show(self, rows: Sequence[Row], headings: Sequence[str], *, id_of: Callable[[Row], Hashable]) -> None:
        """Show other rows; those that are the same ones, by their ids, stay where they are."""
        is_same = list(map(id_of, rows)) == list(map(id_of, self.rows))
        if is_same and tuple(headings) == self._headings:
            self.rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(headings) - 1))
            return
        self.beginResetModel()
        self.rows, self._headings = tuple(rows), tuple(headings)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._headings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal:
            return self._headings[section]
        return None


class KeyTable(QTableView):
    """Whole rows without a grid.

    Args:
        name: Object name.
        title: What it lists, for screen readers.
    """

    def __init__(self, name: str, title: str, **properties: Any) -> None:
        build(
            super().__init__,
            objectName=name,
            accessibleName=title,
            selectionBehavior=QAbstractItemView.SelectionBehavior.SelectRows,
            showGrid=False,
            wordWrap=False,
            tabKeyNavigation=False,
            **properties,
        )
        self.keys: Mapping[Qt.Key, Callable[[], object]] = {}
        """What each key does while the table has the focus."""
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )

    def event(self, event: QEvent) -> bool:
        # The letters of the table win over those of the page while the table has the focus.
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._action_of(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._action_of(event)
        if action is None:
            super().keyPressEvent(event)
        elif not event.isAutoRepeat() and not is_key_held(self):  # it would settle rows nobody has looked at
            action()

    def _action_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return self.keys.get(Qt.Key(event.key())) if is_plain else None
