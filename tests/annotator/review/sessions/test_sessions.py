"""Review sessions: what events make of them, who sees which vote, and what deciding does to the cases."""

from datetime import UTC, datetime
from typing import Any

import pytest

from annotator.cases.history import case_events
from annotator.jobs import JobContext
from annotator.project.audit import audit
from annotator.project.care import examine
from annotator.project.people import add_person
from annotator.review.expert.decisions import Decision
from annotator.review.measures.progress import samples
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_next
from annotator.review.sessions.minutes import minutes_of, minutes_text
from annotator.review.sessions.state import ReviewSession, SessionQuestion, fold
from annotator.review.sessions.steps import (
    close_session,
    decide_question,
    join_session,
    open_session,
    refuse_hidden_votes,
    reveal_votes,
    show_session,
    skip_question,
    vote,
)
from scoring.errors import BlockedError, ConflictError, ForbiddenError, InputError, NotFoundError
from scoring.model.taxonomy import Policy, Role, Stage, Verdict
from tests.annotator.team import Team, two_step_case

SERIAL, PARALLEL, MIXED = 2, 3, 4
"""Numbers of the options of a policy, as everybody has them."""
AT = datetime(2026, 11, 29, 9, 0, tzinfo=UTC).isoformat()


def _dispute(team: Team, *ids: str) -> None:
    """Bob sees another policy than the owner and cleo: one field of each case differs."""
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id, policies={0: Policy.MULTI_PARALLEL})
        team.cross_check("cleo", case_id)


def _opened(team: Team, *ids: str, leader: str = "eve") -> int:
    _dispute(team, *ids)
    number = open_session(team[leader], "Week 1").value
    for name in ("bob", "cleo"):
        join_session(team[name])
    return number


def _question(team: Team, name: str, place: int = 0) -> SessionQuestion:
    return show_session(team[name]).questions[place]


# Events -------------------------------------------------------------------------------------------------


def _told(*later: dict[str, Any]) -> ReviewSession:
    first = {
        "number": 1,
        "title": "Week 1",
        "leader": "eve",
        "present": ["eve"],
        "opened_at": AT,
        "questions": [{"case_id": "c-1", "version": 3}, {"case_id": "c-2", "version": 1}],
    }
    return fold([{"set": first}, *later])


def test_votes_of_several_people_come_together_and_a_later_one_replaces_ones_own() -> None:
    told = _told(
        {"questions": [0], "set": {"votes": {"ana": 1}}},
        {"questions": [0], "set": {"votes": {"ben": 2}}},
        {"questions": [0], "set": {"votes": {"ana": 2}}},
    )
    assert told.questions[0].votes == {"ana": 2, "ben": 2}
    assert told.questions[1].votes == {}
    assert told.current == 0


def test_the_next_open_question_is_up_and_none_once_the_session_is_closed() -> None:
    decided = {"questions": [0], "set": {"choice": 1, "by": "eve"}}
    assert _told(decided).current == 1
    assert _told(decided, {"questions": [1], "set": {"skipped": "left open"}}).current is None
    assert _told({"set": {"closed_at": AT}}).current is None


# Who sees what ------------------------------------------------------------------------------------------


def test_nobody_sees_anothers_vote_before_the_leader_reveals_it(team: Team) -> None:
    _opened(team, "c-1")
    vote(team["bob"], PARALLEL)
    vote(team["cleo"], SERIAL)
    assert _question(team, "bob").votes == {"bob": PARALLEL}
    for name in ("eve", "max", "ann"):
        assert _question(team, name).votes == {}
    assert _question(team, "eve").vote_count == 2
    assert "bob" not in minutes_text(minutes_of(team["eve"])).partition("c-1")[2]
    assert case_events(team["max"], "c-1")  # the case has events, and none tells of a vote
    assert not [one for one in case_events(team["max"], "c-1") if one.action.startswith("session")]
    with pytest.raises(ConflictError, match="Session 1 has votes"):
        refuse_hidden_votes(team["max"])
    reveal_votes(team["eve"])
    assert _question(team, "bob").votes == {"bob": PARALLEL, "cleo": SERIAL}
    refuse_hidden_votes(team["max"])


def test_what_was_voted_is_shown_to_who_is_there_or_trusted(team: Team) -> None:
    change_review_policy(team["max"], ("open_labels=when_final",))
    _opened(team, "c-1")
    vote(team["bob"], PARALLEL)
    reveal_votes(team["eve"])
    assert _question(team, "dan").is_kept_back
    assert _question(team, "dan").votes == {}
    assert _question(team, "cleo").votes == _question(team, "max").votes == {"bob": PARALLEL}


