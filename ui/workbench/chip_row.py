"""Chips in a row that gives way: what does not fit is left out from the right."""

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme import theme


class ChipRow(QWidget):
    """Places widgets one after the other while there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._members: list[QWidget] = []
        self._wanted: set[QWidget] = set()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def add(self, member: QWidget) -> None:
        """Put a widget at the right end."""
        member.setParent(self)
        self._members.append(member)
        self._wanted.add(member)

    def want(self, member: QWidget, *, on: bool) -> None:
        """Show a widget where there is room for it, or do not."""
        if on:
            self._wanted.add(member)
        else:
            self._wanted.discard(member)
        self.arrange()

    def arrange(self) -> None:
        """Place everything again, e.g. because a text is longer."""
        left, gap = 0, theme().px(8)
        is_full = False
        for member in self._members:
            size = member.sizeHint()
            is_full = is_full or (member in self._wanted and left + size.width() > self.width())
            is_shown = member in self._wanted and not is_full
            member.setVisible(is_shown)
            if is_shown:
                member.setGeometry(left, (self.height() - size.height()) // 2, size.width(), size.height())
                left += size.width() + gap

    def wanted(self, member: QWidget) -> bool:
        """Whether a widget is to be shown where there is room."""
        return member in self._wanted

    def sizeHint(self) -> QSize:
        return QSize(theme().px(200), theme().px(28))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.arrange()
