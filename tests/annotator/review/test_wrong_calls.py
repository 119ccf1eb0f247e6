"""What a decision says of a call or a task that is wrong: corrected, returned, or kept with a reason."""

import pytest
from pydantic import JsonValue

from annotator.cases.edits.text_edits import set_user_text
from annotator.review.expert.decisions import Adjudication, Decision, KeptField, Own
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.errors import BlockedError, InputError
from scoring.model.case import Case
from scoring.model.labels import Judgment, without_labels
from scoring.model.taxonomy import (
    CheckAnswer,
    Stage,
    Verdict,
)
from tests.annotator.team import Team, approval, two_step_case

APPROVE = Verdict.APPROVE


def _wrong_call(team: Team, *, cleo: Case | None = None) -> Adjudication:
    """Bob calls the second call wrong, cleo does not, and may propose an edit."""
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", wrong_calls={0: [1]})
    team.cross_check("cleo", "c-1", edit=cleo)
    return team.open_expert("c-1")


def _rerouted(depot: str) -> Case:
    whole = two_step_case()
    steps = whole.tasks[0].steps
    call_of = steps[1].model_copy(update={"arguments": {"depot": depot}})
    task = whole.tasks[0].model_copy(update={"steps": (steps[0], call_of, steps[2])})
    return whole.model_copy(update={"tasks": (task,)})


@pytest.mark.parametrize("upheld", ["A", {"own": False}])
def test_a_call_decided_to_be_wrong_does_not_become_final_as_it_is(team: Team, upheld: JsonValue) -> None:
    team.walk(_wrong_call)
    fields = {"task.0.call.1.correct": upheld}
    with pytest.raises(BlockedError, match=r"1 known defect would become final: Task 1: call 1 is wrong"):
        team.decide("c-1", Decision.model_validate({"fields": fields, "verdict": APPROVE}))
    assert team.stage("c-1") is Stage.ESCALATED


def test_a_task_decided_not_to_be_completed_does_not_become_final_as_it_is(team: Team) -> None:
    team.walk(_wrong_call)
    own: dict[str, str | Own] = {"task.0.call.1.correct": "B", "task.0.completed": Own(own=False)}
    with pytest.raises(BlockedError, match="Task 1 is not completed"):
        team.decide("c-1", Decision(fields=own, verdict=APPROVE))


def test_nothing_said_about_a_call_that_somebody_calls_wrong_is_no_yes(team: Team) -> None:
    team.walk(_wrong_call)
    own: dict[str, str | Own] = {"task.0.call.1.correct": Own(own=None)}
    with pytest.raises(BlockedError, match="call 1 is wrong"):
        team.decide("c-1", Decision(fields=own, verdict=APPROVE))


def test_a_wrong_call_that_the_decision_corrects_becomes_final(team: Team) -> None:
    team.walk(_wrong_call)
    fields: dict[str, str | Own] = {"task.0.call.1.correct": "A"}
    corrected = without_labels(_rerouted("Hamar-9"))
    done = team.decide("c-1", Decision(fields=fields, verdict=APPROVE, edit=corrected))
    assert (done.stage, done.is_correction) == (Stage.FINAL, True)


def test_a_wrong_call_that_an_accepted_edit_corrects_becomes_final(team: Team) -> None:
    seen = _wrong_call(team, cleo=_rerouted("Hamar-9"))
    fields: dict[str, str | Own] = {"task.0.call.1.correct": "A"}
    left = Decision(fields=fields, verdict=APPROVE, edits={seen.edits[0].id: "decline"})
    with pytest.raises(BlockedError, match="call 1 is wrong"):
        team.decide("c-1", left)
    assert team.decide("c-1", left.model_copy(update={"edits": {seen.edits[0].id: "accept"}})).is_correction


def test_a_correction_elsewhere_does_not_settle_a_wrong_call(team: Team) -> None:
    team.walk(_wrong_call)
    fields: dict[str, str | Own] = {"task.0.call.1.correct": "A"}
    other = without_labels(set_user_text(two_step_case(), task=0, text="Send P-881 on."))
    with pytest.raises(BlockedError, match="call 1 is wrong"):
        team.decide("c-1", Decision(fields=fields, verdict=APPROVE, edit=other))


