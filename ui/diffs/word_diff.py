"""One text with what was removed and added marked in it."""

from collections.abc import Collection, Sequence
from html import escape

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from annotator.cases.versions.differences import Piece, PieceKind, word_diff
from ui.theme import Card, SectionLabel, Theme, theme
from ui.theme.layouts import hbox, vbox
from ui.theme.words import visible

BOTH_SIDES = frozenset(PieceKind)


class WordDiffLabel(QLabel):
    """Shows pieces of text; only some kinds of them where it is one side of two.

    Args:
        shown: Kinds of pieces to show.
        look: `body` or `mono`.
    """

    def __init__(
        self,
        *,
        shown: Collection[PieceKind] = BOTH_SIDES,
        look: str = "body",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._shown = shown
        self._pieces: tuple[Piece, ...] = ()
        self._theme: Theme = theme()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setProperty("look", look)

    def minimumSizeHint(self) -> QSize:
        return QSize(1, super().minimumSizeHint().height())  # a long word must not push others out of sight

    def show_texts(self, before: str, after: str) -> None:
        """Compare two texts word by word."""
        self.show_pieces(word_diff(before, after))

    def show_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show pieces that were compared already."""
        self._pieces = tuple(pieces)
        self.setAccessibleName(spoken(pieces))
        self._write()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What is shown."""
        return self._pieces

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and theme() != self._theme:
            self._theme = theme()
            self._write()

    def _write(self) -> None:
        self.setText(marked(self._pieces, shown=self._shown))


def marked(pieces: Sequence[Piece], *, shown: Collection[PieceKind] = BOTH_SIDES) -> str:
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
    safe = escape(visible(text)).replace("\t", "    ")
    return safe.replace("  ", "&nbsp; ").replace("\n", "<br>")


def spoken(pieces: Sequence[Piece]) -> str:
    """Pieces for a screen reader, e.g. `It [removed: was] [added: will be] sunny`."""
    words = {PieceKind.REMOVED: "removed", PieceKind.ADDED: "added"}
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
        names: tuple[str, str] = ("Before", "After"),
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
    column = vbox(name, within=card, gap=4, margins=(12, 8))
    column.addWidget(side, 1, Qt.AlignmentFlag.AlignTop)
    return card
