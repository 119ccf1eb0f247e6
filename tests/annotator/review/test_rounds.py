"""Samples of batches that grow, mix and repeat: the one sample, and rounds until clean and covered."""

from itertools import pairwise

import pytest

from annotator.project.people import add_person
from annotator.review.batches import return_batch
from annotator.review.expert.decisions import Decision, Own
from annotator.review.measures.progress import samples
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import CaseFilter, list_cases
from annotator.review.queue.claims import claim_next
from scoring.errors import InputError
from scoring.model.taxonomy import Policy, Role, Stage, Verdict
from tests.annotator.team import Team, two_step_case

KIND: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}


def _approve(team: Team, *ids: str) -> None:
    for case_id in ids:
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)


def _at(team: Team, stage: Stage) -> list[str]:
    return [row.case_id for row in list_cases(team["max"], CaseFilter(stages=(stage,), order="case"))]


def test_cases_that_join_a_batch_after_its_sample_was_drawn_are_sampled_themselves(team: Team) -> None:
    team.bring(*(two_step_case(f"c-{i}") for i in range(3)))
    _approve(team, "c-0", "c-1", "c-2")
    (drawn,) = _at(team, Stage.EXPERT)
    team.bring(two_step_case("late-1"), two_step_case("late-2"))
    _approve(team, "late-1")
    team.decide(drawn, Decision(verdict=Verdict.APPROVE))
    # The clean sample lets its own population through; late-1 was in no population yet.
    assert set(_at(team, Stage.FINAL)) == {"c-0", "c-1", "c-2"}
    assert team.stage("late-1") is Stage.APPROVED
    _approve(team, "late-2")
    second = samples(team["max"])[-1]
    assert (second.sequence, second.population, len(second.outcomes)) == (2, 2, 1)


def test_an_error_does_not_send_back_what_was_not_in_the_population(team: Team) -> None:
    team.bring(*(two_step_case(f"c-{i}") for i in range(3)))
    _approve(team, "c-0", "c-1", "c-2")
    (drawn,) = _at(team, Stage.EXPERT)
    team.bring(two_step_case("late-1"))
    _approve(team, "late-1")
    team.decide(drawn, Decision(fields=KIND, verdict=Verdict.APPROVE))
    assert len(_at(team, Stage.CROSS_CHECK)) == 2
    assert team.stage("late-1") is Stage.APPROVED


def test_a_batch_with_a_rejected_and_an_escalated_case_is_sampled_when_the_last_is_decided(
    team: Team,
) -> None:
    team.bring(*(two_step_case(f"c-{i}") for i in range(4)))
    for i, verdict in enumerate((Verdict.APPROVE, Verdict.ESCALATE, Verdict.ESCALATE, Verdict.APPROVE)):
        team.self_check("ann", f"c-{i}")
        team.cross_check("bob", f"c-{i}")
        team.cross_check("cleo", f"c-{i}", verdict=verdict)
    assert samples(team["max"]) == ()
    team.decide("c-1", Decision(verdict=Verdict.REJECT, note="not a request"))
    assert samples(team["max"]) == ()
    team.decide("c-2", Decision(verdict=Verdict.APPROVE))
    (drawn,) = samples(team["max"])
    assert (drawn.population, len(drawn.outcomes)) == (2, 1)


def test_a_reopened_case_of_a_finished_batch_is_sampled_again(team: Team) -> None:
    from annotator.review.withdrawals import reopen

    team.bring(two_step_case("c-0"), two_step_case("c-1"))
    _approve(team, "c-0", "c-1")
    team.decide(_at(team, Stage.EXPERT)[0], Decision(verdict=Verdict.APPROVE))
    reopen(team["eve"], "c-0", reason="a typo")
    _approve(team, "c-0")
    assert team.stage("c-0") is Stage.EXPERT
    assert [sample.sequence for sample in samples(team["max"])] == [1, 2]


def test_returning_a_batch_needs_a_reason_and_leaves_the_sampled_cases_with_the_expert(team: Team) -> None:
    team.bring(*(two_step_case(f"c-{i}") for i in range(3)))
    _approve(team, "c-0", "c-1", "c-2")
    with pytest.raises(InputError, match="needs a reason"):
        return_batch(team["max"], "b1", reason=" ")
    assert return_batch(team["max"], "b1", reason="new guidelines").value == 2
    (drawn,) = _at(team, Stage.EXPERT)
    team.decide(drawn, Decision(verdict=Verdict.APPROVE))
    assert len(_at(team, Stage.RETURNED)) == 2


def test_a_long_batch_name_and_seed_fit(team: Team) -> None:
    name = "b" * 200
    change_review_policy(team["max"], (f"seed={'s' * 60}",))
    team.bring(two_step_case(), batch=name)
    _approve(team, "c-1")
    assert samples(team["max"])[0].seed == f"{'s' * 60}:{name}:1"


