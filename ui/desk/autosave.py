"""Keeping the work: drafts to the store at most a second behind, to this computer while the store is away.

A second from key to disk is spent like this: at most 350 ms until typed letters reach the document, at
most 300 ms until the draft is handed to the store, and where the store has not answered 600 ms after the
change, the work is kept on this computer. A change after a pause is handed over at once.
"""

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal

from annotator.drafts.draft_body import DraftBody
from annotator.drafts.journal import Journal, JournalEntry, WorkKey
from annotator.project.workspace import Done, Workspace
from annotator.review.case_changes import MovedOn, look_for_changes
from annotator.review.drafts import SeenDraft, save_draft
from annotator.review.queue.claims import AssignmentRow, keep_alive
from annotator.review.submissions import Submitted, submission_key, submit
from scoring.errors import AnnotatorError, StoreError
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.texts import tr
from ui.services.errors import pass_over
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.layouts import build

_SPACING_SECONDS = 0.3
_GATHERING_MILLISECONDS = 30
_PATIENCE_SECONDS = 0.6


class SaveStage(StrEnum):
    """How safe the work is."""

    CLEAN = "clean"
    UNSAVED = "unsaved"
    SAVED = "saved"
    KEPT_HERE = "kept_here"
    FAILED = "failed"


@dataclass(frozen=True)
class SaveState:
    """How safe the work is, since when, and what is wrong where something is.

    `at` is the local time of the last save; None before the first. `is_behind` says that what is saved
    goes on from a case that is another one by now.
    """

    stage: SaveStage = SaveStage.CLEAN
    at: datetime | None = None
    problem: str = ""
    is_behind: bool = False

    @property
    def words(self) -> str:
        """One line for the footer."""
        clock = f"{self.at:%H:%M:%S}" if self.at else ""
        behind = tr(", but the case changed meanwhile") if self.is_behind else ""
        return {
            SaveStage.CLEAN: tr("The case changed meanwhile") if self.is_behind else "",
            SaveStage.UNSAVED: tr("Saving"),
            SaveStage.SAVED: tr("Saved {clock}{behind}", clock=clock, behind=behind),
            SaveStage.KEPT_HERE: tr("Kept on this computer {clock}", clock=clock),
            SaveStage.FAILED: tr("Not saved"),
        }[self.stage]

    @property
    def line(self) -> str:
        """The same with what is wrong."""
        return f"{self.words} · {self.problem}" if self.problem else self.words

    @property
    def tone(self) -> Tone:
        """How the line is coloured."""
        return {
            SaveStage.CLEAN: Tone.WARN if self.is_behind else Tone.NEUTRAL,
            SaveStage.SAVED: Tone.WARN if self.is_behind else Tone.OK,
            SaveStage.KEPT_HERE: Tone.WARN,
            SaveStage.FAILED: Tone.ERROR,
        }.get(self.stage, Tone.NEUTRAL)


