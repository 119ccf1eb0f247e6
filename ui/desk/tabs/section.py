"""A group of the side panel: a small heading, what stands beside it, and rows below."""

from PySide6.QtWidgets import QWidget

from ui.theme import SectionLabel
from ui.theme.layouts import STRETCH, hbox, vbox


class Section(QWidget):
    """A heading with rows."""

    def __init__(self, heading: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = SectionLabel(heading)
        self._head = hbox(self._label, STRETCH, gap=8)
        self.rows = vbox(gap=6)
        vbox(self._head, self.rows, within=self, gap=6)

    @property
    def heading(self) -> str:
        """The heading as it reads."""
        return self._label.accessibleName()

    def set_heading(self, text: str) -> None:
        """Change the heading."""
        self._label.set_heading(text)

    def add_beside(self, widget: QWidget) -> None:
        """Put a widget at the right end of the heading."""
        self._head.addWidget(widget)
