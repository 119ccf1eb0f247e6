"""How the person wants everything to look: colours, scale and density, put on the application and kept."""

from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from annotator.settings import ColourScheme as Colours
from annotator.settings import Density as Rows
from annotator.settings import Settings
from scoring.texts import tr
from ui.services.commands import Command
from ui.services.preferences import Preferences
from ui.theme import Density, apply_theme, theme
from ui.theme.layouts import connect

SCALES = (1.0, 1.25, 1.5, 1.75, 2.0)


def is_dark(settings: Settings, app: QApplication) -> bool:
    """Whether the dark colours are on; `system` follows the desktop."""
    if settings.theme is Colours.SYSTEM:
        return app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return settings.theme is Colours.DARK


def apply_look(settings: Settings, app: QApplication) -> None:
    """Put colours, scale and density on; open windows follow."""
    apply_theme(
        app, dark=is_dark(settings, app), scale=settings.scale, density=Density(settings.density.value)
    )


def next_scale(scale: float, *, steps: int) -> float:
    """The scale some steps larger or smaller, within the ends."""
    nearest = min(range(len(SCALES)), key=lambda place: abs(SCALES[place] - scale))
    return SCALES[min(max(nearest + steps, 0), len(SCALES) - 1)]


class Appearance(QObject):
    """Changes the look by command and keeps what was chosen.

    Args:
        preferences: Where it is kept.
        app: What it is put on.
    """

    def __init__(self, preferences: Preferences, app: QApplication, *, parent: QObject) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._app = app
        connect(
            (preferences.changed, self._apply),
            (app.styleHints().colorSchemeChanged, self._follow_desktop),
        )

    def commands(self) -> tuple[Command, ...]:
        """What makes the look changeable from the keyboard and the palette."""
        group = tr("Settings")
        return (
            Command("look.dark", tr("Light or dark theme"), group, self.toggle_dark, keys="Ctrl+Shift+L"),
            Command(
                "look.larger", tr("Larger text"), group, partial(self.rescale, 1), "Ctrl++", also=("Ctrl+=",)
            ),
            Command("look.smaller", tr("Smaller text"), group, partial(self.rescale, -1), keys="Ctrl+-"),
            Command(
                "look.normal",
                tr("Normal text size"),
                group,
                partial(self._preferences.change, scale=1.0),
                "Ctrl+0",
            ),
            Command("look.density", tr("Compact or comfortable rows"), group, self.toggle_density),
        )

    def toggle_dark(self) -> None:
        """Switch between the light and the dark colours."""
        dark = is_dark(self._preferences.settings, self._app)
        self._preferences.change(theme=Colours.LIGHT if dark else Colours.DARK)

    def rescale(self, steps: int) -> None:
        """Make everything some steps larger, or smaller."""
        self._preferences.change(scale=next_scale(self._preferences.settings.scale, steps=steps))

    def toggle_density(self) -> None:
        """Switch between compact and comfortable rows."""
        is_compact = self._preferences.settings.density is Rows.COMPACT
        self._preferences.change(density=Rows.COMFORTABLE if is_compact else Rows.COMPACT)

    def _apply(self, settings: Settings) -> None:
        on = theme()
        wanted = (is_dark(settings, self._app), settings.scale, settings.density.value)
        if (on.tokens.is_dark, on.scale, on.density.value) != wanted:  # most settings are not about looks
            apply_look(settings, self._app)

    def _follow_desktop(self) -> None:
        self._apply(self._preferences.settings)
