"""Everything that can be done, as values: commands with shortcuts, the palette, the sheet of shortcuts."""

from ui.services.commands.command import Command, Commands, shown_keys
from ui.services.commands.palette import Palette, PaletteItem
from ui.services.commands.profiles import Profiles
from ui.services.commands.shortcut_sheet import ShortcutSheet

__all__ = ["Command", "Commands", "Palette", "PaletteItem", "Profiles", "ShortcutSheet", "shown_keys"]
