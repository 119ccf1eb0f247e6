"""A value that is pointed at, by mouse or keys, marks where it comes from, and a source its values."""

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent
from PySide6.QtWidgets import QApplication

from tests.ui.workbench.driving import Bench
from ui.dialogue.cards import CardView
from ui.dialogue.parts import PartView
from ui.theme import theme

BUTTON, KEYS = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier


def _card(bench: Bench, step: int) -> CardView:
    found = bench.panels.dialogue.view.column.card((0, step))
    assert found is not None
    return found


def _part(bench: Bench, step: int, field: str) -> PartView:
    found = _card(bench, step).part(field)
    assert found is not None
    return found


def _point(part: PartView, character: int) -> None:
    """Move the mouse over a character of the first line of code."""
    block, wide = part.block, QFontMetricsF(theme().mono(12)).horizontalAdvance("0")
    place = QPointF(
        theme().px(10) + (character + 0.5) * wide, block.box_of(character, character).center().y()
    )
    move = QMouseEvent(QEvent.Type.MouseMove, place, block.mapToGlobal(place), BUTTON, BUTTON, KEYS)
    QApplication.sendEvent(block, move)


def _marked(part: PartView) -> list[str]:
    return [link.selectedText() for link in part.block.links]


def test_a_value_marks_the_words_of_the_request_it_comes_from(bench: Bench) -> None:
    bench.open("c-1")
    arguments, user = _part(bench, 0, "arguments"), _part(bench, -1, "user")
    place = arguments.place_of("/number")
    assert place is not None
    _point(arguments, place[0] + 1)
    assert _marked(user) == ["P-881"]
    assert _card(bench, -1).is_linked
    QApplication.sendEvent(arguments.block, QEvent(QEvent.Type.Leave))
    assert _marked(user) == []
    assert not _card(bench, -1).is_linked


def test_a_value_marks_the_card_of_its_observation_while_that_is_folded(bench: Bench) -> None:
    bench.open("c-1")
    arguments, observation = _part(bench, 1, "arguments"), _part(bench, 0, "observation")
    place = arguments.place_of("/depot")
    assert place is not None
    assert observation.is_folded
    _point(arguments, place[0] + 1)
    assert _card(bench, 0).is_linked


def test_a_place_of_an_observation_marks_the_values_that_come_from_it(bench: Bench) -> None:
    bench.open("c-1")
    arguments, observation = _part(bench, 1, "arguments"), _part(bench, 0, "observation")
    _point(arguments, (arguments.place_of("/depot") or (0, 0))[0] + 1)
    observation.toggle_fold()
    source = next(
        path for path in ("/depot", "/depotId", "/parcel/depot") if observation.place_of(path) is not None
    )
    place = observation.place_of(source)
    assert place is not None
    _point(observation, place[0] + 1)
    assert len(_marked(arguments)) == 1
    assert _card(bench, 1).is_linked


def test_the_caret_marks_what_the_value_under_it_comes_from(bench: Bench) -> None:
    bench.open("c-1")
    arguments, user = _part(bench, 0, "arguments"), _part(bench, -1, "user")
    place = arguments.place_of("/number")
    assert place is not None
    bench.press("J", "Right", *["Right"] * (place[0] + 1))
    assert _marked(user) == ["P-881"]
