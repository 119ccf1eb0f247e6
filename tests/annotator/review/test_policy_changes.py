"""Changing the policy in the middle of the work: nothing is rewritten, nothing is stranded."""

import pytest

from annotator.cases.history import case_events
from annotator.project.policy import Pairing, ReviewPolicy, changed_policy, checked_policy
from annotator.review.expert.decisions import Decision
from annotator.review.policy_changes import change_review_policy, replace_review_policy
from annotator.review.queue.claims import claim_case, claim_next
from annotator.review.submissions import submission_key, submit
from scoring.errors import ForbiddenError, InputError, NotFoundError
from scoring.model.taxonomy import Policy, Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case


def test_a_case_with_enough_judgments_closes_when_fewer_are_asked_for(team: Team) -> None:
    change_review_policy(team["max"], ("reviewers=3",))
    team.bring(two_step_case("c-1"), two_step_case("c-2"), two_step_case("c-3"))
    for case_id in ("c-1", "c-2", "c-3"):
        team.self_check("ann", case_id)
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1")
    team.cross_check("bob", "c-2", policies={0: Policy.MULTI_MIXED})
    team.cross_check("cleo", "c-2")
    team.cross_check("bob", "c-3")
    change_review_policy(team["max"], ("reviewers=2",))
    assert team.stage("c-1") is Stage.APPROVED
    assert team.stage("c-2") is Stage.ESCALATED  # 1 of 6 fields differs
    assert team.stage("c-3") is Stage.CROSS_CHECK
    assert team.cross_check("cleo", "c-3").stage is Stage.APPROVED


def test_a_reviewer_whose_round_was_closed_by_it_is_told(team: Team) -> None:
    change_review_policy(team["max"], ("reviewers=3",))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1")
    late = claim_case(team["dan"], "c-1").value
    change_review_policy(team["max"], ("reviewers=2",))
    with pytest.raises(ForbiddenError, match="not yours any more: it was handed back or reassigned, or"):
        submit(team["dan"], late.id, judgment=approval(two_step_case()), key=submission_key())


