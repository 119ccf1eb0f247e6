"""The training cases as a list: what each teaches, how far the person is, and where to go on."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QWidget

from annotator.guidelines import Language
from annotator.training.lessons import Lesson
from annotator.training.progress import Progress
from ui.services.topics import LANGUAGES
from ui.theme import (
    Button,
    ButtonKind,
    Card,
    Chip,
    ChipButton,
    ElidedLabel,
    TextLabel,
    Tone,
    WrappedLabel,
    theme,
)
from ui.theme.layouts import STRETCH, build, clear_layout, hbox, vbox
from ui.theme.words import counted

_WIDTH = 820
_WHAT = (
    "Eight short cases, each a little harder than the one before. You work with the same panels and keys as "
    "later, every answer is looked at at once, and nothing of it ever becomes a case of the project."
)


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
        super().__init__(parent)
        self.setObjectName("training-list")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._next: int | None = None
        self._is_known = False
        look = theme()
        self._state = WrappedLabel("", "muted", objectName="training-state")
        self.start = Button(
            "Start", ButtonKind.PRIMARY, keys="N", objectName="training-start", clicked=self.start_next
        )
        self.work = Button("Go to the queue", objectName="training-work")
        self.work.clicked.connect(self.work_wanted)
        buttons = hbox(self.start, self.work, STRETCH, gap=8)
        self._languages = {language: ChipButton(name) for language, name in LANGUAGES.items()}
        for language, chip in self._languages.items():
            chip.setObjectName(f"training-{language}")
            chip.setCheckable(True)
            chip.clicked.connect(partial(self.language_wanted.emit, language))
            buttons.addWidget(chip)
        self._rows = vbox(gap=8)
        holder = build(QWidget, maximumWidth=look.px(_WIDTH))
        vbox(
            TextLabel("Training", "heading"),
            WrappedLabel(_WHAT),
            self._state,
            buttons,
            self._rows,
            STRETCH,
            within=holder,
            gap=12,
            margins=(16, 24),
        )
        page = QWidget()
        row = QHBoxLayout(page)
        row.addWidget(holder)
        self.setWidget(page)
        self.setFocusProxy(self.start)

    def show_language(self, wanted: Language) -> None:
        """Show in which language the cases are."""
        for language, chip in self._languages.items():
            chip.setChecked(language is wanted)

    def show_progress(self, lessons: Sequence[Lesson], progress: Progress, *, threshold: float) -> None:
        """Show how far the person is; a threshold of 0 asks for nothing."""
        done, first = progress.done_count(lessons), progress.first_answers(lessons)
        open_ones = [number for number, lesson in enumerate(lessons) if not progress.is_done(lesson)]
        self._next = open_ones[0] if open_ones else None
        self._is_known = True
        self._state.setText(_state_words(done, len(lessons), first=first, threshold=threshold))
        self.work.setVisible(self._next is not None)
        self.start.setText(
            _start_words(self._next, has_begun=any(lesson.id in progress.lessons for lesson in lessons))
        )
        clear_layout(self._rows)
        for number, lesson in enumerate(lessons):
            row = _LessonRow(number, lesson, progress, is_next=number == self._next)
            row.opened.connect(self.wanted)
            row.begun_again.connect(self.again_wanted)
            self._rows.addWidget(row)

    @property
    def state(self) -> str:
        """How far the person is, in words."""
        return self._state.text()

    def start_next(self) -> None:
        """Open the first case that is not done; with all done, go to real work."""
        if self._next is not None:
            self.wanted.emit(self._next)
        elif self._is_known:
            self.work_wanted.emit()


def _start_words(wanted: int | None, *, has_begun: bool) -> str:
    if wanted is None:
        return "Go to the queue"
    return "Go on" if has_begun else "Start"


def _state_words(done: int, count: int, *, first: tuple[int, int], threshold: float) -> str:
    right, total = first
    words = f"{right} of {counted(total, 'answer')} right at first." if done else ""
    if done:
        words = f"{'All' if done == count else f'{done} of'} {count} done. {words}"
    if not threshold:
        return words or "Takes about a quarter of an hour. You can leave at any time and go on later."
    asked = f"This project asks for all {count} cases and {100 * threshold:.0f} % before real work."
    return f"{words} {asked}".strip()


class _LessonRow(Card):
    """One training case; `opened` and `begun_again` carry its number."""

    opened = Signal(int)
    begun_again = Signal(int)

    def __init__(self, number: int, lesson: Lesson, progress: Progress, *, is_next: bool) -> None:
        super().__init__()
        self.setObjectName(f"training-row-{number}")
        self._number = number
        self.set_selected(on=is_next)
        look, said = theme(), progress.of(lesson)
        asked, right = len(lesson.asks), sum(said.first.get(name, False) for name in lesson.asks)
        is_done = progress.is_done(lesson)
        row = QHBoxLayout(self)
        row.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(8))
        row.setSpacing(look.px(12))
        row.addWidget(TextLabel(str(number + 1), "muted"))
        row.addLayout(vbox(TextLabel(lesson.title, "strong"), ElidedLabel(lesson.about, "small-muted")), 1)
        if is_done:
            row.addWidget(Chip(f"{right} of {asked} right at first", Tone.OK))
        elif said.said:
            row.addWidget(Chip(f"{len(said.said)} of {asked} answered", Tone.WARN))
        again = Button(
            "Again", ButtonKind.LINK, objectName=f"training-again-{number}", clicked=self._begin_again
        )
        again.setVisible(bool(said.said))
        row.addWidget(again)
        opened = Button(
            "Look" if is_done else "Go on" if said.said else "Open",
            ButtonKind.GHOST,
            objectName=f"training-open-{number}",
            clicked=self._open,
        )
        row.addWidget(opened)

    def _open(self) -> None:
        self.opened.emit(self._number)

    def _begin_again(self) -> None:
        self.begun_again.emit(self._number)
