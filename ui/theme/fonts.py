"""The bundled fonts: Inter for text, JetBrains Mono for code."""

from PySide6.QtGui import QFont, QFontDatabase

from annotator.resources import resource_path

SANS = "Inter"
MONO = "JetBrains Mono"
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
    font = _font(SANS, pixels, is_strong=is_strong)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono(pixels: float, *, is_strong: bool = False) -> QFont:
    """The code font, without ligatures: what is shown is what is there."""
    font = _font(MONO, pixels, is_strong=is_strong)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFeature(QFont.Tag("calt"), 0)
    return font


def _font(family: str, pixels: float, *, is_strong: bool) -> QFont:
    font = QFont(family)
    font.setPixelSize(max(1, round(pixels)))
    font.setWeight(QFont.Weight.DemiBold if is_strong else QFont.Weight.Normal)
    return font
