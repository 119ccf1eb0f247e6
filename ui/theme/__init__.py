"""How everything looks: tokens, fonts, icons, the stylesheet, and the small widgets made of nothing else."""

from ui.theme.buttons import Button, ButtonKind, ChipButton, ToolButton
from ui.theme.labels import Chip, Dot, ElidedLabel, Kbd, SectionLabel, TextLabel, WrappedLabel
from ui.theme.look import Density, Theme, apply_theme, icon, theme
from ui.theme.panels import Bar, Card, EmptyState, Hairline, Hint, HintAction, PanelHeader, Stat
from ui.theme.tokens import DARK, LIGHT, Tokens, Tone

__all__ = [
    "DARK",
    "LIGHT",
    "Bar",
    "Button",
    "ButtonKind",
    "Card",
    "Chip",
    "ChipButton",
    "Density",
    "Dot",
    "ElidedLabel",
    "EmptyState",
    "Hairline",
    "Hint",
    "HintAction",
    "Kbd",
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
