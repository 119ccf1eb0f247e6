"""What stands on the agreement page."""

from PySide6.QtWidgets import QLabel, QWidget

from scoring.agreement.rated_cases import RatedField
from tests.ui.find import find
from ui.agreement.page import AgreementPage
from ui.theme.tables import FigureTable


def words_of(page: QWidget, name: str) -> str:
    """The words of a label."""
    return find(page, QLabel, name).text()


def table_of(page: AgreementPage, name: str) -> FigureTable:
    """A table of the page."""
    return find(page, FigureTable, name)


def line_of(page: AgreementPage, field: RatedField) -> list[str]:
    """The words of the line of a field."""
    [row] = [row for row in table_of(page, "fields").rows if row.key is field]
    return [cell.text for cell in row.cells]


def tip_of(page: AgreementPage, field: RatedField, column: int) -> str:
    """The tooltip of a field in a column."""
    [row] = [row for row in table_of(page, "fields").rows if row.key is field]
    return row.cells[column].tip
