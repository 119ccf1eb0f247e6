"""The table of the queue: one marked case, sorted by its headings."""

from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from scoring.texts import tr
from ui.queue.case_table import COLUMNS, PAGE_ROWS, CaseTable
from ui.theme import theme
from ui.theme.cells import Cell, cell_width
from ui.theme.layouts import connect
from ui.theme.look import follow_theme
from ui.theme.tables import TableView

_FIXED = [place for place, column in enumerate(COLUMNS) if column.width]
_LOOSE = next(place for place, column in enumerate(COLUMNS) if not column.width)
_WIDENED = [place for place, column in enumerate(COLUMNS) if column.widest]
_LEFT_OUT = sorted((p for p in _FIXED if COLUMNS[p].leave_out), key=lambda p: COLUMNS[p].leave_out)
_LOOSE_WIDTH = 120


class CaseTableView(TableView):
    """Shows a `CaseTable`; the marked case stays marked when its row moves."""

    marked = Signal(object)
    """The marked `CaseRow`, None if there is none."""
    opened = Signal()
    """The marked case was double-clicked."""
    order_asked = Signal(str)
    """A heading was clicked: the order to use."""
    menu_asked = Signal(QPoint)
    """A menu for the marked case, at a point of the screen."""

    def __init__(self, table: CaseTable, parent: QWidget | None = None, **properties: Any) -> None:
        menu = Qt.ContextMenuPolicy.CustomContextMenu
        super().__init__("cases", tr("Cases"), parent=parent, contextMenuPolicy=menu, **properties)
        self._table = table
        self._marked_id: str | None = None
        self._content = dict.fromkeys(_WIDENED, 0)
        self.setModel(table)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setMinimumSectionSize(theme().px(48))
        header.setSectionResizeMode(_LOOSE, QHeaderView.ResizeMode.Stretch)
        connect(
            (header.sectionClicked, self._sort),
            (self.doubleClicked, self.opened),
            (self.customContextMenuRequested, self._ask_menu),
            (self.selectionModel().currentRowChanged, self._note_mark),
            (table.modelReset, self._widen_first),
            (table.dataChanged, lambda first, last: self._widen(range(first.row(), last.row() + 1))),
            (table.reset_done, self._mark_first),
            (table.dataChanged, self._follow_mark),
        )
        follow_theme(self._widen_anew)

    @property
    def first_row(self) -> int:
        """The uppermost row that is seen."""
        return max(0, self.rowAt(0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_out()

    def _widen_anew(self) -> None:
        self._content = dict.fromkeys(_WIDENED, 0)
        self._widen_first()
        self._fit()

    def _widen_first(self) -> None:
        self._widen(range(min(self._table.rowCount(), PAGE_ROWS)))

    def _widen(self, numbers: range) -> None:
        """Give ids and names the room they need; never less than before, so that columns stand still."""
        rows = [row for number in numbers if (row := self._table.case_at(number))]
        before = dict(self._content)
        for place in _WIDENED:
            cells = map(COLUMNS[place].cell_of, rows)
            longest = max(cells, key=lambda cell: len(cell.text), default=Cell(""))
            self._content[place] = max(before[place], cell_width(longest))
        if self._content != before:
            self._fit()

    def _width(self, place: int) -> int:
        look, column = theme(), COLUMNS[place]
        return max(look.px(column.width), min(self._content.get(place, 0), look.px(column.widest)))

    def _leave_out(self) -> None:
        """Leave columns out until the request can be read without scrolling sideways; at last cut the ids."""
        room = self.viewport().width() - theme().px(_LOOSE_WIDTH)
        needed = sum(map(self._width, _FIXED))
        for column in _LEFT_OUT:
            self.setColumnHidden(column, needed > room)
            needed -= self._width(column) if needed > room else 0
        case = _WIDENED[0]
        self.setColumnWidth(
            case, max(theme().px(COLUMNS[case].width), self._width(case) - max(needed - room, 0))
        )

    def _fit(self) -> None:
        self.verticalHeader().setDefaultSectionSize(theme().row_height)
        for column in _FIXED:
            self.setColumnWidth(column, self._width(column))
        self._leave_out()

    def _sort(self, section: int) -> None:
        name, order = COLUMNS[section].order, self._table.order
        is_sorted = order.lstrip("-") == name
        is_down = not order.startswith("-") if is_sorted else COLUMNS[section].is_figure
        self.order_asked.emit(f"-{name}" if is_down else name)

    def _ask_menu(self, at: QPoint) -> None:
        if self.indexAt(at).isValid():
            self.menu_asked.emit(self.viewport().mapToGlobal(at))

    def _note_mark(self, current: QModelIndex) -> None:
        row = self._table.case_at(current.row()) if current.isValid() else None
        self._marked_id = row.case_id if row else None
        self.marked.emit(row)

    def _mark_first(self) -> None:
        if self._table.rowCount():
            self.setCurrentIndex(self._table.index(0, 0))
            self.scrollToTop()
        else:
            self._marked_id = None
            self.marked.emit(None)

    def _follow_mark(self) -> None:
        current = self.currentIndex()
        if not current.isValid():
            self._mark_first()
            return
        row = self._table.row_of(self._marked_id) if self._marked_id else current.row()
        if row is not None and row != current.row():
            self.setCurrentIndex(self._table.index(row, 0))
        else:
            self._note_mark(current)
