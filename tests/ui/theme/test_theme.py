"""A theme goes on, changes while windows are open, and reaches fonts, icons and the stylesheet."""

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QFontInfo, QImage, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot

from annotator.resources import resource_path, resource_text
from ui.theme import DARK, LIGHT, Density, apply_theme, icon, theme
from ui.theme.dialogs import FramedDialog
from ui.theme.events import follow_events
from ui.theme.layouts import build, column, hbox, vbox
from ui.theme.look import scaled, stylesheet


@pytest.fixture(autouse=True)
def light_again(qapp: QApplication) -> Iterator[None]:
    apply_theme(qapp, dark=False)
    yield
    apply_theme(qapp, dark=False)


def test_the_bundled_fonts_are_the_ones_on_screen(qapp: QApplication) -> None:
    assert QFontInfo(theme().sans()).family() == "Inter"
    assert QFontInfo(theme().mono()).family() == "JetBrains Mono"


def test_an_open_window_follows_when_the_theme_is_switched(qtbot: QtBot, qapp: QApplication) -> None:
    label = QLabel("words")
    qtbot.addWidget(label)
    label.show()
    label.ensurePolished()
    assert label.palette().color(QPalette.ColorRole.WindowText).name() == LIGHT.text
    apply_theme(qapp, dark=True)
    assert label.palette().color(QPalette.ColorRole.WindowText).name() == DARK.text
    assert theme().tokens is DARK


def test_what_is_put_together_from_the_inside_meets_the_style_sheet_once(
    qtbot: QtBot, qapp: QApplication
) -> None:
    label = QLabel("words")
    changes: list[None] = []
    follow_events(label, partial(changes.append, None), QEvent.Type.StyleChange)
    inside: QWidget = label
    for _ in range(6):
        inside = column(inside)
    assert not changes
    window = FramedDialog("it", "It", "It", width=300)
    qtbot.addWidget(window)
    window.frame.add(inside)
    assert len(changes) == 1


def test_a_window_made_later_and_what_opens_above_it_have_the_style_sheet(
    qtbot: QtBot, qapp: QApplication
) -> None:
    window = FramedDialog("it", "It", "It", width=300)
    above = FramedDialog("above", "Above", "Above", width=300, parent=window)
    qtbot.addWidget(window)
    fields = [build(QLineEdit, enabled=False), build(QLineEdit, enabled=False)]
    for dialog, field in zip((window, above), fields, strict=True):
        dialog.frame.add(field)
        dialog.show()
    for is_dark, tokens in ((False, LIGHT), (True, DARK)):
        apply_theme(qapp, dark=is_dark)
        assert {field.grab().toImage().pixelColor(20, 0).name() for field in fields} == {tokens.line}


def test_the_scale_grows_type_and_distances(qapp: QApplication) -> None:
    apply_theme(qapp, dark=False, scale=1.5)
    assert theme().px(8) == 12
    assert theme().sans(12).pixelSize() == 18


def test_lengths_given_once_follow_the_scale_of_an_open_window(qtbot: QtBot, qapp: QApplication) -> None:
    window, card = QWidget(), QLabel("words")
    qtbot.addWidget(window)
    inner = hbox(card, gap=8, margins=(12, 6))
    vbox(inner, within=window, gap=4)
    scaled(card, setFixedWidth=100, setContentsMargins=(1, 2, 3, 4))
    apply_theme(qapp, dark=False, scale=2.0)
    sides = inner.contentsMargins()
    assert (inner.spacing(), sides.left(), sides.top(), sides.right(), sides.bottom()) == (16, 24, 12, 24, 12)
    assert (card.width(), card.contentsMargins().bottom()) == (200, 8)


def test_a_click_is_sent_on_by_a_signal_and_tells_a_partial_nothing_of_its_own(qtbot: QtBot) -> None:
    heard: list[str] = []
    field = build(QLineEdit, returnPressed=partial(heard.append, "sent on"))
    build(QPushButton, "Go", clicked=field.returnPressed).click()
    build(QPushButton, "Go", clicked=partial(heard.append, "called")).click()
    assert heard == ["sent on", "called"]


