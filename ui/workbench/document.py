"""The document of the workbench: snapshots on one undo stack, and where the person is in them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from annotator.cases.clashes import Clash, Side
from annotator.project.policy import ReviewPolicy
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from scoring.model.labels import Judgment, Reason
from scoring.model.taxonomy import Stage, Verdict
from ui.workbench.assessing import Assessment
from ui.workbench.assessor import Assessor
from ui.workbench.awaiting import awaited, is_long
from ui.workbench.snapshot import (
    Snapshot,
    opening_snapshot,
    require_same_steps,
    sealed,
    with_answers_last,
    with_case,
    with_judgment,
)
from ui.workbench.together import settled

_COMMAND_ID = 1
_TYPING_PAUSE_MILLISECONDS = 120
_MERGE_SECONDS = 5.0


@dataclass(frozen=True)
class Selection:
    """Where the person is: a task, perhaps one of its steps, perhaps one value of it (JSON Pointer)."""

    task: int = 0
    step: int | None = None
    path: str | None = None


class WorkbenchDocument(QObject):
    """Holds a case and a judgment as frozen values; widgets show them and ask for changes.

    Args:
        base: The case as the reviewer may see it.
        start: What an editor opens with where there is no draft.
        stage: Stage of the assignment.
        policy: The project's review policy.
        is_blind: Whether it is a blind cross-check.
        draft: Saved work to go on from; null where there is none.
        seconds: Active time so far.
        assessment: What was said about the snapshot it begins with; null where nobody looked yet.
    """

    changed = Signal()
    """The snapshot is another one."""
    assessed = Signal()
    """The assessment may be another one.

    Follows `changed` at once, or after a pause while one types; of a long case again when its checks are
    through.
    """
    selection_changed = Signal(object)
    """The new `Selection`."""
    refused = Signal(object)
    """The `AnnotatorError` of an edit that was not made."""
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
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        # Without labels nothing leads into the answer; still it comes last, as in everybody's drawing.
        self.base = with_answers_last(base) if is_blind else base
        self.stage = stage
        self.policy = policy
        self.is_blind = is_blind
        self.seconds = seconds
        self.start = opening_snapshot(self.base, start)
        self._snapshot = draft or self.start
        self._selection = Selection()
        self._assessor = Assessor(
            stage=stage, policy=policy, last=_about(self._snapshot, assessment), parent=self
        )
        self._assessor.assessed.connect(self._tell_assessed)
        self._awaited: Assessment | None = None
        self._merge = _Merging()
        self.stack = QUndoStack(self)
        self.stack.undoTextChanged.connect(self.undo_changed)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_TYPING_PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self.assessed)

    @property
    def snapshot(self) -> Snapshot:
        """The case and the judgment now."""
        return self._snapshot

    @property
    def case(self) -> Case:
        """The case now."""
        return self._snapshot.case

    @property
    def judgment(self) -> Judgment:
        """What is said about the case now."""
        return self._snapshot.judgment

    @property
    def selection(self) -> Selection:
        """Where the person is."""
        return self._selection

    @property
    def assessment(self) -> Assessment:
        """What the checks, the gates and the proposals say about the snapshot, waiting for it."""
        return self._assessor.look(self._snapshot)

    @property
    def shown(self) -> Assessment:
        """What can be shown of the assessment at once.

        While the checks of a long case run, it is what still holds of an earlier look; `assessed` tells
        when they are through.
        """
        snapshot = self._snapshot
        if self._assessor.says(snapshot) or not is_long(snapshot.case):
            return self.assessment
        if self._awaited is None or self._awaited.snapshot is not snapshot:
            self._awaited = awaited(snapshot, self._assessor.last)
            self._assessor.begin(snapshot)
        return self._awaited

    def select(self, task: int, step: int | None = None, *, path: str | None = None) -> None:
        """Go to a task, step or value; a place that does not exist is brought back to one that does."""
        task = min(max(task, 0), len(self.case.tasks) - 1)
        if step is not None and not 0 <= step < len(self.case.tasks[task].steps):
            step = None
        chosen = Selection(task, step, path if step is not None else None)
        if chosen != self._selection:
            if (chosen.task, chosen.step) != (self._selection.task, self._selection.step):
                self._merge.stop()
            self._selection = chosen
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
        return self._attempt(title, partial(with_case, change=self._guarded(change)), key=key)

    def edit_judgment(self, title: str, change: Callable[[Judgment], Judgment], *, key: str = "") -> bool:
        """Change what is said about the case as one step of undo; arguments as for `edit_case`."""
        return self._attempt(title, partial(with_judgment, change=change), key=key)

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
        if wanted == self.case:
            return False
        for number in range(self.stack.index() - 1, -1, -1):
            command = self.stack.command(number)
            if not isinstance(command, _Change) or command.typed_at != key:
                return False
            if command.before.case == wanted:
                self.stack.setIndex(number)
                return True
        return False

    def start_over(self) -> bool:
        """Go back to where the work began, as one step of undo."""
        return self._attempt("start over", lambda _: self.start, key="")

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
            self._snapshot,
            base=self.base,
            findings=self.assessment.findings,
            is_blind=self.is_blind,
            verdict=verdict,
            reasons=tuple(reasons),
            seconds=self.seconds,
        )

    def show(self, snapshot: Snapshot, selection: Selection, *, is_typing: bool) -> None:
        """Take a snapshot on; called by the undo stack's commands."""
        self._snapshot = snapshot
        self.changed.emit()
        self.select(selection.task, selection.step, path=selection.path)
        if is_typing:
            self._pause.start()
        else:
            self._pause.stop()
            self.assessed.emit()

    def _tell_assessed(self) -> None:
        if self._assessor.says(self._snapshot):
            self._awaited = None
            self.assessed.emit()

    def _accepted(self, work: Snapshot, before: Snapshot) -> Snapshot:
        if self.is_blind:
            require_same_steps(before.case, work.case)
        return work

    def _guarded(self, change: Callable[[Case], Case]) -> Callable[[Case], Case]:
        return partial(_with_same_steps, change) if self.is_blind else change

    def _attempt(self, title: str, change: Callable[[Snapshot], Snapshot], *, key: str) -> bool:
        try:
            after = change(self._snapshot)
        except AnnotatorError as error:
            self.refused.emit(error)
            return False
        if after == self._snapshot:
            return False
        command = _Change(self, title, after=after, key=self._merge.key(key), typed_at=key)
        self.stack.push(command)
        return True


