"""The panel around a dialogue: its tasks as chips, and words that are found."""

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from scoring.model.taxonomy import Policy
from tests.factories import answer, case, task
from tests.ui.dialogue.dialogue import block
from tests.ui.find import find
from ui.dialogue.content import USER_STEP
from ui.dialogue.panel import DialoguePanel
from ui.theme import ChipButton, apply_theme

LEFT = Qt.MouseButton.LeftButton


def test_every_task_has_a_chip_with_its_policy(panel: DialoguePanel) -> None:
    assert panel.tasks.labels == ("1 Single", "2", "3")
    assert find(panel, ChipButton, "task-1").isChecked()


def test_a_chip_turns_to_its_task(panel: DialoguePanel) -> None:
    QTest.mouseClick(find(panel, ChipButton, "task-0"), LEFT)
    assert panel.view.open_task == 0
    assert not find(panel, ChipButton, "task-1").isChecked()


def test_many_tasks_show_their_numbers_alone(panel: DialoguePanel) -> None:
    many = case(*(task(answer(), policy=Policy.CHAT) for _ in range(14)))
    panel.show_case(many, task=12)
    assert panel.tasks.labels == tuple(str(number) for number in range(1, 15))
    assert panel.minimumSizeHint().width() < 400


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_tasks_out_of_sight_are_counted_at_the_end_where_they_are_and_found_there(
    light: QApplication, panel: DialoguePanel, scale: float, qtbot: QtBot
) -> None:
    apply_theme(light, dark=False, scale=scale)
    panel.resize(int(420 * scale), 300)
    panel.show_case(case(*(task(answer()) for _ in range(20))), task=0)
    before, after = (find(panel, QPushButton, f"tasks-{end}") for end in ("before", "after"))

    def says(*texts: str) -> bool:
        return [sign.text() for sign in (before, after) if sign.isVisible()] == list(texts)

    qtbot.waitUntil(lambda: says(f"{20 - len(seen(panel))} ›") and seen(panel)[0] == 0)
    QTest.mouseClick(after, LEFT)
    assert says(f"‹ {seen(panel)[0]}", f"{19 - seen(panel)[-1]} ›")
    panel.view.select(19, USER_STEP)
    qtbot.waitUntil(lambda: says(f"‹ {seen(panel)[0]}") and seen(panel)[-1] == 19)
    QTest.mouseClick(before, LEFT)
    assert says(f"‹ {seen(panel)[0]}", f"{19 - seen(panel)[-1]} ›")
    panel.resize(int(1000 * scale), 300)
    qtbot.waitUntil(lambda: says() and len(seen(panel)) == 20)


def seen(panel: DialoguePanel) -> list[int]:
    """The tasks whose chips are whole."""
    strip = panel.tasks.viewport()
    chips = [find(panel, ChipButton, f"task-{number}") for number in range(20)]
    places = [QRect(chip.mapTo(strip, chip.rect().topLeft()), chip.sizeHint()) for chip in chips]
    return [number for number, place in enumerate(places) if strip.rect().contains(place)]


def test_chips_go_with_their_tasks(panel: DialoguePanel) -> None:
    panel.show_case(case(task(answer())), task=0)
    assert panel.tasks.labels == ("1",)


def test_words_are_found_from_place_to_place(panel: DialoguePanel) -> None:
    panel.open_find()
    QTest.keyClicks(panel.find_bar.words, "second")
    assert panel.find_bar.count.text() == "1 of 1"
    panel.find_bar.words.clear()
    QTest.keyClicks(panel.find_bar.words, "there")
    assert panel.view.current == (1, USER_STEP)
    assert block(panel.view, (1, USER_STEP), "user").selected_text == "there"
    panel.find_bar.words.clear()
    QTest.keyClicks(panel.find_bar.words, "oslo")
    assert panel.view.open_task == 0


def test_enter_goes_to_the_next_place_and_round_again(panel: DialoguePanel) -> None:
    panel.open_find()
    QTest.keyClicks(panel.find_bar.words, "city")
    assert panel.find_bar.count.text() == "1 of 2"
    QTest.keyClick(panel.find_bar.words, Qt.Key.Key_Return)
    assert panel.find_bar.count.text() == "2 of 2"
    QTest.keyClick(panel.find_bar.words, Qt.Key.Key_Return)
    assert panel.find_bar.count.text() == "1 of 2"


def test_words_nobody_said_are_not_found(panel: DialoguePanel) -> None:
    panel.open_find()
    QTest.keyClicks(panel.find_bar.words, "zebra")
    assert panel.find_bar.count.text() == "not found"


def test_the_bar_closes_and_the_keys_go_back_to_the_cards(panel: DialoguePanel) -> None:
    panel.open_find()
    panel.close_find()
    assert panel.find_bar.isHidden()
