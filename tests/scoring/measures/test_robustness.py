"""How steady a model is under another history."""

from collections.abc import Sequence

import pytest

from scoring.measures.robustness import (
    Robustness,
    RobustnessTable,
    compare_histories,
    is_sensitive,
    robustness,
)
from scoring.measures.sample import ScoredSample
from scoring.model.taxonomy import ActionDetail, Policy
from tests.factories import task_score


def test_volatility_double_accuracy_and_descent_by_hand() -> None:
    # scoring 5.6: RR 60, RW 20, WR 10, WW 10: VF 30/100, Acc2 60/100, DDD (20/10) * (1/0.6) = 3.33
    found = robustness(right_right=60, right_wrong=20, wrong_right=10, wrong_wrong=10)
    assert (found.volatility, found.both_right) == (0.3, 0.6)
    assert found.descent == pytest.approx(10 / 3)
    assert found.undefined is None


@pytest.mark.parametrize(
    ("counts", "undefined", "infinite"),
    [
        ((0, 0, 0, 0), "N=0", False),
        ((5, 2, 0, 1), "WR=0", True),
        ((5, 0, 0, 1), "WR=0", False),
        ((0, 2, 3, 1), "RR=0", False),
        ((0, 2, 0, 1), "WR=0, RR=0", False),
    ],
)
def test_descent_is_undefined_with_its_reason(
    counts: tuple[int, int, int, int], undefined: str, infinite: bool
) -> None:
    rr, rw, wr, ww = counts
    found = robustness(right_right=rr, right_wrong=rw, wrong_right=wr, wrong_wrong=ww)
    assert (found.descent, found.undefined, found.is_descent_infinite) == (None, undefined, infinite)
    assert (found.volatility is None) is (sum(counts) == 0)


def test_descent_is_zero_where_nothing_was_lost() -> None:
    assert robustness(right_right=5, right_wrong=0, wrong_right=2, wrong_wrong=1).descent == 0.0


def counts(found: Robustness) -> tuple[int, int, int, int]:
    return found.right_right, found.right_wrong, found.wrong_right, found.wrong_wrong


def run(rights: Sequence[bool], *, name: str = "a") -> ScoredSample:
    policies = (Policy.SINGLE, Policy.CHAT, Policy.SINGLE, Policy.CHAT)
    return ScoredSample(
        [task_score(name, i, right=right, policy=policies[i]) for i, right in enumerate(rights)]
    )


def test_the_same_tasks_are_paired_and_others_left_out() -> None:
    table = compare_histories(run([True, True, False, False]), run([True, False, True]))
    assert counts(table.overall) == (0, 1, 1, 0)


def test_a_task_that_one_run_did_not_answer_is_no_pair() -> None:
    full, short = run([True, True, True]), run([True, True])
    missing = task_score("a", 2, right=False, policy=Policy.SINGLE, detail=ActionDetail.NO_PREDICTION)
    gap = ScoredSample([*short.tasks, missing])
    for table in (compare_histories(full, gap), compare_histories(gap, full)):
        assert counts(table.overall) == (1, 0, 0, 0)


def test_first_tasks_stand_beside_and_count_in_no_other_figure() -> None:
    # scoring 3.7: of three dialogues with four tasks each nine pairs count, as 768 of 1,024 do.
    # single, single, chat, chat: the tasks after the first have 0, 1, 1 transitions.
    def dialogues(*rights: str) -> ScoredSample:
        policies = (Policy.SINGLE, Policy.SINGLE, Policy.CHAT, Policy.CHAT)
        return ScoredSample(
            [
                task_score(f"c-{n}", i, right=sign == "+", policy=policies[i])
                for n, signs in enumerate(rights)
                for i, sign in enumerate(signs)
            ]
        )

    table = compare_histories(dialogues("+++-", "++-+", "-++-"), dialogues("-+--", "+--+", "++++"))
    # second tasks (PTF 0): ++, +-, ++ ; third (PTF 1): +-, --, ++ ; fourth (PTF 1): --, ++, -+
    assert counts(table.first) == (1, 1, 1, 0)
    assert counts(table.by_transitions["0"]) == (2, 1, 0, 0)
    assert counts(table.by_transitions["1"]) == (2, 1, 1, 2)
    assert counts(table.overall) == (4, 2, 1, 2)
    # VF = (2 + 1) / 9, Acc2 = 4 / 9, DDD = 2 / 1 * 9 / 4
    overall = table.overall
    assert (overall.volatility, overall.both_right, overall.descent) == (3 / 9, 4 / 9, 4.5)
    # PTF 0: VF = 1 / 3, Acc2 = 2 / 3, no DDD; PTF 1: DDD = 1 / 1 * 6 / 2
    baseline, one_change = table.by_transitions.values()
    assert (baseline.volatility, baseline.both_right, baseline.undefined) == (1 / 3, 2 / 3, "WR=0")
    assert (one_change.volatility, one_change.both_right, one_change.descent) == (2 / 6, 2 / 6, 3.0)


def test_pairs_are_grouped_by_the_transitions_up_to_the_task() -> None:
    table = compare_histories(run([True, True, False]), run([True, False, False]))
    assert {key: found.right_wrong for key, found in table.by_transitions.items()} == {"1": 1, "2": 0}
    assert table.is_sensitive is None


@pytest.mark.parametrize(
    ("descents", "sensitive"),
    [
        ([1.0, 1.0, 2.0, 3.0], True),
        ([1.0, 1.0, 1.0], False),
        ([1.0, 3.0, 2.0], False),
        ([3.0, 2.0], False),
        ([1.0, None, 2.0], True),
        ([2.0, None, 1.0], False),
        ([None, 1.0], None),
        ([1.0], None),
        ([], None),
    ],
)
def test_a_model_is_sensitive_if_descent_rises_with_transitions(
    descents: list[float | None], sensitive: bool | None
) -> None:
    assert is_sensitive(descents) is sensitive


def test_the_slope_of_descent_is_that_of_the_defined_values() -> None:
    def table(*descents: float | None) -> RobustnessTable:
        none = robustness(right_right=0, right_wrong=0, wrong_right=0, wrong_wrong=0)
        by_transitions = {
            str(count): none.model_copy(update={"descent": descent}) for count, descent in enumerate(descents)
        }
        return RobustnessTable(overall=none, by_transitions=by_transitions, first=none, is_sensitive=None)

    # Places 0, 1, 3, their mean 4/3: (-4/3 · 1 - 1/3 · 2 + 5/3 · 6) / (16/9 + 1/9 + 25/9) = 8 / (14/3).
    assert table(1.0, 2.0, None, 6.0).descent_slope == pytest.approx(12 / 7)
    assert table(None, 3.0, 1.0).descent_slope == pytest.approx(-2)
    assert table(None, 3.0, None).descent_slope is None
