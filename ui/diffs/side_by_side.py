"""Two versions of a text beside each other, each with its own part of the difference marked."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from annotator.cases.versions.differences import PieceKind, word_diff
from ui.diffs.word_diff import WordDiffLabel
from ui.theme import Card, SectionLabel
from ui.theme.layouts import hbox, vbox


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
