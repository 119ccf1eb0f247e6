"""A table whose keys mean something for its rows, and win over those of the page; and what it shows."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView

from scoring.generics import T
from ui.services.held_key import is_key_held
from ui.theme.cells import Cell, Index
from ui.theme.events import claim_keys
from ui.theme.layouts import build
from ui.theme.tables import Column, RowModel


class KeyModel(RowModel, Generic[T]):
    """Rows that stay where they are while what is known of them changes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[T, ...] = ()
        """The rows shown."""

    def show(
        self, rows: Sequence[T], columns: Sequence[Column[T]], *, id_of: Callable[[T], Hashable]
    ) -> None:
        """Show other rows; those that are the same ones, by their ids, stay where they are."""
        is_same = [one.title for one in columns] == [one.title for one in self.columns]
        if is_same and list(map(id_of, rows)) == list(map(id_of, self.rows)):
            self.rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(columns) - 1))
        else:
            self.beginResetModel()
            self.rows, self.columns = tuple(rows), tuple(columns)
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self.rows)

    def cell_at(self, row: int, column: int) -> Cell | None:
        return self.columns[column].cell_of(self.rows[row])


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
        claim_keys(self, self._action_of)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._action_of(event)
        if action is None:
            super().keyPressEvent(event)
        elif not event.isAutoRepeat() and not is_key_held(self):  # it would settle rows nobody has looked at
            action()

    def _action_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return self.keys.get(Qt.Key(event.key())) if is_plain else None
