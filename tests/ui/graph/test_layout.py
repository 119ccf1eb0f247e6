"""Cards never overlap, stay where they were where they can, and edges keep clear of them."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.model.case import Task
from scoring.model.graph import step_graph
from tests.factories import answer, call, task
from tests.ui.graph.graphs import redrawn, show_task, tasks
from ui.graph.layout import GAP, GraphLayout, free_stops, lay_out
from ui.graph.placement import lead_edges, pack


def layout_of(
    task: Task, previous: GraphLayout | None = None, keys: tuple[int, ...] | None = None
) -> GraphLayout:
    graph = step_graph(task)
    return lay_out(
        [120.0] * len(task.steps),
        [edge.pair for edge in task.edges],
        asks=graph.asks,
        answers=graph.answers,
        previous=previous,
        keys=keys,
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


@given(tasks(), st.data())
def test_an_edge_more_or_less_moves_no_step_that_stays_in_its_round(task: Task, data: st.DataObject) -> None:
    before = layout_of(task)
    pairs = [(a, b) for b in range(len(task.steps) - 1) for a in range(b)]
    assume(pairs)
    drawn = {edge.pair for edge in task.drawn_edges} ^ {data.draw(st.sampled_from(pairs))}
    after = layout_of(redrawn(task, *sorted(drawn)), previous=before)
    for old, new, was, now in zip(before.boxes, after.boxes, before.rounds, after.rounds, strict=True):
        assert was != now or old == new


@given(st.lists(tasks(most_steps=6), min_size=1, max_size=6))
def test_cards_keep_their_distance_through_any_number_of_edits(edits: list[Task]) -> None:
    longest = max(edits, key=lambda task: len(task.steps))
    layout = layout_of(longest)
    for edit in edits:
        fitting = [edge.pair for edge in edit.drawn_edges]
        layout = layout_of(redrawn(longest, *fitting), previous=layout)
        for row in range(layout.round_count):
            boxes = [box for box, at in zip(layout.boxes, layout.rounds, strict=True) if at == row]
            for left, right in pairwise(sorted(boxes, key=lambda box: box.left)):
                assert right.left - (left.left + left.width) >= GAP - 0.02


def test_a_step_that_has_to_wait_goes_below_what_it_waits_for() -> None:
    four = task(*(call(f"tool{number}") for number in range(4)), answer())
    before = layout_of(four)
    after = layout_of(redrawn(four, (0, 3)), previous=before)
    assert after.rounds[3] == 1
    assert after.boxes[3].middle == before.boxes[0].middle


def test_what_waits_for_a_moved_step_keeps_its_column() -> None:
    chains = task(*(call(f"tool{number}") for number in range(4)), answer(), edges=[(0, 1), (2, 3)])
    before = layout_of(chains)
    after = layout_of(redrawn(chains, (0, 1), (1, 2), (2, 3)), previous=before)
    assert after.rounds[:4] == (0, 1, 2, 3)
    assert after.boxes[3].middle == before.boxes[3].middle


@given(tasks(), st.data())
def test_an_edge_that_is_taken_back_brings_the_drawing_back(task: Task, data: st.DataObject) -> None:
    before = layout_of(task)
    pairs = [(a, b) for b in range(len(task.steps) - 1) for a in range(b)]
    assume(pairs)
    drawn = {edge.pair for edge in task.drawn_edges}
    changed = redrawn(task, *sorted(drawn ^ {data.draw(st.sampled_from(pairs))}))
    after = layout_of(task, previous=layout_of(changed, previous=before))
    assert [box.left for box in after.boxes] == pytest.approx([box.left for box in before.boxes])
    assert after.rounds == before.rounds


def test_a_step_returns_into_a_gap_that_is_just_as_wide_as_itself() -> None:
    six = task(*(call(f"tool{number}") for number in range(6)), answer(), edges=[(1, 2)])
    before = layout_of(six)
    after = layout_of(six, previous=layout_of(redrawn(six, (0, 1), (1, 2)), previous=before))
    assert after.boxes == before.boxes


def test_a_step_inserted_before_others_leaves_them_where_they_are() -> None:
    before = layout_of(show_task())
    steps = show_task().steps
    longer = task(call("getNow"), *steps, edges=[(1, 2), (2, 3), (2, 4)])
    after = layout_of(longer, previous=before, keys=(5, 0, 1, 2, 3, 4))
    assert [box.left for box in after.boxes[1:]] == [box.left for box in before.boxes]


def test_a_card_that_grows_pushes_its_neighbours_and_no_further() -> None:
    # three cards of 120 with gaps of 12 stand at -132, 0, 132; 20 more in the first need 10 to its right
    three = lay_out([120.0] * 3, [])
    grown = lay_out([140.0, 120.0, 120.0], [], previous=three)
    middles = [box.middle for box in grown.boxes]
    assert middles[1] - middles[0] == pytest.approx(142)
    assert middles[2] - middles[1] == pytest.approx(132)


def test_a_card_that_shrinks_again_lets_its_neighbours_return() -> None:
    three = lay_out([120.0] * 3, [])
    grown = lay_out([140.0, 120.0, 120.0], [], previous=three)
    assert lay_out([120.0] * 3, [], previous=grown).boxes == three.boxes


def test_long_edges_of_an_edited_drawing_run_beside_each_other() -> None:
    # 0 and 1 both reach past the rounds of 2, 3 and 4
    chain = task(*(call(f"tool{number}") for number in range(6)), answer(), edges=[(0, 2), (2, 3), (3, 5)])
    before = layout_of(chain)
    after = layout_of(redrawn(chain, (0, 2), (2, 3), (3, 5), (0, 5), (1, 5)), previous=before)
    first, second = after.stops[0, 5], after.stops[1, 5]
    assert all(abs(a[0] - b[0]) >= 8 for a, b in zip(first, second, strict=True))


def test_edges_that_had_their_lines_choose_before_new_ones() -> None:
    # 0 is above, 1 below, 2 between them and out of the way; both edges want the same line straight down
    widths, rounds, middles = [120.0] * 4, [0, 0, 1, 2], {0: 0.0, 1: 0.0, 2: 400.0, 3: 0.0}
    alone = lead_edges({(1, 3)}, widths, rounds, middles, kept={})
    assert alone == {(1, 3): [0.0]}
    both = lead_edges({(0, 3), (1, 3)}, widths, rounds, middles, kept=alone)
    assert both[1, 3] == alone[1, 3]
    assert both[0, 3] != both[1, 3]


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
