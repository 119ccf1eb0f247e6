"""The head of a training case: which it is, what to do in it, and the way back."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from annotator.training.lessons import Feedback, Lesson, State
from ui.theme import Button, Chip, Hint, TextLabel, Tone
from ui.theme.layouts import STRETCH, hbox, vbox


class LessonHead(QFrame):
    """Which training case is open, what it teaches, and the way back."""

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("training-head")
        self._title = TextLabel("", "strong", objectName="training-title")
        self._blind = Chip("blind", Tone.ACCENT)
        self._count = TextLabel("", "small-muted", objectName="training-count")
        back = Button("All training cases", keys="Esc", objectName="training-back")
        back.clicked.connect(self.left)
        self._teaches = QVBoxLayout()
        vbox(
            hbox(self._title, self._blind, STRETCH, self._count, back, gap=8),
            self._teaches,
            within=self,
            gap=6,
            margins=(16, 8),
        )

    def show_lesson(self, number: int, lesson: Lesson, *, count: int) -> None:
        """Show another training case; counted from 0."""
        self._title.setText(f"Training {number + 1} of {count}: {lesson.title}")
        self._blind.setVisible(lesson.is_blind)
        while (item := self._teaches.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        hint = Hint("What to do.", lesson.teaches, Tone.ACCENT, objectName="training-teaches")
        self._teaches.addWidget(hint)

    def show_count(self, told: tuple[Feedback, ...]) -> None:
        """Show how many questions have their right answer."""
        right = sum(one.state is State.RIGHT for one in told)
        self._count.setText(f"{right} of {len(told)} right")
