"""The Attention tab: catch rates with interval and n, and what is said where nothing is measured."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from annotator.review.attention.defects import DefectKind
from annotator.review.measures.attention import Attention, Told, catch_rates
from annotator.review.measures.workload import MyDay
from db.read.rows import CatchRow
from scoring.measures.rates import rate
from tests.ui.find import find
from ui.queue.preview import Today, day_lines
from ui.team.reports import CATCH_COLUMNS, TOLD_COLUMNS, attention_head
from ui.theme.tables import rows_of

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def found(*caught: bool, kind: DefectKind = DefectKind.VALUE) -> list[CatchRow]:
    """Ann's submissions of one category."""
    row = partial(CatchRow, person="ann", kind=kind.value, is_valid=True, case_id="c-7", defect="", at=NOON)
    return [row(is_caught=one) for one in caught]


def test_a_line_for_all_categories_and_one_for_each_with_interval_and_n() -> None:
    rates = catch_rates([*found(True, True, False), *found(True, kind=DefectKind.ANSWER)])
    lines = [tuple(column.cell_of(one).text for column in CATCH_COLUMNS) for one in rates]
    # Wilson (1927), 3 of 4: (0.75 + 3.84/8 ± 1.96 √(0.1875/4 + 3.84/64)) / (1 + 3.84/4) = 0.30 to 0.95
    assert lines == [
        ("ann", "all categories", "", "75.0 %", "30 to 95", "4"),
        ("ann", "answer contradicts an observation", "", "100.0 %", "21 to 100", "1"),
        ("ann", "value from the wrong observation", "", "66.7 %", "21 to 94", "3"),
    ]


def test_whose_interval_lies_below_that_of_the_others_stands_first_and_is_named() -> None:
    hasty = [replace(row, person="zoe") for row in found(*[False] * 8, True)]
    rates = catch_rates([*found(*[True] * 9), *hasty])
    rows = [[column.cell_of(one).text for column in CATCH_COLUMNS] for one in rates]
    # Wilson: 1 of 9 reaches up to 0.44, 9 of 9 down to 0.70.
    assert [row[0] for row in rows] == ["zoe", "zoe", "ann", "ann"]
    assert [row[2] for row in rows] == ["below the others", "", "", ""]
    few = [replace(row, person="zoe") for row in found(False, True)]
    assert not any(one.is_below for one in catch_rates([*found(True, True), *few]))
    assert not any(one.is_below for one in catch_rates(hasty))


def test_the_head_says_the_share_the_sources_and_what_no_longer_counts() -> None:
    some = Attention(share=0.05, source_count=3, rates=(), dropped_count=2)
    words = attention_head(some)
    assert "5 % of new cases" in words
    assert "from 3 gold cases" in words
    assert "2 not counted" in words
    none = some.model_copy(update={"source_count": 0})
    assert "no final case is marked gold" in attention_head(none)
    assert "Known-answer cases" in attention_head(none)
    assert "attention_share" not in attention_head(none)


def test_what_was_planted_is_listed_with_its_outcome() -> None:
    one = Told(person="ann", case_id="c-7", planted="Task 1: …", is_caught=True, is_counted=True, at=NOON)
    others = one.model_copy(update={"is_caught": False}), one.model_copy(update={"is_counted": False})
    rows = rows_of(TOLD_COLUMNS, (one, *others), key=attrgetter("case_id"))
    assert [row.cells[3].text for row in rows] == ["caught", "missed", "not counted"]
    assert [cell.text for cell in rows[0].cells[:3]] == ["ann", "c-7", "Task 1: …"]


def test_everybody_reads_in_their_day_that_attention_is_measured(qtbot: QtBot) -> None:
    since = datetime(2026, 11, 20, tzinfo=UTC)
    day = MyDay(since=since, finished=2, median_seconds=60, agreement=rate(0, 0))
    assert len(day_lines(day)) == 3
    panel = Today()
    qtbot.addWidget(panel)
    panel.show_day(day)
    assert find(panel, QLabel, "today-attention").isHidden()
    panel.show_day(day.model_copy(update={"attention_share": 0.05, "caught": rate(3, 4)}))
    words = find(panel, QLabel, "today-attention")
    assert not words.isHidden()
    assert words.text().startswith("5 % of your new cases are known-answer cases")
    assert find(panel, QLabel, "today-4").text() == "0.75"
