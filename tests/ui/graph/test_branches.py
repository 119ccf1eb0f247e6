"""The decision tree of a game is complete where it is short, and says what it leaves out where it is long."""

from hypothesis import given

from scoring.model.case import Task
from scoring.model.graph import step_graph
from scoring.orders.legal_orders import count_orders, remaining_orders
from tests.factories import answer, ask, call, task
from tests.ui.graph.graphs import show_task, tasks
from ui.graph.simulation import Simulation, branching_of


def start(of: Task) -> Simulation:
    return Simulation(step_graph(of))


def test_two_ready_calls_can_run_together_or_one_first() -> None:
    later = start(show_task()).playing((0,)).playing((1,))
    assert [branch.rounds[-1] for branch in branching_of(later).branches] == [(2, 3), (2,), (3,)]


def test_a_question_is_a_round_of_its_own() -> None:
    found = branching_of(start(task(ask(), call("a"), call("b"), answer())))
    assert [branch.rounds[-1] for branch in found.branches] == [(0,), (1, 2), (1,), (2,)]


def test_a_wide_task_lists_a_few_rounds_and_counts_the_others() -> None:
    wide = start(task(*(call(f"tool{number}") for number in range(20)), answer()))
    found = branching_of(wide, at_most=3)
    assert [len(branch.rounds[-1]) for branch in found.branches] == [20, 19, 19]
    assert found.left_out == 2**20 - 1 - 3


def test_a_game_that_is_over_has_no_branches() -> None:
    over = start(task(call(), answer())).playing((0,)).playing((1,))
    assert branching_of(over).branches == ()


@given(tasks(most_steps=5))
def test_the_orders_of_all_branches_are_the_orders_there_are(drawn: Task) -> None:
    # every legal order begins with exactly one of the branches
    game = start(drawn)
    found = branching_of(game, at_most=1_000)
    counts = [remaining_orders(branch.graph, branch.done) or 0 for branch in found.branches]
    assert sum(counts) == count_orders(game.graph)


@given(tasks(most_steps=5))
def test_some_branch_always_keeps_the_fewest_rounds(drawn: Task) -> None:
    assert any(branch.is_optimal for branch in branching_of(start(drawn), at_most=1_000).branches)
