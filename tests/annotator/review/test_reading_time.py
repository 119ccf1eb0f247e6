"""What is submitted faster than anyone reads is marked, and comes to the expert beside the random sample."""

import pytest

from annotator.drafts.reading_time import is_hasty, reading_seconds, word_count
from annotator.project.policy import ReviewPolicy, SamplingMethod
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision
from annotator.review.measures.progress import samples
from annotator.review.measures.workload import workloads
from annotator.review.policy_changes import replace_review_policy
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case
from tests.factories import answer, ask, call, case, task

ALONE = ReviewPolicy(cross_check=False, sample_share=0.1)


def test_words_are_those_of_the_dialogue_and_no_observation() -> None:
    one = case(
        task(
            ask("Which city?", "Oslo"),
            call("getForecast", "a b c d"),
            answer("It is sunny."),
            user="Weather?",
        )
    )
    # Weather | Which city | Oslo | It is sunny: 1 + 2 + 1 + 3
    assert word_count(one) == 7
    assert reading_seconds(one) == pytest.approx(7 / 600 * 60)


def test_three_ideographs_are_two_words() -> None:
    assert word_count(case(task(answer("好的。"), user="查天气"))) == pytest.approx(5 / 1.5)


@pytest.mark.parametrize(
    ("stage", "round_", "seconds", "expected"),
    [
        (Stage.CROSS_CHECK, 1, 0.5, True),
        (Stage.CROSS_CHECK, 3, 0.5, True),
        (Stage.SELF_CHECK_TASK, 1, 0.5, True),
        (Stage.SELF_CHECK_TASK, 2, 0.5, False),  # its owner has read it before
        (Stage.SELF_CHECK_DIALOGUE, 1, 0.5, False),
        (Stage.CROSS_CHECK, 1, 0, False),  # nobody measured the time
        (Stage.CROSS_CHECK, 1, 60, False),
    ],
)
def test_only_a_first_reading_can_be_too_fast(
    stage: Stage, round_: int, seconds: float, *, expected: bool
) -> None:
    assert is_hasty(two_step_case(), stage=stage, round_=round_, seconds=seconds) is expected


def _submit(team: Team, name: str, case_id: str, *, seconds: float) -> None:
    held = claim_case(team[name], case_id).value
    shown = open_assignment(team[name], held.id).base
    judgment = approval(shown).model_copy(update={"seconds": seconds})
    submit(team[name], held.id, judgment=judgment, key=submission_key())


def test_a_hasty_case_comes_to_the_expert_beside_the_draw_and_changes_nothing_of_it(team: Team) -> None:
    ids = [f"c-{number}" for number in range(10)]
    drawn: list[set[str]] = []
    replace_review_policy(team["max"], ALONE)
    for batch, hasty in (("b1", ()), ("b2", ("x",))):
        names = [f"{batch}-{case_id}" for case_id in ids]
        team.bring(*map(two_step_case, names), batch=batch)
        for name in names:
            slow = not hasty or not name.endswith(("3", "7"))
            _submit(team, "ann", name, seconds=60 if slow else 0.4)
        (sample,) = [one for one in samples(team["max"]) if one.batch == batch]
        assert sample.population == 10
        assert len(sample.outcomes) == 1
        at_expert = {name for name in names if team.stage(name) is Stage.EXPERT}
        drawn.append(at_expert)
        assert set(sample.outcomes) <= at_expert
    plain, marked = drawn
    assert len(plain) == 1
    assert {"b2-c-3", "b2-c-7"} <= marked
    assert len(marked - {"b2-c-3", "b2-c-7"}) <= 1
    (ann,) = [one for one in workloads(team["max"]) if one.person == "ann"]
    assert ann.hasty == 2


def test_without_a_sample_hasty_cases_still_come_to_the_expert(team: Team) -> None:
    replace_review_policy(team["max"], ALONE.model_copy(update={"sample_share": 0.0, "sample_minimum": 0}))
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    _submit(team, "ann", "c-1", seconds=60)
    _submit(team, "ann", "c-2", seconds=0.4)
    assert (team.stage("c-1"), team.stage("c-2")) == (Stage.FINAL, Stage.EXPERT)
    team.decide("c-2", _approve())
    assert team.stage("c-2") is Stage.FINAL


def test_hasty_cases_come_to_the_expert_beside_a_round(team: Team) -> None:
    replace_review_policy(team["max"], ALONE.model_copy(update={"sampling": SamplingMethod.ROUNDS}))
    names = [f"c-{number}" for number in range(5)]
    team.bring(*map(two_step_case, names))
    for name in names:
        _submit(team, "ann", name, seconds=60 if name not in ("c-1", "c-3") else 0.4)
    (sample,) = samples(team["max"])
    assert len(sample.outcomes) == 1  # so that not both were drawn
    assert {team.stage("c-1"), team.stage("c-3")} == {Stage.EXPERT}


def test_a_clean_sample_lets_the_rest_through_while_a_hasty_case_waits(team: Team) -> None:
    replace_review_policy(team["max"], ALONE)
    names = [f"c-{number}" for number in range(5)]
    team.bring(*map(two_step_case, names))
    for name in names:
        _submit(team, "ann", name, seconds=60 if name != "c-4" else 0.4)
    (sample,) = samples(team["max"])
    (first,) = sample.outcomes
    team.decide(first, _approve())
    stages = {name: team.stage(name) for name in names}
    waiting = {name for name, stage in stages.items() if stage is Stage.EXPERT}
    assert waiting == ({"c-4"} - {first})
    assert all(stage is Stage.FINAL for name, stage in stages.items() if name not in waiting)


def _approve() -> Decision:
    return Decision(verdict=Verdict.APPROVE)
