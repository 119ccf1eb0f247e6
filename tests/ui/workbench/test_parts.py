"""The small pieces of the page: chips that give way, choices by digit, the clock, words about places."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.history import RevisionRow
from annotator.drafts.assessment import origin_words
from annotator.drafts.checklists import Item, Proof, ProofKind
from annotator.project.policy import ReviewPolicy
from scoring.model.labels import (
    CASE_CHECKLIST,
    Citation,
    DialogueSource,
    Finding,
    Judgment,
    TaskLabels,
    Waiver,
)
from scoring.model.taxonomy import CheckAnswer, Policy, Severity, SourceMark, Stage
from scoring.wording import POLICY
from tests.annotator.drafts.cases import parcel_case
from tests.factories import answer, case, task
from tests.ui.find import find
from tests.ui.workbench.driving import click
from ui.desk.case_bar import CaseBar, clock_words, stage_path
from ui.desk.case_view import field_of
from ui.desk.tabs.comments_tab import place_name
from ui.desk.tabs.history_tab import revision_words
from ui.desk.tabs.judgment_sections import CallsSection, ChecklistSection, LabelsSection, YesNo
from ui.desk.tabs.review_tab import ReviewTab
from ui.desk.tabs.section import ChoiceField
from ui.dialogue.content import USER_STEP


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "00:00"), (134.9, "02:14"), (3600, "1:00:00"), (3725, "1:02:05")]
)
def test_the_clock_counts_minutes_and_hours(seconds: float, words: str) -> None:
    assert clock_words(seconds) == words


def test_a_solo_project_has_neither_cross_check_nor_expert_among_its_stages() -> None:
    words, now = stage_path(Stage.SELF_CHECK_TASK, ReviewPolicy(solo=True), task_count=2)
    assert words == ("Imported", "Self-check, tasks", "Self-check, dialogue", "Final")
    assert now == 1


@pytest.mark.parametrize(("tasks", "dialogue_check"), [(1, True), (1, False), (3, False)])
def test_one_self_check_is_one_stage(tasks: int, dialogue_check: bool) -> None:
    policy = ReviewPolicy(solo=True, dialogue_check=dialogue_check)
    found = stage_path(Stage.SELF_CHECK_TASK, policy, task_count=tasks)
    assert found == (("Imported", "Self-check", "Final"), 1)


def test_who_is_at_a_second_self_check_sees_it() -> None:
    words, now = stage_path(Stage.SELF_CHECK_DIALOGUE, ReviewPolicy(dialogue_check=False), task_count=1)
    assert words[now] == "Self-check, dialogue"


def test_the_bar_names_the_stage_and_how_far_the_case_is(qtbot: QtBot, light: QApplication) -> None:
    bar = CaseBar()
    qtbot.addWidget(bar)
    shown = case(task(answer()), task(answer()))
    bar.show_case(shown, "", stage=Stage.CROSS_CHECK, round_=1, is_blind=True, policy=ReviewPolicy())
    stage = find(bar, QLabel, "case-stage")
    assert stage.text() == "Cross-check · 4 of 6"
    assert stage.toolTip().startswith("Stages: Imported → Self-check, tasks → ")


def test_a_digit_on_the_field_chooses_and_zero_takes_it_off(qtbot: QtBot, light: QApplication) -> None:
    field = ChoiceField("Policy", POLICY, empty="Choose")
    qtbot.addWidget(field)
    field.show()
    chosen: list[object] = []
    field.chosen.connect(chosen.append)
    for key in (Qt.Key.Key_2, Qt.Key.Key_9, Qt.Key.Key_0):
        QTest.keyClick(field, key)
    assert chosen == [Policy.MULTI_SERIAL, None]


def test_saying_the_same_again_takes_it_back(qtbot: QtBot, light: QApplication) -> None:
    said = YesNo("Task completed")
    qtbot.addWidget(said)
    chosen: list[object] = []
    said.chosen.connect(chosen.append)
    said.yes.click()
    said.show_value(True)
    said.yes.click()
    said.no.click()
    assert chosen == [True, None, False]


def test_the_dialogue_checklist_fits_a_narrow_column_and_cut_sentences_have_a_tooltip(
    qtbot: QtBot, light: QApplication
) -> None:
    tab = ReviewTab()
    qtbot.addWidget(tab)
    section = tab.case_checklist
    items = [Item(name, None) for name in CASE_CHECKLIST]
    said = Judgment(tasks=(), checklist={"retention": CheckAnswer.FAIL})
    section.show_items(items, said, following=None)
    tab.resize(324, 600)  # the side panel of a window 1280 pixels wide
    tab.show()
    inside = tab.widget()
    assert inside is not None
    assert inside.width() <= tab.viewport().width()
    long, short = section.items["retention"].box, section.items["completed"].box
    assert long.toolTip() == long.text()
    assert short.toolTip() == ""


@pytest.mark.parametrize("letters", [60, 4000])
def test_a_long_value_without_spaces_pushes_nothing_out_of_the_review_panel(
    qtbot: QtBot, light: QApplication, letters: int
) -> None:
    tab = ReviewTab()
    qtbot.addWidget(tab)
    message = f"token of logIn is “{'x' * letters}”, which nothing said or returned before this call holds."
    found = Finding(rule="args.unsourced", severity=Severity.WARNING, message=message, task=0, step=0)
    waiver = Waiver(rule=found.rule, where=found.where, reason="x" * letters)
    tab.findings.show_findings((found,), (waiver,))
    tab.resize(324, 600)
    tab.show()
    inside = tab.widget()
    assert inside is not None
    assert inside.width() <= tab.viewport().width()
    row = tab.findings.row(found)
    assert row is not None
    assert "x" * letters in row.hint.words


def test_the_first_task_is_not_asked_for_its_information(qtbot: QtBot, light: QApplication) -> None:
    section = LabelsSection()
    qtbot.addWidget(section)
    section.show()
    shown = []
    for number, found in enumerate(parcel_case().tasks):
        section.show_task(number, found, TaskLabels())
        shown.append(section.information.isVisible())
    assert shown == [False, True]


def test_an_item_can_fail_or_not_apply(qtbot: QtBot, light: QApplication) -> None:
    section = ChecklistSection("Checklist", {"facts": "Facts match", "language": "Natural"})
    qtbot.addWidget(section)
    section.show()
    answers: list[tuple[str, object]] = []
    section.answered.connect(lambda item, answer: answers.append((item, answer)))
    box = section.items["facts"].box
    QTest.keyClick(box, Qt.Key.Key_F)
    QTest.keyClick(box, Qt.Key.Key_Minus)
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert answers == [
        ("facts", CheckAnswer.FAIL),
        ("facts", CheckAnswer.NOT_APPLICABLE),
        ("facts", CheckAnswer.PASS),
    ]
    items = [Item("facts", None), Item("language", None)]
    section.show_items(items, Judgment(tasks=(), checklist={"facts": CheckAnswer.FAIL}), following=None)
    assert section.heading.accessibleName() == "Checklist · 1 of 2"
    assert not box.isChecked()


def test_an_item_of_the_team_has_a_row_while_it_is_asked(qtbot: QtBot, light: QApplication) -> None:
    section = ChecklistSection("Checklist", {"facts": "Facts match", "hidden": "Hidden"})
    qtbot.addWidget(section)
    section.show()
    polite, judgment = "The tone is polite", Judgment(tasks=(TaskLabels(),))
    proved = Item("hidden", 0, Proof(ProofKind.DRAWING, ("single",)))  # the button for it stands behind all
    items = [Item("facts", 0), proved, Item(polite, 0)]
    section.show_items(items, judgment, following=items[2])
    row = section.items[polite]
    assert (row.box.text(), row.isVisible(), row.is_explained) == (polite, True, True)
    assert row.words.text() == "Your team asks this of every task."
    with qtbot.waitSignal(section.answered) as answered:
        QTest.keyClick(row.box, Qt.Key.Key_F)
    assert answered.args == [polite, CheckAnswer.FAIL]
    section.activateWindow()
    qtbot.waitUntil(section.isActiveWindow)
    section.items["facts"].box.setFocus()
    QTest.keyClick(section.items["facts"].box, Qt.Key.Key_Down)
    assert row.box.hasFocus()
    section.show_items(items[:1], judgment, following=items[0])
    assert not row.isVisible()


def test_what_is_proved_is_folded_away_and_can_be_spoken_against(qtbot: QtBot, light: QApplication) -> None:
    section = ChecklistSection("Checklist", {"facts": "Facts match", "language": "Natural", "hidden": "H"})
    qtbot.addWidget(section)
    section.show()
    items = [Item("facts", 0, Proof(ProofKind.DRAWING, ("single",))), Item("language", 0)]
    section.show_items(items, Judgment(tasks=(TaskLabels(),)), following=items[1])
    shown = [name for name in ("facts", "language", "hidden") if section.items[name].isVisible()]
    assert shown == ["language"]
    assert section.items["language"].words.isVisible()
    assert section.fold.text() == "▸ 1 item proved by the program"
    section.fold.click()
    assert section.items["facts"].isVisible()
    assert section.items["facts"].proof.text() == "The label says what the drawing shows: single."
    answers: list[object] = []
    section.answered.connect(lambda item, answer: answers.append((item, answer)))
    QTest.keyClick(section.items["facts"].box, Qt.Key.Key_Space)
    assert answers == []
    QTest.keyClick(section.items["facts"].box, Qt.Key.Key_F)
    assert answers == [("facts", CheckAnswer.FAIL)]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (SourceMark.DEFAULT, "default"),
        (DialogueSource(text="now"), "now"),
        (DialogueSource(task=0, text="user"), "task 1 · request"),
        (DialogueSource(text="user"), "request"),
        (DialogueSource(task=0, step=0, path="/depot"), "task 1 · call 0 /depot"),
        (DialogueSource(step=0, text="reply"), "reply 0"),
        (DialogueSource(task=0, step=2), "task 1 · answer"),
    ],
)
def test_an_origin_is_said_in_a_few_words(source: DialogueSource | SourceMark, words: str) -> None:
    citation = Citation(task=1, step=1, path="/depot", source=source)
    assert origin_words(parcel_case(), citation) == words


@pytest.mark.parametrize(
    ("source", "field"),
    [
        (DialogueSource(task=0, text="user"), (0, USER_STEP, "user")),
        (DialogueSource(text="user"), (1, USER_STEP, "user")),
        (DialogueSource(task=0, step=0, path="/depot"), (0, 0, "observation")),
        (DialogueSource(task=0, step=2), (0, 2, "text")),
        (DialogueSource(step=0, text="reply"), (1, 0, "reply")),
    ],
)
def test_an_origin_leads_to_its_card_and_field(source: DialogueSource, field: tuple[int, int, str]) -> None:
    assert field_of(source, parcel_case(), task=1) == field


def test_places_count_tasks_from_one() -> None:
    assert place_name("task 2 step 1 /city") == "task 3 step 1 /city"
    assert place_name("case") == "case"


@pytest.mark.parametrize(
    ("stage", "reason", "words"),
    [
        (Stage.IMPORTED, "imported", "Imported"),
        (Stage.SELF_CHECK_TASK, "self_check_task: approve", "Self-check, tasks · approve"),
        (Stage.EXPERT, "", "Expert"),
    ],
)
def test_a_revision_says_its_stage_once(stage: Stage, reason: str, words: str) -> None:
    row = RevisionRow(
        id=1,
        number=1,
        author="ann",
        stage=stage,
        reason=reason,
        at=datetime(2026, 11, 20, tzinfo=UTC),
        sha256="0" * 64,
    )
    assert revision_words(row) == words


def test_a_click_beside_a_call_says_of_this_call_that_it_is_right_or_wrong(
    qtbot: QtBot, light: QApplication
) -> None:
    section = CallsSection()
    qtbot.addWidget(section)
    section.show()
    for said, wanted in ((False, 1), (True, 0)):  # its rows serve one task after the other
        section.show_task(parcel_case().tasks[0], TaskLabels(calls_correct=(None, None)))
        choice = find(section, QWidget, f"judge-call-{wanted}").findChildren(YesNo)[0]
        with qtbot.waitSignal(section.judged) as judged:
            click(choice.yes if said else choice.no)
        assert judged.args == [wanted, said]
