"""The bar below the decision: how much is left, and the three ways out."""

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from ui.adjudication.deciding import is_correction, is_sampled
from ui.adjudication.decision_document import DecisionDocument
from ui.commands import Commands
from ui.theme import Button, ButtonKind, Chip, ElidedLabel, Tone, theme
from ui.theme.words import counted

_HEIGHT = 52
_NOTE_MILLISECONDS = 8000


class DecisionBar(QFrame):
    """A chip and a sentence at the left, buttons at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("decision-bar")
        self.setProperty("look", "bar")
        self.left = Chip()
        self.left.setObjectName("fields-left")
        self._words = ElidedLabel("", "small-muted")
        self._words.setObjectName("decision-words")
        self._usual = ""
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(_NOTE_MILLISECONDS)
        self._back.timeout.connect(self._say_usual)
        self.reject = Button("Reject case…")
        self.give_back = Button("Return to owner…")
        self.finalise = Button("Finalise", ButtonKind.PRIMARY)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.left)
        self._row.addWidget(self._words, 1)
        for button, name in (
            (self.reject, "reject"),
            (self.give_back, "return"),
            (self.finalise, "finalise"),
        ):
            button.setObjectName(f"adjudication-{name}")
            self._row.addWidget(button)
        self._fit()

    def bind(self, commands: Commands) -> None:
        """Have the buttons do the commands of the page."""
        commands.bind(self.reject, "adjudication.reject")
        commands.bind(self.give_back, "adjudication.return")
        commands.bind(self.finalise, "adjudication.finalise")

    def show_document(self, document: DecisionDocument) -> None:
        """Show how far the decision is."""
        count = len(document.left)
        self.left.set_chip(
            f"{counted(count, 'field')} left" if count else "decided", Tone.WARN if count else Tone.OK
        )
        result = document.result
        if result.problem:
            self._usual = result.problem
        elif is_sampled(document.adjudication):
            is_other = is_correction(document.adjudication, result)
            self._usual = (
                "Your correction becomes a new revision, and the batch is checked again."
                if is_other
                else "Nothing is changed: the sample stands as it is."
            )
            self.finalise.setText("Save correction" if is_other else "Verify unchanged")
            self.finalise.updateGeometry()
        else:
            self._usual = "The result becomes a new revision in your name."
        self._say_usual()

    def show_kind(self, *, is_sample: bool) -> None:
        """Name the way out for a dispute or a sample."""
        self.finalise.setText("Verify unchanged" if is_sample else "Finalise")

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._words.setText(words)
        self._back.start()

    @property
    def words(self) -> str:
        """What it says."""
        return self._words.text()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _say_usual(self) -> None:
        self._back.stop()
        self._words.setText(self._usual)

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(_HEIGHT))
        self._row.setContentsMargins(look.px(16), 0, look.px(16), 0)
        self._row.setSpacing(look.px(8))
        self._row.setAlignment(Qt.AlignmentFlag.AlignVCenter)
