"""Find and replace in the whole case: what is there, how often, and one step of undo for all of it."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from annotator.cases.replacing import find_all, find_and_replace
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.words import counted


def replaced(case: Case, *, needle: str, replacement: str, match_case: bool) -> Case:
    """The case with words replaced wherever they stand."""
    return find_and_replace(case, needle, replacement=replacement, match_case=match_case).case


class ReplaceDialog(QDialog):
    """Asks for the words and what they become. `wanted` carries a title and the change of the case.

    Args:
        case: Gives the case as it is now.
        parent: The page.
    """

    wanted = Signal(str, object)

    def __init__(self, case: Callable[[], Case], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("replace-dialog")
        self.setWindowTitle("Replace in this case")
        self._case = case
        look = theme()
        self.setFixedWidth(look.px(440))
        self.needle, self.replacement = QLineEdit(), QLineEdit()
        self.needle.setObjectName("replace-needle")
        self.replacement.setObjectName("replace-with")
        self.match_case = QCheckBox("Match capital letters")
        self.match_case.setObjectName("replace-match-case")
        self._count = TextLabel("", "small-muted")
        self._count.setObjectName("replace-count")
        self._ok = Button("Replace all", ButtonKind.PRIMARY)
        self._ok.setObjectName("replace-ok")
        self._ok.setDefault(True)
        cancel = Button("Close", keys="Esc")
        grid = QGridLayout()
        for row, (name, field) in enumerate((("Find", self.needle), ("Replace with", self.replacement))):
            grid.addWidget(TextLabel(name), row, 0)
            grid.addWidget(field, row, 1)
            field.setAccessibleName(name)
            field.textChanged.connect(self._look)
        buttons = QHBoxLayout()
        buttons.addWidget(self._count, 1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._ok)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(look.px(16),) * 4)
        column.setSpacing(look.px(12))
        column.addWidget(TextLabel("Replace in this case", "title"))
        column.addWidget(TextLabel("Texts and values change; names of tools and arguments do not.", "muted"))
        column.addLayout(grid)
        column.addWidget(self.match_case)
        column.addLayout(buttons)
        self.match_case.toggled.connect(self._look)
        self._ok.clicked.connect(self._replace)
        cancel.clicked.connect(self.reject)
        self._look()

    def _look(self) -> None:
        needle = self.needle.text()
        count = len(find_all(self._case(), needle, match_case=self.match_case.isChecked())) if needle else 0
        self._count.setText(counted(count, "place") if needle else "")
        self._ok.set_blocked("" if count else "Type words that stand in the case.")

    def _replace(self) -> None:
        needle = self.needle.text()
        change = partial(
            replaced,
            needle=needle,
            replacement=self.replacement.text(),
            match_case=self.match_case.isChecked(),
        )
        try:
            change(self._case())
        except AnnotatorError as error:
            self._count.setText(error.message)
            return
        self.wanted.emit(f"replace “{needle}”", change)
        self._look()
