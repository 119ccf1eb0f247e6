"""A dialogue written by a stranger is shown as it is: nothing is loaded, opened, hidden or waited for."""

import socket
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from scoring.model.case import Case, Task
from scoring.model.labels import Finding
from scoring.model.taxonomy import Severity
from tests.factories import answer, ask, call, case, task
from tests.ui.find import find
from ui.dialogue.block import TextBlock
from ui.dialogue.content import USER_STEP, CardNotes
from ui.dialogue.view import DialogueView

LEFT = Qt.MouseButton.LeftButton


class Opener(QObject):
    """Notes every address somebody wants opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, address: QUrl) -> None:
        self.opened.append(address.toString())


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server nobody may ever call."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        yield server


@pytest.fixture
def opener() -> Iterator[Opener]:
    found = Opener()
    for scheme in ("http", "https", "file"):
        QDesktopServices.setUrlHandler(scheme, found, "open")  # type: ignore[arg-type]
    yield found
    for scheme in ("http", "https", "file"):
        QDesktopServices.unsetUrlHandler(scheme)


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> DialogueView:
    widget = DialogueView()
    qtbot.addWidget(widget)
    widget.resize(600, 900)
    widget.show()
    return widget


def block(view: DialogueView, step: int, field: str) -> TextBlock:
    card = view.column.card((0, step))
    assert card is not None
    return find(card, TextBlock, f"part-{field}")


def hostile(address: str) -> Case:
    """Every field holds pictures, links and styles that point at an address."""
    text = (
        f"![x]({address}/a.png) <img src='{address}/b.png'> [here]({address}/c) <{address}/d>\n\n"
        f"<style>@import url({address}/e.css)</style><body background='{address}/f.png'>\n\n"
        f"![f](file:///etc/passwd) [g](file:///etc/passwd)"
    )
    made = call(f"<img src='{address}/n.png'>", text, url=text)
    return case(task(made, ask(text, text), answer(text), user=text))


def test_nothing_is_fetched_whatever_a_dialogue_asks_for(
    view: DialogueView, qtbot: QtBot, listener: socket.socket
) -> None:
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    finding = Finding(
        rule="args.differs",
        severity=Severity.WARNING,
        message=f"<img src='{address}/m.png'>",
        settle=f"<img src='{address}/s.png'>",
        task=0,
        step=0,
        path="/url",
        proposal=f"<img src='{address}/p.png'>",
    )
    view.show_case(hostile(address), task=0, notes=CardNotes(findings=[finding]))
    for step in (USER_STEP, 0, 1, 2):
        card = view.select(0, step)
        assert card is not None
        card.toggle_fold()
        view.grab()
    with pytest.raises(TimeoutError):
        listener.accept()


def test_links_never_open(view: DialogueView, opener: Opener) -> None:
    view.show_case(case(task(answer("[here](http://example.org) [there](file:///etc/passwd)"))), task=0)
    text = block(view, 0, "text")
    for across in range(2, 120, 6):
        QTest.mouseClick(text, LEFT, pos=QPoint(across, 8))
    assert opener.opened == []


def test_html_reads_as_it_is_written(view: DialogueView) -> None:
    view.show_case(case(Task(user="<b>bold</b> &amp; <script>x()</script>")), task=0)
    assert block(view, USER_STEP, "user").text == "<b>bold</b> &amp; <script>x()</script>"


def test_text_that_runs_backwards_and_control_characters_are_made_visible(view: DialogueView) -> None:
    view.show_case(
        case(task(call("look", {"\u202ek": "a\x00b"}, q="x\u2067y"), user="a\u202eb\x00c")), task=0
    )
    card = view.select(0, 0)
    assert card is not None
    card.toggle_fold()
    shown = [
        block(view, USER_STEP, "user").text,
        *(block(view, 0, f).text for f in ("arguments", "observation")),
    ]
    for text in shown:
        assert not {"\u202e", "\u2067", "\x00"} & set(text)


def test_a_line_of_a_megabyte_is_shown_in_part_and_wrapped(view: DialogueView) -> None:
    line = "x" * 1_000_000
    view.show_case(case(task(call("look", line, q=line), answer(line), user=line)), task=0)
    text = block(view, USER_STEP, "user")
    assert len(text.text) < 4_000
    assert text.heightForWidth(500) > 30 * text.fontMetrics().lineSpacing()
    assert text.text.endswith("more characters; editing shows them all")


def test_a_very_long_line_is_edited_whole(view: DialogueView) -> None:
    view.show_case(case(Task(user="x" * 100_000)), task=0)
    view.begin_edit(0, USER_STEP)
    fields = [field for field in view.findChildren(QPlainTextEdit) if field.isVisible()]
    assert [len(field.toPlainText()) for field in fields] == [100_000]


def test_a_very_deep_observation_is_shown(view: DialogueView) -> None:
    deep: list[object] = []
    for _ in range(80):
        deep = [deep]
    view.show_case(case(task(call("look", deep))), task=0)  # type: ignore[arg-type]
    card = view.select(0, 0)
    assert card is not None
    card.toggle_fold()
    assert block(view, 0, "observation").text.count("[") == 81
