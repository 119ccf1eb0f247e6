"""The note above a case that says what was restored, and how to go back behind it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.review.saved_work import Restored
from ui.theme import Hint, HintAction, Tone
from ui.theme.layouts import clear_layout, vbox

_SECONDS = 20.0
"""Active time after which it is known that an ordinary draft was restored."""


class RestoredNote(QWidget):
    """Empty where nothing was restored.

    An ordinary draft's note goes with the first edit or after some seconds of work; a warning, and a note
    that offers what was set aside, waits for an answer.
    """

    over_wanted = Signal()
    """The person wants to start over."""
    aside_wanted = Signal()
    """The person wants to see what was set aside."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ends_at: float | None = None
        self._place = vbox(within=self, gap=None)

    def show_restored(self, restored: Restored, *, seconds: float, has_aside: bool) -> None:
        """Say what was restored.

        Args:
            restored: What was; without words the note is empty.
            seconds: Active time on the case so far.
            has_aside: Whether anything of the case was set aside.
        """
        self.clear()
        if not restored.words:
            return
        if not has_aside and not restored.is_warning:
            self._ends_at = seconds + _SECONDS
        aside = (HintAction("aside", "What was set aside…"),) if has_aside else ()
        actions = (HintAction("over", "Start over"), *aside, HintAction("fine", "Go on"))
        note = Hint(
            restored.words,
            "",
            Tone.WARN if restored.is_warning else Tone.ACCENT,
            actions=actions,
            objectName="restored-note",
            acted=self._answer,
        )
        self._place.addWidget(note)

    def pass_time(self, seconds: float) -> None:
        """Take the note of an ordinary draft away after so many seconds of active time on the case."""
        if self._ends_at is not None and seconds >= self._ends_at:
            self.clear()

    def end_if_ordinary(self) -> None:
        """Take the note of an ordinary draft away, because the work goes on."""
        if self._ends_at is not None:
            self.clear()

    def clear(self) -> None:
        """Say nothing."""
        self._ends_at = None
        clear_layout(self._place)

    def _answer(self, name: str) -> None:
        if name == "over":
            self.over_wanted.emit()
        elif name == "aside":
            self.aside_wanted.emit()
        else:
            self.clear()
