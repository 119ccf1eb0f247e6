"""A card shows what is said, what is folded away, and what the checks found."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from scoring.model.case import Task
from scoring.model.labels import Waiver
from tests.factories import answer, case, task
from tests.ui.dialogue.dialogue import block, dialogue, differs, editor
from tests.ui.find import find
from ui.dialogue.content import USER_STEP, ActionRequest, CardNotes
from ui.dialogue.view import DialogueView
from ui.theme import ElidedLabel, Hint, apply_theme

LEFT = Qt.MouseButton.LeftButton


def line_of(part: QWidget) -> str:
    """What stands beside the heading of a part."""
    return part.findChildren(ElidedLabel)[0].text()


def test_markdown_is_shown_as_it_is_meant(view: DialogueView) -> None:
    assert block(view, (1, 2), "text").text == "Fine\nAll good."


def test_a_card_changes_in_place(view: DialogueView) -> None:
    before = view.column.card((1, 2))
    tasks = list(dialogue().tasks)
    tasks[1] = task(*tasks[1].steps[:2], answer("Other."), user="And there?")
    view.show_case(dialogue().model_copy(update={"tasks": tuple(tasks)}), task=1)
    assert view.column.card((1, 2)) is before
    assert block(view, (1, 2), "text").text == "Other."


def test_observations_are_folded_until_asked_for(view: DialogueView) -> None:
    card = view.select(1, 0)
    assert card is not None
    part = card.part("observation")
    assert part is not None
    assert part.shown_text == ""
    assert line_of(part) == "rows[2]: 1; 2"
    QTest.keyClick(view, Qt.Key.Key_O)
    assert part.shown_text == '{ "rows": [1, 2] }'


def test_an_unfolded_observation_stays_so_in_the_next_value_and_after_a_visit(view: DialogueView) -> None:
    view.select(1, 0)
    QTest.keyClick(view, Qt.Key.Key_O)
    view.select(0, USER_STEP)
    card = view.select(1, 0)
    assert card is not None
    part = card.part("observation")
    assert part is not None
    assert not part.is_folded


def test_an_observation_that_was_not_recorded_says_so(view: DialogueView) -> None:
    card = view.select(1, 1)
    assert card is not None
    part = card.part("observation")
    assert part is not None
    assert line_of(part) == "not recorded"


def test_a_finding_offers_its_proposal(view: DialogueView, qtbot: QtBot) -> None:
    view.show_case(dialogue(), task=1, notes=CardNotes(findings=[differs()]))
    card = view.column.card((1, 0))
    assert card is not None
    assert card.hint_words == ("Value differs from its source. Said with a space.",)
    with qtbot.waitSignal(view.action_requested) as signal:
        QTest.mouseClick(find(card, QPushButton, "action-settle"), LEFT)
    assert signal.args == [ActionRequest(name="settle", task=1, step=0, finding=differs())]


def test_a_card_has_room_for_a_finding_at_once_and_in_another_size(
    view: DialogueView, light: QApplication
) -> None:
    card = view.column.card((1, 0))
    assert card is not None
    before = card.height()
    view.show_case(dialogue(), task=1, notes=CardNotes(findings=[differs()]))
    hint = find(card, Hint, "hint-args.differs")
    assert card.height() >= before + hint.minimumSizeHint().height()
    apply_theme(light, dark=False, scale=1.5)
    assert card.height() >= card.minimumSizeHint().height()
    assert find(card, Hint, "hint-args.differs").isVisible()
    apply_theme(light, dark=False)


def test_a_waived_finding_offers_nothing_more(view: DialogueView) -> None:
    waiver = Waiver(rule="args.differs", where="task 1 step 0 /city", reason="spelt so")
    view.show_case(dialogue(), task=1, notes=CardNotes(findings=[differs()], waivers=[waiver]))
    card = view.column.card((1, 0))
    assert card is not None
    assert not card.findChildren(QPushButton)
    assert "Waived with a reason" in card.hint_words[0]


def test_e_asks_to_cite_and_t_for_another_tool(view: DialogueView, qtbot: QtBot) -> None:
    view.select(1, 0)
    for key, name in ((Qt.Key.Key_E, "cite"), (Qt.Key.Key_T, "tool")):
        with qtbot.waitSignal(view.action_requested) as signal:
            QTest.keyClick(view, key)
        assert signal.args == [ActionRequest(name=name, task=1, step=0)]


def test_a_click_on_a_value_names_it(view: DialogueView, qtbot: QtBot) -> None:
    arguments = block(view, (1, 1), "arguments")
    with qtbot.waitSignal(view.value_clicked) as signal:
        QTest.mouseClick(arguments, LEFT, pos=QPoint(30, arguments.height() // 2))
    assert signal.args == [1, 1, "/day"]


def test_colours_follow_a_switch_of_the_theme(view: DialogueView, qapp: QApplication) -> None:
    before = view.grab().toImage()
    apply_theme(qapp, dark=True)
    assert view.grab().toImage() != before
    assert block(view, (1, 2), "text").text == "Fine\nAll good."


def test_a_very_long_text_is_read_in_part_and_edited_whole(view: DialogueView) -> None:
    view.show_case(case(Task(user="word " * 10_000)), task=0)
    assert block(view, (0, USER_STEP), "user").text.endswith("30,000 more characters; editing shows them all")
    view.begin_edit(0, USER_STEP)
    assert len(editor(view).toPlainText()) == 50_000
