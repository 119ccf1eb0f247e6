"""The expert's decision: what must be decided, what may be, and what it makes of a case."""

import json

import pytest
from pydantic import JsonValue

from annotator.cases.access import show_case
from annotator.cases.edits.text_edits import set_accepted
from annotator.cases.history import case_events
from annotator.drafts.draft_body import DraftBody
from annotator.jobs import JobContext
from annotator.project.care import examine
from annotator.review.drafts import save_draft
from annotator.review.expert.decisions import Adjudication, Decision, FeedbackItem, Own
from annotator.review.expert_review import decide, open_adjudication, reveal_owner
from annotator.review.measures.progress import samples
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.errors import BlockedError, ConflictError, ForbiddenError, GraphError, InputError
from scoring.model.case import Call, Case
from scoring.model.labels import Judgment, Waiver, without_labels
from scoring.model.record import JsonObject
from scoring.model.taxonomy import (
    EdgeKind,
    FeedbackCategory,
    Information,
    Policy,
    Stage,
    Verdict,
)
from tests.annotator.team import Team, approval, two_round_case, two_step_case
from tests.factories import answer, call

APPROVE = Verdict.APPROVE


def _text(said: str) -> Case:
    whole = two_step_case()
    return whole.model_copy(update={"tasks": (whole.tasks[0].model_copy(update={"user": said}),)})


def _disputed(team: Team, *, bob: Case | None = None, cleo: Case | None = None) -> Adjudication:
    """Bob sees a parallel task, cleo agrees with the owner; both may propose an edit."""
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", policies={0: Policy.MULTI_PARALLEL}, edges={0: []}, edit=bob)
    team.cross_check("cleo", "c-1", edit=cleo)
    return team.open_expert("c-1")


def _forget_checklists(team: Team) -> None:
    """Let the judgments be as they were before reviewers were asked for the checklist."""
    from sqlalchemy import text

    from db.engine import disposed, open_engine, writing

    with disposed(open_engine(team.url)) as engine, writing(engine) as session:
        session.execute(text("UPDATE judgments SET body = replace(body, '\"pass\"', 'null')"))


def test_approvals_from_before_the_checklist_was_asked_for_say_that_it_was_not_answered(team: Team) -> None:
    seen = _disputed(team)
    assert [side.unanswered_count for side in seen.sides] == [0, 0]
    _forget_checklists(team)
    again = team.open_expert("c-1")
    # The answer and its language; what the drawing and the observations prove needs no answer.
    assert [side.unanswered_count for side in again.sides] == [2, 2]


def _as_cleo(seen: Adjudication, **more: object) -> Decision:
    fields: dict[str, str | Own] = dict.fromkeys((field.id for field in seen.differing), "B")
    return Decision.model_validate({"fields": fields, "verdict": APPROVE, **more})


def test_fields_on_which_only_the_owner_differs_are_decided_too(team: Team) -> None:
    change_review_policy(team["max"], ("case_threshold=0.2",))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1", policies={0: Policy.MULTI_PARALLEL}, edges={0: []})
    seen = team.open_expert("c-1")
    assert seen.against_owner == ("task.0.policy", "task.0.edge.0-1")
    assert [field.values for field in seen.differing] == [("multi_parallel",) * 2, (None, None)]
    assert seen.case == without_labels(seen.case)
    with pytest.raises(BlockedError, match="2 left to decide"):
        team.decide("c-1", Decision(verdict=APPROVE))
    decided = team.decide("c-1", _as_cleo(seen))
    assert decided.is_correction
    assert show_case(team["max"], "c-1").tasks[0].drawn_edges == ()


@pytest.mark.parametrize("verdict", [Verdict.APPROVE, Verdict.RETURN, Verdict.REJECT])
def test_a_decision_seals_the_draft_it_was_made_from(team: Team, verdict: Verdict) -> None:
    seen = team.walk(_disputed)
    decision = _as_cleo(seen).model_copy(update={"verdict": verdict, "note": "see the drawing"})
    body = DraftBody(case=seen.case, judgment=Judgment(tasks=()), cursor={"note": decision.note})
    save_draft(team["eve"], seen.assignment_id, body=body, sequence=0)
    decide(team["eve"], seen.assignment_id, decision=decision, key=submission_key())
    assert examine(JobContext(), team.url, at=team.clock()) == ()