def test_a_wrong_call_that_is_only_moved_stays_wrong(team: Team) -> None:
    whole = two_step_case()
    find, route, done = whole.tasks[0].steps
    again = find.model_copy(update={"arguments": {"number": "P-882"}})
    added = whole.tasks[0].model_copy(update={"steps": (find, again, route, done), "edges": ()})
    seen = _wrong_call(team, cleo=whole.model_copy(update={"tasks": (added,)}))
    assert [edit.field for edit in seen.edits] == ["case"]
    own: dict[str, str | Own] = {
        "task.0.policy": Own(own="multi_parallel"),
        "task.0.call.1.correct": Own(own=False),
        "task.0.drawn": Own(own=True),
    }
    decision = Decision(fields=own, verdict=APPROVE, edits={seen.edits[0].id: "accept"})
    with pytest.raises(BlockedError, match="call 1 is wrong"):
        team.decide("c-1", decision)


def test_a_wrong_call_is_returned_to_the_owner(team: Team) -> None:
    team.walk(_wrong_call)
    fields: dict[str, str | Own] = {"task.0.call.1.correct": "A"}
    back = Decision(fields=fields, verdict=Verdict.RETURN, note="the depot is wrong")
    assert team.decide("c-1", back).stage is Stage.RETURNED


def test_a_known_defect_is_kept_with_a_reason(team: Team) -> None:
    team.walk(_wrong_call)
    fields: dict[str, str | Own] = {"task.0.call.1.correct": "A"}
    kept = KeptField(field="task.0.call.1.correct", reason="the tool is broken on purpose")
    done = team.decide("c-1", Decision(fields=fields, verdict=APPROVE, kept=(kept,)))
    assert (done.stage, done.is_correction) == (Stage.FINAL, False)


def test_what_is_kept_is_a_field_of_the_case(team: Team) -> None:
    team.walk(_wrong_call)
    fields: dict[str, str | Own] = {"task.0.call.1.correct": "B"}
    kept = KeptField(field="task.4.call.1.correct", reason="why not")
    with pytest.raises(InputError, match=r"no field 'task\.4\.call\.1\.correct'"):
        team.decide("c-1", Decision(fields=fields, verdict=APPROVE, kept=(kept,)))


def _failing(shown: Case) -> Judgment:
    """An approval beside a failed item in each checklist, a task not completed and a wrong call."""
    good = approval(shown)
    labels = good.tasks[0].model_copy(
        update={
            "completed": False,
            "calls_correct": (True, False),
            "checklist": good.tasks[0].checklist | {"facts": CheckAnswer.FAIL},
        }
    )
    checklist = good.checklist | {"coherence": CheckAnswer.FAIL}
    return good.model_copy(update={"tasks": (labels,), "checklist": checklist})


def test_what_an_escalating_owner_says_is_wrong_is_not_approved_silently(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    unsure = {"verdict": Verdict.ESCALATE, "reasons": team.reasons("look at the depot")}
    said = _failing(two_step_case()).model_copy(update=unsure)
    submit(team["ann"], held.id, judgment=said, key=submission_key())
    wrong = (
        "task.0.completed",
        "task.0.call.1.correct",
        "task.0.checklist.facts",
        "checklist.coherence",
    )
    assert tuple(field.id for field in team.open_expert("c-1").fields) == wrong
    with pytest.raises(BlockedError, match="4 known defects would become final"):
        team.decide("c-1", Decision(verdict=APPROVE))
    overruled: dict[str, str | Own] = dict.fromkeys(wrong, Own(own=True))
    assert not team.decide("c-1", Decision(fields=overruled, verdict=APPROVE)).is_correction


def test_a_checklist_item_that_one_reviewer_fails_is_decided(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    failed = approval(two_step_case()).tasks[0].checklist | {"facts": CheckAnswer.FAIL}
    said = approval(two_step_case())
    labels = said.tasks[0].model_copy(update={"checklist": failed})
    submit(
        team["bob"],
        held.id,
        judgment=said.model_copy(update={"tasks": (labels,)}),
        key=submission_key(),
    )
    assert team.cross_check("cleo", "c-1").stage is Stage.ESCALATED
    seen = team.open_expert("c-1")
    assert seen.why == "a reviewer says no to task.0.checklist.facts"
    assert [(field.id, field.values) for field in seen.differing] == [
        ("task.0.checklist.facts", (False, True))
    ]
    with pytest.raises(BlockedError, match="Task 1 fails “Facts match the observations”"):
        team.decide("c-1", Decision(fields={"task.0.checklist.facts": "A"}, verdict=APPROVE))
    assert not team.decide(
        "c-1", Decision(fields={"task.0.checklist.facts": "B"}, verdict=APPROVE)
    ).is_correction
