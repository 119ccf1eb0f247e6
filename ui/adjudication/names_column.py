"""The names of the fields, which stay in place while what was said about them is scrolled sideways."""

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QHeaderView, QTableView

from ui.adjudication.title_delegate import TitleDelegate
from ui.theme import theme


class NamesColumn(QTableView):
    """Lies over the first column of a table as soon as that is scrolled away, and follows it in all else.

    Args:
        table: The table; its model and selection are shared.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self.setObjectName("fields-names")
        self.setAccessibleName("Names of the fields")
        self._table = table
        self.setModel(table.model())
        own = self.selectionModel()
        self.setSelectionModel(table.selectionModel())
        own.deleteLater()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAutoScroll(False)
        self.setShowGrid(table.showGrid())
        self.setWordWrap(table.wordWrap())
        self.setSelectionBehavior(table.selectionBehavior())
        self.setSelectionMode(table.selectionMode())
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(table.verticalScrollMode())
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setDefaultAlignment(table.horizontalHeader().defaultAlignment())
        self.setItemDelegateForColumn(0, TitleDelegate(self))
        table.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.verticalScrollBar().valueChanged.connect(table.verticalScrollBar().setValue)
        table.horizontalScrollBar().valueChanged.connect(self.follow)
        table.horizontalHeader().sectionResized.connect(self.follow)
        table.viewport().installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self.follow()
        return super().eventFilter(watched, event)

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
        painter = QPainter(self.viewport())
        painter.setPen(theme().colour("line_strong"))
        painter.drawLine(self.viewport().rect().topRight(), self.viewport().rect().bottomRight())
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The table scrolls, and this with it.
        QApplication.sendEvent(self._table.viewport(), event)
