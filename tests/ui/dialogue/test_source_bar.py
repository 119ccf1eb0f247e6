"""The source of a value is selected in the dialogue, with the mouse or with the keys alone."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from scoring.model.labels import DialogueSource
from tests.factories import answer, call, case, task
from tests.ui.find import find
from ui.dialogue.block import TextBlock
from ui.dialogue.content import USER_STEP
from ui.dialogue.places import Citing, SpanPick
from ui.dialogue.view import DialogueView

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
KEY = Qt.Key


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> DialogueView:
    widget = DialogueView()
    qtbot.addWidget(widget)
    widget.resize(600, 700)
    widget.show()
    first = call("first", {"rows": [{"id": "R-1"}, {"id": "R-2"}]}, city="Oslo")
    widget.show_case(
        case(task(first, call("second", "fine", id="R-1"), answer("Done."), user="😀 Rooms in Oslo?")), task=0
    )
    return widget


def block(view: DialogueView, step: int, field: str) -> TextBlock:
    card = view.column.card((0, step))
    assert card is not None
    return find(card, TextBlock, f"part-{field}")


def drag(text: TextBlock, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(text, LEFT, pos=start)
    QTest.mouseMove(text, end)
    QTest.mouseRelease(text, LEFT, pos=end)


def press(view: DialogueView, *keys: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    for key in keys:
        target = QApplication.focusWidget() or view
        QTest.keyClick(target, key, modifier or Qt.KeyboardModifier.NoModifier)


def look_for_source(view: DialogueView, qtbot: QtBot, step: int) -> None:
    view.begin_citing(Citing(task=0, step=1, path="/id"))
    view.activateWindow()
    view.select(0, step)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)


def test_a_drag_tells_the_place(view: DialogueView, qtbot: QtBot) -> None:
    text = block(view, USER_STEP, "user")
    with qtbot.waitSignal(view.span_picked) as signal:
        drag(text, QPoint(1, 8), QPoint(300, 8))
    words = "😀 Rooms in Oslo?"
    assert signal.args == [SpanPick(task=0, step=None, field="user", span=(0, len(words)), words=words)]


def test_a_place_behind_an_emoji_is_counted_in_characters(view: DialogueView, qtbot: QtBot) -> None:
    look_for_source(view, qtbot, USER_STEP)
    press(view, KEY.Key_Right, KEY.Key_End)
    press(view, KEY.Key_Left)
    press(view, *[KEY.Key_Left] * 4, modifier=SHIFT)
    with qtbot.waitSignal(view.span_picked) as signal:
        press(view, KEY.Key_Return)
    assert signal.args == [SpanPick(task=0, step=None, field="user", span=(11, 15), words="Oslo")]


def test_an_observation_is_unfolded_and_selected_with_the_keys(view: DialogueView, qtbot: QtBot) -> None:
    look_for_source(view, qtbot, 0)
    press(view, KEY.Key_Right, KEY.Key_Down)
    shown = block(view, 0, "observation").text
    press(view, *[KEY.Key_Right] * shown.index("R-2"))
    press(view, *[KEY.Key_Right] * 2, modifier=SHIFT)
    with qtbot.waitSignal(view.span_picked) as signal:
        press(view, KEY.Key_Return)
    source = DialogueSource(task=0, step=0, path="/rows/1/id", span=(0, 2))
    assert signal.args[0].source == source


def test_an_earlier_argument_can_be_selected(view: DialogueView, qtbot: QtBot) -> None:
    look_for_source(view, qtbot, 0)
    press(view, KEY.Key_Right)
    press(view, KEY.Key_End, modifier=SHIFT)
    with qtbot.waitSignal(view.span_picked) as signal:
        press(view, KEY.Key_Return)
    pick = signal.args[0]
    assert (pick.step, pick.field, pick.path, pick.source) == (0, "arguments", "/city", None)


def test_the_caret_goes_on_into_the_next_card(view: DialogueView, qtbot: QtBot) -> None:
    look_for_source(view, qtbot, USER_STEP)
    press(view, KEY.Key_Right, KEY.Key_Down)
    assert QApplication.focusWidget() is block(view, 0, "arguments")
    press(view, KEY.Key_Up)
    assert QApplication.focusWidget() is block(view, USER_STEP, "user")


def test_a_later_place_is_refused_with_a_reason(view: DialogueView, qtbot: QtBot) -> None:
    view.begin_citing(Citing(task=0, step=1, path="/id"))
    with qtbot.assertNotEmitted(view.span_picked):
        drag(block(view, 2, "text"), QPoint(1, 8), QPoint(100, 8))
    assert view.citing_bar.title.text() == "A value cannot come from what was said later"


def test_citing_goes_on_until_it_is_ended(view: DialogueView, qtbot: QtBot) -> None:
    citing = Citing(task=0, step=1, path="/id")
    view.begin_citing(citing)
    drag(block(view, USER_STEP, "user"), QPoint(1, 8), QPoint(300, 8))
    assert view.citing == citing
    view.end_citing()
    assert view.citing is None
    assert view.citing_bar.isHidden()


def test_escape_leaves_the_selection_then_the_text_then_citing(view: DialogueView, qtbot: QtBot) -> None:
    look_for_source(view, qtbot, USER_STEP)
    press(view, KEY.Key_Right)
    press(view, KEY.Key_End, modifier=SHIFT)
    text = block(view, USER_STEP, "user")
    press(view, KEY.Key_Escape)
    assert text.selected_text == ""
    press(view, KEY.Key_Escape)
    assert QApplication.focusWidget() is view.column.card((0, USER_STEP))
    with qtbot.waitSignal(view.citing_ended):
        press(view, KEY.Key_Escape)
    assert view.citing is None


def test_the_bar_names_the_value(view: DialogueView) -> None:
    view.begin_citing(Citing(task=0, step=1, path="/id"))
    assert view.citing_bar.title.text() == "Select the source of id, call 1"
    assert view.citing_bar.accessibleName() == view.citing_bar.title.text()
