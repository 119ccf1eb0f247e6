"""The look that is on: fonts, icons, the stylesheet, and putting it on the application."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from string import Template
from typing import Any

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QIcon,
    QIconEngine,
    QPainter,
    QPainterPath,
    QPainterStateGuard,
    QPalette,
    QPen,
    QPixmap,
    QRawFont,
)
from PySide6.QtWidgets import QApplication, QLayout, QToolTip, QWidget

from annotator.resources import resource_path, resource_text
from ui.theme.tokens import BASE, DARK, LIGHT, SIDES, Pair, Tokens, Tone, mix, side_colour

_PROPERTY = "annotator_theme"
_SCALED = "annotator_scaled"
_LIMITS = (1.0, 2.0)


class Density(StrEnum):
    """How much air there is between rows."""

    COMPACT = "compact"
    COMFORTABLE = "comfortable"


@dataclass(frozen=True)
class Theme:
    """The look that is on: colours, scale and density.

    `scale` is 1 to 2; sizes given in pixels at 100 % go through `px`.
    """

    tokens: Tokens = LIGHT
    scale: float = 1.0
    density: Density = Density.COMFORTABLE

    def px(self, pixels: float) -> int:
        """A length in pixels at 100 % as pixels on screen."""
        return round(pixels * self.scale)

    def colour(self, name: str) -> QColor:
        """A named colour of the tokens."""
        return QColor(getattr(self.tokens, name))

    def sans(self, pixels: float = BASE, *, is_strong: bool = False) -> QFont:
        """The text font at a size given in pixels at 100 %."""
        return sans(pixels * self.scale, is_strong=is_strong)

    def mono(self, pixels: float = 12, *, is_strong: bool = False) -> QFont:
        """The code font at a size given in pixels at 100 %."""
        return mono(pixels * self.scale, is_strong=is_strong)

    @property
    def gap(self) -> int:
        """Space between cards, in pixels on screen."""
        return self.px(8 if self.density is Density.COMFORTABLE else 4)

    @property
    def row_padding(self) -> int:
        """Space above and below a row of a list, in pixels at 100 %."""
        return 6 if self.density is Density.COMFORTABLE else 3

    @property
    def row_height(self) -> int:
        """Height of a row of a table, in pixels on screen."""
        return self.px(32 if self.density is Density.COMFORTABLE else 26)


def application() -> QApplication:
    """The running application."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


def theme() -> Theme:
    """The theme that is on; the light one at 100 % before any was applied."""
    app = QApplication.instance()
    found = app.property(_PROPERTY) if app is not None else None
    return found if isinstance(found, Theme) else Theme()


def apply_theme(
    app: QApplication,
    *,
    dark: bool,
    scale: float = 1.0,
    density: Density = Density.COMFORTABLE,
) -> Theme:
    """Put a theme on, where it is not on yet; may be called again at any time, open windows follow.

    Args:
        app: The running application.
        dark: Dark instead of light.
        scale: Size of everything, 1 to 2; values beyond are brought back to the nearer end.
        density: Air between rows.

    Returns:
        The theme that is on now.
    """
    tokens = DARK if dark else LIGHT
    chosen = Theme(tokens=tokens, scale=min(max(scale, _LIMITS[0]), _LIMITS[1]), density=density)
    present = app.property(_PROPERTY)
    if present == chosen:
        return chosen
    if not isinstance(present, Theme):
        load_fonts()
        app.setStyle("Fusion")
    app.setProperty(_PROPERTY, chosen)
    app.setPalette(_palette(tokens))
    app.setFont(chosen.sans())
    QToolTip.setFont(chosen.sans(12))
    for window in app.topLevelWidgets():
        dress(window)
        for thing in (window, *window.findChildren(QWidget), *window.findChildren(QLayout)):
            _rescale(thing)
    _switch().switched.emit()
    return chosen


