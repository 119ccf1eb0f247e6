"""Find a widget by its object name, or fail with the names there are."""

from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

Found = TypeVar("Found", bound=QWidget)


def find(parent: QObject, kind: type[Found], name: str) -> Found:
    """The one child widget of a kind with a name, however deep."""
    found = parent.findChildren(kind, name)
    if len(found) != 1:
        names = sorted({child.objectName() for child in parent.findChildren(kind)} - {""})
        raise AssertionError(f"{len(found)} widgets are named {name!r}; there are {names}")
    return found[0]
