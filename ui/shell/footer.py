"""The bar at the bottom: what is saved, what can be undone, what runs."""

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.services.jobs import JobStrip
from ui.theme import ElidedLabel, TextLabel, Tone, theme
from ui.theme.layouts import build
from ui.theme.tokens import STATUS_HEIGHT

_NOTE_MILLISECONDS = 6000
_LOOKS = {
    Tone.NEUTRAL: "small-muted",
    Tone.ACCENT: "accent",
    Tone.OK: "ok",
    Tone.WARN: "warn",
    Tone.ERROR: "error",
}
_SIGNS = {Tone.OK: "●", Tone.WARN: "▲", Tone.ERROR: "■"}


class Footer(QFrame):
    """Save state and notes at the left, jobs at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.setProperty("look", "status")
        self._saved = TextLabel("", "ok", objectName="save-state")
        self._undo = ElidedLabel("", "small-muted", objectName="undo-words")
        self._note = ElidedLabel("", "small-muted", objectName="footer-note")
        self.jobs = JobStrip()
        self._clear = build(QTimer, self, singleShot=True, interval=_NOTE_MILLISECONDS, timeout=self.be_quiet)
        row = QHBoxLayout(self)
        row.addWidget(self._saved)
        row.addWidget(self._undo)
        row.addWidget(self._note, 1)
        row.addWidget(self.jobs)
        self._fit()
        self.show_saved("", Tone.NEUTRAL)
        self.show_undo("")

    def show_saved(self, words: str, tone: Tone) -> None:
        """Say whether everything is kept; empty words say nothing."""
        sign = _SIGNS.get(tone, "")
        self._saved.set_look(_LOOKS[tone])
        self._saved.setText(f"{sign} {words}".strip() if words else "")
        self._saved.setVisible(bool(words))

    def show_undo(self, words: str) -> None:
        """Say what Ctrl+Z would take back."""
        self._undo.setText(words)
        self._undo.setVisible(bool(words))

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._note.setText(words)
        self._clear.start()

    def be_quiet(self) -> None:
        """Take back what was said for a few seconds: it is over, or about something else."""
        self._clear.stop()
        self._note.setText("")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(STATUS_HEIGHT))
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(look.px(12), 0, look.px(12), 0)
            layout.setSpacing(look.px(16))
