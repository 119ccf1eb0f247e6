"""The bar below the decision: how much is left, and the three ways out."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from annotator.review.expert.decision_edits import is_correction
from ui.adjudication.decision_document import DecisionDocument
from ui.services.commands import Commands
from ui.theme import Bar, Button, ButtonKind, Chip, ElidedLabel, Tone
from ui.theme.words import counted

_NOTE_MILLISECONDS = 8000


class DecisionBar(Bar):
    """A chip and a sentence at the left, buttons at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("bar", height=52, parent=parent)
        self.setObjectName("decision-bar")
        self.row.setAlignment(Qt.AlignmentFlag.AlignVCenter)
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
        self.row.addWidget(self.left)
        self.row.addWidget(self._words, 1)
        for button, name in (
            (self.reject, "reject"),
            (self.give_back, "return"),
            (self.finalise, "finalise"),
        ):
            button.setObjectName(f"adjudication-{name}")
            self.row.addWidget(button)

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
        is_sampled = document.adjudication.is_sampled
        is_other = is_sampled and is_correction(document.adjudication, result)
        words = "Save correction" if is_other else "Verify unchanged" if is_sampled else "Finalise"
        if self.finalise.text() != words:
            self.finalise.setText(words)
            self.finalise.updateGeometry()
        if result.problem:
            self._usual = result.problem
        elif is_sampled:
            self._usual = (
                "Your correction becomes a new revision, and the batch is checked again."
                if is_other
                else "Nothing is changed: the case is verified as it is."
            )
        else:
            self._usual = "The result becomes a new revision in your name."
        self._say_usual()

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._words.setText(words)
        self._back.start()

    @property
    def words(self) -> str:
        """What it says."""
        return self._words.text()

    def _say_usual(self) -> None:
        self._back.stop()
        self._words.setText(self._usual)
