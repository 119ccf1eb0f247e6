"""The pictures of many models: their numbers are those of the runs, and odd inputs are drawn, too."""

from itertools import combinations
from math import isnan, log2

import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from annotator.release.reports.album import album
from annotator.release.reports.figure_style import DARK, LIGHT, FigurePalette, mix
from annotator.release.reports.model_figures import (
    cost_figure,
    error_heat_figure,
    kind_lines_figure,
    overall_figure,
    pairs_figure,
    profile_figure,
    size_figure,
    slice_heat_figure,
    volatility_figure,
)
from annotator.release.reports.route_maps import pyramids_figure
from annotator.release.reports.run_groups import Cards
from annotator.release.reports.score_figures import ModelRobustness, Slice, descent_figure
from scoring.agreement.preferences import win_rate
from scoring.measures.rates import Number, rate
from scoring.measures.robustness import robustness
from scoring.model.taxonomy import ModelKind, Policy, Protocol, WildtoolMistake
from scoring.model_card import ModelCard
from scoring.scorecard import Scorecard
from tests.annotator.release.cards import card, league, mixed_card, rights, scored, spent
from tests.annotator.release.reports.test_score_figures import bars, drawn, points, table_of, texts

LEAGUE = league(dialogues=12)
ODD = r"$\frac$ & <b> 模型"


def known(name: str, pattern: str, **fields: object) -> tuple[str, Scorecard]:
    """A run of one dialogue, right where the pattern has a `+`, whose model has a card."""
    model_card = ModelCard.model_validate({"model": name, **fields})
    return name, card(*rights(pattern), name=name).model_copy(update={"model_card": model_card})


THREE = [
    known("small", "+---", kind="open", family="f", size=2, thinking="off"),
    known("large", "+++-", kind="open", family="f", size=8, thinking="off"),
    known("thinks", "++++", kind="open", family="f", size=8, thinking="on"),
    known("secret", "++--", kind="closed"),
]


