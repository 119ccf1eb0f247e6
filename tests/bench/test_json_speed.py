"""How fast a large JSON answers while it is typed: issue 5 sets the limits."""

import os
import time

import pytest
from pydantic import JsonValue
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from annotator.cases.findings.argument_checks import violations_of
from scoring.model.case import Case
from scoring.model.record import JsonObject
from tests.bench.yardsticks import an_empty_window, compare
from tests.factories import answer, call, case, task, tool
from tests.ui.find import find
from ui.dialogue.arguments.editor import JsonEditor
from ui.dialogue.arguments.json_field import JsonField
from ui.dialogue.arguments.model import EditedAs, JsonProblem
from ui.dialogue.panel import DialoguePanel
from ui.services.preflight import hold_singletons
from ui.theme import TextLabel, apply_theme
from ui.theme.look import dress

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
hold_singletons()
pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
    pytest.mark.usefixtures("collector"),
]

JSON_CHARACTERS = 200_000
KEYS = 100

ROW: JsonObject = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "tags": {"type": "array"}},
    "required": ["id"],
}
TOOL = tool("storeRows", rows={"type": "array", "items": ROW}, note={"type": "string"})


def large_case() -> Case:
    """A call with 2,200 rows as its arguments."""
    rows: JsonValue = [{"id": at, "name": f"thing {at}", "tags": ["a", "b"]} for at in range(2_200)]
    return case(task(call("storeRows", rows=rows, note="A"), answer()), tools=[TOOL])


def check(number: int, step: int, field: str, value: JsonValue) -> tuple[JsonProblem, ...]:
    """What the schema says about the arguments, as the workbench asks it."""
    arguments = value if isinstance(value, dict) else {}
    violations = violations_of(TOOL, call("storeRows", None, **arguments))
    return tuple(JsonProblem(message=found.message, path=found.path) for found in violations)


def say(name: str, seconds: list[float]) -> float:
    """Print the median and the 95th percentile in milliseconds; returns the latter in seconds."""
    ordered = sorted(seconds)
    median, high = ordered[len(ordered) // 2], ordered[round(0.95 * len(ordered)) - 1]
    print(f"\n{name}: p50 {1000 * median:.1f} ms, p95 {1000 * high:.1f} ms of {len(ordered)}")
    return high


@pytest.fixture(params=[EditedAs.JSON, EditedAs.BOTH])
def edited_as(request: pytest.FixtureRequest) -> EditedAs:
    """What the arguments are edited as: the limits hold with the form beside as well."""
    return EditedAs(request.param)


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication, edited_as: EditedAs) -> DialoguePanel:
    """A dialogue with the editor of large arguments open."""
    apply_theme(qapp, dark=False)
    panel = DialoguePanel(check=check)
    qtbot.addWidget(panel)
    dress(panel)
    panel.resize(620, 900)
    panel.show()
    panel.show_case(large_case(), task=0)
    panel.view.begin_edit(0, 0)
    editor = editor_in(panel)
    while editor.edited_as is not edited_as:
        editor.turn()
    return panel


def editor_in(panel: DialoguePanel) -> JsonEditor:
    """The editor that is open."""
    (editor,) = panel.findChildren(JsonEditor)
    return editor


@pytest.fixture
def field(panel: DialoguePanel) -> JsonField:
    """The open editor, its cursor in the middle of the text."""
    found = find(panel, JsonField, "json-editor")
    assert len(found.text) > JSON_CHARACTERS
    found.verticalScrollBar().setValue(8_000)
    found.setTextCursor(found.cursorForPosition(found.viewport().rect().center()))
    found.setFocus()
    return found


