"""The top of the Workload tab: who is wrong against the final content, and what is behind it."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QTabBar
from pytestqt.qtbot import QtBot

from annotator.review.expert.decisions import Decision, Own
from annotator.review.policy_changes import change_review_policy
from scoring.model.taxonomy import Policy, Verdict
from tests.annotator.team import Team, team_on, two_step_case
from tests.ui.find import find
from tests.ui.team.test_panels import WORKLOAD, Opened, opened
from ui.services.errors import ErrorBanner
from ui.team.lead_tasks import LeadTasks
from ui.team.page import TeamPage
from ui.theme import ElidedLabel
from ui.theme.fields import DropDown
from ui.theme.tables import FigureTable
from ui.theme.tokens import Tone

__all__ = ["opened"]
PEOPLE = 0


def _judge(team: Team) -> None:
    """Twelve final cases of ann's: bob takes serial for mixed on two of three, c-13 is wrong of all."""
    change_review_policy(team["max"], ("case_threshold=0.9", "expert_sample=false"))
    numbers = range(12)
    team.bring(*(two_step_case(f"c-{number}") for number in (*numbers, 13)))
    for number in numbers:
        team.self_check("ann", f"c-{number}")
        wrong = {0: Policy.MULTI_MIXED} if number % 3 else None
        team.cross_check("bob", f"c-{number}", policies=wrong)
        team.cross_check("cleo", f"c-{number}")
    team.self_check("ann", "c-13")
    team.cross_check("bob", "c-13")
    team.cross_check("cleo", "c-13", verdict=Verdict.ESCALATE)
    kind: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    team.decide("c-13", Decision(fields=kind, verdict=Verdict.APPROVE))


@pytest.fixture
def project(sqlite_path: Path, tmp_path: Path) -> str:
    with team_on(str(sqlite_path), tmp_path) as team:
        team.walk(_judge)
    return str(sqlite_path)


def _lines(page: TeamPage, name: str) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in find(page, FigureTable, name).rows]


def test_who_is_wrong_most_leads_the_tab_with_what_is_taken_for_what(
    qtbot: QtBot, opened: Opened, project: str
) -> None:
    page = opened.open(project, "max", WORKLOAD)
    # A policy and an edge of 13 cases: bob has 8 policies wrong and, like everybody, the edge of c-13.
    bob, *others = find(page, FigureTable, "errors").rows
    assert [row.cells[0].text for row in (bob, *others)] == ["bob", "ann", "cleo"]
    assert bob.cells[1].chip is Tone.ERROR
    assert bob.cells[1].tip.startswith("9 of 26 labels (34.6 %). The whole interval")
    assert [row.cells[1].chip for row in others] == [Tone.NEUTRAL] * 2
    assert bob.cells[3].text == "policy: Multi, serial → Multi, mixed, 8 of 13"
    low, middle, high = bob.cells[2].span or (0, 0, 0)
    assert 0 < low < middle < high == 1
    words = find(page, ElidedLabel, "errors-words")
    assert words.text() == "78 labels of 13 cases, blind and own · all wrong on 1 item"
    assert _lines(page, "confusions") == [["Multi, mixed", "8"], ["Multi, serial", "5"]]
    assert find(page, QLabel, "errors-verdict").text().startswith("16 of 16 others had it right")
    cases = find(page, FigureTable, "error-cases")
    numbers = (1, 2, 4, 5, 7, 8, 10, 11, 13)
    assert [row.cells[0].text for row in cases.rows] == [f"c-{number}" for number in numbers]
    cases.setFocus()
    with qtbot.waitSignal(page.case_wanted) as asked:
        QTest.keyClick(cases, Qt.Key.Key_Return)
    assert asked.args == ["c-1"]


def test_another_person_and_another_policy_are_shown(opened: Opened, project: str) -> None:
    page = opened.open(project, "max", WORKLOAD)
    find(page, FigureTable, "errors").mark("ann")
    assert _lines(page, "confusions") == [["logical", "12", "1"]]
    assert find(page, QLabel, "errors-verdict").text().endswith("look at the guideline first.")
    policies = find(page, DropDown, "errors-policy")
    policies.setCurrentIndex(policies.findData(Policy.CHAT))
    opened.settle()
    assert _lines(page, "errors") == _lines(page, "error-cases") == []


def test_what_the_figures_rest_on_is_whole_at_a_common_width(opened: Opened, project: str) -> None:
    page = opened.open(project, "max", WORKLOAD)
    page.window().resize(1376, 836)  # a window of 1440 pixels, without the rail
    opened.settle()
    words = find(page, ElidedLabel, "errors-words")
    words.setText(words.text().replace("78", "12,345").replace("13", "1,234").replace("1 item", "123 items"))
    assert len(words.text()) > 60
    opened.settle()
    assert words.shown_text == words.text()


def test_a_person_sees_their_own_line_alone(opened: Opened, project: str) -> None:
    page = opened.open(project, "bob", WORKLOAD)
    assert [line[0] for line in _lines(page, "errors")] == ["bob"]
    assert not find(page, QLabel, "errors-verdict").text()
    assert "all wrong" not in find(page, QLabel, "errors-words").text()
    assert find(page, QTabBar, "team-tabs").currentIndex() == WORKLOAD


def test_what_a_lead_should_do_now_stands_above_the_tabs_and_a_key_leads_to_it(
    opened: Opened, project: str
) -> None:
    page = opened.open(project, "max", PEOPLE)
    said = [find(page, QLabel, f"lead-words-{number}") for number in (1, 2, 3)]
    assert said[0].text().startswith("bob is wrong more often than the others: 9 of ")
    assert said[1].text() == "All who judged were wrong on 1 item: look at the guideline. c-13."
    assert [one.isVisible() for one in said] == [True, True, False]
    tabs = find(page, QTabBar, "team-tabs")
    QTest.keyClick(page.window(), Qt.Key.Key_3)  # there is no third task
    assert tabs.currentIndex() == PEOPLE
    QTest.keyClick(page.window(), Qt.Key.Key_1)
    assert tabs.currentIndex() == WORKLOAD


def test_the_list_follows_what_the_policy_asks_for(opened: Opened, project: str) -> None:
    page = opened.open(project, "max", PEOPLE)
    opened.operations.run(lambda workspace: change_review_policy(workspace, ("reviewers=5",)))
    opened.settle()
    words = find(page, QLabel, "lead-words-1").text()
    assert words.startswith("A case needs 5 cross-checkers besides the owner; ")
    assert find(page, QPushButton, "lead-1").text() == "Policy"


def test_who_does_not_lead_has_no_such_list(opened: Opened, project: str) -> None:
    page = opened.open(project, "ann", PEOPLE)
    assert not find(page, LeadTasks, "lead-tasks").isVisible()
    assert not find(page, ErrorBanner, "team-notice").isVisible()  # nor a refusal
