"""The workbench page: opens a slot, keeps its work, and hands it on."""

from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from annotator.project.changes import Changes
from annotator.review.claiming import AssignmentRow, claim_case, leave, why_nothing
from annotator.review.submitting import Submitted, submission_key, submit, withdraw
from scoring.errors import AnnotatorError
from scoring.model.labels import Reason
from scoring.model.taxonomy import Stage, Verdict
from ui.commands import Commands
from ui.errors import ErrorBanner
from ui.operations import Operations
from ui.preferences import Preferences
from ui.theme import Hint, HintAction, Tone
from ui.theme.dialogs import open_dialog
from ui.theme.layouts import clear_layout
from ui.theme.words import STAGE
from ui.workbench.activity import ActivityClock
from ui.workbench.autosave import Autosaver, SaveState
from ui.workbench.between import Between
from ui.workbench.case_bar import CaseBar
from ui.workbench.document import WorkbenchDocument
from ui.workbench.editor import Editor
from ui.workbench.journal import Journal, WorkKey, journal_folder
from ui.workbench.keyboard import Keyboard
from ui.workbench.opening import (
    ANNOTATION_STAGES,
    Loaded,
    Restored,
    choose_work,
    claim_next_annotation,
    cursor_of,
    document_for,
    draft_body,
    load,
    returned_words,
)
from ui.workbench.page_commands import add_commands
from ui.workbench.reason_dialog import ReasonDialog
from ui.workbench.submit_bar import SubmitBar, why_blocked
from ui.workbench.walking import Walk