def test_one_reviewer_against_the_owner_leaves_both_to_decide(team: Team) -> None:
    change_review_policy(team["max"], ("reviewers=1",))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    assert team.cross_check("bob", "c-1", policies={0: Policy.MULTI_MIXED}).stage is Stage.ESCALATED
    seen = team.open_expert("c-1")
    assert [field.id for field in seen.differing] == ["task.0.policy"]
    own: dict[str, str | Own] = {"task.0.policy": Own(own="multi_serial")}
    assert not team.decide("c-1", Decision(fields=own, verdict=APPROVE)).is_correction


@pytest.mark.parametrize(
    ("fields", "edits", "words"),
    [
        ({"task.9.policy": "A"}, {}, "no field 'task.9.policy'"),
        ({"task.0.edge.0-2": {"own": "logical"}}, {}, "no field 'task.0.edge.0-2'"),
        ({"task.0.policy": "C"}, {}, "'C' is not a side of task.0.policy"),
        ({"task.0.policy": {"own": "sometimes"}}, {}, "'sometimes' is not a value for task.0.policy"),
        ({"task.0.policy": {"own": 5}}, {}, "'5' is not a value for task.0.policy"),
        ({"task.0.policy": {"own": None}}, {}, "'None' is not a value for task.0.policy"),
        ({"task.0.edge.0-1": {"own": True}}, {}, "'True' is not a value for task.0.edge.0-1"),
        ({"task.0.completed": {"own": "yes"}}, {}, "'yes' is not a value for task.0.completed"),
        ({"task.0.call.0.correct": {"own": 1}}, {}, "'1' is not a value for task.0.call.0.correct"),
        ({}, {"A:task.0.user": "accept"}, "no proposed edit 'A:task.0.user'"),
    ],
)
def test_a_decision_that_names_what_is_not_there_is_refused(
    team: Team, fields: dict[str, JsonValue], edits: dict[str, str], words: str
) -> None:
    seen = team.walk(_disputed)
    decision = _as_cleo(seen)
    chosen = {**decision.model_dump()["fields"], **fields}
    with pytest.raises(InputError, match=words):
        team.decide("c-1", Decision.model_validate({"fields": chosen, "edits": edits, "verdict": APPROVE}))
    assert team.stage("c-1") is Stage.ESCALATED


def test_an_own_edge_that_closes_a_circle_is_refused(team: Team) -> None:
    seen = team.walk(_disputed)
    fields = {**_as_cleo(seen).fields, "task.0.edge.1-0": Own(own="logical")}
    with pytest.raises(GraphError, match="run in a circle"):
        team.decide("c-1", Decision(fields=fields, verdict=APPROVE))


def test_proposed_texts_are_accepted_one_by_one(team: Team) -> None:
    theirs = _text("Send P-881 on, please.")
    step = theirs.tasks[0].steps[1]
    assert isinstance(step, Call)
    renamed = step.model_copy(update={"observation": {"ok": "yes"}})
    task = theirs.tasks[0].model_copy(update={"steps": (theirs.tasks[0].steps[0], renamed, answer("Done."))})
    seen = _disputed(team, bob=theirs.model_copy(update={"tasks": (task,)}))
    assert [edit.id for edit in seen.edits] == [
        "A:task.0.user",
        "A:task.0.step.1.observation",
        "A:task.0.step.2.text",
    ]
    with pytest.raises(BlockedError, match="3 left to decide"):
        team.decide("c-1", _as_cleo(seen))
    edits = {
        "A:task.0.user": "accept",
        "A:task.0.step.1.observation": "decline",
        "A:task.0.step.2.text": "accept",
    }
    team.decide("c-1", _as_cleo(seen, edits=edits))
    final = show_case(team["max"], "c-1").tasks[0]
    assert final.user == "Send P-881 on, please."
    assert [final.answer.text if final.answer else "", final.steps[1]] == [
        "Done.",
        two_step_case().tasks[0].steps[1],
    ]
    assert [edge.pair for edge in final.drawn_edges] == [(0, 1)]


