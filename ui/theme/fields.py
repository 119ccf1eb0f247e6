"""Fields of forms: a drop-down, boxes, a few lines of text, names to be ticked, a path, a list of files."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from scoring.texts import tr
from ui.theme.buttons import Button, ButtonKind
from ui.theme.dialogs import ask_file
from ui.theme.events import ENTER_KEYS, on_keys
from ui.theme.labels import TextLabel
from ui.theme.layouts import STRETCH, build, hbox, vbox
from ui.theme.look import theme
from ui.theme.words import plain_tip

_SHORT_WORDS = 120
"""Pixels at 100 %: wider words stand below each other."""
_NOTE_HEIGHT, _LEAST_NOTE_HEIGHT = 92, 64


def line_field(name: str, placeholder: str, *, about: str = "", **properties: Any) -> QLineEdit:
    """A field of one line; `about` names it for a screen reader where no label beside it does."""
    return build(QLineEdit, objectName=name, placeholderText=placeholder, accessibleName=about, **properties)


def number_field(
    name: str,
    limits: tuple[int, int],
    *,
    value: int,
    suffix: str = "",
    about: str = "",
    **properties: Any,
) -> QSpinBox:
    """A field of a whole number between two limits, both included."""
    low, high = limits
    named = {"objectName": name, "accessibleName": about}
    field = build(QSpinBox, minimum=low, maximum=high, value=value, suffix=suffix, **named, **properties)
    field.lineEdit().setTextMargins(theme().px(6), 0, 0, 0)
    return field


def form_row(*members: QWidget | str) -> QHBoxLayout:
    """Fields beside each other in one row of a form, with words between them."""
    widgets = (one if isinstance(one, QWidget) else TextLabel(one, "small-muted") for one in members)
    return hbox(*((one, 0 if isinstance(one, QLabel | Button) else 1) for one in widgets), gap=8)


class DropDown(QComboBox):
    """Holds one of several values; a name it has no room for is cut in the middle and is its tooltip.

    Args:
        name: Object name.
        choices: What each is called, and its value.
    """

    def __init__(
        self,
        name: str,
        choices: Sequence[tuple[str, object]] = (),
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(
            super().__init__,
            parent,
            objectName=name,
            sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon,
            minimumContentsLength=14,
            **properties,
        )
        self.view().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.currentIndexChanged.connect(self._tell_rest)
        for words, value in choices:
            self.add(words, value)

    def add(self, words: str, value: object, *, tip: str = "") -> None:
        """Offer one more; the tooltip in the list is its name where none is given."""
        self.addItem(words, value)
        self.setItemData(self.count() - 1, plain_tip(tip or words), Qt.ItemDataRole.ToolTipRole)

    @property
    def shown_text(self) -> str:
        """What is chosen, as far as there is room for it."""
        return self._option().currentText

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_rest()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self).width()
        words = option.currentText
        option.currentText = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, room)
        return option

    def _tell_rest(self) -> None:
        self.setToolTip(plain_tip(self.currentText()) if self.shown_text != self.currentText() else "")


class ChoiceBoxes(QWidget):
    """A box for each of a few values; beside each other where the words are short.

    Args:
        name: Object name.
        choices: The values, and what each is called.
    """

    changed = Signal(bool)

    def __init__(self, name: str, choices: Mapping[Any, str], **signals: Any) -> None:
        build(super().__init__, objectName=name, **signals)
        self._boxes = {
            value: build(QCheckBox, words, objectName=f"{name}-{value}", toggled=self.changed.emit)
            for value, words in choices.items()
        }
        if max(map(self.fontMetrics().horizontalAdvance, choices.values())) > theme().px(_SHORT_WORDS):
            vbox(*self._boxes.values(), within=self, gap=4)
        else:
            hbox(*self._boxes.values(), STRETCH, within=self, gap=16)

    @property
    def chosen(self) -> tuple[Any, ...]:
        """The values whose boxes are checked."""
        return tuple(value for value, box in self._boxes.items() if box.isChecked())

    def choose(self, values: Sequence[Any]) -> None:
        """Check these boxes and no others."""
        for value, box in self._boxes.items():
            box.setChecked(value in values)


class PathField(QWidget):
    """A path to type, or to choose.

    Args:
        name: Object name of the line; begins those of the buttons.
        title: Heading of the window that asks.
        filters: Which files that window shows, in Qt's words; empty for folders.
        takes_folder: Whether a folder is asked for, beside a file or alone.
        properties: Of that window.
    """

    def __init__(
        self, name: str, title: str, *, filters: str = "", takes_folder: bool = True, **properties: Any
    ) -> None:
        super().__init__()
        self._title = title
        self.line = line_field(name, "", about=title)
        """What is typed into."""
        ask_folder = partial(self._ask, "", fileMode=QFileDialog.FileMode.Directory)
        ask = partial(self._ask, filters, **properties)
        hbox(
            (self.line, 1),
            Button(tr("Folder…"), objectName=f"{name}-folder", clicked=ask_folder) if takes_folder else None,
            Button(tr("File…"), objectName=f"{name}-file", clicked=ask) if filters else None,
            within=self,
            gap=8,
        )
        self.setFocusProxy(self.line)

    def read(self) -> Path | None:
        """What is named; None for nothing."""
        text = self.line.text().strip()
        return Path(text).expanduser() if text else None

    def show_path(self, path: Path | str | None) -> None:
        """Name another path; None for none."""
        self.line.setText(str(path or ""))

    def _ask(self, filters: str, **properties: Any) -> None:
        ask_file(self, self._title, self.line.text(), filters, fileSelected=self.line.setText, **properties)


class NoteField(QPlainTextEdit):
    """A few lines of text; Ctrl+Enter sends them, Tab leaves them.

    Args:
        name: Object name.
        about: What is written here, for screen readers.
        hint: What it shows while it is empty.
    """

    sent = Signal()

    def __init__(
        self, name: str, about: str, hint: str, parent: QWidget | None = None, **properties: Any
    ) -> None:
        build(
            super().__init__,
            parent,
            objectName=name,
            accessibleName=about,
            placeholderText=hint,
            tabChangesFocus=True,
            **properties,
        )

    @property
    def words(self) -> str:
        """What was written, without space around it."""
        return self.toPlainText().strip()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme().px(_NOTE_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), theme().px(_LEAST_NOTE_HEIGHT))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER_KEYS and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.sent.emit()
        else:
            super().keyPressEvent(event)


class ShortList(QListWidget):
    """Lines of text, as high as there are some of them; long ones are cut in the middle.

    Args:
        name: Object name.
        about: What is listed, for screen readers.
        rows: How many lines it wants room for at least, and at most.
        least: With how many it makes do where there is little room.
    """

    def __init__(
        self,
        name: str,
        about: str,
        *,
        rows: tuple[int, int],
        least: int,
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        build(
            super().__init__,
            parent,
            objectName=name,
            accessibleName=about,
            textElideMode=Qt.TextElideMode.ElideMiddle,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            **properties,
        )
        self._rows, self._least = rows, least

    def sizeHint(self) -> QSize:
        fewest, most = self._rows
        return self._size_of(min(max(self.count(), fewest), most))

    def minimumSizeHint(self) -> QSize:
        return self._size_of(min(max(self.count(), self._rows[0]), self._least))

    def _size_of(self, rows: int) -> QSize:
        height = max(self.sizeHintForRow(0), theme().px(20)) * rows + 2 * self.frameWidth()
        return QSize(theme().px(160), height)


class CheckList(ShortList):
    """Names with boxes: the arrow keys go through them, Space ticks one.

    Args:
        name: Object name.
        about: What is chosen, for screen readers.
        names: What there is to choose from.
        nothing: What it says where there is nothing.
    """

    def __init__(
        self, name: str, about: str, *, names: Sequence[str], nothing: str, **properties: Any
    ) -> None:
        super().__init__(name, about, rows=(4, 8), least=4, **properties)
        for one in names:
            item = QListWidgetItem(one, self)
            item.setCheckState(Qt.CheckState.Unchecked)
            item.setToolTip(plain_tip(one))
        if not names:
            QListWidgetItem(nothing, self).setFlags(Qt.ItemFlag.NoItemFlags)
            self.setWordWrap(True)
        self.setCurrentRow(0)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names that are ticked, from the top."""
        items = (self.item(row) for row in range(self.count()))
        return tuple(item.text() for item in items if item.checkState() is Qt.CheckState.Checked)


