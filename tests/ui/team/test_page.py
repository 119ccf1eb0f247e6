"""The team page on the sample project: people and policy."""

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.project.creation import create_workspace
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.review.queue.assignments import held_by
from annotator.review.queue.claims import claim_next
from scoring.errors import ForbiddenError
from tests.postgres import Server
from tests.ui.find import find
from tests.ui.team.opening import Opened
from ui.services.operations import Operations
from ui.team.page import TeamPage


def _rows(page: TeamPage) -> dict[str, list[str]]:
    model = find(page, QTableView, "people").model()
    rows = [[str(model.index(row, column).data()) for column in range(4)] for row in range(model.rowCount())]
    return {row[0]: row[1:] for row in rows}


def _mark(page: TeamPage, name: str) -> None:
    table = find(page, QTableView, "people")
    table.selectRow(list(_rows(page)).index(name))


def test_everybody_is_listed_with_roles_and_state(opened: Opened) -> None:
    page = opened.open(login_name())
    assert _rows(page)["expert-1"] == ["expert", "none", "active"]
    assert find(page, QLabel, "people-count").text() == "5 people"


def test_a_manager_adds_a_person(opened: Opened) -> None:
    page = opened.open(login_name())
    QTest.keyClick(page, Qt.Key.Key_A)
    dialog = find(page, QDialog, "person-dialog")
    QTest.keyClicks(find(dialog, QLineEdit, "person-name"), "zoe")
    find(dialog, QCheckBox, "person-roles-expert").setChecked(True)
    QTest.keyClicks(find(dialog, QLineEdit, "person-password"), "correct horse")
    QTest.mouseClick(find(dialog, QPushButton, "person-go"), Qt.MouseButton.LeftButton)
    opened.settle()
    assert _rows(page)["zoe"] == ["annotator, expert", "set", "active"]
    with pytest.raises(ForbiddenError):
        open_workspace(opened.project, "zoe", password="wrong")
    open_workspace(opened.project, "zoe", password="correct horse").close()


def test_a_project_in_a_file_has_no_invitations(opened: Opened) -> None:
    page = opened.open(login_name())
    invite = find(page, QPushButton, "team-invite")
    assert not invite.isEnabled()
    assert "only a team project has invitations" in invite.toolTip()


def test_whoever_was_added_is_selected_and_their_invitation_is_copied(
    qtbot: QtBot, closed_operations: Operations, postgres: Server
) -> None:
    with postgres.database() as name:
        address = postgres.url_of(name)
        create_workspace(address, name="Delivery 08", person="boss").close()
        opened = Opened(qtbot, closed_operations, address)
        page = opened.open("boss")
        QTest.keyClick(page, Qt.Key.Key_A)
        QTest.keyClicks(find(page, QLineEdit, "person-name"), "ana")
        QTest.mouseClick(find(page, QPushButton, "person-go"), Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: "ana" in _rows(page))
        QTest.keyClick(page, Qt.Key.Key_I)
        opened.settle()
        copied = QGuiApplication.clipboard().text()
        assert "Your name in the project: ana" in copied
        assert 'the project "Delivery 08"' in copied
        assert "works on this computer only" in find(page, QWidget, "team-notice").accessibleName()
        closed_operations.close()
        shiboken6.delete(opened.window)


@pytest.mark.parametrize(
    ("name", "reason"), [("", "Fill in “Name”."), ("ann-1", "ann-1 is in the project already.")]
)
def test_a_name_that_cannot_be_is_refused_while_typing(opened: Opened, name: str, reason: str) -> None:
    page = opened.open(login_name())
    page.ask_person()
    dialog = find(page, QDialog, "person-dialog")
    QTest.keyClicks(find(dialog, QLineEdit, "person-name"), name)
    assert find(dialog, QPushButton, "person-go").toolTip() == reason
    dialog.close()


def _disable(opened: Opened, page: TeamPage) -> None:
    opened.press_d(page, lambda: bool(page.findChildren(QDialog, "disable-dialog")))
    dialog = find(page, QDialog, "disable-dialog")
    QTest.mouseClick(find(dialog, QPushButton, "disable-go"), Qt.MouseButton.LeftButton)
    opened.settle()


def test_before_a_person_is_disabled_it_says_what_goes_to_others(opened: Opened) -> None:
    workspace = open_workspace(opened.project, "ann-1")
    claim_next(workspace)
    workspace.close()
    page = opened.open(login_name())
    _mark(page, "ann-1")
    opened.press_d(page, lambda: bool(page.findChildren(QDialog, "disable-dialog")))
    dialog = find(page, QDialog, "disable-dialog")
    said = [label.text() for label in dialog.findChildren(QLabel)]
    assert "1 case of ann-1: anybody may take over; drafts are kept." in said
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    opened.settle()
    assert _rows(page)["ann-1"][2] == "active"


def test_a_person_is_disabled_and_enabled_again(opened: Opened) -> None:
    page = opened.open(login_name())
    _mark(page, "ann-2")
    _disable(opened, page)
    assert _rows(page)["ann-2"][2] == "disabled"
    assert find(page, QPushButton, "team-activity").text() == "Enable"
    opened.press_d(page, lambda: _rows(page)["ann-2"][2] == "active")


def _until_away(opened: Opened, page: TeamPage, name: str) -> None:
    """Say on the page that somebody is away until the end of time."""
    _mark(page, name)
    QTest.keyClick(page, Qt.Key.Key_W)
    dialog = find(page, QDialog, "away-dialog")
    QTest.keyClicks(find(dialog, QLineEdit, "away-day"), "9999-12-31")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    opened.settle()