def test_accepted_values_are_proposed_and_decided_like_any_content(team: Team) -> None:
    name, value = next(iter(two_step_case().tasks[0].calls[0][1].arguments.items()))
    accepted: JsonObject = {f"/{name}": {"values": [f"{value} too"], "optional": True}}
    seen = _disputed(team, bob=set_accepted(two_step_case(), 0, step=0, accepted=accepted))
    assert [(edit.id, edit.before, edit.after) for edit in seen.edits] == [
        ("A:task.0.step.0.accepted", None, accepted)
    ]
    team.decide("c-1", _as_cleo(seen, edits={"A:task.0.step.0.accepted": "accept"}))
    final = show_case(team["max"], "c-1").tasks[0].steps[0]
    assert isinstance(final, Call)
    assert final.accepted == accepted


def test_two_edits_of_one_text_cannot_both_be_accepted(team: Team) -> None:
    seen = _disputed(team, bob=_text("One."), cleo=_text("Two."))
    both = {"A:task.0.user": "accept", "B:task.0.user": "accept"}
    with pytest.raises(InputError, match="change the same text"):
        team.decide("c-1", _as_cleo(seen, edits=both))
    one = {"A:task.0.user": "decline", "B:task.0.user": "accept"}
    team.decide("c-1", _as_cleo(seen, edits=one))
    assert show_case(team["max"], "c-1").tasks[0].user == "Two."


def _with_a_call_more() -> Case:
    whole = two_step_case()
    task = whole.tasks[0]
    steps = (*task.steps[:2], call("reroute", {"ok": True}, depot="Lena-2"), task.steps[2])
    return without_labels(whole.model_copy(update={"tasks": (task.model_copy(update={"steps": steps}),)}))


def test_an_edit_that_changes_the_steps_is_taken_whole_and_labelled_anew(team: Team) -> None:
    seen = _disputed(team, bob=_with_a_call_more())
    assert [edit.id for edit in seen.edits] == ["A:case"]
    accepted = {"edits": {"A:case": "accept"}, "verdict": APPROVE}
    with pytest.raises(BlockedError, match=r"2 left to decide: task.0.policy, .*drawn"):
        team.decide("c-1", Decision.model_validate(accepted))
    with pytest.raises(InputError, match="the edit changes the steps the sides judged"):
        team.decide(
            "c-1",
            _as_cleo(
                seen,
                edits={"A:case": "accept"},
                fields={
                    "task.0.policy": "B",
                    "task.0.information": Own(own="first"),
                    "task.0.drawn": Own(own=True),
                },
            ),
        )
    fields = {
        "task.0.policy": Own(own="multi_mixed"),
        "task.0.information": Own(own="first"),
        "task.0.edge.0-1": Own(own="parameter"),
        "task.0.edge.0-2": Own(own="logical"),
        "task.0.drawn": Own(own=True),
    }
    team.decide("c-1", Decision.model_validate({**accepted, "fields": fields}))
    final = show_case(team["max"], "c-1")
    assert len(final.tasks[0].steps) == 4
    assert final.tasks[0].policy is Policy.MULTI_MIXED
    assert {edge.pair: edge.kind for edge in final.tasks[0].drawn_edges} == {
        (0, 1): EdgeKind.PARAMETER,
        (0, 2): EdgeKind.LOGICAL,
    }
    assert final.tasks[0].answer_index == 3


