"""The looks a line can have, its pen, and its label."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ui.graph.layout import ROUND_HEIGHT
from ui.theme import theme
from ui.theme.fonts import sans

_LABELS_FROM = 0.75
"""Zoom from which on every logical edge carries its word."""
_LABEL_HEIGHT = 16.0

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
        extra: Pixels it is thicker than usual.
    """
    pen = QPen(theme().colour(colour or look.colour), look.width + extra)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if look.dashes:
        pen.setDashPattern(list(look.dashes))
    return pen


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


def paint_label(painter: QPainter, rect: QRectF, label: str, colour: QColor) -> None:
    """Write a label on the ground of the canvas, so that no line runs through it."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().colour("bg"))
    painter.drawRoundedRect(rect, 4, 4)
    painter.setFont(sans(11))
    painter.setPen(colour)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)


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
