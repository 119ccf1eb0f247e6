"""The field of a form that says which cases: a release of the project, another folder, or a file."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QWidget

from annotator.release.freeze import ReleaseRow
from ui.theme import Button, theme
from ui.theme.buttons import open_menu
from ui.theme.dialogs import open_dialog
from ui.theme.fields import DropDown
from ui.theme.words import counted

FILE_FILTER = "Cases (*.jsonl *.json);;All files (*)"


class CasesField(QWidget):
    """Holds one place cases can be read from.

    Args:
        releases: Offered, the newest first.
        wanted: Name of the release chosen at first; the newest where there is none of this name.
    """

    changed = Signal()

    def __init__(
        self, releases: Sequence[ReleaseRow], *, wanted: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._box = DropDown("cases-place")
        self._box.setAccessibleName("Cases")
        for row in releases:
            words = f"{row.name} · {counted(row.case_count, 'case')}"
            self._box.add(words, row.directory, tip=f"{words}\n{row.directory}")
            if row.name == wanted:
                self._box.setCurrentIndex(self._box.count() - 1)
        self._box.currentIndexChanged.connect(self.changed)
        self._other = Button("Other…")
        self._other.setObjectName("cases-other")
        self._other.clicked.connect(self._open_menu)
        row_layout = QHBoxLayout(self)
        row_layout.setContentsMargins(0, 0, 0, 0)
        row_layout.setSpacing(theme().px(8))
        row_layout.addWidget(self._box, 1)
        row_layout.addWidget(self._other)
        self.setFocusProxy(self._box)

    @property
    def place(self) -> Path | None:
        """The folder or file that is chosen; null for none."""
        data = self._box.currentData()
        return Path(data) if data else None

    def choose(self, place: str) -> None:
        """Offer a folder or file from anywhere, and choose it."""
        if not place:
            return
        at = self._box.findData(place)
        if at < 0:
            self._box.add(Path(place).name, place, tip=place)
            at = self._box.count() - 1
        self._box.setCurrentIndex(at)
        self.changed.emit()

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("cases-menu")
        menu.addAction("A release folder…").triggered.connect(self._ask_folder)
        menu.addAction("A file of cases…").triggered.connect(self._ask_file)
        menu.aboutToHide.connect(menu.deleteLater)
        open_menu(menu, self._other.mapToGlobal(self._other.rect().bottomLeft()))

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, "Release folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.choose)
        open_dialog(dialog)

    def _ask_file(self) -> None:
        dialog = QFileDialog(self, "File of cases", "", FILE_FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.choose)
        open_dialog(dialog)
