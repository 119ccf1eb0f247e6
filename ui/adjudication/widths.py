"""The widths of the three columns, remembered apart for few sides and for many."""

from ui.adjudication.columns import Columns
from ui.preferences import Preferences

_FEW, _MANY = "adjudication", "adjudication-many"
_MOST = 3
"""Sides that count as few."""
_SIZES = {_FEW: (570, 415, 345), _MANY: (728, 326, 281)}
"""At first; many sides need the room for what they say, field by field."""


class Widths:
    """Gives the columns the widths the expert left them at with as many sides."""

    def __init__(self, columns: Columns, preferences: Preferences) -> None:
        self._columns = columns
        self._preferences = preferences
        self._name = ""
        columns.sizes_changed.connect(self._keep)

    def show_sides(self, count: int) -> None:
        """Make room for a number of sides."""
        name = _FEW if count <= _MOST else _MANY
        if name != self._name:
            self._name = name
            self._columns.share_out(self._preferences.settings.splitters.get(name) or _SIZES[name])

    def _keep(self, sizes: tuple[int, ...]) -> None:
        splitters = self._preferences.settings.splitters | {self._name: sizes}
        self._preferences.change(splitters=splitters)
