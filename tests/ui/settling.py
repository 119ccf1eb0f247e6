"""Waiting until a window has read all it wants to show."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ui.services.operations import Operations

_SOON_MILLISECONDS = 500


def is_settled(operations: Operations) -> bool:
    """Whether nothing is being read and nothing is about to be."""
    return operations.pending_count == 0 and not any(
        timer.isActive() and timer.isSingleShot() and timer.interval() <= _SOON_MILLISECONDS
        for window in QApplication.topLevelWidgets()
        for timer in window.findChildren(QTimer)
    )