class Autosaver(QObject):
    """Saves the newest body it was given.

    Saves follow each other with a little space between, and wait for each other; only `flush` hands over
    what is newest at once. What was handed over is looked after until the store has answered, also when
    this object is gone by then.

    Args:
        operations: The way to the store.
        journal: Takes the work while the store cannot.
        key: Whose work on what it is, for the journal.
        assignment_id: The slot whose draft it is.
        sequence: Number of the draft the store has; 0 for none.
        base: The case the work goes on from, as its reviewer saw it; None for whichever is the newest.
        base_id: Its number in the store.
        parent: Owner.
    """

    state_changed = Signal(object)
    """The new `SaveState`."""
    moved_on = Signal(object)
    """The `MovedOn` that a save came upon."""

    def __init__(
        self,
        operations: Operations,
        journal: Journal,
        *,
        key: WorkKey,
        assignment_id: int,
        sequence: int,
        base: Case | None = None,
        base_id: int | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._operations = operations
        self._journal = journal
        self._key = key
        self._base = base
        self.draft = StoredDraft(assignment_id, sequence, window=journal.window, base_id=base_id)
        """What the store has of the work."""
        self._assignment_id = assignment_id
        self.state = SaveState()
        """How safe the work is."""
        # One state of the work each, told apart as objects.
        self._wanted: DraftBody | None = None
        self._sent: DraftBody | None = None
        self._kept: DraftBody | None = None
        self._under_way = 0
        self._last_turn = self._waiting_since = 0.0
        self._is_stopped = False
        self._is_sealed = False
        self.is_refused = False
        """Whether the store answers but does not take the work, e.g. because the slot is gone."""
        self._is_behind = False
        self._delay = build(QTimer, self, singleShot=True, timeout=self._send_newest)
        self._patience = build(QTimer, self, singleShot=True, timeout=self._keep_here)
        self._alive = build(QTimer, self, interval=10 * 60 * 1000, timeout=self._sign_of_life)
        self._alive.start()
        operations.restored.connect(self.flush)

    @property
    def is_at_risk(self) -> bool:
        """Whether closing now would lose something: neither the store nor this computer has it."""
        return self._wanted is not None and self._wanted is not self._kept

    def take(self, body: DraftBody) -> None:
        """Note newer work: handed over within 300 ms, and kept here where the store takes longer than 600."""
        if self._is_stopped:
            return
        if any(self._wanted is known for known in (None, self._sent, self._kept)):
            self._waiting_since = time.monotonic()
        self._wanted = self._journal.signed(body)
        if self.state.stage not in (SaveStage.KEPT_HERE, SaveStage.FAILED):
            self._tell(SaveState(SaveStage.UNSAVED, self.state.at))
        if not self._delay.isActive():
            self._await_turn()
        if not self._patience.isActive():
            self._await_answer()

    def flush(self) -> None:
        """Save now what is not saved yet."""
        self._delay.stop()
        if self._is_stopped or self._wanted is None:
            return
        if self.is_refused or self._operations.lost is not None:
            self._keep_here()
        elif self._sent is not self._wanted:
            self._send(self._wanted)

    def seal(self) -> None:
        """Stop: the work was submitted, and the draft with it."""
        self.stop()
        self._is_sealed = True
        self._wanted = None
        self._journal.drop(self._key)

    def stop(self) -> None:
        """Take no more work; what was handed over is still kept here where the store refuses it."""
        self._is_stopped = True
        for timer in (self._delay, self._patience, self._alive):
            timer.stop()

    def note_behind(self) -> None:
        """What is saved goes on from a case that is another one by now."""
        self._is_behind = True
        self._tell(self.state)

    def _note_saved(self, work: DraftBody, moved: MovedOn | None) -> None:
        """The store has a piece of work; `moved` says how the case is another one than it began with."""
        self._under_way -= 1
        if work is self._wanted:
            self._wanted = None
            self._journal.drop(self._key)
        if not self._is_there:
            return
        self._patience.stop()
        self._is_behind = moved is not None
        if self._wanted is None:
            self._tell(SaveState(SaveStage.SAVED, _now()))
        else:
            self._await_turn()
            self._await_answer()
        if moved is not None:
            self.moved_on.emit(moved)

    def _note_refused(self, work: DraftBody, error: AnnotatorError) -> None:
        """The store did not take a piece of work."""
        self._under_way -= 1
        self._sent = None
        if self._is_there:
            # A store that is away comes back; a slot that is gone, or a draft of another window, does not.
            self.is_refused = not isinstance(error, StoreError)
            self._keep_here(str(error))
        elif not self._is_sealed:
            self._keep_left(work)

    @property
    def _is_there(self) -> bool:
        return not self._is_stopped and shiboken6.isValid(self)

    def _await_turn(self) -> None:
        rest = _milliseconds(self._last_turn + _SPACING_SECONDS - time.monotonic())
        self._delay.start(max(rest, _GATHERING_MILLISECONDS))

    def _await_answer(self) -> None:
        self._patience.start(_milliseconds(self._waiting_since + _PATIENCE_SECONDS - time.monotonic()))

    def _send_newest(self) -> None:
        # While a save is under way the next one waits for it, and is kept here where that takes long.
        if not self._under_way:
            self.flush()

    def _send(self, work: DraftBody) -> None:
        self._sent, self._last_turn = work, time.monotonic()
        self._under_way += 1
        # Functions of the class, not bound methods: they are called also where this object is gone by then.
        self._operations.run(
            partial(self.draft.save, body=work),
            then=partial(Autosaver._note_saved, self, work),
            failed=partial(Autosaver._note_refused, self, work),
            origin=self,
        )

    def _keep_here(self, problem: str = "") -> None:
        self._patience.stop()
        if self._wanted is None:
            return
        self._last_turn = time.monotonic()
        said = problem or self.state.problem or tr("The project does not answer.")
        try:
            if self._wanted is not self._kept:
                self._keep(self._wanted)
        except StoreError as error:
            self._tell(SaveState(SaveStage.FAILED, self.state.at, f"{said} {error}"))
        else:
            self._kept = self._wanted
            self._tell(SaveState(SaveStage.KEPT_HERE, _now(), said))

    def _keep_left(self, work: DraftBody) -> None:
        """Keep work whose case was closed before the store refused it."""
        try:
            self._keep(self._wanted or work)
        except StoreError as error:
            self._operations.failure.emit(error)

    def _keep(self, work: DraftBody) -> None:
        at, basis = datetime.now(UTC), self.draft.sequence
        self._journal.keep(JournalEntry(key=self._key, at=at, body=work, basis=basis, base=self._base))

    def _sign_of_life(self) -> None:
        if self._operations.lost is None:
            self._operations.run(
                partial(keep_alive, assignment_id=self._assignment_id), failed=pass_over, origin=self
            )

    def _tell(self, state: SaveState) -> None:
        state = replace(state, is_behind=self._is_behind)
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)


