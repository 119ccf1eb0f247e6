"""Everything that can be done, as values: commands with shortcuts, the palette, the sheet of shortcuts."""

from ui.commands.command import Command, Commands, shown_keys
from ui.commands.palette import Palette, PaletteItem
from ui.commands.profiles import Profiles
from ui.commands.sheet import ShortcutSheet

__all__ = ["Command", "Commands", "Palette", "PaletteItem", "Profiles", "ShortcutSheet", "shown_keys"]
