"""Differences on screen: of words, of texts side by side, of JSON values, and a list of all changes."""

from collections.abc import Collection, Sequence
from html import escape
from itertools import chain

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from annotator.cases.versions.case_diff import FieldChange
from annotator.cases.versions.differences import Change, DiffSegment, PieceKind, json_diff, word_diff
from scoring.model.record import to_text
from scoring.texts import tr
from ui.theme import Card, Chip, ElidedLabel, SectionLabel, TextLabel, Tone, theme
from ui.theme.layouts import STRETCH, build, fill, grid, hbox, vbox
from ui.theme.look import follow_theme
from ui.theme.words import visible

BOTH_SIDES = frozenset(PieceKind)


class WordDiffLabel(QLabel):
    """Shows pieces of text; only some kinds of them where it is one side of two.

    Args:
        pieces: What is shown at first.
        shown: Kinds of pieces to show.
        look: `body` or `mono`.
    """

    def __init__(
        self,
        pieces: Sequence[DiffSegment] = (),
        *,
        shown: Collection[PieceKind] = BOTH_SIDES,
        look: str = "body",
        parent: QWidget | None = None,
    ) -> None:
        build(
            super().__init__,
            parent,
            look=look,
            textFormat=Qt.TextFormat.RichText,
            wordWrap=True,
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
        )
        self._shown = shown
        self.show_pieces(pieces)
        follow_theme(self._write)

    def minimumSizeHint(self) -> QSize:
        return QSize(1, super().minimumSizeHint().height())  # a long word must not push others out of sight

    def show_texts(self, before: str, after: str) -> None:
        """Compare two texts word by word."""
        self.show_pieces(word_diff(before, after))

    def show_pieces(self, pieces: Sequence[DiffSegment]) -> None:
        """Show pieces that were compared already."""
        self.pieces = tuple(pieces)
        """What is shown."""
        self.setAccessibleName(spoken(pieces))
        self._write()

    def _write(self) -> None:
        self.setText(marked(self.pieces, shown=self._shown))


def marked(pieces: Sequence[DiffSegment], *, shown: Collection[PieceKind] = BOTH_SIDES) -> str:
    """Write pieces as rich text: removed struck through, added underlined, each on its own ground.

    Args:
        pieces: In reading order.
        shown: Kinds to write; the others are left out.
    """
    tokens = theme().tokens
    styles = {
        PieceKind.SAME: "",
        PieceKind.REMOVED: f"background:{tokens.error_bg};color:{tokens.error};text-decoration:line-through",
        PieceKind.ADDED: f"background:{tokens.ok_bg};color:{tokens.ok};text-decoration:underline",
    }
    written: list[str] = []
    former = PieceKind.SAME
    for piece in pieces:
        if piece.kind in shown:
            if PieceKind.SAME not in (former, piece.kind):
                written.append(" ")
            former = piece.kind
            style = styles[piece.kind]
            text = escaped(piece.text)
            written.append(f'<span style="{style}">{text}</span>' if style else text)
    return "".join(written)


def escaped(text: str) -> str:
    """Text as rich text that shows exactly it, line breaks and spaces included."""
    return escape(visible(text)).replace("\t", "    ").replace("  ", "&nbsp; ").replace("\n", "<br>")


def spoken(pieces: Sequence[DiffSegment]) -> str:
    """Pieces for a screen reader, e.g. `It [removed: was] [added: will be] sunny`."""
    words = {PieceKind.REMOVED: tr("removed"), PieceKind.ADDED: tr("added")}
    return "".join(
        piece.text if piece.kind is PieceKind.SAME else f"[{words[piece.kind]}: {piece.text.strip()}]"
        for piece in pieces
    )