def test_an_edit_that_changes_the_steps_excludes_every_other(team: Team) -> None:
    _disputed(team, bob=_with_a_call_more(), cleo=_text("Two."))
    fields = {
        "task.0.policy": Own(own="multi_mixed"),
        "task.0.information": Own(own="first"),
        "task.0.drawn": Own(own=True),
    }
    both = {"A:case": "accept", "B:task.0.user": "accept"}
    with pytest.raises(InputError, match="Accept one of them"):
        team.decide("c-1", Decision.model_validate({"fields": fields, "edits": both, "verdict": APPROVE}))


def test_an_experts_own_edit_keeps_what_the_blind_view_hides(team: Team) -> None:
    whole = two_step_case()
    first = whole.tasks[0].steps[0]
    assert isinstance(first, Call)
    recorded = first.model_copy(update={"recorded_round": 1, "review": "looks right"})
    task = whole.tasks[0].model_copy(update={"steps": (recorded, *whole.tasks[0].steps[1:])})
    team.bring(whole.model_copy(update={"tasks": (task,), "extras": {"note": "kept"}}))
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=Verdict.ESCALATE)
    team.cross_check("cleo", "c-1")
    seen = team.open_expert("c-1")
    assert seen.is_owner_hidden
    edit = seen.case.model_copy(
        update={"tasks": (seen.case.tasks[0].model_copy(update={"user": "Reroute P-881."}),)}
    )
    team.decide("c-1", _as_cleo(seen, edit=edit))
    final = show_case(team["max"], "c-1")
    assert final.tasks[0].user == "Reroute P-881."
    assert final.tasks[0].steps[0] == recorded
    assert final.extras == {"note": "kept"}
    assert [edge.pair for edge in final.tasks[0].drawn_edges] == [(0, 1)]


def test_an_escalation_of_the_owner_is_decided_without_sides(team: Team) -> None:
    unlabelled = two_step_case()
    task = unlabelled.tasks[0].model_copy(update={"policy": None})
    team.bring(unlabelled.model_copy(update={"tasks": (task,)}))
    held = claim_case(team["ann"], "c-1").value
    unsure = approval(unlabelled.model_copy(update={"tasks": (task,)})).model_copy(
        update={"verdict": Verdict.ESCALATE, "reasons": team.reasons("which policy?")}
    )
    submit(team["ann"], held.id, judgment=unsure, key=submission_key())
    seen = team.open_expert("c-1")
    assert (seen.sides, seen.fields, seen.is_owner_hidden, seen.why) == ((), (), False, "which policy?")
    with pytest.raises(BlockedError, match=r"1 left to decide: task.0.policy"):
        team.decide("c-1", Decision(verdict=APPROVE))
    own: dict[str, str | Own] = {"task.0.policy": Own(own="multi_serial")}
    assert team.decide("c-1", Decision(fields=own, verdict=APPROVE)).is_correction


@pytest.mark.parametrize(
    ("verdict", "stage"), [(Verdict.RETURN, Stage.RETURNED), (Verdict.REJECT, Stage.REJECTED)]
)
def test_a_case_is_returned_or_rejected_with_a_note(team: Team, verdict: Verdict, stage: Stage) -> None:
    team.walk(_disputed)
    with pytest.raises(BlockedError, match="needs a note"):
        team.decide("c-1", Decision(verdict=verdict))
    decided = team.decide("c-1", Decision(verdict=verdict, note="the parcel is not theirs"))
    assert (decided.stage, decided.is_correction, decided.owner) == (stage, True, "ann")
    if verdict is Verdict.RETURN:
        from annotator.review.drafts import open_assignment

        held = claim_case(team["ann"], "c-1").value
        assert open_assignment(team["ann"], held.id).returned_note == "the parcel is not theirs"


@pytest.mark.parametrize("verdict", [None, Verdict.ESCALATE])
def test_a_decision_needs_one_of_three_verdicts(team: Team, verdict: Verdict | None) -> None:
    seen = team.walk(_disputed)
    with pytest.raises(BlockedError, match="has no verdict"):
        team.decide("c-1", Decision(fields=_as_cleo(seen).fields, verdict=verdict))


