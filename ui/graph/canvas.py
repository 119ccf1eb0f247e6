"""The paper a graph is drawn on: zoom, round lines and a note at the bottom."""

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QResizeEvent, QTransform, QWheelEvent
from PySide6.QtWidgets import QGraphicsView, QLabel, QWidget

from scoring.texts import tr
from ui.graph.layout import ROUND_HEIGHT
from ui.graph.minimap import Minimap
from ui.graph.scene import GraphScene
from ui.theme import Tone, theme
from ui.theme.labels import restyle
from ui.theme.layouts import build
from ui.theme.look import follow_theme, paint_box, paint_with, sans

_ZOOM_LIMITS = (0.25, 3.0)
_FIT_LIMITS = (0.55, 1.0)
"""How far a drawing is made smaller to fit, as long as its words (11 pixels at 100 %) stay readable."""
_STEP = 1.15
_MARGIN = 20


class Canvas(QGraphicsView):
    """Shows a scene; the zoom follows the window until the user zooms."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(
            super().__init__,
            parent,
            **properties,
            alignment=Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop,
            transformationAnchor=QGraphicsView.ViewportAnchor.AnchorUnderMouse,
            # The names of the rounds stay at the left edge: what was painted may not be moved as pixels.
            viewportUpdateMode=QGraphicsView.ViewportUpdateMode.FullViewportUpdate,
        )
        self.board = GraphScene(self)
        self.setScene(self.board)
        # The style would draw a frame where the two scroll bars meet.
        self.setCornerWidget(QWidget())
        self.zoom = 1.0
        """Zoom factor, 1 at 100 %."""
        self._is_fitted = True
        self._note = build(
            QLabel,
            self.viewport(),
            objectName="graph-note",
            textFormat=Qt.TextFormat.PlainText,
            wordWrap=True,
            visible=False,
        )
        self._map = Minimap(self, self.board)
        follow_theme(self._rescale)

    @property
    def note(self) -> str:
        """What the note at the bottom says; empty where there is none."""
        return "" if self._note.isHidden() else self._note.text()

    def set_zoom(self, factor: float) -> None:
        """Zoom to a factor and stay there, within 25 and 300 %."""
        self._is_fitted = False
        self._apply_zoom(min(max(factor, _ZOOM_LIMITS[0]), _ZOOM_LIMITS[1]))

    def zoom_in(self) -> None:
        """Zoom one step in."""
        self.set_zoom(self.zoom * _STEP)

    def zoom_out(self) -> None:
        """Zoom one step out."""
        self.set_zoom(self.zoom / _STEP)

    def fit(self) -> None:
        """Show the whole drawing, or its first steps where that would be too small to read."""
        self._is_fitted = True
        self._fit_now()

    def show_whole(self) -> None:
        """Show the whole drawing however small its words become; once it is, fit it as before."""
        whole = max(self._whole_zoom(), _ZOOM_LIMITS[0])
        if whole < min(self.zoom, self._fitting_zoom()):
            self.set_zoom(whole)
            self.centerOn(self.board.sceneRect().center())
        else:
            self.fit()

    def say(self, text: str, tone: Tone = Tone.NEUTRAL) -> None:
        """Show a note at the bottom; an empty text takes it away."""
        self._note.setText(text)
        restyle(self._note, "note", tone.value)
        self._note.setVisible(bool(text))
        self._place_note()

    def keep_in_sight(self, step: int | None = None) -> None:
        """Scroll to a step and all cards that have room beside it, else to the first where none is seen."""
        steps = self.board.steps
        if step is not None:
            self.ensureVisible(steps[step], 16, 16)
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        cards = self.board.cards_rect()
        if cards.width() <= seen.width() and cards.height() <= seen.height():
            self.ensureVisible(cards, 0, 0)
        elif not any(item.sceneBoundingRect().intersects(seen) for item in steps.values()):
            self.ensureVisible(steps[min(steps)], theme().px(16), theme().px(16))

    def refresh(self) -> None:
        """Fit the zoom to what the scene shows now."""
        if self._is_fitted and self.board.is_anew:
            self._fit_now()
        elif self._is_fitted and self._fitting_zoom() < self.zoom:
            self._apply_zoom(self._fitting_zoom())
        self.keep_in_sight()
        self._map.follow()
        self.viewport().update()

    def round_names(self) -> Iterator[tuple[str, QRectF]]:
        """The names of the rounds in sight and where they stand: at an edge, between dotted line and cards.

        That is the left one, or the right one where a line or the mark of a card stands at the left; a
        name that would hide one at both is left out.
        """
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        layout = self.board.layout
        marks = [item.mapRectToScene(item.mark_rect) for item in self.board.steps.values() if item.mark]
        for number in range(layout.round_count):
            name = tr("round {number}", number=number + 1)
            top, width = layout.line_below(number) - ROUND_HEIGHT + 4, 10 + 6.2 * len(name)
            edges = (seen.left() + _MARGIN - 6, seen.right() - _MARGIN + 6 - width)
            for place in (QRectF(left, top, width, 18) for left in edges):
                if not seen.intersects(place):
                    break
                if not any(map(place.intersects, marks)) and not self.board.items(place):
                    yield (name, place)
                    break

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self.zoom * _STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def scrollContentsBy(self, across: int, down: int) -> None:
        super().scrollContentsBy(across, down)
        # Qt moves what lies on the drawing along; it stays where it was.
        self._place_note()
        self._map.follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_fitted:
            self._fit_now()
        self._place_note()
        self._map.follow()

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        painter.fillRect(rect, theme().colour("bg"))
        if not self.board.has_rounds:
            return
        pen = QPen(theme().colour("line_strong"), 1)
        pen.setDashPattern([2, 5])
        painter.setPen(pen)
        left = self.mapToScene(QPoint(0, 0)).x() + _MARGIN
        heights = map(self.board.layout.line_below, range(self.board.layout.round_count))
        painter.drawLines([QLineF(left, height, rect.right() - _MARGIN, height) for height in heights])

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        super().drawForeground(painter, rect)
        # Above cards and lines: of a wide drawing they would run through the names.
        if not self.board.has_rounds:
            return
        paint_with(painter, font=sans(11), brush=theme().colour("bg"))
        for name, ground in self.round_names():
            if ground.intersects(rect):
                paint_box(painter, ground, 4, pen=Qt.PenStyle.NoPen)
                painter.setPen(theme().colour("muted"))
                painter.drawText(ground.topLeft() + QPointF(6, 13), name)

    def _apply_zoom(self, factor: float) -> None:
        self.zoom = factor
        self._rescale()

    def _rescale(self) -> None:
        whole = self.zoom * theme().scale
        self.setTransform(QTransform.fromScale(whole, whole))
        self._map.follow()

    def _fit_now(self) -> None:
        area = self.board.sceneRect()
        if not area.isEmpty():
            self._apply_zoom(self._fitting_zoom())
            # Of a drawing that is too wide the first steps are shown.
            half = self.mapToScene(self.viewport().rect()).boundingRect().width() / 2
            self.centerOn(min(area.center().x(), area.left() + half), 0)
            self.keep_in_sight()

    def _whole_zoom(self) -> float:
        area, room = self.board.sceneRect(), self.viewport().size()
        return min(room.width() / area.width(), room.height() / area.height()) / theme().scale

    def _fitting_zoom(self) -> float:
        least, most = _FIT_LIMITS
        return min(max(self._whole_zoom(), least, 1 / theme().scale), most)

    def _place_note(self) -> None:
        room, gap = self.viewport().rect(), theme().px(12)
        words = self._note.fontMetrics().horizontalAdvance(self._note.text()) + theme().px(28)
        width = min(words, max(room.width() - 2 * gap, 40))
        self._note.resize(width, self._note.heightForWidth(width))
        self._note.move((room.width() - width) // 2, room.height() - self._note.height() - gap)
