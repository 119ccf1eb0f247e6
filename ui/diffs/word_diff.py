"""One text with what was removed and added marked in it."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from annotator.cases.versions.differences import Piece, PieceKind, word_diff
from ui.diffs.markup import BOTH_SIDES, marked, spoken
from ui.theme import Theme, theme


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
