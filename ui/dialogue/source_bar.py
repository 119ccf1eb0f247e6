"""The bar above the cards while the source of a value is looked for."""

from PySide6.QtWidgets import QFrame, QWidget

from ui.dialogue.text.picks import Citing
from ui.theme import ElidedLabel, Kbd, TextLabel
from ui.theme.layouts import hbox
from ui.theme.untrusted import visible

_KEYS = ((("→", "Shift →"), "select"), (("↵",), "cite"), (("Esc",), "leave"))


class CitingBar(QFrame):
    """Says which value is cited, how to select its source, and why a place will not do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("citing-bar")
        self.setProperty("hint", "accent")
        self._title = ElidedLabel("", "accent", objectName="citing-words")
        row = hbox((self._title, 1), within=self, gap=6, margins=(12, 5))
        for keys, word in _KEYS:
            for key in keys:
                row.addWidget(Kbd(key))
            row.addWidget(TextLabel(word, "small-muted"))

    @property
    def words(self) -> str:
        """What it says about the value."""
        return self._title.text()

    def show_citing(self, citing: Citing) -> None:
        """Ask for the source of a value."""
        name = visible(citing.path.lstrip("/"))
        self._say(f"Select the source of {name}, call {citing.step}")

    def refuse(self) -> None:
        """Say that a place will not do."""
        self._say("A value cannot come from what was said later")

    def _say(self, words: str) -> None:
        self._title.setText(words)
        self.setAccessibleName(words)