def test_the_owner_is_revealed_once_every_field_is_decided_and_the_expert_may_still_decide_otherwise(
    team: Team,
) -> None:
    seen = team.walk(_disputed)
    with pytest.raises(BlockedError, match="2 left to decide"):
        reveal_owner(team["eve"], seen.assignment_id, decision=Decision())
    blind = Decision(fields=dict.fromkeys((field.id for field in seen.differing), "A"))
    shown = reveal_owner(team["eve"], seen.assignment_id, decision=blind).value
    assert (shown.owner, shown.labels[0].policy) == ("ann", Policy.MULTI_SERIAL)
    assert team.stage("c-1") is Stage.ESCALATED
    newest = case_events(team["ann"], "c-1")[0]
    assert (newest.action, json.loads(newest.payload)["decided"]) == (
        "review:owner:reveal",
        {"fields": {"task.0.policy": "A", "task.0.edge.0-1": "A"}, "edits": {}},
    )
    told = (FeedbackItem(to="A", category=FeedbackCategory.WRONG_DEPENDENCY, note="it flows"),)
    decided = decide(
        team["eve"],
        seen.assignment_id,
        decision=_as_cleo(seen, feedback=told),
        key=submission_key(),
    ).value
    assert not decided.is_correction


def test_no_made_up_decision_reveals_the_owner(team: Team) -> None:
    seen = team.walk(_disputed)
    fields: dict[str, str | Own] = dict.fromkeys((field.id for field in seen.differing), "Z")
    with pytest.raises(InputError, match="'Z' is not a side"):
        reveal_owner(team["eve"], seen.assignment_id, decision=Decision(fields=fields))
    with pytest.raises(ForbiddenError):
        reveal_owner(team["ann"], seen.assignment_id, decision=_as_cleo(seen))


def test_errors_in_the_result_need_a_word_unless_the_owner_waived_them(team: Team) -> None:
    seen = team.walk(_disputed)
    fields = {**_as_cleo(seen).fields, "task.0.policy": Own(own="chat")}
    with pytest.raises(BlockedError, match="The result has 1 error:"):
        team.decide("c-1", Decision(fields=fields, verdict=APPROVE))
    team.decide("c-1", Decision(fields=fields, verdict=APPROVE, note="a chat in disguise"))

    wrong = two_step_case("c-2")
    chat = wrong.tasks[0].model_copy(update={"policy": Policy.CHAT})
    team.bring(wrong.model_copy(update={"tasks": (chat,)}), batch="b2")
    team.self_check_waiving("ann", "c-2")
    team.cross_check("bob", "c-2")
    team.cross_check("cleo", "c-2")
    assert not team.decide("c-2", Decision(verdict=APPROVE)).is_correction


def test_feedback_reaches_whom_it_is_addressed_to(team: Team) -> None:
    from tests.annotator.team import feedback_for_me

    seen = team.walk(_disputed)
    told = tuple(
        FeedbackItem(to=to, category=FeedbackCategory.WRONG_DEPENDENCY, note=f"to {to}")
        for to in ("A", "B", "owner", "dan")
    )
    with pytest.raises(InputError, match="reaches nobody"):
        team.decide("c-1", _as_cleo(seen, feedback=[{"to": "Z", "category": "other"}]))
    team.decide("c-1", Decision(fields=_as_cleo(seen).fields, feedback=told, verdict=APPROVE))
    heard = {
        name: [row.note for row in feedback_for_me(team[name])] for name in ("bob", "cleo", "ann", "dan")
    }
    assert heard == {"bob": ["to A"], "cleo": ["to B"], "ann": ["to owner"], "dan": ["to dan"]}


