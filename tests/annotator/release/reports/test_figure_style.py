"""Axes fitted to what is drawn, legends laid out in the width there is, names beside points of a line."""

from itertools import combinations
from random import Random

import pytest
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text
from matplotlib.transforms import Bbox, BboxBase

from annotator.release.reports.bars import Group, MeasuredRate, rates_figure
from annotator.release.reports.figure_style import (
    LIGHT,
    PictureFormat,
    add_line,
    finish,
    finish_with_legend,
    percent_axis,
    picture,
    titled_axes,
)
from annotator.release.reports.model_figures import cost_figure, profile_figure
from annotator.release.reports.point_names import name_points
from annotator.release.reports.route_maps import pyramids_figure, routes_figure
from annotator.release.reports.score_figures import decline_figure
from scoring.measures.rates import rate
from scoring.model.taxonomy import WildtoolMistake
from tests.annotator.release.cards import card, rights, scored, spent
from tests.annotator.release.reports.test_score_figures import drawn, texts


@pytest.mark.parametrize(
    ("lowest", "start", "ticks"),
    [(0, 0, [0, 25, 50, 75, 100]), (24.9, 0, [0, 25, 50, 75, 100]), (60, 50, [50, 60, 70, 80, 90, 100])]
    + [(value, 75, [75, 80, 85, 90, 95, 100]) for value in (80, 100)],
)
def test_lines_begin_near_their_lowest_value_and_the_axis_says_so(
    lowest: float, start: int, ticks: list[int]
) -> None:
    _, axes = titled_axes(LIGHT, title="T", height_inches=3)
    percent_axis(axes, LIGHT, "accuracy (%)", lowest=lowest)
    assert axes.get_ylim() == (start, 100)
    assert list(axes.get_yticks()) == ticks
    assert ("axis not from 0" in axes.get_ylabel()) is (start > 0)


def test_the_decline_of_good_runs_is_not_a_band_at_the_top() -> None:
    high = card(*(task for case in range(4) for task in rights("++++" if case else "+++-", case=str(case))))
    assert decline_figure([("good", high)]).axes[0].get_ylim() == (75, 100)  # the lowest is 1 of 4 wrong
    mixed = card(*rights("+-++"))
    [axes] = decline_figure([("good", high), ("mixed", mixed)]).axes
    assert axes.get_ylim() == (0, 100)


@pytest.mark.parametrize(
    ("tokens", "ticks"),
    [
        ((19, 21), ["19", "20", "21"]),
        ((10, 20), ["10", "20"]),
        ((100, 2000), ["100", "200", "500", "1,000", "2,000"]),
    ],
)
def test_costs_that_lie_near_have_ticks_that_tell_them_apart(
    tokens: tuple[int, int], ticks: list[str]
) -> None:
    runs = [
        (name, spent(card(*rights(pattern), name=name), written=written))
        for (name, pattern), written in zip((("a", "++-+"), ("b", "+++-")), tokens, strict=True)
    ]
    labels = [label.get_text() for label in cost_figure(runs).axes[0].get_xticklabels()]
    assert set(ticks) <= set(labels)
    assert len(labels) > 2


def test_shares_never_lie_below_an_axis_of_0() -> None:
    runs = [
        (name, card(*rights(pattern), name=name)) for name, pattern in (("a", "+-"), ("b", "--"), ("c", "-+"))
    ]
    assert all(one.summary.errors[WildtoolMistake.WRONG_NAME].value == 0 for _, one in runs)
    assert profile_figure(runs).axes[0].get_ylim()[0] == 0


def test_one_long_name_takes_room_in_its_own_column_only() -> None:
    figure, axes = titled_axes(LIGHT, title="T", height_inches=3)
    names = [f"m{number}" for number in range(11)] + ["a name (undefined at 3: no task was right in both)"]
    lines = [add_line(axes, LIGHT, [(0, number)], number=number, of=1) for number in range(len(names))]
    drawn(finish_with_legend(figure, LIGHT, lines, names))
    [legend] = figure.legends
    boxes = [text.get_window_extent() for text in legend.get_texts()]
    rows = len({round(box.y0) for box in boxes})
    assert rows <= 3  # in columns as wide as the longest name there would be six
    assert max(box.x1 for box in boxes) <= figure.bbox.width
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def test_bars_of_one_run_have_its_name_in_the_title_and_no_legend() -> None:
    groups = [Group(label="single", values=(MeasuredRate(rate=rate(1, 2)),) * 2)]
    two = rates_figure(groups, ["a", "b"], title="Accuracy", axis="", palette=LIGHT)
    assert two.axes[0].get_title(loc="left") == "Accuracy (%)"
    assert len(two.legends) == 1
    groups = [Group(label="single", values=(MeasuredRate(rate=rate(1, 2)),))]
    one = rates_figure(groups, ["a"], title="Accuracy", axis="", palette=LIGHT)
    assert one.axes[0].get_title(loc="left") == "Accuracy (%), a"
    assert one.legends == []


