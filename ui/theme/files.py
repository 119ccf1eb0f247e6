"""The field of a dialog that gathers files: chosen, dropped, and taken out of the list again."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from ui.theme.apply import theme
from ui.theme.buttons import Button, ButtonKind
from ui.theme.dialogs import open_dialog
from ui.theme.untrusted import plain_tip

_FEWEST_ROWS, _ROWS = 2, 4


class FilesField(QWidget):
    """Lists files; Delete or the button takes the marked one out.

    Args:
        name: Begins the object names of its parts.
        title: Heading of the window that asks for files.
        filters: Which files that window shows, in Qt's words.
        drops_on: What files may be dropped on.
    """

    changed = Signal()

    def __init__(self, name: str, title: str, *, filters: str, drops_on: QWidget) -> None:
        super().__init__()
        self._title, self._filters = title, filters
        self._files: list[Path] = []
        self._list = _FileList()
        self._list.setObjectName(f"{name}-files")
        self._list.setAccessibleName("Files")
        self._list.removed.connect(self._remove_marked)
        add = Button("Add files…", icon_name="plus")
        add.setObjectName(f"{name}-add")
        add.clicked.connect(self.ask)
        self._remove = Button("Remove", ButtonKind.GHOST, keys="Del")
        self._remove.setObjectName(f"{name}-remove")
        self._remove.clicked.connect(self._remove_marked)
        buttons = QHBoxLayout()
        buttons.addWidget(add)
        buttons.addWidget(self._remove)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._list, 1)
        column.addLayout(buttons)
        drops_on.setAcceptDrops(True)
        drops_on.installEventFilter(self)
        self._show()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in the order they came."""
        return tuple(self._files)

    def add(self, files: Sequence[str]) -> None:
        """Add files; one that is in the list already stays once."""
        self._files = list(dict.fromkeys([*self._files, *map(Path, files)]))
        self._show()

    def ask(self) -> None:
        """Ask for files."""
        dialog = QFileDialog(self, self._title, "", self._filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.add)
        open_dialog(dialog)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent) and event.mimeData().hasUrls():
            event.acceptProposedAction()
            return True
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            self.add([url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()])
            event.acceptProposedAction()
            return True
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
            nothing = QListWidgetItem("Add files, or drop them here.", self._list)
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
        self._remove.set_blocked("" if self._files else "There is no file to take out.")
        self.changed.emit()


class _FileList(QListWidget):
    """Paths, cut in the middle where they are too long."""

    removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def sizeHint(self) -> QSize:
        return self._size_of(_ROWS)

    def minimumSizeHint(self) -> QSize:
        return self._size_of(_FEWEST_ROWS)

    def _size_of(self, rows: int) -> QSize:
        height = max(self.sizeHintForRow(0), theme().px(20)) * rows + 2 * self.frameWidth()
        return QSize(theme().px(160), height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.removed.emit()
        else:
            super().keyPressEvent(event)
