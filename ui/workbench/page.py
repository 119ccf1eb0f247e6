"""The workbench page: opens a slot, keeps its work, and hands it on."""

from dataclasses import asdict

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from annotator.project.changes import Changes
from annotator.review.claiming import AssignmentRow, why_nothing
from annotator.review.drafts import OpenEditor
from annotator.review.submitting import Submitted
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Stage, Verdict
from ui.commands import Commands
from ui.errors import ErrorBanner
from ui.operations import Operations
from ui.preferences import Preferences
from ui.theme import Tone
from ui.theme.words import STAGE
from ui.transcript.content import Unread
from ui.workbench.activity import ActivityClock
from ui.workbench.ahead import Ahead
from ui.workbench.aside import Aside
from ui.workbench.assist import Assist
from ui.workbench.banner_news import BannerNews
from ui.workbench.between import Between
from ui.workbench.case_bar import CaseBar
from ui.workbench.desk import Desk
from ui.workbench.editor import Editor
from ui.workbench.handing import Handing
from ui.workbench.header_buttons import HeaderButtons
from ui.workbench.journal import Journal, journal_folder
from ui.workbench.keyboard import Keyboard
from ui.workbench.opening import ANNOTATION_STAGES, returned_words
from ui.workbench.page_commands import add_commands
from ui.workbench.possible import reasons_against
from ui.workbench.restored_note import RestoredNote
from ui.workbench.submit_bar import SubmitBar, why_blocked
from ui.workbench.walking import Walk

_NARROW, _WIDE = 1360, 1800


