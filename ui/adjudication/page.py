"""The adjudication page: opens a case that waits for an expert, keeps the decision, settles it."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from annotator.review.claiming import AssignmentRow, why_nothing
from annotator.review.submitting import submission_key
from annotator.review.verifying import Adjudication, Decided, Decision, decide
from scoring.errors import AnnotatorError, ForbiddenError
from scoring.model.taxonomy import Verdict
from ui.adjudication.case_head import CaseHead
from ui.adjudication.columns import Columns
from ui.adjudication.deciding import is_sampled
from ui.adjudication.decision_bar import DecisionBar
from ui.adjudication.decision_document import DecisionDocument
from ui.adjudication.keeping import Keeper
from ui.adjudication.loading import Loaded, claim_next_decision, load
from ui.adjudication.owner_watch import OwnerWatch
from ui.adjudication.page_commands import LETTERS, add_commands
from ui.adjudication.revealing import Reveal, owner_lines
from ui.adjudication.widths import Widths
from ui.commands import Commands
from ui.errors import ErrorBanner
from ui.operations import Operations
from ui.preferences import Preferences
from ui.theme import Tone

_OF_A_CASE = ("finalise", "return", "reject", "undo", "redo", "draw", "feedback")
_OPEN_FIRST = "No case is open; N takes the next one."


class AdjudicationPage(QWidget):
    """Where experts settle what others could not, and verify samples.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        preferences: Remembers the widths of the columns.
    """

    saved_changed = Signal(str, object)
    """(words, tone) for the footer."""
    undo_changed = Signal(str)
    """What undo would take back, for the footer."""
    finished = Signal(str)
    """The page has nothing more to show; the words say why."""
    reading_requested = Signal(str, object)
    """Id of a case the person can only read, and the `ForbiddenError` that says why."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("adjudication-page")
        self._operations = operations
        self._commands = commands
        self._wanted = ""
        self._key = ""
        self._is_under_way = False
        self._keeper: Keeper | None = None
        self._watch: OwnerWatch | None = None
        self.document: DecisionDocument | None = None
        self.head = CaseHead()
        self.columns = Columns()
        self.bar = DecisionBar()
        self.reveal = Reveal()
        self.banner = ErrorBanner()
        self._build()
        add_commands(commands, self, widget=self)
        self.bar.bind(commands)
        commands.bind(self.reveal.next, "adjudication.next")
        commands.bind(self.columns.judgments.merge, "adjudication.merge")
        commands.bind(self.columns.judgments.detail.tell, "adjudication.feedback")
        commands.bind(self.columns.judgments.detail.write, "adjudication.note")
        commands.bind(self.columns.drawings.graph.draw, "adjudication.draw")
        commands.bind(self.columns.drawings.graph.compare, "adjudication.pair")
        self._widths = Widths(self.columns, preferences)
        self._show_reveal()

    # what the window asks for

    def open_case(self, case_id: str) -> None:
        """Open a case an expert may decide; it is claimed."""
        if self.document is not None and self.document.adjudication.case_id == case_id:
            return
        self.close_case()
        self._wanted = case_id
        self.reveal.show_opening(case_id)
        self._show_reveal()
        self._operations.run(
            partial(load, case_id=case_id), then=self._show, failed=self._fail_to_open, origin=self
        )

    def close_case(self) -> None:
        """Put the case away; what was decided so far stays saved."""
        self._wanted = ""
        if self.document is None:
            return
        self.flush()
        if self._keeper is not None:
            self._keeper.stop()
        if self._watch is not None:
            self._watch.stop()
        self.document.blockSignals(True)
        self.document.deleteLater()
        self.document, self._keeper, self._watch = None, None, None
        self.saved_changed.emit("", Tone.NEUTRAL)
        self._tell_undo("")

    def flush(self) -> None:
        """Save now what is not saved yet."""
        self.columns.transcript.view.end_edit()
        if self._keeper is not None:
            self._keeper.flush()

    def unsaved_words(self) -> str:
        """What leaving now would lose, in one sentence; empty where nothing is at risk."""
        return self._keeper.unsaved_words if self._keeper is not None else ""

    # commands

    def next_case(self) -> None:
        """Take the next case that waits for an expert."""
        self._operations.run(claim_next_decision, then=self._take, failed=self.banner.show_error, origin=self)

    def finalise(self) -> None:
        """Settle the case as decided."""
        self._decide(Verdict.APPROVE)

    def give_back(self) -> None:
        """Return the case to its owner; the note says why."""
        self._decide(Verdict.RETURN)

    def reject(self) -> None:
        """Throw the case away; the note says why."""
        self._decide(Verdict.REJECT)

    def next_open(self) -> None:
        """Go to the next field that is open."""
        if not self.columns.table.go_to_open():
            self.bar.tell("Everything is decided. Finalise with Ctrl+Enter.")

    def toggle_filter(self) -> None:
        """Show only what differs, or everything."""
        self.columns.judgments.only_differing.toggle()

    def undo(self) -> None:
        """Take the last change of the decision back."""
        if self.document is not None:
            self.document.stack.undo()

    def redo(self) -> None:
        """Make the change again that was taken back."""
        if self.document is not None:
            self.document.stack.redo()

    # Qt

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.flush()

    # inside

    def _build(self) -> None:
        self._work = QWidget()
        column = QVBoxLayout(self._work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.columns, 1)
        column.addWidget(self.bar)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.reveal)
        self._stack.addWidget(self._work)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.setSpacing(0)
        outside.addWidget(self.banner)
        outside.addWidget(self._stack, 1)

    def _take(self, held: AssignmentRow | None) -> None:
        if held is None:
            self._operations.run(why_nothing, then=self.finished.emit)
        else:
            self.open_case(held.case_id)

    def _show(self, loaded: Loaded) -> None:
        adjudication = loaded.adjudication
        if adjudication.case_id != self._wanted:
            return
        document = DecisionDocument(adjudication, loaded.decision or adjudication.template, self)
        self.document = document
        self._key = submission_key()
        self._is_under_way = False
        self._keeper = Keeper(self._operations, document, sequence=loaded.sequence)
        self._keeper.saved_changed.connect(self.saved_changed)
        self._watch = OwnerWatch(self._operations, document)
        self._watch.revealed.connect(self._tell_owner)
        self.banner.dismiss()
        self.head.show_case(adjudication)
        self.bar.show_kind(is_sample=is_sampled(adjudication))
        self._stack.setCurrentWidget(self._work)
        self._widths.show_sides(len(adjudication.sides))
        self.columns.set_document(document)
        self.setFocusProxy(self.columns)
        self.columns.setFocus(Qt.FocusReason.OtherFocusReason)
        document.changed.connect(self._refresh)
        # A change is told before the stack has it: after the first one undo would stay blocked.
        document.stack.indexChanged.connect(self._refresh)
        document.refused.connect(self._show_refusal)
        document.undo_changed.connect(self._tell_undo)
        self._tell_undo("")
        self._refresh()
        if loaded.decision is not None:
            self.bar.tell("Your unfinished decision was restored.")

    def _refresh(self) -> None:
        document = self.document
        for name in _OF_A_CASE:
            self._block(name, "" if document is not None else _OPEN_FIRST)
        self._block("next", "" if document is None else "Settle this case first, or open another one.")
        self._block_sides(document)
        if document is None:
            return
        self.head.show_progress(document)
        self.bar.show_document(document)
        self._show_owner()
        if self._watch is not None:
            self._watch.look()
        self._block("finalise", self._why_not_final(document))
        needs_note = (
            "" if document.decision.note.strip() else "Write a note first (M): it says what is wrong."
        )
        self._block("return", needs_note)
        self._block("reject", needs_note)
        self._block("undo", "" if document.stack.canUndo() else "There is nothing to undo.")
        self._block("redo", "" if document.stack.canRedo() else "There is nothing to redo.")

    def _tell_owner(self) -> None:
        self._show_owner()
        self.bar.tell(
            "The owner's version stands beside the dialogue. T gives feedback, Ctrl+Enter finalises."
        )

    def _show_owner(self) -> None:
        """Hold what the owner said against what is decided now."""
        version = self._watch.version if self._watch is not None else None
        if self.document is None or version is None:
            return
        adjudication = self.document.adjudication
        lines = owner_lines(adjudication, self.document.decision, version.labels)
        self.columns.reasons.show_owner(adjudication, version.owner, lines=lines)

    def _block_sides(self, document: DecisionDocument | None) -> None:
        """Say of the keys that take a side or compare sides whether there are such sides."""
        letters = [side.letter for side in document.adjudication.sides] if document is not None else []
        for letter in LETTERS:
            reason = "" if letter in letters else f"There is no reviewer {letter}."
            self._block(letter.lower(), reason if document is not None else _OPEN_FIRST)
        self._block("merge", "" if letters else "No reviewer judged this case.")
        self._block("pair", "" if len(letters) > 2 else "There are no other two drawings to compare.")

    def _why_not_final(self, document: DecisionDocument) -> str:
        if document.left:
            return f"{len(document.left)} left to decide; F8 goes to the next."
        return document.result.problem

    def _block(self, name: str, reason: str) -> None:
        self._commands.block(f"adjudication.{name}", reason)

    def _decide(self, verdict: Verdict) -> None:
        self.columns.transcript.view.end_edit()
        document = self.document
        if document is None or self._is_under_way:
            return
        self._is_under_way = True
        decision = document.decision.model_copy(update={"verdict": verdict})
        self._operations.run(
            partial(
                decide,
                assignment_id=document.adjudication.assignment_id,
                decision=decision,
                key=self._key,
            ),
            then=partial(self._decided, document.adjudication, decision),
            failed=self._fail,
            origin=self,
        )

    def _decided(self, adjudication: Adjudication, decision: Decision, decided: Decided) -> None:
        self._is_under_way = False
        if self._keeper is not None:
            self._keeper.stop()
        self.close_case()
        self.reveal.show_decided(adjudication, decision, decided)
        self._show_reveal()

    def _fail(self, error: AnnotatorError) -> None:
        self._is_under_way = False
        self.banner.show_error(error)

    def _fail_to_open(self, error: AnnotatorError) -> None:
        wanted, self._wanted = self._wanted, ""
        self.reveal.show_nothing()
        self._show_reveal()
        if wanted and isinstance(error, ForbiddenError):
            self.reading_requested.emit(wanted, error)
        else:
            self.banner.show_error(error)

    def _show_reveal(self) -> None:
        self._refresh()
        self._stack.setCurrentWidget(self.reveal)
        self.setFocusProxy(self.reveal.next)
        self.reveal.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_refusal(self, error: AnnotatorError) -> None:
        self.bar.tell(str(error))

    def _tell_undo(self, text: str) -> None:
        self.undo_changed.emit(f"Undo: {text}" if text else "")
