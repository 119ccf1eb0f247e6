"""The small pieces of the page: chips that give way, choices by digit, the clock, words about places."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.cases.history import RevisionRow
from annotator.project.policy import ReviewPolicy
from scoring.model.labels import Citation, DialogueSource
from scoring.model.taxonomy import CheckAnswer, Policy, SourceMark, Stage
from tests.ui.workbench.cases import parcel_case
from ui.theme import Chip
from ui.theme.stepper import Progress, Stepper, stations
from ui.theme.words import POLICY
from ui.workbench.activity import clock_words
from ui.workbench.assessing import origin_words
from ui.workbench.case_bar import stage_stations
from ui.workbench.checklist_section import ChecklistSection
from ui.workbench.chip_row import ChipRow
from ui.workbench.choice import ChoiceField
from ui.workbench.comments_tab import place_name
from ui.workbench.history_tab import revision_words
from ui.workbench.labels_section import YesNo
from ui.workbench.review_tab import ReviewTab


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "00:00"), (134.9, "02:14"), (3600, "1:00:00"), (3725, "1:02:05")]
)
def test_the_clock_counts_minutes_and_hours(seconds: float, words: str) -> None:
    assert clock_words(seconds) == words


def test_a_solo_project_has_neither_cross_check_nor_expert_among_its_stages() -> None:
    names = [station.words for station in stage_stations(Stage.SELF_CHECK_TASK, ReviewPolicy(solo=True))]
    assert names == ["Imported", "Self-check, tasks", "Self-check, dialogue", "Final"]


def test_the_present_stage_is_the_one_after_those_done() -> None:
    found = stage_stations(Stage.CROSS_CHECK, ReviewPolicy())
    assert [station.progress for station in found] == [
        *[Progress.DONE] * 3,
        Progress.NOW,
        *[Progress.AHEAD] * 2,
    ]


def test_a_narrow_stepper_shows_the_present_station_and_its_neighbours(
    qtbot: QtBot, light: QApplication
) -> None:
    stepper = Stepper()
    qtbot.addWidget(stepper)
    stepper.show_stations(stations(("Imported", "Self-check", "Cross-check", "Expert", "Final"), 2))
    seen = []
    for width in (stepper.sizeHint().width(), stepper.sizeHint().width() - 40, 120):
        stepper.resize(width, 24)
        seen.append(stepper.shown)
    assert [len(shown) for shown in seen] == [5, 3, 1]
    assert seen[1:] == [("Self-check", "Cross-check", "Expert"), ("Cross-check",)]


def test_chips_that_do_not_fit_are_left_out_from_the_right(qtbot: QtBot, light: QApplication) -> None:
    row = ChipRow()
    qtbot.addWidget(row)
    chips = [Chip(f"{number} findings") for number in range(3)]
    for chip in chips:
        row.add(chip)
    row.show()
    row.resize(3 * chips[0].sizeHint().width() + 40, 28)
    assert [chip.isVisible() for chip in chips] == [True, True, True]
    row.resize(2 * chips[0].sizeHint().width() + 12, 28)
    assert [chip.isVisible() for chip in chips] == [True, True, False]
    row.want(chips[0], on=False)
    assert [chip.isVisible() for chip in chips] == [False, True, True]


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
    section.show_answers({"retention": CheckAnswer.FAIL})
    tab.resize(324, 600)  # the side panel of a window 1280 pixels wide
    tab.show()
    inside = tab.widget()
    assert inside is not None
    assert inside.width() <= tab.viewport().width()
    long, short = section.item("retention").box, section.item("completed").box
    assert long.toolTip() == long.text()
    assert short.toolTip() == ""


def test_an_item_can_fail_or_not_apply(qtbot: QtBot, light: QApplication) -> None:
    section = ChecklistSection("Checklist", {"facts": "Facts match", "language": "Natural"})
    qtbot.addWidget(section)
    section.show()
    answers: list[tuple[str, object]] = []
    section.answered.connect(lambda item, answer: answers.append((item, answer)))
    box = section.item("facts").box
    QTest.keyClick(box, Qt.Key.Key_F)
    QTest.keyClick(box, Qt.Key.Key_Minus)
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert answers == [
        ("facts", CheckAnswer.FAIL),
        ("facts", CheckAnswer.NOT_APPLICABLE),
        ("facts", CheckAnswer.PASS),
    ]
    section.show_answers({"facts": CheckAnswer.FAIL})
    assert section.heading == "Checklist · 1 of 2"
    assert not box.isChecked()


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
        parent_id=None,
        author="ann",
        stage=stage,
        reason=reason,
        at=datetime(2026, 11, 20, tzinfo=UTC),
        sha256="0" * 64,
    )
    assert revision_words(row) == words
