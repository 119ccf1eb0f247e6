"""Shares of wrong labels: which labels count, and the figures against formulas worked out by hand."""

import random
from math import sqrt

import pytest

from scoring.agreement.error_rates import Counts, design_effect, error_rates, given_labels
from scoring.agreement.rated_cases import RatedField, rated_case
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import TaskLabels, labels_of
from scoring.model.taxonomy import EdgeKind, Information, Policy
from tests.annotator.team import two_round_case, two_step_case

Z = 1.959963984540054


def said(labels: TaskLabels, **changed: object) -> TaskLabels:
    return labels.model_copy(update={"drawn": True, **changed})


def test_each_label_stands_beside_what_is_final() -> None:
    case = two_round_case()
    first, second = labels_of(case)
    ann = (said(first, policy=Policy.SINGLE), second)
    bob = (said(first, edges=()), second.model_copy(update={"information": Information.LONG_RANGE}))
    cleo = (first.model_copy(update={"drawn": False}), second)
    found = given_labels(rated_case(case, {"ann": ann, "bob": bob, "cleo": cleo}), case)
    wrong = [(one.rater, one.task, one.field, one.said, one.final) for one in found if not one.is_right]
    assert wrong == [
        ("ann", 0, RatedField.POLICY, "single", "multi_serial"),
        ("bob", 0, RatedField.EDGE, None, "logical"),
        ("bob", 1, RatedField.INFORMATION, "long_range", "omission"),
    ]
    # Two policies and one information each, and the edge of the two who have drawn the first task.
    assert len(found) == 3 * 3 + 2


def test_an_edge_nobody_drew_counts_against_who_drew_the_task() -> None:
    case = two_step_case()
    bare = with_drawn_edges(case.tasks[0], ())
    rated = rated_case(
        case.model_copy(update={"tasks": (bare,)}),
        {
            "ann": (said(labels_of(case)[0], edges=()),),
            "bob": (said(labels_of(case)[0], edges=(), drawn=False),),
        },
    )
    edges = [(one.rater, one.pair, one.final) for one in given_labels(rated, case) if one.pair]
    assert edges == [("ann", (0, 1), EdgeKind.LOGICAL)]


def test_labels_that_err_together_count_for_less() -> None:
    # ann: p = 2/8, squares (2-1)² + (0-1)² = 2, times 2/1: 4 against 8 · 1/4 · 3/4 = 3/2.
    ann, bob = [(2, 4, 1), (0, 4, 1)], [(0, 4, 1), (0, 4, 1)]
    assert design_effect([ann, bob]) == pytest.approx(8 / 3)
    # Who has one case says nothing of it, and labels that differ less than by chance count once each.
    assert design_effect([[(3, 4, 1)]]) == design_effect([[(1, 4, 1), (1, 4, 1)]]) == 1
    found = error_rates({"ann": ann, "bob": bob})["ann"].interval
    # Wilson's bounds q solve |p - q| = z √(q (1 - q) / n), here with n = 8 / (8/3) = 3.
    for bound in (found.low, found.high):
        assert abs(1 / 4 - bound) == pytest.approx(Z * sqrt(bound * (1 - bound) / 3))


def test_the_estimate_is_drawn_towards_the_team() -> None:
    found = error_rates({"ann": [(8, 20, 1)], "bob": [(2, 20, 1)]})
    # m = 1/4; v = (20 · .15² · 2 - 3/16) / (40 - 800/40) = .035625; w = (3/16) / v - 1 = 81/19.
    assert found["ann"].estimate == pytest.approx((8 + 81 / 76) / (20 + 81 / 19))
    assert found["bob"].estimate == pytest.approx((2 + 81 / 76) / (20 + 81 / 19))
    assert (found["ann"].wrong.value, found["ann"].case_count) == (0.4, 1)


def test_where_nothing_tells_people_apart_everybody_has_the_share_of_the_team() -> None:
    found = error_rates({"ann": [(1, 10, 1)], "bob": [(2, 20, 1)], "cleo": [(0, 2, 1)]})
    assert [one.estimate for one in found.values()] == pytest.approx([3 / 32] * 3)


