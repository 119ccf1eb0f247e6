"""The Training page: the desk with a case that is in no project, and what to learn from each answer."""

from collections.abc import Callable
from functools import partial

from pydantic import JsonValue
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from annotator.drafts.problems import Problem, problems_of
from annotator.guidelines import Language
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace
from annotator.training.feedback import (
    answered,
    feedback_on,
    open_problems,
    opening,
    repaired_values,
    right_answer,
    to_check,
)
from annotator.training.lessons import Lesson, LessonQuestion, State, read_lessons
from annotator.training.progress import TrainingProgress, begin_again, keep_answers, training_progress
from scoring.errors import AnnotatorError
from scoring.model.record import Record
from scoring.texts import tr
from ui.desk.document import CaseDocument
from ui.desk.keyboard import Keyboard
from ui.desk.panels import CasePanels
from ui.desk.tabs.review_tab import ReviewTab
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.services.preferences import Preferences
from ui.services.topics import end_explanation, explain, wanted_language
from ui.theme.layouts import column, connect, stacked, vbox
from ui.training.lessons import FeedbackBar, LessonHead, TrainingList
from ui.workbench.commands import add_desk_commands

_TRAINING = tr("Training")


class _Loaded(Record):
    """What the list shows."""

    lessons: tuple[Lesson, ...]
    progress: TrainingProgress
    threshold: float


def _load(workspace: Workspace, *, language: Language) -> _Loaded:
    return _Loaded(
        lessons=read_lessons(language),
        progress=training_progress(workspace),
        threshold=workspace.policy().training_threshold,
    )


