"""The offer of the training above the pages goes once somebody has judged a case."""

from pathlib import Path

import shiboken6
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.annotator.team import team_on, two_step_case
from ui.services.operations import Operations
from ui.shell.offers import TrainingOffer


def test_the_offer_stays_over_page_changes_until_a_case_was_judged(
    qtbot: QtBot, sqlite_path: Path, tmp_path: Path
) -> None:
    operations = Operations(retry_milliseconds=20)
    offer, page = TrainingOffer(operations), QWidget()
    qtbot.addWidget(offer)
    qtbot.addWidget(page)
    with team_on(str(sqlite_path), tmp_path) as team:
        team.bring(two_step_case())
        with qtbot.waitSignal(operations.opened):
            operations.open(team.url, "ann")
        offer.ask()
        qtbot.waitUntil(offer.isVisible)
        offer.step_aside(page)
        qtbot.waitUntil(lambda: operations.pending_count == 0)
        assert offer.isVisible()
        team.self_check("ann", "c-1")
        offer.step_aside(page)
        qtbot.waitUntil(lambda: not offer.isVisible())
    operations.close()
    shiboken6.delete(operations)