def test_a_decision_whose_lease_ended_counts_until_another_expert_takes_the_case(team: Team) -> None:
    from annotator.project.people import add_person
    from scoring.model.taxonomy import Role

    add_person(team["max"], "ivy", roles=[Role.EXPERT])
    seen = team.walk(_disputed)
    team.clock.forward(hours=3)
    open_adjudication(team["ivy"], "c-1")
    with pytest.raises(ConflictError, match="ended, and ivy is deciding it now"):
        decide(team["eve"], seen.assignment_id, decision=_as_cleo(seen), key=submission_key())
    held = open_adjudication(team["ivy"], "c-1").value.assignment_id
    with pytest.raises(ForbiddenError, match="Decide your own cases"):
        decide(team["eve"], held, decision=_as_cleo(seen), key=submission_key())
    team.clock.forward(hours=3)
    again = open_adjudication(team["eve"], "c-1").value.assignment_id
    team.clock.forward(hours=3)
    team.bring(two_step_case("c-7"), batch="b7")
    claim_case(team["dan"], "c-7")
    done = decide(team["eve"], again, decision=_as_cleo(seen), key=submission_key()).value
    assert done.stage is Stage.FINAL


def test_a_waiver_is_not_carried_to_another_finding_at_the_same_place(team: Team) -> None:
    from annotator.cases.history import replace_content
    from annotator.review.drafts import open_assignment

    def typed(value: JsonValue) -> Case:
        whole = two_round_case()
        wrong = call("findParcel", {"depot": "Hamar-7"}, number=value)
        task = whole.tasks[0].model_copy(update={"steps": (wrong, *whole.tasks[0].steps[1:])})
        return whole.model_copy(update={"tasks": (task, whole.tasks[1])})

    team.bring(typed(881))
    held = claim_case(team["ann"], "c-1").value
    waived = (Waiver(rule="args.type", where="task 0 step 0 /number", reason="the tool takes numbers"),)
    submit(
        team["ann"],
        held.id,
        judgment=approval(typed(881)).model_copy(update={"waivers": waived}),
        key=submission_key(),
    )
    same = claim_case(team["ann"], "c-1").value
    assert open_assignment(team["ann"], same.id).template.waivers == waived
    replace_content(team["max"], "c-1", case=typed(["P-881"]), reason="a list")
    assert open_assignment(team["ann"], same.id).template.waivers == ()


def test_evidence_that_lost_its_source_waits_to_be_accepted_again(team: Team) -> None:
    from annotator.cases.history import replace_content
    from annotator.review.drafts import open_assignment
    from scoring.model.labels import Citation, DialogueSource

    whole = two_round_case()
    team.bring(whole)
    held = claim_case(team["ann"], "c-1").value
    source = DialogueSource(task=0, text="user", span=(15, 20))
    said = approval(whole)
    cited = (Citation(task=0, step=0, path="/number", source=source), *said.evidence[1:])
    submit(team["ann"], held.id, judgment=said.model_copy(update={"evidence": cited}), key=submission_key())
    again = claim_case(team["ann"], "c-1").value
    assert [c.accepted for c in open_assignment(team["ann"], again.id).template.evidence] == [True, True]
    shorter = whole.tasks[0].model_copy(update={"user": "Send my parcel on."})
    shortened = whole.model_copy(update={"tasks": (shorter, whole.tasks[1])})
    replace_content(team["max"], "c-1", case=shortened, reason="shorter")
    assert [c.accepted for c in open_assignment(team["ann"], again.id).template.evidence] == [False, True]


def test_a_sample_is_over_with_its_last_outcome(team: Team) -> None:
    change_review_policy(team["max"], ("sample_share=1",))
    ids = ["c-1", "c-2", "c-3", "c-4"]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    team.decide("c-1", Decision(verdict=APPROVE))
    team.decide("c-2", Decision(verdict=Verdict.RETURN, note="again"))
    team.decide("c-3", Decision(verdict=Verdict.REJECT, note="unusable"))
    assert [sample.status for sample in samples(team["max"])] == ["open"]
    kind: dict[str, str | Own] = {"task.0.information": Own(own=Information.OMISSION.value)}
    team.decide("c-4", Decision(fields=kind, verdict=APPROVE, note="hidden"))
    drawn = samples(team["max"])[0]
    assert drawn.status == "corrected"
    assert drawn.outcomes == {"c-1": "unchanged", "c-2": "returned", "c-3": "rejected", "c-4": "corrected"}
    assert drawn.error_count == 3
