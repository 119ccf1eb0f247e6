"""An input method writes Chinese wherever a text is typed, and nowhere else: letters are commands there.

The stub sends what Qt gets from a real one: a text that is being composed, the letters it is composed of, and
what is chosen at the end.
"""

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from scoring.texts import speak
from tests.ui.shell.test_screens import SCREENS, settled_outline
from ui.desk.sentence_guard import is_field
from ui.shell.main_window import MainWindow

Field = QLineEdit | QPlainTextEdit | QTextEdit
SCREENS_WITH_FIELDS = {
    "manager": (
        "queue",
        "releases",
        "releases_freeze",
        "runs",
        "team",
        "team_add",
        "window_endpoint",
        "window_palette",
    ),
    "owner": (
        "workbench",
        "workbench_comments",
        "workbench_form",
        "workbench_json",
        "workbench_escalate",
    ),
    "expert": ("adjudication", "adjudication_feedback", "adjudication_own"),
}
"""Where is typed: in searches, dialogs, and the editors of a case."""
FIELDS = {
    "manager": {"filter-text", "palette-field"},
    "owner": {"comment-field", "json-editor", "reason-note"},
    "expert": {"decision-note"},
}
"""Fields that must be among those that were found."""


def compose(field: QWidget, letters: str) -> None:
    """Show letters as being composed, as an input method does at each key."""
    QApplication.sendEvent(field, QInputMethodEvent(letters, []))


def commit(field: QWidget, words: str) -> None:
    """Write what was chosen in place of what was composed."""
    event = QInputMethodEvent()
    event.setCommitString(words)
    QApplication.sendEvent(field, event)


def shown_widgets(window: QWidget) -> Iterator[QWidget]:
    """What can have the keys, in the window or the dialog above it."""
    above = QApplication.activePopupWidget() or QApplication.activeModalWidget() or window.window()
    for widget in above.findChildren(QWidget):
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() != Qt.FocusPolicy.NoFocus:
            yield widget


def is_typed_into(widget: QWidget) -> bool:
    """Whether a text is typed into a widget, or one that it holds."""
    holds_text = isinstance(widget, QComboBox) and widget.isEditable()
    return is_field(widget) or isinstance(widget, QAbstractSpinBox) or holds_text


def takes_no_words(field: Field) -> bool:
    """Whether it is for a password or a number."""
    is_open = not isinstance(field, QLineEdit) or field.echoMode() is QLineEdit.EchoMode.Normal
    return not is_open or isinstance(field.parent(), QAbstractSpinBox)


def text_of(field: Field) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


def write_in_chinese(field: Field) -> bool:
    """Compose a word, choose it, and press letters over the next one; whether the field did as it should."""
    before = text_of(field)
    field.setFocus()
    compose(field, "ni'hao")
    is_waiting = text_of(field) == before
    commit(field, "你好")
    is_written = "你好" in text_of(field)
    compose(field, "n")
    QTest.keyClicks(field, "nceugdsjk")
    compose(field, "")
    if isinstance(field, QLineEdit):
        field.setText(before)
    else:
        field.setPlainText(before)
    return is_waiting and is_written


@pytest.fixture
def spoken(request: pytest.FixtureRequest) -> Iterator[None]:
    """What is said from now on is in a language."""
    speak(request.param)
    yield
    speak("en")


@pytest.mark.parametrize(
    ("who", "spoken"), [("manager", "en"), ("owner", "zh_CN"), ("expert", "zh_CN")], indirect=["spoken"]
)
@pytest.mark.usefixtures("light", "spoken")
def test_chinese_is_written_into_every_field_and_no_letter_of_it_is_a_command(
    who: str, qtbot: QtBot, window: MainWindow, request: pytest.FixtureRequest
) -> None:
    project, person, steps = SCREENS[who]
    window.resize(1440, 900)
    window.entrance.open(request.getfixturevalue(project), person)
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()))
    ran: list[str] = []
    window.commands.refused.connect(lambda command, _: ran.append(command))
    watched: set[QAction] = set()
    tried: set[str] = set()
    for name, go in steps:
        if name not in SCREENS_WITH_FIELDS[who]:
            continue
        go(window)
        settled_outline(qtbot, window)
        for action in set(window.findChildren(QAction)) - watched:
            action.triggered.connect(partial(ran.append, action.text()))
            watched.add(action)
        ran.clear()
        for widget in list(shown_widgets(window)):
            takes_text = widget.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
            assert takes_text is is_typed_into(widget), (name, widget.objectName(), type(widget))
            if isinstance(widget, Field) and is_field(widget) and not takes_no_words(widget):
                assert write_in_chinese(widget), (name, widget.objectName())
                assert ran == [], (name, widget.objectName())
                tried.add(widget.objectName())
    assert tried >= FIELDS[who]