def test_one_person_is_no_team() -> None:
    assert error_rates({"ann": [(1, 4, 1)]})["ann"].estimate == pytest.approx(1 / 4)
    assert error_rates({}) == {}


RATES = {"carl": 0.16, "dana": 0.06, "ana": 0.04, "ben": 0.03}
ALIKE = 0.1
"""How far two labels of a case are correlated."""


def _simulated(rng: random.Random, counts: dict[str, int]) -> dict[str, Counts]:
    """What everybody had wrong: beta-binomial cases of 4 to 12 labels."""
    team: dict[str, Counts] = {}
    for name, share in RATES.items():
        cases = []
        for _ in range(counts[name]):
            chance = rng.betavariate(share * (1 / ALIKE - 1), (1 - share) * (1 / ALIKE - 1))
            labels = rng.randint(4, 12)
            cases.append((sum(rng.random() < chance for _ in range(labels)), labels, 1))
        team[name] = cases
    return team


@pytest.mark.parametrize("carl", [5, 20, 60])
def test_the_interval_holds_the_true_rate_as_often_as_it_says(carl: int) -> None:
    rng, teams = random.Random(30 + carl), 600
    counts = {"carl": carl, "dana": 20, "ana": 20, "ben": 60}
    held = dict.fromkeys(RATES, 0)
    for _ in range(teams):
        for name, found in error_rates(_simulated(rng, counts)).items():
            held[name] += found.interval.low <= RATES[name] <= found.interval.high
    # Three standard errors of 600 teams are 2.7 %.
    assert min(held.values()) / teams > 0.95 - 0.027
    assert sum(held.values()) / (4 * teams) > 0.94


SHARE = 0.3


def _checked_by_lot(rng: random.Random, cases: int) -> tuple[Counts, float]:
    """Cases of which those with a finding are checked, and others by lot; and the true share of wrong ones.

    Who has a finding errs more, so that the checked cases alone would tell too much.
    """
    counts, wrong, total = [], 0, 0
    for _ in range(cases):
        has_finding = rng.random() < 0.25
        rate = 0.25 if has_finding else 0.05
        chance = rng.betavariate(rate * (1 / ALIKE - 1), (1 - rate) * (1 / ALIKE - 1))
        labels = rng.randint(4, 12)
        errors = sum(rng.random() < chance for _ in range(labels))
        wrong, total = wrong + errors, total + labels
        if has_finding or rng.random() < SHARE:
            counts.append((errors, labels, 1 if has_finding else 1 / SHARE))
    return counts, wrong / total


def test_cases_checked_for_a_reason_do_not_spoil_the_share() -> None:
    rng, teams = random.Random(41), 2000
    found = [
        (error_rates({"ann": counts})["ann"], true)
        for counts, true in (_checked_by_lot(rng, 120) for _ in range(teams))
    ]
    assert sum(one.share - true for one, true in found) / teams == pytest.approx(0, abs=0.003)
    held = sum(one.interval.low <= true <= one.interval.high for one, true in found)
    assert held / teams >= 0.95
    unweighted = sum((one.wrong.value or 0) - true for one, true in found) / teams
    assert unweighted > 0.03  # what the labels alone would say


def test_a_case_that_stands_for_others_counts_for_them_but_is_no_more_certain() -> None:
    # 1 · 0/10 and 4 · 5/10: 20 of 50; (50)² / (10 + 160) labels are worth 50 / 3.4.
    found = error_rates({"ann": [(0, 10, 1), (5, 10, 4)]})["ann"]
    assert (found.wrong.count, found.wrong.total, found.share) == (5, 20, 0.4)
    worth = 50 / max(17 / 5, design_effect([[(0, 10, 1), (5, 10, 4)]]))
    for bound in (found.interval.low, found.interval.high):
        assert abs(0.4 - bound) == pytest.approx(Z * sqrt(bound * (1 - bound) / worth))
    assert error_rates({"ann": [(0, 10, 1), (0, 10, 4)]})["ann"].interval.high > 0.2
