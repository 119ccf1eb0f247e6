"""What the settings of a review policy do, one by one, and that what was decided stays decided."""

from datetime import timedelta

import pytest

from annotator.cases.history import case_history, mark_gold
from annotator.cases.row_views import get_row
from annotator.project.people import add_person
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, FeedbackItem
from annotator.review.feedback import RECURRING, recurring_mistakes
from annotator.review.measures.progress import stage_report
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import reassign
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.notices import mark_read, notifications
from annotator.review.submissions import submission_key, submit
from scoring.errors import ForbiddenError, InputError
from scoring.model.labels import Reason
from scoring.model.taxonomy import FeedbackCategory, Role, Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case


@pytest.mark.parametrize("reviewers", [1, 2, 3, 4, 5])
def test_a_case_waits_for_as_many_reviewers_as_the_policy_says(team: Team, reviewers: int) -> None:
    change_review_policy(team["max"], (f"reviewers={reviewers}",))
    for name in ("finn", "gus"):
        add_person(team["max"], name, roles=[Role.ANNOTATOR])
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo", "dan", "finn", "gus")[:reviewers]:
        assert team.stage("c-1") is Stage.CROSS_CHECK
        team.cross_check(name, "c-1")
    assert team.stage("c-1") is Stage.EXPERT  # approved, and drawn as the only one of its batch


@pytest.mark.parametrize("value", ["0", "6", "two", ""])
def test_other_numbers_of_reviewers_are_refused(team: Team, value: str) -> None:
    with pytest.raises(InputError, match="The value for reviewers does not fit"):
        change_review_policy(team["max"], (f"reviewers={value}",))


def test_a_claim_lasts_as_long_as_the_policy_says(team: Team) -> None:
    change_review_policy(team["max"], ("lease_minutes=5",))
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    assert held.lease_until - held.claimed_at == timedelta(minutes=5)


