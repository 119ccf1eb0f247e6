"""The pictures of scores: what is drawn is what was measured, readable without colours and never clipped."""

import xml.etree.ElementTree as ET
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from annotator.release.reports.album import album, save_album
from annotator.release.reports.bars import MeasuredRate
from annotator.release.reports.figure_style import (
    DARK,
    HATCHES,
    LIGHT,
    FigurePalette,
    PictureFormat,
    ink_on,
    mix,
    picture,
    short,
)
from annotator.release.reports.model_figures import volatility_figure
from annotator.release.reports.route_maps import matrix_figure, routes_figure
from annotator.release.reports.score_figures import (
    ModelRobustness,
    Slice,
    accuracy_figure,
    decline_figure,
    descent_figure,
    error_figure,
    orchestration_figure,
)
from scoring.measures.rates import rate
from scoring.measures.robustness import Robustness, RobustnessTable, robustness
from scoring.model.taxonomy import Policy, Protocol, WildtoolMistake
from tests.annotator.release.cards import card, mixed_card, rights, scored

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

CARDS = [("careful", mixed_card(0)), ("careless", mixed_card(2))]
ODD_NAMES = [r"$\frac$ & <b>", "_hidden", "模型甲", "", "a name that is much longer than any legend can hold"]


def drawn(figure: "Figure") -> "Figure":
    """The figure once everything in it has its place."""
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    return figure


def points(line: "Line2D") -> list[tuple[float, float]]:
    """The points of a line, rounded to hundredths."""
    xs: Any = line.get_xdata()
    ys: Any = line.get_ydata()
    return [(round(float(x), 2), round(float(y), 2)) for x, y in zip(xs, ys, strict=True)]


def texts(figure: "Figure") -> list[str]:
    """Every text that is shown."""
    found = [text for text in drawn(figure).findobj(Text) if isinstance(text, Text) and text.get_visible()]
    return [text.get_text() for text in found if text.get_text().strip()]


def bars(axes: "Axes") -> list[Rectangle]:
    """The rectangles drawn on axes, in order."""
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def table_of(*rows: Robustness) -> RobustnessTable:
    return RobustnessTable(
        overall=rows[0],
        by_transitions={str(i): row for i, row in enumerate(rows)},
        first=rows[0],
        is_sensitive=None,
    )


def steady(rr: int, rw: int, wr: int, ww: int) -> Robustness:
    return robustness(right_right=rr, right_wrong=rw, wrong_right=wr, wrong_wrong=ww)


MODELS = [
    ModelRobustness(name="one", table=table_of(steady(60, 20, 10, 10), steady(50, 10, 0, 40)), accuracy=0.7),
    ModelRobustness(name="two", table=table_of(steady(30, 10, 10, 50), steady(40, 30, 5, 25)), accuracy=0.4),
]


def every_figure(palette: FigurePalette, names: list[str] | None = None) -> "dict[str, Figure]":
    """One of each picture, of runs with the given names."""
    cards = [(name, mixed_card(i)) for i, name in enumerate(names or ["careful", "careless"])]
    models = [one.model_copy(update={"name": cards[i][0]}) for i, one in enumerate(MODELS)]
    return {
        **{f"by {by}": accuracy_figure(cards, by, palette=palette) for by in Slice},
        "calls": orchestration_figure(cards, palette=palette),
        "decline": decline_figure(cards, palette=palette),
        "errors": error_figure(cards, palette=palette),
        "many": accuracy_figure(cards * 5, Slice.POLICY, palette=palette),
        "volatility": volatility_figure(models, palette=palette),
        "descent": descent_figure(models, palette=palette),
        "matrix": matrix_figure(cards[0][1], palette=palette),
        "routes": routes_figure(cards[0][1], palette=palette),
    }


def test_bars_are_as_high_as_the_rates() -> None:
    one = card(*rights("++-+", policies=(Policy.SINGLE, Policy.CHAT)))
    (axes,) = accuracy_figure([("a", one)], Slice.POLICY).axes
    # Tasks 0 and 2 are single, right and wrong; 1 and 3 chat, both right.
    assert [label.get_text() for label in axes.get_xticklabels()] == ["single", "chat"]
    assert [bar.get_height() for bar in bars(axes)] == [50.0, 100.0]


def test_every_bar_has_its_wilson_interval() -> None:
    (axes,) = accuracy_figure([("a", card(*rights("++-+")))], Slice.POLICY).axes
    # 3 of 4: z = 1.96 gives 0.3006 to 0.9544.
    assert [y for _, y in points(axes.lines[0])] == [30.06, 95.44]


def test_a_rate_of_zero_is_a_foot_and_a_missing_one_a_dash() -> None:
    wrong = card(*rights("--", policies=(Policy.SINGLE,)))
    other = card(*rights("++", policies=(Policy.CHAT,)))
    figure = accuracy_figure([("a", wrong), ("b", other)], Slice.POLICY)
    (axes,) = figure.axes
    assert sorted(bar.get_height() for bar in bars(axes)) == [1.2, 100.0]
    assert texts(figure).count("–") == 2