def test_bars_stand_by_accuracy_in_the_colour_of_their_kind() -> None:
    (axes,) = overall_figure(THREE).axes
    assert [bar.get_width() for bar in bars(axes)] == [100.0, 75.0, 50.0, 25.0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["thinks", "large", "secret", "small"]
    colours = [to_hex(bar.get_facecolor()) for bar in bars(axes)]
    assert colours[2] != colours[0] == colours[1] == colours[3]


def test_a_family_is_a_line_over_the_logarithm_of_its_sizes_and_unknown_sizes_are_named() -> None:
    figure = size_figure(THREE)
    line, dot = figure.axes[0].lines
    assert points(line) == [(1.0, 25.0), (log2(8), 75.0)]  # 2 and 8 billion, 1/4 and 3/4
    assert points(dot) == [(log2(8), 100.0)]  # thinks: the only one of its series
    assert "size (billions of parameters, logarithmic); size unknown: secret" in texts(figure)


def test_a_series_names_its_interface_only_where_these_differ() -> None:
    def series(*interfaces: str) -> set[str]:
        runs = [
            known(f"{way}-{size}", "+---", family="f", size=size, thinking="off", interface=way)
            for way in interfaces
            for size in (2, 8)
        ]
        return {text for text in texts(size_figure(runs)) if text.startswith("f,")}

    assert series("native") == {"f, thinking off"}
    assert series("native", "prompt") == {"f, thinking off, native", "f, thinking off, prompt"}


def test_sizes_too_near_to_be_written_beside_each_other_are_not() -> None:
    runs = [known(f"{size}", "+---", kind="open", size=size) for size in (0.5, 7, 8, 70, 72)]
    axes = size_figure(runs).axes[0]
    # From 0.5 to 72 are 7.2 doublings; 7 and 8 are 0.2 of one apart, 70 and 72 less.
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.5", "7", "70"]
    assert len(axes.lines) == 5  # all are drawn


def test_pairs_show_what_thinking_brings() -> None:
    figure = pairs_figure(THREE)
    # thinks 4/4 against large 3/4 of the same family and size; small has no partner.
    assert points(figure.axes[0].lines[0]) == [(75.0, 0.0), (100.0, 0.0)]
    assert {"large", "+25.0", "thinking off", "thinking on"} <= set(texts(figure))
    assert "small" not in texts(figure)


def test_lines_by_kind_are_means_with_first_tasks_apart() -> None:
    runs = [
        known("a", "+++-", kind="open"),
        known("b", "-+--", kind="open"),
        known("c", "+-+-", kind="closed"),
    ]
    figure = kind_lines_figure(runs, Slice.POSITION)
    lines = [own for line in figure.axes[0].lines if len(own := points(line)) > 2]
    # Tasks 2, 3, 4 of a, b and their mean: (100, 100, 0), (100, 0, 0), (100, 50, 0); first tasks 100 and 0.
    later = [line[2:] for line in lines]
    assert [(0, 100.0), (1, 50.0), (2, 0.0)] in later
    assert [(0, 0.0), (1, 100.0), (2, 0.0)] in later  # c alone
    assert sorted(line[0][1] for line in lines) == [0.0, 50.0, 100.0, 100.0, 100.0]
    assert all(line[0][0] < -0.5 and isnan(line[1][1]) for line in lines)  # no line joins them
    assert {"open, mean of 2", "closed, mean of 1", "first tasks", "task 4"} <= set(texts(figure))


def test_slices_are_a_heat_map_with_the_best_run_first() -> None:
    figure = slice_heat_figure(THREE, Slice.TRANSITIONS)
    assert figure.axes[0].get_yticklabels()[0].get_text() == "thinks"
    # No policy ever changes: later tasks of thinks, large, secret, small are right in 3, 2, 1, 0 of 3.
    assert texts(figure).count("67") == texts(figure).count("33") == 1
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["first tasks", "0"]


def test_each_column_of_errors_is_shaded_up_to_its_own_largest_share() -> None:
    refusal, name = WildtoolMistake.REFUSAL, WildtoolMistake.WRONG_NAME
    wrong = [[refusal, refusal, refusal, name], [refusal, name, name, name], [refusal, refusal, name, name]]
    runs = [
        (f"{n}", card(*(scored(place, right=False, error=one) for place, one in enumerate(own))))
        for n, own in enumerate(wrong)
    ]
    figure = error_heat_figure(runs)
    classes = len(WildtoolMistake)
    # Aslant a name ends below its column; about its middle it would begin below another and end outside.
    assert {label.get_horizontalalignment() for label in figure.axes[0].get_xticklabels()} == {"right"}
    cells = [to_hex(cell.get_facecolor()) for cell in bars(figure.axes[0])]
    # Refusals 75, 25, 50 %: 75 is full; wrong names 25, 75, 50.
    assert [cells[row * classes] for row in range(3)] == [
        mix(LIGHT.low, LIGHT.high, x) for x in (1, 1 / 3, 2 / 3)
    ]
    assert (texts(figure).count("75"), texts(figure).count("25"), texts(figure).count("50")) == (2, 2, 2)
    profile = profile_figure(runs)
    dots = [points(line)[0] for line in profile.axes[0].lines]
    assert dots == [(75.0, 25.0), (25.0, 75.0), (50.0, 50.0)]


def test_win_rates_stand_against_accuracy_each_baseline_in_a_picture_of_its_own() -> None:
    def judged(run: tuple[str, Scorecard], won: int, right: int, baseline: str) -> tuple[str, Scorecard]:
        wins = win_rate(run[0], (), missing=0).model_copy(
            update={
                "baseline": baseline,
                "judge": "j",
                "win_rate": Number(value=won / 4, of=4),
                "accuracy": rate(right, 4),
            }
        )
        return run[0], run[1].model_copy(update={"win_rate": wins})

    runs = [judged(run, n, 4 - n, "base" if n < 3 else "other") for n, run in enumerate(THREE[:3], start=1)]
    first, second = [one for one in album([*runs, THREE[3]]) if one.name.startswith("win-rate")]
    assert first.caption == "Win rate against base, by j, and accuracy."
    dots = [points(line) for line in first.draw().axes[0].lines]
    assert [(75.0, 25.0)] in dots  # right 3 of 4, won 1 of 4
    assert [(50.0, 50.0)] in dots
    assert next(points(line) for line in second.draw().axes[0].lines) == [(25.0, 75.0)]


def test_cost_is_dollars_where_prices_are_known_else_tokens() -> None:
    def spending(run: tuple[str, Scorecard], **price: int) -> tuple[str, Scorecard]:
        name, found = run
        model_card = found.model_card and found.model_card.with_values({**price})
        return name, spent(found, read=1000, written=200).model_copy(update={"model_card": model_card})

    quiet = [spending(run) for run in THREE]
    assert [points(line)[0] for line in cost_figure(quiet).axes[0].lines][1] == (200.0, 75.0)
    priced = [spending(run, prompt_price=2, completion_price=10) for run in THREE[:3]]
    figure = cost_figure([*priced, quiet[3]])
    # 1,000 x $2 + 200 x $10 for a million tokens are $0.004 for a task, $4 for a thousand.
    assert [points(line)[0] for line in figure.axes[0].lines] == [(4.0, 25.0), (4.0, 75.0), (4.0, 100.0)]
    assert "dollars for a thousand tasks, logarithmic; 1 of 4 runs do not say" in texts(figure)


def test_cost_has_a_logarithmic_axis_and_names_who_costs_nothing() -> None:
    def spending(run: tuple[str, Scorecard], tokens: int) -> tuple[str, Scorecard]:
        return run[0], spent(run[1], written=tokens)

    runs = [spending(run, tokens) for run, tokens in zip(THREE[:3], (0, 100, 2000), strict=True)]
    axes = cost_figure(runs).axes[0]
    # 100 and 2,000 tokens a task: 20 times as much, 1.3 decades apart.
    assert axes.get_xscale() == "log"
    assert [points(line)[0][0] for line in axes.lines] == [100.0, 2000.0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["100", "200", "500", "1,000", "2,000"]
    assert axes.get_xlabel() == f"tokens written for a task, logarithmic; nothing: {runs[0][0]}"


def robust(
    name: str, accuracy: float, *rows: tuple[int, int, int, int], kind: ModelKind | None
) -> ModelRobustness:
    counts = [robustness(right_right=a, right_wrong=b, wrong_right=c, wrong_wrong=d) for a, b, c, d in rows]
    return ModelRobustness(name=name, table=table_of(*counts), accuracy=accuracy, kind=kind)


MODELS = [
    robust("a", 0.7, (60, 20, 10, 10), (60, 10, 10, 20), kind=ModelKind.CLOSED),
    robust("b", 0.5, (30, 10, 10, 50), (40, 30, 5, 25), kind=ModelKind.OPEN),
    robust("c", 0.3, (10, 20, 20, 50), (1, 50, 1, 48), kind=ModelKind.SPECIALISED),
]


def test_volatility_has_a_trend_with_its_rank_correlation() -> None:
    figure = volatility_figure(MODELS)
    lines = [points(line) for line in figure.axes[0].lines]
    # VF = 30, 20 and 40 of 100; the line of least squares: 50 - (x - 30).
    assert lines == [[(30.0, 70.0)], [(20.0, 50.0)], [(40.0, 30.0)], [(20.0, 60.0), (40.0, 40.0)]]
    # Ranks 3, 2, 1 against 2, 1, 3: 1 - 6 (1 + 1 + 4) / (3 x 8) = -0.5.
    assert {"a", "b", "c", "trend, rank correlation −0.50 over 3"} <= set(texts(figure))
    alike = [model.model_copy(update={"accuracy": 0.5}) for model in MODELS]
    assert not any("trend" in text for text in texts(volatility_figure(alike)))


@pytest.mark.parametrize(
    ("share", "low", "high"), [(0, 0, 3), (50, 47, 53), (100, 97, 100)], ids=["none", "half", "all"]
)
def test_equal_percents_stand_on_an_axis_of_whole_percents(share: int, low: float, high: float) -> None:
    # VF and accuracy are both the share: of 100 pairs so many flip.
    models = [
        robust(name, share / 100, (100 - share, share, 0, 0), kind=ModelKind.OPEN) for name in ("a", "b")
    ]
    axes = volatility_figure(models).axes[0]
    assert (axes.get_xlim(), axes.get_ylim()) == ((low, high), (low, high))
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert len(ticks) == len(set(ticks)) > 2


def test_descent_has_a_panel_for_each_kind_and_an_arrow_for_what_lies_above() -> None:
    figure = descent_figure(MODELS)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["closed", "open", "specialised"]
    # DDD = 20/10 x 100/60 = 3.33 and 1.67; 10/10 x 100/30 = 3.33 and 15; 10 and 50 x 100.
    assert [points(axes.lines[0]) for axes in figure.axes] == [
        [(0, 3.33), (1, 1.67)],
        [(0, 3.33), (1, 15.0)],
        [(0, 10.0), (1, 5000.0)],
    ]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert figure.axes[0].get_ylim()[1] < 50
    assert "5000.0" in texts(figure)


def test_values_above_the_axis_share_one_arrow_that_crosses_none_of_them() -> None:
    above = [robust(f"m{n}", 0.5, (10, n, 1, 9), kind=None) for n in (30, 20, 40)]
    rest = [robust(f"r{n}", 0.5, (60, 20, 10, 10), kind=None) for n in range(20)]
    [axes] = descent_figure([*above, *rest]).axes
    # DDD = n/1 x (20 + n)/10.
    values = axes.texts[: len(above)]
    assert [text.get_text() for text in values] == ["150.0", "80.0", "240.0"]
    assert [bool(getattr(text, "arrow_patch", None)) for text in values] == [True, False, False]


@pytest.mark.parametrize("count", [24, 57])
def test_each_of_many_lines_has_its_name_in_its_colour_and_no_name_touches_another(count: int) -> None:
    kinds = [ModelKind.CLOSED, ModelKind.OPEN, ModelKind.OPEN, ModelKind.SPECIALISED, None]
    # Their DDD at the last PTF is (1 + n % 4) x 100/60, so that many lines end at one place.
    models = [
        robust(f"model {n}", 0.5, (60, 20, 10, 10), (60, 1 + n % 4, 1, 38 - n % 4), kind=kinds[n % 5])
        for n in range(count)
    ]
    figure = drawn(descent_figure(models))
    named = [text for axes in figure.axes for text in axes.texts if text.get_text().startswith("model ")]
    assert sorted(text.get_text() for text in named) == sorted(model.name for model in models)
    boxes = [Text.get_window_extent(text) for text in named]  # of the words, without the line to them
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(box.x1 <= figure.bbox.x1 and box.y0 >= 0 for box in boxes)
    for axes in figure.axes:
        lines = [line for line in axes.lines if line.get_marker() != "None"]
        assert sorted(line.get_color() for line in lines) == sorted(text.get_color() for text in axes.texts)
        looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines}
        assert len(looks) == len(lines)


def test_names_stand_in_the_order_of_the_ends_and_an_undefined_line_has_a_name_with_the_reason() -> None:
    ends = {"low": 1, "high": 9, "middle": 4}
    models = [robust(name, 0.5, (50, wrong, 1, 9), kind=None) for name, wrong in ends.items()]
    [axes] = descent_figure([*models, robust("none", 0.5, (50, 10, 0, 40), kind=None)]).axes
    places = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert sorted(places, key=lambda name: -places[name]) == ["high", "middle", "low", "none (0: WR=0)"]


def test_pairs_of_one_series_share_a_colour_and_the_slow_one_is_dashed() -> None:
    figure = descent_figure([MODELS[0], MODELS[1]], pairs={"a": "b"})
    first, second = (axes.lines[0] for axes in figure.axes)
    assert (first.get_color(), first.get_linestyle(), second.get_linestyle()) == (
        second.get_color(),
        "-",
        "--",
    )


@pytest.mark.parametrize("count", [1, 4, 7])
def test_any_number_of_pyramids_is_one_figure(count: int) -> None:
    run = card(*rights("+-", policies=(Policy.SINGLE, Policy.CHAT)), *rights("++", case="c-2"))
    figure = pyramids_figure([(f"run {n}", run) for n in range(count)])
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title(loc="left") for axes in shown] == [f"run {n}" for n in range(count)]
    # Two rows with their grounds; single 4 cells, "single chat" 0/1 and "single single" 1/1.
    cells = [to_hex(cell.get_facecolor()) for cell in bars(shown[0])]
    assert (cells.count(LIGHT.high), cells.count(LIGHT.low)) == (2, 1)
    assert {axes.get_xlabel() for axes in shown} == {"layer variance 0.000"}


