"""What the sides say, field by field, as a table one decides on."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from annotator.review.expert.decisions import Own
from ui.adjudication.decision_rows import Row, RowState, value_words
from ui.theme import theme
from ui.theme.icons import icon
from ui.theme.tables import TOPIC_ROLE
from ui.theme.tokens import SMALL, Tone

Index = QModelIndex | QPersistentModelIndex
_MOST_KEYS = 3
"""Sides with a key's badge each."""
KEYS_ROLE = Qt.ItemDataRole.UserRole
"""The keys that decide an open row, as a tuple; null elsewhere."""


_TOPICS = {
    "policy": "policy",
    "information": "information",
    "completed": "judgment.completed",
    "call": "judgment.call",
    "edge": "dependency",
    "drawn": "judgment.drawn",
}
"""What of the guidelines explains a kind of field; an item of a checklist has its own."""


def _topic(row: Row) -> str | None:
    if row.field is None:
        return None
    return _TOPICS.get(row.field.kind) or f"checklist.{row.field.id.rpartition('.')[2]}"


class FieldsModel(QAbstractTableModel):
    """Columns: the field, one for each side, the decision."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._letters: tuple[str, ...] = ()
        self._rows: tuple[Row, ...] = ()

    def show_rows(self, rows: Sequence[Row], *, letters: Sequence[str]) -> None:
        """Show other rows; those that are the same fields stay where they are."""
        fresh = tuple(rows)
        same = [row.id for row in fresh] == [row.id for row in self._rows]
        if same and tuple(letters) == self._letters:
            self._rows = fresh
            if fresh:
                self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, self.columnCount() - 1))
            return
        self.beginResetModel()
        self._rows, self._letters = fresh, tuple(letters)
        self.endResetModel()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows shown."""
        return self._rows

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._letters) + 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal:
            return ("Field", *self._letters, "Decision")[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self._rows[index.row()], index.column()
        is_decision = column == len(self._letters) + 1
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._text(row, column) or None
        if role == TOPIC_ROLE:
            return _topic(row)
        if role == KEYS_ROLE:
            is_open = is_decision and row.state is RowState.OPEN
            return self._keys(row) if is_open else None
        if role == Qt.ItemDataRole.DecorationRole and is_decision and row.defect:
            return icon("warning", tone=Tone.WARN)
        if role == Qt.ItemDataRole.DecorationRole and is_decision:
            return icon("check", tone=Tone.OK) if row.state is RowState.DECIDED else None
        has_room = len(self._letters) < 3
        if role == Qt.ItemDataRole.DecorationRole and has_room and row.choice == self._letter(column):
            return icon("check", tone=Tone.ACCENT) if row.choice is not None else None
        if role == Qt.ItemDataRole.FontRole:
            return theme().sans(SMALL if is_decision else 13, is_strong=self._is_taken(row, column))
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            heading = self.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
            return f"{heading}: {self._text(row, column)}"
        return None

    def _keys(self, row: Row) -> tuple[str, ...]:
        if row.edit is not None:
            return ("Y", "X")
        letters = self._letters
        # The letters stand above the columns already: many of them leave no room for the rest.
        return (*letters, "O") if len(letters) <= _MOST_KEYS else (f"{letters[0]}–{letters[-1]}", "O")

    def _letter(self, column: int) -> str | None:
        return self._letters[column - 1] if 0 < column <= len(self._letters) else None

    def _is_taken(self, row: Row, column: int) -> bool:
        return row.choice is not None and row.choice == self._letter(column)

    def _text(self, row: Row, column: int) -> str:
        if column == 0:
            return row.title
        if column <= len(self._letters):
            return row.values[column - 1] if row.values else ""
        return choice_words(row)

    def _colour(self, row: Row, column: int) -> object:
        look = theme()
        if column == len(self._letters) + 1:
            names = {
                RowState.AGREED: "faint",
                RowState.OPEN: "warn",
                RowState.WRONG: "warn",
                RowState.DECIDED: "ok",
            }
            return look.colour(names[row.state])
        if row.state is RowState.AGREED:
            return look.colour("muted")
        is_beaten = row.choice is not None and column > 0 and not self._is_taken(row, column)
        return look.colour("muted") if is_beaten else look.colour("text")


def choice_words(row: Row) -> str:
    """What was decided about a row, in a word or two."""
    if row.defect:
        return "stays wrong" if row.state is RowState.WRONG else "kept on purpose"
    if row.state is RowState.AGREED:
        if not row.values and row.field is not None:
            return value_words(row.field, row.field.values[0])
        return "agree"
    if row.choice is None:
        return "owner differs" if row.is_against_owner else "open"
    if isinstance(row.choice, Own):
        return f"own: {value_words(row.field, row.choice.own)}" if row.field is not None else "own"
    return {"accept": "accepted", "decline": "declined"}.get(row.choice, f"{row.choice} taken")
