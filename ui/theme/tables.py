"""Read-only tables of figures: sorted by their headings, numbers at the right, one marked row."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableView,
    QWidget,
)

from annotator.files import csv_text
from scoring.generics import T
from scoring.texts import tr
from ui.theme.cells import CELL_ROLE, Cell, CellDelegate, Index, cell_width, side_of
from ui.theme.layouts import build, connect
from ui.theme.look import follow_theme, icon, paint_with, theme
from ui.theme.words import LOADING, STATE_ICONS, name_key, plain_tip

TOPIC_ROLE = Qt.ItemDataRole.UserRole + 101
"""What of the guidelines a row or a heading is about, also in tables of other models."""

_LEAST_LOOSE = 104
"""Width at 100 % below which a column without one of its own cannot be read."""


@dataclass(frozen=True)
class Column(Generic[T]):
    """A heading, and what every row says under it.

    `width` is in pixels at 100 %, a column without one takes what is left; where cells are read first, they
    widen it up to `widest`. `cell` says a text or a cell of what a row is about. Columns that follow from the
    data, or whose cells need more than the row has, are made by a function. `topic` is what of the guidelines
    explains it; empty for nothing. `order` is the project's name of its order. `leave_out` counts from 1: the
    first one is left out first where there is no room, 0 stays.
    """

    title: str
    width: int = 0
    cell: Callable[[T], Cell | str] = lambda _: ""
    is_figure: bool = False
    tip: str = ""
    topic: str = ""
    order: str = ""
    widest: int = 0
    leave_out: int = 0

    def cell_of(self, item: T) -> Cell:
        """What it says of an item."""
        found = self.cell(item)
        return found if isinstance(found, Cell) else Cell(found)


@dataclass(frozen=True)
class Row:
    """The cells of one line; `key` tells it from the others and is what the signals carry.

    `item` is what the line is about, for whoever asks the table for what is marked. Rows are sorted within
    their `section`; a heading stays above its section and cannot be marked. It has one cell, which takes the
    whole line, or one under each heading of the table.
    """

    key: Hashable
    cells: tuple[Cell, ...]
    topic: str = ""
    item: Any = None
    section: int = 0
    is_heading: bool = False


def rows_of(
    columns: Sequence[Column[T]],
    items: Iterable[T],
    *,
    key: Callable[[T], Hashable],
    topic: Callable[[T], str] = lambda _: "",
    section: int = 0,
) -> tuple[Row, ...]:
    """A row for each item; `key` tells it from the others, `topic` what of the guidelines it is about."""
    return tuple(
        Row(key(item), tuple(one.cell_of(item) for one in columns), topic(item), item, section)
        for item in items
    )


class RowModel(QAbstractTableModel):
    """Cells under columns; where the cells come from is said by each kind of it."""

    columns: tuple[Column[Any], ...] = ()

    def cell_at(self, row: int, column: int) -> Cell | None:
        """A cell, None where there is none yet."""
        return None

    def topic_at(self, row: int) -> str:
        """What of the guidelines a row is about; empty for nothing."""
        return ""

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        return {
            Qt.ItemDataRole.DisplayRole: tr(column.title),
            Qt.ItemDataRole.ToolTipRole: tr(column.tip) or None,
            Qt.ItemDataRole.TextAlignmentRole: side_of(is_figure=column.is_figure),
            TOPIC_ROLE: column.topic or None,
        }.get(role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == TOPIC_ROLE:
            return self.topic_at(index.row()) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return side_of(is_figure=self.columns[index.column()].is_figure)
        if role not in (CELL_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        cell = self.cell_at(index.row(), index.column())
        if cell is None or role == CELL_ROLE:
            return cell
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        return plain_tip(cell.tip or cell.text) or None


class FigureModel(RowModel):
    """Rows in the order they were given, or sorted by one column."""

    def __init__(self, columns: Sequence[Column[Any]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._given: tuple[Row, ...] = ()
        self.rows: tuple[Row, ...] = ()
        self.order: tuple[int, bool] | None = None
        """The column it is sorted by, and whether descending; None for the order that was given."""

    def show(self, columns: Sequence[Column[Any]], rows: Sequence[Row]) -> None:
        """Show other columns and rows; the order stays where the column is still there.

        Raises:
            ValueError: A row has another number of cells than there are columns, and is no heading of one.
        """
        for row in rows:
            if not _is_one_line(row) and len(row.cells) != len(columns):
                raise ValueError(f"row {row.key!r} has {len(row.cells)} cells under {len(columns)} columns")
        self.beginResetModel()
        if tuple(columns) != self.columns:
            self.order = None
        self.columns = tuple(columns)
        self._given = tuple(rows)
        self.rows = self._ordered()
        self.endResetModel()

    def order_by(self, column: int, *, descending: bool) -> None:
        """Sort by a column."""
        self.beginResetModel()
        self.order = (column, descending)
        self.rows = self._ordered()
        self.endResetModel()

    def row_of(self, key: Hashable) -> int | None:
        """Where a row is, None where it is not there."""
        return next((place for place, row in enumerate(self.rows) if row.key == key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        is_heading = index.isValid() and self.rows[index.row()].is_heading
        return Qt.ItemFlag.NoItemFlags if is_heading else super().flags(index)

    def cell_at(self, row: int, column: int) -> Cell | None:
        found = self.rows[row]
        return None if column and _is_one_line(found) else found.cells[column]

    def topic_at(self, row: int) -> str:
        return self.rows[row].topic

    def _ordered(self) -> tuple[Row, ...]:
        if self.order is None:
            return self._given
        place, descending = self.order
        rows = [row for row in self._given if not row.is_heading]
        if self.columns[place].is_figure:
            rows.sort(key=lambda row: row.cells[place].key or 0.0, reverse=descending)
            rows.sort(key=lambda row: row.cells[place].key is None)
        else:
            rows.sort(
                key=lambda row: (row.cells[place].key or 0.0, name_key(row.cells[place].text)),
                reverse=descending,
            )
        headings = [row for row in self._given if row.is_heading]
        return tuple(sorted([*headings, *rows], key=lambda row: row.section))


def _is_one_line(row: Row) -> bool:
    """Whether it is a heading whose only cell takes the whole line."""
    return row.is_heading and len(row.cells) == 1


_LINES: dict[str, Any] = {
    "showGrid": False,
    "wordWrap": False,
    "mouseTracking": True,
    "tabKeyNavigation": False,
    "selectionBehavior": QAbstractItemView.SelectionBehavior.SelectRows,
    "selectionMode": QAbstractItemView.SelectionMode.SingleSelection,
    "editTriggers": QAbstractItemView.EditTrigger.NoEditTriggers,
    "horizontalScrollMode": QAbstractItemView.ScrollMode.ScrollPerPixel,
    "verticalScrollMode": QAbstractItemView.ScrollMode.ScrollPerPixel,
}
_STILL: dict[str, Any] = {
    "selectionMode": QAbstractItemView.SelectionMode.NoSelection,
    "focusPolicy": Qt.FocusPolicy.NoFocus,
}
"""What of it is otherwise in a table that is only read."""


class TableView(QTableView):
    """One line a row without a grid, painted cell by cell; a model gives `Cell` values as `CELL_ROLE`.

    Args:
        name: Object name.
        title: What it lists, for screen readers.
        is_still: Whether it is only read: nothing is marked, and keys go elsewhere.
    """

    def __init__(
        self,
        name: str,
        title: str,
        *,
        is_still: bool = False,
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        look = _LINES | (_STILL if is_still else {}) | {"objectName": name, "accessibleName": title}
        build(super().__init__, parent, **look, **properties)
        self.setItemDelegate(CellDelegate(self, lights_up=not is_still))
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.say(LOADING)

    def say(self, words: str) -> None:
        """Say what stands where no row is: that they are being read, could not be, or that there are none."""
        self.setAccessibleDescription(words)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.model().rowCount():
            painter = paint_with(QPainter(self.viewport()), pen=theme().colour("muted"))
            whole, words = self.viewport().rect(), self.accessibleDescription()
            painter.drawText(whole, Qt.AlignmentFlag.AlignCenter, words)
            if words in STATE_ICONS:
                name, tone = STATE_ICONS[words]
                place = QRect(0, 0, theme().px(24), theme().px(24))
                place.moveCenter(whole.center() - QPoint(0, place.height()))
                icon(name, tone=tone).paint(painter, place)


class FigureTable(TableView):
    """Shows rows of cells; the marked row stays marked when the order changes.

    Args:
        name: Object name.
        title: What it lists, for screen readers.
        columns: Headings.
        is_sortable: Whether a click on a heading sorts.
        is_still: Whether it is only read: nothing is marked, and keys go elsewhere.
        nothing: What it says once it is known that there is no row.
    """

    marked = Signal(object)
    """Key of the marked row, None if there is none."""
    opened = Signal(object)
    """Key of the row that was double-clicked or on which Enter was pressed."""

    def __init__(
        self,
        name: str,
        title: str,
        columns: Sequence[Column[Any]],
        *,
        is_sortable: bool = True,
        is_still: bool = False,
        nothing: str = tr("Nothing here"),
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        super().__init__(name, title, is_still=is_still, parent=parent, **properties)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(tr("Copy as CSV"), self.copy_csv)
        self._model = FigureModel(columns, self)
        self.marked_key: Hashable = None
        """Key of the marked row, None if there is none."""
        self.setModel(self._model)
        self._is_still = is_still
        self._nothing = nothing
        header = self.horizontalHeader()
        header.setMinimumSectionSize(theme().px(40))
        header.setSectionsClickable(is_sortable and not is_still)
        connect(
            (header.sectionClicked, self._sort),
            (self.activated, lambda index: self.opened.emit(self._model.rows[index.row()].key)),
            (self.selectionModel().currentRowChanged, self._note_mark),
        )
        follow_theme(self._fit)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows as they stand on screen."""
        return self._model.rows

    @property
    def marked_item(self) -> Any:
        """What the marked row is about, None if there is none."""
        place = self._model.row_of(self.marked_key)
        return self._model.rows[place].item if place is not None else None

    def with_marked(self, act: Callable[[Any], object]) -> Callable[[], None]:
        """What calls a function with what the marked row is about, and does nothing where none is marked."""
        return partial(self.use_marked, act)

    def use_marked(self, act: Callable[[Any], object]) -> None:
        """Call a function with what the marked row is about, where one is marked."""
        item = self.marked_item
        if item is not None:
            act(item)

    def show_rows(self, rows: Sequence[Row], *, columns: Sequence[Column[Any]] | None = None) -> None:
        """Show rows; the marked one stays marked, else the first one is."""
        self.say("" if rows else self._nothing)
        wanted = self.marked_key
        with QSignalBlocker(self.selectionModel()):
            self._model.show(columns if columns is not None else self._model.columns, rows)
        self._span_headings()
        self.horizontalHeader().setSortIndicatorShown(self._model.order is not None)
        self._fit()
        self._mark_again(wanted)

    def show_items(
        self,
        items: Iterable[Any],
        *,
        key: Callable[[Any], Hashable],
        columns: Sequence[Column[Any]] | None = None,
        topic: Callable[[Any], str] = lambda _: "",
    ) -> None:
        """Show a row for each item as the columns say it: those from before, or others; keys as `rows_of`."""
        shown = self._model.columns if columns is None else columns
        self.show_rows(rows_of(shown, items, key=key, topic=topic), columns=shown)

    def mark(self, key: Hashable) -> None:
        """Mark a row and bring it into sight; does nothing where it is not there."""
        place = self._model.row_of(key)
        if place is not None:
            self.setCurrentIndex(self._model.index(place, 0))

    def as_text(self, *, only_marked: bool = False) -> str:
        """The table as tab-separated text with its headings."""
        lines = ["\t".join(tr(column.title) for column in self._model.columns)]
        lines += [
            "\t".join(cell.text for cell in row.cells)
            for row in self._model.rows
            if not only_marked or row.key == self.marked_key
        ]
        return "\n".join(lines) + "\n"

    def copy_all(self) -> None:
        """Put the whole table on the clipboard."""
        QGuiApplication.clipboard().setText(self.as_text())

    def copy_csv(self) -> None:
        """Put the table on the clipboard as CSV, in the order it stands on screen."""
        titles = [tr(column.title) for column in self._model.columns]
        rows = ([cell.text for cell in row.cells] for row in self.rows)
        QGuiApplication.clipboard().setText(csv_text(titles, rows))

    def sizeHintForColumn(self, column: int) -> int:
        rows = (row for row in self._model.rows[:200] if not row.is_heading)
        return max((cell_width(row.cells[column]) for row in rows), default=0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.as_text(only_marked=True))
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stretch()

    def _fit(self) -> None:
        self.verticalHeader().setDefaultSectionSize(theme().row_height)
        self._stretch()

    def _stretch(self) -> None:
        """Give columns without a width, or else the last, what is left; where it is too little, all shrink.

        Where their words are too wide, too, columns are left out, and at last the table scrolls.
        """
        header, columns, room = self.horizontalHeader(), self._model.columns, self.viewport().width()
        shortest = header.minimumSectionSize()
        heads = [max(header.sectionSizeFromContents(at).width(), shortest) for at in range(len(columns))]
        widths = [
            max(theme().px(column.width), head) if column.width else theme().px(_LEAST_LOOSE)
            for column, head in zip(columns, heads, strict=True)
        ]
        is_wide = sum(widths) <= room
        if not is_wide:
            words = [max(head, self.sizeHintForColumn(place)) for place, head in enumerate(heads)]
            least = [min(width, word) for width, word in zip(widths, words, strict=True)]
            for place in sorted(range(len(columns)), key=lambda place: columns[place].leave_out):
                if columns[place].leave_out and sum(least) > room:
                    least[place] = widths[place] = 0
            share = max(room - sum(least), 0) / max(sum(widths) - sum(least), 1)
            widths = [low + int((high - low) * share) for low, high in zip(least, widths, strict=True)]
        loose = [place for place, column in enumerate(columns) if not column.width] or [len(columns) - 1]
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)  # else hidden ones keep their width
        for place, width in enumerate(widths):
            header.setSectionHidden(place, not width)
            header.resizeSection(place, width)
            if is_wide and place in loose:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)

    def _sort(self, place: int) -> None:
        descending = self._model.columns[place].is_figure
        order = self._model.order
        if order is not None and order[0] == place:
            descending = not order[1]
        wanted = self.marked_key
        with QSignalBlocker(self.selectionModel()):
            self._model.order_by(place, descending=descending)
        self._span_headings()
        header = self.horizontalHeader()
        header.setSortIndicatorShown(True)
        side = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        header.setSortIndicator(place, side)
        self._mark_again(wanted)

    def _mark_again(self, wanted: Hashable) -> None:
        place = self._model.row_of(wanted)
        if self._is_still:
            return
        if not self._model.rows:
            self.marked_key = None
            if wanted is not None:
                self.marked.emit(None)
            return
        first = next((at for at, row in enumerate(self._model.rows) if not row.is_heading), 0)
        self.setCurrentIndex(self._model.index(place if place is not None else first, 0))

    def _span_headings(self) -> None:
        self.clearSpans()
        for place, row in enumerate(self._model.rows):
            if _is_one_line(row) and len(self._model.columns) > 1:
                self.setSpan(place, 0, 1, len(self._model.columns))

    def _note_mark(self, current: QModelIndex) -> None:
        key = self._model.rows[current.row()].key if current.isValid() else None
        if key != self.marked_key:
            self.marked_key = key
            self.marked.emit(key)