def test_names_of_points_on_a_line_do_not_cover_each_other() -> None:
    figure, axes = titled_axes(LIGHT, title="T", height_inches=4.2)
    points = [(f"model-{number}-thinking", 53 + 0.2 * number, 10.0) for number in range(20)]
    for _, x, y in points:
        add_line(axes, LIGHT, [(x, y)], number=0, of=1)
    axes.set_xlim(45, 65)
    axes.set_ylim(5, 15)
    name_points(figure, LIGHT, points)
    drawn(finish(figure))
    boxes = [Text.get_window_extent(text).shrunk(0.97, 0.7) for text in axes.texts]
    assert len(boxes) == 20
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]


CROWDS = {
    "a rising line": [(50 + 0.25 * number, 8 + 0.06 * number) for number in range(24)],
    "a level line": [(53 + 0.2 * number, 10.0) for number in range(24)],
    "an axis": [(47 + 17 * ((number * 7) % 24) / 24, 5.0) for number in range(24)],
    "two heaps": [(50 + 9 * (number % 2) + 0.1 * number, 7 + 0.05 * (number % 5)) for number in range(24)],
}
CROWDS |= {
    f"seed {seed}": [(chance.gauss(55, 2), chance.gauss(10, 1)) for _ in range(24)]
    for seed in range(4)
    for chance in [Random(seed)]
}


@pytest.mark.parametrize("name", ["model-{}", "family-{}b-thinking"])
@pytest.mark.parametrize("places", CROWDS.values(), ids=CROWDS)
def test_no_line_to_a_name_of_crowded_points_crosses_another_name(
    places: list[tuple[float, float]], name: str
) -> None:
    figure, axes = titled_axes(LIGHT, title="T", height_inches=4.2)
    points = [(name.format(number), x, y) for number, (x, y) in enumerate(places)]
    for _, x, y in points:
        add_line(axes, LIGHT, [(x, y)], number=0, of=1)
    axes.set_xlim(45, 65)
    axes.set_ylim(5, 15)
    name_points(figure, LIGHT, points)
    drawn(finish(figure))
    lines = [text for text in axes.texts if _arrow(text)]
    assert lines  # some names stand away from their points
    pairs = [(text, other) for text in lines for other in axes.texts if other is not text]
    assert [(text.get_text(), other.get_text()) for text, other in pairs if _crosses(text, _ink(other))] == []
    boxes = [_ink(text) for text in axes.texts]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def test_a_name_away_from_its_point_has_a_line_to_it_so_that_no_other_point_seems_meant() -> None:
    figure, axes = titled_axes(LIGHT, title="T", height_inches=4.2)
    points = [(f"a name of some length {number}", 55 + 0.1 * (number % 2), 10.0) for number in range(12)]
    axes.set_xlim(45, 65)
    axes.set_ylim(5, 15)
    name_points(figure, LIGHT, points)
    drawn(finish(figure))
    far = 0
    for text, (_, x, y) in zip(axes.texts, points, strict=True):
        box = Text.get_window_extent(text)
        across, up = axes.transData.transform((x, y))
        is_beside = box.x0 - 20 < across < box.x1 + 20 and abs((box.y0 + box.y1) / 2 - up) < 20
        far += not is_beside
        assert is_beside or _arrow(text)
    assert far > 3


def _ink(text: Text) -> Bbox:
    """Where the letters of a name stand, without the room above and below that none of them takes."""
    box = Text.get_window_extent(text)
    return box.padded(-0.05 * box.width, -0.2 * box.height)


def _arrow(text: Text) -> FancyArrowPatch | None:
    return getattr(text, "arrow_patch", None)


def _crosses(text: Text, box: BboxBase) -> bool:
    arrow = _arrow(text)
    assert arrow is not None
    path = arrow.get_path().transformed(arrow.get_transform())
    return bool(path.intersects_bbox(Bbox.from_extents(*box.extents), filled=False))


def test_a_pyramid_says_in_words_what_its_cells_do_not() -> None:
    runs = [(name, card(scored(), name=name)) for name in ("a", "b", "c")]
    assert "from the left: single, multi, clarify, chat" in texts(pyramids_figure(runs))
    assert "S single, M multi, Cl clarify, Ch chat" in texts(routes_figure(runs[0][1]))


def test_a_pdf_needs_no_font_and_leaves_the_figure_as_it_was() -> None:
    runs = [(name, card(*rights(pattern), name=name)) for name, pattern in (("a", "+-++"), ("b", "--+-"))]
    for figure in (decline_figure(runs), profile_figure(runs), pyramids_figure(runs)):
        before = picture(figure, PictureFormat.PNG)
        written = picture(figure, PictureFormat.PDF)
        assert b"/FontFile" not in written
        assert b"/Type3" not in written
        assert picture(figure, PictureFormat.PDF) == written
        assert picture(figure, PictureFormat.PNG) == before