class _Change(QUndoCommand):
    """One step of undo: the snapshots before and after, and where it happened."""

    def __init__(
        self, document: WorkbenchDocument, title: str, *, after: Snapshot, key: str, typed_at: str
    ) -> None:
        super().__init__(title)
        self._document = document
        self.before = document.snapshot
        self.typed_at = typed_at
        self._after = after
        self._key = key
        self._place = document.selection

    def id(self) -> int:
        return _COMMAND_ID

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Change) or not self._key or other._key != self._key:
            return False
        self._after = other._after
        self.setObsolete(self._after == self.before)
        return True

    def undo(self) -> None:
        self._document.stop_merging()
        self._document.show(self.before, self._place, is_typing=False)

    def redo(self) -> None:
        self._document.show(self._after, self._place, is_typing=bool(self._key))


class _Merging:
    """Gives edits that follow each other closely the same key, and a fresh one after a pause."""

    def __init__(self) -> None:
        self._run = 0
        self._last = 0.0

    def stop(self) -> None:
        """End the run."""
        self._run += 1

    def key(self, wanted: str) -> str:
        """The key an edit is merged by; empty where it stands alone."""
        now = time.monotonic()
        if not wanted or now - self._last > _MERGE_SECONDS:
            self.stop()
        self._last = now
        return f"{wanted} {self._run}" if wanted else ""


def _about(snapshot: Snapshot, assessment: Assessment | None) -> Assessment | None:
    """An assessment of an equal snapshot as one of this very snapshot."""
    if assessment is None or assessment.snapshot != snapshot:
        return None
    return replace(assessment, snapshot=snapshot)


def _with_same_steps(change: Callable[[Case], Case], case: Case) -> Case:
    after = change(case)
    require_same_steps(case, after)
    return after
