"""A dialogue is walked, folded and edited with keys and mouse; the case itself never changes here."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from pydantic import JsonValue
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from scoring.model.case import Case, Task
from scoring.model.labels import Finding, Waiver
from scoring.model.taxonomy import Policy, Severity
from tests.factories import answer, call, case, task
from tests.ui.find import find
from ui.theme import ChipButton, apply_theme
from ui.transcript.applying import edited
from ui.transcript.content import ANSWER_MISSING, USER_STEP, ActionRequest, Coverage, Edit
from ui.transcript.editors import PlainEditor
from ui.transcript.json_checking import JsonProblem
from ui.transcript.panel import TranscriptPanel
from ui.transcript.text_block import TextBlock
from ui.transcript.view import TranscriptView

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def dialogue() -> Case:
    return case(
        task(call("first", city="Oslo"), answer("Done."), user="Weather?", policy=Policy.SINGLE),
        task(
            call("second", observation={"rows": [1, 2]}, city="LasVegas"),
            call("third", observation=None, day=1),
            answer("# Fine\n\nAll *good*."),
            user="And there?",
        ),
        Task(user="Thanks"),
    )


def differs() -> Finding:
    return Finding(
        rule="args.differs",
        severity=Severity.WARNING,
        message="Value differs from its source.",
        settle="Said with a space.",
        task=1,
        step=0,
        path="/city",
        proposal="Las Vegas",
    )


@pytest.fixture
def view(qtbot: QtBot, light: QApplication) -> TranscriptView:
    widget = TranscriptView()
    qtbot.addWidget(widget)
    widget.resize(600, 700)
    widget.show()
    widget.show_case(dialogue(), task=1)
    return widget


def press(view: TranscriptView, *keys: Qt.Key) -> None:
    for key in keys:
        target = QApplication.focusWidget() or view
        QTest.keyClick(target, key)


def focus(view: TranscriptView, qtbot: QtBot) -> None:
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)


def block(view: TranscriptView, key: tuple[int, int], field: str) -> TextBlock:
    card = view.column.card(key)
    assert card is not None
    return find(card, TextBlock, f"part-{field}")


def editor(view: TranscriptView) -> QPlainTextEdit:
    found = [field for field in view.findChildren(QPlainTextEdit) if field.isVisible()]
    assert len(found) == 1
    return found[0]


def test_cards_are_named_by_task_and_step(view: TranscriptView) -> None:
    assert [card.objectName() for card in view.column.cards()] == [
        "card-0--1",
        "card-1--1",
        "card-1-0",
        "card-1-1",
        "card-1-2",
        "card-2--1",
    ]


def test_a_card_is_read_out_with_kind_and_name(view: TranscriptView) -> None:
    view.show_case(dialogue(), task=1, coverage={(1, 0): Coverage(cited=0, total=1)})
    card = view.column.card((1, 0))
    assert card is not None
    assert card.accessibleName() == "Call 0, second, 0 of 1 cited"


def test_markdown_is_shown_as_it_is_meant(view: TranscriptView) -> None:
    assert block(view, (1, 2), "text").text == "Fine\nAll good."


def test_arrows_walk_from_card_to_card(view: TranscriptView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    assert view.current == (1, USER_STEP)
    with qtbot.waitSignal(view.step_selected) as signal:
        press(view, Qt.Key.Key_Down)
    assert signal.args == [1, 0]
    press(view, Qt.Key.Key_End)
    assert view.current == (2, USER_STEP)
    press(view, Qt.Key.Key_Home, Qt.Key.Key_Up)
    assert view.current == (0, USER_STEP)


def test_page_keys_turn_to_the_next_task(view: TranscriptView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    with qtbot.waitSignal(view.task_opened) as signal:
        press(view, Qt.Key.Key_PageUp)
    assert signal.args == [0]
    assert view.column.card((0, 0)) is not None
    press(view, Qt.Key.Key_PageDown, Qt.Key.Key_PageDown)
    assert view.open_task == 2


def test_enter_opens_a_folded_task(view: TranscriptView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    press(view, Qt.Key.Key_Home, Qt.Key.Key_Return)
    assert view.open_task == 0
    assert view.current == (0, USER_STEP)


def test_a_click_opens_a_folded_task(view: TranscriptView) -> None:
    card = view.column.card((2, USER_STEP))
    assert card is not None
    QTest.mouseClick(card, LEFT, pos=QPoint(40, 10))
    assert view.open_task == 2


def test_a_click_on_a_text_selects_its_card(view: TranscriptView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.step_selected) as signal:
        QTest.mouseClick(block(view, (1, 2), "text"), LEFT)
    assert signal.args == [1, 2]


def test_enter_edits_the_arguments_and_control_enter_keeps_them(view: TranscriptView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    press(view, Qt.Key.Key_Down, Qt.Key.Key_Return)
    field = editor(view)
    field.selectAll()
    field.insertPlainText('{"city": "Las Vegas"}')
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.keyClick(field, Qt.Key.Key_Return, CONTROL)
    assert signal.args == [Edit(task=1, step=0, field="arguments", value={"city": "Las Vegas"})]
    assert not view.is_editing


def test_the_keys_stay_with_the_card_after_an_edit(view: TranscriptView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    press(view, Qt.Key.Key_Down, Qt.Key.Key_Return)
    QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    press(view, Qt.Key.Key_Down)
    assert view.current == (1, 1)


def test_escape_puts_the_former_value_back(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_edit(1, USER_STEP)
    field = editor(view)
    with qtbot.waitSignal(view.edited, timeout=2000):
        field.insertPlainText("Hm. ")
    with qtbot.waitSignal(view.edited) as signal:
        QTest.keyClick(field, Qt.Key.Key_Escape)
    assert signal.args == [Edit(task=1, step=None, field="user", value="And there?")]


def test_an_editor_left_untouched_says_nothing(view: TranscriptView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.edited, wait=300):
        view.begin_edit(1, 2)
        QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)


def test_losing_the_focus_keeps_what_was_typed(view: TranscriptView, qtbot: QtBot) -> None:
    focus(view, qtbot)
    view.begin_edit(1, USER_STEP)
    editor(view).insertPlainText("Hm. ")
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.mouseClick(block(view, (1, 2), "text"), LEFT)
    assert signal.args[0].value == "Hm. And there?"


def test_alt_enter_edits_the_observation(view: TranscriptView, qtbot: QtBot) -> None:
    view.select(1, 1)
    QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    editor(view).insertPlainText('{"ok": 1}')
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    assert signal.args == [Edit(task=1, step=1, field="observation", value={"ok": 1})]


def test_a_double_click_edits_the_text_under_it(view: TranscriptView) -> None:
    QTest.mouseDClick(block(view, (1, 2), "text"), LEFT)
    assert editor(view).toPlainText() == "# Fine\n\nAll *good*."


def test_a_missing_answer_is_written_in_its_place(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_edit(2, ANSWER_MISSING)
    editor(view).insertPlainText("You are welcome.")
    with qtbot.waitSignal(view.edited, check_params_cb=lambda edit: edit.is_final) as signal:
        QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    assert signal.args == [Edit(task=2, step=None, field="answer", value="You are welcome.")]


def type_answer(view: TranscriptView, text: str) -> None:
    """Type at a missing answer of the third task, and let the case follow as the workbench does."""
    shown = dialogue()

    def follow(edit: Edit) -> None:
        nonlocal shown
        shown = edited(shown, edit)
        view.show_case(shown, task=2)

    view.edited.connect(follow)
    view.show_case(shown, task=2)
    view.begin_edit(2, ANSWER_MISSING)
    for letter in text:
        QTest.keyClicks(editor(view), letter)
        field = view.findChild(PlainEditor)
        assert isinstance(field, PlainEditor)
        field.settle()


def test_a_missing_answer_keeps_its_editor_when_it_becomes_a_step(view: TranscriptView) -> None:
    view.begin_edit(2, ANSWER_MISSING)
    first = editor(view)
    type_answer(view, "You")
    assert editor(view) is first
    assert first.hasFocus()
    assert view.current == (2, 0)
    assert view.keys[-1] == (2, 0)


def test_the_keys_go_on_where_the_cursor_was_in_an_answer_that_became_a_step(view: TranscriptView) -> None:
    type_answer(view, "Hi")
    QTest.keyClick(editor(view), Qt.Key.Key_Left)
    QTest.keyClicks(editor(view), "a")
    assert editor(view).toPlainText() == "Hai"


def test_giving_up_a_new_answer_leaves_none(view: TranscriptView) -> None:
    type_answer(view, "You")
    QTest.keyClick(editor(view), Qt.Key.Key_Escape)
    assert view.keys[-1] == (2, ANSWER_MISSING)
    assert view.current == (2, ANSWER_MISSING)
    assert not view.is_editing
    focus = QApplication.focusWidget()
    assert focus is not None
    assert view.isAncestorOf(focus)


def test_writing_a_new_answer_is_one_edit_until_it_is_kept(view: TranscriptView) -> None:
    told: list[Edit] = []
    view.edited.connect(told.append)
    type_answer(view, "Yo")
    QTest.keyClick(editor(view), Qt.Key.Key_Return, CONTROL)
    assert {(edit.step, edit.field) for edit in told} == {(None, "answer")}
    assert [edit.is_final for edit in told] == [False, False, True]


def test_json_is_checked_for_the_place_it_stands_at(qtbot: QtBot, light: QApplication) -> None:
    asked: list[tuple[int, int, str]] = []

    def check(number: int, step: int, field: str, value: JsonValue) -> Sequence[JsonProblem]:
        asked.append((number, step, field))
        return ()

    view = TranscriptView(check=check)
    qtbot.addWidget(view)
    view.resize(600, 700)
    view.show()
    view.show_case(dialogue(), task=1)
    view.begin_edit(1, 0)
    assert asked
    assert set(asked) == {(1, 0, "arguments")}


def test_an_open_editor_survives_the_next_value_of_the_case(view: TranscriptView) -> None:
    view.begin_edit(1, USER_STEP)
    editor(view).insertPlainText("Hm. ")
    changed = dialogue().model_copy(update={"language": "de"})
    view.show_case(changed, task=1, findings=[differs()])
    assert editor(view).toPlainText() == "Hm. And there?"


def test_a_card_changes_in_place(view: TranscriptView) -> None:
    before = view.column.card((1, 2))
    tasks = list(dialogue().tasks)
    tasks[1] = task(*tasks[1].steps[:2], answer("Other."), user="And there?")
    view.show_case(dialogue().model_copy(update={"tasks": tuple(tasks)}), task=1)
    assert view.column.card((1, 2)) is before
    assert block(view, (1, 2), "text").text == "Other."


def test_observations_are_folded_until_asked_for(view: TranscriptView) -> None:
    card = view.select(1, 0)
    assert card is not None
    part = card.part("observation")
    assert part is not None
    assert part.shown_text == ""
    assert part.summary == "rows[2]: 1; 2"
    QTest.keyClick(view, Qt.Key.Key_O)
    assert part.shown_text == '{ "rows": [1, 2] }'


def test_an_unfolded_observation_stays_so_in_the_next_value_and_after_a_visit(view: TranscriptView) -> None:
    view.select(1, 0)
    QTest.keyClick(view, Qt.Key.Key_O)
    view.select(0, USER_STEP)
    card = view.select(1, 0)
    assert card is not None
    part = card.part("observation")
    assert part is not None
    assert not part.is_folded


def test_an_observation_that_was_not_recorded_says_so(view: TranscriptView) -> None:
    card = view.select(1, 1)
    assert card is not None
    part = card.part("observation")
    assert part is not None
    assert part.summary == "not recorded"


def test_a_finding_offers_its_proposal(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_case(dialogue(), task=1, findings=[differs()])
    card = view.column.card((1, 0))
    assert card is not None
    assert card.hint_words == ("Value differs from its source. Said with a space.",)
    with qtbot.waitSignal(view.action_requested) as signal:
        QTest.mouseClick(find(card, QPushButton, "action-settle"), LEFT)
    assert signal.args == [ActionRequest(name="settle", task=1, step=0, finding=differs())]


def test_a_finding_kept_with_a_reason_offers_nothing_more(view: TranscriptView) -> None:
    waiver = Waiver(rule="args.differs", where="task 1 step 0 /city", reason="spelt so")
    view.show_case(dialogue(), task=1, findings=[differs()], waivers=[waiver])
    card = view.column.card((1, 0))
    assert card is not None
    assert not card.findChildren(QPushButton)
    assert "Kept with a reason" in card.hint_words[0]


def test_e_asks_to_cite_and_t_for_another_tool(view: TranscriptView, qtbot: QtBot) -> None:
    view.select(1, 0)
    for key, name in ((Qt.Key.Key_E, "cite"), (Qt.Key.Key_T, "tool")):
        with qtbot.waitSignal(view.action_requested) as signal:
            QTest.keyClick(view, key)
        assert signal.args == [ActionRequest(name=name, task=1, step=0)]


def test_a_click_on_a_value_names_it(view: TranscriptView, qtbot: QtBot) -> None:
    arguments = block(view, (1, 1), "arguments")
    with qtbot.waitSignal(view.value_clicked) as signal:
        QTest.mouseClick(arguments, LEFT, pos=QPoint(30, arguments.height() // 2))
    assert signal.args == [1, 1, "/day"]


def test_a_place_is_revealed_in_a_folded_task_and_observation(view: TranscriptView) -> None:
    view.select(0, USER_STEP)
    view.reveal(1, 0, field="observation", path="/rows/1")
    assert view.current == (1, 0)
    assert block(view, (1, 0), "observation").selected_text == "2"


def test_nothing_is_edited_in_a_dialogue_that_is_only_read(view: TranscriptView) -> None:
    view.set_read_only(on=True)
    view.show_case(dialogue(), task=1, findings=[differs()])
    view.begin_edit(1, 0)
    QTest.mouseDClick(block(view, (1, 2), "text"), LEFT)
    assert not view.is_editing
    card = view.column.card((1, 0))
    assert card is not None
    assert not card.findChildren(QPushButton)


def test_only_the_selected_card_is_reached_by_tab(view: TranscriptView) -> None:
    view.show_case(dialogue(), task=1, findings=[differs()])
    view.select(1, 1)
    reached = {
        card.content.key for card in view.column.cards() if card.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    assert reached == {(1, 1)}
    other = view.column.card((1, 0))
    assert other is not None
    assert find(other, QPushButton, "action-settle").focusPolicy() is Qt.FocusPolicy.NoFocus


def test_colours_follow_a_switch_of_the_theme(view: TranscriptView, qapp: QApplication) -> None:
    before = view.grab().toImage()
    apply_theme(qapp, dark=True)
    assert view.grab().toImage() != before
    assert block(view, (1, 2), "text").text == "Fine\nAll good."


def test_a_very_long_text_is_read_in_part_and_edited_whole(view: TranscriptView) -> None:
    view.show_case(case(Task(user="word " * 10_000)), task=0)
    assert block(view, (0, USER_STEP), "user").text.endswith("30,000 more characters; editing shows them all")
    view.begin_edit(0, USER_STEP)
    assert len(editor(view).toPlainText()) == 50_000


# long dialogues


def long_case(count: int = 300) -> Case:
    steps = tuple(call(f"tool{i}", observation={"n": i}, text="word " * (i % 30)) for i in range(count))
    return case(Task(user="All of it", steps=steps))


def test_only_cards_near_the_sight_are_made(view: TranscriptView) -> None:
    view.show_case(long_case(), task=0)
    assert view.column.made_count < 60
    view.select(0, 299)
    assert view.column.made_count < 60
    card = view.column.card((0, 299))
    assert card is not None
    assert 0 <= card.y() <= view.column.viewport().height()


def test_cards_stand_in_order_without_overlap(view: TranscriptView) -> None:
    view.show_case(long_case(), task=0)
    view.column.verticalScrollBar().setValue(9000)
    cards = view.column.cards()
    for upper, lower in pairwise(cards):
        assert upper.y() + upper.height() <= lower.y()


def test_what_is_read_stays_where_it_is_when_the_case_changes(view: TranscriptView) -> None:
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


def test_a_card_with_an_open_editor_is_kept_out_of_sight(view: TranscriptView) -> None:
    view.show_case(long_case(), task=0)
    view.begin_edit(0, 0)
    editor(view).insertPlainText(" ")
    view.column.verticalScrollBar().setValue(view.column.verticalScrollBar().maximum())
    assert view.is_editing


def in_rounds(*rounds: int | None) -> Case:
    steps = tuple(call("look", n=at).model_copy(update={"recorded_round": at}) for at in rounds)
    return case(task(*steps, answer()))


def test_calls_of_one_round_stand_in_one_card_and_are_reached_one_by_one(
    view: TranscriptView, qtbot: QtBot
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


def test_a_card_keeps_its_height_when_it_joins_a_round(view: TranscriptView) -> None:
    view.show_case(in_rounds(0, 1), task=0)
    before = [card.height() for card in view.column.cards()]
    view.show_case(in_rounds(0, 0), task=0)
    assert [card.height() for card in view.column.cards()] == before


# the panel


@pytest.fixture
def panel(qtbot: QtBot, light: QApplication) -> TranscriptPanel:
    widget = TranscriptPanel()
    qtbot.addWidget(widget)
    widget.resize(620, 700)
    widget.show()
    widget.show_case(dialogue(), task=1)
    return widget


def test_every_task_has_a_chip_with_its_policy(panel: TranscriptPanel) -> None:
    assert panel.task_chips == ("1 Single", "2", "3")
    assert find(panel, ChipButton, "task-1").isChecked()


def test_a_chip_turns_to_its_task(panel: TranscriptPanel) -> None:
    QTest.mouseClick(find(panel, ChipButton, "task-0"), LEFT)
    assert panel.view.open_task == 0
    assert not find(panel, ChipButton, "task-1").isChecked()


def test_many_tasks_show_their_numbers_alone(panel: TranscriptPanel) -> None:
    many = case(*(task(answer(), policy=Policy.CHAT) for _ in range(14)))
    panel.show_case(many, task=12)
    assert panel.task_chips == tuple(str(number) for number in range(1, 15))
    assert panel.minimumSizeHint().width() < 400


def test_chips_go_with_their_tasks(panel: TranscriptPanel) -> None:
    panel.show_case(case(task(answer())), task=0)
    assert panel.task_chips == ("1",)


def test_words_are_found_from_place_to_place(panel: TranscriptPanel) -> None:
    panel.open_find()
    QTest.keyClicks(panel.find_bar.words, "second")
    assert panel.find_bar.count_words == "1 of 1"
    panel.find_bar.words.clear()
    QTest.keyClicks(panel.find_bar.words, "there")
    assert panel.view.current == (1, USER_STEP)
    assert block(panel.view, (1, USER_STEP), "user").selected_text == "there"
    panel.find_bar.words.clear()
    QTest.keyClicks(panel.find_bar.words, "oslo")
    assert panel.view.open_task == 0


def test_enter_goes_to_the_next_place_and_round_again(panel: TranscriptPanel) -> None:
    panel.open_find()
    QTest.keyClicks(panel.find_bar.words, "city")
    assert panel.find_bar.count_words == "1 of 2"
    QTest.keyClick(panel.find_bar.words, Qt.Key.Key_Return)
    assert panel.find_bar.count_words == "2 of 2"
    QTest.keyClick(panel.find_bar.words, Qt.Key.Key_Return)
    assert panel.find_bar.count_words == "1 of 2"


def test_words_nobody_said_are_not_found(panel: TranscriptPanel) -> None:
    panel.open_find()
    QTest.keyClicks(panel.find_bar.words, "zebra")
    assert panel.find_bar.count_words == "not found"


def test_the_bar_closes_and_the_keys_go_back_to_the_cards(panel: TranscriptPanel) -> None:
    panel.open_find()
    panel.close_find()
    assert panel.find_bar.isHidden()
