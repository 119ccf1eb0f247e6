"""Cards never overlap, stay where they were where they can, and edges keep clear of them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.model.case import Task
from scoring.model.graph import step_graph
from tests.ui.graph.graphs import redrawn, show_task, tasks
from ui.graph.layout import GAP, Layout, free_stops, lay_out, pack


def layout_of(task: Task, previous: Layout | None = None) -> Layout:
    graph = step_graph(task)
    return lay_out(
        [120.0] * len(task.steps),
        [edge.pair for edge in task.edges],
        asks=graph.asks,
        answers=graph.answers,
        previous=previous,
    )


def test_the_drawing_of_the_issue_is_symmetrical() -> None:
    layout = layout_of(show_task())
    middles = [box.middle for box in layout.boxes]
    assert layout.rounds == (0, 1, 2, 2, 3)
    assert middles[0] == pytest.approx(middles[1]) == pytest.approx(middles[4])
    assert middles[2] + middles[3] == pytest.approx(2 * middles[1])
    assert middles[2] < middles[3]


@given(tasks())
def test_cards_of_one_round_keep_their_distance(task: Task) -> None:
    layout = layout_of(task)
    for number in range(layout.round_count):
        row = sorted(
            (box for box, at in zip(layout.boxes, layout.rounds, strict=True) if at == number),
            key=lambda box: box.left,
        )
        for left, right in pairwise(row):
            assert right.left - (left.left + left.width) >= GAP - 1e-6


def test_an_edit_keeps_the_steps_of_a_round_in_their_order() -> None:
    before = layout_of(show_task())
    after = layout_of(redrawn(show_task(), (1, 2), (1, 3)), previous=before)
    assert (before.boxes[2].middle < before.boxes[3].middle) == (
        after.boxes[2].middle < after.boxes[3].middle
    )


def test_the_same_task_is_drawn_the_same_again() -> None:
    first = layout_of(show_task())
    again = layout_of(show_task(), previous=first)
    assert [box.middle for box in again.boxes] == pytest.approx([box.middle for box in first.boxes])


@given(tasks())
def test_an_edge_that_was_not_planned_passes_between_the_cards(task: Task) -> None:
    layout = layout_of(task)
    top = layout.rounds.index(0)
    bottom = layout.rounds.index(layout.round_count - 1)
    for x, y in free_stops(layout, (top, bottom)):
        for box in layout.boxes:
            assert not (box.left < x < box.left + box.width and box.top < y < box.bottom)


lengths = st.floats(0, 500)


@given(st.lists(st.tuples(st.floats(-1000, 1000), lengths), min_size=1, max_size=12))
def test_packed_points_keep_their_distance(points: list[tuple[float, float]]) -> None:
    wanted = [want for want, _ in points]
    apart = [distance for _, distance in points[1:]]
    placed = pack(wanted, apart)
    for left, right, distance in zip(placed, placed[1:], apart, strict=False):
        assert right - left >= distance - 1e-6


def test_points_that_fit_stay_where_they_want_to_be() -> None:
    assert pack([0, 100, 250], [50, 50]) == [0, 100, 250]


def test_points_that_overlap_part_evenly() -> None:
    # both want 0 and need 10 between them: -5 and 5 moves each least
    assert pack([0, 0], [10]) == [-5, 5]
