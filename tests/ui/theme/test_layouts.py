"""What is laid out in rows and columns."""

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from ui.theme.layouts import STRETCH, clear_layout, fill, lay, vbox


def _texts(whole: QWidget) -> list[str]:
    shown = (whole.layout().itemAt(place).widget() for place in range(whole.layout().count()))  # type: ignore[union-attr]
    return [label.text() for label in shown if isinstance(label, QLabel)]


def test_a_member_that_is_none_takes_no_place(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    column = vbox(QLabel("first"), None, QLabel("second"), within=whole)
    lay(column, None, (QLabel("third"), 1), STRETCH)
    assert _texts(whole) == ["first", "second", "third"]
    assert column.count() == 4
    assert column.stretch(2) == 1


def test_others_take_the_place_of_what_a_column_holds(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    column = vbox(QLabel("before"), STRETCH, within=whole)
    fill(column, (QLabel(text) for text in ("one", "two")))
    assert _texts(whole) == ["one", "two"]
    clear_layout(column)
    assert _texts(whole) == []
