"""A project of an older version: the window says what an upgrade does, does it, and opens it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from annotator.resources import place_of_message
from db.care.upgrade import current_revision
from tests.ui.find import find
from tests.ui.settling import is_settled
from ui.services.errors import ManualLink
from ui.shell.main_window import MainWindow
from ui.shell.offers import UpgradeOffer


@pytest.fixture
def older(reviewed_project: str) -> Path:
    """The sample project as version 0001 had it: without what later ones added."""
    path = Path(reviewed_project)
    with closing(sqlite3.connect(path)) as connection:
        for index in ("ix_cases_stage", "ix_cases_owner_stage"):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("CREATE INDEX ix_cases_owner_stage ON cases (owner_id, stage, id)")
        connection.execute("DROP INDEX ix_judgments_person")
        for table in (
            "precedents",
            "tool_orders",
            "generation_requests",
            "generated_dialogues",
            "generations",
            "known_answers",
            "presence",
            "prompts",
        ):
            connection.execute(f"DROP TABLE {table}")
        for table, column in (
            ("judgments", "is_hasty"),
            ("batches", "due_on"),
            ("cases", "expert_id"),
            ("cases", "turn"),
            ("people", "away_until"),
        ):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("UPDATE annotator_revision SET version_num = '0001'")
        connection.commit()
    return path


@pytest.fixture
def offer(qtbot: QtBot, window: MainWindow, older: Path) -> UpgradeOffer:
    """What the window offers when the older project is opened in the name of ann-1."""
    window.entrance.open(str(older), "ann-1")
    found = window.entrance.upgrade_offer
    qtbot.waitUntil(found.isVisible)
    return found


def _inside(window: MainWindow) -> bool:
    return bool(window.ways.open_pages()) and is_settled(window.operations)


def test_an_older_project_is_offered_with_what_will_happen(offer: UpgradeOffer, older: Path) -> None:
    words = find(offer, QLabel, "upgrade-words").text().replace("\u200b", "")
    assert "from version 0001 to version 0010" in words
    assert f"Kept as it is now: {older}.bak-0001" in words
    assert "Takes a few seconds for " in words
    assert current_revision(str(older)) == "0001"


def test_return_upgrades_keeps_the_file_and_opens_it_in_the_same_name(
    qtbot: QtBot, window: MainWindow, offer: UpgradeOffer, older: Path
) -> None:
    go = find(offer, QPushButton, "upgrade-go")
    assert go.hasFocus()
    QTest.keyClick(go, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: _inside(window))
    assert current_revision(str(older)) == "0010"
    assert current_revision(f"{older}.bak-0001") == "0001"
    project = window.operations.project
    assert project is not None
    assert project.person is not None
    assert (project.person.name, window.banner.words) == ("ann-1", "")
    with closing(sqlite3.connect(older)) as reader:
        assert reader.execute("SELECT count(*) FROM precedents").fetchone()[0] > 0  # of what was approved


def test_every_step_of_an_upgrade_is_told(qtbot: QtBot, window: MainWindow, offer: UpgradeOffer) -> None:
    label, steps = find(offer, QLabel, "upgrade-step"), list[str]()
    window.entrance.told.connect(lambda _: steps.append(label.text()))
    find(offer, QPushButton, "upgrade-go").click()
    assert not find(offer, QPushButton, "upgrade-back").isEnabled()
    qtbot.waitUntil(lambda: _inside(window))
    assert steps == [
        "Copying the file …",
        "Changing the tables …",
        "Checking the chain of events …",
        "Putting the new file in place …",
    ]


def test_an_upgrade_that_cannot_be_says_what_to_do_and_is_tried_again(
    qtbot: QtBot, window: MainWindow, offer: UpgradeOffer, older: Path
) -> None:
    go, problem = find(offer, QPushButton, "upgrade-go"), find(offer, QLabel, "upgrade-problem")
    with closing(sqlite3.connect(older)) as somebody:
        somebody.execute("BEGIN IMMEDIATE")
        go.click()
        qtbot.waitUntil(problem.isVisible)
    assert "open in another program" in problem.text()
    assert (go.text(), go.isEnabled()) == ("Try again", True)
    link = find(offer, ManualLink, "upgrade-manual")
    assert link.isVisible()
    assert place_of_message(link.page.partition("#")[2])
    assert current_revision(str(older)) == "0001"
    QTest.keyClick(go, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: _inside(window))


def test_escape_leaves_an_older_project_as_it_is(
    qtbot: QtBot, window: MainWindow, offer: UpgradeOffer, older: Path
) -> None:
    QTest.keyClick(find(offer, QPushButton, "upgrade-go"), Qt.Key.Key_Escape)
    qtbot.waitUntil(window.entrance.welcome.isVisible)
    assert current_revision(str(older)) == "0001"
