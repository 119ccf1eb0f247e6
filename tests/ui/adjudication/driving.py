"""The adjudication page, driven by keys as an expert would, and the dispute it is about."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.editing import set_answer_text
from annotator.review.governing import set_policy
from scoring.model.case import Case
from scoring.model.labels import without_labels
from scoring.model.taxonomy import EdgeKind, Information, Policy, Verdict
from tests.annotator.team import Team, two_step_case
from tests.factories import answer, call, case, task, tool
from ui.adjudication.decision_document import DecisionDocument
from ui.adjudication.page import AdjudicationPage
from ui.operations import Operations

if TYPE_CHECKING:
    from scoring.model.record import JsonObject


@dataclass
class Court:
    """The page in its window."""

    qtbot: QtBot
    window: QMainWindow
    page: AdjudicationPage
    operations: Operations
    team: Team

    @property
    def document(self) -> DecisionDocument:
        """The decision that is being made."""
        assert self.page.document is not None
        return self.page.document

    def open(self, case_id: str = "c-1") -> None:
        """Open a case and wait until it is shown."""
        self.page.open_case(case_id)
        self.wait(lambda: self.page.document is not None)

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        self.qtbot.waitUntil(condition, timeout=8000)

    def press(self, *keys: str) -> None:
        """Press keys in Qt's portable writing, where the focus is."""
        for key in keys:
            stroke = QKeySequence(key)[0]  # type: ignore[index]  # the stubs leave it out
            QTest.keyClick(self.target, stroke.key(), stroke.keyboardModifiers())

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        QTest.keyClicks(self.target, text)

    @property
    def target(self) -> QWidget:
        """Who gets the keys."""
        return QApplication.activePopupWidget() or QApplication.focusWidget() or self.window

    def row_id(self) -> str:
        """Id of the current row."""
        row = self.page.columns.table.row
        assert row is not None
        return row.id


def bring_dispute(team: Team) -> None:
    """A case on which bob says serial with an edge and proposes a text, and cleo parallel without one."""
    case = two_step_case()
    team.bring(case)
    team.self_check("ann", "c-1")
    edit = set_answer_text(without_labels(case), 0, text="It went on from Hamar-7.")
    team.cross_check("bob", "c-1", edges={0: [(0, 1, EdgeKind.PARAMETER)]}, edit=edit)
    team.cross_check("cleo", "c-1", edges={0: []}, policies={0: Policy.MULTI_PARALLEL})


def three_step_case() -> Case:
    """Three calls, of which the third takes what the first brought, and an answer."""
    where: JsonObject = {"type": "string"}
    return case(
        task(
            call("find", {"spot": "Nesttun-4"}, place="Bergen"),
            call("look", {"sky": "clear"}, place="Voss"),
            call("tell", {"ok": True}, place="Nesttun-4"),
            answer("Nesttun-4 is told, and Voss is clear."),
            user="Find a place in Bergen, look at Voss, and tell the place.",
            edges=[(0, 2)],
            policy=Policy.MULTI_MIXED,
            information=Information.FIRST,
        ),
        tools=[tool(name, required=["place"], place=where) for name in ("find", "look", "tell")],
    )


def bring_three_ways(team: Team) -> None:
    """A case three people drew: bob 0 to 2 for its value, cleo 0 to 1, dan 0 to 2 for its order.

    Bob and dan propose the same answer; cleo calls the policy parallel.
    """
    set_policy(team["max"], ("reviewers=3",))
    found = three_step_case()
    team.bring(found)
    team.self_check("ann", "c-1")
    edit = set_answer_text(without_labels(found), 0, text="Nesttun-4 is told.")
    team.cross_check("bob", "c-1", edges={0: [(0, 2, EdgeKind.PARAMETER)]}, edit=edit)
    edges = {0: [(0, 1, EdgeKind.LOGICAL)]}
    team.cross_check("cleo", "c-1", edges=edges, policies={0: Policy.MULTI_PARALLEL})
    team.cross_check("dan", "c-1", edges={0: [(0, 2, EdgeKind.LOGICAL)]}, edit=edit)


def bring_sample(team: Team) -> None:
    """A case everybody agreed on, drawn for verification."""
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")


def bring_owners_doubt(team: Team) -> None:
    """A case its owner escalated."""
    from annotator.review.claiming import claim_case
    from annotator.review.submitting import submission_key, submit
    from scoring.model.labels import Reason
    from scoring.model.taxonomy import FeedbackCategory
    from tests.annotator.team import approval

    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    reasons = (Reason(category=FeedbackCategory.OTHER, note="which depot?"),)
    judgment = approval(two_step_case()).model_copy(update={"verdict": Verdict.ESCALATE, "reasons": reasons})
    submit(team["ann"], held.id, judgment=judgment, key=submission_key())