class StoredDraft:
    """The draft in the store, written and submitted on the database thread.

    Args:
        assignment_id: The slot whose draft it is.
        sequence: Its number; 0 for none.
        window: What its writer is called.
        base_id: The revision of the case it goes on from; None for whichever is the newest.
    """

    def __init__(self, assignment_id: int, sequence: int, *, window: str, base_id: int | None) -> None:
        self._assignment_id = assignment_id
        self._window = window
        self._base_id = base_id
        self._key = submission_key()
        self.sequence = sequence

    def save(self, workspace: Workspace, *, body: DraftBody) -> Done[MovedOn | None]:
        """Save a body as the one after the last; gives how the case moved on since the work began."""
        done = save_draft(
            workspace, self._assignment_id, body=body, sequence=self.sequence, base_id=self._base_id
        )
        self.sequence = done.value
        return Done(self.look(workspace), done.changes)

    def look(self, workspace: Workspace) -> MovedOn | None:
        """How the case moved on since the work began; None where it did not."""
        return (
            look_for_changes(workspace, self._assignment_id, base_id=self._base_id)
            if self._base_id is not None
            else None
        )

    def submit(self, workspace: Workspace, *, judgment: Judgment) -> Done[Submitted]:
        """Submit the work, unless another window has saved some that this one does not know."""
        return submit(
            workspace,
            self._assignment_id,
            judgment=judgment,
            key=self._key,
            seen=SeenDraft(self.sequence, self._window),
        )


def work_key(operations: Operations, held: AssignmentRow) -> WorkKey:
    """Whose work on what is kept on this computer: that of a slot in the open project."""
    project = operations.project
    return WorkKey(
        project=project.address if project else "",
        person=held.person,
        case_id=held.case_id,
        stage=held.stage,
        round=held.round,
    )


def _milliseconds(seconds: float) -> int:
    return max(round(seconds * 1000), 0)


def _now() -> datetime:
    return datetime.now().astimezone()
