"""What can be done with an argument in the form beside typing its value."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ui.transcript.form_fields import FormRowView
from ui.transcript.form_rows import FieldKind


class RowMenu(QMenu):
    """The menu of a row; it goes once it is closed.

    Args:
        view: The row.
        parent: The form.
    """

    out_wanted = Signal()
    null_wanted = Signal()
    empty_wanted = Signal()

    def __init__(self, view: FormRowView, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("row-menu")
        row = view.row
        out = "Remove the item" if row.is_item else "Leave out"
        for words, wanted, is_possible in (
            (f"{out}\tCtrl+Shift+M", self.out_wanted, row.is_given),
            ("Null\tCtrl+Shift+0", self.null_wanted, True),
            ("Empty text", self.empty_wanted, row.kind in (FieldKind.TEXT, FieldKind.LINES)),
        ):
            action = QAction(words, self)
            action.setEnabled(is_possible)
            action.triggered.connect(wanted)
            self.addAction(action)
        self.aboutToHide.connect(self.deleteLater)