def test_a_scale_beyond_200_percent_stays_at_200(qapp: QApplication) -> None:
    assert apply_theme(qapp, dark=False, scale=7).scale == 2.0


def test_compact_rows_are_lower_than_comfortable_ones(qapp: QApplication) -> None:
    comfortable = theme().row_height
    apply_theme(qapp, dark=False, density=Density.COMPACT)
    assert theme().row_height < comfortable


def test_the_stylesheet_scales_every_length_but_hairlines() -> None:
    plain, large = stylesheet(LIGHT), stylesheet(LIGHT, scale=1.25)
    assert "font-size: 12px" in plain
    assert "font-size: 15px" in large  # 12 * 1.25
    assert "border: 1px solid" in large


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_the_stylesheet_leaves_no_name_unfilled(tokens: object) -> None:
    assert "$" not in stylesheet(LIGHT if tokens is LIGHT else DARK)


def test_an_icon_changes_colour_with_the_theme(qapp: QApplication) -> None:
    gear = icon("gear")
    light = gear.pixmap(32, 32).toImage()
    apply_theme(qapp, dark=True)
    assert gear.pixmap(32, 32).toImage() != light


def test_an_unknown_icon_is_refused() -> None:
    with pytest.raises(KeyError):
        icon("no-such-picture")


def test_the_licence_of_every_bundled_font_lies_beside_it() -> None:
    licences = resource_text("fonts", "OFL.txt") + resource_text("fonts", "MIT.txt")
    fonts = [path for path in resource_path("fonts").iterdir() if path.suffix in {".otf", ".ttf"}]
    families = {path.stem.partition("-")[0] for path in fonts}
    assert "Phosphor" in families
    assert [family for family in families if family not in licences.replace(" ", "")] == []


def test_an_icon_paints_something(qapp: QApplication) -> None:
    image = icon("check-circle").pixmap(16, 16).toImage()
    assert any(image.pixelColor(x, y).alpha() for x in range(16) for y in range(16))


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_the_text_of_a_cell_begins_where_its_heading_does(
    qtbot: QtBot, qapp: QApplication, scale: float
) -> None:
    apply_theme(qapp, dark=False, scale=scale)
    table, model = QTableView(), QStandardItemModel(1, 1)
    qtbot.addWidget(table)
    model.setHorizontalHeaderLabels(["I"])
    model.setItem(0, 0, QStandardItem("I"))
    table.setModel(model)
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
    table.setShowGrid(False)
    table.resize(400, 200)
    table.show()
    index = model.index(0, 0)
    cell = table.viewport().grab(table.visualRect(index)).toImage()
    header = table.horizontalHeader()
    heading = header.viewport().grab(QRect(0, 0, header.sectionSize(0), header.height())).toImage()
    assert abs(_first_ink(cell) - _first_ink(heading)) <= 1


def _first_ink(image: QImage) -> int:
    """The leftmost column of a picture in which something dark stands."""
    columns = (
        x
        for x in range(image.width())
        if any(image.pixelColor(x, y).lightness() < 170 for y in range(image.height() - 2))
    )
    return next(columns)


def test_a_ticked_box_is_told_from_an_empty_one_where_neither_can_be_changed(
    qtbot: QtBot, qapp: QApplication
) -> None:
    window = QWidget()
    boxes = [build(QCheckBox, checked=ticked, enabled=False) for ticked in (True, False)]
    vbox(*boxes, within=window)
    qtbot.addWidget(window)
    window.show()
    ticked, empty = (box.grab(QRect(2, box.height() // 2 - 5, 10, 10)).toImage() for box in boxes)
    assert abs(_lightness(ticked) - _lightness(empty)) > 40


def _lightness(image: QImage) -> float:
    """Mean over the pixels, 0 to 255."""
    places = [(x, y) for x in range(image.width()) for y in range(image.height())]
    return sum(image.pixelColor(x, y).lightness() for x, y in places) / len(places)
