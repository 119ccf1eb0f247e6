"""Line icons of one set, the bundled font Phosphor, painted in the colours of the theme that is on."""

import json
from functools import cache

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPainterPath, QPixmap, QRawFont

from annotator.resources import resource_path, resource_text
from ui.theme.look import theme
from ui.theme.tokens import Tone

_EM = 64.0


def icon(name: str, *, tone: Tone | None = None) -> QIcon:
    """An icon that follows the theme, also after it was switched.

    Args:
        name: Name in the Phosphor set, e.g. `pencil-simple`.
        tone: Colour; without one it is muted, and accented while active or checked.

    Raises:
        KeyError: The set has no such icon.
    """
    return QIcon(_GlyphEngine(_glyphs()[name], tone))


def paint_icon(painter: QPainter, name: str, rect: QRectF, colour: QColor) -> None:
    """Paint an icon into a square, for widgets that paint themselves."""
    _paint_glyph(painter, _glyphs()[name], rect, colour)


@cache
def _glyphs() -> dict[str, str]:
    chart = json.loads(resource_text("fonts", "phosphor-names.json"))
    return {name: chr(int(code, 16)) for name, code in chart.items()}


@cache
def _path(glyph: str) -> QPainterPath:
    font = QRawFont(str(resource_path("fonts", "Phosphor-Regular.ttf")), _EM)
    path = font.pathForGlyph(font.glyphIndexesForString(glyph)[0])
    # Every glyph of the set is drawn in one em square; centring each by its own box would make them jump.
    return path.translated(-_EM / 2, font.ascent() - _EM / 2)


def _paint_glyph(painter: QPainter, glyph: str, rect: QRectF, colour: QColor) -> None:
    factor = min(rect.width(), rect.height()) / _EM
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.center())
    painter.scale(factor, factor)
    painter.fillPath(_path(glyph), colour)
    painter.restore()


class _GlyphEngine(QIconEngine):
    """Paints one glyph, asking for the colour each time."""

    def __init__(self, glyph: str, tone: Tone | None) -> None:
        super().__init__()
        self._glyph = glyph
        self._tone = tone

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        _paint_glyph(painter, self._glyph, QRectF(rect), self._colour(mode, state))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        image = QPixmap(size)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return image

    def _colour(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        tokens = theme().tokens
        if mode is QIcon.Mode.Disabled:
            return QColor(tokens.faint)
        if self._tone is not None:
            return QColor(tokens.tone(self._tone).text)
        return QColor(tokens.accent if state is QIcon.State.On else tokens.muted)
