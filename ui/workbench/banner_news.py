"""What the banner above a case tells: not kept, changed by somebody else, work brought along."""

from PySide6.QtCore import QObject, Signal

from annotator.review.moving_on import MovedOn
from scoring.errors import AnnotatorError, ConflictError, ForbiddenError
from ui.commands import Commands, shown_keys
from ui.errors import ErrorBanner
from ui.theme import Tone
from ui.workbench.autosave import SaveState
from ui.workbench.desk import Desk
from ui.workbench.moved_words import brought_words, moved_words

_OPEN_AGAIN = "Open it as it is now"


class BannerNews(QObject):
    """Listens to the desk, and offers to open the case anew where that is the next step.

    Args:
        desk: Where the case is open.
        banner: Shows the news.
        commands: Knows the keys that are named.
    """

    saved_changed = Signal(str, object)
    """(words, tone) for the footer."""
    moved = Signal()
    """The open case has another revision by now."""

    def __init__(self, desk: Desk, banner: ErrorBanner, commands: Commands, *, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._banner = banner
        self._commands = commands
        self._problem = ""
        desk.save_changed.connect(self._tell_saved)
        desk.brought.connect(self._tell_brought)
        desk.moved_on.connect(self._tell_moved)
        banner.acted.connect(desk.open_again)

    def show_error(self, error: AnnotatorError) -> None:
        """Show an error; where the open case is not what it was, offer to open it anew."""
        self._banner.show_error(error)
        if self._desk.document is not None and isinstance(error, ConflictError | ForbiddenError):
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
        if is_news and self._desk.is_refused and self._desk.document is not None:
            self._banner.show_message(f"{state.words}.", state.problem, tone=state.tone)
            self._banner.offer(_OPEN_AGAIN)

    def _tell_brought(self, place: str) -> None:
        keys = shown_keys(self._commands.keys("workbench.aside")) or "the palette"
        words, hint = brought_words(self._desk.together, self._desk.together_words, place=place, keys=keys)
        self._banner.show_message(words, hint, tone=Tone.WARN)

    def _tell_moved(self, moved: MovedOn) -> None:
        loaded = self._desk.loaded
        if loaded is not None:
            words, hint = moved_words(moved, me=loaded.opened.assignment.person)
            self._banner.show_message(words, hint, tone=Tone.WARN)
            self._banner.offer(_OPEN_AGAIN)
            self.moved.emit()
