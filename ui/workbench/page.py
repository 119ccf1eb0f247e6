"""The workbench page: opens a slot, keeps its work, and hands it on."""

from collections.abc import Sequence
from functools import partial

import shiboken6
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QPlainTextEdit, QWidget

from annotator.drafts.journal import Journal, journal_folder
from annotator.project.changes import Changes
from annotator.review.loaded_case import ANNOTATION_STAGES, LoadedCase
from annotator.review.queue.claims import AssignmentRow
from annotator.review.queue.notices import Notification, mark_read, unread_feedback
from annotator.review.queue.queue_status import why_nothing
from annotator.review.submissions import Submitted
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import SELF_CHECKS, Stage, Verdict
from scoring.texts import in_language, tr, with_commas
from ui.desk.case_bar import ActivityClock, CaseBar, case_facts, clock_words
from ui.desk.document import CaseDocument
from ui.desk.keyboard import Keyboard
from ui.desk.model_actions import ModelAction
from ui.desk.panels import CasePanels
from ui.desk.tabs.review_tab import ReviewTab
from ui.services.commands import Commands, shown_keys
from ui.services.errors import ErrorBanner
from ui.services.guideline_news import after_news
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.services.preferences import Preferences
from ui.theme import Tone
from ui.theme.dialogs import open_dialog
from ui.theme.events import follow_events, follow_focus
from ui.theme.layouts import connect, stacked, vbox
from ui.theme.look import application
from ui.workbench.commands import (
    add_case_commands,
    add_desk_commands,
    add_other_ways,
    add_step_buttons,
    reasons_against,
)
from ui.workbench.empty_page import EmptyPage, OpeningLine
from ui.workbench.open_work import OpenWork
from ui.workbench.proposals import Proposals
from ui.workbench.restored_work import RestoredNote, WorkNotices
from ui.workbench.submission import ChangesDialog, Submission
from ui.workbench.submit_bar import SubmitBar, why_blocked