def test_the_album_of_a_league_has_the_pictures_of_the_papers() -> None:
    both = [*LEAGUE, *((f"{name} c2", one) for name, one in league(Protocol.C2, dialogues=12))]
    names = {one.name for one in album(both)}
    own = {
        "overall",
        "decline-lines",
        "information-lines",
        "transitions-map",
        "error-map",
        "pyramids",
        "size",
    }
    assert {f"group-1-{name}" for name in own | {"thinking", "error-profiles"}} <= names
    assert {"volatility", "descent", "descent-thinking"} <= names
    few = {one.name for one in album([("a", mixed_card(0)), ("b", mixed_card(1))])}
    assert "overall" in few
    assert not {"pyramids", "size", "thinking", "cost", "error-map"} & few


ODD_RUNS: Cards = [
    ("right", card(*rights("++++"))),
    (ODD, card(*rights("----"))),
    ("", card(*rights("+"))),
    ("nothing", card()),
]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.filterwarnings("error")
def test_runs_without_cards_errors_or_tasks_are_drawn(palette: FigurePalette) -> None:
    for one in album(ODD_RUNS):
        drawn(one.draw(palette=palette))
    heat = error_heat_figure(ODD_RUNS)
    assert texts(heat).count("–") == 3 * len(WildtoolMistake)  # none failed, or none asked
    lines = kind_lines_figure(ODD_RUNS, Slice.POSITION).axes[0].lines
    assert not any(isnan(y) for line in lines for x, y in points(line) if x >= 0)


def test_many_names_are_written_beside_their_points() -> None:
    figure = profile_figure([(f"model number {n}", one) for n, (_, one) in enumerate(LEAGUE * 2)])
    assert sum(text.startswith("model number") for text in texts(figure)) == 48