def test_more_reviewers_open_more_slots_of_rounds_under_way(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    change_review_policy(team["max"], ("reviewers=3",))
    assert team.cross_check("cleo", "c-1").stage is Stage.CROSS_CHECK
    assert team.cross_check("dan", "c-1").stage is Stage.EXPERT


def test_a_cross_check_switched_off_closes_what_was_judged_and_passes_the_rest(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"), two_step_case("c-3"))
    for case_id in ("c-1", "c-2", "c-3"):
        team.self_check("ann", case_id)
    team.cross_check("bob", "c-1", verdict=Verdict.ESCALATE)
    team.cross_check("bob", "c-2")
    change_review_policy(team["max"], ("cross_check=false",))
    assert team.stage("c-1") is Stage.ESCALATED
    assert [team.stage(case_id) for case_id in ("c-2", "c-3")] == [Stage.APPROVED, Stage.APPROVED]
    actions = [event.action for event in case_events(team["max"], "c-3")]
    assert actions[0] == "review:round:pass"
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    assert sorted((team.stage("c-2"), team.stage("c-3"))) == [Stage.APPROVED, Stage.EXPERT]


def test_a_sample_switched_off_finishes_what_waits_for_it(team: Team) -> None:
    team.bring(*(two_step_case(f"c-{i}") for i in range(3)))
    for i in range(3):
        team.self_check("ann", f"c-{i}")
        team.cross_check("bob", f"c-{i}")
        team.cross_check("cleo", f"c-{i}")
    change_review_policy(team["max"], ("expert_sample=false",))
    stages = [team.stage(f"c-{i}") for i in range(3)]
    # One is with the expert already; the sample stays open until it is decided.
    assert sorted(stages) == [Stage.APPROVED, Stage.APPROVED, Stage.EXPERT]
    team.decide(f"c-{stages.index(Stage.EXPERT)}", Decision(verdict=Verdict.APPROVE))
    assert {team.stage(f"c-{i}") for i in range(3)} == {Stage.FINAL}


def test_the_dialogue_check_can_be_switched_off(team: Team) -> None:
    change_review_policy(team["max"], ("dialogue_check=false",))
    team.bring(two_step_case())
    assert team.check_once("ann", "c-1").stage is Stage.CROSS_CHECK
    from annotator.review.withdrawals import withdraw

    assert withdraw(team["ann"], "c-1").value.stage is Stage.SELF_CHECK_TASK


def test_a_change_is_an_event_with_before_and_after(team: Team) -> None:
    import json

    from db.read import reviews

    change_review_policy(team["max"], ("reviewers=3", "sample_share=0.2"))
    (event,) = team["max"].read(lambda tx: reviews.events_of(tx, ["project:policy"]))
    assert json.loads(event.payload) == {"reviewers": [2, 3], "sample_share": [0.1, 0.2]}


def test_a_whole_policy_is_taken_from_a_form_or_file(team: Team) -> None:
    policy = checked_policy({"reviewers": 1, "pairing": "round_robin"})
    assert replace_review_policy(team["max"], policy).value == policy
    assert team["ann"].policy() == policy


def test_a_policy_names_only_people_there_are(team: Team) -> None:
    with pytest.raises(NotFoundError, match="names 'zoe'"):
        change_review_policy(team["max"], ('pairs=[["ann","zoe"]]',))
    with pytest.raises(NotFoundError, match="names 'zoe'"):
        change_review_policy(team["max"], ('skills={"zoe":["nb"]}',))
    with pytest.raises(NotFoundError, match="names 'zoe'"):
        change_review_policy(team["max"], ("toolset_skills=zoe: travel",))


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("pairing=swap", "pairing", Pairing.SWAP),
        ('pairs=[["ann","bob"]]', "pairs", (("ann", "bob"),)),
        ("pairs=ann, bob; cleo,dan;", "pairs", (("ann", "bob"), ("cleo", "dan"))),
        ("pairs=", "pairs", ()),
        ('skills={"ann":["nb","en"]}', "skills", {"ann": ("nb", "en")}),
        ("skills=ann: nb, en; bob: en", "skills", {"ann": ("nb", "en"), "bob": ("en",)}),
        ("blind_fields=policy, edges", "blind_fields", ("policy", "edges")),
        ("blind_fields=", "blind_fields", ()),
        ("case_threshold=0.1", "case_threshold", 0.1),
        ("seed=2026-11", "seed", "2026-11"),
    ],
)
def test_a_setting_is_written_as_a_person_would(text: str, key: str, value: object) -> None:
    assert getattr(changed_policy(ReviewPolicy(), (text,)), key) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pairs=[[", "is not JSON"),
        ('pairs=[["ann"]]', "a pair has two or more people"),
        ("pairs=ann, bob; bob, cleo", "nobody is in two pairs"),
        ("skills=ann; bob: en", "a name and its list are divided by a colon"),
        ("blind_fields=policy,names", "blind_fields"),
        ("case_threshold=nan", "case_threshold does not fit"),
        ("case_threshold=1.01", "case_threshold does not fit"),
        ("seed=a\x00b", "seed does not fit"),
        ("reviewers=0", "reviewers does not fit"),
        ("lease_minutes=-1", "lease_minutes does not fit"),
        ("daily_cases=-1", "daily_cases does not fit"),
    ],
)
def test_a_setting_that_does_not_fit_says_which(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        changed_policy(ReviewPolicy(), (text,))


@pytest.mark.parametrize("gate", ["evidence_gate=false", "exact_as_found=true"])
def test_the_gates_of_the_moment_apply(team: Team, gate: str) -> None:
    change_review_policy(team["max"], (gate,))
    team.bring(two_step_case())
    held = claim_next(team["ann"]).value
    assert held is not None
    bare = approval(two_step_case()).model_copy(update={"evidence": ()})
    done = submit(team["ann"], held.id, judgment=bare, key=submission_key()).value
    assert done.stage is Stage.CROSS_CHECK