def test_options_are_every_label_there_is_never_only_what_reviewers_said(team: Team) -> None:
    _opened(team, "c-1")
    question = _question(team, "cleo")
    assert question.field is not None
    assert question.field.values == ()
    assert [value for _, value in question.options] == [policy.value for policy in Policy]


def test_who_checks_a_case_blind_again_is_not_shown_what_a_session_decided(team: Team) -> None:
    _opened(team, "c-1")
    join_session(team["dan"])
    vote(team["bob"], PARALLEL)
    reveal_votes(team["eve"])
    decide_question(team["eve"], SERIAL, note="look again", verdict=Verdict.RETURN)
    assert _question(team, "dan").note == "look again"
    team.self_check("ann", "c-1")
    claim_next(team["dan"], stage=Stage.CROSS_CHECK)
    seen = _question(team, "dan")
    assert (seen.is_kept_back, seen.votes, seen.choice, seen.note) == (True, {}, 0, "")


def test_the_owner_and_who_is_not_there_have_no_vote(team: Team) -> None:
    _opened(team, "c-1")
    with pytest.raises(ForbiddenError, match="not in this session"):
        vote(team["dan"], SERIAL)
    join_session(team["ann"])
    with pytest.raises(ForbiddenError, match="c-1 is yours"):
        vote(team["ann"], SERIAL)


# Bad input ----------------------------------------------------------------------------------------------


def test_a_vote_after_the_reveal_or_for_a_question_that_is_over_is_refused(team: Team) -> None:
    _opened(team, "c-1", "c-2")
    with pytest.raises(InputError, match="no option 9"):
        vote(team["bob"], 9)
    vote(team["bob"], SERIAL)
    reveal_votes(team["eve"])
    with pytest.raises(ConflictError, match="are revealed"):
        vote(team["cleo"], SERIAL)
    decide_question(team["eve"], SERIAL)
    with pytest.raises(ConflictError, match="not up any more"):
        vote(team["cleo"], SERIAL, place=0)
    vote(team["cleo"], SERIAL, place=1)


def test_deciding_needs_revealed_votes_or_a_note_and_the_leader(team: Team) -> None:
    _opened(team, "c-1")
    with pytest.raises(BlockedError, match="Nobody has voted"):
        reveal_votes(team["eve"])
    with pytest.raises(BlockedError, match="Nobody has voted"):
        decide_question(team["eve"], SERIAL)
    vote(team["bob"], SERIAL)
    with pytest.raises(BlockedError, match="not revealed"):
        decide_question(team["eve"], SERIAL, note="as we said")
    with pytest.raises(ForbiddenError, match="eve leads session 1"):
        reveal_votes(team["bob"])
    reveal_votes(team["eve"])
    assert decide_question(team["eve"], SERIAL).value == Stage.FINAL
    assert team.stage("c-1") is Stage.FINAL


def test_a_case_settled_elsewhere_meanwhile_is_skipped_with_the_reason(team: Team) -> None:
    _opened(team, "c-1", "c-2", "c-3")
    for case_id in ("c-1", "c-3"):
        team.decide(case_id, Decision(verdict=Verdict.RETURN, note="look again"))
    with pytest.raises(ConflictError, match="c-1 was settled"):
        vote(team["bob"], SERIAL)
    skip_question(team["eve"])
    session = show_session(team["bob"])
    assert [one.skipped for one in session.questions] == [
        "the case was settled or changed elsewhere",
        "",
        "the case was settled or changed elsewhere",
    ]
    assert session.current == 1


def test_a_case_is_up_in_one_open_session_only(team: Team) -> None:
    add_person(team["max"], "fay", roles=[Role.EXPERT])
    _opened(team, "c-1", "c-2")
    with pytest.raises(BlockedError, match="in another open session"):
        open_session(team["fay"], "The same")
    skip_question(team["eve"])
    assert open_session(team["fay"], "The rest").value == 2
    assert [one.case_id for one in show_session(team["fay"]).questions] == ["c-1"]
    assert show_session(team["fay"]).left_out == ("c-2",)
    close_session(team["eve"], 1)
    with pytest.raises(ConflictError, match="Session 1 is closed"):
        vote(team["bob"], SERIAL, number=1)


def test_without_cases_or_sessions_it_says_so(team: Team) -> None:
    with pytest.raises(BlockedError, match="No such case"):
        open_session(team["eve"], "Empty")
    with pytest.raises(NotFoundError, match="no such review session"):
        show_session(team["eve"])
    with pytest.raises(ForbiddenError):
        open_session(team["bob"], "Not mine to open")


