"""The argument values of a case as a table: where each comes from, and how far that is settled."""

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from scoring.model.labels import DialogueSource
from scoring.model.record import to_text
from scoring.model.taxonomy import SourceMark
from ui.theme import theme
from ui.theme.icons import icon
from ui.theme.tokens import Tone
from ui.workbench.assessing import EvidenceLine, EvidenceState

Index = QModelIndex | QPersistentModelIndex
LINE_ROLE = Qt.ItemDataRole.UserRole
"""Gives the `EvidenceLine` of a row."""

_MARKS = {
    SourceMark.DEFAULT: "default",
    SourceMark.DERIVED: "derived",
    SourceMark.WORLD: "world knowledge",
}
_STATES = {
    EvidenceState.CITED: ("check", Tone.OK, "cited"),
    EvidenceState.MARKED: ("check", Tone.OK, "marked"),
    EvidenceState.BROKEN: ("warning", Tone.WARN, "to confirm"),
    EvidenceState.PROPOSED: ("lightbulb", Tone.ACCENT, "proposed"),
    EvidenceState.OPEN: ("question", Tone.ERROR, "open"),
}
_LONGEST = 120


class Column(IntEnum):
    """The columns of the table."""

    CALL = 0
    ARGUMENT = 1
    VALUE = 2
    SOURCE = 3


_HEADS = {
    Column.CALL: "Call",
    Column.ARGUMENT: "Argument",
    Column.VALUE: "Value",
    Column.SOURCE: "Comes from",
}


def source_words(line: EvidenceLine) -> str:
    """Where a value comes from, in a few words."""
    if line.citation is None:
        return "nobody has said"
    source = line.citation.source
    words = _MARKS[source] if isinstance(source, SourceMark) else place_words(source, task=line.task)
    return f"{words}?" if line.state is EvidenceState.PROPOSED else words


def place_words(source: DialogueSource, *, task: int) -> str:
    """A place of the dialogue in a few words; the task is named where it is another one."""
    at = source.task if source.task is not None else task
    other = f"task {at + 1}, " if at != task else ""
    if source.text == "now":
        return "now"
    if source.text == "system":
        return "system text"
    if source.text == "user":
        return f"{other}request"
    if source.text == "reply":
        return f"{other}reply {source.step}"
    return f"{other}step {source.step} {source.path or ''}".strip()


class EvidenceModel(QAbstractTableModel):
    """Shows lines; it is given others after each edit."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[EvidenceLine, ...] = ()

    def show_lines(self, lines: Sequence[EvidenceLine]) -> None:
        """Show other lines; rows that are the same ones stay."""
        fresh = tuple(lines)
        if [line.place for line in fresh] == [line.place for line in self._lines]:
            self._lines = fresh
            if fresh:
                self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(Column) - 1))
            return
        self.beginResetModel()
        self._lines = fresh
        self.endResetModel()

    @property
    def lines(self) -> tuple[EvidenceLine, ...]:
        """The lines shown."""
        return self._lines

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal:
            return _HEADS[Column(section)]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self._lines[index.row()]
        column = Column(index.column())
        if role == LINE_ROLE:
            return line
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(line, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(line, column)
        if role == Qt.ItemDataRole.DecorationRole and column is Column.SOURCE:
            name, tone, _ = _STATES[line.state]
            return icon(name, tone=tone)
        if role == Qt.ItemDataRole.FontRole and column in (Column.ARGUMENT, Column.VALUE):
            return theme().mono(12)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_HEADS[column]}: {_text(line, column)}"
        return None


def _text(line: EvidenceLine, column: Column) -> str:
    if column is Column.CALL:
        return f"{line.task + 1}.{line.step}"
    if column is Column.ARGUMENT:
        return line.path.lstrip("/")
    if column is Column.VALUE:
        return " ".join(to_text(line.value)[:_LONGEST].split())
    return source_words(line)


def _tip(line: EvidenceLine, column: Column) -> str:
    if column is Column.CALL:
        return f"Task {line.task + 1}, step {line.step}: {line.tool_name}"
    if column is Column.SOURCE:
        words = f"{_STATES[line.state][2]}: {source_words(line)}"
        return f"{words}\n{line.reason}" if line.reason else words
    return to_text(line.value)[:2000] if column is Column.VALUE else line.path
