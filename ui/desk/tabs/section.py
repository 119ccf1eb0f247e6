"""A group of the side panel: a small heading, what stands beside it, and rows below."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ui.theme import SectionLabel, theme


class Section(QWidget):
    """A heading with rows."""

    def __init__(self, heading: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = SectionLabel(heading)
        self._head = QHBoxLayout()
        self._head.setSpacing(theme().px(8))
        self._head.addWidget(self._label)
        self._head.addStretch(1)
        self.rows = QVBoxLayout()
        self.rows.setSpacing(theme().px(6))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(6))
        column.addLayout(self._head)
        column.addLayout(self.rows)

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
