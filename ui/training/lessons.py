"""The training cases: their list, and the bars above and below the one that is open."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from annotator.guidelines import Language
from annotator.training.lessons import Feedback, Lesson, LessonQuestion, State
from annotator.training.progress import TrainingProgress
from scoring.model.case import Call, Case
from scoring.model.labels import TASK_CHECKLIST
from scoring.texts import tr, tr_count
from ui.services.topics import LANGUAGES
from ui.theme import (
    Button,
    ButtonKind,
    Card,
    Chip,
    ChipButton,
    ElidedLabel,
    Hint,
    HintAction,
    TextLabel,
    Tone,
    WrappedLabel,
    theme,
)
from ui.theme.layouts import STRETCH, FlowLayout, build, clear_layout, column, fill, hbox, vbox
from ui.theme.panels import StatePlace
from ui.theme.words import LOADING


class TrainingList(QScrollArea):
    """Offers the training cases.

    Signals: `wanted` carries the number of the case to open, `again_wanted` that of one to begin anew;
    `work_wanted` says that the person wants real work, `language_wanted` carries a `Language`.
    """

    wanted = Signal(int)
    again_wanted = Signal(int)
    work_wanted = Signal()
    language_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="training-list",
            widgetResizable=True,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        self._next: int | None = None
        self._is_known = False
        self.state = WrappedLabel(LOADING, "muted", objectName="training-state")
        self.start = Button(
            tr("Start"), ButtonKind.PRIMARY, keys="N", objectName="training-start", clicked=self.start_next
        )
        self.work = Button(tr("Go to the queue"), objectName="training-work", clicked=self.work_wanted)
        self._languages = {
            language: ChipButton(
                name,
                objectName=f"training-{language}",
                autoExclusive=True,
                clicked=partial(self.language_wanted.emit, language),
            )
            for language, name in LANGUAGES.items()
        }
        buttons = hbox(self.start, self.work, STRETCH, *self._languages.values(), gap=8)
        self._rows = vbox(gap=8)
        holder = build(QWidget, maximumWidth=theme().px(820))
        vbox(
            TextLabel(tr("Training"), "heading"),
            WrappedLabel(
                tr(
                    "Eight short cases, each a little harder than the one before. You work with the same "
                    "panels and keys as later, every answer is checked at once, and the first answer to a "
                    "question is the one that counts. Nothing of it ever becomes a case of the project."
                )
            ),
            self.state,
            buttons,
            self._rows,
            STRETCH,
            within=holder,
            gap=12,
            margins=(16, 24),
        )
        self.setWidget(column(hbox(holder, gap=None, margins=12)))
        self.setFocusProxy(self.start)

    def show_language(self, wanted: Language) -> None:
        """Show in which language the cases are."""
        for language, chip in self._languages.items():
            chip.setChecked(language is wanted)

    def show_progress(
        self, lessons: Sequence[Lesson], progress: TrainingProgress, *, threshold: float
    ) -> None:
        """Show how far the person is; a threshold of 0 asks for nothing."""
        done, first = progress.done_count(lessons), progress.first_answers(lessons)
        open_ones = (number for number, lesson in enumerate(lessons) if not progress.is_done(lesson))
        self._next = next(open_ones, None)
        self._is_known = True
        self.state.setText(_state_words(done, len(lessons), first=first, threshold=threshold))
        self.work.setVisible(self._next is not None)
        self.start.setText(
            _start_words(self._next, has_begun=any(lesson.id in progress.lessons for lesson in lessons))
        )
        fill(self._rows, (self._row(number, lesson, progress) for number, lesson in enumerate(lessons)))

    def start_next(self) -> None:
        """Open the first case that is not done; with all done, go to real work."""
        if self._next is not None:
            self.wanted.emit(self._next)
        elif self._is_known:
            self.work_wanted.emit()

    def _row(self, number: int, lesson: Lesson, progress: TrainingProgress) -> Card:
        """One training case, to open and to begin anew."""
        said, is_done = progress.of(lesson), progress.is_done(lesson)
        asked, right = len(lesson.asks), sum(said.first.get(name, False) for name in lesson.asks)
        chips: list[Chip] = []
        if is_done:
            chips.append(Chip(tr("{right} of {asked} right at first", right=right, asked=asked), Tone.OK))
        elif said.said:
            chips.append(
                Chip(
                    tr("{said_count} of {asked} answered", said_count=len(said.said), asked=asked), Tone.WARN
                )
            )
        again = Button(
            tr("Again"),
            ButtonKind.LINK,
            objectName=f"training-again-{number}",
            clicked=partial(self.again_wanted.emit, number),
        )
        opened = Button(
            lesson.title.replace("&", "&&"),
            ButtonKind.LINK,
            objectName=f"training-open-{number}",
            clicked=partial(self.wanted.emit, number),
        )
        row = Card(objectName=f"training-row-{number}")
        row.set_selected(on=number == self._next)
        hbox(
            TextLabel(str(number + 1), "muted"),
            (vbox(hbox(opened, STRETCH), ElidedLabel(lesson.about, "small-muted")), 1),
            *chips,
            again,
            within=row,
            gap=12,
            margins=(12, 8),
        )
        again.setVisible(bool(said.said))
        return row


def _start_words(wanted: int | None, *, has_begun: bool) -> str:
    if wanted is None:
        return tr("Go to the queue")
    return tr("Go on") if has_begun else tr("Start")


def _state_words(done: int, count: int, *, first: tuple[int, int], threshold: float) -> str:
    right, total = first
    words = (
        tr("{right} of {answer} right at first.", right=right, answer=tr_count(total, "answer"))
        if done
        else ""
    )
    if done:
        words = (
            tr("All {count} done. {words}", count=count, words=words)
            if done == count
            else tr("{done} of {count} done. {words}", done=done, count=count, words=words)
        )
    if not threshold:
        return words or tr("Takes about a quarter of an hour. You can leave at any time and go on later.")
    asked = tr(
        "This project asks for all {count} cases and {value:.0f} % before real work.",
        count=count,
        value=100 * threshold,
    )
    return f"{words} {asked}".strip()


class LessonHead(QFrame):
    """Which training case is open, what it teaches, and the way back."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="training-head")
        self._title = TextLabel("", "strong", objectName="training-title")
        self._blind = Chip(tr("blind"), Tone.ACCENT)
        self._count = TextLabel("", "small-muted", objectName="training-count")
        self.back = Button(tr("All training cases"), keys="Esc", objectName="training-back")
        self._teaches = QVBoxLayout()
        vbox(
            hbox(self._title, self._blind, STRETCH, self._count, self.back, gap=8),
            self._teaches,
            within=self,
            gap=6,
            margins=(16, 8),
        )

    def show_lesson(self, number: int, lesson: Lesson, *, count: int) -> None:
        """Show another training case; counted from 0."""
        self._title.setText(
            tr("Training {number} of {count}: {title}", number=number + 1, count=count, title=lesson.title)
        )
        self._blind.setVisible(lesson.is_blind)
        hint = Hint(tr("What to do."), lesson.teaches, Tone.ACCENT, objectName="training-teaches")
        fill(self._teaches, (hint,))

    def show_count(self, told: tuple[Feedback, ...]) -> None:
        """Show how many questions have their right answer."""
        right = sum(one.state is State.RIGHT for one in told)
        self._count.setText(
            tr("{right} of {told_count} right · the first answer counts", right=right, told_count=len(told))
        )