def test_positions_are_counted_from_one() -> None:
    (axes,) = accuracy_figure(CARDS, Slice.POSITION).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["task 1", "task 2", "task 3", "task 4"]


def test_many_runs_become_the_rows_of_a_heat_map() -> None:
    figure = accuracy_figure([(f"run {i}", mixed_card(i)) for i in range(7)], Slice.POLICY)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"run {i}" for i in range(7)]
    assert len(bars(axes)) == 7 * len(axes.get_xticks())


def test_orchestration_shows_a_model_that_is_right_but_never_shortest() -> None:
    tasks = [scored(i, policy=Policy.MULTI_MIXED, optimal=False, steps=4) for i in range(4)]
    (axes,) = orchestration_figure([("serial", card(*tasks))]).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["accuracy", "optimal paths", "progress"]
    assert [bar.get_height() for bar in bars(axes)] == [100.0, 1.2, 100.0]


def test_progress_counts_steps() -> None:
    tasks = [
        scored(0, policy=Policy.MULTI_SERIAL, right=False, done=1, steps=4),
        scored(1, policy=Policy.MULTI_MIXED, steps=4),
    ]
    (axes,) = orchestration_figure([("half", card(*tasks))]).axes
    # 1 of 4 steps and 4 of 4 steps.
    assert bars(axes)[-1].get_height() == 62.5


def test_the_decline_runs_through_the_accuracy_at_each_task() -> None:
    one = card(*rights("++-"), *rights("+--", case="c-2"))
    (axes,) = decline_figure([("a", one)]).axes
    assert [points(line) for line in axes.lines] == [[(0, 100.0), (1, 50.0), (2, 0.0)]]


def test_more_lines_than_marks_are_not_drawn_and_the_title_says_so() -> None:
    worst = ("worst", card(*rights("----")))
    figure = decline_figure([worst, *((f"run {i}", mixed_card(i)) for i in range(8))])
    assert len(figure.axes[0].lines) == 8
    assert "the best 8 of 9 runs" in figure.axes[0].get_title(loc="left")
    assert "worst" not in texts(figure)


def test_error_shares_fill_the_bar_in_the_order_of_the_classes() -> None:
    wrong = [
        scored(0, right=False, error=WildtoolMistake.REFUSAL),
        scored(1, right=False, error=WildtoolMistake.CALL_ERROR),
        scored(2, right=False, error=WildtoolMistake.CALL_ERROR),
        scored(3, right=False, error=WildtoolMistake.PARAM_VALUE),
        scored(4),
    ]
    figure = error_figure([("a", card(*wrong)), ("b", card(scored()))])
    pieces = [(bar.get_x(), bar.get_width()) for bar in bars(figure.axes[0])]
    assert pieces == [(0, 25), (25, 50), (75, 25)]
    assert {"4 failed", "none failed", "25", "50"} <= set(texts(figure))
    (legend,) = figure.legends  # six classes nobody has are not in it, the others keep colour and pattern
    assert [text.get_text() for text in legend.get_texts()] == ["Refusal", "Call Error", "Param Value Error"]
    places = [list(WildtoolMistake).index(WildtoolMistake(text.get_text())) for text in legend.get_texts()]
    hatches = [patch.get_hatch() or "" for patch in legend.get_patches()]
    assert hatches == [HATCHES[place] for place in places]


def test_classes_and_runs_differ_in_pattern_and_not_only_in_colour() -> None:
    assert len(set(HATCHES)) == len(HATCHES) >= len(WildtoolMistake)
    wrong = [scored(number, right=False, error=error) for number, error in enumerate(WildtoolMistake)]
    (legend,) = error_figure([("a", card(*wrong))]).legends
    assert len({patch.get_hatch() for patch in legend.get_patches()}) == len(WildtoolMistake)


def test_volatility_is_set_against_accuracy() -> None:
    (axes,) = volatility_figure(MODELS).axes
    # VF = (20 + 10) / 100 and (10 + 10) / 100.
    assert [points(line) for line in axes.lines] == [[(30.0, 70.0)], [(20.0, 40.0)]]


def test_an_undefined_descent_is_a_gap_with_its_reason() -> None:
    figure = descent_figure(MODELS)
    first, second, _ = figure.axes[0].lines
    # DDD = 20/10 x 1/0.6 = 3.33; WR = 0 leaves it undefined.
    assert points(first)[0] == (0, 3.33)
    assert isnan(points(first)[1][1])
    # 10/10 x 1/0.3 = 3.33 and 30/5 x 1/0.4 = 15.
    assert points(second) == [(0, 3.33), (1, 15.0)]
    assert "one (1: WR=0)" in texts(figure)


