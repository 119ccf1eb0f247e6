"""Errors reach people: what they can act on as a banner, bugs as a report they can copy."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from scoring.errors import BlockedError, ConflictError
from tests.ui.find import find
from tests.ui.untranslated import untranslated
from ui.services.errors import CrashDialog, ErrorBanner, ManualLink, crash_report
from ui.theme import Tone


def test_the_banner_shows_message_and_hint_until_it_is_closed(qtbot: QtBot) -> None:
    banner = ErrorBanner()
    qtbot.addWidget(banner)
    assert banner.words == ""
    banner.show_error(ConflictError("Somebody else changed the case.", "Reload it."))
    assert banner.words == "Somebody else changed the case. Reload it."
    with qtbot.waitSignal(banner.closed):
        QTest.mouseClick(find(banner, QToolButton, "error-close"), Qt.MouseButton.LeftButton)
    assert banner.words == ""


def test_a_warning_offers_its_page_of_the_manual_and_good_news_none(qtbot: QtBot) -> None:
    banner = ErrorBanner()
    qtbot.addWidget(banner)
    link = find(banner, ManualLink, "error-manual")
    banner.show_message("Copied.", tone=Tone.WARN, page="how_to/join_a_team.md")
    assert (link.isVisible(), link.page) == (True, "how_to/join_a_team.md")
    banner.show_message("Copied.", tone=Tone.OK, page="how_to/join_a_team.md")
    assert not link.isVisible()


def test_a_page_takes_no_room_for_a_banner_before_there_is_an_error(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    banner = ErrorBanner(page)
    page.show()
    assert not banner.isVisible()
    banner.show_error(ConflictError("Somebody else changed the case."))
    assert banner.isVisible()


def test_the_report_ends_with_what_was_raised_and_where() -> None:
    try:
        raise ZeroDivisionError("a bug")
    except ZeroDivisionError as error:
        report = crash_report(error)
    assert report.splitlines()[-1] == "ZeroDivisionError: a bug"
    assert "test_the_report_ends" in report


def test_the_report_names_no_password() -> None:
    cause = ValueError("cannot read postgresql://anna:hunter2@host/team?sslpassword=hunter2")
    error = RuntimeError("a bug")
    error.__cause__ = cause
    assert "hunter2" not in crash_report(error)
    assert "postgresql://anna@host/team" in crash_report(error)


def test_the_crash_dialog_copies_its_report_and_blocks_nothing(qtbot: QtBot) -> None:
    dialog = CrashDialog("the report", saved="Your draft is saved.")
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.isModal()
    QTest.mouseClick(find(dialog, QPushButton, "crash-copy"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "the report"


@pytest.mark.usefixtures("said_in_chinese")
def test_the_banner_says_every_point_of_a_message_in_the_language_of_the_window(qtbot: QtBot) -> None:
    banner = ErrorBanner()
    qtbot.addWidget(banner)
    points = "1. Task 1: choose the policy. 2. Task 2: is it completed?"
    banner.show_error(BlockedError(f"2 open: {points}", "Settle these, then submit again."))
    assert untranslated(banner.words) == []
