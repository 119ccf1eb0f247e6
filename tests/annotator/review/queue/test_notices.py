"""What is new for a person, and what a blind reviewer is not told yet."""

from annotator.cases.history import add_comment
from annotator.review.expert.decisions import Decision, FeedbackItem
from annotator.review.queue.assignments import hand_case
from annotator.review.queue.claims import claim_case
from annotator.review.queue.notices import mark_read, notifications
from scoring.model.taxonomy import FeedbackCategory, Verdict
from tests.annotator.team import Team, two_step_case


def test_notifications_list_what_came_back_was_answered_and_was_told(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
    question = add_comment(team["ann"], "c-1", where="case", text="is this one task?").value
    add_comment(team["max"], "c-1", where="case", text="yes, one", parent=question)
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1", verdict=Verdict.RETURN, note="split it")
        team.cross_check(name, "c-2", verdict=Verdict.ESCALATE)
    told = (FeedbackItem(to="owner", category=FeedbackCategory.WRONG_VALUE, note="look again"),)
    team.decide("c-2", Decision(verdict=Verdict.APPROVE, feedback=told))
    found = [
        (one.kind, one.case_id, one.text, one.sender, one.category) for one in notifications(team["ann"])
    ]
    assert found == [
        ("feedback", "c-2", "look again", "eve", FeedbackCategory.WRONG_VALUE),
        ("returned", "c-1", "split it", None, None),
        ("answer", "c-1", "yes, one", "max", None),
    ]
    assert mark_read(team["ann"]).value == 2
    assert [one.kind for one in notifications(team["ann"])] == ["returned"]
    team.check_once("ann", "c-1")
    assert notifications(team["ann"]) == ()
    assert notifications(team["bob"]) == ()


def test_an_answer_a_blind_reviewer_must_not_see_waits_unread(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    claim_case(team["bob"], "c-1")
    asked = add_comment(team["bob"], "c-1", where="case", text="why two calls?").value
    add_comment(team["ann"], "c-1", where="case", text="one feeds the other", parent=asked)
    assert notifications(team["bob"]) == ()
    assert mark_read(team["bob"]).value == 0
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    assert [one.text for one in notifications(team["bob"])] == ["one feeds the other"]


def test_an_expert_is_told_what_was_handed_to_them_until_they_take_it_up(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    assert notifications(team["eve"]) == ()
    hand_case(team["max"], "c-1", to="eve")
    [found] = notifications(team["eve"])
    assert (found.kind, found.case_id) == ("handed", "c-1")
    assert found.text == "escalated: not all reviewers approved"
    assert mark_read(team["eve"]).value == 0  # it stays
    claim_case(team["eve"], "c-1")
    assert notifications(team["eve"]) == ()
