"""The bar at the bottom and what it says: whether work is kept, what can be undone, how an outage goes on."""

from datetime import datetime
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QObject, QTimer, SignalInstance
from PySide6.QtWidgets import QWidget

from scoring.errors import AnnotatorError, StoreError
from scoring.texts import tr
from ui.services.errors import ErrorBanner
from ui.services.jobs import JobStrip
from ui.services.operations import Operations
from ui.shell.header import Header
from ui.theme import Bar, ElidedLabel, TextLabel, Tone
from ui.theme.labels import restyle
from ui.theme.layouts import build, connect
from ui.theme.panels import StatePlace
from ui.theme.tokens import STATUS_HEIGHT

if TYPE_CHECKING:
    from annotator.review.queue.claims import AssignmentRow
    from scoring.model.taxonomy import Stage


NOTE_MILLISECONDS = 6000
_LOOKS = {
    Tone.NEUTRAL: "small-muted",
    Tone.ACCENT: "accent",
    Tone.OK: "ok",
    Tone.WARN: "warn",
    Tone.ERROR: "error",
}
_SIGNS = {Tone.OK: "●", Tone.WARN: "▲", Tone.ERROR: "■"}


class Footer(Bar):
    """Save state and notes at the left, jobs at the right; in the bar of a page that has one."""

    def __init__(self) -> None:
        saved = TextLabel("", "ok", objectName="save-state", visible=False)
        undo = ElidedLabel("", "small-muted", objectName="undo-words", visible=False)
        note = ElidedLabel("", "small-muted", objectName="footer-note")
        jobs = JobStrip()
        members = (saved, undo, (note, 1), jobs)
        super().__init__(
            "status", *members, height=STATUS_HEIGHT, gap=16, margins=(12, 0), objectName="footer"
        )
        self._saved, self._undo, self._note, self.jobs = saved, undo, note, jobs
        self._clear = build(QTimer, self, singleShot=True, interval=NOTE_MILLISECONDS, timeout=self.be_quiet)

    def show_saved(self, words: str, tone: Tone) -> None:
        """Say whether everything is kept; empty words say nothing."""
        sign = _SIGNS.get(tone, "")
        self._saved.set_look(_LOOKS[tone])
        self._saved.say(f"{sign} {words}".strip() if words else "")

    def show_undo(self, words: str) -> None:
        """Say what Ctrl+Z would take back."""
        self._undo.say(words)

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._undo.setVisible(not words)
        self._note.setText(words)
        self._clear.start()

    def be_quiet(self) -> None:
        """Take back what was said for a few seconds: it is over, or about something else."""
        self._clear.stop()
        self._note.setText("")
        self._undo.say(self._undo.text())


_QUIET = ("", Tone.NEUTRAL)


@runtime_checkable
class TellsState(Protocol):
    """A page that has something to say in the footer while it is shown."""

    saved_changed: SignalInstance
    """(words, tone): e.g. `Saved 14:02:11` and `Tone.OK`."""
    undo_changed: SignalInstance
    """(words): e.g. `Ctrl Z undoes: change city of call 1`."""


@runtime_checkable
class TellsWork(Protocol):
    """A page on which people work on a case of theirs."""

    work_changed: SignalInstance
    """(assignment or None): the slot that is open now."""


