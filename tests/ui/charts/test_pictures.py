"""A picture in the window: drawn at its size and in its colours, and dropped when it is overtaken."""

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from annotator.release.reports.figure_style import (
    DARK,
    LIGHT,
    FigurePalette,
    finish_with_legend,
    new_figure,
    refit_legends,
)
from ui.charts.pictures import PictureView, draw_pixels, palette_of_theme
from ui.services.operations import Operations
from ui.theme import apply_theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _blank(*, palette: FigurePalette) -> "Figure":
    return new_figure(palette, height_inches=3)


@pytest.fixture
def operations(
    qtbot: QtBot, closed_operations: Operations, sample_project: str, light: QApplication
) -> Operations:
    """Operations with the samples open."""
    with qtbot.waitSignal(closed_operations.opened):
        closed_operations.open(sample_project, login_name())
    return closed_operations


@pytest.fixture
def view(qtbot: QtBot, operations: Operations) -> PictureView:
    """A view without a picture."""
    shown = PictureView(operations, "chart")
    qtbot.addWidget(shown)
    shown.resize(300, 200)
    shown.show()
    return shown


def test_a_figure_is_drawn_with_the_pixels_of_the_screen() -> None:
    drawn = draw_pixels(_blank, LIGHT, QSize(300, 200), scale=1.0, ratio=2.0)
    assert (drawn.width(), drawn.height()) == (600, 400)
    assert drawn.pixelColor(0, 0) == QColor(255, 255, 255, 255)


def test_a_larger_scale_draws_larger_words_on_as_many_pixels() -> None:
    drawn = draw_pixels(_blank, LIGHT, QSize(300, 200), scale=2.0, ratio=1.0)
    assert (drawn.width(), drawn.height()) == (300, 200)


def test_in_a_high_and_narrow_room_a_picture_is_no_higher_than_wide_unless_it_was_made_so() -> None:
    room = QSize(440, 900)
    assert draw_pixels(_blank, LIGHT, room, scale=1.0, ratio=1.0).size() == QSize(440, 396)
    high = partial(new_figure, height_inches=6)
    assert draw_pixels(high, LIGHT, room, scale=1.0, ratio=1.0).size() == QSize(440, 600)


def test_a_legend_is_laid_out_anew_for_a_narrow_picture_and_keeps_its_names() -> None:
    figure = new_figure(LIGHT, height_inches=3)
    names = [f"a model with a long name {number}" for number in range(6)]
    finish_with_legend(figure, LIGHT, [figure.add_subplot().plot([0, 1])[0] for _ in names], names)
    width = figure.get_figwidth() / 2
    figure.set_size_inches(width, 3)
    refit_legends(figure, LIGHT)
    figure.draw_without_rendering()
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == names
    assert legend.get_window_extent().width <= figure.bbox.width


def test_pictures_stand_on_the_ground_of_the_window(light: QApplication) -> None:
    assert palette_of_theme().series == LIGHT.series
    apply_theme(light, dark=True)
    assert palette_of_theme().series == DARK.series
    assert palette_of_theme().background == "#12151a"


def test_a_picture_is_drawn_and_taken_away(qtbot: QtBot, view: PictureView) -> None:
    view.show_picture(_blank, "A blank")
    qtbot.waitUntil(lambda: view.has_picture)
    assert view.accessibleName() == "A blank"
    view.show_picture(None, "")
    assert not view.has_picture


def test_only_the_last_of_several_sizes_is_drawn_anew(
    qtbot: QtBot, view: PictureView, operations: Operations
) -> None:
    drawn: list[int] = []

    def count(*, palette: FigurePalette) -> "Figure":
        drawn.append(1)
        return _blank(palette=palette)

    view.show_picture(count, "Counted")
    qtbot.waitUntil(lambda: operations.pending_count == 0)
    for width in (310, 320, 330):
        view.resize(width, 200)
    qtbot.waitUntil(lambda: len(drawn) == 2 and operations.pending_count == 0)
    assert view.width() == 330
