"""A dialogue is walked with keys and mouse, and read out."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.ui.dialogue.dialogue import block, dialogue, differs, focus, in_rounds, press
from tests.ui.find import find
from ui.dialogue.content import USER_STEP, CardNotes, EvidenceCoverage
from ui.dialogue.view import DialogueView

LEFT = Qt.MouseButton.LeftButton


def test_cards_are_named_by_task_and_step(view: DialogueView) -> None:
    assert [card.objectName() for card in view.column.cards()] == [
        "card-0--1",
        "card-1--1",
        "card-1-0",
        "card-1-1",
        "card-1-2",
        "card-2--1",
    ]


def test_a_card_is_read_out_with_kind_and_name(view: DialogueView) -> None:
    view.show_case(dialogue(), task=1, notes=CardNotes(coverage={(1, 0): EvidenceCoverage(cited=0, total=1)}))
    card = view.column.card((1, 0))
    assert card is not None
    assert card.accessibleName() == "Call 0, second, 0 of 1 cited"


def test_arrows_walk_from_card_to_card(view: DialogueView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    assert view.current == (1, USER_STEP)
    with qtbot.waitSignal(view.step_selected) as signal:
        press(view, Qt.Key.Key_Down)
    assert signal.args == [1, 0]
    press(view, Qt.Key.Key_End)
    assert view.current == (2, USER_STEP)
    press(view, Qt.Key.Key_Home, Qt.Key.Key_Up)
    assert view.current == (0, USER_STEP)


def test_page_keys_turn_to_the_next_task(view: DialogueView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    with qtbot.waitSignal(view.task_opened) as signal:
        press(view, Qt.Key.Key_PageUp)
    assert signal.args == [0]
    assert view.column.card((0, 0)) is not None
    press(view, Qt.Key.Key_PageDown, Qt.Key.Key_PageDown)
    assert view.open_task == 2


def test_enter_opens_a_folded_task(view: DialogueView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    press(view, Qt.Key.Key_Home, Qt.Key.Key_Return)
    assert view.open_task == 0
    assert view.current == (0, USER_STEP)


def test_a_click_opens_a_folded_task(view: DialogueView) -> None:
    card = view.column.card((2, USER_STEP))
    assert card is not None
    QTest.mouseClick(card, LEFT, pos=QPoint(40, 10))
    assert view.open_task == 2


def test_a_click_on_a_text_selects_its_card(view: DialogueView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.step_selected) as signal:
        QTest.mouseClick(block(view, (1, 2), "text"), LEFT)
    assert signal.args == [1, 2]


def test_a_place_is_revealed_in_a_folded_task_and_observation(view: DialogueView) -> None:
    view.select(0, USER_STEP)
    view.reveal(1, 0, field="observation", path="/rows/1")
    assert view.current == (1, 0)
    assert block(view, (1, 0), "observation").selected_text == "2"


def test_only_the_selected_card_is_reached_by_tab(view: DialogueView) -> None:
    view.show_case(dialogue(), task=1, notes=CardNotes(findings=[differs()]))
    view.select(1, 1)
    reached = {
        card.content.key for card in view.column.cards() if card.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    assert reached == {(1, 1)}
    other = view.column.card((1, 0))
    assert other is not None
    assert find(other, QPushButton, "action-settle").focusPolicy() is Qt.FocusPolicy.NoFocus


def test_calls_of_one_round_stand_in_one_card_and_are_reached_one_by_one(
    view: DialogueView, qtbot: QtBot
) -> None:
    view.show_case(in_rounds(0, 1, 1), task=0)
    cards = {card.content.step: card for card in view.column.cards()}
    assert cards[1].y() + cards[1].height() == cards[2].y()
    assert cards[0].y() + cards[0].height() < cards[1].y()
    assert cards[2].accessibleName() == "Call 2, look, 2 calls in one round"
    focus(view, qtbot)
    press(view, Qt.Key.Key_Down, Qt.Key.Key_Down)
    assert view.current == (0, 1)
    press(view, Qt.Key.Key_Down)
    assert view.current == (0, 2)
