"""A key that is held is no new press, also where the first repeat is not marked as one."""

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from ui.services.commands import Command, Commands
from ui.services.held_key import HeldKey
from ui.theme.look import application

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


def test_a_command_that_is_done_once_waits_until_its_key_was_let_go(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.show()
    done: list[str] = []
    commands = Commands(window)
    once = commands.add(Command("a.say", "Say", "A", lambda: done.append("once"), is_done_once=True))
    more = commands.add(Command("a.go", "Go", "A", lambda: done.append("more")))
    once.trigger()
    for repeat in (event(RELEASE, 1_660), event(PRESS, 1_660)):
        application().sendEvent(window.windowHandle(), repeat)
    once.trigger()
    more.trigger()
    assert done == ["once", "more"]
    application().sendEvent(window.windowHandle(), event(RELEASE, 2_000))
    once.trigger()
    assert done == ["once", "more", "once"]