def dress(window: QWidget) -> None:
    """Give the style sheet to a window that has none above it; what is in it or opens above it takes it over.

    Were it the application's, Qt would look again at all that is in a widget whenever that gets a parent: a
    page that is put together from the inside is made six times slower.
    """
    look = application().property(_PROPERTY)
    if isinstance(look, Theme) and window.parentWidget() is None:
        # Qt puts a style sheet in place of another five times slower than in place of none.
        window.setStyleSheet("")
        window.setStyleSheet(stylesheet(look.tokens, scale=look.scale, row_padding=look.row_padding))


def scaled(thing: QObject, **lengths: float | Sequence[float]) -> None:
    """Call setters with lengths in pixels at 100 %, now and after every change of the scale.

    Args:
        thing: A widget or a layout.
        lengths: By setter, e.g. `setFixedWidth=520` or `setContentsMargins=(12, 8, 12, 8)`.
    """
    thing.setProperty(_SCALED, {**(thing.property(_SCALED) or {}), **lengths})
    _rescale(thing)


def _rescale(thing: QObject) -> None:
    for setter, lengths in (thing.property(_SCALED) or {}).items():
        sides = lengths if isinstance(lengths, Sequence) else (lengths,)
        getattr(thing, setter)(*map(theme().px, sides))


class _Switch(QObject):
    """Says that another theme is on."""

    switched = Signal()


def follow_theme(fit: Callable[[], object]) -> None:
    """Call a method of a widget now, and again whenever another theme is on, until the widget is gone."""
    fit()
    _switch().switched.connect(fit)


def _switch() -> _Switch:
    app = application()
    return app.findChild(_Switch) or _Switch(app)


def _palette(tokens: Tokens) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in {
        role.Window: tokens.bg,
        role.WindowText: tokens.text,
        role.Base: tokens.surface,
        role.AlternateBase: tokens.raised,
        role.Text: tokens.text,
        role.Button: tokens.surface,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.on_accent,
        role.ToolTipBase: tokens.raised,
        role.ToolTipText: tokens.text,
        role.PlaceholderText: tokens.faint,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.Accent: tokens.accent,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.user,
        role.Light: tokens.raised,
        role.Midlight: tokens.line,
        role.Mid: tokens.line_strong,
        role.Dark: tokens.line_strong,
        role.Shadow: tokens.line_strong,
    }.items():
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(tokens.faint))
    return palette