class TrainingPage(ProjectPage):
    """Where a person learns to judge; nothing of it becomes a case, and answers are kept as they are given.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        preferences: Says and remembers the language of explanations, which the cases are in, too.
    """

    finished = Signal(str)
    """The person goes to real work."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("training", operations, commands, parent=parent)
        self._preferences = preferences
        self._loaded: _Loaded | None = None
        self._number: int | None = None
        self._checked: dict[str, JsonValue] = {}
        self.list = TrainingList()
        self.head = LessonHead()
        self.panels = CasePanels(operations, ReviewTab(has_offers=False), is_stored=False)
        self.panels.review.show_mistakes(())
        self.panels.graph.summary.names_policy = False
        self.bar = FeedbackBar()
        self.banner = ErrorBanner()
        self.keyboard = Keyboard(self.panels, commands, page=self, problems=self._problems)
        self._build()
        self._add_commands()
        connect(
            (self.list.wanted, self.open_lesson),
            (self.list.again_wanted, self._begin_again),
            (self.list.work_wanted, partial(self.finished.emit, tr("N takes your first case."))),
            (self.list.language_wanted, self._choose_language),
            (self._preferences.changed, self._follow_language),
            (self.head.back.clicked, self.leave_lesson),
            (self.keyboard.navigation.told, self._tell_place),
            (self.keyboard.navigation.moved, self._tell_problem),
            (self.keyboard.told, self.bar.tell),
            (self.panels.told, self.bar.tell),
            (self.bar.place_wanted, self._go_to),
            (self.bar.answer_wanted, self._show_answer),
            (self.bar.explanation_wanted, partial(explain, widget=self)),
        )
        self.setFocusProxy(self.list)
        self.reload()

    @property
    def document(self) -> CaseDocument | None:
        """The training case as the person has it; None while none is open."""
        return self.panels.document

    @property
    def topic(self) -> str:
        """What of the guidelines explains where the person is."""
        return self.keyboard.navigation.topic if self.document is not None else "judgment"

    @property
    def lesson(self) -> Lesson | None:
        """The training case that is open."""
        return (
            self._loaded.lessons[self._number]
            if self._loaded is not None and self._number is not None
            else None
        )

    def reload(self) -> None:
        """Read how far the person is, and show the list."""
        self._read(self._show_list)

    def _read(self, then: "Callable[[_Loaded], None]") -> None:
        load = partial(_load, language=wanted_language(self._preferences))
        self._operations.run(load, then=then, failed=unread(self.banner.show_error, self.list.state))

    def open_lesson(self, number: int) -> None:
        """Open a training case where the person left it."""
        if self._loaded is None:
            return
        self._number = number
        lesson = self._loaded.lessons[number]
        known = self._loaded.progress.of(lesson).said
        start = opening(lesson)
        draft = answered(lesson, start, known)
        self._checked = {name: said for name, said in known.items() if name in lesson.asks}
        document = CaseDocument(
            start.case,
            start.judgment,
            stage=lesson.stage,
            policy=ReviewPolicy(),
            is_blind=lesson.is_blind,
            draft=draft,
            parent=self,
        )
        self._close()
        self.keyboard.navigation.forget()
        self.bar.begin()
        self.head.show_lesson(number, lesson, count=len(self._loaded.lessons))
        self.panels.set_document(document)
        connect(
            (document.assessed, self._look),
            (document.selection_changed, self._list_questions),
            (document.refused, lambda error: self.bar.tell(tr(error.message))),
        )
        self._stack.setCurrentWidget(self._desk)
        self.setFocusProxy(self.panels)
        self.panels.dialogue.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._look()

    def check(self) -> None:
        """Have drawings and repaired values looked at; with everything right, go on."""
        lesson, document = self.lesson, self.document
        if lesson is None or document is None:
            return
        if self._is_done:
            self.go_on()
            return
        self.panels.dialogue.view.end_edit()
        self._checked |= to_check(lesson, document.snapshot)
        self._look()
        open_ones = [one for one in self.bar.told if one.state is State.OPEN]
        if open_ones:
            self.bar.tell(
                tr(
                    "Still open: {open_ones_count} of {told_count}. F8 goes to the next.",
                    open_ones_count=len(open_ones),
                    told_count=len(self.bar.told),
                )
            )
        self.keyboard.navigation.go_on()

    def go_on(self) -> None:
        """Open the next case that is not done, or say that the training is over."""
        if self.document is None:
            self.list.start_next()
        elif self._is_done:
            self._read(self._open_next)
        else:
            self.bar.tell(
                tr("Answer what is asked first. Esc leads back to the list and keeps what you said.")
            )

    def leave_lesson(self) -> None:
        """Go back to the list; what was answered is kept."""
        if self.document is not None:
            self.panels.dialogue.view.end_edit()
            self.reload()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.banner.isHidden():
            self.banner.dismiss()
        elif event.key() == Qt.Key.Key_Escape and self.document is not None:
            if not end_explanation(self):
                self.leave_lesson()
        else:
            super().keyPressEvent(event)

    # building

    def _build(self) -> None:
        self._desk = column(self.head, (self.panels, 1), self.bar)
        self._stack = stacked(self.list, self._desk)
        vbox(self.banner, (self._stack, 1), within=self)

    def _add_commands(self) -> None:
        add_desk_commands(self._commands, self.keyboard, widget=self, room="training")
        self._commands.add_all(
            self,
            Command("training.check", tr("Check, or go on"), _TRAINING, self.check, "Ctrl+Return"),
            Command("training.next", tr("The next training case"), _TRAINING, self.go_on, "N"),
            Command("training.back", tr("All training cases"), _TRAINING, self.leave_lesson),
        )
        self._commands.bind_all(
            "training",
            ("check", self.bar.check),
            ("problem", self.bar.next),
            *self.panels.graph.summary.choices.items(),
        )

    # showing

    def _show_list(self, loaded: _Loaded) -> None:
        self._loaded, self._number = loaded, None
        self._close()
        self.banner.dismiss()
        self.list.show_language(wanted_language(self._preferences))
        self.list.show_progress(loaded.lessons, loaded.progress, threshold=loaded.threshold)
        had_focus = self._desk.isAncestorOf(self.focusWidget()) if self.focusWidget() else True
        self._stack.setCurrentWidget(self.list)
        self.setFocusProxy(self.list)
        if had_focus and self.isVisible():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close(self) -> None:
        if self.document is not None:
            self.document.deleteLater()
            self.panels.case_view.document = None

    def _open_next(self, loaded: _Loaded) -> None:
        self._loaded = loaded
        open_ones = [n for n, lesson in enumerate(loaded.lessons) if not loaded.progress.is_done(lesson)]
        if not open_ones:
            self._show_list(loaded)
        else:
            after = [number for number in open_ones if number > (self._number or 0)]
            self.open_lesson((after or open_ones)[0])

    @property
    def _is_done(self) -> bool:
        return bool(self.bar.told) and all(one.state is State.RIGHT for one in self.bar.told)

    def _look(self) -> None:
        """Compare with the gold, show it, and keep what is new."""
        lesson, document = self.lesson, self.document
        if lesson is None or document is None:
            return
        self._checked |= repaired_values(lesson, document.snapshot, problems_of(document.assessment))
        told = feedback_on(lesson, document.snapshot, checked=self._checked)
        if told == self.bar.told:
            return
        is_first = not self.bar.told
        self.bar.tell("")
        self.bar.show_feedback(told, lesson.gold, task=document.selection.task)
        self.head.show_count(told)
        self.bar.check.setText(tr("Next case") if self._is_done else tr("Check"))
        self.bar.next.setVisible(not self._is_done)
        if not is_first:
            self._operations.run(
                partial(keep_answers, lesson=lesson, told=told), failed=self._tell_unsaved, origin=self
            )

    def _list_questions(self) -> None:
        lesson, document = self.lesson, self.document
        if lesson is not None and document is not None:
            self.bar.show_feedback(self.bar.told, lesson.gold, task=document.selection.task)

    def _tell_unsaved(self, error: AnnotatorError) -> None:
        self.banner.show_error(error)
        self.bar.tell(tr("Your answers are kept here and recorded with the next one."))

    def _go_to(self, question: LessonQuestion) -> None:
        self.panels.go_to(question.task, question.step)
        match question.kind:
            case "drawing":
                self.panels.show_middle()
            case "evidence":
                self.keyboard.navigation.show_tab(self.panels.evidence)
            case _:
                self.panels.tabs.setCurrentWidget(self.panels.review)

    def _show_answer(self, question: LessonQuestion) -> None:
        lesson, document = self.lesson, self.document
        if lesson is None or document is None:
            return
        wanted = right_answer(lesson, question)
        if not question.is_told_at_once:
            self._checked[question.id] = wanted
        document.bring(
            answered(lesson, document.snapshot, {question.id: wanted}), title=tr("show the answer")
        )

    def _problems(self, document: CaseDocument) -> tuple[Problem, ...]:
        """What this case asks and is not right yet; whatever else real work would ask stays away."""
        lesson = self.lesson
        if lesson is None:
            return ()
        real = problems_of(document.assessment)
        checked = self._checked | repaired_values(lesson, document.snapshot, real)
        return open_problems(feedback_on(lesson, document.snapshot, checked=checked), real)

    def _tell_place(self, words: str) -> None:
        self.bar.tell(tr("Everything is right. Ctrl+Enter opens the next case.") if self._is_done else words)

    def _tell_problem(self) -> None:
        problem = self.keyboard.navigation.problem
        self._tell_place(problem.message if problem is not None else "")

    # doing

    def _choose_language(self, language: Language) -> None:
        self._preferences.change(guidelines_language=language.value)
        self.list.show_language(language)

    def _follow_language(self) -> None:
        """List the cases of another language; one that is open stays open."""
        if self.document is None:
            self.reload()

    def _begin_again(self, number: int) -> None:
        if self._loaded is not None:
            self._operations.run(
                partial(begin_again, lesson=self._loaded.lessons[number]),
                then=partial(self._open_anew, number),
                failed=self.banner.show_error,
                origin=self,
            )

    def _open_anew(self, number: int, progress: TrainingProgress) -> None:
        if self._loaded is not None:
            self._loaded = self._loaded.model_copy(update={"progress": progress})
            self.open_lesson(number)
