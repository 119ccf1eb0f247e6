"""Read-only tables of figures: sorted by their headings, numbers at the right, one marked row."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ui.theme.apply import Theme, theme
from ui.theme.tokens import SMALL, Tone, mix
from ui.theme.untrusted import plain_tip

Index = QModelIndex | QPersistentModelIndex

CELL_ROLE = Qt.ItemDataRole.UserRole
"""The `Cell` itself."""

_PADDING = 8
_HEAT = 0.42


@dataclass(frozen=True)
class Column:
    """A heading; `width` is in pixels at 100 %, a column without one takes what is left."""

    title: str
    width: int = 0
    is_figure: bool = False
    tip: str = ""


@dataclass(frozen=True)
class Cell:
    """What one cell says.

    `key` is what it is sorted by, its text where null and not a figure; figures without a key come
    last in either order. `colour` is a token's name, `heat` a share of accent in the ground (0 to 1),
    `chip` the tone of a pill around the text.
    """

    text: str
    key: float | None = None
    tip: str = ""
    colour: str = "text"
    is_mono: bool = False
    is_strong: bool = False
    heat: float | None = None
    chip: Tone | None = None


@dataclass(frozen=True)
class Row:
    """The cells of one line; `key` tells it from the others and is what the signals carry."""

    key: Hashable
    cells: tuple[Cell, ...]


class FigureModel(QAbstractTableModel):
    """Rows in the order they were given, or sorted by one column."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._given: tuple[Row, ...] = ()
        self.rows: tuple[Row, ...] = ()
        self._sort: tuple[int, bool] | None = None

    def show(self, columns: Sequence[Column], rows: Sequence[Row]) -> None:
        """Show other columns and rows; the order stays where the column is still there."""
        self.beginResetModel()
        if tuple(columns) != self.columns:
            self._sort = None
        self.columns = tuple(columns)
        self._given = tuple(rows)
        self.rows = self._ordered()
        self.endResetModel()

    def order_by(self, column: int, *, descending: bool) -> None:
        """Sort by a column."""
        self.beginResetModel()
        self._sort = (column, descending)
        self.rows = self._ordered()
        self.endResetModel()

    def row_of(self, key: Hashable) -> int | None:
        """Where a row is, null where it is not there."""
        return next((place for place, row in enumerate(self.rows) if row.key == key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.is_figure else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self.rows[index.row()].cells[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(cell.tip or cell.text) or None
            case _:
                return cell if role == CELL_ROLE else None

    def _ordered(self) -> tuple[Row, ...]:
        if self._sort is None:
            return self._given
        place, descending = self._sort
        if not self.columns[place].is_figure:
            by_text = sorted(self._given, key=lambda row: _text_key(row.cells[place]), reverse=descending)
            return tuple(by_text)
        known = [row for row in self._given if row.cells[place].key is not None]
        unknown = [row for row in self._given if row.cells[place].key is None]
        known.sort(key=lambda row: row.cells[place].key or 0.0, reverse=descending)
        return (*known, *unknown)


def _text_key(cell: Cell) -> tuple[float, str]:
    return (cell.key if cell.key is not None else 0.0, cell.text.casefold())


class FigureTable(QTableView):
    """Shows rows of cells; the marked row stays marked when the order changes.

    Args:
        name: Object name.
        title: What it lists, for screen readers.
        columns: Headings.
        is_sortable: Whether a click on a heading sorts.
        is_still: Whether it is only read: nothing is marked, and keys go elsewhere.
    """

    marked = Signal(object)
    """Key of the marked row, null for none."""
    opened = Signal(object)
    """Key of the row that was double-clicked or on which Enter was pressed."""

    def __init__(
        self,
        name: str,
        title: str,
        columns: Sequence[Column],
        *,
        is_sortable: bool = True,
        is_still: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._model = FigureModel(columns, self)
        self._marked: Hashable = None
        self._order: tuple[int, bool] | None = None
        self.setModel(self._model)
        self.setItemDelegate(_CellDelegate(self, lights_up=not is_still))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.NoSelection if is_still else mode.SingleSelection)
        if is_still:
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._is_still = is_still
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(theme().px(40))
        header.setSectionsClickable(is_sortable and not is_still)
        if is_sortable and not is_still:
            header.sectionClicked.connect(self._sort)
        self.activated.connect(self._open)
        self.selectionModel().currentRowChanged.connect(self._note_mark)
        self._fit()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows as they stand on screen."""
        return self._model.rows

    @property
    def marked_key(self) -> Hashable:
        """Key of the marked row, null for none."""
        return self._marked

    def show_rows(self, rows: Sequence[Row], *, columns: Sequence[Column] | None = None) -> None:
        """Show rows; the marked one stays marked, else the first one is."""
        wanted = self._marked
        self.selectionModel().blockSignals(True)
        fresh = tuple(columns) if columns is not None else self._model.columns
        if fresh != self._model.columns:
            self._order = None
            self.horizontalHeader().setSortIndicatorShown(False)
        self._model.show(fresh, rows)
        self.selectionModel().blockSignals(False)
        self._fit()
        self._mark_again(wanted)

    def mark(self, key: Hashable) -> None:
        """Mark a row and bring it into sight; does nothing where it is not there."""
        place = self._model.row_of(key)
        if place is not None:
            self.setCurrentIndex(self._model.index(place, 0))

    def step(self, by: int) -> None:
        """Mark the next row, or one before; stops at the ends."""
        place = self._model.row_of(self._marked)
        if self._model.rows:
            wanted = 0 if place is None else min(max(place + by, 0), len(self._model.rows) - 1)
            self.setCurrentIndex(self._model.index(wanted, 0))

    def as_text(self, *, only_marked: bool = False) -> str:
        """The table as tab-separated text with its headings."""
        lines = ["\t".join(column.title for column in self._model.columns)]
        lines += [
            "\t".join(cell.text for cell in row.cells)
            for row in self._model.rows
            if not only_marked or row.key == self._marked
        ]
        return "\n".join(lines) + "\n"

    def copy_all(self) -> None:
        """Put the whole table on the clipboard."""
        QGuiApplication.clipboard().setText(self.as_text())

    def sizeHintForColumn(self, column: int) -> int:
        fonts = theme().sans(), theme().mono()
        texts = [(row.cells[column].text, row.cells[column].is_mono) for row in self._model.rows[:200]]
        widths = [QFontMetrics(fonts[is_mono]).horizontalAdvance(text) for text, is_mono in texts]
        return max(widths, default=0) + theme().px(2 * _PADDING + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.as_text(only_marked=True))
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.verticalHeader().setDefaultSectionSize(look.row_height)
        header = self.horizontalHeader()
        for place, column in enumerate(self._model.columns):
            mode = QHeaderView.ResizeMode.Interactive if column.width else QHeaderView.ResizeMode.Stretch
            header.setSectionResizeMode(place, mode)
            if column.width:
                header.resizeSection(place, look.px(column.width))

    def _sort(self, place: int) -> None:
        descending = self._model.columns[place].is_figure
        if self._order is not None and self._order[0] == place:
            descending = not self._order[1]
        self._order = (place, descending)
        wanted = self._marked
        self.selectionModel().blockSignals(True)
        self._model.order_by(place, descending=descending)
        self.selectionModel().blockSignals(False)
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
            self._marked = None
            if wanted is not None:
                self.marked.emit(None)
            return
        self.setCurrentIndex(self._model.index(place if place is not None else 0, 0))

    def _note_mark(self, current: QModelIndex) -> None:
        key = self._model.rows[current.row()].key if current.isValid() else None
        if key != self._marked:
            self._marked = key
            self.marked.emit(key)

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(self._model.rows[index.row()].key)


class _CellDelegate(QStyledItemDelegate):
    """Paints one line a row, a hairline below it; lights up what is under the mouse, or does not."""

    def __init__(self, table: "FigureTable", *, lights_up: bool) -> None:
        super().__init__(table)
        self._lights_up = lights_up

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(theme().px(40), theme().row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = theme()
        cell = index.data(CELL_ROLE)
        if not isinstance(cell, Cell):
            return
        painter.save()
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = self._lights_up and bool(option.state & QStyle.StateFlag.State_MouseOver)
        ground = _ground(cell, look, is_selected=is_selected, is_hovered=is_hovered)
        if ground is not None:
            painter.fillRect(option.rect, ground)
        painter.setPen(look.colour("line"))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        room = option.rect.adjusted(look.px(_PADDING), 0, -look.px(_PADDING), 0)
        model = index.model()
        is_figure = isinstance(model, FigureModel) and model.columns[index.column()].is_figure
        if cell.chip is not None and cell.text:
            _paint_chip(painter, cell.text, cell.chip, room=room, look=look)
        else:
            _paint_text(painter, cell, room=room, look=look, is_figure=is_figure)
        painter.restore()


def _ground(cell: Cell, look: Theme, *, is_selected: bool, is_hovered: bool) -> QColor | None:
    if cell.heat is not None:
        share = min(max(cell.heat, 0.0), 1.0) * _HEAT
        under = look.tokens.selection if is_selected else look.tokens.surface
        return QColor(mix(look.tokens.accent, under, share))
    if is_selected:
        return look.colour("selection")
    return look.colour("hover") if is_hovered else None


def elide_mode(cell: Cell) -> Qt.TextElideMode:
    """Where a text is cut that has no room: an id in the middle, since ids tell apart at their ends too."""
    return Qt.TextElideMode.ElideMiddle if cell.is_mono else Qt.TextElideMode.ElideRight


def _paint_text(painter: QPainter, cell: Cell, *, room: QRect, look: Theme, is_figure: bool) -> None:
    font = look.mono() if cell.is_mono else look.sans(is_strong=cell.is_strong)
    painter.setFont(font)
    painter.setPen(look.colour(cell.colour))
    side = Qt.AlignmentFlag.AlignRight if is_figure else Qt.AlignmentFlag.AlignLeft
    line = " ".join(cell.text.split())
    shown = painter.fontMetrics().elidedText(line, elide_mode(cell), room.width())
    painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, shown)


def _paint_chip(painter: QPainter, text: str, tone: Tone, *, room: QRect, look: Theme) -> None:
    pair = look.tokens.tone(tone)
    font = look.sans(SMALL)
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() - look.px(16))
    height = look.px(20)
    width = metrics.horizontalAdvance(shown) + look.px(16)
    box = QRect(room.left(), room.center().y() - height // 2 + 1, width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(pair.ground))
    painter.drawRoundedRect(box, height / 2, height / 2)
    painter.setPen(QColor(pair.text))
    painter.setFont(font)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)