def test_the_work_of_whoever_is_away_is_shared_out_after_a_look_ahead(opened: Opened) -> None:
    workspace = open_workspace(opened.project, "ann-1")
    claim_next(workspace)
    page = opened.open(login_name())
    _until_away(opened, page, "ann-1")
    assert _rows(page)["ann-1"][2] == "away until 9999-12-31"
    dialog = find(page, QDialog, "change-confirm-dialog")
    said = [label.text() for label in dialog.findChildren(QLabel)]
    assert "Share out the work of ann-1" in said
    assert any(line.startswith("1 case: 1 change,") for line in said)
    QTest.mouseClick(find(dialog, QPushButton, "change-confirm-go"), Qt.MouseButton.LeftButton)
    opened.settle()
    assert find(page, QLabel, "error-message").text().startswith("1 case: 1 changed,")
    assert held_by(workspace, name="ann-1") == ()
    workspace.close()
    QTest.keyClick(page, Qt.Key.Key_S)
    opened.settle()
    assert find(page, QLabel, "error-message").text() == "ann-1 holds no cases."
    QTest.keyClick(page, Qt.Key.Key_W)
    find(page, QLineEdit, "away-day").clear()
    QTest.keyClick(find(page, QDialog, "away-dialog"), Qt.Key.Key_Return)
    opened.settle()
    assert _rows(page)["ann-1"][2] == "active"


def test_one_key_tells_who_could_take_what_nobody_takes_and_why_not(opened: Opened, qtbot: QtBot) -> None:
    page = opened.open(login_name())
    for name in _rows(page):
        if "annotator" in _rows(page)[name][0]:
            _until_away(opened, page, name)
    second = find(page, QPushButton, "lead-2")  # the first says that there are too few annotators
    qtbot.waitUntil(lambda: second.text() == "Who and why…", timeout=5000)
    QTest.keyClick(page, Qt.Key.Key_2)
    opened.settle()
    table = find(find(page, QDialog, "pool-dialog"), QTableView, "pool").model()
    lines = [[str(table.index(row, column).data()) for column in (2, 3)] for row in range(table.rowCount())]
    assert "Is away until 9999-12-31." in {why for why, _ in lines}


def test_roles_are_changed(opened: Opened) -> None:
    page = opened.open(login_name())
    _mark(page, "ann-2")
    QTest.keyClick(page, Qt.Key.Key_R)
    dialog = find(page, QDialog, "roles-dialog")
    find(dialog, QCheckBox, "person-roles-annotator").setChecked(False)
    go = find(dialog, QPushButton, "roles-go")
    assert go.toolTip() == "Choose at least one role."
    find(dialog, QCheckBox, "person-roles-expert").setChecked(True)
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    opened.settle()
    assert _rows(page)["ann-2"] == ["expert", "none", "active"]


def test_the_only_manager_keeps_the_role(opened: Opened) -> None:
    page = opened.open(login_name())
    _mark(page, login_name())
    QTest.keyClick(page, Qt.Key.Key_R)
    dialog = find(page, QDialog, "roles-dialog")
    find(dialog, QCheckBox, "person-roles-manager").setChecked(False)
    QTest.mouseClick(find(dialog, QPushButton, "roles-go"), Qt.MouseButton.LeftButton)
    opened.settle()
    assert "manager" in _rows(page)[login_name()][0]
    assert "only manager" in find(page, QLabel, "error-message").text()


def test_the_only_manager_cannot_be_disabled(opened: Opened) -> None:
    page = opened.open(login_name())
    _mark(page, login_name())
    _disable(opened, page)
    assert "only manager" in find(page, QLabel, "error-message").text()


def test_a_password_is_typed_twice(opened: Opened) -> None:
    page = opened.open(login_name())
    _mark(page, "ann-3")
    QTest.keyClick(page, Qt.Key.Key_P)
    dialog = find(page, QDialog, "password-dialog")
    QTest.keyClicks(find(dialog, QLineEdit, "password-first"), "correct horse")
    go = find(dialog, QPushButton, "password-go")
    assert go.toolTip() == "The passwords do not match."
    QTest.keyClicks(find(dialog, QLineEdit, "password-second"), "correct horse")
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    opened.settle()
    assert _rows(page)["ann-3"][1] == "set"


def test_an_annotator_may_only_set_an_own_password(opened: Opened) -> None:
    page = opened.open("ann-1")
    add, password = find(page, QPushButton, "team-add"), find(page, QPushButton, "team-password")
    assert (add.isEnabled(), add.toolTip()) == (False, "Only managers change people and policy.")
    _mark(page, "ann-1")
    assert password.isEnabled()
    _mark(page, "ann-2")
    assert not password.isEnabled()
    assert not find(page, QSpinBox, "policy-reviewers").isEnabled()


def test_a_changed_policy_is_saved(opened: Opened) -> None:
    page = opened.open(login_name())
    save = find(page, QPushButton, "policy-save")
    assert save.toolTip() == "No changes."
    find(page, QSpinBox, "policy-reviewers").setValue(3)
    find(page, QDoubleSpinBox, "policy-sample_share").setValue(25)
    assert page.unsaved_words()
    QTest.keyClick(page, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    opened.settle()
    assert (opened.policy().reviewers, opened.policy().sample_share) == (3, 0.25)
    assert page.unsaved_words() == ""
    assert not save.isEnabled()


def test_a_policy_that_does_not_fit_is_refused_while_it_is_typed(opened: Opened) -> None:
    page = opened.open(login_name())
    find(page, QLineEdit, "policy-seed").setText("s" * 61)
    assert "seed" in find(page, QLabel, "policy-state").text()
    assert "seed" in find(page, QPushButton, "policy-save").toolTip()
    assert page.unsaved_words()
