"""What the banner above a case tells: not kept, changed by somebody else, work brought along."""

from PySide6.QtCore import QObject, Signal

from annotator.drafts.merged_work import MergedWork, who
from annotator.review.case_changes import MovedOn
from scoring.errors import AnnotatorError, ConflictError, ForbiddenError
from ui.services.commands import Commands, shown_keys
from ui.services.errors import ErrorBanner
from ui.theme import Tone
from ui.theme.words import STAGE
from ui.workbench.autosave import SaveState
from ui.workbench.open_work import OpenWork

_OPEN_AGAIN = "Open it as it is now"


class Notices(QObject):
    """Listens to the open work, and offers to open the case anew where that is the next step.

    Args:
        open_work: Where the case is open.
        banner: Shows the news.
        commands: Knows the keys that are named.
    """

    saved_changed = Signal(str, object)
    """(words, tone) for the footer."""
    moved = Signal()
    """The open case has another revision by now."""

    def __init__(
        self, open_work: OpenWork, banner: ErrorBanner, commands: Commands, *, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._open_work = open_work
        self._banner = banner
        self._commands = commands
        self._problem = ""
        open_work.save_changed.connect(self._tell_saved)
        open_work.brought.connect(self._tell_brought)
        open_work.moved_on.connect(self._tell_moved)
        banner.acted.connect(open_work.open_again)

    def show_error(self, error: AnnotatorError) -> None:
        """Show an error; where the open case is not what it was, offer to open it anew."""
        self._banner.show_error(error)
        if self._open_work.document is not None and isinstance(error, ConflictError | ForbiddenError):
            self._banner.offer(_OPEN_AGAIN)

    def show_lost(self, error: AnnotatorError) -> None:
        """Say why the case cannot be had any more."""
        self._banner.show_message(
            error.message, f"{error.hint} Your work on it is kept and comes back with the case."
        )

    def _tell_saved(self, state: SaveState) -> None:
        words = f"{state.words} · {state.problem}" if state.problem else state.words
        self.saved_changed.emit(words, state.tone)
        # While the whole project is away the window says so itself.
        is_news = bool(state.problem) and state.problem != self._problem
        self._problem = state.problem
        if is_news and self._open_work.is_refused and self._open_work.document is not None:
            self._banner.show_message(f"{state.words}.", state.problem, tone=state.tone)
            self._banner.offer(_OPEN_AGAIN)

    def _tell_brought(self, place: str) -> None:
        keys = shown_keys(self._commands.keys("workbench.aside")) or "the palette"
        words, hint = brought_words(
            self._open_work.merged, self._open_work.merged_words, place=place, keys=keys
        )
        self._banner.show_message(words, hint, tone=Tone.WARN)

    def _tell_moved(self, moved: MovedOn) -> None:
        loaded = self._open_work.loaded
        if loaded is not None:
            words, hint = moved_words(moved, me=loaded.opened.assignment.person)
            self._banner.show_message(words, hint, tone=Tone.WARN)
            if moved.ended is None:
                self._banner.offer(_OPEN_AGAIN)
            self.moved.emit()


def brought_words(merged: MergedWork | None, changed: str, *, place: str, keys: str) -> tuple[str, str]:
    """The sentence and the hint once one's work was brought together with the case as it is now.

    Args:
        merged: What came of it; null where nothing had to be brought together.
        changed: Who changed what, in a sentence.
        place: The file that keeps what another window saved; empty where there was none.
        keys: How that is brought back.
    """
    is_changed = merged is not None and bool(merged.tasks or merged.theirs or merged.work.clashes)
    if place:
        hint = f"Undo shows what that window saved. {place} keeps it, and {keys} brings it back later."
        lead = f"{changed} " if is_changed and changed else ""
        return "Your work lies on top of what another window saved.", lead + hint
    if is_changed:
        hint = f"{changed} Undo shows the case without your work."
        return "Your work was merged with the current version of the case.", hint
    hint = "Nobody changed its content. Undo shows the case without your work."
    return "Your work lies on top of the case as it is now.", hint


def moved_words(moved: MovedOn, *, me: str) -> tuple[str, str]:
    """The sentence and the hint when a case that is open moved on, or is not the person's any more."""
    if moved.ended is not None:
        kept = "Your work on it is kept and comes back with the case. Take the next case to go on."
        if moved.ended in ("submitted", "skipped"):
            return f"You {moved.ended} {moved.case_id} in another window.", kept
        to = moved.owner or "somebody else"
        return f"You do not hold {moved.case_id} any more: it was handed back, or given to {to}.", kept
    if moved.has_other_content:
        hint = "Your work is saved. Bring both together now, or later: until then it cannot be submitted."
        return f"{who(moved.by, me)} changed {moved.case_id} while you work on it.", hint
    stage = STAGE[moved.stage].lower()
    hint = "Your work is saved. Open the case again before you submit."
    return f"{moved.case_id} moved on while you work on it: it is at {stage} now.", hint
