"""What changed between two versions of a case, one entry a field."""

from collections.abc import Sequence

from pydantic import JsonValue
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from annotator.cases.versions.case_diff import FieldChange
from annotator.cases.versions.differences import Change, Piece, PieceKind, json_diff, word_diff
from scoring.model.record import to_text
from ui.diffs.word_diff import WordDiffLabel
from ui.theme import Chip, ElidedLabel, SectionLabel, TextLabel, Tone, theme
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


_TONES = {"changed": Tone.WARN, "added": Tone.OK, "removed": Tone.ERROR}
_MOST_ROWS = 200


class JsonDiffView(QWidget):
    """One row a change: the place, what kind of change, and the value before and after in one text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme().px(12))
        self._grid.setVerticalSpacing(theme().px(4))
        self._grid.setColumnStretch(2, 1)
        self._changes: tuple[Change, ...] = ()

    def show_values(self, before: JsonValue, after: JsonValue) -> None:
        """Compare two values."""
        self.show_changes(json_diff(before, after))

    def show_changes(self, changes: Sequence[Change]) -> None:
        """Show changes that were found already; of very many the first 200."""
        self._changes = tuple(changes)
        clear_layout(self._grid)
        for row, change in enumerate(changes[:_MOST_ROWS]):
            self._add_row(row, change)
        if not changes:
            self._grid.addWidget(TextLabel("No difference.", "muted"), 0, 0, 1, 3)
        elif len(changes) > _MOST_ROWS:
            rest = TextLabel(f"… and {len(changes) - _MOST_ROWS:,} more changes", "muted")
            self._grid.addWidget(rest, _MOST_ROWS, 0, 1, 3)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What is shown."""
        return self._changes

    def _add_row(self, row: int, change: Change) -> None:
        place = ElidedLabel(
            change.path or "whole value",
            "mono-muted",
            mode=Qt.TextElideMode.ElideMiddle,
            maximumWidth=theme().px(220),
        )
        chip = Chip(change.kind, _TONES[change.kind])
        values = WordDiffLabel(look="mono")
        values.show_pieces(change_pieces(change))
        for column, widget in enumerate((place, chip, values)):
            self._grid.addWidget(widget, row, column, Qt.AlignmentFlag.AlignTop)


def change_pieces(change: Change) -> tuple[Piece, ...]:
    """The value before and after as one marked text; texts word by word, other values whole."""
    before, after = change.before, change.after
    if change.kind == "added":
        return (Piece(kind=PieceKind.ADDED, text=to_text(after)),)
    if change.kind == "removed":
        return (Piece(kind=PieceKind.REMOVED, text=to_text(before)),)
    if isinstance(before, str) and isinstance(after, str):
        return word_diff(before, after)
    return (
        Piece(kind=PieceKind.REMOVED, text=to_text(before)),
        Piece(kind=PieceKind.SAME, text=" "),
        Piece(kind=PieceKind.ADDED, text=to_text(after)),
    )
