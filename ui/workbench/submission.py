"""Letting go of a case: what was changed so far, submitting it, handing it back, taking it back."""

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from annotator.cases.versions.case_diff import case_diff
from annotator.drafts.difference import restored_words
from annotator.review.loaded_case import kind_of
from annotator.review.queue.claims import AssignmentRow, leave
from annotator.review.submissions import Submitted
from annotator.review.withdrawals import may_withdraw, withdraw
from scoring.errors import AnnotatorError
from scoring.model.labels import Reason
from scoring.model.taxonomy import Stage, Verdict
from scoring.texts import tr, with_commas
from ui.desk.dialogs import reason_dialog
from ui.desk.document import CaseDocument
from ui.diffs import ChangeList
from ui.services.errors import pass_over
from ui.services.operations import Operations
from ui.theme.dialogs import FramedDialog
from ui.theme.layouts import STRETCH, build
from ui.theme.words import STAGE, visible
from ui.workbench.open_work import OpenWork

_QUESTIONS = {
    Verdict.REJECT: (
        tr("Reject this case?"),
        tr("An expert decides whether it is thrown away. Say why it cannot be repaired."),
        tr("Reject case"),
    ),
    Verdict.ESCALATE: (
        tr("Escalate to an expert?"),
        tr("Your work goes along as a proposal. Say what is unclear."),
        tr("Escalate"),
    ),
    Verdict.RETURN: (
        tr("Return it to its owner?"),
        tr("If every reviewer returns it, the owner gets it back with your notes."),
        tr("Return case"),
    ),
}


_SEVERAL, _MOST_NAMED = 2, 6
_LOOK_MILLISECONDS = 15_000
"""How often it is asked whether somebody has gone on with what was submitted last."""


