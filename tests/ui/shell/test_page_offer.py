"""The offer of a page stands above the pages until the page suits the person no more."""

from pathlib import Path

import shiboken6
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from annotator.review.queue.claims import claim_next
from annotator.review.queue.queue_status import waiting_for
from tests.annotator.team import team_on, two_step_case
from ui.services.operations import Operations
from ui.shell.extensions import Offer
from ui.shell.offers import PageOffer


def test_the_offer_stays_over_page_changes_until_it_suits_no_more(
    qtbot: QtBot, sqlite_path: Path, tmp_path: Path
) -> None:
    operations = Operations(retry_milliseconds=20)
    still = Offer(
        "training", "New?", "Judge a case.", "Begin", lambda workspace: not waiting_for(workspace).held
    )
    offer, page = PageOffer(operations, still), QWidget()
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
        claim_next(team["ann"])
        offer.step_aside(page)
        qtbot.waitUntil(lambda: not offer.isVisible())
    operations.close()
    shiboken6.delete(operations)
