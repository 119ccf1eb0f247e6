"""Keeping the work: drafts to the store at most a second behind, to this computer while the store is away."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.review.claiming import keep_alive
from annotator.review.drafts import DraftBody, save_draft
from scoring.errors import AnnotatorError, StoreError
from ui.operations import Operations
from ui.theme import Tone
from ui.workbench.journal import Journal, Kept, WorkKey

_DELAY_MILLISECONDS = 500
_PATIENCE_MILLISECONDS = 400
_SIGN_OF_LIFE_MILLISECONDS = 10 * 60 * 1000


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

    `at` is the local time of the last save; null before the first.
    """

    stage: SaveStage = SaveStage.CLEAN
    at: datetime | None = None
    problem: str = ""

    @property
    def words(self) -> str:
        """One line for the footer."""
        clock = f"{self.at:%H:%M:%S}" if self.at else ""
        return {
            SaveStage.CLEAN: "",
            SaveStage.UNSAVED: "Saving",
            SaveStage.SAVED: f"Saved {clock}",
            SaveStage.KEPT_HERE: f"Kept on this computer {clock}",
            SaveStage.FAILED: "Not saved",
        }[self.stage]

    @property
    def tone(self) -> Tone:
        """How the line is coloured."""
        return {
            SaveStage.SAVED: Tone.OK,
            SaveStage.KEPT_HERE: Tone.WARN,
            SaveStage.FAILED: Tone.ERROR,
        }.get(self.stage, Tone.NEUTRAL)


class Autosaver(QObject):
    """Saves the newest body it was given; one save is under way at a time.

    Args:
        operations: The way to the store.
        journal: Takes the work while the store cannot.
        key: Whose work on what it is, for the journal.
        assignment_id: The slot whose draft it is.
        sequence: Number of the draft the store has; 0 for none.
        parent: Owner.
    """

    state_changed = Signal(object)
    """The new `SaveState`."""

    def __init__(
        self,
        operations: Operations,
        journal: Journal,
        *,
        key: WorkKey,
        assignment_id: int,
        sequence: int,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._operations = operations
        self._journal = journal
        self._key = key
        self._assignment_id = assignment_id
        self._sequence = sequence
        self._state = SaveState()
        self._wanted: DraftBody | None = None
        self._under_way: DraftBody | None = None
        self._kept: DraftBody | None = None
        self._is_stopped = False
        self._is_refused = False
        self._delay = self._timer(_DELAY_MILLISECONDS, self.flush)
        self._patience = self._timer(_PATIENCE_MILLISECONDS, self._keep_here)
        self._alive = QTimer(self)
        self._alive.setInterval(_SIGN_OF_LIFE_MILLISECONDS)
        self._alive.timeout.connect(self._sign_of_life)
        self._alive.start()
        operations.restored.connect(self.flush)

    @property
    def state(self) -> SaveState:
        """How safe the work is."""
        return self._state

    @property
    def is_at_risk(self) -> bool:
        """Whether closing now would lose something: neither the store nor this computer has it."""
        return self._wanted is not None and self._wanted is not self._kept

    def take(self, body: DraftBody) -> None:
        """Note newer work; it is saved within half a second."""
        if self._is_stopped:
            return
        self._wanted = body
        if self._state.stage not in (SaveStage.KEPT_HERE, SaveStage.FAILED):
            self._tell(SaveState(SaveStage.UNSAVED, self._state.at))
        if not self._delay.isActive():
            self._delay.start()

    def flush(self) -> None:
        """Save now what is not saved yet."""
        self._delay.stop()
        if self._is_stopped or self._wanted is None:
            return
        if self._is_refused or self._operations.lost is not None:
            self._keep_here()
            return
        if self._under_way is not None:
            self._patience.start()
            return
        body, self._under_way = self._wanted, self._wanted
        self._patience.start()
        self._operations.run(
            partial(save_draft, assignment_id=self._assignment_id, body=body, sequence=self._sequence),
            then=self._saved,
            failed=self._not_saved,
            origin=self,
        )

    def seal(self) -> None:
        """Stop: the work was submitted, and the draft with it."""
        self.stop()
        self._wanted = None
        self._journal.drop(self._key)

    def stop(self) -> None:
        """Stop without touching what is saved or kept."""
        self._is_stopped = True
        for timer in (self._delay, self._patience, self._alive):
            timer.stop()

    def _timer(self, milliseconds: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    def _saved(self, sequence: int) -> None:
        self._patience.stop()
        self._sequence = sequence
        done, self._under_way = self._under_way, None
        if self._is_stopped:
            return
        if self._wanted is done:
            self._wanted = None
            self._journal.drop(self._key)
            self._tell(SaveState(SaveStage.SAVED, _now()))
        else:
            self._delay.start()

    def _not_saved(self, error: AnnotatorError) -> None:
        self._patience.stop()
        self._under_way = None
        if self._is_stopped:
            return
        # A store that is away comes back; a slot that is gone, or a draft of another window, does not.
        self._is_refused = not isinstance(error, StoreError)
        self._keep_here(str(error))

    def _keep_here(self, problem: str = "") -> None:
        if self._wanted is None:
            return
        kept = Kept(key=self._key, at=datetime.now(UTC), body=self._wanted)
        said = problem or self._state.problem or "The project does not answer."
        try:
            self._journal.keep(kept)
        except StoreError as error:
            self._tell(SaveState(SaveStage.FAILED, self._state.at, f"{said} {error}"))
        else:
            self._kept = self._wanted
            self._tell(SaveState(SaveStage.KEPT_HERE, _now(), said))

    def _sign_of_life(self) -> None:
        if self._operations.lost is None:
            self._operations.run(
                partial(keep_alive, assignment_id=self._assignment_id), failed=_ignore, origin=self
            )

    def _tell(self, state: SaveState) -> None:
        if state != self._state:
            self._state = state
            self.state_changed.emit(state)


def _now() -> datetime:
    return datetime.now().astimezone()


def _ignore(error: AnnotatorError) -> None:
    """A slot that is gone is told when the work is saved."""
