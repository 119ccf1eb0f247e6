"""What waits for the expert: listed between two cases, handed to another, taken over in the open."""

from contextlib import closing
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from annotator.project.people import add_person
from annotator.project.workspace import open_workspace
from annotator.review.queue.assignments import hand_case
from annotator.review.queue.expert_list import expert_list
from scoring.model.taxonomy import Role, Verdict
from tests.annotator.team import Team, two_step_case
from tests.ui.adjudication.driving import Court
from tests.ui.find import find
from ui.theme.dialogs import FormDialog
from ui.theme.tables import FigureTable


@pytest.fixture
def team(team: Team) -> Team:
    """Two disputes, the older one two days old, and a second expert."""
    add_person(team["max"], name="fay", roles=(Role.EXPERT,), password=None)
    for case_id in ("old-1", "new-1"):
        team.bring(two_step_case(case_id))
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id, verdict=Verdict.ESCALATE)
        team.clock.forward(days=2)
    return team


def _lines(court: Court) -> list[list[str]]:
    table = find(court.page, FigureTable, "adjudication-waiting")
    return [[cell.text for cell in row.cells] for row in table.rows]


def _handed(court: Court) -> dict[str, str | None]:
    return {row.case_id: row.handed_to for row in expert_list(court.team["max"])}


def test_between_cases_the_oldest_wait_is_first_and_says_why(court: Court) -> None:
    court.wait(lambda: len(_lines(court)) == 2)
    assert [line[0] for line in _lines(court)] == ["old-1", "new-1"]
    assert {line[2] for line in _lines(court)} == {"escalated: not all reviewers approved"}
    assert find(court.page, QLabel, "adjudication-expert-words").text() == "2 cases, the longest wait first"
    table = find(court.page, FigureTable, "adjudication-waiting")
    table.mark("new-1")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Return)
    court.wait(lambda: court.page.document is not None)
    assert court.document.adjudication.case_id == "new-1"


def test_h_hands_a_case_to_another_expert_and_back_to_nobody(court: Court) -> None:
    court.wait(lambda: len(_lines(court)) == 2)

    def is_handed(name: str | None) -> bool:
        return _handed(court)["old-1"] == name and _lines(court)[0][4] == (name or "")

    for wanted, name in (("fay", "fay"), ("Nobody in particular", None)):
        QTest.keyClick(court.window, Qt.Key.Key_H)
        dialog = find(court.page, FormDialog, "hand-dialog")
        find(dialog, QComboBox, "hand-to").setCurrentText(wanted)
        QTest.mouseClick(find(dialog, QPushButton, "hand-go"), Qt.MouseButton.LeftButton)
        court.wait(partial(is_handed, name))


def test_a_case_handed_to_another_is_faint_and_taking_it_over_is_said(court: Court) -> None:
    hand_case(court.team["max"], "old-1", to="fay")
    court.page.waiting.refresh()
    court.wait(lambda: [line[4] for line in _lines(court)] == ["fay", ""])
    words = find(court.page, QLabel, "adjudication-expert-words").text()
    assert words == "2 cases, 1 offered by N, the longest wait first"
    court.press("N")
    court.wait(lambda: court.page.document is not None)
    assert court.document.adjudication.case_id == "new-1"  # not the older one, which is fay's
    court.page.close_case()
    court.open("old-1")
    court.wait(lambda: "handed to fay; you have taken it over" in court.page.bar.words)
    with closing(open_workspace(court.team.url, "fay")) as fay:
        seen = {row.case_id: row.deciding for row in expert_list(fay, person="fay")}
    assert seen["old-1"] == "eve"