class WorkbenchPage(ProjectPage):
    """Where annotators check, correct and judge cases.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        preferences: Remembers the widths of the columns.
        actions: What a model can make for the open case.
        journal: Takes work while the store is away; the person's own where None.
    """

    saved_changed = Signal(str, object)
    """(words, tone) for the footer."""
    undo_changed = Signal(str)
    """What undo would take back, for the footer."""
    work_changed = Signal(object)
    """The slot (AssignmentRow) that is open now, None if there is none, for the header."""
    finished = Signal(str)
    """The page has nothing more to show; the words say why."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        actions: Sequence[ModelAction] = (),
        journal: Journal | None = None,
    ) -> None:
        super().__init__("workbench", operations, commands)
        self._preferences = preferences
        self._is_going_on = self._is_held_back = False
        self.open_work = OpenWork(operations, journal or Journal(journal_folder()), parent=self)
        self.clock = ActivityClock(self)
        self.case_bar = CaseBar()
        self.panels = CasePanels(operations, ReviewTab())
        self.submit_bar = SubmitBar()
        self.empty = EmptyPage()
        self.opening = OpeningLine()
        self.banner = ErrorBanner()
        self.news = WorkNotices(self.open_work, self.banner, commands, panels=self.panels, page=self)
        self.note = RestoredNote(start_over=self.start_over, list_set_aside=self.news.list_set_aside)
        self.submission = Submission(operations, self.open_work, self)
        self.keyboard = Keyboard(self.panels, commands, page=self)
        add_case_commands(
            commands,
            {
                "submit": self.submit,
                "escalate": partial(self.ask_verdict, Verdict.ESCALATE),
                "return": partial(self.ask_verdict, Verdict.RETURN),
                "reject": partial(self.ask_verdict, Verdict.REJECT),
                "hand-back": self.hand_back,
                "skip": self.skip,
                "next": self.next_case,
                "withdraw": self.take_back,
                "changes": self.keyboard.doing(self.show_changes),
                "over": self.start_over,
                "aside": self.news.list_set_aside,
            },
            widget=self,
        )
        add_desk_commands(commands, self.keyboard, widget=self)
        self.proposals = Proposals(
            operations,
            commands,
            preferences,
            open_work=self.open_work,
            panels=self.panels,
            actions=actions,
            page=self,
        )
        self._build()
        commands.bind_all(
            "workbench",
            ("withdraw", self.submit_bar.undo_submit),
            ("submit", self.submit_bar.submit),
            *self.panels.graph.summary.choices.items(),
            ("next", self.empty.next),
            ("withdraw", self.empty.take_back),
        )
        add_step_buttons(self.panels.dialogue, commands)
        add_other_ways(self.submit_bar.more, commands)
        self._connect()
        follow_events(self, self.flush, QEvent.Type.Hide)
        self._show_between()

    @property
    def topic(self) -> str:
        """What of the guidelines explains where the person is."""
        return self.keyboard.navigation.topic

    # what the window asks for

    def open_assignment(self, assignment_id: int) -> None:
        """Open a slot the person holds; what was open before is saved and stays a draft."""
        self.panels.dialogue.view.end_edit()
        self.open_work.open(assignment_id)

    def flush(self) -> None:
        """Save now what is not saved yet."""
        self.panels.dialogue.view.end_edit()
        self.open_work.flush()

    def unsaved_words(self) -> str:
        """What leaving now would lose, in one sentence; empty where nothing is at risk."""
        cases = with_commas(self.open_work.unsent)
        unsent = tr("Your comment on {cases} has not been added yet.", cases=cases) if cases else ""
        return self.open_work.unsaved_words() or unsent

    # commands

    def next_case(self) -> None:
        """Take the next case to check; behind feedback the next of the kind that was submitted."""
        if self._is_held_back:
            self._is_held_back = False
            self._operations.run(
                partial(mark_read, kinds=("feedback",)), failed=self._show_error, origin=self
            )
            self._go_on()
        else:
            after_news(self._operations, self, self.open_work.open_next, self.opening.show_waiting)

    def submit(self) -> None:
        """Hand the case on, approved, unless a check says something against it."""
        if not self._end_edit():
            return
        document = self.open_work.document
        reason = why_blocked(document.assessment) if document is not None else ""
        if reason:
            self.submit_bar.tell(reason)
        else:
            self.submission.submit()

    def ask_verdict(self, verdict: Verdict) -> None:
        """Ask why, then hand the case on with another verdict than an approval."""
        if self._end_edit():
            self.submission.ask(verdict)

    def hand_back(self) -> None:
        """Let go of the case; somebody else may take it, and the draft stays."""
        self.flush()
        self.submission.hand_back()

    def skip(self) -> None:
        """Ask why, then let go of the case and not be offered it again."""
        self.flush()
        self.submission.ask_skip()

    def take_back(self) -> None:
        """Take the last submission back while nobody has built on it."""
        self.panels.dialogue.view.end_edit()
        self.submission.take_back()

    def show_changes(self, document: CaseDocument) -> None:
        """List what was changed in the open case so far."""
        self.panels.dialogue.view.end_edit()
        open_dialog(ChangesDialog(document, self))

    def start_over(self) -> None:
        """Go back to where the work began; undo brings the draft again."""
        if self.open_work.document is not None:
            self.open_work.document.start_over()
            self.note.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Escape closes what a panel below the case says, wherever the keys are; a field is left first.
        is_typing = isinstance(self.focusWidget(), QLineEdit | QPlainTextEdit | QAbstractSpinBox)
        if event.key() != Qt.Key.Key_Escape or is_typing or not self.proposals.decline_shown():
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._work = QWidget()
        self._stack = stacked(self.empty, self._work)
        vbox(self.opening, self.banner, (self._stack, 1), within=self)
        below = (*self.proposals.panels, self.submit_bar)
        vbox(self.case_bar, self.note, (self.panels, 1), *below, within=self._work)

    def _connect(self) -> None:
        follow_focus(self._follow_focus)
        connect(
            (self.keyboard.navigation.told, self.submit_bar.tell),
            (self.keyboard.navigation.moved, self._show_next_keys),
            (self.keyboard.told, self.submit_bar.tell),
            (self.keyboard.sight.changed, self._show_next_keys),
            (self.panels.told, self.submit_bar.tell),
            (self.news.told, self.submit_bar.tell),
            (self.submit_bar.kind_wanted, self.keyboard.navigation.first_problem),
            (self.submission.submitting, partial(self.panels.setEnabled, False)),
            (self.submission.submitted, self._submitted),
            (self.submission.undo_changed, self._show_undo),
            (self.submission.left, self._left),
            (self.submission.taken_back, self._take),
            (self.submission.failed, self._show_error),
            (self.panels.dialogue.view.paused, self._note_typed),
            (self.panels.comments.field.textChanged, self._note_typed),
            (self.clock.ticked, self._count_time),
            (self.open_work.waiting, self.opening.show_waiting),
            (self.opening.shown, self.empty.show_waiting),
            (self.open_work.opened, self._show),
            (self.open_work.nothing_left, self._tell_nothing_left),
            (self.open_work.closed, self._forget),
            (self.open_work.failed, self._show_error),
            (self.news.saved_changed, self.saved_changed),
            (self.open_work.moved_on, self._refresh),
            (self.open_work.lost, self._leave_lost),
            (self._operations.changed, self._follow_changes),
            (application().applicationStateChanged, self._follow_application),
        )

    # opening

    def _take(self, held: AssignmentRow) -> None:
        if held.stage in ANNOTATION_STAGES:
            self.open_assignment(held.id)

    def _tell_nothing_left(self) -> None:
        if self._is_going_on:
            self._end_of_kind()
        else:
            self._operations.run(why_nothing, then=self.finished.emit)

    def _show(self, loaded: LoadedCase, document: CaseDocument) -> None:
        self._is_held_back = False
        opened = loaded.opened
        self.banner.dismiss()
        self.keyboard.navigation.forget()
        self.case_bar.show_case(
            document.case,
            case_facts(document.case, batch=opened.row.batch),
            stage=opened.assignment.stage,
            round_=opened.assignment.round,
            is_blind=opened.is_blind,
            policy=loaded.policy,
        )
        self.submit_bar.show_stage(opened.assignment.stage)
        self.panels.setEnabled(True)
        self._stack.setCurrentWidget(self._work)
        self.work_changed.emit(opened.assignment)
        self._keep_last(opened.assignment.case_id)
        self.panels.history.open_id = opened.row.head_id
        self.panels.set_document(
            document, returned_note=opened.returned_note if opened.assignment.stage in SELF_CHECKS else ""
        )
        self.panels.review.show_mistakes(loaded.mistakes)
        self.note.show_restored(
            self.open_work.restored, seconds=document.seconds, has_aside=bool(self.open_work.laid_aside())
        )
        self.panels.columns.remember(self._preferences, opened.assignment.person)
        self.setFocusProxy(self.panels)
        self.panels.setFocus(Qt.FocusReason.OtherFocusReason)
        connect(
            (document.changed, self.clock.note),
            (document.changed, self.note.end_if_ordinary),
            (document.stack.indexChanged, self._refresh),
            (document.selection_changed, self.clock.note),
            (document.assessed, self._refresh),
            (document.selection_changed, self._refresh),
            (document.refused, self._show_refusal),
            (document.undo_changed, self._tell_undo),
        )
        self.clock.start(document.seconds)
        self._tell_undo(document.stack.undoText())
        self._refresh()
        self.panels.comments.field.setPlainText(self.open_work.comment)
        if self._is_going_on:
            self._is_going_on = False
            open_id = self.submission.open_id
            self.submit_bar.tell(
                tr(
                    "Submitted, now at: {stage}. {shown} takes {open_id} back.",
                    stage=self.submission.stage_words,
                    shown=self._shown("withdraw"),
                    open_id=open_id,
                )
                if open_id
                else tr("Submitted.")
            )
        elif not self.open_work.restored.body:
            self.submit_bar.tell(
                tr("Second round: the dialogue as a whole.")
                if document.stage is Stage.SELF_CHECK_DIALOGUE
                else ""
            )
        body = self.open_work.restored.body
        if body is not None and body.open_editor is not None:
            self.panels.dialogue.view.type_again(body.open_editor)

    def _shown(self, name: str) -> str:
        """The keys of a command of the page, as they are shown."""
        return shown_keys(self._commands.keys(f"workbench.{name}"))

    def _note_typed(self) -> None:
        self.open_work.note_typed(self.panels.dialogue.view.unread, self.panels.comments.field.words)

    def _end_edit(self) -> bool:
        """Close open editors; whether nothing is left in one that cannot be read."""
        self.panels.dialogue.view.end_edit()
        if not self.panels.dialogue.view.is_editing:
            return True
        self.submit_bar.tell(
            tr("What is being typed is no value yet: complete it, or give it up with Escape.")
        )
        return False

    def _forget(self) -> None:
        self.panels.case_view.document = None
        self.panels.comments.field.clear()
        self.work_changed.emit(None)
        self._keep_last("")
        self.case_bar.note_shown("")
        self.clock.stop()
        self._tell_undo("")

    def _keep_last(self, case_id: str) -> None:
        """Remember the case that is open, so that it is opened again after a restart; empty for none."""
        if self._operations.project is not None:
            self._preferences.change(
                last_cases=self._preferences.settings.last_cases | {self._operations.project.desk: case_id}
            )

    def _show_between(self) -> None:
        self._refresh()
        self._stack.setCurrentWidget(self.empty)
        self.setFocusProxy(self.empty.next)
        self.empty.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _count_time(self, seconds: float) -> None:
        self.case_bar.show_progress(
            clock_words(seconds), tr("Active time on this case; breaks do not count.")
        )
        if self.open_work.document is not None:
            self.open_work.document.seconds = seconds
        self.note.pass_time(seconds)

    def _follow_application(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.open_work.look_again()
            self.submission.look_again()
        else:
            self.open_work.flush()

    def _follow_changes(self, changes: Changes, origin: object) -> None:
        loaded, own = self.open_work.loaded, (self, self.open_work, self.panels.comments)
        if loaded is not None and origin not in own and changes.has_case(loaded.opened.assignment.case_id):
            self.panels.comments.reload()
            self.panels.history.reload()
            self.open_work.look_again()

    # showing

    def _refresh(self) -> None:
        document = self.open_work.document
        self._commands.block_each(
            "workbench",
            reasons_against(
                document, was_submitted=bool(self.submission.open_id), is_lost=self.open_work.is_lost
            ),
        )
        if document is not None and self.open_work.loaded is not None:
            batch = self.open_work.loaded.opened.row.batch
            self.case_bar.show_facts(case_facts(document.case, batch=batch, task=document.selection.task))
            self.submit_bar.show_assessment(document.assessment)
            self._show_next_keys()

    def _show_undo(self) -> None:
        """Offer to take the last submission back as long as that is possible."""
        self.submit_bar.show_undo(self.submission.open_id)
        self.empty.show_undo(self.submission.open_id)
        self._refresh()

    def _show_next_keys(self) -> None:
        """Say what the next key does, on which task."""
        document = self.panels.document
        if document is not None and document is self.open_work.document:
            self.submit_bar.next_keys.setText(self.keyboard.next_words(document, self._shown))

    def _follow_focus(self, _: object, focus: QWidget | None) -> None:
        if shiboken6.isValid(self) and focus is not None and self._work.isAncestorOf(focus):
            self._show_next_keys()

    def _leave_lost(self, error: AnnotatorError) -> None:
        self.news.show_lost(error)
        self.empty.show_nothing()
        self._show_between()

    def _tell_undo(self, text: str) -> None:
        """Say in the footer what the last edit did and what takes it back; a note from before it is over."""
        self.submit_bar.tell("")
        self.undo_changed.emit(
            tr("{shown} undoes: {title}", shown=self._shown("undo"), title=text) if text else ""
        )

    def _show_refusal(self, error: AnnotatorError) -> None:
        self.submit_bar.tell(in_language(str(error)))
        self.panels.graph.view.say(tr(error.message), Tone.ERROR)

    def _show_error(self, error: AnnotatorError) -> None:
        self.panels.setEnabled(True)
        self.news.show_error(error)
        if self._is_going_on:
            self._end_of_kind()
        if self.open_work.document is None:
            self._show_between()

    # handing on

    def _submitted(self, done: Submitted) -> None:
        self.banner.dismiss()
        self.open_work.seal()
        self._show_undo()
        if done.known_answer is not None:
            self.empty.show_reveal(done.known_answer)
            self._show_between()
        elif done.stage is Stage.SELF_CHECK_DIALOGUE:
            self.open_work.open_case(done.case_id)
            self.submit_bar.tell(
                tr("The tasks are checked. Now the dialogue as a whole: C confirms its items.")
            )
        else:
            self.open_work.close()
            self._operations.run(
                unread_feedback, then=self._go_on, failed=lambda _: self._go_on(), origin=self
            )

    def _go_on(self, told: tuple[Notification, ...] = ()) -> None:
        """Open the next case of the kind; feedback that nobody has read yet comes first."""
        if told:
            self._is_held_back = True
            self.empty.show_feedback(told, can_take_back=bool(self.submission.open_id))
            self._show_between()
        else:
            self._is_going_on = True
            after_news(
                self._operations,
                self,
                partial(self.open_work.open_next, self.submission.kind),
                self.opening.show_waiting,
                self._end_of_kind,
            )

    def _end_of_kind(self) -> None:
        """Say what was submitted, since there is no next case of the kind."""
        self._is_going_on = False
        self.empty.show_done(
            tr("Submitted"), self.submission.end_words, can_take_back=bool(self.submission.open_id)
        )
        self._show_between()

    def _left(self, title: str, words: str) -> None:
        self.open_work.close()
        self.banner.dismiss()
        self.empty.show_done(title, words, can_take_back=False)
        self._show_between()
