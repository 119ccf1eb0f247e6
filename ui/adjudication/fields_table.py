"""The table of fields with its keys: a letter takes a side, O gives an own value, Y and X answer an edit."""

from functools import partial

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QPainter,
    QPainterStateGuard,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from annotator.review.expert.decisions import Own
from annotator.review.expert.field_words import own_choices
from scoring.texts import tr
from ui.adjudication.decision_rows import KEYS_ROLE, DecisionLine, FieldsModel, RowState
from ui.desk.key_table import KeyTable
from ui.theme import theme
from ui.theme.buttons import badge_box, paint_badge
from ui.theme.events import DELETE_KEYS, follow_events
from ui.theme.layouts import build, connect
from ui.theme.look import follow_theme, paint_with
from ui.theme.menus import open_choices


class TitleDelegate(QStyledItemDelegate):
    """Elides at the right, where the rest of the table elides in the middle."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideRight


class NamesColumn(QTableView):
    """Lies over the first column of a table as soon as that is scrolled away, and follows it in all else.

    Args:
        table: The table; its model and selection are shared.
    """

    def __init__(self, table: QTableView) -> None:
        build(
            super().__init__,
            table,
            objectName="fields-names",
            accessibleName=tr("Names of the fields"),
            frameShape=QFrame.Shape.NoFrame,
            focusPolicy=Qt.FocusPolicy.NoFocus,
            autoScroll=False,
            visible=False,
            showGrid=table.showGrid(),
            wordWrap=table.wordWrap(),
            selectionBehavior=table.selectionBehavior(),
            selectionMode=table.selectionMode(),
            editTriggers=QAbstractItemView.EditTrigger.NoEditTriggers,
            verticalScrollMode=table.verticalScrollMode(),
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            verticalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        self._table = table
        self.setModel(table.model())
        own = self.selectionModel()
        self.setSelectionModel(table.selectionModel())
        own.deleteLater()
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setDefaultAlignment(table.horizontalHeader().defaultAlignment())
        self.setItemDelegateForColumn(0, TitleDelegate(self))
        connect(
            (table.verticalScrollBar().valueChanged, self.verticalScrollBar().setValue),
            (self.verticalScrollBar().valueChanged, table.verticalScrollBar().setValue),
            (table.horizontalScrollBar().valueChanged, self.follow),
            (table.horizontalHeader().sectionResized, self.follow),
        )
        follow_events(table.viewport(), self.follow, QEvent.Type.Resize)

    @property
    def room(self) -> int:
        """What the names take from the table while they lie there; none of a table they would fill."""
        width = self._table.columnWidth(0)
        return width if 2 * width <= self._table.viewport().width() else 0

    def follow(self) -> None:
        """Lie where the first column is, as high and as wide; hidden while that is seen itself."""
        table = self._table
        if not table.horizontalScrollBar().value() or not self.room:
            self.hide()
            return
        head, body = table.horizontalHeader(), table.viewport().geometry()
        self.horizontalHeader().setFixedHeight(head.height())
        self.verticalHeader().setDefaultSectionSize(table.verticalHeader().defaultSectionSize())
        for column in range(1, table.model().columnCount()):
            self.setColumnHidden(column, True)
        self.setColumnWidth(0, table.columnWidth(0))
        top = body.top() - head.height()
        self.setGeometry(QRect(body.left(), top, table.columnWidth(0), body.bottom() + 1 - top))
        self.show()
        self.verticalScrollBar().setValue(table.verticalScrollBar().value())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = paint_with(QPainter(self.viewport()), pen=theme().colour("line_strong"))
        painter.drawLine(self.viewport().rect().topRight(), self.viewport().rect().bottomRight())

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The table scrolls, and this with it.
        QApplication.sendEvent(self._table.viewport(), event)


class DecisionDelegate(QStyledItemDelegate):
    """Draws key badges where the model names keys for the current row, else the text as usual."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        keys = index.data(KEYS_ROLE)
        table = option.widget
        is_current = isinstance(table, QAbstractItemView) and table.currentIndex().row() == index.row()
        if not keys or not is_current:
            super().paint(painter, option, index)
            return
        table.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, table)
        look = theme()
        left = option.rect.left() + look.px(8)
        with QPainterStateGuard(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for key in keys:
                box = badge_box(str(key), left, option.rect)
                paint_badge(painter, str(key), box, colour=look.colour("text"))
                left = box.right() + look.px(5)


_FIELD, _DECISION = 172, 132
"""Widths of the first and the last column at most."""
_LEAST_FIELD, _LEAST_SIDE, _LEAST_DECISION = 104, 82, 96
"""Widths at which a field, a value of a side and a decision can be read; below these the table scrolls."""


class FieldsTable(KeyTable):
    """Shows the rows and says what is wanted of the current one.

    Signals: `row_changed` carries the `DecisionLine` or None; `taken` a letter, an `Own` or None for open
    again; `answered` `accept` or `decline`.
    """

    row_changed = Signal(object)
    taken = Signal(object)
    answered = Signal(str)

    def __init__(self, model: FieldsModel) -> None:
        super().__init__(
            "fields-table",
            tr("Fields and what was said about them"),
            selectionMode=QAbstractItemView.SelectionMode.SingleSelection,
            horizontalScrollMode=QAbstractItemView.ScrollMode.ScrollPerPixel,
            textElideMode=Qt.TextElideMode.ElideMiddle,  # names differ at their ends
            doubleClicked=self._click,
        )
        self._fields = model
        self.setModel(model)
        self._delegate = DecisionDelegate(self)
        self._titles = TitleDelegate(self)
        connect(
            (model.dataChanged, self._keep_in_sight),
            (self.selectionModel().currentRowChanged, self._tell_row),
        )
        self.names = NamesColumn(self)
        follow_theme(self._fit)

    def lay_out_sides(self) -> None:
        """Lay the columns out for the sides of the model; their letters are keys."""
        letters = self._fields.letters
        for column in range(self._fields.columnCount()):
            self.setItemDelegateForColumn(column, self.itemDelegate())
        named = {Qt.Key(ord(letter)): letter for letter in (*letters, "O", "Y", "X")}
        keys = named | dict.fromkeys(DELETE_KEYS, "\b")
        self.keys = {key: partial(self.press, letter) for key, letter in keys.items()}
        last, head = len(letters) + 1, self.horizontalHeader()
        mode = QHeaderView.ResizeMode.Interactive if letters else QHeaderView.ResizeMode.Stretch
        head.setSectionResizeMode(mode)
        self._share_out()
        self.setItemDelegateForColumn(0, self._titles)
        self.setItemDelegateForColumn(last, self._delegate)

    def filter_rows(self, *, only_asked: bool) -> None:
        """Show every field, or only those the sides differ on and proposed edits."""
        for number, row in enumerate(self._fields.rows):
            is_hidden = only_asked and row.state is RowState.AGREED
            self.setRowHidden(number, is_hidden)
            self.names.setRowHidden(number, is_hidden)

    @property
    def row(self) -> DecisionLine | None:
        """The current row."""
        number = self.currentIndex().row()
        return self._fields.rows[number] if 0 <= number < len(self._fields.rows) else None

    def go_to(self, row_id: str) -> bool:
        """Make a row the current one; whether it is there."""
        number = next((at for at, row in enumerate(self._fields.rows) if row.id == row_id), None)
        if number is not None:
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().setCurrentIndex(
                self._fields.index(number, 0), flags.ClearAndSelect | flags.Rows
            )
            self._keep_in_sight()
        return number is not None

    def go_to_open(self) -> bool:
        """Go to the next row that is open, round the end; whether there is one."""
        following, rows = self.currentIndex().row() + 1, self._fields.rows
        waiting = (
            row
            for row in (*rows[following:], *rows[:following])
            if row.state in (RowState.OPEN, RowState.WRONG)
        )
        row = next(waiting, None)
        return row is not None and self.go_to(row.id)

    def offer_own(self) -> None:
        """Offer the values an expert may give the current field themselves; a digit chooses."""
        row = self.row
        if row is None or row.field is None:
            return
        choices = [
            (words, partial(self.taken.emit, Own(own=value))) for words, value in own_choices(row.field)
        ]
        place = self.visualRect(self.currentIndex().siblingAtColumn(len(self._fields.letters) + 1))
        open_choices(
            self,
            "own-menu",
            choices,
            has_digits=True,
            at=self.viewport().mapToGlobal(QPoint(place.left(), place.bottom())),
        )

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        super().scrollTo(index, hint)
        covered = self.names.room - self.visualRect(index).left() if index.column() else 0
        if covered > 0:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - covered)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_out()

    def _fit(self) -> None:
        self.verticalHeader().setDefaultSectionSize(theme().row_height)
        self._share_out()
        self.names.follow()

    def _share_out(self) -> None:
        """Give the first and the last column what they need at most, and the sides the rest.

        None gets less than it takes to be read: where there is no room for all, the table scrolls.
        """
        look, room = theme(), self.viewport().width()
        count = len(self._fields.letters)
        if not count:
            return
        first, last, side = look.px(_LEAST_FIELD), look.px(_LEAST_DECISION), look.px(_LEAST_SIDE)
        spare = max(0, room - first - last - count * side)
        first += min(spare // 3, look.px(_FIELD) - first)
        last += min(spare // 3, look.px(_DECISION) - last)
        left = room - first - last
        for column in range(1, count + 1):
            width = max(side, left // (count + 1 - column))
            left -= width
            self.setColumnWidth(column, width)
        self.setColumnWidth(0, first)
        self.setColumnWidth(count + 1, last)
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        """Scroll sideways to what was chosen in the current row; an open row is shown from its name on."""
        row, letters = self.row, self._fields.letters
        if row is not None:
            place = letters.index(str(row.choice)) if row.choice in letters else len(letters)
            column = 0 if row.choice is None else place + 1
            self.scrollTo(self.currentIndex().siblingAtColumn(column))

    def press(self, key: str) -> None:
        """Do what a letter means for the current row; a backspace opens it again."""
        row = self.row
        if row is None:
            return
        if row.edit is not None:
            answers = {"Y": "accept", "X": "decline", "\b": ""}
            if key in answers:
                self.answered.emit(answers[key])
        elif key == "O":
            self.offer_own()
        elif key in self._fields.letters:
            self.taken.emit(key)
        elif key == "\b":
            self.taken.emit(None)

    def _click(self, index: QModelIndex) -> None:
        row = self._fields.rows[index.row()]
        column = index.column()
        if row.field is None:
            return
        if 0 < column <= len(self._fields.letters):
            self.taken.emit(self._fields.letters[column - 1])
        elif column > len(self._fields.letters):
            self.offer_own()

    def _tell_row(self, current: QModelIndex, before: QModelIndex) -> None:
        for number in {current.row(), before.row()} - {-1}:  # the keys stand in the current row alone
            self.update(self._fields.index(number, len(self._fields.letters) + 1))
        self._keep_in_sight()
        self.row_changed.emit(self.row if current.isValid() else None)
