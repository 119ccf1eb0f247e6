"""How the window tells people that something went wrong: a banner they can act on, a report for bugs."""

import platform
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

import PySide6
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QFrame, QPlainTextEdit, QWidget

from annotator.resources import MESSAGES
from scoring.errors import DISTRIBUTION, AnnotatorError
from scoring.texts import in_language, tr
from scoring.wording import without_passwords
from ui.services.topics import explain_page
from ui.theme import Button, ButtonKind, TextLabel, Tone, ToolButton
from ui.theme.dialogs import FramedDialog
from ui.theme.labels import restyle
from ui.theme.layouts import build, hbox, vbox
from ui.theme.words import UNREAD


class ManualLink(Button):
    """Leads to what the manual says of a message, also by key."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(
            tr("In the manual"), ButtonKind.LINK, keys="⇧ F1", visible=False, clicked=self._open, **properties
        )
        self.page = ""
        """The page it leads to, with a heading or a message behind `#`; empty for none."""

    def offer(self, message: str, *, page: str = "") -> None:
        """Offer what the manual says of a message, as it stands in the source, or a page; or nothing."""
        self.page = f"{MESSAGES}#{message}" if message else page
        self.setVisible(bool(self.page))
        if isinstance(self.window(), QDialog):  # the window has a command with this key
            self.setShortcut("Shift+F1")

    def _open(self) -> None:
        explain_page(self.page, self)


class ErrorBanner(QFrame):
    """A bar that says what went wrong and what to do next; it blocks nothing.

    Its cross closes it, and so does Esc wherever nothing else takes that key. Hidden until `show_error`
    or `show_message`.
    """

    closed = Signal()
    acted = Signal()
    """What it offers was chosen."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, **({"objectName": "error-banner", "visible": False} | properties))
        self._message, self._hint = (
            TextLabel(
                "",
                "",
                objectName=name,
                wordWrap=True,
                textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            )
            for name in ("error-message", "error-hint")
        )
        for widget in (self, self._message, self._hint):
            widget.setProperty("hint", Tone.ERROR.value)
        strong = self._message.font()
        strong.setWeight(QFont.Weight.DemiBold)
        self._message.setFont(strong)
        close = ToolButton(
            "x", tr("Close this message"), "Esc", objectName="error-close", clicked=self.dismiss
        )
        self._action = Button(
            tr("Try again"), ButtonKind.LINK, objectName="error-action", clicked=self.acted, visible=False
        )
        self._manual = ManualLink(objectName="error-manual")
        hbox(
            (vbox(self._message, self._hint), 1),
            self._manual,
            self._action,
            within=self,
            gap=None,
            margins=(12, 6, 6, 6),
        ).addWidget(close, 0, Qt.AlignmentFlag.AlignTop)

    def show_error(self, error: AnnotatorError, *, hint: str = "") -> None:
        """Show an error the user can act on; `hint` says more of what to do next than its own."""
        self.show_message(in_language(error.message), hint or in_language(error.hint))
        self._english = error.message
        self._manual.offer(error.message)

    def show_message(self, message: str, hint: str = "", *, tone: Tone = Tone.ERROR, page: str = "") -> None:
        """Show a message with what to do next, in a tone; one to act on offers the page of the manual."""
        for widget in (self, self._message, self._hint):
            restyle(widget, "hint", tone.value)
        self._english = message
        self._message.setText(message)
        self._hint.say(hint)
        self._action.hide()
        self._manual.offer("", page=page if tone in (Tone.WARN, Tone.ERROR) else "")
        self.setAccessibleName(f"{message} {hint}".strip())
        self.show()

    def tell(
        self, words: Callable[[Any], str], done: object, *, hint: Callable[[Any], object] = lambda _: ""
    ) -> None:
        """Say what came of something, in words made of its result."""
        self.show_message(words(done), str(hint(done)), tone=Tone.OK)

    def change_hint(self, hint: str) -> None:
        """Say something else about what to do next; a reader is not interrupted."""
        self._hint.say(hint)

    def offer(self, words: str, *, keys: str = "") -> None:
        """Offer what settles it, until another message is shown; `acted` says that it was chosen."""
        self._action.setText(words)
        self._action.set_keys(keys)
        self._action.show()

    @property
    def message(self) -> str:
        """What went wrong, as the manual has it, without what to do next; empty while it is hidden."""
        return "" if self.isHidden() else self._english

    @property
    def words(self) -> str:
        """What it says; empty while it is hidden."""
        return "" if self.isHidden() else self.accessibleName()

    def dismiss(self) -> None:
        """Close it."""
        self.hide()
        self.closed.emit()


class Says(Protocol):
    """What shows something that has to be read first."""

    def say(self, words: str) -> object:
        """Say how that stands."""


def pass_over(_: object) -> None:
    """What an answer to a reading nobody waits for means: nothing."""


def unread(tell: Callable[[AnnotatorError], object], *waiting: Says) -> Callable[[AnnotatorError], None]:
    """What tells an error of reading, and has what waited for it say that it could not be read."""

    def fail(error: AnnotatorError) -> None:
        for one in waiting:
            one.say(UNREAD)
        tell(error)

    return fail


def crash_report(error: BaseException) -> str:
    """Write what a person needs to look into a bug: time, versions and where it happened.

    Args:
        error: What was raised; its traceback may be missing.

    Returns:
        Plain text with the traceback last.
    """
    try:
        own = version(DISTRIBUTION)
    except PackageNotFoundError:
        own = tr("from a checkout")
    lines = [
        tr("Annotator {own}, {now:%Y-%m-%d %H:%M:%S} UTC", own=own, now=datetime.now(UTC)),
        tr(
            "Python {python_version}, Qt for Python {version}, {platform}",
            python_version=platform.python_version(),
            version=PySide6.__version__,
            platform=platform.platform(),
        ),
        "",
        *(line.rstrip("\n") for line in traceback.format_exception(error)),
    ]
    return without_passwords("\n".join(lines))


class CrashDialog(FramedDialog):
    """Says that the program made a mistake, that the work is safe, and offers the report to copy.

    It does not block the window; the caller keeps it alive and calls `show`.
    """

    def __init__(self, report: str, *, saved: str = "", parent: QWidget | None = None) -> None:
        """Make the dialog.

        Args:
            report: Text of `crash_report`.
            saved: One sentence on where the unsaved work is; empty where nothing was open.
            parent: Window it belongs to.
        """
        title = tr("Something went wrong")
        about = tr("This is a mistake in the program, not yours. {saved}", saved=saved).strip()
        super().__init__(
            "crash-dialog", title, title, width=640, height=420, about=about, parent=parent, modal=False
        )
        self._report = build(
            QPlainTextEdit,
            report,
            objectName="crash-report",
            accessibleName=tr("Report"),
            readOnly=True,
            tabChangesFocus=True,
            look="code",
        )
        self._copy = Button(
            tr("Copy report"), keys=tr("Ctrl C"), icon_name="copy", objectName="crash-copy", clicked=self.copy
        )
        QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self, self.copy)
        self.frame.add((self._report, 1))
        self.frame.close_with(tr("Go on"), "crash-close", self._copy, keys="↵").setFocus()

    def copy(self) -> None:
        """Put the report on the clipboard."""
        QGuiApplication.clipboard().setText(self._report.toPlainText())
        self._copy.setText(tr("Copied"))
