"""A tool is chosen by typing: filtered, described, recent ones first."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QPlainTextEdit
from pytestqt.qtbot import QtBot

from scoring.model.case import Tool
from scoring.model.record import JsonObject
from tests.ui.find import find
from ui.desk.dialogs import ToolPicker, matching_tools, tool_words


def described(name: str, words: str) -> Tool:
    """A tool that says what it does."""
    return Tool(definition=_function(name, words))


def _function(name: str, words: str) -> JsonObject:
    parameters: JsonObject = {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "Where to look", "enum": ["Ulm", "Köln"]}},
        "required": ["city"],
    }
    return {"type": "function", "function": {"name": name, "description": words, "parameters": parameters}}


TOOLS = (
    described("find_depot", "Finds the depot of a parcel."),
    described("reroute", "Sends a parcel to another depot."),
    described("cancel", "Calls a delivery off."),
)


def names(found: tuple[Tool, ...]) -> list[str]:
    return [one.name for one in found]


def test_words_filter_by_name_and_description_and_names_come_first() -> None:
    assert names(matching_tools(TOOLS, "DEPOT")) == ["find_depot", "reroute"]
    assert names(matching_tools(TOOLS, "parcel another")) == ["reroute"]
    assert matching_tools(TOOLS, "hotel") == ()


def test_recent_tools_come_first() -> None:
    assert names(matching_tools(TOOLS, "", recent=["cancel", "reroute"])) == [
        "cancel",
        "reroute",
        "find_depot",
    ]


def test_what_a_tool_takes_is_said() -> None:
    words = tool_words(TOOLS[0])
    assert words.startswith("Finds the depot of a parcel.")
    assert "city: string, required, one of" in words
    assert "Where to look" in words


def test_a_tool_without_any_description_says_so() -> None:
    bare = Tool(definition={"name": "x", "parameters": {"type": "object"}})
    assert tool_words(bare) == "No description."


@pytest.fixture
def picker(qtbot: QtBot) -> ToolPicker:
    """The dialog on three tools."""
    found = ToolPicker(TOOLS, title="Insert a call", recent=(), parent=None)
    qtbot.addWidget(found)
    found.open()
    return found


def test_typing_filters_and_enter_chooses(picker: ToolPicker, qtbot: QtBot) -> None:
    QTest.keyClicks(picker.words, "another")
    assert find(picker, QListWidget, "tool-list").item(0).text() == "reroute"
    assert find(picker, QPlainTextEdit, "tool-about").toPlainText().startswith("Sends a parcel")
    with qtbot.waitSignal(picker.chosen) as chosen:
        QTest.keyClick(picker.words, Qt.Key.Key_Return)
    assert chosen.args == ["reroute"]


def test_arrows_walk_and_the_description_follows(picker: ToolPicker, qtbot: QtBot) -> None:
    QTest.keyClick(picker.words, Qt.Key.Key_Down)
    assert find(picker, QPlainTextEdit, "tool-about").toPlainText().startswith("Sends a parcel")
    with qtbot.waitSignal(picker.chosen) as chosen:
        QTest.keyClick(picker.words, Qt.Key.Key_Return)
    assert chosen.args == ["reroute"]


def test_a_digit_takes_one_at_once(picker: ToolPicker, qtbot: QtBot) -> None:
    with qtbot.waitSignal(picker.chosen) as chosen:
        QTest.keyClick(picker.words, Qt.Key.Key_3)
    assert chosen.args == ["cancel"]


def test_where_nothing_matches_enter_does_nothing(picker: ToolPicker, qtbot: QtBot) -> None:
    QTest.keyClicks(picker.words, "hotel")
    with qtbot.assertNotEmitted(picker.chosen, wait=50):
        QTest.keyClick(picker.words, Qt.Key.Key_Return)
    assert picker.isVisible()