def test_the_matrix_shows_percent_and_numbers_of_tasks() -> None:
    figure = matrix_figure(card(*rights("+-", policies=(Policy.SINGLE, Policy.CHAT))))
    assert {"task 1 (1)", "task 2 (1)", "all tasks (2)", "100", "0", "50", "–"} <= set(texts(figure))


def test_the_pyramid_of_routes_names_what_occurs() -> None:
    figure = routes_figure(card(*rights("+-", policies=(Policy.SINGLE, Policy.MULTI_SERIAL))))
    shown = texts(figure)
    assert {"single\n100", "S M\n0", "S S\n–", "1 of 4", "1 of 16"} <= set(shown)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_nothing_reaches_beyond_the_picture(palette: FigurePalette) -> None:
    for name, figure in every_figure(palette).items():
        frame = drawn(figure).bbox
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            if text.get_visible() and text.get_text().strip():
                box = text.get_window_extent()
                inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= frame.x1 + 1 and box.y1 <= frame.y1 + 1
                assert inside, f"{name}: {text.get_text()!r} is cut off"


@pytest.mark.parametrize("letter", ["i", "m", "W"])
def test_a_legend_of_long_names_stays_within_the_picture(letter: str) -> None:
    cards = [(f"{i}{letter * 30}", mixed_card(i)) for i in range(8)]
    figure = drawn(decline_figure(cards))
    (legend,) = figure.legends
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in legend.get_texts())


def test_labels_on_an_axis_do_not_run_into_each_other() -> None:
    for name, figure in every_figure(LIGHT).items():
        for axes in drawn(figure).axes:
            across = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
            assert all(a.x1 <= b.x0 for a, b in pairwise(sorted(across, key=lambda box: box.x0))), name
            upright = [label.get_window_extent() for label in axes.get_yticklabels() if label.get_text()]
            assert all(a.y1 <= b.y0 for a, b in pairwise(sorted(upright, key=lambda box: box.y0))), name


def test_any_name_can_be_drawn() -> None:
    for figure in every_figure(LIGHT, ODD_NAMES).values():
        assert picture(figure, PictureFormat.SVG)


def test_a_name_is_shown_literally_and_cut_where_it_is_long() -> None:
    assert short("$x$\n_y") == "$x$ _y"
    assert short(" ") == "unnamed"
    assert (len(short("m" * 50)), short("m" * 50)[-1]) == (26, "…")


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_figures_in_cells_are_readable_on_every_ground(palette: FigurePalette) -> None:
    grounds = [mix(palette.low, palette.high, step / 20) for step in range(21)]
    for ground in [*grounds, palette.missing, *palette.series]:
        shades = sorted(_luminance(colour) for colour in (ground, ink_on(ground, palette)))
        assert (shades[1] + 0.05) / (shades[0] + 0.05) >= 3, ground


def _luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_ground_is_the_palettes() -> None:
    figure = accuracy_figure(CARDS, Slice.POLICY, palette=DARK)
    assert {to_hex(figure.get_facecolor()), to_hex(figure.axes[0].get_facecolor())} == {DARK.background}


def test_a_picture_is_the_same_bytes_every_time() -> None:
    for form in PictureFormat:
        first, again = (picture(error_figure(CARDS), form) for _ in range(2))
        assert first == again


def test_a_png_has_two_pixels_a_dot_and_an_svg_is_well_formed() -> None:
    png = picture(error_figure(CARDS), PictureFormat.PNG)
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 1480
    assert ET.fromstring(picture(error_figure(CARDS), PictureFormat.SVG)).tag.endswith("svg")


def test_the_album_holds_robustness_where_a_model_was_run_both_ways() -> None:
    both = [("m", mixed_card(n, name="m", protocol=p)) for n, p in enumerate((Protocol.C2, Protocol.C3))]
    assert {"volatility", "descent"} <= {one.name for one in album(both)}
    assert not {"volatility", "descent"} & {one.name for one in album(CARDS)}


def test_many_runs_have_no_maps_of_their_own() -> None:
    many = album([(f"{i}", mixed_card(i)) for i in range(7)])
    assert [one.name for one in many if one.name.startswith(("matrix", "routes"))] == []


def test_without_a_run_there_is_no_picture() -> None:
    assert album([]) == ()


def test_pictures_are_saved_in_every_form(tmp_path: "Path") -> None:
    paths = save_album(album(CARDS[:1]), tmp_path / "pictures", palette=DARK)
    assert {path.suffix for path in paths} == {".png", ".svg", ".pdf"}
    assert all(path.stat().st_size > 1000 for path in paths)


def test_a_measured_share_brings_its_interval() -> None:
    assert MeasuredRate.of(rate(0, 0)).interval is None
    bounds = MeasuredRate.of(rate(5, 5)).interval
    assert bounds is not None
    assert (round(bounds.low, 4), bounds.high) == (0.5655, 1.0)