class Submission(QObject):
    """Hands the open case on.

    Args:
        operations: The way to the project.
        open_work: Has the case.
        page: Parent of the dialogs.
    """

    submitting = Signal()
    """A judgment is on its way; nothing may change now."""
    submitted = Signal(object)
    """The `Submitted`."""
    left = Signal(str, str)
    """The case was handed back or skipped: a title, and what became of it."""
    taken_back = Signal(object)
    """The `AssignmentRow` that is held again."""
    undo_changed = Signal()
    """Whether `open_id` can be taken back may be another matter now."""
    failed = Signal(object)
    """The `AnnotatorError`; the case stays open."""

    def __init__(self, operations: Operations, open_work: OpenWork, page: QWidget) -> None:
        super().__init__(page)
        self._operations, self._open_work, self._page = operations, open_work, page
        self._is_under_way = False
        self.open_id = ""
        """The case submitted last, as long as that can be taken back; empty for none."""
        self.kind: tuple[Stage, ...] = ()
        """The stages of the kind of work that was submitted last."""
        self._sent: list[str] = []
        self._last: Submitted | None = None
        self._look = build(QTimer, self, interval=_LOOK_MILLISECONDS, timeout=self.look_again)

    def submit(self) -> None:
        """Submit an approval, if nothing stands against it."""
        document = self._open_work.document
        if document is not None and not document.assessment.blockers:
            self._send(Verdict.APPROVE)

    def ask(self, verdict: Verdict) -> None:
        """Ask why, then submit another verdict than an approval."""
        title, words, verb = _QUESTIONS[verdict]
        document = self._open_work.document
        reason_dialog(
            title,
            words,
            verb=verb,
            parent=self._page,
            topic=f"verdict.{verdict}",
            own=document.policy.feedback_categories if document is not None else (),
        ).ask(partial(self._send, verdict))

    def ask_skip(self) -> None:
        """Ask why, then let go of the case and not be offered it again."""
        reason_dialog(
            tr("Skip this case?"),
            tr("It goes to somebody else and is not offered to you again in this round."),
            verb=tr("Skip"),
            parent=self._page,
            has_category=False,
        ).ask(self.hand_back)

    def take_back(self) -> None:
        """Take the last submission back while nobody has built on it."""
        if self.open_id:
            self._operations.run(
                partial(withdraw, case_id=self.open_id),
                then=self._hold_again,
                failed=self._fail,
                origin=self._page,
            )

    def look_again(self) -> None:
        """Look whether the last submission can still be taken back."""
        if self.open_id:
            case_id = self.open_id
            self._operations.run(
                partial(may_withdraw, case_id=case_id),
                then=partial(self._note_open, case_id),
                failed=pass_over,
            )

    @property
    def stage_words(self) -> str:
        """Where the case submitted last stands now; empty before the first."""
        return STAGE[self._last.stage].lower() if self._last is not None else ""

    @property
    def end_words(self) -> str:
        """What became of the case submitted last, and of several what they were, for the end of the queue."""
        words = tr("Nothing else of this kind waits for you.")
        if self._last is not None:
            words = tr(
                "{case_id} is now at: {stage}. {words}",
                case_id=self._last.case_id,
                stage=self.stage_words,
                words=words,
            )
        if len(self._sent) < _SEVERAL:
            return words
        return tr(
            "{words} {sent_count} cases submitted in this sitting, last {shown}.",
            words=words,
            sent_count=len(self._sent),
            shown=with_commas(self._sent[:-_MOST_NAMED:-1]),
        )

    def _send(self, verdict: Verdict, *reasons: Reason) -> None:
        work = self._open_work
        if work.document is None or work.saver is None or work.loaded is None or self._is_under_way:
            return
        self._is_under_way = True
        self.submitting.emit()
        self._operations.run(
            partial(work.saver.draft.submit, judgment=work.document.judgment_for(verdict, reasons)),
            then=partial(self._finish, kind_of(work.loaded.opened.assignment.stage)),
            failed=self._fail,
            origin=self._page,
        )

    def _finish(self, kind: tuple[Stage, ...], done: Submitted) -> None:
        self.kind = kind
        self._is_under_way = False
        is_open = done.known_answer is None  # after its reveal nothing is taken back
        self.open_id, self._last = done.case_id if is_open else "", done
        if done.stage is not Stage.SELF_CHECK_DIALOGUE:
            self._sent.append(done.case_id)
        self.submitted.emit(done)
        if is_open:
            self.look_again()
            self._look.start()
        else:
            self._look.stop()

    def _hold_again(self, held: AssignmentRow) -> None:
        self.open_id = ""
        self._look.stop()
        if held.case_id in self._sent:
            self._sent.remove(held.case_id)
        self.undo_changed.emit()
        self.taken_back.emit(held)

    def _note_open(self, case_id: str, is_open: bool) -> None:
        if case_id == self.open_id and not is_open:
            self.open_id = ""
            self._look.stop()
        self.undo_changed.emit()

    def _fail(self, error: AnnotatorError) -> None:
        self._is_under_way = False
        self.failed.emit(error)

    def hand_back(self, skipped: Reason | None = None) -> None:
        """Let somebody else take the case, and the draft stays; with a reason it is not offered again."""
        if self._open_work.loaded is not None:
            held = self._open_work.loaded.opened.assignment
            words = (
                (
                    tr("Handed back"),
                    tr("{case_id} is in the queue again; your work on it is kept.", case_id=held.case_id),
                )
                if skipped is None
                else (
                    tr("Skipped"),
                    tr("{case_id} is not offered to you again in this round.", case_id=held.case_id),
                )
            )
            self._operations.run(
                partial(
                    leave,
                    assignment_id=held.id,
                    skip=skipped is not None,
                    reason=skipped.note if skipped is not None else "",
                ),
                then=lambda _: self.left.emit(*words),
                failed=self._fail,
                origin=self._page,
            )


_MOST_STEPS = 41


class ChangesDialog(FramedDialog):
    """Counts what was said and changed, and shows each change of the case itself.

    Args:
        document: The open case.
        parent: The page.
    """

    def __init__(self, document: CaseDocument, parent: QWidget) -> None:
        title = tr("My changes so far")
        super().__init__("changes-dialog", title, title, width=620, height=460, parent=parent)
        words = restored_words(document.start, document.snapshot)
        found = case_diff(document.base, document.case)
        self.words = self.frame.explain(
            tr("You have: {words}.", words=words) if words else tr("You have changed nothing yet."),
            objectName="changes-words",
        )
        steps = [document.stack.text(number) for number in range(document.stack.index())]
        if steps:
            self.frame.explain(
                tr(
                    "Since you opened it, newest first:\n{shown}",
                    shown="\n".join(f"· {visible(step)}" for step in steps[:-_MOST_STEPS:-1]),
                )
            )
        if found:
            changes = ChangeList()
            changes.show_changes(found)
            self.frame.add((changes, 1))
        else:
            self.frame.add(STRETCH)
        self.frame.close_with(tr("Close"), "changes-close").setFocus()
