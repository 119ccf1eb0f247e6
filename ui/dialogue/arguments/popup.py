"""The list under a cursor with what can be written there; the keys stay with the field."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from ui.dialogue.arguments.completions import Offer
from ui.theme import theme
from ui.theme.words import plain_tip, visible

_MOST_ROWS = 9
_LONGEST = 44
_KEY = Qt.Key
_STEPS = {_KEY.Key_Up: -1, _KEY.Key_Down: 1, _KEY.Key_PageUp: -_MOST_ROWS, _KEY.Key_PageDown: _MOST_ROWS}
_ENTER = (_KEY.Key_Return, _KEY.Key_Enter)


class CompletionPopup(QTreeWidget):
    """Shows offers in two columns: what would be written, and where it comes from.

    `accepted` carries the `Offer`.

    Args:
        owner: The field it helps; it stands in the owner's window, above everything else there.
    """

    accepted = Signal(object)

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._offers: tuple[Offer, ...] = ()
        self.setObjectName("completions")
        self.setAccessibleName("Completions")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.clicked.connect(self._click)
        owner.destroyed.connect(self.deleteLater)  # it is moved into the window, which lives on
        self.hide()

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What is offered; nothing while it is closed."""
        return self._offers if self.isVisible() else ()

    @property
    def current(self) -> Offer | None:
        """What would be written."""
        at = self.currentIndex().row()
        return self._offers[at] if self.isVisible() and 0 <= at < len(self._offers) else None

    def show_offers(
        self, offers: Sequence[Offer], place: QPoint, *, line_height: int, is_asked: bool
    ) -> None:
        """Show offers under a line, or above it where there is no room below; nothing to offer closes it.

        Args:
            offers: What can be written.
            place: Lower left corner of what is typed, in the owner's coordinates.
            line_height: Height of the line, in pixels on screen.
            is_asked: Whether Return takes the first offer; a list that opened by itself leaves Return
                alone until somebody moves in it, since what is typed may be finished.
        """
        self._offers = tuple(offers)
        if not offers:
            self.hide()
            return
        self.clear()
        for offer in offers:
            item = QTreeWidgetItem([visible(offer.text[:200]), visible(offer.note[:200])])
            item.setToolTip(0, plain_tip(offer.text))
            item.setToolTip(1, plain_tip(offer.note))
            item.setFont(0, theme().mono(12))
            item.setFont(1, theme().sans(12))
            item.setForeground(1, theme().colour("muted"))
            self.addTopLevelItem(item)
        if is_asked:
            self._choose(0)
        self._place(place, line_height)
        self.show()
        self.raise_()

    def take_key(self, event: QKeyEvent) -> bool:
        """Do what a key of the field means for the list; whether it was for the list."""
        key = Qt.Key(event.key())
        if not self.isVisible() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _STEPS:
            row = min(max(self.currentIndex().row() + _STEPS[key], 0), len(self._offers) - 1)  # -1: none yet
            self._choose(row)
            self._owner.setAccessibleDescription(self._offers[row].text)
        elif key is _KEY.Key_Tab:
            self._accept(self.current or self._offers[0])
        elif key in _ENTER and self.current is not None:
            self._accept(self.current)
        elif key is _KEY.Key_Escape:
            self.hide()
        else:
            return False
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setPen(theme().colour("line_strong"))
        painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _choose(self, row: int) -> None:
        self.setCurrentIndex(self.model().index(row, 0))

    def _click(self, index: QModelIndex) -> None:
        self._accept(self._offers[index.row()])

    def _accept(self, offer: Offer) -> None:
        self.hide()
        self.accepted.emit(offer)

    def _place(self, place: QPoint, line_height: int) -> None:
        look, window = theme(), self._owner.window()
        metrics = QFontMetrics(look.mono(12))
        longest = max(min(len(offer.text), _LONGEST) for offer in self._offers)
        first = longest * metrics.horizontalAdvance("0") + look.px(28)
        self.setColumnWidth(0, first)
        rows = min(len(self._offers), _MOST_ROWS)
        height = rows * max(self.sizeHintForRow(0), look.px(20)) + look.px(4)
        size = QSize(min(first + look.px(220), window.width() - look.px(16)), height)
        if self.parentWidget() is not window:
            self.setParent(window)
        corner = self._owner.mapTo(window, place)
        if corner.y() + height > window.height() and corner.y() - line_height - height >= 0:
            corner.setY(corner.y() - line_height - height)
        corner.setX(max(min(corner.x(), window.width() - size.width() - look.px(8)), 0))
        self.setGeometry(corner.x(), corner.y(), size.width(), size.height())