# Deciding -----------------------------------------------------------------------------------------------


def test_the_last_question_of_a_case_settles_it_with_every_choice(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", policies={0: Policy.MULTI_PARALLEL}, edges={0: []})
    team.cross_check("cleo", "c-1")
    open_session(team["eve"], "Week 1")
    titles = [one.title for one in show_session(team["eve"]).questions]
    assert titles == ["Policy · task 1", "Edge 0 → 1 · task 1"]
    assert decide_question(team["eve"], SERIAL, note="one needs the other").value == ""
    assert team.stage("c-1") is Stage.ESCALATED
    assert decide_question(team["eve"], 1, note="the depot", entry="A depot is a parameter.").value == "final"
    assert "review:case:decide" in [one.action for one in case_events(team["max"], "c-1")]
    session = show_session(team["max"])
    assert [one.by for one in session.questions] == ["eve", "eve"]
    assert "- A depot is a parameter. (c-1)" in minutes_text(minutes_of(team["max"]))
    assert audit(team["max"]).holds
    assert examine(JobContext(), team.url, at=team.clock()) == ()


def test_a_manager_who_is_no_expert_cannot_settle_a_case_and_an_expert_takes_over(team: Team) -> None:
    add_person(team["max"], "mia", roles=[Role.MANAGER])
    _dispute(team, "c-1")
    open_session(team["mia"], "Week 1")
    with pytest.raises(ForbiddenError):
        decide_question(team["mia"], SERIAL, note="I say so")
    assert show_session(team["mia"]).current == 0
    with pytest.raises(ForbiddenError, match="Only experts and managers"):
        join_session(team["bob"], lead=True)
    join_session(team["eve"], lead=True)
    with pytest.raises(ForbiddenError, match="eve leads"):
        decide_question(team["mia"], SERIAL, note="I say so")
    decide_question(team["eve"], SERIAL, note="it waits for the depot")
    assert team.stage("c-1") is Stage.FINAL


def test_a_sampled_case_called_wrong_is_returned_and_counted_as_an_error(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    assert team.stage("c-1") is Stage.EXPERT
    open_session(team["eve"], "Sample", stage=Stage.EXPERT)
    assert _question(team, "eve").title == "Is the case right?"
    assert decide_question(team["eve"], 2, note="the depot is invented").value == "returned"
    assert samples(team["max"])[0].error_count == 1


# The rounds of WildToolBench ----------------------------------------------------------------------------


def test_rounds_of_a_fifth_are_settled_in_sessions_until_no_error_is_left(team: Team) -> None:
    for name in ("fay", "gus", "hal"):
        add_person(team["max"], name, roles=[Role.ANNOTATOR])
    change_review_policy(team["max"], ("sampling=rounds",))
    ids = [f"c-{i}" for i in range(5)]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
        for name in ("bob", "cleo"):
            team.cross_check(name, case_id)
    checked: list[str] = []
    while True:
        held = None
        for name in ("dan", "fay", "gus", "hal"):
            held = claim_next(team[name], stage=Stage.CROSS_CHECK).value
            if held is not None:
                # The first pair disagrees about its case; the session finds it mixed, which is an error.
                first = not checked or checked == [held.case_id]
                checked.append(held.case_id)
                marks = {0: Policy.MULTI_MIXED} if first and len(checked) == 1 else None
                team.cross_check(name, held.case_id, policies=marks)
                break
        if held is None:
            break
        if team.stage(held.case_id) is Stage.ESCALATED:
            open_session(team["eve"], f"Round {len(samples(team['max']))}")
            for name in ("bob", "dan"):
                join_session(team[name])
                vote(team[name], MIXED)
            reveal_votes(team["eve"])
            decide_question(team["eve"], MIXED, note="both at once", entry="Two calls at once are mixed.")
            close_session(team["eve"])
    drawn = samples(team["max"])
    assert [sample.error_count for sample in drawn] == [1, *[0] * (len(drawn) - 1)]
    assert drawn[-1].status == "clean"
    assert {team.stage(case_id) for case_id in ids} == {Stage.FINAL}
    assert sorted({case_id for sample in drawn for case_id in sample.outcomes}) == ids
    text = minutes_text(minutes_of(team["max"]))
    assert "- b1, sample 1: 1 of 1 wrong; 1 of 5 verified so far" in text
    assert f"sample {len(drawn)}: 0 of 1 wrong; 5 of 5 verified so far" in text
    assert "bob: Multi, mixed; dan: Multi, mixed" in text
    assert "Led by eve. There: eve, bob, dan." in text