def wait(milliseconds: int) -> None:
    """Wait as the window does, in its loop; `QTest.qWait` would keep the interpreter from other threads."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def press(field: JsonField, key: Qt.Key) -> float:
    """Seconds from a key until it is painted."""
    start = time.perf_counter()
    QTest.keyClick(field, key)
    field.viewport().repaint()
    return time.perf_counter() - start


def test_a_key_in_a_large_json_shows(benchmark: BenchmarkFixture, field: JsonField) -> None:
    press(field, Qt.Key.Key_1)
    seconds = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: [press(field, Qt.Key.Key_1 if at % 7 else Qt.Key.Key_QuoteDbl) for at in range(KEYS)],
        rounds=1,
    )
    high = say("key in 200 kB JSON", seconds)
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)


def test_a_key_shows_while_the_text_is_checked(
    benchmark: BenchmarkFixture, field: JsonField, qtbot: QtBot
) -> None:
    def type_between() -> list[float]:
        seconds = []
        for _ in range(12):
            seconds.append(press(field, Qt.Key.Key_Space))
            for _ in range(6):
                # A person types on shortly after the check of what was typed before has begun.
                wait(25 if len(seconds) % 3 else 50)
                seconds.append(press(field, Qt.Key.Key_Space))
        return seconds

    high = say("key beside the check", benchmark.pedantic(type_between, rounds=1))  # type: ignore[no-untyped-call]
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)


@pytest.mark.parametrize(
    ("key", "place"),
    [
        pytest.param(Qt.Key.Key_QuoteDbl, QTextCursor.MoveOperation.EndOfBlock, id="a text that never ends"),
        pytest.param(Qt.Key.Key_X, QTextCursor.MoveOperation.PreviousCharacter, id="a name nobody knows"),
    ],
)
def test_marks_follow_the_last_key_at_once(
    benchmark: BenchmarkFixture,
    panel: DialoguePanel,
    field: JsonField,
    qtbot: QtBot,
    key: Qt.Key,
    place: QTextCursor.MoveOperation,
) -> None:
    message = find(editor_in(panel), TextLabel, "editor-message")
    qtbot.waitUntil(lambda: message.text() == "", timeout=5000)

    def mark() -> list[float]:
        seconds = []
        for at in range(20):
            # Every second time what was typed is taken away again, which mends the text.
            QTest.keyClick(field, key if at % 2 == 0 else Qt.Key.Key_Backspace)
            start = time.perf_counter()
            wants_words = at % 2 == 0
            while bool(message.text()) != wants_words and time.perf_counter() - start < 5:
                wait(2)
            seconds.append(time.perf_counter() - start)
        return seconds

    name = field.document().find('"id"', field.textCursor())
    name.clearSelection()
    name.movePosition(place)
    field.setTextCursor(name)
    high = say("marks after the last key", benchmark.pedantic(mark, rounds=1))  # type: ignore[no-untyped-call]
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)


@pytest.mark.parametrize("edited_as", [EditedAs.BOTH], indirect=True)
def test_a_key_in_the_form_beside_a_large_json_shows_in_both(
    benchmark: BenchmarkFixture, panel: DialoguePanel, field: JsonField
) -> None:
    view = editor_in(panel).form.row("/note")
    assert view is not None
    line = view.field

    def type_one() -> float:
        start = time.perf_counter()
        QTest.keyClick(line, Qt.Key.Key_X)
        line.repaint()
        field.viewport().repaint()
        return time.perf_counter() - start

    line.setFocus()
    type_one()
    seconds = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: [type_one() for _ in range(KEYS)], rounds=1
    )
    assert f'"note": "{view.text}"' in field.text
    high = say("key in the form beside 200 kB JSON", seconds)
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)


@pytest.mark.parametrize("edited_as", [EditedAs.BOTH], indirect=True)
def test_the_form_follows_a_large_json_at_once(
    benchmark: BenchmarkFixture, panel: DialoguePanel, field: JsonField, qtbot: QtBot
) -> None:
    view = editor_in(panel).form.row("/note")
    assert view is not None

    def follow() -> list[float]:
        seconds = []
        for at in range(20):
            QTest.keyClick(field, Qt.Key.Key_A + at)
            start = time.perf_counter()
            while f'"note": "{view.text}"' not in field.text[-200:] and time.perf_counter() - start < 5:
                wait(2)
            seconds.append(time.perf_counter() - start)
        return seconds

    found = field.document().find('"note": "')
    found.clearSelection()
    field.setTextCursor(found)
    high = say("form behind the JSON", benchmark.pedantic(follow, rounds=1))  # type: ignore[no-untyped-call]
    if benchmark.stats:
        compare(benchmark, high, against=an_empty_window)
