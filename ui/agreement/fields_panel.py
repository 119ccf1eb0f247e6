"""The table of coefficients, a line a field; headings are short where there is little room."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from scoring.agreement.fields import FieldAgreement
from ui.agreement.agreement_lines import FIELD_COLUMNS, TIGHT_FIELD_COLUMNS, field_rows
from ui.theme import PanelHeader, TextLabel, theme
from ui.theme.layouts import vbox
from ui.theme.tables import FigureTable

_ROOMY = 830


class FieldsPanel(QWidget):
    """Shows the agreement by field."""

    marked = Signal(object)
    """The `RatedField` whose line is marked."""
    opened = Signal(object)
    """The `RatedField` whose line was opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table: tuple[FieldAgreement, ...] = ()
        self._is_roomy = True
        header = PanelHeader("By field")
        header.add_right(TextLabel("select a row to see its cases", "small-muted"))
        self._lines = FigureTable("fields", "Agreement by field", FIELD_COLUMNS, is_sortable=False)
        self._lines.marked.connect(self.marked)
        self._lines.opened.connect(self.opened)
        vbox(header, (self._lines, 1), within=self)
        self.setFocusProxy(self._lines)

    @property
    def marked_key(self) -> Hashable:
        """The marked field."""
        return self._lines.marked_key

    def show_table(self, table: Sequence[FieldAgreement]) -> None:
        """Show other figures."""
        self._table = tuple(table)
        columns = FIELD_COLUMNS if self._is_roomy else TIGHT_FIELD_COLUMNS
        self._lines.show_rows(field_rows(table), columns=columns)

    def mark(self, field: Hashable) -> None:
        """Mark the line of a field."""
        self._lines.mark(field)

    def copy(self) -> None:
        """Put the table on the clipboard."""
        self._lines.copy_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_roomy = self.width() >= theme().px(_ROOMY)
        if is_roomy != self._is_roomy:
            self._is_roomy = is_roomy
            self.show_table(self._table)