class WorkbenchPage(QWidget):
    """Where annotators check, correct and judge cases.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        preferences: Remembers the widths of the columns.
        journal: Takes work while the store is away; the person's own where null.
    """

    saved_changed = Signal(str, object)
    """(words, tone) for the footer."""
    undo_changed = Signal(str)
    """What undo would take back, for the footer."""
    work_changed = Signal(object)
    """The slot (AssignmentRow) that is open now, null for none, for the header."""
    finished = Signal(str)
    """The page has nothing more to show; the words say why."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        journal: Journal | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("workbench-page")
        self._operations = operations
        self._commands = commands
        self._preferences = preferences
        self._submitted_id = ""
        self.desk = Desk(operations, journal or Journal(journal_folder()), parent=self)
        self.ahead = Ahead(operations, parent=self)
        self.clock = ActivityClock(self)
        self.case_bar = CaseBar()
        self.editor = Editor(operations)
        self.note = RestoredNote()
        self.submit_bar = SubmitBar()
        self.between = Between()
        self.banner = ErrorBanner()
        self._news = BannerNews(self.desk, self.banner, commands, parent=self)
        self.handing = Handing(operations, self)
        self.walk = Walk(self.editor, self.desk.document_now, parent=self)
        self.keyboard = Keyboard(self.editor, self.walk, document=self.desk.document_now, parent=self)
        self.aside = Aside(self.desk, self)
        add_commands(commands, self, widget=self)
        self.assist = Assist(operations, commands, preferences, desk=self.desk, editor=self.editor, page=self)
        self._build()
        self.submit_bar.bind(commands)
        self._header_buttons = HeaderButtons(self.editor.transcript.header, commands)
        self.editor.transcript.view.menu_requested.connect(self._header_buttons.open_at)
        commands.bind(self.between.next, "workbench.next")
        commands.bind(self.between.take_back, "workbench.withdraw")
        self._connect()
        self._show_between()

    # what the window asks for

    def open_assignment(self, assignment_id: int) -> None:
        """Open a slot the person holds; what was open before is saved and stays a draft."""
        self.editor.end_edit()
        self.desk.open(assignment_id)

    def flush(self) -> None:
        """Save now what is not saved yet."""
        self.editor.end_edit()
        self.desk.flush()

    def unsaved_words(self) -> str:
        """What leaving now would lose, in one sentence; empty where nothing is at risk."""
        return self.desk.unsaved_words()

    # commands

    def next_case(self) -> None:
        """Take the next case to check."""
        self.desk.open_next(self.ahead.take())

    def submit(self) -> None:
        """Hand the case on, approved, unless the checks that were waited for say something against it."""
        if not self._end_edit():
            return
        document = self.desk.document
        reason = why_blocked(document.assessment) if document is not None else ""
        if reason:
            self.submit_bar.tell(reason)
        else:
            self.handing.submit()

    def ask_verdict(self, verdict: Verdict) -> None:
        """Ask why, then hand the case on with another verdict than an approval."""
        if self._end_edit():
            self.handing.ask(verdict)

    def hand_back(self) -> None:
        """Let go of the case; somebody else may take it, and the draft stays."""
        self.flush()
        self.handing.hand_back()

    def skip(self) -> None:
        """Ask why, then let go of the case and not be offered it again."""
        self.flush()
        self.handing.ask_skip()

    def take_back(self) -> None:
        """Take the last submission back while nobody has built on it."""
        self.handing.take_back(self._submitted_id)

    def undo(self) -> None:
        """Take the last edit back."""
        if self.desk.document is not None:
            self.desk.document.stack.undo()

    def redo(self) -> None:
        """Make the edit again that was taken back."""
        if self.desk.document is not None:
            self.desk.document.stack.redo()

    def start_over(self) -> None:
        """Go back to where the work began; undo brings the draft again."""
        if self.desk.document is not None:
            self.desk.document.start_over()
            self.note.clear()

    # Qt

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.flush()

    # building

    def _build(self) -> None:
        self._work = QWidget()
        column = QVBoxLayout(self._work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.case_bar)
        column.addWidget(self.note)
        column.addWidget(self.editor, 1)
        column.addWidget(self.assist.panel)
        column.addWidget(self.submit_bar)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.between)
        self._stack.addWidget(self._work)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.setSpacing(0)
        outside.addWidget(self.banner)
        outside.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.walk.told.connect(self.submit_bar.tell)
        self.keyboard.told.connect(self.submit_bar.tell)
        self.editor.told.connect(self.submit_bar.tell)
        self.aside.told.connect(self.submit_bar.tell)
        self.aside.typed.connect(self._type_again)
        self.note.over_wanted.connect(self.start_over)
        self.note.aside_wanted.connect(self.aside.open)
        self.submit_bar.kind_wanted.connect(self.walk.first_problem)
        self.editor.sizes_changed.connect(self._keep_sizes)
        self.handing.submitting.connect(self._hold_still)
        self.handing.submitted.connect(self._submitted)
        self.handing.left.connect(self._left)
        self.handing.taken_back.connect(self._take)
        self.handing.failed.connect(self._show_error)
        self.editor.transcript.view.paused.connect(self._note_open_editor)
        self.clock.ticked.connect(self._count_time)
        self.desk.opened.connect(self._show)
        self.desk.nothing_left.connect(self._tell_nothing_left)
        self.ahead.prepared.connect(self._get_ready)
        self.desk.closed.connect(self._forget)
        self.desk.failed.connect(self._show_error)
        self._news.saved_changed.connect(self.saved_changed)
        self._news.moved.connect(self.editor.history.reload)
        self.desk.lost.connect(self._leave_lost)
        self._operations.changed.connect(self._follow_changes)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self._follow_application)

    # opening

    def _take(self, held: AssignmentRow) -> None:
        if held.stage in ANNOTATION_STAGES:
            self.open_assignment(held.id)

    def _tell_nothing_left(self) -> None:
        self._operations.run(why_nothing, then=self.finished.emit)

    def _get_ready(self) -> None:
        """Fill the columns with what is likely to come, out of sight, while nothing is open."""
        ready = self.ahead.ready
        if ready is not None and self.desk.document is None:
            self.editor.get_ready(ready.document())

    def _show(self) -> None:
        loaded, document, draft = self.desk.loaded, self.desk.document, self.desk.draft
        assert loaded is not None
        assert document is not None
        assert draft is not None
        opened = loaded.opened
        self.banner.dismiss()
        self.walk.forget()
        self.handing.begin(document, opened.assignment, draft=draft)
        self.case_bar.show_case(
            document.case,
            batch=opened.row.batch,
            stage=opened.assignment.stage,
            round_=opened.assignment.round,
            is_blind=opened.is_blind,
            policy=loaded.policy,
        )
        self.submit_bar.show_stage(opened.assignment.stage)
        self.editor.setEnabled(True)
        self._stack.setCurrentWidget(self._work)
        self.work_changed.emit(opened.assignment)
        self.editor.history.note_open(opened.row.head_id)
        self.editor.set_document(document, returned_note=returned_words(opened))
        self.editor.review.show_mistakes(loaded.mistakes)
        self.note.show_restored(
            self.desk.restored, seconds=document.seconds, has_aside=bool(self.desk.laid_aside())
        )
        self.editor.columns.set_sizes(self._preferences.settings.splitters.get(self._layout_name(), ()))
        self.setFocusProxy(self.editor)
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        document.changed.connect(self.clock.note)
        document.changed.connect(self.note.end_if_ordinary)
        document.stack.indexChanged.connect(self._refresh_undo)
        document.selection_changed.connect(self.clock.note)
        document.assessed.connect(self._refresh)
        document.selection_changed.connect(self._refresh)
        document.refused.connect(self._show_refusal)
        document.undo_changed.connect(self._tell_undo)
        self.clock.start(document.seconds)
        self._tell_undo(document.stack.undoText())
        self._refresh()
        self.ahead.look(document.case.id)
        self._open_editor_again()

    def _note_open_editor(self) -> None:
        unread = self.editor.transcript.view.unread
        self.desk.note_open_editor(OpenEditor(**asdict(unread)) if unread is not None else None)

    def _open_editor_again(self) -> None:
        body = self.desk.restored.body
        if body is not None and body.open_editor is not None:
            self._type_again(body.open_editor)

    def _type_again(self, found: OpenEditor) -> None:
        self.editor.transcript.view.type_again(Unread(**found.model_dump()))

    def _end_edit(self) -> bool:
        """Close open editors; whether nothing is left in one that cannot be read."""
        self.editor.end_edit()
        if not self.editor.transcript.view.is_editing:
            return True
        self.submit_bar.tell("What is being typed is no value yet: complete it, or give it up with Escape.")
        return False

    def _forget(self) -> None:
        self.work_changed.emit(None)
        self.clock.stop()
        self._tell_undo("")

    def _show_between(self) -> None:
        self._refresh()
        self.ahead.look(None)
        self._stack.setCurrentWidget(self.between)
        self.setFocusProxy(self.between.next)
        self.between.next.setFocus(Qt.FocusReason.OtherFocusReason)

    # keeping

    def _count_time(self, seconds: float) -> None:
        self.case_bar.show_seconds(seconds)
        if self.desk.document is not None:
            self.desk.document.seconds = seconds
        self.note.pass_time(seconds)

    def _keep_sizes(self, sizes: tuple[int, ...]) -> None:
        splitters = self._preferences.settings.splitters | {self._layout_name(): sizes}
        self._preferences.change(splitters=splitters)

    def _layout_name(self) -> str:
        """Widths are remembered for each person and each size of window."""
        project = self._operations.project
        person = project.person.name if project is not None and project.person is not None else ""
        width = self.window().width()
        size = "narrow" if width < _NARROW else "wide" if width >= _WIDE else "usual"
        return f"workbench {person} {size}"

    def _follow_application(self, state: Qt.ApplicationState) -> None:
        if state is not Qt.ApplicationState.ApplicationActive:
            self.desk.flush()
        else:
            self.desk.look_again()

    def _follow_changes(self, changes: Changes, origin: object) -> None:
        if self.desk.loaded is not None and origin not in (self, self.desk):
            case_id = self.desk.loaded.opened.assignment.case_id
            if case_id in changes.case_ids and origin is not self.editor.comments:
                self.editor.comments.reload()
                self.editor.history.reload()
                self.desk.look_again()

    # showing

    def _refresh(self) -> None:
        document = self.desk.document
        for name, reason in reasons_against(document, was_submitted=bool(self._submitted_id)).items():
            self._block(name, reason)
        if document is not None:
            self.submit_bar.show_assessment(document.shown, task=document.selection.task)
            self._refresh_undo()

    def _refresh_undo(self) -> None:
        if self.desk.document is not None:
            stack = self.desk.document.stack
            self._block("undo", "" if stack.canUndo() else "There is nothing to undo.")
            self._block("redo", "" if stack.canRedo() else "There is nothing to redo.")

    def _block(self, name: str, reason: str) -> None:
        self._commands.block(f"workbench.{name}", reason)

    def _leave_lost(self, error: AnnotatorError) -> None:
        self._news.show_lost(error)
        self.between.show_nothing()
        self._show_between()

    def _tell_undo(self, text: str) -> None:
        self.undo_changed.emit(f"Undo: {text}" if text else "")

    def _show_refusal(self, error: AnnotatorError) -> None:
        self.submit_bar.tell(str(error))
        self.editor.graph.view.say(error.message, Tone.ERROR)

    def _show_error(self, error: AnnotatorError) -> None:
        self.editor.setEnabled(True)
        self._news.show_error(error)
        if self.desk.document is None:
            self._show_between()

    # handing on

    def _hold_still(self) -> None:
        self.editor.setEnabled(False)

    def _submitted(self, done: Submitted) -> None:
        self._submitted_id = done.case_id
        self.desk.seal()
        if done.stage is Stage.SELF_CHECK_DIALOGUE:
            self.desk.open_case(done.case_id)
            self.submit_bar.tell("The tasks are checked. Now the dialogue as a whole: C confirms its items.")
            return
        where = STAGE[done.stage].lower()
        self.between.show_done("Submitted", f"{done.case_id} is now at: {where}.", can_take_back=True)
        self._show_between()

    def _left(self, case_id: str) -> None:
        self.desk.close()
        self.between.show_done("Handed back", f"{case_id} is free again.", can_take_back=False)
        self._show_between()
