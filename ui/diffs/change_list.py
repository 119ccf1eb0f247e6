"""What changed between two versions of a case, one entry a field."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from annotator.cases.versions.case_diff import FieldChange
from annotator.cases.versions.differences import Piece, PieceKind, word_diff
from scoring.model.record import to_text
from ui.diffs.json_diff import JsonDiffView
from ui.diffs.word_diff import WordDiffLabel
from ui.theme import SectionLabel, TextLabel
from ui.theme.layouts import clear_layout, vbox

_MOST = 100


class ChangeList(QWidget):
    """Shows each change the way its kind asks for: word by word, place by place, or before and after."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = vbox(within=self, gap=4)

    def show_changes(self, changes: Sequence[FieldChange]) -> None:
        """Show changes in order; of very many the first 100."""
        clear_layout(self._column)
        for number, change in enumerate(changes[:_MOST]):
            heading = SectionLabel(heading_of(change), objectName=f"change-{number}")
            self._column.addWidget(heading)
            self._column.addWidget(_entry(change))
        if not changes:
            self._column.addWidget(TextLabel("Nothing changed.", "muted"))
        elif len(changes) > _MOST:
            self._column.addWidget(TextLabel(f"… and {len(changes) - _MOST:,} more changes", "muted"))
        self._column.addStretch(1)


def heading_of(change: FieldChange) -> str:
    """Where a change is, counted as on screen: tasks from 1, steps from 0."""
    if change.task is None:
        return change.where
    words = change.where.split(" ", 2)[2:] if change.where.startswith("task ") else []
    return " · ".join((f"Task {change.task + 1}", *words))


def _entry(change: FieldChange) -> QWidget:
    if change.kind == "json":
        view = JsonDiffView()
        view.show_values(change.before, change.after)
        return view
    label = WordDiffLabel()
    label.show_pieces(field_pieces(change))
    return label


def field_pieces(change: FieldChange) -> tuple[Piece, ...]:
    """A change of a text, a label, an edge or a whole part as one marked text."""
    if change.kind == "text" and isinstance(change.before, str) and isinstance(change.after, str):
        return word_diff(change.before, change.after)
    pieces = []
    if change.before is not None:
        pieces.append(Piece(kind=PieceKind.REMOVED, text=to_text(change.before)))
    if change.before is not None and change.after is not None:
        pieces.append(Piece(kind=PieceKind.SAME, text=" "))
    if change.after is not None:
        pieces.append(Piece(kind=PieceKind.ADDED, text=to_text(change.after)))
    return tuple(pieces)
