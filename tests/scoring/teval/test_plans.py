"""Matching predicted to gold steps: long plans, ties, and the order-free chain."""

from scoring.teval.plans import chain_length, free_chain_length, match_as_released, match_plans


def test_a_plan_that_repeats_one_call_over_and_over_is_matched_at_once() -> None:
    links = [[1_000_000, 1_000_000, 1_000_000, 0, 0, 0] for _ in range(400)]
    assert match_plans(links)[:4] == (0, 1, 2, -1)


def test_a_long_plan_of_equal_calls_keeps_its_order() -> None:
    links = [[900_000] * 30 for _ in range(30)]
    assert match_plans(links) == tuple(range(30))


def test_without_links_nothing_is_matched() -> None:
    assert match_plans([[0, 0], [0, 0], [0, 0]]) == (-1, -1, -1)


def test_of_tied_matchings_the_one_with_the_longest_chain_is_taken() -> None:
    # Rows 0 and 1 may take either column: straight keeps the order, crossed does not.
    assert match_plans([[5, 5], [5, 5]]) == (0, 1)
    # Both matchings weigh 12; the first column for the second row would give a chain of 1.
    assert chain_length(match_plans([[6, 6, 0], [6, 0, 0], [0, 0, 0]])) == 1


def test_of_equal_chains_the_first_is_taken_where_rows_choose_in_order_and_no_column_last() -> None:
    # (2, 0, -1, 1) and (2, -1, 0, 1) both weigh 2 + 1 + 2 and have a chain of 2; row 1 chooses before row 2.
    links = [[2, 1, 2, 1], [1, 1, 0, 0], [1, 0, 0, 0], [1, 2, 1, 1]]
    assert match_plans(links) == (2, 0, -1, 1)


def test_weight_goes_before_the_number_of_links() -> None:
    # Two links weigh 80, the one between them 99.
    assert match_plans([[40, 0], [99, 40]]) == (-1, 0)


def test_the_released_code_may_cross_two_equal_calls() -> None:
    # The record plan-10: networkx 3.6.1 gives each row the other column, so a perfect plan has a chain of 1.
    assert match_as_released([[1.0, 1.0], [1.0, 1.0]], threshold=0.8) == (1, 0)


def test_the_released_code_compares_floats_as_they_fall() -> None:
    # 0.75 x 0.8 + 0.25 x 0.4 is 0.7000000000000001, a link under a threshold of 0.7.
    assert match_as_released([[0.75 * 0.8 + 0.25 * 0.4]], threshold=0.7) == (0,)
    assert match_as_released([[0.7]], threshold=0.7) == (-1,)


def test_independent_steps_may_change_places() -> None:
    # 2 waits for 0 and 1; 1 before 0 is a legal order, 2 before 1 is none.
    assert free_chain_length([1, 0, 2], [[], [], [0, 1]]) == 3
    assert free_chain_length([2, 0, 1], [[], [], [0, 1]]) == 2


def test_in_a_totally_ordered_plan_both_chains_are_the_same() -> None:
    matching = [2, 0, 1, 4, 3]
    assert free_chain_length(matching, [[], [0], [1], [2], [3]]) == chain_length(matching) == 3
