"""What can have the focus, and what a screen reader calls it."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QComboBox, QScrollArea, QWidget


def focusable(root: QWidget) -> Iterator[QWidget]:
    """What Tab can reach in a widget, each field once."""
    inside = {child for box in root.findChildren(QComboBox) for child in box.findChildren(QWidget)}
    for widget in root.findChildren(QWidget):
        is_view = isinstance(widget.parentWidget(), QAbstractScrollArea)
        takes_focus = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
        is_shown = widget.isVisibleTo(root)
        if takes_focus and is_shown and not is_view and widget not in inside:
            yield widget


def _name(widget: QWidget) -> str:
    found = QAccessible.queryAccessibleInterface(widget)
    return found.text(QAccessible.Text.Name) if found else ""


def nameless(root: QWidget) -> list[str]:
    """What can have the focus and has no name for a screen reader, with its place."""
    return [
        f"{type(widget).__name__} {widget.objectName() or '?'} in {_place(widget)}"
        for widget in focusable(root)
        # An area that only scrolls needs none: what is in it has names.
        if not _name(widget).strip() and not isinstance(widget, QScrollArea)
    ]


def _place(widget: QWidget) -> str:
    parents: list[str] = []
    at = widget.parentWidget()
    while at is not None and len(parents) < 4:
        parents.append(at.objectName() or type(at).__name__)
        at = at.parentWidget()
    return " < ".join(parents)