class FilesField(QWidget):
    """Lists files; Delete or the button takes the marked one out.

    Args:
        name: Begins the object names of its parts.
        title: Heading of the window that asks for files.
        filters: Which files that window shows, in Qt's words.
        drops_on: What files may be dropped on; itself where it is None.
    """

    changed = Signal()

    def __init__(
        self, name: str, title: str, *, filters: str, drops_on: QWidget | None = None, **properties: Any
    ) -> None:
        build(super().__init__, **properties)
        self._title, self._filters = title, filters
        self._files: list[Path] = []
        self._list = ShortList(f"{name}-files", tr("Files"), rows=(4, 4), least=2)
        on_keys(self._list, {Qt.Key.Key_Delete: self._remove_marked})
        add = Button(tr("Add files…"), icon_name="plus", objectName=f"{name}-add", clicked=self.ask)
        self._remove = Button(
            tr("Remove"),
            ButtonKind.GHOST,
            keys=tr("Del"),
            objectName=f"{name}-remove",
            clicked=self._remove_marked,
        )
        vbox((self._list, 1), hbox(add, self._remove, STRETCH, gap=None), within=self, gap=None)
        (drops_on or self).setAcceptDrops(True)
        (drops_on or self).installEventFilter(self)
        self._show()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in the order they came."""
        return tuple(self._files)

    def add(self, files: Sequence[str | Path]) -> None:
        """Add files; one that is in the list already stays once."""
        self._files = list(dict.fromkeys([*self._files, *map(Path, files)]))
        self._show()

    def ask(self) -> None:
        """Ask for files."""
        ask_file(
            self,
            self._title,
            filters=self._filters,
            fileMode=QFileDialog.FileMode.ExistingFiles,
            filesSelected=self.add,
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event:
            case QDragEnterEvent() if event.mimeData().hasUrls():
                event.acceptProposedAction()
                return True
            case QDropEvent() if event.type() is QEvent.Type.Drop:
                self.add([url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()])
                event.acceptProposedAction()
                return True
            case _:
                return super().eventFilter(watched, event)

    def _remove_marked(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._files):
            del self._files[row]
            self._show()
            self._list.setCurrentRow(min(row, len(self._files) - 1))

    def _show(self) -> None:
        self._list.clear()
        for file in self._files:
            QListWidgetItem(str(file), self._list).setToolTip(plain_tip(str(file)))
        if not self._files:
            QListWidgetItem(tr("Add files, or drop them here."), self._list).setFlags(Qt.ItemFlag.NoItemFlags)
        self._remove.set_blocked("" if self._files else tr("There is no file to take out."))
        self.changed.emit()
