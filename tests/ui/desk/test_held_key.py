"""A key that is held is no new press, also where the first repeat is not marked as one."""

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from pytestqt.qtbot import QtBot

from ui.desk.sight import HeldKey

PRESS, RELEASE = QEvent.Type.KeyPress, QEvent.Type.KeyRelease


def event(kind: QEvent.Type, at: int, *, repeats: bool = False) -> QKeyEvent:
    """C goes down or up at a moment, in milliseconds."""
    made = QKeyEvent(kind, Qt.Key.Key_C, Qt.KeyboardModifier.NoModifier, "c", repeats)
    made.setTimestamp(at)
    return made


@pytest.mark.parametrize(
    ("later", "is_held"),
    [
        pytest.param((event(RELEASE, 1_660), event(PRESS, 1_660)), True, id="first repeat of X11"),
        pytest.param((event(PRESS, 1_500, repeats=True),), True, id="marked as a repeat"),
        pytest.param((event(RELEASE, 1_080), event(PRESS, 1_400)), False, id="pressed again"),
    ],
)
def test_a_held_key_is_told_from_one_pressed_again(
    qtbot: QtBot, later: tuple[QKeyEvent, ...], is_held: bool
) -> None:
    owner = QObject()
    key = HeldKey(owner)
    for one in (event(PRESS, 1_000), *later):
        assert not key.eventFilter(owner, one)
    assert key.is_held is is_held