_FEW = 8
"""So many questions are listed together."""
_SIGNS = {State.OPEN: "○", State.WRONG: "✗", State.RIGHT: "✓"}
_TONES = {State.OPEN: Tone.NEUTRAL, State.WRONG: Tone.ERROR, State.RIGHT: Tone.OK}


def question_words(question: LessonQuestion, case: Case) -> str:
    """What is asked, in two or three words."""
    match question.kind:
        case "item":
            return tr(TASK_CHECKLIST[question.item])
        case "completed":
            return tr("completed?")
        case "call" | "value" | "evidence" if question.step is not None:
            step = case.tasks[question.task].steps[question.step]
            name = step.name if isinstance(step, Call) else str(question.step)
            return {
                "call": tr("{name} right?", name=name),
                "value": tr("repair {name}", name=name),
                "evidence": tr("sources of {name}", name=name),
            }[question.kind]
        case _:
            return {
                "policy": tr("policy"),
                "information": tr("information type"),
                "drawing": tr("drawing"),
            }.get(question.kind, question.kind)


class FeedbackBar(QFrame):
    """Shows what was asked of a training case and what was said.

    Signals: `place_wanted` and `answer_wanted` carry a `LessonQuestion`: the person wants to go there, or to
    see the right answer; `explanation_wanted` carries a topic.
    """

    place_wanted = Signal(object)
    answer_wanted = Signal(object)
    explanation_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="feedback-bar", look="bar")
        self.told: tuple[Feedback, ...] = ()
        """What was asked of the open case, and said."""
        self._latest: LessonQuestion | None = None
        self._case: Case | None = None
        self._chips = QWidget()
        self._flow = FlowLayout(within=self._chips, gap=6, line_gap=4)
        self._words = QVBoxLayout()
        self._note = TextLabel("", "small-muted", objectName="training-note")
        self.check = Button(tr("Check"), ButtonKind.PRIMARY, objectName="training-check")
        self.next = Button(tr("Next question"), ButtonKind.GHOST, objectName="training-question")
        left = vbox(self._chips, self._words, self._note, STRETCH, gap=6)
        right = vbox(STRETCH, hbox(self.next, self.check, gap=8), gap=None)
        hbox((left, 1), StatePlace(), right, within=self, gap=16, margins=(16, 8))

    def begin(self) -> None:
        """Forget the case before."""
        self.told, self._latest = (), None
        self.tell("")

    def tell(self, words: str) -> None:
        """Say something that is no feedback."""
        self._note.say(words)

    def show_feedback(self, told: Sequence[Feedback], case: Case, *, task: int) -> None:
        """Show the state of every question, and say about the one that was answered last why.

        Args:
            told: What was asked and said.
            case: The case it is about.
            task: The selected task; of a case that asks much, only what it asks there is listed.
        """
        before = {one.question.id: (one.state, one.said) for one in self.told}
        changed = [
            one
            for one in told
            if one.state is not State.OPEN and before.get(one.question.id) != (one.state, one.said)
        ]
        wrong = [one for one in changed if one.state is State.WRONG]
        if changed and (self.told or len(changed) == 1 or wrong):
            self._latest = (wrong or changed)[-1].question
        self.told, self._case = tuple(told), case
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
            checked=one.state is not State.OPEN,
            accessibleDescription=tr(one.state.value),
            topic=question.topic,
        )
        chip.clicked.connect(partial(self._go, chip, one))
        return chip

    def _show_latest(self) -> None:
        clear_layout(self._words)
        case = self._case
        one = next((one for one in self.told if one.question == self._latest), None)
        if one is None or case is None or one.state is State.OPEN:
            return
        question = one.question
        place = tr(
            "task {task}, {question_words}",
            task=question.task + 1,
            question_words=question_words(question, case),
        )
        is_right = one.state is State.RIGHT
        offers = HintAction("explain", tr("Explain (F1)")), HintAction("show", tr("Show the answer"))
        hint = Hint(
            tr("Right: {place}.", place=place) if is_right else tr("Not yet: {place}.", place=place),
            question.why,
            Tone.OK if is_right else Tone.ERROR,
            actions=() if is_right else offers,
            objectName="training-feedback",
            acted=self._act,
            topic=question.topic,
        )
        self._words.addWidget(hint)

    def _act(self, name: str) -> None:
        if self._latest is None:
            return
        if name == "show":
            self.answer_wanted.emit(self._latest)
        else:
            self.explanation_wanted.emit(self._latest.topic)

    def _go(self, chip: ChipButton, found: Feedback) -> None:
        chip.setChecked(found.state is not State.OPEN)
        self._latest = found.question
        self._show_latest()
        self.place_wanted.emit(found.question)
