"""The first line of a card: who speaks, what it is called, and how it stands."""

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from ui.dialogue.content import CardContent, CardKind, Coverage
from ui.theme import Chip, Dot, ElidedLabel, Kbd, TextLabel, Tone
from ui.theme.layouts import hbox
from ui.theme.untrusted import visible
from ui.theme.words import counted

_HUES: Mapping[CardKind, str] = {
    CardKind.USER: "user",
    CardKind.CALL: "call",
    CardKind.ASK: "answer",
    CardKind.ANSWER: "answer",
    CardKind.FOLDED: "faint",
}


class CardHead(QWidget):
    """First line of a card: square, who, name, note, chips, key; only what is said is made."""

    def __init__(self, kind: CardKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        hue = _HUES[kind]
        self._is_folded = kind is CardKind.FOLDED
        self._title = TextLabel("", "small-muted" if self._is_folded else hue)
        self._name: ElidedLabel | None = None
        self._note: TextLabel | None = None
        self._chip: Chip | None = None
        self._coverage: Chip | None = None
        self._comments: Chip | None = None
        self._key: Kbd | None = None
        self._row = hbox(
            TextLabel("▸", "small-faint") if self._is_folded else Dot(hue), self._title, within=self, gap=8
        )
        if not self._is_folded:
            self._row.addStretch(1)

    def show_content(self, content: CardContent) -> None:
        """Say who speaks and how it stands."""
        self._title.setText(content.title)
        if self._name is None and content.name:
            self._name = ElidedLabel("", "small-faint" if self._is_folded else "mono-muted")
            self._row.insertWidget(2, self._name, 1 if self._is_folded else 0)
        if self._note is None and content.note:
            self._note = TextLabel("", "small-muted")
            self._row.insertWidget(2 + (self._name is not None), self._note)
        if self._chip is None and content.chip:
            self._chip = Chip("", Tone.WARN if self._is_folded else Tone.NEUTRAL)
            self._row.addWidget(self._chip)
        if self._coverage is None and content.coverage is not None:
            self._coverage = Chip("", _coverage_tone(content.coverage))
            self._row.addWidget(self._coverage)
        if self._comments is None and content.comment_count:
            self._comments = Chip(
                "", Tone.ACCENT, objectName="card-comments", toolTip="Open conversations (Alt+M)"
            )
            self._row.insertWidget(self._row.count() - (self._key is not None), self._comments)
        for label, text in ((self._name, visible(content.name)), (self._note, content.note)):
            if label is not None:
                label.setText(text)
                label.setVisible(bool(text))
        self._show_chips(content)

    def show_keys(self, *, on: bool) -> None:
        """Show which key works on the card."""
        if on and self._key is None:
            self._key = Kbd("E", toolTip="Cite the values of this call")
            self._row.addWidget(self._key)
        if self._key is not None:
            self._key.setVisible(on)

    def _show_chips(self, content: CardContent) -> None:
        if self._chip is not None:
            self._chip.set_chip(content.chip, Tone.WARN if self._is_folded else Tone.NEUTRAL)
            self._chip.setVisible(bool(content.chip))
        if self._comments is not None:
            self._comments.setText(counted(content.comment_count, "remark"))
            self._comments.setVisible(content.comment_count > 0)
        if self._coverage is not None:
            words = coverage_words(content.coverage)
            self._coverage.set_chip(words, _coverage_tone(content.coverage))
            self._coverage.setVisible(bool(words))


def _coverage_tone(coverage: Coverage | None) -> Tone:
    return Tone.OK if coverage is not None and coverage.cited >= coverage.total else Tone.WARN


def coverage_words(coverage: Coverage | None) -> str:
    """How much of a call is cited, in words."""
    if coverage is None or not coverage.total:
        return ""
    return f"{coverage.cited} of {coverage.total} cited"
