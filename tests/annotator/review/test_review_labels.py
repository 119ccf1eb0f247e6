"""How calls ended (T-Eval): asked for where the policy says so, compared, decided, hidden while blind."""

import pytest

from annotator.cases.access import show_case
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, Own
from annotator.review.measures.rater_agreement import agreement
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.agreement.rated_cases import RatedField
from scoring.errors import BlockedError, InputError
from scoring.model.case import Call, Case
from scoring.model.labels import TaskLabels, compare, labels_of
from scoring.model.taxonomy import Information, ReviewLabel, Stage, Verdict
from tests.annotator.team import Team, approval, two_round_case, two_step_case

SUCCESS, INPUT, UNABLE = ReviewLabel.SUCCESS, ReviewLabel.INPUT, ReviewLabel.UNABLE


def _labelled(*labels: str | None, case: Case | None = None) -> Case:
    case = case or two_step_case()
    task = case.tasks[0]
    said = dict(zip((s for s, _ in task.calls), labels, strict=True))
    steps = tuple(
        step.model_copy(update={"review": said[s]}) if isinstance(step, Call) else step
        for s, step in enumerate(task.steps)
    )
    return case.model_copy(update={"tasks": (task.model_copy(update={"steps": steps}),)})


def _reviews(team: Team, case_id: str = "c-1") -> tuple[str | None, ...]:
    return tuple(call.review for _, call in show_case(team["max"], case_id).tasks[0].calls)


def _cross_check(team: Team, name: str, *labels: ReviewLabel | None) -> Stage:
    held = claim_case(team[name], "c-1").value
    judgment = approval(two_step_case())
    tasks = (judgment.tasks[0].model_copy(update={"reviews": labels}),)
    said = judgment.model_copy(update={"tasks": tasks, "evidence": ()})
    return submit(team[name], held.id, judgment=said, key=submission_key()).value.stage


def test_labels_nobody_gave_are_in_no_judgment() -> None:
    (bare,) = labels_of(two_step_case())
    assert "reviews" not in bare.model_dump(mode="json")
    (said,) = labels_of(_labelled("Success", None))
    assert TaskLabels.model_validate(said.model_dump(mode="json")).reviews == (SUCCESS, None)


def test_only_of_a_first_task_the_information_goes_without_saying() -> None:
    case = two_round_case()
    said = [labels.model_copy(update={"information": None}) for labels in labels_of(case)]
    fields = (field for field in compare(case, [said]) if field.kind == "information")
    assert [field.values for field in fields] == [(Information.FIRST,), (None,)]


def test_what_one_rater_alone_says_is_compared_with_nothing() -> None:
    case = two_step_case()
    (silent,) = labels_of(case)
    said = silent.model_copy(update={"reviews": (SUCCESS, UNABLE)})
    other = silent.model_copy(update={"reviews": (SUCCESS, None)})
    assert all(field.kind != "review" for field in compare(case, [[said], [silent]]))
    (field,) = (f for f in compare(case, [[said], [other], [silent]]) if f.kind == "review")
    assert (field.id, field.differs, field.majority) == ("task.0.call.0.review", False, "Success")


def test_a_project_that_wants_them_does_not_let_a_self_check_pass_without(team: Team) -> None:
    change_review_policy(team["max"], ("teval_fields=true",))
    team.bring(two_step_case())
    with pytest.raises(BlockedError, match="step 0: say how the call of findParcel ended"):
        team.check_once("ann", "c-1")
    team.self_check("ann", "c-1", edit=_labelled("Success", "Success"))
    assert _reviews(team) == ("Success", "Success")


def test_reviewers_are_asked_too_and_do_not_see_the_owners(team: Team) -> None:
    change_review_policy(team["max"], ("teval_fields=true",))
    team.bring(_labelled("Success", "Success"))
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    assert [call.review for _, call in open_assignment(team["bob"], held.id).base.tasks[0].calls] == [
        None,
        None,
    ]
    with pytest.raises(BlockedError, match="step 1: say how the call of reroute ended"):
        _cross_check(team, "bob", SUCCESS, None)


def test_the_majority_of_the_labels_becomes_content(team: Team) -> None:
    change_review_policy(team["max"], ("teval_fields=true", "case_threshold=1"))
    team.bring(_labelled("Success", "Success"))
    team.self_check("ann", "c-1")
    _cross_check(team, "bob", SUCCESS, UNABLE)
    assert _cross_check(team, "cleo", SUCCESS, UNABLE) is Stage.EXPERT
    assert _reviews(team) == ("Success", "Unable to Accomplish")
    rows = {row.field: row for row in agreement(team["max"], resamples=0)}
    assert rows[RatedField.REVIEW].coefficients  # two calls, three raters


def test_an_expert_decides_labels_field_by_field(team: Team) -> None:
    change_review_policy(team["max"], ("teval_fields=true",))
    team.bring(_labelled("Success", "Success"))
    team.self_check("ann", "c-1")
    _cross_check(team, "bob", SUCCESS, UNABLE)
    assert _cross_check(team, "cleo", INPUT, UNABLE) is Stage.ESCALATED
    seen = team.open_expert("c-1")
    differing = {field.id for field in seen.differing}
    assert differing == {"task.0.call.0.review", "task.0.call.1.review"}
    own = {"task.0.call.0.review": Own(own="Internal Error"), "task.0.call.1.review": "A"}
    team.decide("c-1", Decision(fields=dict(own), verdict=Verdict.APPROVE))
    assert _reviews(team) == ("Internal Error", "Unable to Accomplish")


def test_a_label_that_does_not_exist_is_refused_with_those_that_do(team: Team) -> None:
    change_review_policy(team["max"], ("teval_fields=true",))
    team.bring(_labelled("Success", "Success"))
    team.self_check("ann", "c-1")
    _cross_check(team, "bob", SUCCESS, UNABLE)
    _cross_check(team, "cleo", INPUT, UNABLE)
    wrong = {"task.0.call.0.review": Own(own="Fine"), "task.0.call.1.review": "A"}
    with pytest.raises(InputError) as failed:
        team.decide("c-1", Decision(fields=dict(wrong), verdict=Verdict.APPROVE))
    assert "Irrelevant Response" in failed.value.hint


def test_without_the_switch_nobody_is_asked_and_nothing_is_compared(team: Team) -> None:
    team.bring(_labelled("Success", None))
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    assert team.cross_check("cleo", "c-1").stage is Stage.EXPERT
    assert _reviews(team) == ("Success", None)
