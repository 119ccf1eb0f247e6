"""A line above the pages that offers the training to who is new in a project."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from annotator.training.progress import offers_training
from scoring.errors import AnnotatorError
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, ElidedLabel, TextLabel
from ui.theme.layouts import hbox


class TrainingOffer(QFrame):
    """Says that there is a training, until it is accepted or declined; `accepted` asks for its page.

    Args:
        operations: The way to the project.
    """

    accepted = Signal()

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("training-offer")
        self.setProperty("look", "bar")
        self._operations = operations
        start = Button("Start training", ButtonKind.PRIMARY, objectName="offer-start", clicked=self._accept)
        later = Button("Not now", ButtonKind.GHOST, objectName="offer-later", clicked=self.hide)
        hbox(
            TextLabel("New here?", "strong"),
            (ElidedLabel("Eight short cases teach what to look for, with feedback on every answer."), 1),
            start,
            later,
            within=self,
            gap=8,
            margins=(16, 8),
        )
        self.hide()

    def ask(self) -> None:
        """Show the offer where the person has neither judged a case here nor done a training case."""
        self.hide()
        self._operations.run(offers_training, then=self.setVisible, failed=self._stay_away)

    def step_aside(self, page: QWidget | None) -> None:
        """Go away where the page of the training is shown, or the person has judged a case meanwhile."""
        if page is not None and page.objectName() == "training-page":
            self.hide()
        elif self.isVisible():
            self._operations.run(offers_training, then=self._keep, failed=self._stay_away)

    def _keep(self, is_offered: bool) -> None:
        if not is_offered:
            self.hide()

    def _accept(self) -> None:
        self.hide()
        self.accepted.emit()

    def _stay_away(self, _: AnnotatorError) -> None:
        """An offer that cannot be decided is not made; what is wrong shows where the person works."""
