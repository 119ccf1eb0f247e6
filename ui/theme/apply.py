"""Put a theme on the application, and ask which one is on."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QToolTip

from ui.theme import fonts
from ui.theme.stylesheet import stylesheet
from ui.theme.tokens import BASE, DARK, LIGHT, Tokens

_PROPERTY = "annotator_theme"
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
        return fonts.sans(pixels * self.scale, is_strong=is_strong)

    def mono(self, pixels: float = 12, *, is_strong: bool = False) -> QFont:
        """The code font at a size given in pixels at 100 %."""
        return fonts.mono(pixels * self.scale, is_strong=is_strong)

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
        fonts.load_fonts()
        app.setStyle("Fusion")
    app.setProperty(_PROPERTY, chosen)
    app.setPalette(_palette(tokens))
    app.setFont(chosen.sans())
    QToolTip.setFont(chosen.sans(12))
    app.setStyleSheet(stylesheet(tokens, scale=chosen.scale, row_padding=chosen.row_padding))
    return chosen


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
