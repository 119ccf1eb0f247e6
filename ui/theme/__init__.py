"""How everything looks: tokens, fonts, icons, the stylesheet, and the small widgets made of nothing else.

The names below are loaded when one of them is first asked for: the window is painted from the tokens
alone before that, and the widgets' types take a third as long as an empty window.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ui.theme.apply import Density, Theme, apply_theme, theme
    from ui.theme.buttons import Button, ButtonKind, ChipButton, ToolButton
    from ui.theme.icons import icon
    from ui.theme.labels import Chip, Dot, ElidedLabel, Kbd, SectionLabel, TextLabel, WrappedLabel
    from ui.theme.panels import Card, EmptyState, Hint, HintAction, Line, PanelHeader, Stat
    from ui.theme.tokens import DARK, LIGHT, Tokens, Tone

__all__ = [
    "DARK",
    "LIGHT",
    "Button",
    "ButtonKind",
    "Card",
    "Chip",
    "ChipButton",
    "Density",
    "Dot",
    "ElidedLabel",
    "EmptyState",
    "Hint",
    "HintAction",
    "Kbd",
    "Line",
    "PanelHeader",
    "SectionLabel",
    "Stat",
    "TextLabel",
    "Theme",
    "Tokens",
    "Tone",
    "ToolButton",
    "WrappedLabel",
    "apply_theme",
    "icon",
    "theme",
]

_MODULES = ("apply", "buttons", "icons", "labels", "panels", "tokens")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        for module in map(import_module, (f"{__name__}.{one}" for one in _MODULES)):
            globals().update({one: getattr(module, one) for one in __all__ if hasattr(module, one)})
        return globals()[name]
