"""What the frame says about the page that is shown: is its work kept, what can be undone, at which stage."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from scoring.errors import StoreError
from ui.shell.footer import Footer
from ui.shell.header import Header
from ui.shell.pages import TellsState, TellsWork
from ui.theme import Tone

if TYPE_CHECKING:
    from datetime import datetime

    from annotator.review.queue.claims import AssignmentRow
    from scoring.model.taxonomy import Stage

_QUIET = ("", Tone.NEUTRAL)
_KEPT_HERE = ("Kept on this computer", Tone.WARN)


class PageStates(QObject):
    """Remembers what each page said last, and shows it while the page is shown."""

    def __init__(self, header: Header, footer: Footer, parent: QObject) -> None:
        super().__init__(parent)
        self._header = header
        self._footer = footer
        self._shown: QWidget | None = None
        self._is_lost = False
        self._saved: dict[QWidget, tuple[str, Tone]] = {}
        self._undo: dict[QWidget, str] = {}
        self._work: dict[QWidget, tuple[Stage, datetime]] = {}

    def watch(self, page: QWidget) -> None:
        """Listen to a page that tells its state; others say nothing."""
        if isinstance(page, TellsState):
            page.saved_changed.connect(self._note_saved)
            page.undo_changed.connect(self._note_undo)
        if isinstance(page, TellsWork):
            page.work_changed.connect(self._note_work)

    def show_page(self, page: QWidget) -> None:
        """Show what a page said last."""
        if page is not self._shown:
            self._footer.be_quiet()
        self._shown = page
        self._refresh()

    def forget(self) -> None:
        """Forget every page."""
        self._saved, self._undo, self._work = {}, {}, {}
        self._shown = None

    def show_loss(self, _: StoreError) -> None:
        """Say where work is kept while the project is away; a page that cannot keep it says so itself."""
        self._is_lost = True
        self._refresh()

    def end_loss(self) -> None:
        """Say again what the page says."""
        self._is_lost = False
        self._refresh()

    def _note_saved(self, words: str, tone: Tone) -> None:
        page = self.sender()
        if isinstance(page, QWidget):
            self._saved[page] = (words, tone)
            self._refresh()

    def _note_work(self, held: "AssignmentRow | None") -> None:
        page = self.sender()
        if isinstance(page, QWidget):
            self._work.pop(page, None)
            self._end_note(page)  # it was about the case before
            if held is not None:
                self._work[page] = (held.stage, held.lease_until)
            self._refresh()

    def _note_undo(self, words: str) -> None:
        page = self.sender()
        if isinstance(page, QWidget):
            self._end_note(page)  # e.g. that there is nothing to redo
            self._undo[page] = words
            self._refresh()

    def _end_note(self, page: QWidget) -> None:
        if page is self._shown:
            self._footer.be_quiet()

    def _refresh(self) -> None:
        page = self._shown
        saved = self._saved.get(page, _QUIET) if page is not None else _QUIET
        if self._is_lost and saved[1] is not Tone.ERROR:
            saved = _KEPT_HERE
        self._footer.show_saved(*saved)
        self._footer.show_undo(self._undo.get(page, "") if page is not None else "")
        stage, until = self._work.get(page, (None, None)) if page is not None else (None, None)
        self._header.show_work(stage, until=until)