@pytest.mark.parametrize("strata", ["policy", "owner", "none"])
def test_a_sample_is_drawn_in_proportion_to_what_the_policy_says(team: Team, strata: str) -> None:
    change_review_policy(team["max"], (f"strata={strata}", "sample_share=0.5"))
    ids = [f"c-{i}" for i in range(4)]
    team.bring(*map(two_step_case, ids))
    for case_id, owner in zip(ids, ("ann", "ann", "dan", "dan"), strict=True):
        team.self_check(owner, case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    drawn = list(samples(team["max"])[0].outcomes)
    assert len(drawn) == 2
    if strata == "owner":
        assert len({case_id in ("c-0", "c-1") for case_id in drawn}) == 2


# Rounds -------------------------------------------------------------------------------------------------


@pytest.fixture
def rounds(team: Team) -> Team:
    """Rounds of 20 %, and enough people: owner, two reviewers, and four more to look again."""
    for name in ("fay", "gus", "hal"):
        add_person(team["max"], name, roles=[Role.ANNOTATOR])
    change_review_policy(team["max"], ("sampling=rounds",))
    return team


def _serve(team: Team, *, names: tuple[str, ...] = ("dan", "fay", "gus", "hal")) -> dict[str, set[str]]:
    """Let people take and approve the sampled cases of a round as the queue offers them."""
    served: dict[str, set[str]] = {}
    busy = True
    while busy:
        busy = False
        for name in names:
            held = claim_next(team[name], stage=Stage.CROSS_CHECK).value
            if held is not None:
                team.cross_check(name, held.case_id)
                served.setdefault(held.case_id, set()).add(name)
                busy = True
                break
    return served


def test_rounds_end_by_themselves_when_clean_and_every_case_was_looked_at(rounds: Team) -> None:
    ids = [f"c-{i}" for i in range(5)]
    rounds.bring(*map(two_step_case, ids))
    _approve(rounds, *ids)
    # 20 % of 5 is one case a round: five rounds of other people until every case was looked at.
    _serve(rounds)
    drawn = samples(rounds["max"])
    assert [sample.kind for sample in drawn] == ["rounds"] * 5
    assert [sample.status for sample in drawn] == ["clean"] * 5
    assert sorted(case_id for sample in drawn for case_id in sample.outcomes) == ids
    assert set(_at(rounds, Stage.FINAL)) == set(ids)


def test_a_pair_does_not_serve_two_rounds_in_a_row(rounds: Team) -> None:
    ids = [f"c-{i}" for i in range(5)]
    rounds.bring(*map(two_step_case, ids))
    _approve(rounds, *ids)
    served = _serve(rounds)
    pairs = [served[next(iter(sample.outcomes))] for sample in samples(rounds["max"])]
    assert [len(pair) for pair in pairs] == [2] * 5
    for pair, following in pairwise(pairs):
        assert not pair & following


def test_a_round_with_a_confirmed_error_is_followed_by_another(rounds: Team) -> None:
    change_review_policy(rounds["max"], ("round_share=1",))
    rounds.bring(two_step_case("c-1"), two_step_case("c-2"))
    _approve(rounds, "c-1", "c-2")
    assert sorted(_at(rounds, Stage.CROSS_CHECK)) == ["c-1", "c-2"]
    for name in ("dan", "fay"):
        rounds.cross_check(name, "c-1", policies={0: Policy.MULTI_MIXED})
        rounds.cross_check(name, "c-2")
    assert rounds.stage("c-1") is Stage.ESCALATED  # the pair marked an error; the expert confirms it or not
    assert samples(rounds["max"])[0].outcomes == {"c-1": "open", "c-2": "unchanged"}
    own: dict[str, str | Own] = {"task.0.policy": Own(own="multi_mixed")}
    rounds.decide("c-1", Decision(fields=own, verdict=Verdict.APPROVE, note="mixed it is"))
    first, second = samples(rounds["max"])
    assert (first.status, first.error_count) == ("corrected", 1)
    # c-1 is final by the expert's word; c-2 has been looked at, but the round was not clean.
    assert list(second.outcomes) == ["c-2"]
    for name in ("gus", "hal"):
        rounds.cross_check(name, "c-2")
    assert samples(rounds["max"])[-1].status == "clean"
    assert rounds.stage("c-2") is Stage.FINAL


def test_a_marked_error_the_expert_does_not_confirm_is_none(rounds: Team) -> None:
    rounds.bring(two_step_case())
    _approve(rounds, "c-1")
    rounds.cross_check("dan", "c-1", policies={0: Policy.MULTI_MIXED})
    rounds.cross_check("fay", "c-1")
    own: dict[str, str | Own] = {"task.0.policy": Own(own="multi_serial")}
    rounds.decide("c-1", Decision(fields=own, verdict=Verdict.APPROVE))
    assert [(sample.status, sample.error_count) for sample in samples(rounds["max"])] == [("clean", 0)]
    assert rounds.stage("c-1") is Stage.FINAL


def test_a_case_returned_in_a_round_comes_back_into_a_later_one(rounds: Team) -> None:
    rounds.bring(two_step_case())
    _approve(rounds, "c-1")
    for name in ("dan", "fay"):
        rounds.cross_check(name, "c-1", verdict=Verdict.RETURN)
    assert samples(rounds["max"])[0].outcomes == {"c-1": "returned"}
    _approve(rounds, "c-1")
    assert [list(sample.outcomes) for sample in samples(rounds["max"])] == [["c-1"], ["c-1"]]
    _serve(rounds)
    assert rounds.stage("c-1") is Stage.FINAL


def test_rounds_without_a_cross_check_go_to_the_expert(rounds: Team) -> None:
    change_review_policy(rounds["max"], ("cross_check=false",))
    rounds.bring(*(two_step_case(f"c-{i}") for i in range(3)))
    for i in range(3):
        rounds.self_check("ann", f"c-{i}")
    for _ in range(3):
        (drawn,) = _at(rounds, Stage.EXPERT)
        rounds.decide(drawn, Decision(verdict=Verdict.APPROVE))
    assert len(_at(rounds, Stage.FINAL)) == 3
    assert [sample.status for sample in samples(rounds["max"])] == ["clean"] * 3
