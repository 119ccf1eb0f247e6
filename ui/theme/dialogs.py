"""What dialogs are made of and how they open: no larger than the screen, their buttons always in sight."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import Any, Self

from PySide6.QtCore import QEvent, QFileInfo, QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFileIconProvider,
    QFormLayout,
    QLayout,
    QPushButton,
    QWidget,
)

from scoring.texts import tr
from ui.theme.buttons import Button, ButtonKind
from ui.theme.events import ENTER_KEYS, follow_events, scroll_by_pages
from ui.theme.labels import WrappedLabel
from ui.theme.layouts import Member, ScrollArea, build, hbox, lay, vbox
from ui.theme.look import dress, follow_theme, scaled, theme
from ui.theme.tables import Column, FigureTable

_WINDOW_FRAME = QSize(8, 40)
"""Room for what a window manager draws around a dialog, in pixels on screen."""
_LEAST_WIDTH, _LEAST_HEIGHT = 160, 60
_QT_SIZE = (640, 420)
"""What Qt's own dialogs need to be read, e.g. that for files, in pixels at 100 %."""


class UnopenedFiles(QFileIconProvider):
    """Says what files are by their names, without a look into them.

    Qt would open them. A handle on an open project, once closed, drops the locks this process has on it, and
    another process takes the write-ahead log from under it (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """

    def icon(self, wanted: QFileInfo | QFileIconProvider.IconType, /) -> QIcon:
        kinds = QFileIconProvider.IconType
        if isinstance(wanted, QFileInfo):
            wanted = kinds.Folder if wanted.isDir() else kinds.File
        return super().icon(wanted)

    def type(self, file: QFileInfo, /) -> str:
        return tr("Folder") if file.isDir() else file.suffix()


_unopened = cache(UnopenedFiles)  # kept: Qt does not own it


def open_dialog(dialog: QDialog) -> None:
    """Open a dialog above its window; when it is closed it is deleted and the window has the keys again.

    Where no window manager runs, nobody else would give them back.
    """
    parent = dialog.parentWidget()
    if parent is not None:
        dialog.finished.connect(parent.window().activateWindow)
    dialog.finished.connect(dialog.deleteLater)
    if isinstance(dialog, QFileDialog):
        dialog.setIconProvider(_unopened())
    frame = dialog.findChild(DialogFrame)
    if frame is not None:
        frame.prepare()
    dialog.open()
    if frame is None:
        look = theme()
        usual = QSize(look.px(_QT_SIZE[0]), look.px(_QT_SIZE[1]))
        dialog.resize(dialog.size().expandedTo(usual).boundedTo(room_for(dialog)))
        keep_on_screen(dialog)
    else:
        frame.fit()


def ask_file(
    parent: QWidget, title: str, name: str = "", filters: str = "", *, saves: bool = False, **properties: Any
) -> None:
    """Ask for a file or a folder.

    Args:
        parent: What it opens above.
        title: Of the window that asks.
        name: What is proposed.
        filters: Which files that window shows, in Qt's words.
        saves: Whether a file is to be written there.
        properties: Of that window, and what its signals call.
    """
    if saves:
        properties["acceptMode"] = QFileDialog.AcceptMode.AcceptSave
    open_dialog(build(QFileDialog, parent, title, name, filters, **properties))


def room_for(window: QWidget) -> QSize:
    """How large a window may be on its screen, without the frame that is drawn around it."""
    is_bare = bool(window.windowFlags() & Qt.WindowType.FramelessWindowHint)
    return window.screen().availableGeometry().size() - (QSize(0, 0) if is_bare else _WINDOW_FRAME)


def keep_on_screen(window: QWidget) -> None:
    """Move a window so far that all of it is on its screen; what does not fit begins at the upper left."""
    room, frame = window.screen().availableGeometry(), window.frameGeometry()
    wanted = QRect(frame)
    wanted.moveRight(min(wanted.right(), room.right()))
    wanted.moveBottom(min(wanted.bottom(), room.bottom()))
    wanted.moveLeft(max(wanted.left(), room.left()))
    wanted.moveTop(max(wanted.top(), room.top()))
    if wanted.topLeft() != frame.topLeft():
        window.move(wanted.topLeft())


