"""The review policy on the team page: typed as people write it, checked live, taken from and to a file."""

import json
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import func, select

from annotator.project.changes import Changes
from annotator.project.people import login_name
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import open_workspace
from annotator.review.policy_changes import change_review_policy
from db.tables import Event
from tests.ui.find import find
from tests.ui.team.opening import Opened
from ui.team.policy_panel import PolicyPanel


def _saves(opened: Opened) -> int:
    workspace = open_workspace(opened.project, login_name())
    try:
        return workspace.read(
            lambda tx: tx.scalar(select(func.count()).where(Event.action == "project:policy:set")) or 0
        )
    finally:
        workspace.close()


def test_a_stranger_in_a_pair_is_told_while_typing(opened: Opened) -> None:
    page = opened.open(login_name())
    find(page, QLineEdit, "policy-pairs").setText("ann-1, nobody")
    assert find(page, QLabel, "policy-state").text() == (
        "The value for pairs names nobody, who is not in this project."
    )
    assert not find(page, QPushButton, "policy-save").isEnabled()
    find(page, QLineEdit, "policy-pairs").setText("ann-1, ann-2")
    QTest.keyClick(page, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    opened.settle()
    assert opened.policy().pairs == (("ann-1", "ann-2"),)


def test_only_the_field_with_the_problem_is_marked(opened: Opened) -> None:
    page = opened.open(login_name())
    fields = {key: find(page, QLineEdit, f"policy-{key}") for key in ("pairs", "seed")}
    fields["seed"].setText("another")
    fields["pairs"].setText("ann-1, seed")
    assert {key: field.property("problem") for key, field in fields.items()} == {"pairs": "yes", "seed": "no"}


def test_a_problem_stands_beside_its_field_until_it_is_gone(opened: Opened) -> None:
    page = opened.open(login_name())
    form = find(page, QWidget, "policy-fields")
    find(page, QLineEdit, "policy-pairs").setText("ann-1")
    words = "a pair has two or more people, and nobody is in two pairs."
    assert [label.text() for label in _problems(form)] == [find(page, QLabel, "policy-state").text()]
    assert _problems(form)[0].text().endswith(words)
    find(page, QLineEdit, "policy-pairs").setText("ann-1, ann-2")
    assert _problems(form) == []


def _problems(form: QWidget) -> list[QLabel]:
    labels = form.findChildren(QLabel)
    return [one for one in labels if one.property("look") == "error" and one.isVisibleTo(form)]


def test_guidelines_are_written_a_line_each_and_shown_so_again(opened: Opened) -> None:
    lines = ("policy.single: One call.", "policy.single right: Where is it?")
    page = opened.open(login_name())
    note = find(page, QPlainTextEdit, "policy-guidelines")
    assert note.height() < note.width() > find(page, QLineEdit, "policy-seed").width() / 2
    note.setPlainText("\n".join(lines))
    QTest.keyClick(page, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    opened.settle()
    assert opened.policy().guidelines == lines
    assert note.toPlainText() == "\n".join(lines)


def test_a_line_without_a_topic_is_told_beside_the_guidelines(opened: Opened) -> None:
    page = opened.open(login_name())
    find(page, QPlainTextEdit, "policy-guidelines").setPlainText("One call.")
    (problem,) = _problems(find(page, QWidget, "policy-fields"))
    assert "policy.single: One call" in problem.text()
    assert not find(page, QPushButton, "policy-save").isEnabled()


def test_what_holds_only_with_another_setting_is_edited_only_with_it(opened: Opened) -> None:
    page = opened.open(login_name())
    pairing, pairs = find(page, QComboBox, "policy-pairing"), find(page, QLineEdit, "policy-pairs")
    assert not pairs.isEnabled()
    pairing.setCurrentText("swap")
    assert pairs.isEnabled()


def test_a_policy_nobody_can_fulfil_is_told_before_and_after_it_is_saved(opened: Opened) -> None:
    page = opened.open(login_name())
    label = find(page, QLabel, "policy-shortages")
    before = label.text()
    find(page, QSpinBox, "policy-reviewers").setValue(5)
    words = label.text()
    assert re.search(r"needs 5 cross-checkers besides the owner; the project has \d active annotators", words)
    assert (before, label.isVisible()) == ("", True)
    QTest.keyClick(page, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    opened.settle()
    assert opened.policy().reviewers == 5
    assert (label.isVisible(), label.text()) == (True, words)
    assert find(page, QLabel, "error-message").text() == "Review policy saved."
    find(page, QSpinBox, "policy-reviewers").setValue(2)
    assert not label.isVisible()


def test_a_policy_goes_into_a_file_and_comes_back_as_a_change_to_be_saved(
    opened: Opened,
    tmp_path: Path,
) -> None:
    page = opened.open(login_name())
    file = tmp_path / "policy.json"
    panel = page.findChild(PolicyPanel)
    assert panel is not None
    find(page, QSpinBox, "policy-reviewers").setValue(3)
    panel.export_to(str(file))
    opened.settle()
    values = json.loads(file.read_text(encoding="utf-8"))
    assert (values["reviewers"], set(values)) == (3, set(ReviewPolicy.model_fields))
    panel.undo()
    assert page.unsaved_words() == ""
    panel.import_from(str(file))
    assert find(page, QSpinBox, "policy-reviewers").value() == 3
    assert opened.policy().reviewers == 2
    find(page, QSpinBox, "policy-lease_minutes").setValue(90)
    panel.save()
    opened.settle()
    assert (opened.policy().reviewers, opened.policy().lease_minutes) == (3, 90)
    assert _saves(opened) == 1


@pytest.mark.parametrize(
    ("text", "words"), [("{", "is not JSON"), ("[]", "holds no policy"), ('{"reviewers": 9}', "reviewers")]
)
def test_a_file_that_is_no_policy_changes_nothing_and_says_why(
    opened: Opened,
    tmp_path: Path,
    text: str,
    words: str,
) -> None:
    page = opened.open(login_name())
    file = tmp_path / "policy.json"
    file.write_text(text, encoding="utf-8")
    panel = page.findChild(PolicyPanel)
    assert panel is not None
    panel.import_from(str(file))
    assert words in find(page, QLabel, "error-message").text()
    assert page.unsaved_words() == ""


def test_only_managers_take_a_policy_from_a_file(opened: Opened) -> None:
    page = opened.open("ann-1")
    assert not find(page, QPushButton, "policy-import").isEnabled()
    assert find(page, QPushButton, "policy-export").isEnabled()


def test_what_others_change_meanwhile_is_told_and_ones_own_changes_stay(qtbot: QtBot, opened: Opened) -> None:
    page = opened.open(login_name())
    reviewers, lease = (find(page, QSpinBox, f"policy-{key}") for key in ("reviewers", "lease_minutes"))
    lease.setValue(30)
    workspace = open_workspace(opened.project, login_name())
    change_review_policy(workspace, ("reviewers=4",))
    workspace.close()
    opened.operations.changed.emit(Changes(has_policy=True), None)  # as the feed of the window does
    qtbot.waitUntil(lambda: reviewers.value() == 4)
    assert lease.value() == 30
    assert (
        find(page, QLabel, "error-message")
        .text()
        .startswith("Somebody else changed the policy: reviewers. Your unsaved changes stay.")
    )
    assert find(page, QPushButton, "policy-save").isEnabled()
    QTest.keyClick(page, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    opened.settle()
    assert (opened.policy().reviewers, opened.policy().lease_minutes) == (4, 30)
