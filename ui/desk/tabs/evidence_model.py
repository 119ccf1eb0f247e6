"""The argument values of a case as a table: where each comes from, and how far that is settled."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import Qt

from annotator.drafts.assessment import EvidenceLine, EvidenceState
from scoring.model.record import to_text
from scoring.model.taxonomy import SourceMark
from ui.desk.key_table import Index, RowModel
from ui.theme import theme
from ui.theme.look import icon
from ui.theme.tables import TOPIC_ROLE
from ui.theme.tokens import SMALL, Tone

_STATES = {
    EvidenceState.CITED: ("check", Tone.OK, "cited"),
    EvidenceState.MARKED: ("check", Tone.OK, "marked"),
    EvidenceState.BROKEN: ("warning", Tone.WARN, "to confirm"),
    EvidenceState.PROPOSED: ("lightbulb", Tone.ACCENT, "proposed"),
    EvidenceState.OPEN: ("question", Tone.ERROR, "open"),
}
_LONGEST = 120


class EvidenceColumn(IntEnum):
    """The columns of the table."""

    ARGUMENT = 0
    VALUE = 1
    SOURCE = 2


_HEADS = {
    EvidenceColumn.ARGUMENT: "Argument",
    EvidenceColumn.VALUE: "Value",
    EvidenceColumn.SOURCE: "Comes from",
}


@dataclass(frozen=True)
class CallHead:
    """The line above the values of one call."""

    task: int
    step: int
    words: str


Row = CallHead | EvidenceLine


def rows_of(lines: Sequence[EvidenceLine]) -> tuple[Row, ...]:
    """Lines in dialogue order with a head above those of each call."""
    rows: list[Row] = []
    calls: dict[tuple[int, int], list[EvidenceLine]] = {}
    for line in lines:
        calls.setdefault((line.task, line.step), []).append(line)
    for (task, step), found in calls.items():
        done = sum(line.is_settled for line in found)
        words = f"Task {task + 1} · {step} {found[0].tool_name} · {done} of {len(found)}"
        rows += [CallHead(task, step, words), *found]
    return tuple(rows)


def source_words(line: EvidenceLine) -> str:
    """Where a value comes from, with a question mark while nobody has confirmed it."""
    if line.citation is None:
        return "nobody has said"
    return f"{line.origin}?" if line.state is EvidenceState.PROPOSED else line.origin


class EvidenceModel(RowModel[Row]):
    """Shows lines; it is given others after each edit."""

    def show_lines(self, lines: Sequence[EvidenceLine]) -> None:
        """Show other lines; rows that are the same ones stay."""
        self.show(rows_of(lines), tuple(_HEADS.values()), id_of=_place)

    @property
    def heads(self) -> tuple[int, ...]:
        """Numbers of the rows that are heads."""
        return tuple(i for i, row in enumerate(self.rows) if isinstance(row, CallHead))

    def line(self, row: int) -> EvidenceLine | None:
        """The line of a row; None for a head, or where there is no such row."""
        found = self.rows[row] if 0 <= row < len(self.rows) else None
        return found if isinstance(found, EvidenceLine) else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.NoItemFlags if self.line(index.row()) is None else super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self.rows[index.row()], EvidenceColumn(index.column())
        if isinstance(row, CallHead):
            return _head_data(row, column, role)
        if role == TOPIC_ROLE:
            return _topic(row)
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(row, column)
        if role == Qt.ItemDataRole.DecorationRole and column is EvidenceColumn.SOURCE:
            name, tone, _ = _STATES[row.state]
            return icon(name, tone=tone)
        if role == Qt.ItemDataRole.FontRole:
            return theme().sans(SMALL) if column is EvidenceColumn.SOURCE else theme().mono(12)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_HEADS[column]}: {_text(row, column)}"
        return None


def _head_data(head: CallHead, column: EvidenceColumn, role: int) -> object:
    if column is not EvidenceColumn.ARGUMENT:
        return None
    if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
        return head.words
    if role == Qt.ItemDataRole.FontRole:
        return theme().sans(SMALL, is_strong=True)
    return None


def _topic(line: EvidenceLine) -> str:
    source = line.citation.source if line.citation is not None else None
    return f"mark.{source}" if isinstance(source, SourceMark) else "judgment.evidence"


def _place(row: Row) -> tuple[object, ...]:
    return row.place if isinstance(row, EvidenceLine) else (row.task, row.step)


def _text(line: EvidenceLine, column: EvidenceColumn) -> str:
    if column is EvidenceColumn.ARGUMENT:
        return line.path.lstrip("/")
    if column is EvidenceColumn.VALUE:
        return " ".join(to_text(line.value)[:_LONGEST].split())
    return source_words(line)


def _tip(line: EvidenceLine, column: EvidenceColumn) -> str:
    if column is EvidenceColumn.SOURCE:
        words = f"{_STATES[line.state][2]}: {source_words(line)}"
        return f"{words}\n{line.reason}" if line.reason else words
    return to_text(line.value)[:2000] if column is EvidenceColumn.VALUE else line.path
