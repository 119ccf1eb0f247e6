"""Effects: contrasts recomputed by hand, their intervals and p-values, and why one is undefined."""

from itertools import product

import pytest

from scoring.matching.task_scores import TaskScore
from scoring.measures.effects import (
    PAIRED_RATES,
    Arm,
    Contrast,
    Effect,
    effects,
    holm,
    paired_arms,
    size_arms,
    slice_contrasts,
)
from scoring.measures.sample import ScoredSample
from scoring.model.taxonomy import Information, Policy
from tests.annotator.release.cards import league, rights, scored


def of_policy(policy: Policy, pattern: str, *, case: str) -> list[TaskScore]:
    """Tasks of one policy, right where the pattern has a `+`."""
    return rights(pattern, policies=(policy,), case=case)


def sample(parallel: str, serial: str, mixed: str) -> ScoredSample:
    return ScoredSample(
        [
            *of_policy(Policy.MULTI_PARALLEL, parallel, case="p"),
            *of_policy(Policy.MULTI_SERIAL, serial, case="s"),
            *of_policy(Policy.MULTI_MIXED, mixed, case="m"),
        ]
    )


def measured(title: str, runs: dict[str, ScoredSample]) -> Effect:
    """The effect of one contrast of slices, by the beginning of its title."""
    contrasts = [one for one in slice_contrasts(runs) if one.title.startswith(title)]
    cases = [task.case for run in runs.values() for task in run.tasks]
    return effects(contrasts, cases, resamples=50)[0]


def test_dependencies_cost_the_mean_over_models_of_parallel_less_serial_and_mixed() -> None:
    # a: 3/4 - (1/2 + 0/2)/2 = 0.5; b: 2/4 - (1/2 + 1/2)/2 = 0; together 0.25.
    runs = {"a": sample("+++-", "+-", "--"), "b": sample("++--", "+-", "-+")}
    found = measured("Dependencies: parallel − average", runs)
    assert (found.value, found.by_model) == (0.25, {"a": 0.5, "b": 0.0})
    assert (found.sessions, found.tasks, found.printed) == (3, 8, "C3-Bench 28.7")
    uneven = {"a": sample("+++-", "+", "---")}  # 3/4 - (1 + 0)/2; pooled 3/4 - 1/4
    assert measured("Dependencies: parallel − average", uneven).value == 0.25
    assert measured("Dependencies: parallel − serial and mixed", uneven).value == 0.5


def test_one_more_task_costs_a_third_of_the_way_from_the_first_to_the_fourth() -> None:
    # First 2/2, second 1/2, third 1/2, fourth 0/2: (1 - 0)/3, and steps of 1/2, 0, 1/2.
    run = ScoredSample([*rights("++--", case="a"), *rights("+-+-", case="b")])
    assert measured("One more task", {"m": run}).value == pytest.approx(1 / 3)
    assert [measured(f"Task {n} − task", {"m": run}).value for n in (1, 2, 3)] == [0.5, 0.0, 0.5]


def test_long_range_is_set_against_the_mean_of_the_other_two() -> None:
    relations = (Information.OMISSION, Information.REFERENCE, Information.LONG_RANGE)
    tasks = [
        scored(place, case=case, information=relations[place - 1], right=sign == "+")
        for case, pattern in (("a", "++-"), ("b", "+--"), ("c", "+-+"))
        for place, sign in enumerate(pattern, start=1)
    ]
    # Omission 3/3, reference 1/3, long range 1/3: (1 + 1/3)/2 - 1/3. Only third tasks are long range.
    assert measured("Long range: average", {"m": ScoredSample(tasks)}).value == pytest.approx(1 / 3)
    found = measured("Long range, tasks 3", {"m": ScoredSample(tasks)})
    assert (found.value, found.undefined) == (None, "no task of these kinds: omission")


def test_switches_count_within_the_tasks_they_are_asked_of() -> None:
    single, chat = Policy.SINGLE, Policy.CHAT
    steady = rights("++-+", policies=(single,), case="a")  # never switches
    restless = rights("+-+-", policies=(single, chat), case="b")  # its fourth task comes after three
    run = {"m": ScoredSample([*steady, *restless])}
    # Without a switch 3/4 of a and the first of b: 4/5; after three 0/1. Later tasks only: 2/3. Fourth: 1/1.
    assert measured("Switches", run).value == pytest.approx(4 / 5)
    assert measured("One more switch: (none − three) / 3, tasks 2", run).value == pytest.approx(2 / 9)
    assert measured("One more switch: (none − three) / 3, tasks 4", run).value == pytest.approx(1 / 3)


def test_a_doubling_is_the_slope_over_the_logarithm_of_the_size() -> None:
    # 2, 8, 32 billion are two doublings apart: 1/4, 2/4, 4/4 gives ((1 - 1/4) * 2) / (2 * 4) = 0.1875.
    runs = [(size, ScoredSample(rights(p))) for size, p in ((2.0, "+---"), (8.0, "++--"), (32.0, "++++"))]
    [found] = effects([Contrast("Size", {"family": size_arms(runs)})], ["c-1"])
    assert found.value == pytest.approx(0.1875)
    assert (found.interval, found.p_value) == (None, None)  # one dialogue says nothing of others


def test_pairs_count_the_tasks_of_both_runs() -> None:
    slow, fast = ScoredSample(rights("++-+")), ScoredSample(rights("+-+"))
    [found] = effects([Contrast("Thinking", {"m": paired_arms(slow, fast)})], ["c-1"])
    assert (found.value, found.tasks) == (0.0, 3)  # 2/3 - 2/3: nobody asked the fast one the fourth
    later = paired_arms(slow, fast, since=1)
    assert [len(arm.tasks) for arm in later] == [2, 2]


