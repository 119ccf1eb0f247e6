"""How a run stands, in one line: a bar, words, and Pause or Resume."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QWidget

from annotator.generation.records import GenerationState, RunStatus
from ui.generate.generate_lines import state_words
from ui.theme import Button, ButtonKind, ElidedLabel, theme

_STEPS = 1000


class RunStrip(QFrame):
    """The line above a run."""

    toggled = Signal()
    """Pause or Resume was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("generate-strip")
        self.setProperty("look", "surface")
        self._bar = QProgressBar()
        self._bar.setObjectName("generate-bar")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._bar.setAccessibleName("Progress of the run")
        self._words = ElidedLabel("", "small-muted")
        self._words.setObjectName("generate-state")
        self._toggle = Button("Resume", ButtonKind.GHOST)
        self._toggle.setObjectName("generate-toggle")
        self._toggle.clicked.connect(self.toggled)
        row = QHBoxLayout(self)
        row.addWidget(self._bar)
        row.addWidget(self._words, 1)
        row.addWidget(self._toggle)
        self._fit()

    def show_state(self, state: GenerationState, *, is_running: bool) -> None:
        """Show how a run stands, and whether it is being worked on."""
        ended = state.finished + state.given_up
        self._bar.setValue(round(_STEPS * ended / state.total) if state.total else _STEPS)
        self._words.setText(state_words(state))
        self._toggle.setText("Pause" if is_running else "Resume")
        self._toggle.setVisible(is_running or state.status is RunStatus.OPEN)
        only_waits = state.waiting and state.waiting + ended >= state.total
        self._toggle.set_blocked(
            "Pick the requests that wait first." if only_waits and not is_running else ""
        )

    def show_pausing(self) -> None:
        """Say that the run stops soon."""
        self._toggle.set_blocked("It stops once the pending replies have arrived.")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.row_height)
        self._bar.setFixedWidth(look.px(300))
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(look.px(16), 0, look.px(8), 0)
            layout.setSpacing(look.px(12))
