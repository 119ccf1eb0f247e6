"""Letting go of a case: submitting it, with a reason or without, handing it back, taking it back."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.review.claiming import AssignmentRow, leave
from annotator.review.submitting import Submitted, submission_key, withdraw
from scoring.errors import AnnotatorError
from scoring.model.labels import Reason
from scoring.model.taxonomy import Verdict
from ui.operations import Operations
from ui.theme.dialogs import open_dialog
from ui.workbench.autosave import StoredDraft
from ui.workbench.document import WorkbenchDocument
from ui.workbench.reason_dialog import ReasonDialog

_QUESTIONS = {
    Verdict.REJECT: (
        "Reject this case?",
        "An expert decides whether it is thrown away. Say why it cannot be repaired.",
        "Reject case",
    ),
    Verdict.ESCALATE: (
        "Escalate to an expert?",
        "Your work goes along as a proposal. Say what is unclear.",
        "Escalate",
    ),
    Verdict.RETURN: (
        "Return it to its owner?",
        "If every reviewer returns it, the owner gets it back with your notes.",
        "Return case",
    ),
}


class Handing(QObject):
    """Hands the open case on.

    Args:
        operations: The way to the project.
        page: Parent of the dialogs.
    """

    submitting = Signal()
    """A judgment is on its way; nothing may change now."""
    submitted = Signal(object)
    """The `Submitted`."""
    left = Signal(str)
    """Id of the case that was handed back."""
    taken_back = Signal(object)
    """The `AssignmentRow` that is held again."""
    failed = Signal(object)
    """The `AnnotatorError`; the case stays open."""

    def __init__(self, operations: Operations, page: QWidget) -> None:
        super().__init__(page)
        self._operations = operations
        self._page = page
        self._document: WorkbenchDocument | None = None
        self._held: AssignmentRow | None = None
        self._draft: StoredDraft | None = None
        self._key = ""
        self._is_under_way = False

    def begin(self, document: WorkbenchDocument, held: AssignmentRow, *, draft: StoredDraft) -> None:
        """Another case is open."""
        self._document, self._held, self._draft = document, held, draft
        self._key = submission_key()
        self._is_under_way = False

    def submit(self) -> None:
        """Submit an approval, if nothing stands against it."""
        if self._document is not None and not self._document.assessment.blockers:
            self._send(Verdict.APPROVE, ())

    def ask(self, verdict: Verdict) -> None:
        """Ask why, then submit another verdict than an approval."""
        title, words, verb = _QUESTIONS[verdict]
        dialog = ReasonDialog(title, words, verb=verb, parent=self._page)
        dialog.given.connect(partial(self._send_with_reason, verdict))
        open_dialog(dialog)

    def hand_back(self) -> None:
        """Let somebody else take the case; the draft stays."""
        self._leave(skip=False)

    def ask_skip(self) -> None:
        """Ask why, then let go of the case and not be offered it again."""
        dialog = ReasonDialog(
            "Skip this case?",
            "It goes to somebody else and is not offered to you again in this round.",
            verb="Skip",
            parent=self._page,
            has_category=False,
        )
        dialog.given.connect(self._skip)
        open_dialog(dialog)

    def take_back(self, case_id: str) -> None:
        """Take a submission back while nobody has built on it."""
        self._operations.run(
            partial(withdraw, case_id=case_id),
            then=self.taken_back.emit,
            failed=self._fail,
            origin=self._page,
        )

    def _send_with_reason(self, verdict: Verdict, reason: Reason) -> None:
        self._send(verdict, (reason,))

    def _send(self, verdict: Verdict, reasons: tuple[Reason, ...]) -> None:
        document, draft = self._document, self._draft
        if document is None or draft is None or self._is_under_way:
            return
        self._is_under_way = True
        self.submitting.emit()
        judgment = document.judgment_for(verdict, reasons)
        self._operations.run(
            partial(draft.submit, judgment=judgment, key=self._key),
            then=self._finish,
            failed=self._fail,
            origin=self._page,
        )

    def _finish(self, done: Submitted) -> None:
        self._document, self._held, self._draft = None, None, None
        self._is_under_way = False
        self.submitted.emit(done)

    def _fail(self, error: AnnotatorError) -> None:
        self._is_under_way = False
        self.failed.emit(error)

    def _skip(self, reason: Reason) -> None:
        self._leave(skip=True, reason=reason.note)

    def _leave(self, *, skip: bool, reason: str = "") -> None:
        if self._held is not None:
            self._operations.run(
                partial(leave, assignment_id=self._held.id, skip=skip, reason=reason),
                then=self._forget,
                failed=self._fail,
                origin=self._page,
            )

    def _forget(self, _: object) -> None:
        held, self._held = self._held, None
        self._document, self._draft = None, None
        if held is not None:
            self.left.emit(held.case_id)
