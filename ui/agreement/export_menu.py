"""The menu of what can be exported, and the file it goes to."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from annotator.files import replace_text
from annotator.review.measures.rater_agreement import AgreementSlice, write_ratings
from scoring.wording import counted
from ui.agreement.agreement_csv import SHEET_WORDS, Sheet
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.buttons import open_menu
from ui.theme.dialogs import open_dialog

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace


class ExportMenu(QObject):
    """Offers the sheets below a button and asks for the file.

    Args:
        operations: Writes the file beside the window's thread.
        notice: Where this says what happened.
        below: The button the menu opens at.
    """

    wanted = Signal(object, str)
    """A `Sheet`, and the file it is to be written to."""
    copy_wanted = Signal()

    def __init__(self, operations: Operations, notice: ErrorBanner, below: QWidget) -> None:
        super().__init__(below)
        self._operations = operations
        self._notice = notice
        self._below = below

    def open(self, *, sees_cases: bool) -> None:
        """Offer what can be exported."""
        menu = QMenu(self._below)
        menu.setObjectName("export-menu")
        for sheet, words in SHEET_WORDS.items():
            action = menu.addAction(words)
            action.triggered.connect(partial(self._ask_file, sheet))
            action.setEnabled(sheet is not Sheet.DISAGREEMENTS or sees_cases)
        menu.addSeparator()
        menu.addAction("Copy the table").triggered.connect(self.copy_wanted)
        menu.aboutToHide.connect(menu.deleteLater)
        open_menu(menu, self._below.mapToGlobal(self._below.rect().bottomLeft()))

    def write(self, file: str, text: str) -> None:
        """Write a text into a file, and say so."""
        path = Path(file)
        said = partial(self._say, path)
        work = partial(_write, path=path, text=text)
        self._operations.run(work, then=said, failed=self._notice.show_error, origin=self)

    def write_ratings(self, file: str, part: AgreementSlice) -> None:
        """Write who said what of each unit, as CSV or JSON by the ending of the file, and say so."""
        path = Path(file)
        work = partial(write_ratings, target=path, where=part)
        said = partial(self._say_ratings, path)
        self._operations.run(work, then=said, failed=self._notice.show_error, origin=self)

    def _ask_file(self, sheet: Sheet, _: bool = False) -> None:
        kinds = "CSV (*.csv);;JSON (*.json)" if sheet is Sheet.RATINGS else "CSV (*.csv)"
        dialog = QFileDialog(self._below, "Export", f"{sheet.value}.csv", kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(partial(self.wanted.emit, sheet))
        open_dialog(dialog)

    def _say_ratings(self, path: Path, count: int) -> None:
        self._notice.show_message(f"{counted(count, 'rating')} exported.", str(path), tone=Tone.OK)

    def _say(self, path: Path, _: None) -> None:
        self._notice.show_message("Exported.", str(path), tone=Tone.OK)


def _write(workspace: "Workspace", *, path: Path, text: str) -> None:
    replace_text(path, text)
