"""The scripted team of `checking_costs` judges every case to its end, and an expert leaves nothing wrong."""

from pathlib import Path

from annotator.project.policy import ReviewPolicy
from scoring.model.taxonomy import Stage
from tests.bench.checking_costs import POLICIES, labels, right_case, seen_by, walk
from tests.bench.simulated_costs import SETTINGS, Expert, simulated


def test_a_policy_that_lets_nothing_pass_costs_a_look_of_everybody(sqlite_path: Path, tmp_path: Path) -> None:
    policy = ReviewPolicy(case_threshold=0, case_fields=0, expert_sample=False)
    cost = walk(str(sqlite_path), tmp_path, policy, [*map(right_case, range(4))], seed=7)
    assert (cost.looks[Stage.SELF_CHECK_TASK], cost.looks[Stage.SELF_CHECK_DIALOGUE]) == (4, 4)
    assert cost.looks[Stage.CROSS_CHECK] == 8
    assert cost.after_owner == 8 + cost.looks[Stage.ESCALATED]
    assert (cost.wrong, cost.labels) == (0, 4 * len(labels(right_case(0))))


def test_people_are_wrong_as_often_as_it_is_said() -> None:
    cases = [right_case(number) for number in range(300)]
    wrong = {
        name: sum(
            said != truth
            for case in cases
            for said, truth in zip(labels(seen_by(name, case, seed=7)), labels(case), strict=True)
        )
        for name in ("ann", "dan")
    }
    assert 0.13 < wrong["ann"] / (300 * 7) < 0.19
    assert 0.02 < wrong["dan"] / (300 * 7) < 0.04


def test_where_an_expert_reads_every_case_nothing_stays_wrong(sqlite_path: Path, tmp_path: Path) -> None:
    policy = POLICIES["read by the expert"]
    cost = walk(str(sqlite_path), tmp_path, policy, [*map(right_case, range(10))], seed=7, reads_all=True)
    decided = cost.looks[Stage.ESCALATED] + cost.looks[Stage.EXPERT]
    assert (cost.looks[Stage.CROSS_CHECK], decided, cost.looks[Stage.SELF_CHECK_DIALOGUE]) == (10, 10, 0)
    assert cost.looks[Stage.EXPERT] > 0
    assert cost.wrong == 0


def test_fewer_minutes_leave_no_more_wrong_where_the_expert_reads_all() -> None:
    strict = simulated(SETTINGS["strict"], 20, expert=Expert())
    cheap = simulated(SETTINGS["one self-check, one reviewer, sample 1"], 20, expert=Expert())
    assert all(one.minutes <= 2 / 3 * two.minutes for one, two in zip(cheap, strict, strict=True))
    assert sum(one.wrong for one in cheap) <= sum(one.wrong for one in strict)
    # An expert who decides only what differs does not see what the owner and the reviewer have alike.
    asked = simulated(SETTINGS["one self-check, one reviewer, sample 1"], 20, expert=Expert(reads_all=False))
    assert sum(one.wrong for one in asked) > sum(one.wrong for one in strict)
