"""A game follows the rules of execution and knows what is left."""

import pytest

from scoring.model.graph import step_graph
from scoring.orders.legal_orders import remaining_orders
from tests.factories import answer, ask, call, task
from tests.ui.graph.graphs import show_task
from ui.graph.simulation import Simulation


def game() -> Simulation:
    return Simulation(step_graph(show_task()))


def remaining(current: Simulation) -> int | None:
    return remaining_orders(current.graph, current.done)


def play(current: Simulation, *steps: int) -> Simulation:
    for step in steps:
        current = current.toggle(step)
    return current.play()


def test_orders_shrink_with_every_round() -> None:
    start = game()
    assert remaining(start) == 3  # after 0 and 1: {2}{3}, {3}{2} or {2,3}
    after = play(play(start, 0), 1)
    assert after.ready == (2, 3)
    assert remaining(after) == 3
    assert remaining(play(after, 2)) == 1


def test_one_detail_at_a_time_is_no_longer_optimal() -> None:
    after = play(play(play(game(), 0), 1), 2)
    assert not after.is_optimal
    assert after.fewest_total == 5


def test_both_details_at_once_stay_optimal_to_the_end() -> None:
    after = play(play(play(play(game(), 0), 1), 2, 3), 4)
    assert after.is_over
    assert after.is_optimal


def test_a_step_that_is_not_ready_is_refused() -> None:
    assert game().waits_for(1) == (0,)
    with pytest.raises(ValueError, match="not ready"):
        game().toggle(1)


def test_choosing_twice_takes_the_step_back() -> None:
    assert game().toggle(0).toggle(0).chosen == frozenset()


def test_a_question_replaces_what_was_chosen_beside_it() -> None:
    mixed = Simulation(step_graph(task(call(), ask(), answer())))
    assert mixed.toggle(0).toggle(1).chosen == {1}


def test_a_round_taken_back_is_chosen_again() -> None:
    after = play(game(), 0).back()
    assert after.rounds == ()
    assert after.chosen == {0}


def test_nothing_is_played_while_nothing_is_chosen() -> None:
    assert game().play() == game()