SANS = "Inter"
MONO = "JetBrains Mono"
CHINESE = ("Noto Sans CJK SC", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei", "WenQuanYi Micro Hei")
"""Fonts for what the bundled ones lack, the first that is there; a bundled one would weigh 8 MB and more."""
_FILES = (
    "Inter-Regular.otf",
    "Inter-Italic.otf",
    "Inter-SemiBold.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-SemiBold.ttf",
)


def load_fonts() -> None:
    """Make the bundled fonts known to Qt.

    Raises:
        FileNotFoundError: A font file is missing from the installation.
        RuntimeError: Qt refuses a font file.
    """
    for name in _FILES:
        path = resource_path("fonts", name)
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            raise RuntimeError(f"Qt cannot read the font {path}")


def sans(pixels: float, *, is_strong: bool = False) -> QFont:
    """The text font, with figures of equal width.

    Args:
        pixels: Size on screen, after scaling.
        is_strong: Whether it is semi-bold.
    """
    return _font(SANS, pixels, is_strong=is_strong, feature="tnum", value=1)


def mono(pixels: float, *, is_strong: bool = False) -> QFont:
    """The code font, without ligatures: what is shown is what is there."""
    return _font(MONO, pixels, is_strong=is_strong, feature="calt", value=0)


def _font(family: str, pixels: float, *, is_strong: bool, feature: str, value: int) -> QFont:
    font = QFont([family, *_chinese_fonts()])
    font.setPixelSize(max(1, round(pixels)))
    font.setWeight(QFont.Weight.DemiBold if is_strong else QFont.Weight.Normal)
    font.setFeature(QFont.Tag(feature), value)
    return font


@cache
def _chinese_fonts() -> list[str]:
    """Those that are on this computer; Qt alone may take one with the Japanese forms of characters."""
    return list(filter(QFontDatabase.hasFamily, CHINESE))


_PIXELS = re.compile(r"(?<![\w.#-])(\d+)px\b")

_CELL, _TEXT_MARGIN = 8, 3
"""Where the text of a cell begins, as its heading does, and what Qt adds of its own at every scale."""


def stylesheet(tokens: Tokens, *, scale: float = 1.0, row_padding: int = 4) -> str:
    """Fill the template.

    Args:
        tokens: Colours of the theme.
        scale: Factor on every pixel of the template but hairlines, 1 to 2.
        row_padding: Space above and below a row of a list, in pixels at 100 %.

    Returns:
        A Qt stylesheet.
    """
    template = resource_text("styles", "annotator.qss")
    return Template(_PIXELS.sub(lambda found: scaled_pixels(int(found[1]), scale), template)).substitute(
        tokens.colours(),
        sans='", "'.join([SANS, *_chinese_fonts()]),
        mono='", "'.join([MONO, *_chinese_fonts()]),
        icons=resource_path("icons").as_posix(),
        shade="dark" if tokens.is_dark else "light",
        large="-large" if scale >= 1.5 else "",
        row=scaled_pixels(row_padding, scale),
        cell=f"{round(_CELL * scale) - _TEXT_MARGIN}px",
        accent_hover=mix(tokens.text, tokens.accent, 0.12),
        accent_pressed=mix(tokens.text, tokens.accent, 0.24),
        stage_chips="\n".join(_chip(f"stage-{stage}", tokens.stage_pair(stage)) for stage in tokens.stage),
        side_chips="\n".join(_chip(side_colour(letter), tokens.side_pair(letter)) for letter in SIDES),
    )


def _chip(name: str, pair: Pair) -> str:
    return f'QLabel[chip="{name}"] {{ background: {pair.ground}; color: {pair.text}; }}'


def scaled_pixels(pixels: int, scale: float) -> str:
    """A length of the template at a scale; hairlines stay hairlines until 150 %."""
    return f"{pixels if pixels <= 1 and scale < 1.5 else round(pixels * scale)}px"


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
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(rect.center())
        painter.scale(factor, factor)
        painter.fillPath(_path(glyph), colour)


def paint_with(
    painter: QPainter,
    *,
    pen: QPen | QColor | Qt.PenStyle | None = None,
    brush: QColor | Qt.BrushStyle | None = None,
    font: QFont | None = None,
    is_smooth: bool = False,
) -> QPainter:
    """Give a painter what it paints with from here on, and return it; what is not named stays as it was."""
    if is_smooth:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if pen is not None:
        painter.setPen(pen)
    if brush is not None:
        painter.setBrush(brush)
    if font is not None:
        painter.setFont(font)
    return painter


def paint_box(painter: QPainter, box: QRect | QRectF, radius: float = 0, **tools: Any) -> None:
    """Paint a box, with round corners where there is a radius, with tools as for `paint_with`."""
    paint_with(painter, **tools).drawRoundedRect(box, radius, radius)


def paint_words(
    painter: QPainter, room: QRect | QRectF, where: Qt.AlignmentFlag, words: str, **tools: Any
) -> None:
    """Write words at a place of a room, with tools as for `paint_with`."""
    paint_with(painter, **tools).drawText(room, where, words)


class _GlyphEngine(QIconEngine):
    """Paints one glyph, asking for the colour each time."""

    def __init__(self, glyph: str, tone: Tone | None) -> None:
        super().__init__()
        self._glyph = glyph
        self._tone = tone

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        _paint_glyph(painter, self._glyph, QRectF(rect), self._colour(mode, state))

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        image = QPixmap(size)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as painter:
            self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        return image

    def _colour(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        tokens = theme().tokens
        if mode is QIcon.Mode.Disabled:
            return QColor(tokens.faint)
        if self._tone is not None:
            return QColor(tokens.tone(self._tone).text)
        return QColor(tokens.accent if state is QIcon.State.On else tokens.muted)
