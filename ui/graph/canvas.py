"""The paper a graph is drawn on: zoom, round lines, minimap and a note at the bottom."""

from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QResizeEvent, QTransform, QWheelEvent
from PySide6.QtWidgets import QGraphicsView, QLabel, QWidget

from ui.graph.minimap import Minimap
from ui.graph.scene import GraphScene
from ui.theme import Tone, theme
from ui.theme.fonts import sans
from ui.theme.labels import restyle

ZOOM_LIMITS = (0.25, 3.0)
_FIT_LIMITS = (0.55, 1.0)
_STEP = 1.15
_MARGIN = 20
_GAP = 12
MINIMAP_FROM = 26
"""Steps from which on the minimap is shown where the window cannot hold the drawing."""


class Canvas(QGraphicsView):
    """Shows a scene; the zoom follows the window until the user zooms."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.board = GraphScene(self)
        self.setScene(self.board)
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        # The style would draw a frame where the two scroll bars meet.
        self.setCornerWidget(QWidget())
        self._zoom = 1.0
        self._is_fitted = True
        self._rounds_shown = 0
        self._scale = theme().scale
        self._note = QLabel(self.viewport())
        self._note.setObjectName("graph-note")
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._note.setProperty("note", Tone.NEUTRAL.value)
        self._note.hide()
        self._minimap = Minimap(self.viewport())
        self._minimap.looked_at.connect(self._look_at)
        self._minimap.hide()
        self.board.sceneRectChanged.connect(self._give_room)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._tell_minimap)

    @property
    def zoom(self) -> float:
        """Zoom factor, 1 at 100 %."""
        return self._zoom

    @property
    def note(self) -> str:
        """What the note at the bottom says; empty where there is none."""
        return "" if self._note.isHidden() else self._note.text()

    def set_zoom(self, factor: float) -> None:
        """Zoom to a factor and stay there, within 25 and 300 %."""
        self._is_fitted = False
        self._apply_zoom(min(max(factor, ZOOM_LIMITS[0]), ZOOM_LIMITS[1]))

    def zoom_in(self) -> None:
        """Zoom one step in."""
        self.set_zoom(self._zoom * _STEP)

    def zoom_out(self) -> None:
        """Zoom one step out."""
        self.set_zoom(self._zoom / _STEP)

    def fit(self) -> None:
        """Show the whole drawing, or its upper middle where that would be too small to read."""
        self._is_fitted = True
        self._fit_now()

    def say(self, text: str, tone: Tone = Tone.NEUTRAL) -> None:
        """Show a note at the bottom; an empty text takes it away."""
        self._note.setText(text)
        restyle(self._note, "note", tone.value)
        self._note.setVisible(bool(text))
        self._place_overlays()

    def keep_something_in_sight(self) -> None:
        """Go to the first step where none is in the window, e.g. after an edit that moved them all."""
        steps = self.board.steps
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        if steps and not any(item.sceneBoundingRect().intersects(seen) for item in steps.values()):
            self.ensureVisible(steps[min(steps)], theme().px(64), theme().px(16))  # right of the names

    def bring_in_sight(self, step: int) -> None:
        """Scroll as little as it takes to show a step, clear of the minimap."""
        item = self.board.steps[step]
        self.ensureVisible(item, 16, 16)
        card = self.mapFromScene(item.sceneBoundingRect()).boundingRect()
        corner = self._minimap.geometry()
        if not self._minimap.isHidden() and card.intersects(corner):
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + card.bottom() + 1 - corner.top())

    def refresh(self) -> None:
        """Take note that the scene shows something else."""
        if self.board.is_anew or self.board.layout.round_count != self._rounds_shown:
            self.viewport().update()
        self._rounds_shown = self.board.layout.round_count
        if self._is_fitted and self.board.is_anew:
            self._fit_now()
        elif self._is_fitted and self._fitting_zoom() < self._zoom:
            self._apply_zoom(self._fitting_zoom())
        self._give_room()
        self._place_overlays()
        self._tell_minimap()

    def point_of(self, step: int) -> QPoint:
        """Where the middle of a step's card is, in viewport coordinates."""
        return self.mapFromScene(self.board.steps[step].sceneBoundingRect().center())

    def handle_of(self, step: int) -> QPoint:
        """Where the grip below a step's card is, in viewport coordinates."""
        item = self.board.steps[step]
        return self.mapFromScene(item.mapToScene(item.handle_rect().center()))

    def edge_point(self, pair: tuple[int, int]) -> QPoint:
        """A point on an edge or a suggestion, in viewport coordinates."""
        item = self.board.edges.get(pair) or self.board.ghosts[pair]
        return self.mapFromScene(item.middle)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self._zoom * _STEP ** (event.angleDelta().y() / 120))
            event.accept()
            return
        super().wheelEvent(event)

    def scrollContentsBy(self, across: int, down: int) -> None:
        super().scrollContentsBy(across, down)
        # Qt moves what lies on the drawing along; it stays in its corner.
        self._place_overlays()
        # The names of the rounds stay at the left edge, so what was painted may not be moved as pixels.
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_fitted:
            self._fit_now()
        self._give_room()
        self._place_overlays()
        self._tell_minimap()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is not QEvent.Type.StyleChange:
            return
        self.board.repaint()
        if theme().scale != self._scale:
            self._scale = theme().scale
            self._apply_zoom(self._zoom)

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        look = theme()
        painter.fillRect(rect, look.colour("bg"))
        left = self.mapToScene(QPoint(0, 0)).x() + _MARGIN
        pen = QPen(look.colour("line_strong"), 1)
        pen.setDashPattern([2, 5])
        painter.setPen(pen)
        layout = self.board.layout
        heights = [layout.line_below(number) for number in range(layout.round_count)]
        painter.drawLines([QLineF(left, height, rect.right() - _MARGIN, height) for height in heights])

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        # Above cards and lines: of a wide drawing they would run through the names.
        look = theme()
        left = self.mapToScene(QPoint(0, 0)).x() + _MARGIN
        layout = self.board.layout
        names = []
        for number in range(layout.round_count):
            name = f"round {number + 1}"
            ground = QRectF(left - 6, layout.line_below(number) - 60, 10 + 6.2 * len(name), 20)
            if ground.intersects(rect):
                names.append((name, ground))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("bg"))
        for _, ground in names:
            painter.drawRoundedRect(ground, 4, 4)
        painter.setFont(sans(11))
        painter.setPen(look.colour("muted"))
        for name, ground in names:
            painter.drawText(QPointF(left, ground.top() + 14), name)

    def _apply_zoom(self, factor: float) -> None:
        self._zoom = factor
        whole = factor * theme().scale
        self.setTransform(QTransform.fromScale(whole, whole))
        self._give_room()
        self._tell_minimap()

    def _fit_now(self) -> None:
        area = self.board.sceneRect()
        if not area.isEmpty():
            self._apply_zoom(self._fitting_zoom())
            self.centerOn(area.center().x(), 0)
            self.keep_something_in_sight()

    def _fitting_zoom(self) -> float:
        area, room = self.board.sceneRect(), self.viewport().size()
        factor = min(room.width() / area.width(), room.height() / area.height()) / theme().scale
        return min(max(factor, _FIT_LIMITS[0]), _FIT_LIMITS[1])

    def _look_at(self, point: QPointF) -> None:
        self.centerOn(point)

    def _tell_minimap(self) -> None:
        if not self._minimap.isHidden():
            seen = self.mapToScene(self.viewport().rect()).boundingRect()
            self._minimap.show_drawing(self.board.layout, self.board.sceneRect(), seen)

    def _give_room(self) -> None:
        """Show the minimap where it is of use, with paper below the drawing to scroll any card clear."""
        area, corner = self.board.sceneRect(), self._minimap.size()
        factor = self.transform().m11()
        room = self.maximumViewportSize()
        is_cut = area.width() * factor > room.width() or area.height() * factor > room.height()
        is_large = room.width() >= 2 * corner.width() and room.height() >= 3 * corner.height()
        is_shown = len(self.board.steps) >= MINIMAP_FROM and is_cut and is_large
        self._minimap.setVisible(is_shown)
        more = (corner.height() + theme().px(_GAP)) / factor if is_shown else 0
        self.setSceneRect(area.adjusted(0, 0, 0, more))

    def _place_overlays(self) -> None:
        room, gap = self.viewport().rect(), theme().px(_GAP)
        corner = room.bottomRight() - QPoint(self._minimap.width() + gap, self._minimap.height() + gap)
        self._minimap.move(corner)
        words = self._note.fontMetrics().horizontalAdvance(self._note.text()) + theme().px(28)
        width = min(words, max(room.width() - 2 * gap, 40))
        self._note.resize(width, self._note.heightForWidth(width))
        left = (room.width() - self._note.width()) // 2
        self._note.move(left, room.height() - self._note.height() - gap)
        self._note.raise_()
