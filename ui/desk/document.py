"""The document of the workbench: snapshots on one undo stack, and where the person is in them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Generic

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.versions.conflicts import Clash, Side
from annotator.drafts.assessment import Assessment, assess, suggestions_in
from annotator.drafts.draft_body import DraftBody, OpenEditor
from annotator.drafts.merged_work import settled
from annotator.drafts.precedents import NO_PRECEDENTS, Precedents
from annotator.drafts.snapshot import (
    Snapshot,
    opening_snapshot,
    require_same_steps,
    sealed,
    with_answers_last,
    with_case,
    with_drawing,
    with_judgment,
)
from annotator.project.policy import ReviewPolicy
from annotator.review.loaded_case import LoadedCase
from scoring.errors import AnnotatorError
from scoring.generics import T
from scoring.model.case import Case, Edge
from scoring.model.labels import Judgment, Reason
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Stage, Verdict
from scoring.texts import tr
from ui.theme.layouts import build


@dataclass(frozen=True)
class Selection:
    """Where the person is: a task, perhaps one of its steps, perhaps one value of it (JSON Pointer)."""

    task: int = 0
    step: int | None = None
    path: str | None = None


class CaseDocument(QObject):
    """Holds a case and a judgment as frozen values; widgets show them and ask for changes.

    Args:
        base: The case as the reviewer may see it.
        start: What an editor opens with where there is no draft.
        stage: Stage of the assignment.
        policy: The project's review policy.
        is_blind: Whether it is a blind cross-check.
        draft: Saved work to go on from; None where there is none.
        seconds: Active time so far.
        assessment: What was said about the snapshot it begins with, or about an earlier one.
        is_read_only: Whether every edit is refused without a word.
        precedents: What earlier cases of the same toolset say about this one.
    """

    changed = Signal()
    """The snapshot is another one."""
    assessed = Signal()
    """The assessment may be another one.

    Follows `changed` at once, or after a pause while one types.
    """
    selection_changed = Signal(object)
    """The new `Selection`."""
    refused = Signal(object)
    """The `AnnotatorError` of an edit that was not made."""
    typed_again = Signal(object)
    """The `OpenEditor` text of an editor that was given up and is wanted again by redo."""
    undo_changed = Signal(str)
    """What undo would take back; empty where there is nothing."""

    def __init__(
        self,
        base: Case,
        start: Judgment,
        *,
        stage: Stage,
        policy: ReviewPolicy,
        is_blind: bool = False,
        draft: Snapshot | None = None,
        seconds: float = 0,
        assessment: Assessment | None = None,
        is_read_only: bool = False,
        precedents: Precedents = NO_PRECEDENTS,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        # Without labels nothing leads into the answer; still it comes last, as in everybody's drawing.
        self.base = with_answers_last(base) if is_blind and not is_read_only else base
        self.stage = stage
        self.policy = policy
        self.is_blind = is_blind
        self.is_read_only = is_read_only
        self.precedents = precedents
        self.seconds = seconds
        self.start = draft if is_read_only and draft is not None else opening_snapshot(self.base, start)
        self.snapshot = draft or self.start
        """The case and the judgment now."""
        if assessment is not None and assessment.snapshot == self.snapshot:
            # The very same objects: what was remembered of them is found again after an edit.
            self.snapshot = assessment.snapshot
        self._assessment = assessment
        self.selection = Selection()
        """Where the person is."""
        self._merge = MergeKeys()
        self.stack = build(QUndoStack, self, undoTextChanged=self.undo_changed)
        self._pause = build(
            QTimer,
            self,
            singleShot=True,
            interval=120,
            timeout=self.assessed,
        )

    @property
    def case(self) -> Case:
        """The case now."""
        return self.snapshot.case

    @property
    def judgment(self) -> Judgment:
        """What is said about the case now."""
        return self.snapshot.judgment

    @property
    def assessment(self) -> Assessment:
        """What the checks, the gates and the proposals say about the snapshot."""
        if self._assessment is None or self._assessment.snapshot is not self.snapshot:
            self._assessment = assess(
                self.snapshot,
                stage=self.stage,
                policy=self.policy,
                before=self._assessment,
                precedents=self.precedents,
            )
        return self._assessment

    def select(self, task: int, step: int | None = None, *, path: str | None = None) -> None:
        """Go to a task, step or value; a place that does not exist is brought back to one that does."""
        task = min(max(task, 0), len(self.case.tasks) - 1)
        if step is not None and not 0 <= step < len(self.case.tasks[task].steps):
            step = None
        chosen = Selection(task, step, path if step is not None else None)
        if chosen != self.selection:
            if (chosen.task, chosen.step) != (self.selection.task, self.selection.step):
                self._merge.stop()
            self.selection = chosen
            self.selection_changed.emit(chosen)

    def edit_case(self, title: str, change: Callable[[Case], Case], *, key: str = "") -> bool:
        """Change the case as one step of undo.

        Args:
            title: What is done, e.g. `change city of call 1`; undo shows it.
            change: Gives the case after the edit.
            key: Edits in a row with the same key become one step; empty for a step of its own.

        Returns:
            Whether the edit was made; one that is refused goes to `refused`.
        """
        edit = partial(with_case, change=self._guarded(change), is_proposed=self._is_proposed)
        return self._attempt(title, edit, key=key)

    def draw(self, title: str, change: Callable[[Case], Case]) -> bool:
        """Draw the selected task as a whole, as one step of undo; whether that changed or said anything."""
        drawing = partial(with_drawing, change=self._guarded(change), task=self.selection.task)
        return self._attempt(title, drawing, key="")

    def own_edges(self, case: Case, task: int) -> frozenset[Edge]:
        """Dependencies of a task that the work did not begin with: those drawn one by one."""
        before = self.start.case.tasks[task].drawn_edges if task < len(self.start.case.tasks) else ()
        return frozenset(case.tasks[task].drawn_edges).difference(before)

    def edit_judgment(self, title: str, change: Callable[[Judgment], Judgment], *, key: str = "") -> bool:
        """Change what is said about the case as one step of undo; arguments as for `edit_case`."""
        return self._attempt(title, partial(with_judgment, change=change), key=key)

    def give_up(self, unread: OpenEditor, *, title: str, key: str) -> None:
        """Note what is typed and is no value, as a last step of what is unwound next."""
        self._merge.stop()
        self._push(title, self.snapshot, typed_at=key, again=partial(self.typed_again.emit, unread))

    def unwind(self, change: Callable[[Case], Case], *, key: str) -> bool:
        """Undo what was typed at a place where an edit would only lead back to before it.

        So what was given up can be had again by redo.

        Args:
            change: Gives the case after the edit.
            key: The place, as for `edit_case`.

        Returns:
            Whether that was done.
        """
        try:
            wanted = change(self.case)
        except AnnotatorError:
            return False
        for number in range(self.stack.index() - 1, -1, -1):
            command = self.stack.command(number)
            if (
                not isinstance(command, UndoStep)
                or command.typed_at != key
                or (wanted == self.case and command.again is None)
            ):
                return False
            if command.before.case == wanted:
                self.stack.setIndex(number)
                return True
        return False

    def start_over(self) -> bool:
        """Go back to where the work began, as one step of undo."""
        return self._attempt(tr("start over"), lambda _: self.start, key="")

    def bring(self, work: Snapshot, *, title: str) -> bool:
        """Lay other work on the case over this one, as one step of undo; whether it was taken and differs."""
        return self._attempt(title, partial(self._accepted, work), key="")

    def settle(self, clash: Clash, side: Side, *, title: str) -> bool:
        """Choose a side of a clash, as one step of undo; whether it was done."""
        return self._attempt(title, partial(settled, clash=clash, side=side), key="")

    def stop_merging(self) -> None:
        """Let the next edit be a step of its own, whatever its key."""
        self._merge.stop()

    def judgment_for(self, verdict: Verdict, reasons: Sequence[Reason] = ()) -> Judgment:
        """The judgment to submit with a verdict."""
        return sealed(
            self.snapshot,
            base=self.base,
            findings=self.assessment.findings,
            is_blind=self.is_blind,
            verdict=verdict,
            reasons=tuple(reasons),
            seconds=self.seconds,
        )

    def _show(self, place: Selection, snapshot: Snapshot, is_typing: bool) -> None:
        if not is_typing:
            self._merge.stop()
        self.snapshot = snapshot
        self.changed.emit()
        self.select(place.task, place.step, path=place.path)
        if is_typing:
            self._pause.start()
        else:
            self._pause.stop()
            self.assessed.emit()

    def _accepted(self, work: Snapshot, before: Snapshot) -> Snapshot:
        if self.is_blind:
            require_same_steps(before.case, work.case)
        return work

    def _is_proposed(self, case: Case, task: int) -> bool:
        is_of_file = task in self.start.judgment.undrawn
        has_more = is_of_file and len(self.own_edges(case, task)) < len(case.tasks[task].drawn_edges)
        return has_more or bool(suggestions_in(Dialogue(case), task, self.precedents))

    def _guarded(self, change: Callable[[Case], Case]) -> Callable[[Case], Case]:
        return partial(_with_same_steps, change) if self.is_blind else change

    def _attempt(self, title: str, change: Callable[[Snapshot], Snapshot], *, key: str) -> bool:
        if self.is_read_only:
            return False
        try:
            after = change(self.snapshot)
        except AnnotatorError as error:
            self.refused.emit(error)
            return False
        if after == self.snapshot:
            return False
        self._push(title, after, key=self._merge.key(key), typed_at=key)
        return True

    def _push(
        self,
        title: str,
        after: Snapshot,
        *,
        key: str = "",
        typed_at: str,
        again: Callable[[], None] | None = None,
    ) -> None:
        show = partial(self._show, self.selection)
        step = UndoStep(
            title, before=self.snapshot, after=after, show=show, key=key, typed_at=typed_at, again=again
        )
        self.stack.push(step)


def _with_same_steps(change: Callable[[Case], Case], case: Case) -> Case:
    after = change(case)
    require_same_steps(case, after)
    return after


def document_for(loaded: LoadedCase, body: DraftBody | None) -> CaseDocument:
    """Make the document of a case; the draft is where it stands, the case is what undoing leads to.

    Raises:
        AnnotatorError: What was saved does not hold together.
    """
    opened = loaded.opened
    draft = opening_snapshot(body.case, body.judgment, body.clashes) if body is not None else None
    return CaseDocument(
        opened.base,
        opened.template,
        stage=opened.assignment.stage,
        policy=loaded.policy,
        is_blind=opened.is_blind,
        draft=draft,
        seconds=body.judgment.seconds if body is not None else 0.0,
        assessment=loaded.assessment,
        precedents=opened.precedents,
    )


def draft_body(
    document: CaseDocument, at: datetime, *, open_editor: OpenEditor | None = None, comment: str = ""
) -> DraftBody:
    """What is saved of a document: case, judgment, active time, where the person was when, what is typed."""
    cursor: JsonObject = {
        "task": document.selection.task,
        "step": document.selection.step,
        "at": at.isoformat(),
        **({"comment": comment} if comment else {}),
    }
    return DraftBody(
        case=document.case,
        judgment=document.judgment.model_copy(update={"seconds": document.seconds}),
        cursor=cursor,
        open_editor=open_editor,
        clashes=document.snapshot.clashes,
    )


def cursor_of(body: DraftBody) -> tuple[int, int | None]:
    """Where the person was, as task and step."""
    task, step = body.cursor.get("task"), body.cursor.get("step")
    return (task if isinstance(task, int) else 0), (step if isinstance(step, int) else None)


_COMMAND_ID = 1
_MERGE_SECONDS = 5.0


class UndoStep(QUndoCommand, Generic[T]):
    """Shows a value again; steps in a row with the same key become one.

    Args:
        title: What was done, as undo shows it.
        before: The value to go back to.
        after: The value the change made.
        show: Takes a value on, and whether it comes from typing.
        key: What the step is merged by; empty for a step of its own.
        typed_at: The field it was typed in; empty where it was not typed.
        again: Called by a redo, which drops the step; None where redo shows the value and that is all.
    """

    def __init__(
        self,
        title: str,
        *,
        before: T,
        after: T,
        show: Callable[[T, bool], None],
        key: str = "",
        typed_at: str = "",
        again: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(title)
        self.before = before
        self.typed_at = typed_at
        self.again = again
        self._after = after
        self._show = show
        self._key = key
        self._is_undone = False

    def id(self) -> int:
        return _COMMAND_ID

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, UndoStep) or not self._key or other._key != self._key:
            return False
        self._after = other._after
        self.setObsolete(self._after == self.before)
        return True

    def undo(self) -> None:
        self._is_undone = True
        self._show(self.before, False)

    def redo(self) -> None:
        self._show(self._after, bool(self._key))
        if self.again is not None and self._is_undone:
            self.setObsolete(True)  # it is done again now, and may be given up again
            self.again()


class MergeKeys:
    """Gives edits that follow each other closely the same key, and a fresh one after a pause."""

    def __init__(self) -> None:
        self._run = 0
        self._last = 0.0

    def stop(self) -> None:
        """Let the next edit be a step of its own."""
        self._run += 1

    def key(self, wanted: str) -> str:
        """The key an edit is merged by; empty where it stands alone."""
        now = time.monotonic()
        if not wanted or now - self._last > _MERGE_SECONDS:
            self.stop()
        self._last = now
        return f"{wanted} {self._run}" if wanted else ""