class SideBySide(QWidget):
    """Left what was, right what is.

    Args:
        names: What the two versions are called.
        look: `body` or `mono`.
    """

    def __init__(
        self,
        names: tuple[str, str] = (tr("Before"), tr("After")),
        *,
        look: str = "body",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        kinds = ({PieceKind.SAME, PieceKind.REMOVED}, {PieceKind.SAME, PieceKind.ADDED})
        self._sides = tuple(WordDiffLabel(shown=shown, look=look) for shown in kinds)
        row = hbox(within=self, gap=8)
        for name, side, word in zip(names, self._sides, ("before", "after"), strict=True):
            side.setObjectName(f"side-{word}")
            row.addWidget(_column(SectionLabel(name), side), 1)

    def show_texts(self, before: str, after: str) -> None:
        """Compare two texts word by word."""
        pieces = word_diff(before, after)
        for side, text in zip(self._sides, (before, after), strict=True):
            side.show_pieces(pieces)
            side.setAccessibleName(text)


def _column(name: SectionLabel, side: WordDiffLabel) -> QWidget:
    card = Card()
    vbox(name, within=card, gap=4, margins=(12, 8)).addWidget(side, 1, Qt.AlignmentFlag.AlignTop)
    return card


_MOST = 100


class ChangeList(QWidget):
    """Shows each change the way its kind asks for: word by word, place by place, or before and after."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = vbox(within=self, gap=4)

    def show_changes(self, changes: Sequence[FieldChange]) -> None:
        """Show changes in order; of very many the first 100."""
        entries = (
            (SectionLabel(heading_of(change), objectName=f"change-{number}"), _entry(change))
            for number, change in enumerate(changes[:_MOST])
        )
        rest = tr("… and {changes_count:,} more changes", changes_count=len(changes) - _MOST)
        words = rest if len(changes) > _MOST else "" if changes else tr("Nothing changed.")
        fill(self._column, (*chain(*entries), TextLabel(words, "muted") if words else None, STRETCH))


def heading_of(change: FieldChange) -> str:
    """Where a change is, counted as on screen: tasks from 1, steps from 0."""
    if change.task is None:
        return tr(change.where)
    words = change.where.split(" ", 2)[2:] if change.where.startswith("task ") else []
    return " · ".join((tr("Task {task}", task=change.task + 1), *map(tr, words)))


def _entry(change: FieldChange) -> QWidget:
    if change.kind == "json":
        return JsonDiffView(json_diff(change.before, change.after))
    return WordDiffLabel(field_pieces(change))


def field_pieces(change: FieldChange) -> tuple[DiffSegment, ...]:
    """A change of a text, a label, an edge or a whole part as one marked text."""
    before, after = change.before, change.after
    if change.kind == "text" and isinstance(before, str) and isinstance(after, str):
        return word_diff(before, after)
    return _whole(*(None if value is None else to_text(value) for value in (before, after)))


def _whole(before: str | None, after: str | None) -> tuple[DiffSegment, ...]:
    """What was there and what is there now, one after the other; None for what is not there."""
    between = None if before is None or after is None else " "
    texts = ((PieceKind.REMOVED, before), (PieceKind.SAME, between), (PieceKind.ADDED, after))
    return tuple(DiffSegment(kind=kind, text=text) for kind, text in texts if text is not None)


_TONES = {"changed": Tone.WARN, "added": Tone.OK, "removed": Tone.ERROR}
_MOST_ROWS = 200


class JsonDiffView(QWidget):
    """One row a change: the place, what kind of change, and the value before and after in one text.

    Args:
        changes: Of very many the first 200 are shown.
    """

    def __init__(self, changes: Sequence[Change]) -> None:
        super().__init__()
        self._grid = grid(within=self, gaps=(12, 4), grows=2)
        for row, change in enumerate(changes[:_MOST_ROWS]):
            self._add_row(row, change)
        if not changes:
            self._grid.addWidget(TextLabel(tr("No difference."), "muted"), 0, 0, 1, 3)
        elif len(changes) > _MOST_ROWS:
            rest = TextLabel(
                tr("… and {changes_count:,} more changes", changes_count=len(changes) - _MOST_ROWS), "muted"
            )
            self._grid.addWidget(rest, _MOST_ROWS, 0, 1, 3)

    def _add_row(self, row: int, change: Change) -> None:
        place = ElidedLabel(
            change.path or tr("whole value"),
            "mono-muted",
            mode=Qt.TextElideMode.ElideMiddle,
            maximumWidth=theme().px(220),
        )
        values = WordDiffLabel(change_pieces(change), look="mono")
        for column, widget in enumerate((place, Chip(change.kind, _TONES[change.kind]), values)):
            self._grid.addWidget(widget, row, column, Qt.AlignmentFlag.AlignTop)


def change_pieces(change: Change) -> tuple[DiffSegment, ...]:
    """The value before and after as one marked text; texts word by word, other values whole."""
    before, after = change.before, change.after
    if change.kind == "changed" and isinstance(before, str) and isinstance(after, str):
        return word_diff(before, after)
    return _whole(
        None if change.kind == "added" else to_text(before),
        None if change.kind == "removed" else to_text(after),
    )
