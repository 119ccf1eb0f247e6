"""Run by `test_pseudo_language.py`: an annotator's day in Chinese, each text written by an input method.

Training, a case of one's own through both rounds of its self-check, and the cross-check of another one; what
is on the screen on the way is looked at as in `pseudo_screens.py`.
"""

import re
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from annotator.project.workspace import Workspace, open_workspace
from annotator.release.sample_project import OWNER, REVIEWERS
from annotator.review.queue.case_rows import case_of
from scoring.model.taxonomy import Stage
from tests.ui.find import find
from tests.ui.shell.pseudo_screens import problems
from tests.ui.shell.pseudo_screens import spoken as spoken
from tests.ui.shell.test_chinese_input import commit, compose
from tests.ui.shell.test_screens import CROSS_CHECK, SELF_CHECK, settled_outline
from tests.ui.workbench.driving import Bench
from tests.ui.workbench.test_key_counts import settle
from ui.shell.main_window import MainWindow
from ui.training.page import TrainingPage
from ui.workbench.page import WorkbenchPage

WORDS = "核对无误，已按要求完成。"
SAID = re.compile("better|choice|ends|begins|registered|(locked|active) true")
"""Words of the cases that are quoted alone."""


@dataclass
class Desk(Bench):
    """The workbench of the whole window; texts are composed of letters, and chosen."""

    def type_text(self, text: str) -> None:
        """Write Chinese whatever text is meant: by an input method, as `text` has letters."""
        before = self.document.case
        for end in range(1, len("heduiwuwu") + 1):
            compose(self.target, "heduiwuwu"[:end])
        assert self.document.case == before
        commit(self.target, WORDS)


class Walk:
    """The window, and what was wrong on its pages."""

    def __init__(self, qtbot: QtBot, window: MainWindow, project: str) -> None:
        self.qtbot, self.window, self.project = qtbot, window, project
        self.wrong: list[str] = []

    def enter(self, person: str) -> None:
        """Open the project in a person's name."""
        self.window.entrance.open(self.project, person)
        self.qtbot.waitUntil(lambda: bool(self.window.ways.open_pages()))
        self.look(f"{person} came in")

    def look(self, name: str) -> None:
        """Wait until the screen is still, and look at every text."""
        settled_outline(self.qtbot, self.window)
        self.wrong += [f"{name}: {one}" for one in problems(self.window, content=SAID)]

    def stage_of(self, case_id: str) -> Stage:
        """Where a case stands."""
        workspace: Workspace = open_workspace(self.project, OWNER)
        stage = case_of(workspace, case_id).stage
        workspace.close()
        return stage

    def desk(self, case_id: str) -> Desk:
        """A case on the workbench."""
        self.window.ways.open_case(case_id)
        self.qtbot.waitUntil(lambda: bool(self.window.findChildren(WorkbenchPage)))
        [page] = self.window.findChildren(WorkbenchPage)
        desk = Desk(self.qtbot, self.window, page, self.window.commands, self.window.operations, None)  # type: ignore[arg-type]
        desk.wait(lambda: desk.is_open(case_id))
        self.look(f"{case_id} is open")
        return desk


@pytest.mark.usefixtures("no_folders", "light", "lasting_notes")
def test_an_annotators_day_in_chinese(qtbot: QtBot, window: MainWindow, reviewed_project: str) -> None:
    window.resize(1440, 900)
    walk = Walk(qtbot, window, reviewed_project)
    walk.enter(OWNER)
    train(walk)
    desk = walk.desk(SELF_CHECK)
    comment(walk, desk)
    for stage in (Stage.SELF_CHECK_DIALOGUE, Stage.CROSS_CHECK):
        settle(desk)
        walk.look(f"before {stage}")
        desk.press("Ctrl+Return")
        desk.wait(lambda stage=stage: walk.stage_of(SELF_CHECK) is stage)  # type: ignore[misc]
        walk.look(f"at {stage}")
        if stage is Stage.SELF_CHECK_DIALOGUE:
            desk.wait(lambda: desk.is_open(SELF_CHECK))
            desk.read_dialogue()
    walk.enter(REVIEWERS[0])
    desk = walk.desk(CROSS_CHECK)
    settle(desk)
    walk.look("before the cross-check is submitted")
    desk.press("Ctrl+Return")
    desk.wait(lambda: not desk.is_open(CROSS_CHECK))
    walk.look("the cross-check is submitted")
    assert not walk.wrong, "\n".join(dict.fromkeys(walk.wrong))


def train(walk: Walk) -> None:
    """Do the first training case."""
    walk.window.ways.show_page("training")
    walk.look("training")
    [page] = walk.window.findChildren(TrainingPage)
    page.open_lesson(0)
    page.panels.dialogue.view.setFocus(Qt.FocusReason.OtherFocusReason)
    walk.look("a training case")
    for number, key in enumerate(("P", "2", "P", "1", "Ctrl+PgDown", "P", "6", "Ctrl+Return"), 1):
        target = QApplication.activePopupWidget() or QApplication.focusWidget() or page
        QTest.keySequence(target, QKeySequence(key))
        walk.look(f"training, key {number}")
    assert page.lesson is not None
    assert page.lesson.id == "training-zh-2"


def comment(walk: Walk, desk: Desk) -> None:
    """Write a comment on the case."""
    desk.press("J", "Alt+M")
    field = find(desk.page, QPlainTextEdit, "comment-field")
    field.setFocus()
    desk.type_text("looked at")
    assert field.toPlainText() == WORDS
    walk.look("a comment")
    desk.press("Ctrl+Return")
    walk.look("a comment that was sent")
    desk.press("Esc")
