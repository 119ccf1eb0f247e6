"""Why the sides said what they said, below the dialogue."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from annotator.review.verifying import Adjudication, Side
from ui.theme import SectionLabel, TextLabel, theme
from ui.theme.layouts import clear_layout
from ui.theme.words import FEEDBACK, VERDICT


def reason_words(side: Side) -> str:
    """What a side wrote with its verdict; empty for nothing."""
    parts = []
    for reason in side.reasons:
        kind = FEEDBACK[reason.category]
        parts.append(f"{kind}: {reason.note}" if reason.note else kind)
    return "; ".join(parts)


class Reasons(QScrollArea):
    """Verdict and reasons of each side, and whether the owner's version is still hidden."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reasons")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._words: list[str] = []
        look = theme()
        self.setFixedHeight(look.px(190))
        holder = QWidget()
        self._rows = QVBoxLayout(holder)
        self._rows.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(12))
        self._rows.setSpacing(look.px(4))
        self.setWidget(holder)

    def show_case(self, adjudication: Adjudication) -> None:
        """Show what was said about another case."""
        clear_layout(self._rows)
        self._words.clear()
        for side in adjudication.sides:
            words = reason_words(side)
            self._add(f"{side.letter} · {VERDICT[side.verdict]}", words or "No reason was given.")
        if adjudication.is_owner_hidden:
            self._add("Owner", "What the owner said stays hidden until you decide.")
        elif adjudication.why:
            self._add("Why it is here", adjudication.why)
        self._rows.addStretch(1)

    @property
    def words(self) -> str:
        """What it says, line by line."""
        return "\n".join(self._words)

    def _add(self, heading: str, words: str) -> None:
        self._words.append(words)
        label = TextLabel(words, "muted")
        label.setWordWrap(True)
        self._rows.addWidget(SectionLabel(heading))
        self._rows.addWidget(label)