class PageStates(QObject):
    """Remembers what each page said last, and shows it while the page is shown."""

    def __init__(self, header: Header, footer: Footer, parent: QObject) -> None:
        super().__init__(parent)
        self._header = header
        self._footer = footer
        self._home = footer.parentWidget()
        self._shown: QWidget | None = None
        self._is_lost = False
        self._saved: dict[QWidget, tuple[str, Tone]] = {}
        self._undo: dict[QWidget, str] = {}
        self._work: dict[QWidget, tuple[Stage, datetime]] = {}

    def watch(self, page: QWidget) -> None:
        """Listen to a page that tells its state; others say nothing."""
        if isinstance(page, TellsState):
            connect(
                (page.saved_changed, partial(self._note_saved, page)),
                (page.undo_changed, partial(self._note_undo, page)),
            )
        if isinstance(page, TellsWork):
            page.work_changed.connect(partial(self._note_work, page))
        for place in page.findChildren(StatePlace):
            place.shown.connect(self._move_footer)

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
        self._put_footer(self._home)

    def _move_footer(self, is_shown: bool) -> None:
        place = self.sender()
        if is_shown and isinstance(place, StatePlace):
            self._put_footer(place)
        elif self._footer.parentWidget() is place:
            self._put_footer(self._home)

    def _put_footer(self, around: QWidget | None) -> None:
        """Show the footer at the end of a widget: the window, or the place in the bar of a page."""
        layout = around.layout() if around is not None else None
        assert layout is not None
        layout.addWidget(self._footer)
        restyle(self._footer, "look", "status" if around is self._home else "")
        self._footer.show()

    def show_loss(self, *, is_lost: bool) -> None:
        """Say where work is kept while the project is away; a page that cannot keep it says so itself."""
        self._is_lost = is_lost
        self._refresh()

    def _note_saved(self, page: QWidget, words: str, tone: Tone) -> None:
        self._saved[page] = (words, tone)
        self._refresh()

    def _note_work(self, page: QWidget, held: "AssignmentRow | None") -> None:
        self._work.pop(page, None)
        self._end_note(page)  # it was about the case before
        if held is not None:
            self._work[page] = (held.stage, held.lease_until)
        self._refresh()

    def _note_undo(self, page: QWidget, words: str) -> None:
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
            saved = (tr("Kept on this computer"), Tone.WARN)
        self._footer.show_saved(*saved)
        self._footer.show_undo(self._undo.get(page, "") if page is not None else "")
        stage, until = self._work.get(page, (None, None)) if page is not None else (None, None)
        self._header.show_work(stage, until=until)


class Outage(QObject):
    """Shows in banner and footer that nothing can be kept; people go on, and what they do is kept here.

    Args:
        operations: What tries again.
        banner: Says it large, until it is closed; and any other error nobody took.
        footer: Tells the end.
        states: Says it small, as long as it lasts.
    """

    def __init__(
        self,
        operations: Operations,
        banner: ErrorBanner,
        footer: Footer,
        *,
        states: PageStates,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._operations = operations
        self._banner = banner
        self._footer = footer
        self._states = states
        self._error: StoreError | None = None
        self._tick = build(QTimer, self, interval=250, timeout=self._count)
        connect(
            (operations.failure, self._weigh),
            (operations.connection_lost, self._begin),
            (operations.restored, self._end),
            (banner.acted, operations.retry_now),
            (banner.closed, self._tick.stop),
        )

    def _begin(self, error: StoreError) -> None:
        self._error = error
        self._states.show_loss(is_lost=True)
        self._remind()

    def _weigh(self, error: AnnotatorError) -> None:
        """Say an error, or again that nothing can be kept, where that is the reason."""
        if isinstance(error, StoreError) and self._operations.lost is not None:
            self._remind()
        else:
            self._banner.show_error(error)

    def _remind(self) -> None:
        if self._error is not None:
            self._banner.show_error(self._error)
            self._banner.offer(tr("Retry now"))
            self._count()
            self._tick.start()

    def _count(self) -> None:
        if self._error is None or self._banner.message != tr(self._error.message):
            self._tick.stop()  # something else is said there now
            return
        seconds = ceil(self._operations.milliseconds_to_retry / 1000)
        trying = tr("Retrying in {seconds} s.", seconds=seconds) if seconds else tr("Retrying …")
        kept = tr("Your work is saved on this computer in the meantime.")
        self._banner.change_hint(f"{tr(self._error.hint)} {kept} {trying}")

    def _end(self) -> None:
        if self._error is not None and self._banner.message == tr(self._error.message):
            self._banner.dismiss()
        self._error = None
        self._tick.stop()
        self._states.show_loss(is_lost=False)
        self._footer.tell(
            tr(
                "The project has been available again since {astimezone:%H:%M:%S}.",
                astimezone=datetime.now().astimezone(),
            )
        )