class DialogFrame(QWidget):
    """The inside of a dialog: its title, what is added below each other, and the buttons.

    It gives the dialog its size, on a change of the scale another one. What is added scrolls where the
    screen has no room for it. Tab goes through it in the order in which it is added.

    Args:
        dialog: What it fills.
        title: The heading.
        width: Width of the dialog in pixels at 100 %.
        height: Its height in pixels at 100 %; 0 for as high as what is in it.
    """

    def __init__(self, dialog: QDialog, title: str, *, width: int, height: int = 0) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._wanted = (width, height)
        self._given: QSize | None = None
        self._title = WrappedLabel(title, "title")
        self._inside = _Inside()
        follow_events(self._inside, self.fit, QEvent.Type.LayoutRequest)
        self._members = vbox(within=self._inside, gap=12)
        self._area = ScrollArea(self._inside, width=_LEAST_WIDTH, height=_LEAST_HEIGHT)
        scroll_by_pages(self, self._area)
        self._buttons = hbox(gap=8)
        self._column = vbox(self._title, (self._area, 1), self._buttons, within=self, gap=12, margins=16)
        self._outside = vbox(self, within=dialog, gap=None)
        follow_theme(self._forget_size)

    def explain(self, words: str, look: str = "muted", **properties: Any) -> WrappedLabel:
        """Add a sentence or two, over as many lines as they need."""
        label = WrappedLabel(words, look, **properties)
        self.add(label)
        return label

    def add(self, *members: Member) -> None:
        """Add widgets and layouts below what is there, each with its share of the free height."""
        lay(self._members, *members)

    def add_form(self, *rows: tuple[str | QWidget, QWidget | QLayout], about: str = "") -> QFormLayout:
        """Add rows of a name and a field; where a field has no room beside its name, it stands below.

        Args:
            rows: From the top.
            about: What is said above them, in small letters.
        """
        if about:
            self.explain(about, "small-muted")
        form = build(
            QFormLayout,
            rowWrapPolicy=QFormLayout.RowWrapPolicy.WrapLongRows,
            fieldGrowthPolicy=QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow,
        )
        scaled(form, setHorizontalSpacing=16, setVerticalSpacing=8)
        for words, field in rows:
            form.addRow(words, field)
        self._members.addLayout(form)
        return form

    def end_with(self, *buttons: Button, cancel: str = tr("Cancel"), left: QWidget | None = None) -> None:
        """Put the buttons at the lower right, before them the one that does nothing, which Esc presses.

        Args:
            buttons: What can be done, the most likely last.
            cancel: What the button says that does nothing; empty for none.
            left: What stands at the lower left.
        """
        is_long = left is not None and not isinstance(left, Button)
        name, slot = "dialog-cancel", self._dialog.reject
        lay(
            self._buttons,
            (left, int(is_long)) if left is not None else None,
            int(not is_long),
            Button(cancel, keys="Esc", objectName=name, clicked=slot) if cancel else None,
            *buttons,
        )

    def close_with(
        self,
        words: str,
        name: str,
        *others: Button,
        slot: Callable[[], None] | None = None,
        keys: str = "Esc",
    ) -> Button:
        """End with the button that closes a dialog that asks nothing; Enter presses it, too.

        Args:
            words: What it says.
            name: Its object name.
            others: Buttons before it.
            slot: What it does; None for closing the dialog.
            keys: What it shows that presses it.
        """
        close = Button(
            words,
            ButtonKind.PRIMARY,
            keys=keys,
            objectName=name,
            default=True,
            clicked=slot or self._dialog.accept,
        )
        self.end_with(*others, close, cancel="")
        return close

    def fit(self) -> None:
        """Give the dialog the size it needs, as far as there is room; resized by hand, it keeps its own."""
        dialog = self._dialog
        if not self.isVisible() or (self._given is not None and dialog.size() != self._given):
            return
        for layout in (self._column, self._outside):
            layout.activate()  # else the least size at the scale before would hold
        is_first = self._given is None
        dialog.resize(self._size_in(room_for(dialog)))
        self._given = dialog.size()
        parent = dialog.parentWidget()
        if is_first and parent is not None:
            dialog.move(parent.window().frameGeometry().center() - dialog.rect().center())
        keep_on_screen(dialog)
        focus = dialog.focusWidget()
        if focus is not None and self._area.isAncestorOf(focus):
            self._area.ensureWidgetVisible(focus, 0, 0)

    def _forget_size(self) -> None:
        self._given = None

    def prepare(self) -> None:
        """Give the dialog its size before it is shown, so that it does not come up in another."""
        for widget in self._dialog.findChildren(QWidget):
            widget.ensurePolished()
        parent = self._dialog.parentWidget()
        self._dialog.resize(self._size_in(room_for(parent.window() if parent is not None else self._dialog)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        focus = self._dialog.focusWidget()
        if event.key() in ENTER_KEYS and isinstance(focus, QPushButton):
            focus.click()  # and not the default button, as Qt has it
        else:
            super().keyPressEvent(event)

    def _size_in(self, room: QSize) -> QSize:
        width = min(max(theme().px(self._wanted[0]), self._least_width()), room.width())
        height = theme().px(self._wanted[1]) or self._height_for(width)
        return QSize(width, min(height, room.height())).expandedTo(self._dialog.minimumSizeHint())

    def _least_width(self) -> int:
        margins = self._column.contentsMargins()
        items = (self._buttons.itemAt(place) for place in range(self._buttons.count()))
        widgets = [widget for item in items if item is not None and (widget := item.widget()) is not None]
        # A button that shrinks loses its key, so it counts with all it shows.
        widths = [
            (widget.sizeHint() if isinstance(widget, Button) else widget.minimumSizeHint()).width()
            for widget in widgets
        ]
        buttons = sum(widths) + self._buttons.spacing() * len(widths)
        return max(self._inside.minimumSizeHint().width(), buttons) + margins.left() + margins.right()

    def _height_for(self, width: int) -> int:
        margins = self._column.contentsMargins()
        inner = width - margins.left() - margins.right()
        members = self._members
        high = members.totalHeightForWidth(inner) if members.hasHeightForWidth() else -1
        parts = (
            self._title.heightForWidth(inner),
            high if high >= 0 else members.totalSizeHint().height(),
            self._buttons.sizeHint().height(),
        )
        return sum(parts) + 2 * self._column.spacing() + margins.top() + margins.bottom()


class FramedDialog(QDialog):
    """A dialog with a name, a title and a `frame`.

    Args:
        name: Object name.
        title: Of the window.
        heading: Of what is inside.
        width: In pixels at 100 %.
        height: As for `DialogFrame`.
        about: What is said first; empty for nothing.
    """

    def __init__(
        self,
        name: str,
        title: str,
        heading: str,
        *,
        width: int,
        height: int = 0,
        about: str = "",
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(super().__init__, parent, objectName=name, windowTitle=title, **properties)
        dress(self)
        self.frame = DialogFrame(self, heading, width=width, height=height)
        if about:
            self.frame.explain(about)


def list_dialog(
    name: str,
    title: str,
    columns: Sequence[Column[Any]],
    items: Sequence[Any],
    *,
    key: Callable[[Any], Hashable],
    words: Iterable[str],
    width: int,
    parent: QWidget,
    heading: str = "",
    is_sortable: bool = True,
) -> FramedDialog:
    """Make a dialog that lists something.

    Args:
        name: Of the table; it begins the names of the dialog and its button.
        title: Of the window and the table.
        columns: Of the table.
        items: One for each line.
        key: What tells a line from the others.
        words: Sentences above the table.
        width: In pixels at 100 %.
        parent: Above which it opens.
        heading: Of what is inside; the title where it is empty.
        is_sortable: Whether the heads of columns sort.
    """
    dialog = FramedDialog(f"{name}-dialog", title, heading or title, width=width, height=480, parent=parent)
    table = FigureTable(name, title, columns, is_sortable=is_sortable)
    table.show_items(items, key=key)
    for sentence in words:
        dialog.frame.explain(sentence)
    dialog.frame.add((table, 1))
    dialog.frame.close_with(tr("Close"), f"{name}-close")
    return dialog


class FormDialog(FramedDialog):
    """Asks for something: fields, and a button that is blocked while something is missing.

    Args:
        name: Begins its object name, and that of its button: `due` is for `due-dialog` and `due-go`.
        title: Of the window.
        heading: Of what is inside.
        width: In pixels at 100 %.
        properties: Of a `FramedDialog`, such as what it is about.
    """

    answered = Signal(object)
    """What was answered; goes out once the dialog is closed."""

    def __init__(self, name: str, title: str, heading: str, *, width: int, **properties: Any) -> None:
        super().__init__(f"{name}-dialog", title, heading, width=width, **properties)
        self.go: Button | None = None
        """What gives the answer; None before `end_with`."""
        self._stem = name
        self._answer: Callable[[], object] = lambda: None
        self._missing: Callable[[], str] = lambda: ""

    def end_with(
        self,
        words: str,
        answer: Callable[[], object],
        *,
        missing: Callable[[], str] = lambda: "",
        kind: ButtonKind = ButtonKind.PRIMARY,
        keys: str = "↵",
        left: QWidget | None = None,
    ) -> Self:
        """End with the button that gives the answer, and return the dialog, which is ready to be asked.

        Args:
            words: What the button says.
            answer: Reads the answer from the fields; called only where nothing is missing.
            missing: Says what is missing, looked at again by `check`; empty for nothing.
            kind: How the button looks.
            keys: What presses it besides; Enter does where they are `↵`.
            left: What stands at the lower left.
        """
        self._answer, self._missing = answer, missing
        self.go = Button(
            words,
            kind,
            keys=keys,
            objectName=f"{self._stem}-go",
            default=keys == "↵",
            clicked=self.give,
        )
        self.frame.end_with(self.go, left=left)
        self.check()
        return self

    def check(self) -> None:
        """Block the button while something is missing; for fields to call when they change."""
        if self.go is not None:
            self.go.set_blocked(self._missing())

    def give(self) -> None:
        """Close the dialog and give the answer, where nothing is missing."""
        if not self._missing():
            answer = self._answer()
            self.accept()
            self.answered.emit(answer)

    def ask(self, then: Callable[[Any], object]) -> None:
        """Open it; `then` gets the answer."""
        self.answered.connect(then)
        open_dialog(self)


def question_dialog(
    name: str,
    title: str,
    question: str,
    *about: QWidget,
    verb: str,
    width: int,
    parent: QWidget,
    kind: ButtonKind = ButtonKind.SECONDARY,
) -> FormDialog:
    """Make a dialog that asks before something is done, and answers None; the keys are on what does nothing.

    Args:
        name: As for `FormDialog`.
        title: Of the window.
        question: Whether to do it.
        about: What comes of it, from the top.
        verb: What the button says that does it.
        width: In pixels at 100 %.
        parent: Above which it opens.
        kind: How that button looks.
    """
    dialog = FormDialog(name, title, question, width=width, parent=parent)
    dialog.frame.add(*about)
    go = Button(verb, kind, objectName=f"{name}-go", clicked=dialog.give)
    dialog.frame.close_with(tr("Cancel"), "dialog-cancel", go, slot=dialog.reject).setFocus()
    return dialog


class _Inside(QWidget):
    """Takes the height its texts need at its width, which a plain widget forgets."""

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        return layout.minimumHeightForWidth(width) if layout is not None else -1
