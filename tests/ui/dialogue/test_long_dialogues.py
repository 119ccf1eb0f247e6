"""A long dialogue makes only the cards near the sight, and keeps what is read where it is."""

from itertools import pairwise

from pytestqt.qtbot import QtBot

from scoring.model.case import Case, Task
from tests.factories import call, case
from tests.ui.dialogue.dialogue import block, editor, in_rounds
from ui.dialogue.view import DialogueView


def long_case(count: int = 300) -> Case:
    steps = tuple(call(f"tool{i}", observation={"n": i}, text="word " * (i % 30)) for i in range(count))
    return case(Task(user="All of it", steps=steps))


def test_only_cards_near_the_sight_are_made(view: DialogueView) -> None:
    view.show_case(long_case(), task=0)
    assert len(view.column.cards()) < 60
    view.select(0, 299)
    assert len(view.column.cards()) < 60
    card = view.column.card((0, 299))
    assert card is not None
    assert 0 <= card.y() <= view.column.viewport().height()


def test_cards_stand_in_order_without_overlap(view: DialogueView) -> None:
    view.show_case(long_case(), task=0)
    view.column.verticalScrollBar().setValue(9000)
    cards = view.column.cards()
    for upper, lower in pairwise(cards):
        assert upper.y() + upper.height() <= lower.y()


def test_what_is_read_stays_where_it_is_when_the_case_changes(view: DialogueView) -> None:
    view.show_case(long_case(), task=0)
    card = view.select(0, 150)
    assert card is not None
    before = card.y()
    changed = long_case()
    steps = (call("tool0", text="word " * 400), *changed.tasks[0].steps[1:])
    view.show_case(case(Task(user="All of it", steps=steps)), task=0)
    again = view.column.card((0, 150))
    assert again is not None
    assert again.y() == before


def test_a_card_with_an_open_editor_is_kept_out_of_sight(view: DialogueView) -> None:
    view.show_case(long_case(), task=0)
    view.begin_edit(0, 0)
    editor(view).insertPlainText(" ")
    view.column.verticalScrollBar().setValue(view.column.verticalScrollBar().maximum())
    assert view.is_editing


def test_a_card_keeps_its_height_when_it_joins_a_round(view: DialogueView) -> None:
    view.show_case(in_rounds(0, 1), task=0)
    before = [card.height() for card in view.column.cards()]
    view.show_case(in_rounds(0, 0), task=0)
    assert [card.height() for card in view.column.cards()] == before


def test_cards_next_to_those_in_sight_are_made_while_nothing_else_happens(
    view: DialogueView, qtbot: QtBot
) -> None:
    view.show_case(long_case(), task=0)
    bar, room = view.column.verticalScrollBar(), view.column.viewport().height()
    bar.setValue(9000)
    assert view.column.cards()[-1].y() < room + 60
    qtbot.waitUntil(lambda: view.column.cards()[-1].y() > room + 200)


def test_a_card_that_is_made_again_is_written_for_the_same_width(view: DialogueView) -> None:
    view.resize(1200, 700)
    steps = tuple(call(f"tool{i}", observation=None, words=["word " * 4] * 5) for i in range(60))
    view.show_case(case(Task(user="All of it", steps=steps)), task=0)
    before = block(view, (0, 0), "arguments").text
    assert "\n" not in before
    view.select(0, 59)
    assert view.column.card((0, 0)) is None
    view.select(0, 0)
    assert block(view, (0, 0), "arguments").text == before
