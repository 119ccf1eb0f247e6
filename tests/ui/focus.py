"""What can have the focus, and what a screen reader calls it."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
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


_PLAYERS = (
    QAccessible.Role.Button,
    QAccessible.Role.ButtonMenu,
    QAccessible.Role.CheckBox,
    QAccessible.Role.RadioButton,
    QAccessible.Role.ComboBox,
    QAccessible.Role.EditableText,
    QAccessible.Role.SpinBox,
    QAccessible.Role.PageTab,
    QAccessible.Role.PageTabList,
    QAccessible.Role.Table,
    QAccessible.Role.Tree,
    QAccessible.Role.List,
)
"""Roles a person does something with; what is in a table, a tree or a list is its text."""
_WHOLE = (QAccessible.Role.Table, QAccessible.Role.Tree, QAccessible.Role.List, QAccessible.Role.ComboBox)


def spoken_tree(root: QWidget) -> list[tuple[int, str, str]]:
    """What a screen reader finds in a widget that is shown: depth, role and name of each player."""
    found: list[tuple[int, str, str]] = []

    def walk(part: QAccessibleInterface, depth: int) -> None:
        if part.state().invisible:
            return
        if part.role() in _PLAYERS:
            found.append((depth, part.role().name, part.text(QAccessible.Text.Name).strip()))
        if part.role() not in _WHOLE:
            children = (part.child(at) for at in range(part.childCount()))
            for child in filter(None, children):
                walk(child, depth + 1)

    top = QAccessible.queryAccessibleInterface(root)
    assert top is not None
    walk(top, 0)
    return found


def _place(widget: QWidget) -> str:
    parents: list[str] = []
    at = widget.parentWidget()
    while at is not None and len(parents) < 4:
        parents.append(at.objectName() or type(at).__name__)
        at = at.parentWidget()
    return " < ".join(parents)
