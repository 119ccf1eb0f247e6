"""A small picture of a whole drawing in the corner of its canvas, with the part that is in sight."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QGraphicsView, QWidget

from scoring.texts import tr
from ui.graph.scene import MAP_STEPS, GraphScene
from ui.theme import theme
from ui.theme.layouts import build
from ui.theme.look import paint_box, paint_with

_LEAST, _MOST = 36, 84
"""Lengths of its sides, in pixels at 100 %."""
_GAP = 10


class Minimap(QWidget):
    """Shows where one is in a large drawing that is not wholly in sight; a click or a drag goes elsewhere."""

    def __init__(self, view: QGraphicsView, board: GraphScene) -> None:
        build(
            super().__init__,
            view.viewport(),
            objectName="graph-minimap",
            accessibleName=tr("Overview of the drawing"),
            toolTip=tr("Click or drag to go there; F shows the whole drawing"),
            visible=False,
        )
        self._view, self._board = view, board

    def follow(self) -> None:
        """Show what is in sight now, in the corner; nothing where all of it is."""
        paper, room = self._board.sceneRect(), self._view.viewport()
        is_large = len(self._board.steps) >= MAP_STEPS
        self.setVisible(is_large and not self._seen().contains(self._board.cards_rect()))
        least, most, gap = map(theme().px, (_LEAST, _MOST, _GAP))
        factor = most / max(paper.width(), paper.height(), 1)
        self.resize(*(max(least, round(side * factor)) for side in (paper.width(), paper.height())))
        self.move(room.width() - self.width() - gap, room.height() - self.height() - gap)
        self.update()

    def _seen(self) -> QRectF:
        return self._view.mapToScene(self._view.viewport().rect()).boundingRect()

    def _scaled(self) -> QTransform:
        """From the drawing to its picture."""
        paper = self._board.sceneRect()
        scaled = QTransform.fromScale(self.width() / paper.width(), self.height() / paper.height())
        return scaled.translate(-paper.left(), -paper.top())

    def paintEvent(self, event: QPaintEvent) -> None:
        colour, frame = theme().colour, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter = paint_with(QPainter(self), pen=QPen(colour("line_strong"), 1), brush=colour("surface"))
        painter.drawRoundedRect(frame, 4, 4)
        for item in self._board.steps.values():
            card = self._scaled().mapRect(item.mapRectToScene(item.rect()))
            painter.fillRect(card, colour("accent" if item.is_current else "faint"))
        seen = self._scaled().mapRect(self._seen()).intersected(frame)
        paint_box(painter, seen, pen=QPen(colour("accent"), 1), brush=Qt.BrushStyle.NoBrush)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        there, _ = self._scaled().inverted()
        self._view.centerOn(there.map(QPointF(event.position())))

    mouseMoveEvent = mousePressEvent
