"""The head of a training case: which it is, what to do in it, and the way back."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from annotator.training.lessons import Feedback, Lesson, Question, State
from scoring.model.case import Call, Case
from scoring.model.labels import TASK_CHECKLIST
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, Chip, ChipButton, Hint, HintAction, TextLabel, Tone
from ui.theme.layouts import STRETCH, FlowLayout, clear_layout, hbox, vbox


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


_FEW = 8
"""So many questions are listed together."""
_SIGNS = {State.OPEN: "○", State.WRONG: "✗", State.RIGHT: "✓"}
_TONES = {State.OPEN: Tone.NEUTRAL, State.WRONG: Tone.ERROR, State.RIGHT: Tone.OK}


def question_words(question: Question, case: Case) -> str:
    """What is asked, in two or three words."""
    match question.kind:
        case "item":
            return TASK_CHECKLIST[question.item]
        case "completed":
            return "completed?"
        case "call" | "value" | "evidence" if question.step is not None:
            step = case.tasks[question.task].steps[question.step]
            name = step.name if isinstance(step, Call) else str(question.step)
            return {"call": f"{name} right?", "value": f"repair {name}", "evidence": f"sources of {name}"}[
                question.kind
            ]
        case _:
            return {"information": "information type"}.get(question.kind, question.kind)


class FeedbackBar(QFrame):
    """Shows what was asked of a training case and what was said.

    Signals: `place_wanted` and `answer_wanted` carry a `Question`: the person wants to go there, or to see
    the right answer; `explanation_wanted` carries a topic.
    """

    place_wanted = Signal(object)
    answer_wanted = Signal(object)
    explanation_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("feedback-bar")
        self.setProperty("look", "bar")
        self._told: tuple[Feedback, ...] = ()
        self._latest: Question | None = None
        self._case: Case | None = None
        self._chips = QWidget()
        self._flow = FlowLayout(self._chips, gap=6, line_gap=4)
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._words = QVBoxLayout()
        self._note = TextLabel("", "small-muted", objectName="training-note")
        self.check = Button("Check", ButtonKind.PRIMARY, objectName="training-check")
        self.next = Button("Next question", ButtonKind.GHOST, objectName="training-question")
        left = vbox(self._chips, self._words, self._note, STRETCH, gap=6)
        right = vbox(STRETCH, hbox(self.next, self.check, gap=8), gap=None)
        hbox((left, 1), right, within=self, gap=16, margins=(16, 8))

    @property
    def words(self) -> str:
        """What it says about the latest answer, and the note below."""
        hints = [hint.words for hint in self.findChildren(Hint) if not hint.isHidden()]
        return " ".join([*hints, self._note.text()]).strip()

    def begin(self) -> None:
        """Forget the case before."""
        self._told, self._latest = (), None
        self.tell("")

    def tell(self, words: str) -> None:
        """Say something that is no feedback."""
        self._note.setText(words)
        self._note.setVisible(bool(words))

    def show_feedback(self, told: Sequence[Feedback], case: Case, *, task: int) -> None:
        """Show the state of every question, and say about the one that was answered last why.

        Args:
            told: What was asked and said.
            case: The case it is about.
            task: The selected task; of a case that asks much, only what it asks there is listed.
        """
        before = {one.question.id: (one.state, one.said) for one in self._told}
        changed = [
            one
            for one in told
            if one.state is not State.OPEN and before.get(one.question.id) != (one.state, one.said)
        ]
        wrong = [one for one in changed if one.state is State.WRONG]
        if changed and (self._told or len(changed) == 1 or wrong):
            self._latest = (wrong or changed)[-1].question
        self._told, self._case = tuple(told), case
        clear_layout(self._flow)
        for one in told:
            if len(told) <= _FEW or one.question.task == task:
                self._flow.addWidget(self._chip(one, case))
        self._show_latest()

    def _chip(self, one: Feedback, case: Case) -> ChipButton:
        question = one.question
        chip = ChipButton(
            f"{_SIGNS[one.state]} {question.task + 1} · {question_words(question, case)}",
            _TONES[one.state],
            objectName=f"asks-{question.id}",
            checkable=True,
            checked=one.state is not State.OPEN,
            accessibleDescription=one.state.value,
            clicked=self._go,
        )
        chip.setProperty("asks", question.id)
        set_topic(question.topic, chip)
        return chip

    def _show_latest(self) -> None:
        clear_layout(self._words)
        case = self._case
        one = next((one for one in self._told if one.question == self._latest), None)
        if one is None or case is None or one.state is State.OPEN:
            return
        question = one.question
        place = f"task {question.task + 1}, {question_words(question, case)}"
        if one.state is State.RIGHT:
            hint = Hint(f"Right: {place}.", question.why, Tone.OK)
        else:
            hint = Hint(
                f"Not yet: {place}.",
                question.why,
                Tone.ERROR,
                actions=(HintAction("explain", "Explain (F1)"), HintAction("show", "Show the answer")),
            )
        hint.setObjectName("training-feedback")
        set_topic(question.topic, hint)
        hint.acted.connect(self._act)
        self._words.addWidget(hint)

    def _act(self, name: str) -> None:
        if self._latest is None:
            return
        if name == "show":
            self.answer_wanted.emit(self._latest)
        else:
            self.explanation_wanted.emit(self._latest.topic)

    def _go(self) -> None:
        wanted = str(self.sender().property("asks"))
        found = next(one for one in self._told if one.question.id == wanted)
        chip = self.sender()
        assert isinstance(chip, ChipButton)
        chip.setChecked(found.state is not State.OPEN)
        self._latest = found.question
        self._show_latest()
        self.place_wanted.emit(found.question)