_SPLITTER = "workbench"
_OF_A_CASE = ("submit", "reject", "escalate", "return", "hand-back", "skip", "undo", "redo", "over")
_OPEN_FIRST = "No case is open; N takes the next one."


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
        self._journal = journal or Journal(journal_folder())
        self._loaded: Loaded | None = None
        self._document: WorkbenchDocument | None = None
        self._saver: Autosaver | None = None
        self._submission = submission_key()
        self._submitted_id = ""
        self._wanted_id: int | None = None
        self.clock = ActivityClock(self)
        self.case_bar = CaseBar()
        self.editor = Editor(operations, sizes=preferences.settings.splitters.get(_SPLITTER, ()))
        self.submit_bar = SubmitBar()
        self.between = Between()
        self.banner = ErrorBanner()
        self.walk = Walk(self.editor, self._open_document, parent=self)
        self.keyboard = Keyboard(self.editor, self.walk, document=self._open_document, parent=self)
        self._build()
        add_commands(commands, self)
        self.submit_bar.bind(commands)
        commands.bind(self.between.next, "workbench.next")
        commands.bind(self.between.take_back, "workbench.withdraw")
        self._connect()
        self._show_between()

    # what the window asks for

    def open_assignment(self, assignment_id: int) -> None:
        """Open a slot the person holds; what was open before is saved and stays a draft."""
        held = self._loaded.opened.assignment.id if self._loaded is not None else None
        if held == assignment_id and self._document is not None:
            return
        self._close()
        self._wanted_id = assignment_id
        self._operations.run(
            partial(load, assignment_id=assignment_id), then=self._show, failed=self._show_error
        )

    def flush(self) -> None:
        """Save now what is not saved yet."""
        if self._saver is not None:
            self.editor.end_edit()
            self._saver.flush()

    def unsaved_words(self) -> str:
        """What leaving now would lose, in one sentence; empty where nothing is at risk."""
        if self._saver is None or not self._saver.is_at_risk or self._loaded is None:
            return ""
        case_id = self._loaded.opened.assignment.case_id
        problem = self._saver.state.problem
        return f"Your last changes of {case_id} are not saved. {problem}".strip()

    @property
    def document(self) -> WorkbenchDocument | None:
        """The document that is open."""
        return self._document

    @property
    def save_state(self) -> SaveState:
        """How safe the work is."""
        return self._saver.state if self._saver is not None else SaveState()

    # commands

    def next_case(self) -> None:
        """Take the next case to check."""
        self._operations.run(claim_next_annotation, then=self._take, failed=self._show_error, origin=self)

    def submit(self) -> None:
        """Hand the case on, approved."""
        self.editor.end_edit()
        document = self._document
        if document is not None and not document.assessment.blockers:
            self._submit(Verdict.APPROVE, ())

    def reject(self) -> None:
        """Ask why the case is unusable, then submit that."""
        self._ask_reason(
            Verdict.REJECT,
            "Reject this case?",
            "An expert decides whether it is thrown away. Say why it cannot be repaired.",
            "Reject case",
        )

    def escalate(self) -> None:
        """Ask why an expert should decide, then submit that."""
        self._ask_reason(
            Verdict.ESCALATE,
            "Escalate to an expert?",
            "Your work goes along as a proposal. Say what is unclear.",
            "Escalate",
        )

    def return_to_owner(self) -> None:
        """Ask what the owner should repair, then submit that."""
        self._ask_reason(
            Verdict.RETURN,
            "Return it to its owner?",
            "If every reviewer returns it, the owner gets it back with your notes.",
            "Return case",
        )

    def hand_back(self) -> None:
        """Let go of the case; somebody else may take it, and the draft stays."""
        if self._loaded is not None:
            self.flush()
            self._operations.run(
                partial(leave, assignment_id=self._loaded.opened.assignment.id, skip=False),
                then=self._handed_back,
                failed=self._show_error,
                origin=self,
            )

    def skip(self) -> None:
        """Ask why, then let go of the case and not be offered it again."""
        dialog = ReasonDialog(
            "Skip this case?",
            "It goes to somebody else and is not offered to you again in this round.",
            verb="Skip",
            parent=self,
            has_category=False,
        )
        dialog.given.connect(self._skip)
        open_dialog(dialog)

    def take_back(self) -> None:
        """Take the last submission back while nobody has built on it."""
        if self._submitted_id:
            self._operations.run(
                partial(withdraw, case_id=self._submitted_id),
                then=self._take,
                failed=self._show_error,
                origin=self,
            )

    def undo(self) -> None:
        """Take the last edit back."""
        if self._document is not None:
            self._document.stack.undo()

    def redo(self) -> None:
        """Make the edit again that was taken back."""
        if self._document is not None:
            self._document.stack.redo()

    def start_over(self) -> None:
        """Go back to where the work began; undo brings the draft again."""
        if self._document is not None:
            self._document.start_over()
            clear_layout(self._notes)

    # Qt

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.flush()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange and not self.isEnabled():
            self.flush()

    # building

    def _build(self) -> None:
        self._notes = QVBoxLayout()
        self._notes.setContentsMargins(0, 0, 0, 0)
        self._work = QWidget()
        column = QVBoxLayout(self._work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.case_bar)
        column.addLayout(self._notes)
        column.addWidget(self.editor, 1)
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
        self.submit_bar.kind_wanted.connect(self.walk.first_problem)
        self.editor.sizes_changed.connect(self._keep_sizes)
        self.clock.ticked.connect(self._count_time)
        self._operations.changed.connect(self._follow_changes)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self._follow_application)

    def _open_document(self) -> WorkbenchDocument | None:
        return self._document

    # opening

    def _take(self, held: AssignmentRow | None) -> None:
        if held is None:
            self._operations.run(why_nothing, then=self.finished.emit)
        elif held.stage in ANNOTATION_STAGES:
            self.open_assignment(held.id)

    def _show(self, loaded: Loaded) -> None:
        opened = loaded.opened
        if opened.assignment.id != self._wanted_id:
            return
        key = self._work_key(loaded)
        restored = choose_work(opened, self._journal.find(key))
        if restored.sets_aside:
            self._journal.set_aside(key)
        try:
            document = document_for(loaded, restored.body)
        except AnnotatorError as error:
            self._show_error(error)
            document = document_for(loaded, None)
        document.setParent(self)
        self._loaded, self._document = loaded, document
        self._submission = submission_key()
        self._saver = Autosaver(
            self._operations,
            self._journal,
            key=key,
            assignment_id=opened.assignment.id,
            sequence=opened.draft_sequence,
            parent=self,
        )
        self._saver.state_changed.connect(self._tell_saved)
        self._show_columns(loaded, document)
        if restored.body is not None:
            document.select(*cursor_of(restored.body))
        self._show_restored(restored)
        document.changed.connect(self._save)
        document.assessed.connect(self._refresh)
        document.selection_changed.connect(self._refresh)
        document.refused.connect(self._show_refusal)
        document.undo_changed.connect(self._tell_undo)
        if restored.is_newer_here:
            self._save()
        self.clock.start(document.seconds)
        self._refresh()

    def _show_columns(self, loaded: Loaded, document: WorkbenchDocument) -> None:
        opened = loaded.opened
        self.banner.dismiss()
        self.walk.forget()
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
        self.editor.set_document(document, returned_note=returned_words(opened))
        self.editor.review.show_mistakes(loaded.mistakes)
        self.setFocusProxy(self.editor)
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self._tell_undo("")

    def _work_key(self, loaded: Loaded) -> WorkKey:
        held, project = loaded.opened.assignment, self._operations.project
        return WorkKey(
            project=project.project if project else "",
            person=held.person,
            case_id=held.case_id,
            stage=held.stage,
            round=held.round,
        )

    def _show_restored(self, restored: Restored) -> None:
        clear_layout(self._notes)
        if restored.words:
            actions = (HintAction("over", "Start over"), HintAction("fine", "Go on"))
            note = Hint(restored.words, "", restored.tone, actions=actions)
            note.setObjectName("restored-note")
            note.acted.connect(self._answer_note)
            self._notes.addWidget(note)

    def _answer_note(self, name: str) -> None:
        if name == "over":
            self.start_over()
        else:
            clear_layout(self._notes)

    def _close(self) -> None:
        """Let go of the document; what was saved or kept of it stays."""
        self._wanted_id = None
        if self._document is None:
            return
        self.flush()
        if self._saver is not None:
            self._saver.stop()
            self._saver.deleteLater()
        self._document.blockSignals(True)
        self._document.deleteLater()
        self._document, self._saver, self._loaded = None, None, None
        self.clock.stop()

    def _show_between(self) -> None:
        self._stack.setCurrentWidget(self.between)
        self.setFocusProxy(self.between.next)
        self.between.next.setFocus(Qt.FocusReason.OtherFocusReason)
        self._refresh()

    # keeping

    def _save(self) -> None:
        if self._saver is not None and self._document is not None:
            self._saver.take(draft_body(self._document, datetime.now(UTC)))

    def _count_time(self, seconds: float) -> None:
        self.case_bar.show_seconds(seconds)
        if self._document is not None:
            self._document.seconds = seconds

    def _keep_sizes(self, sizes: tuple[int, ...]) -> None:
        splitters = self._preferences.settings.splitters | {_SPLITTER: sizes}
        self._preferences.change(splitters=splitters)

    def _follow_application(self, state: Qt.ApplicationState) -> None:
        if state is not Qt.ApplicationState.ApplicationActive and self._saver is not None:
            self._saver.flush()

    def _follow_changes(self, changes: Changes, origin: object) -> None:
        if self._loaded is not None and origin is not self:
            case_id = self._loaded.opened.assignment.case_id
            if case_id in changes.case_ids and origin is not self.editor.comments:
                self.editor.comments.reload()
                self.editor.history.reload()

    # showing

    def _refresh(self) -> None:
        document = self._document
        is_open = document is not None
        for name in _OF_A_CASE:
            self._block(name, "" if is_open else _OPEN_FIRST)
        self._commands.block(
            "workbench.next", "Submit, escalate or hand back this case first." if is_open else ""
        )
        self._commands.block("workbench.withdraw", "" if self._submitted_id else "Nothing was submitted yet.")
        if document is None:
            return
        assessment = document.assessment
        self.submit_bar.show_assessment(assessment, task=document.selection.task)
        self._commands.block("workbench.submit", why_blocked(assessment))
        is_cross = document.stage is Stage.CROSS_CHECK
        self._commands.block(
            "workbench.return", "" if is_cross else "A self-check cannot return a case; escalate it instead."
        )
        no_undo = "" if document.stack.canUndo() else "There is nothing to undo."
        self._commands.block("workbench.undo", no_undo)
        self._commands.block(
            "workbench.redo", "" if document.stack.canRedo() else "There is nothing to redo."
        )

    def _block(self, name: str, reason: str) -> None:
        self._commands.block(f"workbench.{name}", reason)

    def _tell_saved(self, state: SaveState) -> None:
        words = f"{state.words} · {state.problem}" if state.problem else state.words
        self.saved_changed.emit(words, state.tone)

    def _tell_undo(self, text: str) -> None:
        self.undo_changed.emit(f"Undo: {text}" if text else "")

    def _show_refusal(self, error: AnnotatorError) -> None:
        self.submit_bar.tell(str(error))
        self.editor.graph.view.say(error.message, Tone.ERROR)

    def _show_error(self, error: AnnotatorError) -> None:
        self.editor.setEnabled(True)
        self.banner.show_error(error)

    # handing on

    def _ask_reason(self, verdict: Verdict, title: str, words: str, verb: str) -> None:
        self.editor.end_edit()
        dialog = ReasonDialog(title, words, verb=verb, parent=self)
        dialog.given.connect(partial(self._submit_with_reason, verdict))
        open_dialog(dialog)

    def _submit_with_reason(self, verdict: Verdict, reason: Reason) -> None:
        self._submit(verdict, (reason,))

    def _submit(self, verdict: Verdict, reasons: tuple[Reason, ...]) -> None:
        document, loaded = self._document, self._loaded
        if document is None or loaded is None or not self.editor.isEnabled():
            return
        self.editor.setEnabled(False)
        judgment = document.judgment_for(verdict, reasons)
        self._operations.run(
            partial(
                submit, assignment_id=loaded.opened.assignment.id, judgment=judgment, key=self._submission
            ),
            then=self._submitted,
            failed=self._show_error,
            origin=self,
        )

    def _submitted(self, done: Submitted) -> None:
        if self._saver is not None:
            self._saver.seal()
        self._submitted_id = done.case_id
        self._close()
        self._tell_saved(SaveState())
        self._tell_undo("")
        if done.stage is Stage.SELF_CHECK_DIALOGUE:
            self._operations.run(
                partial(claim_case, case_id=done.case_id),
                then=self._go_on_with_dialogue,
                failed=self._show_error,
                origin=self,
            )
            return
        where = STAGE[done.stage].lower()
        self.between.show_done("Submitted", f"{done.case_id} is now at: {where}.", can_take_back=True)
        self._show_between()

    def _go_on_with_dialogue(self, held: AssignmentRow) -> None:
        self.open_assignment(held.id)
        self.submit_bar.tell("The tasks are checked. Now the dialogue as a whole: C confirms the next item.")

    def _skip(self, reason: Reason) -> None:
        if self._loaded is not None:
            self._operations.run(
                partial(
                    leave, assignment_id=self._loaded.opened.assignment.id, skip=True, reason=reason.note
                ),
                then=self._handed_back,
                failed=self._show_error,
                origin=self,
            )

    def _handed_back(self, _: None) -> None:
        assert self._loaded is not None
        case_id = self._loaded.opened.assignment.case_id
        self._close()
        self._tell_saved(SaveState())
        self.between.show_done("Handed back", f"{case_id} is free again.", can_take_back=False)
        self._show_between()
