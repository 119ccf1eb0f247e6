"""What can have the focus, and what a screen reader calls it."""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, Qt
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


def tab_order(root: QWidget) -> list[QWidget]:
    """What Tab reaches in a widget, in its order."""
    reached = {widget for widget in focusable(root) if widget.isEnabled()}
    order: list[QWidget] = []
    at = root.nextInFocusChain()
    while at is not None and at is not root:
        if at in reached:
            order.append(at)
        at = at.nextInFocusChain()
    return order


def against_reading(root: QWidget) -> list[str]:
    """Where Tab goes back: to what stands above, or at the left in the same line, of where it was.

    Two places are compared by the parts of the nearest widget around both, so that a column is gone through
    before the next one.
    """
    order = tab_order(root)
    return [
        f"{_called(before)} -> {_called(after)}"
        for before, after in pairwise(order)
        if _comes_first(*_parts_around(before, after))
    ]


def _parts_around(one: QWidget, other: QWidget) -> tuple[QRect, QRect]:
    around = one.parentWidget()
    while around is not None and not around.isAncestorOf(other):
        around = around.parentWidget()
    assert around is not None
    return _box_of(one, around), _box_of(other, around)


def _box_of(widget: QWidget, around: QWidget) -> QRect:
    """The part of a widget around it in which a widget stands, as a place on the screen."""
    part = widget
    while (parent := part.parentWidget()) is not None and parent is not around:
        part = parent
    return QRect(part.mapToGlobal(QPoint(0, 0)), part.size())


def _comes_first(before: QRect, after: QRect) -> bool:
    """Whether the second of two places is read before the first."""
    is_beside = after.top() <= before.bottom() and before.top() <= after.bottom()
    return after.right() < before.left() if is_beside else after.bottom() < before.top()


def _called(widget: QWidget) -> str:
    return widget.objectName() or _name(widget)[:40] or type(widget).__name__


def _place(widget: QWidget) -> str:
    parents: list[str] = []
    at = widget.parentWidget()
    while at is not None and len(parents) < 4:
        parents.append(at.objectName() or type(at).__name__)
        at = at.parentWidget()
    return " < ".join(parents)
