"""The cases of a view as a table that holds only the rows around what is seen."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from annotator.review.queue.case_rows import CaseFilter, CaseRow, count_cases, list_cases
from ui.queue.columns import COLUMNS, Column, cell_of, tip_of
from ui.services.operations import Operations, Pending
from ui.theme.cells import CELL_ROLE, Index, side_of
from ui.theme.tables import TOPIC_ROLE
from ui.theme.words import plain_tip

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

PAGE_ROWS = 200
KEPT_PAGES = 20
ASKED_PAGES = 3
"""Pages asked for at once; earlier ones were scrolled past and are taken back."""

CASE_ROLE = Qt.ItemDataRole.UserRole
"""The `CaseRow`, null while it is being fetched."""

_TOPICS = {Column.POLICIES: "policy", Column.INFORMATION: "information", Column.FINDINGS: "finding"}
"""What of the guidelines explains a column."""


@dataclass(frozen=True)
class _Part:
    count: int
    rows: tuple[CaseRow, ...]


class CaseTable(QAbstractTableModel):
    """Fetches pages of rows as they are looked at and forgets the ones looked at longest ago."""

    counted = Signal(int)
    """How many cases the view has; after every answer."""
    reset_done = Signal()
    """A new view is shown."""

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self._where = CaseFilter()
        self._count = 0
        self._pages: OrderedDict[int, tuple[CaseRow, ...]] = OrderedDict()
        self._current: set[int] = set()
        self._asked: OrderedDict[int, Pending] = OrderedDict()
        self._generation = 0
        self._is_new = True
        self._order = self._where.order

    def show_cases(self, where: CaseFilter) -> None:
        """Show another view; what is there stays until the first rows of the new one arrive."""
        self._where = where
        self._is_new = True
        self._begin()
        self._ask(0)

    def show_order(self, order: str) -> None:
        """Mark the heading the cases are sorted by."""
        self._order = order
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)

    def refresh(self, first_row: int) -> None:
        """Read again what is seen, from a row on; the rest follows as it is looked at."""
        self._begin()
        self._ask(first_row // PAGE_ROWS)

    def case_at(self, row: int) -> CaseRow | None:
        """The case of a row, null while it is being fetched."""
        page = self._pages.get(row // PAGE_ROWS, ())
        place = row % PAGE_ROWS
        return page[place] if place < len(page) else None

    def row_of(self, case_id: str) -> int | None:
        """The row of a case among those fetched, null where it is not."""
        for page, rows in self._pages.items():
            for place, row in enumerate(rows):
                if row.case_id == case_id:
                    return page * PAGE_ROWS + place
        return None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heading(Column(section))
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"Sort by {Column(section).name.lower()}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return side_of(is_figure=COLUMNS[Column(section)].is_figure)
        if role == TOPIC_ROLE:
            return _TOPICS.get(Column(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        column = Column(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return side_of(is_figure=COLUMNS[column].is_figure)
        if role not in (CASE_ROLE, CELL_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        page = index.row() // PAGE_ROWS
        if page not in self._current:
            self._ask(page)
        row = self.case_at(index.row())
        if row is None or role == CASE_ROLE:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(tip_of(row, column)) or None
        cell = cell_of(row, column)
        return cell if role == CELL_ROLE else cell.text

    def _heading(self, column: Column) -> str:
        name = column.name.capitalize()
        if self._order.lstrip("-") != column.order:
            return name
        # Qt's own arrow is painted over right-aligned words.
        return f"{name} {'↓' if self._order.startswith('-') else '↑'}"

    def _begin(self) -> None:
        self._generation += 1
        self._current.clear()
        for pending in self._asked.values():
            pending.cancel()
        self._asked.clear()

    def _ask(self, page: int) -> None:
        if page in self._asked:
            return
        while len(self._asked) >= ASKED_PAGES:
            _, overtaken = self._asked.popitem(last=False)
            overtaken.cancel()
        fetch = partial(_fetch, where=self._where, offset=page * PAGE_ROWS)
        take = partial(self._take, self._generation, page)
        self._asked[page] = self._operations.run(fetch, then=take)

    def _take(self, generation: int, page: int, part: _Part) -> None:
        if generation != self._generation:
            return
        self._asked.pop(page, None)
        if self._is_new:
            self.beginResetModel()
            self._pages.clear()
            self._count = part.count
            self._keep(page, part)
            self._is_new = False
            self.endResetModel()
            self.reset_done.emit()
        else:
            self._resize(part.count)
            self._keep(page, part)
            first = page * PAGE_ROWS
            last = min(first + PAGE_ROWS, self._count) - 1
            if last >= first:
                self.dataChanged.emit(self.index(first, 0), self.index(last, len(Column) - 1))
        self.counted.emit(self._count)

    def _keep(self, page: int, part: _Part) -> None:
        self._pages[page] = part.rows
        self._pages.move_to_end(page)
        self._current.add(page)
        while len(self._pages) > KEPT_PAGES:
            forgotten, _ = self._pages.popitem(last=False)
            self._current.discard(forgotten)

    def _resize(self, count: int) -> None:
        if count > self._count:
            self.beginInsertRows(QModelIndex(), self._count, count - 1)
            self._count = count
            self.endInsertRows()
        elif count < self._count:
            self.beginRemoveRows(QModelIndex(), count, self._count - 1)
            self._count = count
            self.endRemoveRows()


def _fetch(workspace: "Workspace", *, where: CaseFilter, offset: int) -> _Part:
    return _Part(
        count=count_cases(workspace, where),
        rows=list_cases(workspace, where, offset=offset, limit=PAGE_ROWS),
    )