def test_both_arms_of_all_models_are_drawn_together() -> None:
    # The arms differ by one right task in every dialogue: whatever is drawn, the difference is 1/2.
    runs = [ScoredSample([t for n in range(9) for t in rights(p, case=f"{n}")]) for p in ("++", "+-")]
    contrast = Contrast("Paired", {"m": paired_arms(*runs)})
    [found] = effects([contrast], [f"{n}" for n in range(9)], resamples=99)
    assert found.interval is not None
    assert (found.value, found.interval.low, found.interval.high) == (0.5, 0.5, 0.5)
    assert found.p_value == 2 * 1 / 100  # no resample at or below zero
    none = Contrast("Alike", {"m": paired_arms(runs[0], runs[0])})
    assert [one.p_value for one in effects([none], ["0", "1"], resamples=99)] == [1.0]


def test_bounds_and_p_are_those_of_all_ways_to_draw_the_dialogues() -> None:
    """Four dialogues can be drawn in 4⁴ = 256 ways; what the rates are in each is counted here one by one."""
    better, other = ("++-+", "+--+", "-+++", "++++"), ("+--+", "+-++", "----", "+--+")
    runs = [
        ScoredSample([task for n, pattern in enumerate(side) for task in rights(pattern, case=f"{n}")])
        for side in (better, other)
    ]
    gains = [one.count("+") - two.count("+") for one, two in zip(better, other, strict=True)]
    every = sorted(sum(gains[n] for n in drawn) / 16 for drawn in product(range(4), repeat=4))
    [found] = effects([Contrast("Paired", {"m": paired_arms(*runs)})], "0123", resamples=40_000)
    assert found.value == sum(gains) / 16
    assert found.interval is not None
    # Value by value: at most 2.5 % of all ways lie below the lower bound, and more than that up to it.
    for bound, least in ((found.interval.low, 0.025), (found.interval.high, 0.975)):
        assert sum(one < bound for one in every) / 256 < least < sum(one <= bound for one in every) / 256
    beyond = sum(one <= 0 for one in every) / 256
    assert 0 < beyond < 0.5
    assert found.p_value == pytest.approx(2 * beyond, rel=0.05)


def test_holm_counts_every_effect_of_the_table() -> None:
    runs = {name: one.sample for name, one in league(dialogues=12)[:4]}
    contrasts = slice_contrasts(runs)
    cases = [f"c-{n}" for n in range(12)]
    found = effects(contrasts, cases, resamples=200)
    assert found == effects(contrasts, cases, resamples=200)
    known = sorted(
        (one.p_value, one.holm) for one in found if one.p_value is not None and one.holm is not None
    )
    assert known[0][1] == pytest.approx(min(1.0, len(known) * known[0][0]))
    assert [one for _, one in known] == sorted(one for _, one in known)
    assert holm([0.5, None, 0.01]) == [0.5, None, 0.02]


def test_an_undefined_effect_says_which_tasks_are_missing_and_is_never_zero() -> None:
    found = measured("Dependencies: parallel − average", {"m": sample("++", "", "")})
    assert (found.value, found.undefined) == (None, "no task of these kinds: serial; mixed")
    assert (found.interval, found.p_value, found.holm, found.by_model) == (None, None, None, {})
    [nobody] = effects([Contrast("Size", {}, why_none="no family in two known sizes")], ["a", "b"])
    assert (nobody.value, nobody.undefined) == (None, "no family in two known sizes")
    # A model without such tasks is left out, the others count.
    half = measured(
        "Dependencies: parallel − average", {"m": sample("++", "", ""), "n": sample("+", "-", "-")}
    )
    assert (half.value, half.by_model) == (1.0, {"n": 1.0})


def test_an_interval_is_missing_where_too_many_resamples_lack_an_arm() -> None:
    arms = [Arm("a", 1.0, rights("+", case="a")), Arm("b", -1.0, rights("-", case="b"))]
    [found] = effects(
        [Contrast("Rare", {"m": arms})], ["a", "b"]
    )  # half of the samples have one of them only
    assert (found.value, found.interval, found.p_value) == (1.0, None, None)


def test_pairs_are_compared_by_optimal_paths_and_progress_over_the_tasks_that_have_them() -> None:
    def run(rows: str) -> ScoredSample:
        policies = (Policy.MULTI_PARALLEL, Policy.MULTI_MIXED, Policy.MULTI_SERIAL, Policy.SINGLE)
        return ScoredSample(
            [
                scored(place, policy=policy, right=sign in "+o", optimal=sign == "o", done=1, steps=4)
                for place, (policy, sign) in enumerate(zip(policies, rows, strict=True))
            ]
        )

    slow, fast = run("oo-o"), run("+-+o")
    values = {
        by: effects([Contrast(by, {"m": paired_arms(slow, fast, by=by)})], ["c-1"])[0] for by in PAIRED_RATES
    }
    # Right 3/4 against 3/4; optimal 2/2 against 0/2 of parallel and mixed; steps 4 + 1 against 1 + 4 of 8.
    assert {by: one.value for by, one in values.items()} == {
        "accuracy": 0.0,
        "optimal paths": 1.0,
        "progress": 0.0,
    }
    assert {by: one.tasks for by, one in values.items()} == {"accuracy": 4, "optimal paths": 2, "progress": 2}
    ahead = Contrast("progress", {"m": paired_arms(run("ooo-"), fast, by="progress")})
    assert effects([ahead], ["c-1"])[0].value == 3 / 8  # 8 steps of 8 against 5
    alone = Contrast(
        "p", {"m": paired_arms(ScoredSample(rights("+")), ScoredSample(rights("+")), by="progress")}
    )
    assert (
        effects([alone], ["c-1"])[0].undefined
        == "no task of these kinds: in both runs and counts for progress"
    )
