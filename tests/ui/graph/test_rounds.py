"""Steps are drawn in the round a fastest order runs them in, and few edges cross."""

from hypothesis import given

from scoring.model.case import Task
from scoring.model.graph import step_graph
from scoring.orders.legal_orders import summarise_orders
from tests.ui.graph.graphs import tasks
from ui.graph.layout import assign_rounds
from ui.graph.placement import crossings, order_slots


def rounds_of(task: Task) -> list[int]:
    graph = step_graph(task)
    pairs = [edge.pair for edge in task.edges]
    return assign_rounds(len(task.steps), pairs, asks=graph.asks, answers=graph.answers)


def test_a_chain_takes_one_round_a_step() -> None:
    assert assign_rounds(3, [(0, 1), (1, 2)]) == [0, 1, 2]


def test_steps_that_wait_for_nothing_share_the_first_round() -> None:
    assert assign_rounds(3, []) == [0, 0, 0]


def test_a_question_stands_alone_and_first() -> None:
    assert assign_rounds(3, [], asks=[1]) == [1, 0, 1]


def test_the_answer_comes_last_even_if_nothing_leads_to_it() -> None:
    assert assign_rounds(3, [(0, 1)], answers=[2]) == [0, 1, 2]


def test_steps_on_a_circle_are_still_drawn() -> None:
    assert assign_rounds(2, [(0, 1), (1, 0)]) == [0, 1]


@given(tasks())
def test_a_drawing_has_as_many_rounds_as_the_shortest_order(task: Task) -> None:
    assert max(rounds_of(task)) + 1 == summarise_orders(step_graph(task)).rounds


@given(tasks())
def test_every_dependency_leads_downwards(task: Task) -> None:
    rounds = rounds_of(task)
    assert all(rounds[edge.source] < rounds[edge.target] for edge in task.edges)


def test_two_crossed_edges_are_untangled() -> None:
    # 0 and 1 above 2 and 3; 0 -> 3 and 1 -> 2 cross unless one row is turned round
    rows, _ = order_slots([0, 0, 1, 1], [(0, 3), (1, 2)])
    order = [[slot.step for slot in row] for row in rows]
    assert (order[0] == [0, 1]) != (order[1] == [2, 3])


def test_crossings_are_counted_between_neighbouring_rounds() -> None:
    rows, _ = order_slots([0, 0, 1, 1], [])
    top, bottom = rows
    assert crossings(rows, [(top[0], bottom[1]), (top[1], bottom[0])]) == 1
    assert crossings(rows, [(top[0], bottom[0]), (top[1], bottom[1])]) == 0


def test_a_long_edge_holds_a_place_in_every_round_it_passes() -> None:
    rows, _ = order_slots([0, 1, 2], [(0, 1), (1, 2), (0, 2)])
    assert [slot.edge for slot in rows[1] if slot.edge] == [(0, 2)]
