"""What the queue page shows, read as its people would."""

from PySide6.QtWidgets import (
    QLabel,
    QTableView,
)
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from tests.ui.settling import is_settled
from ui.queue.case_table import COLUMNS
from ui.queue.page import QueuePage
from ui.services.operations import Operations


def place_of(order: str) -> int:
    """Where the column with an order stands."""
    return next(place for place, column in enumerate(COLUMNS) if column.order == order)


def cases_of(page: QueuePage) -> QTableView:
    return find(page, QTableView, "cases")


def ids_of(page: QueuePage) -> list[str]:
    model = cases_of(page).model()
    return [str(model.index(row, place_of("case")).data()) for row in range(model.rowCount())]


def count_of(page: QueuePage) -> str:
    return find(page, QLabel, "case-count").text()


def settle(qtbot: QtBot, operations: Operations) -> None:
    qtbot.waitUntil(lambda: is_settled(operations))
