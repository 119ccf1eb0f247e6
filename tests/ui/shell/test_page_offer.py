"""What is offered to who is new stands above the first page only, until it suits no more or is declined."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotator.review.queue.claims import claim_next
from annotator.review.queue.queue_status import waiting_for
from tests.annotator.team import Team, team_on, two_step_case
from tests.ui.find import find
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.extensions import Offer
from ui.shell.offers import PageOffer
from ui.theme.layouts import build

OFFER = Offer(
    ("tour", "training"),
    "New?",
    "Judge a case.",
    ("See", "Begin"),
    lambda workspace: not waiting_for(workspace).held,
)


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    with team_on(str(sqlite_path), tmp_path) as found:
        found.bring(two_step_case())
        yield found


@pytest.fixture
def operations(qtbot: QtBot, team: Team) -> Iterator[Operations]:
    """Ann's way to the project."""
    found = Operations(retry_milliseconds=20)
    with qtbot.waitSignal(found.opened):
        found.open(team.url, "ann")
    yield found
    found.close()
    shiboken6.delete(found)


@pytest.fixture
def offer(qtbot: QtBot, operations: Operations, preferences: Preferences) -> PageOffer:
    found = PageOffer(operations, preferences, OFFER)
    qtbot.addWidget(found)
    return found


def page(qtbot: QtBot, name: str) -> QWidget:
    found = build(QWidget, objectName=name)
    qtbot.addWidget(found)
    return found


def test_the_offer_stands_above_the_first_page_until_it_suits_no_more(
    qtbot: QtBot, team: Team, operations: Operations, offer: PageOffer
) -> None:
    queue, runs = page(qtbot, "queue-page"), page(qtbot, "runs-page")
    offer.follow(queue)
    qtbot.waitUntil(offer.isVisible)
    offer.follow(runs)
    qtbot.waitUntil(lambda: operations.pending_count == 0)
    assert not offer.isVisible()
    offer.follow(queue)
    qtbot.waitUntil(offer.isVisible)
    claim_next(team["ann"])
    offer.follow(queue)
    qtbot.waitUntil(lambda: operations.pending_count == 0)
    assert not offer.isVisible()


def test_each_button_leads_to_its_page(qtbot: QtBot, offer: PageOffer) -> None:
    for page_id in ("tour", "training"):
        with qtbot.waitSignal(offer.accepted) as asked:
            find(offer, QPushButton, f"offer-{page_id}").click()
        assert asked.args == [page_id]


def test_who_declined_is_not_asked_again_and_others_are(
    qtbot: QtBot, operations: Operations, preferences: Preferences, offer: PageOffer
) -> None:
    queue = page(qtbot, "queue-page")
    offer.follow(queue)
    qtbot.waitUntil(offer.isVisible)
    find(offer, QPushButton, "offer-later").click()
    assert not offer.isVisible()
    assert preferences.settings.declined == ("ann",)
    offer.follow(queue)
    qtbot.waitUntil(lambda: operations.pending_count == 0)
    assert not offer.isVisible()
    preferences.change(declined=("bob",))
    offer.follow(queue)
    qtbot.waitUntil(offer.isVisible)
