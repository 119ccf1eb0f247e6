"""Windows without a screen: Qt paints into memory, with the bundled fonts, and any warning fails the test."""

import os
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from ui.theme import apply_theme

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let three messages of Qt's in-memory screen pass: it has no window manager and no keyboard.

    Menus and other popups ask for both.
    """
    unsupported = r"This plugin does not support (propagateSizeHints|raise|grabbing the keyboard)"
    for item in items:
        item.add_marker(pytest.mark.qt_log_ignore(unsupported))


@pytest.fixture
def light(qapp: QApplication) -> Iterator[QApplication]:
    """The application in the light theme at 100 %, also afterwards."""
    apply_theme(qapp, dark=False)
    yield qapp
    apply_theme(qapp, dark=False)
