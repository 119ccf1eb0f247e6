"""The palette: what is typed finds commands at once and other things as they come."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from scoring.texts import speak, tr
from tests.ui.find import find, titles_of
from ui.services.commands import Command, Commands
from ui.services.palette import CommandPalette, PaletteItem, match_rank


class Bench:
    """A window with three commands and its palette."""

    def __init__(self, qtbot: QtBot) -> None:
        self.done: list[str] = []
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.window.show()
        self.commands = Commands(self.window)
        for id_, title in (("queue.next", "Next case"), ("queue.import", "Import"), ("go", "Go to Releases")):
            self.commands.add(Command(id_, title, "Queue", self._note(title), keys="Ctrl+T"))
        self.palette = CommandPalette(self.commands, self.window)
        self.field = find(self.palette, QLineEdit, "palette-field")

    def _note(self, title: str) -> "Note":
        return Note(self.done, title)


class Note:
    """Notes that a command was run."""

    def __init__(self, done: list[str], title: str) -> None:
        self._done, self._title = done, title

    def __call__(self) -> None:
        self._done.append(self._title)


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    """An open palette."""
    found = Bench(qtbot)
    found.palette.open_at(QPoint(400, 10))
    return found


def test_it_opens_with_every_command(bench: Bench) -> None:
    assert titles_of(bench.palette) == ("Next case", "Import", "Go to Releases")


def test_typing_leaves_what_fits(bench: Bench) -> None:
    QTest.keyClicks(bench.field, "nex")
    assert titles_of(bench.palette) == ("Next case",)


@pytest.mark.parametrize("typed", ["下一", "next", "ＮＥＸＴ"])
def test_a_chinese_window_finds_commands_in_both_languages(bench: Bench, typed: str) -> None:
    speak("zh_CN")
    try:
        bench.commands.add(Command("queue.following", tr("Next case"), tr("Queue"), list))
        bench.field.setText(typed)
        assert "下一个用例" in titles_of(bench.palette)
    finally:
        speak("en")


def test_return_runs_the_first_and_closes(bench: Bench) -> None:
    QTest.keyClicks(bench.field, "rele")
    QTest.keyClick(bench.palette, Qt.Key.Key_Return)
    assert bench.done == ["Go to Releases"]
    assert not bench.palette.isVisible()


def test_arrow_keys_move_through_the_lines_and_round(bench: Bench) -> None:
    QTest.keyClick(bench.palette, Qt.Key.Key_Up)
    QTest.keyClick(bench.palette, Qt.Key.Key_Return)
    assert bench.done == ["Go to Releases"]


def test_a_blocked_command_is_listed_but_cannot_be_chosen(bench: Bench) -> None:
    bench.commands.block("queue.next", "Nothing waits for you.")
    QTest.keyClicks(bench.field, "next")
    QTest.keyClick(bench.palette, Qt.Key.Key_Return)
    assert (bench.done, titles_of(bench.palette)) == ([], ())


def test_what_is_found_elsewhere_joins_the_list(qtbot: QtBot, bench: Bench) -> None:
    with qtbot.waitSignal(bench.palette.asked) as asked:
        QTest.keyClicks(bench.field, "w")
    bench.palette.add_found(asked.args[0], "Cases", items=[PaletteItem("wild_0", lambda: None)])
    assert titles_of(bench.palette) == ("wild_0",)


def test_what_was_found_for_an_earlier_text_is_dropped(bench: Bench) -> None:
    QTest.keyClicks(bench.field, "zz")
    bench.palette.add_found("z", "Cases", items=[PaletteItem("zebra", lambda: None)])
    assert titles_of(bench.palette) == ()


@pytest.mark.parametrize(
    ("asked", "text", "rank"),
    [
        ("", "Next case", 0),
        ("next", "Next case", 0),
        ("ＮＥＸＴ", "Next case", 0),
        ("case", "Next case", 1),
        ("ext", "Next case", 2),
        ("nc", "Next case", 3),
        ("xyz", "Next case", None),
    ],
)
def test_words_at_the_start_come_before_words_inside(asked: str, text: str, rank: int | None) -> None:
    assert match_rank(asked, text) == rank
