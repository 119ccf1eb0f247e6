"""The room the rows of a form stand in: as high as they are up to a limit, then it scrolls."""

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollArea, QSizePolicy, QWidget

from ui.theme import theme

_LEAST = 110
_MARGIN = 16
_ALONE = 640
"""Height of what is in sight around a widget that stands in nothing that scrolls."""


class FormRoom(QScrollArea):
    """Shows rows that may be too many to be seen at once.

    Args:
        rows: What stands in it.
    """

    def __init__(self, rows: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self._most_height = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(rows)
        for widget in (rows, self.viewport()):
            widget.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        rows.installEventFilter(self)

    def limit_height(self, most: int) -> None:
        """Grow no further than so many pixels on screen."""
        if most != self._most_height:
            self._most_height = most
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        width = self.viewport().width()
        height = self._rows.heightForWidth(width) if self._rows.hasHeightForWidth() else -1
        height = height if height >= 0 else self._rows.sizeHint().height()
        return QSize(self.width(), min(height, self._most_height or height))

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()


def room_around(widget: QWidget) -> int:
    """Height of what is in sight around a widget, in pixels on screen."""
    area = _area_around(widget)
    return area.viewport().height() if area is not None else theme().px(_ALONE)


def bring_into_sight(widget: QWidget, place: QRect) -> None:
    """Scroll what a widget stands in as little as it takes to show a place of it."""
    area = _area_around(widget)
    if area is None:
        return
    top, margin = widget.mapTo(area.viewport(), place.topLeft()).y(), theme().px(_MARGIN)
    below = top + place.height() + margin - area.viewport().height()
    bar = area.verticalScrollBar()
    if top < margin:
        bar.setValue(bar.value() + top - margin)
    elif below > 0:
        bar.setValue(bar.value() + below)


def _area_around(widget: QWidget) -> QAbstractScrollArea | None:
    outer = widget.parentWidget()
    while outer is not None:
        area = outer.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is outer:
            return area
        outer = area
    return None


def share_of(room: int, *, taken: int, parts: int = 1) -> int:
    """What each of some parts may take of a room, in pixels on screen; never so little that it is no use.

    Args:
        room: The height there is.
        taken: What else stands in it, in pixels at 100 %.
        parts: How many stand one above the other.
    """
    return max((room - theme().px(taken)) // parts, theme().px(_LEAST))
