"""The looks a line can have, its pen, and its label."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPaintEngine, QPainter, QPen, QStaticText, QTransform

from ui.graph.layout import ROUND_HEIGHT
from ui.graph.paths import EdgePath
from ui.theme import theme
from ui.theme.fonts import sans

_LABELS_FROM = 0.75
"""Zoom from which on every logical edge carries its word."""
_LABEL_HEIGHT = 16.0
_MOST_WORDS = 1024
_THIN = 1.0
"""Pixels on screen up to which Qt paints a curve as fast as straight strokes."""

Sides = tuple[float, float, float, float]
"""Left, top, right and bottom of a label; with Qt's rectangles looking for room would take thrice as long."""


@dataclass(frozen=True)
class EdgeLook:
    """How a line is drawn: a colour of the tokens, a width, a dash pattern in pen widths, a label.

    A label that is told by the dashes too is left out of a small drawing.
    """

    colour: str = "muted"
    width: float = 1.6
    dashes: tuple[float, ...] = ()
    label: str = ""
    tip: str = ""
    is_told_by_dashes: bool = False

    @cached_property
    def line(self) -> "EdgeLook":
        """The same line without words; one and the same object for all looks alike in this."""
        return _unlabelled(self)


PARAMETER = EdgeLook(tip="a value flows")
LOGICAL = EdgeLook("muted", 1.6, (3.6, 2.6), "logical", "order only", is_told_by_dashes=True)
DERIVED = EdgeLook("faint", 1.1, tip="the answer follows every last step")
SUGGESTED = EdgeLook("accent", 1.6, (1.0, 2.2), "+", "suggested; click to accept")
REFUSED = EdgeLook("error", 2.4, (1.6, 1.6))
HALO = EdgeLook("selection", 8.0)
"""Below a selected line."""
REDUNDANT_DASHES = (6.0, 2.4, 1.0, 2.4)
BOTH = EdgeLook("muted", 1.8)
ONLY_FIRST = EdgeLook("accent", 2.0, (3.0, 2.0))
ONLY_SECOND = EdgeLook("observation", 2.0, (5.0, 2.0, 1.0, 2.0))
OVERLAY_COLOURS = (ONLY_FIRST.colour, ONLY_SECOND.colour)
"""Of the two drawings of an overlay, where they have none of their own."""


@lru_cache(maxsize=1024)
def _unlabelled(look: EdgeLook) -> EdgeLook:
    return replace(look, label="", tip="", is_told_by_dashes=False)


def line_pen(look: EdgeLook, *, colour: str = "", extra: float = 0.0) -> QPen:
    """The pen of a line.

    Args:
        look: Its look.
        colour: A colour of the tokens in place of the look's own.
        extra: Pixels it is thicker than usual; the dashes stay as long as they are.
    """
    pen = QPen(theme().colour(colour or look.colour), look.width + extra)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if look.dashes:
        pen.setDashPattern([dash * look.width / pen.widthF() for dash in look.dashes])
    return pen


def is_file(painter: QPainter) -> bool:
    """Whether a painter writes shapes to a file instead of points to a screen or a picture."""
    return painter.paintEngine().type() is not QPaintEngine.Type.Raster


def stroke_lines(painter: QPainter, paths: Iterable[EdgePath], look: EdgeLook, pen: QPen) -> None:
    """Paint lines without their heads.

    Args:
        painter: Paints at its zoom.
        paths: Their courses.
        look: What they all look like; gives the lengths of the dashes.
        pen: Colour and width, as of `line_pen`.
    """
    if is_file(painter) or look.width * painter.worldTransform().m11() <= _THIN:
        for path in paths:
            painter.strokePath(path.line, pen)
        return
    plain = QPen(pen)
    plain.setStyle(Qt.PenStyle.SolidLine)
    dashes = tuple(dash * look.width for dash in look.dashes)
    for path in paths:
        painter.strokePath(path.strokes(dashes), plain)


def is_small(painter: QPainter) -> bool:
    """Whether a painter's zoom is one at which a drawing is calmer with few words."""
    return painter.worldTransform().m11() < _LABELS_FROM * theme().scale


def shows_label(look: EdgeLook, *, is_small: bool) -> bool:
    """Whether a line carries its label; the dashes say the same as some labels."""
    return bool(look.label) and not (is_small and look.is_told_by_dashes)


def label_sides(label: str, centre: QPointF) -> Sides:
    """The room a label takes."""
    half, x, y = _label_width(label) / 2, centre.x(), centre.y()
    return x - half, y - _LABEL_HEIGHT / 2, x + half, y + _LABEL_HEIGHT / 2


def label_colour(look: EdgeLook) -> QColor:
    """The colour of a label nobody points at."""
    return theme().colour("muted" if look.colour == "faint" else look.colour)


class LabelWriter:
    """Writes labels on the ground of the canvas, so that no line runs through them.

    It keeps how words are set: setting them takes longer than painting them.
    """

    def __init__(self) -> None:
        self._words: dict[str, QStaticText] = {}

    def write(self, painter: QPainter, labels: Iterable[tuple[str, QRectF, QColor]]) -> None:
        """Write words within rectangles, each in a colour."""
        painter.setBrush(theme().colour("bg"))
        painter.setFont(sans(11))
        for label, rect, colour in labels:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(rect, 4, 4)
            painter.setPen(colour)
            words = self._words.get(label) or self._set(label)
            size = words.size()
            corner = QPointF(rect.width() - size.width(), rect.height() - size.height()) / 2
            painter.drawStaticText(rect.topLeft() + corner, words)

    def _set(self, label: str) -> QStaticText:
        words = QStaticText(label)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.prepare(QTransform(), sans(11))
        if len(self._words) >= _MOST_WORDS:
            self._words.clear()
        self._words[label] = words
        return words


class LabelRoom:
    """Which places of a drawing labels have taken, told apart by height to be quick."""

    def __init__(self) -> None:
        self._taken: dict[int, dict[object, Sides]] = {}
        self._bands: dict[object, int] = {}

    def is_free(self, place: Sides) -> bool:
        """Whether no label stands at a place; their margins may touch."""
        left, top, right, bottom = place
        return not any(
            left < other[2] and right > other[0] and top + 4 < other[3] and bottom - 4 > other[1]
            for other in self._taken.get(_band(place), {}).values()
        )

    def take(self, line: object, place: Sides) -> None:
        """Note that the label of a line stands at a place."""
        self._bands[line] = _band(place)
        self._taken.setdefault(_band(place), {})[line] = place

    def leave(self, line: object) -> None:
        """Note that a line has no label, or none that has found its place."""
        if line in self._bands:
            del self._taken[self._bands.pop(line)][line]


def _band(place: Sides) -> int:
    return round(place[1] / ROUND_HEIGHT)


@lru_cache(maxsize=1024)
def _label_width(label: str) -> float:
    return QFontMetricsF(sans(11)).horizontalAdvance(label) + 8