def test_a_change_of_policy_leaves_what_was_decided_as_it_is(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    past, curve = case_history(team["max"], "c-1"), stage_report(team["max"]).curve
    change_review_policy(
        team["max"],
        ("reviewers=5", "case_threshold=0", "dialogue_check=false", "sampling=rounds", "round_share=1"),
    )
    assert team.stage("c-1") is Stage.FINAL
    assert case_history(team["max"], "c-1") == past
    assert stage_report(team["max"]).curve == curve


def test_a_case_is_compared_with_a_gold_example_where_there_is_another(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    held = claim_case(team["ann"], "c-1").value

    def is_compared() -> bool:
        return "gold_reference" in open_assignment(team["ann"], held.id).template.checklist

    assert not is_compared()
    mark_gold(team["eve"], "c-1", gold=True)
    assert not is_compared()
    mark_gold(team["eve"], "c-2", gold=True)
    assert is_compared()


def test_skipping_needs_a_reason(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_next(team["ann"]).value
    assert held is not None
    with pytest.raises(InputError, match="Skipping needs a reason"):
        leave(team["ann"], held.id, skip=True, reason=" ")
    leave(team["ann"], held.id, skip=True, reason="I cannot read this language")
    assert claim_next(team["ann"]).value is None
    assert claim_next(team["bob"]).value is not None


def test_only_a_manager_gives_a_case_to_another_owner(team: Team) -> None:
    team.bring(two_step_case())
    with pytest.raises(ForbiddenError, match="bob is not a manager"):
        reassign(team["bob"], "c-1", to="bob")


def test_a_case_past_its_self_checks_keeps_its_owner(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    with pytest.raises(ForbiddenError, match="can change only before cross-check") as refused:
        reassign(team["max"], "c-1", to="bob")
    assert refused.value.hint == "Return it first."


def _told(team: Team, case_id: str, category: str, note: str) -> None:
    team.bring(two_step_case(case_id), batch=case_id)
    team.self_check("ann", case_id)
    team.cross_check("bob", case_id)
    team.cross_check("cleo", case_id, verdict=Verdict.ESCALATE)
    told = (FeedbackItem(to="owner", category=category, note=note),)
    team.decide(case_id, Decision(verdict=Verdict.APPROVE, feedback=told))


def test_a_mistake_is_recurring_when_it_was_told_twice(team: Team) -> None:
    assert RECURRING == 2
    _told(team, "c-1", FeedbackCategory.WRONG_DEPENDENCY, "they do not wait for each other")
    _told(team, "c-2", FeedbackCategory.WRONG_VALUE, "the other parcel")
    assert recurring_mistakes(team["ann"]) == ()
    _told(team, "c-3", FeedbackCategory.WRONG_DEPENDENCY, "nor here")
    (found,) = recurring_mistakes(team["ann"])
    assert (found.person, found.category, found.count) == ("ann", "wrong_dependency", 2)
    assert found.latest_note == "nor here"
    assert recurring_mistakes(team["eve"], everybody=True) == (found,)
    assert recurring_mistakes(team["bob"]) == ()


def test_a_team_tells_of_mistakes_of_its_own(team: Team) -> None:
    change_review_policy(team["max"], ("feedback_categories=wrong currency; impolite",))
    _told(team, "c-1", "wrong currency", "it is euros")
    assert [one.category for one in notifications(team["ann"])] == ["wrong currency"]
    _told(team, "c-2", "wrong currency", "euros again")
    (found,) = recurring_mistakes(team["ann"])
    assert (found.category, found.count) == ("wrong currency", 2)
    change_review_policy(team["max"], ("feedback_categories=impolite",))
    with pytest.raises(InputError, match="There is no kind of mistake 'wrong currency'") as refused:
        _told(team, "c-3", "wrong currency", "once more")
    assert refused.value.hint.endswith("other, impolite.")
    assert recurring_mistakes(team["ann"]) == (found,)  # what was told stays


def test_a_reviewer_gives_a_mistake_of_the_teams_own_as_the_reason(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    judgment = approval(two_step_case()).model_copy(
        update={"verdict": Verdict.ESCALATE, "reasons": (Reason(category="impolite"),)}
    )
    with pytest.raises(InputError, match="There is no kind of mistake 'impolite'"):
        submit(team["ann"], held.id, judgment=judgment, key=submission_key())
    change_review_policy(team["max"], ("feedback_categories=impolite",))
    key = submission_key()
    sent = submit(team["ann"], held.id, judgment=judgment, key=key).value
    assert team.stage("c-1") is Stage.ESCALATED
    # It is in the store: who sends it again is told so, whatever the policy says by now.
    change_review_policy(team["max"], ("feedback_categories=",))
    assert submit(team["ann"], held.id, judgment=judgment, key=key).value == sent
    assert team["max"].read(lambda tx: get_row(tx, "c-1").note) == "impolite"


def test_a_cross_check_names_known_kinds_of_mistake_only(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    judgment = approval(two_step_case()).model_copy(
        update={"verdict": Verdict.RETURN, "reasons": (Reason(category="impolite"),), "evidence": ()}
    )
    with pytest.raises(InputError, match="There is no kind of mistake 'impolite'"):
        submit(team["bob"], held.id, judgment=judgment, key=submission_key())
    change_review_policy(team["max"], ("feedback_categories=impolite",))
    submit(team["bob"], held.id, judgment=judgment, key=submission_key())


@pytest.mark.parametrize("value", ["wrong\tcurrency", "x" * 41])
def test_a_kind_of_mistake_is_a_few_words(team: Team, value: str) -> None:
    with pytest.raises(InputError, match="The value for feedback_categories does not fit"):
        change_review_policy(team["max"], (f"feedback_categories={value}",))


def test_a_shipped_kind_of_mistake_is_read_as_one() -> None:
    read = Reason.model_validate_json('{"category": "wrong_value"}')
    assert read.category is FeedbackCategory.WRONG_VALUE
    own = Reason.model_validate_json('{"category": "wrong currency"}')
    assert own.category == "wrong currency"
    assert Reason.model_validate_json(own.model_dump_json()) == own


def test_what_was_told_stands_before_the_next_case_until_it_is_read(team: Team) -> None:
    _told(team, "c-1", FeedbackCategory.WRONG_DEPENDENCY, "they do not wait for each other")
    team.bring(two_step_case("c-2"), batch="next")
    held = claim_case(team["ann"], "c-2").value
    (before,) = open_assignment(team["ann"], held.id).feedback
    assert (before.note, before.sender, before.is_seen) == ("they do not wait for each other", "eve", False)
    mark_read(team["ann"])
    (after,) = open_assignment(team["ann"], held.id).feedback
    assert after.is_seen
