"""The line below a case that is only read: why nobody works on it here, and what can be done instead."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ui.commands import Commands
from ui.theme import Button, ButtonKind, ElidedLabel, theme
from ui.workbench.reading import Standing

_HEIGHT = 52


class ReadingBar(QFrame):
    """The reason at the left, the ways on at the right. `left` says that the person has read enough."""

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reading-bar")
        self.setProperty("look", "bar")
        self.reason = ElidedLabel("", "strong")
        self.reason.setObjectName("reading-reason")
        self.advice = ElidedLabel("", "small-muted")
        self.advice.setObjectName("reading-advice")
        self.back = Button("Back", keys="Esc")
        self.back.setObjectName("reading-back")
        self.back.clicked.connect(self.left)
        self.next = Button("Next case")
        self.next.setObjectName("reading-next")
        self.reopen = Button("Reopen…", ButtonKind.PRIMARY)
        self.reopen.setObjectName("reading-reopen")
        words = QVBoxLayout()
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(0)
        words.addStretch(1)
        words.addWidget(self.reason)
        words.addWidget(self.advice)
        words.addStretch(1)
        self._row = QHBoxLayout(self)
        self._row.addLayout(words, 1)
        for button in (self.back, self.next, self.reopen):
            self._row.addWidget(button)
        self._fit()

    def bind(self, commands: Commands) -> None:
        """Have the buttons do the commands of the page."""
        commands.bind(self.next, "reading.next")
        commands.bind(self.reopen, "reading.reopen")

    def show_standing(self, standing: Standing, *, can_reopen: bool) -> None:
        """Say why the case is only read."""
        self.reason.setText(standing.reason)
        self.advice.setText(standing.advice)
        self.advice.setVisible(bool(standing.advice))
        self.reopen.setVisible(can_reopen)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(_HEIGHT))
        self._row.setContentsMargins(look.px(16), 0, look.px(16), 0)
        self._row.setSpacing(look.px(8))
