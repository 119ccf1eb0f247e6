"""Nobody who judges a case, or may still be asked to, learns what the others said of it, by any road."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cases.access import show_case
from annotator.cases.file_export import check_project, export_cases
from annotator.cases.history import (
    add_comment,
    case_events,
    case_history,
    comments_of,
    replace_content,
    revision_case,
)
from annotator.project.people import add_person, set_roles
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, Own
from annotator.review.expert_review import open_adjudication
from annotator.review.loaded_case import load
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import CaseFilter, CaseRow, case_of, count_cases, list_cases
from annotator.review.queue.claims import claim_case, leave
from annotator.review.submissions import submission_key, submit
from scoring.errors import ForbiddenError, NotFoundError
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from scoring.model.labels import without_labels
from scoring.model.taxonomy import CaseFormat, EdgeKind, Policy, Role, Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case

LABELLED = CaseFilter(order="case")


def _in_cross_check(team: Team) -> None:
    """One case in cross-check: ann changed its language and owns it, bob has judged it."""
    team.bring(two_step_case(), two_step_case("c-2"))
    team.self_check("ann", "c-1", edit=two_step_case().model_copy(update={"language": "nb"}))
    add_comment(team["ann"], "c-1", where="task 0 edge 0-1", text="the depot flows")
    team.cross_check("bob", "c-1")


def _row(workspace: Workspace, case_id: str = "c-1") -> CaseRow:
    return next(row for row in list_cases(workspace, LABELLED) if row.case_id == case_id)


def _tells_nothing(case: Case) -> None:
    assert case == without_labels(case)


def _claimed(team: Team) -> Workspace:
    claim_case(team["cleo"], "c-1")
    return team["cleo"]


def _expired(team: Team) -> Workspace:
    claim_case(team["cleo"], "c-1")
    team.clock.forward(hours=3)
    team.bring(two_step_case("c-9"), batch="b9")
    claim_case(team["ann"], "c-9")  # whoever claims next frees what has ended
    return team["cleo"]


def _handed_back(team: Team) -> Workspace:
    leave(team["cleo"], claim_case(team["cleo"], "c-1").value.id, skip=False)
    return team["cleo"]


def _skipped(team: Team) -> Workspace:
    leave(team["cleo"], claim_case(team["cleo"], "c-1").value.id, skip=True, reason="too long")
    return team["cleo"]


def _judged(team: Team) -> Workspace:
    return team["bob"]


def _not_asked_yet(team: Team) -> Workspace:
    return team["dan"]


def _managing(team: Team) -> Workspace:
    claim_case(team["max"], "c-1")
    return team["max"]


Somebody = Callable[[Team], Workspace]
READERS = (_claimed, _expired, _handed_back, _skipped, _judged, _not_asked_yet, _managing)


@pytest.fixture(params=READERS, ids=lambda reader: reader.__name__)
def reader(request: pytest.FixtureRequest, team: Team) -> Workspace:
    """Everybody who must be blind to c-1: with a slot, once with a slot, and those who may still get one."""
    team.walk(_in_cross_check)
    of: Somebody = request.param
    return of(team)


def test_no_view_of_a_case_shows_its_labels(reader: Workspace, tmp_path: Path) -> None:
    _tells_nothing(show_case(reader, "c-1"))
    _tells_nothing(revision_case(reader, "c-1", number=1))
    with pytest.raises(NotFoundError, match="no revision 2"):  # nor that the owner changed something
        revision_case(reader, "c-1", number=2)
    export_cases(reader, tmp_path / "out.jsonl", format=CaseFormat.NATIVE, stages=())
    exported = [item.case for item in read_cases(tmp_path / "out.jsonl") if isinstance(item, ReadCase)]
    _tells_nothing(next(case for case in exported if case.id == "c-1"))
    assert next(case for case in exported if case.id == "c-2").tasks[0].policy is Policy.MULTI_SERIAL


def test_the_past_of_a_case_is_closed(reader: Workspace) -> None:
    assert [row.number for row in case_history(reader, "c-1")] == [1]
    assert case_events(reader, "c-1") == ()
    assert [comment.person for comment in comments_of(reader, "c-1")] == []
    first = revision_case(reader, "c-1", number=1)
    with pytest.raises(ForbiddenError, match="changed by review only"):
        replace_content(reader, "c-1", case=first, reason="to look")
    # The language that the owner chose is what the current revision still has.
    assert show_case(reader, "c-1").language == "nb"


def test_the_queue_shows_no_labels_findings_or_notes(reader: Workspace) -> None:
    for row in (_row(reader), case_of(reader, "c-1")):
        assert row.is_blind
        assert (row.policies, row.informations, row.rules) == (("",), ("",), ())
        assert (row.finding_count, row.error_count, row.sha256, row.note) == (0, 0, "", "")
    other = _row(reader, "c-2")
    assert (other.is_blind, other.policies) == (False, ("multi_serial",))


@pytest.mark.parametrize(
    "where",
    [
        CaseFilter(policies=("multi_serial",)),
        CaseFilter(informations=("first",)),
        CaseFilter(rules=("policy.differs",)),
        CaseFilter(only_with_errors=True),
    ],
)
def test_no_filter_tells_what_the_columns_hide(team: Team, where: CaseFilter) -> None:
    team.walk(_in_cross_check)
    # A label that does not fit the drawing, so that every one of the filters keeps the case.
    wrong = two_step_case("c-3").tasks[0].model_copy(update={"policy": Policy.MULTI_SERIAL, "edges": ()})
    team.bring(two_step_case("c-3").model_copy(update={"tasks": (wrong,)}), batch="b2")
    team.self_check_waiving("ann", "c-3")
    found = [row.case_id for row in list_cases(team["max"], where)]
    assert "c-3" in found
    claim_case(team["cleo"], "c-3")
    assert "c-3" not in [row.case_id for row in list_cases(team["cleo"], where)]
    assert count_cases(team["cleo"], where) == len(list_cases(team["cleo"], where))


def test_no_order_tells_what_the_columns_hide(team: Team) -> None:
    chat = two_step_case("c-0")
    team.bring(chat, two_step_case("c-1"))
    for case_id in ("c-0", "c-1"):
        team.self_check("ann", case_id)
        claim_case(team["cleo"], case_id)
    relabelled = "UPDATE cases SET policies = '|chat|' WHERE case_id = 'c-1'"
    _execute(team, relabelled)
    ordered = [row.case_id for row in list_cases(team["cleo"], CaseFilter(order="policies"))]
    assert [row.case_id for row in list_cases(team["max"], CaseFilter(order="policies"))] == ["c-1", "c-0"]
    assert ordered == ["c-0", "c-1"]


def _execute(team: Team, statement: str) -> None:
    from sqlalchemy import text

    from db.engine import disposed, open_engine, writing

    with disposed(open_engine(team.url)) as engine, writing(engine) as session:
        session.execute(text(statement))


def test_what_opens_in_the_editor_is_blind_also_after_the_lease_ended(team: Team) -> None:
    team.walk(_in_cross_check)
    held = claim_case(team["cleo"], "c-1").value
    team.clock.forward(hours=3)
    claim_case(team["ann"], "c-2")
    opened = open_assignment(team["cleo"], held.id)
    assert opened.is_blind
    _tells_nothing(opened.base)
    assert opened.row.is_blind
    assert [(labels.policy, labels.edges) for labels in opened.template.tasks] == [(None, ())]
    assert opened.returned_note == ""


def test_findings_for_a_blind_reviewer_say_nothing_about_labels(team: Team) -> None:
    team.walk(_in_cross_check)
    claim_case(team["cleo"], "c-1")
    rules = {f.rule for case in check_project(team["cleo"], case_id="c-1") for f in case.findings}
    assert not {rule for rule in rules if rule.startswith(("policy", "information", "graph"))}
    with pytest.raises(NotFoundError):
        check_project(team["cleo"], case_id="c-9")


def test_the_owner_sees_the_labels_and_a_manager_who_does_not_judge_it(team: Team) -> None:
    team.walk(_in_cross_check)
    for name in ("ann", "max", "eve"):
        assert show_case(team[name], "c-1").tasks[0].policy is Policy.MULTI_SERIAL
        assert _row(team[name]).policies == ("multi_serial",)
    assert len(case_events(team["ann"], "c-1")) > 3


def test_whoever_names_nobody_sees_cases_under_review_blind(team: Team) -> None:
    team.walk(_in_cross_check)
    nobody = open_workspace(team.url)
    try:
        assert _row(nobody).is_blind
        assert check_project(nobody, case_id="c-1")[0].findings == ()
    finally:
        nobody.close()


def test_final_cases_are_open_to_everybody(team: Team) -> None:
    team.walk(_in_cross_check)
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    for name in ("bob", "cleo", "dan"):
        assert show_case(team[name], "c-1").tasks[0].policy is Policy.MULTI_SERIAL
        assert not _row(team[name]).is_blind


def test_a_policy_can_open_labels_to_whoever_does_not_judge_the_case(team: Team) -> None:
    change_review_policy(team["max"], ("open_labels=always",))
    team.walk(_in_cross_check)
    claim_case(team["cleo"], "c-1")
    assert not _row(team["dan"]).is_blind
    assert _row(team["cleo"]).is_blind


def test_a_policy_says_which_fields_reviewers_do_not_see(team: Team) -> None:
    change_review_policy(team["max"], ("blind_fields=edges,owner",))
    team.walk(_in_cross_check)
    claim_case(team["cleo"], "c-1")
    shown = show_case(team["cleo"], "c-1").tasks[0]
    assert (shown.policy, shown.edges) == (Policy.MULTI_SERIAL, ())
    row = _row(team["cleo"])
    assert (row.owner, row.owner_id, row.policies) == (None, None, ("multi_serial",))
    assert list_cases(team["cleo"], CaseFilter(owner="ann")) == ()


def test_reviewers_who_may_see_everything_still_do_not_see_each_other(team: Team) -> None:
    change_review_policy(team["max"], ("blind_fields=",))
    team.walk(_in_cross_check)
    claim_case(team["cleo"], "c-1")
    assert show_case(team["cleo"], "c-1").tasks[0].drawn_edges
    assert case_events(team["cleo"], "c-1") == ()
    assert comments_of(team["cleo"], "c-1") == ()


def test_an_expert_who_decides_sees_the_owners_version_only_afterwards(team: Team) -> None:
    team.walk(_in_cross_check)
    team.cross_check("cleo", "c-1", policies={0: Policy.MULTI_PARALLEL}, edges={0: []})
    seen = open_adjudication(team["eve"], "c-1").value
    _tells_nothing(seen.case)
    _tells_nothing(show_case(team["eve"], "c-1"))
    assert _row(team["eve"]).is_blind
    assert [f.rule for f in seen.findings if f.rule.startswith(("policy", "graph"))] == []
    fields: dict[str, str | Own] = {field.id: "A" for field in seen.differing}
    decided = team.decide("c-1", Decision(fields=fields, verdict=Verdict.APPROVE))
    assert decided.owner == "ann"
    assert decided.owner_labels[0].edges == ((0, 1, EdgeKind.LOGICAL),)
    assert show_case(team["eve"], "c-1").tasks[0].drawn_edges


def _disputed(team: Team) -> None:
    """c-1 waits for an expert to settle a dispute; nobody has claimed it. c-2 is like it, but final."""
    change_review_policy(team["max"], ("expert_sample=off",))
    team.bring(two_step_case(), two_step_case("c-2"))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        verdict = Verdict.ESCALATE if case_id == "c-1" else Verdict.APPROVE
        team.cross_check("cleo", case_id, verdict=verdict)


def test_an_expert_who_could_decide_a_dispute_is_blind_to_it_before_the_claim(
    team: Team, tmp_path: Path
) -> None:
    team.walk(_disputed)
    for row in (_row(team["eve"]), case_of(team["eve"], "c-1")):
        assert (row.is_blind, row.policies, row.informations, row.rules) == (True, ("",), ("",), ())
    _tells_nothing(show_case(team["eve"], "c-1"))
    assert [row.number for row in case_history(team["eve"], "c-1")] == [1]
    assert case_events(team["eve"], "c-1") == ()
    export_cases(team["eve"], tmp_path / "out.jsonl", format=CaseFormat.NATIVE, stages=())
    exported = [item.case for item in read_cases(tmp_path / "out.jsonl") if isinstance(item, ReadCase)]
    _tells_nothing(next(case for case in exported if case.id == "c-1"))


def test_filters_and_orders_tell_an_expert_nothing_about_a_dispute_to_decide(team: Team) -> None:
    team.walk(_disputed)
    add_person(team["max"], "mia", roles=[Role.MANAGER])
    serial = CaseFilter(policies=("multi_serial",), order="case")
    assert [row.case_id for row in list_cases(team["mia"], serial)] == ["c-1", "c-2"]
    assert [row.case_id for row in list_cases(team["eve"], serial)] == ["c-2"]
    assert count_cases(team["eve"], serial) == 1
    _execute(team, "UPDATE cases SET policies = '|chat|' WHERE case_id = 'c-1'")
    by_policy = CaseFilter(order="policies")
    assert [row.case_id for row in list_cases(team["mia"], by_policy)] == ["c-1", "c-2"]
    assert [row.case_id for row in list_cases(team["eve"], by_policy)] == ["c-2", "c-1"]


def test_an_expert_stays_blind_to_a_dispute_another_expert_is_deciding(team: Team) -> None:
    team.walk(_disputed)
    add_person(team["max"], "ivy", roles=[Role.EXPERT])
    open_adjudication(team["eve"], "c-1")
    _tells_nothing(show_case(team["ivy"], "c-1"))


def test_a_manager_sees_a_dispute_until_they_take_it_to_decide_themselves(team: Team) -> None:
    team.walk(_disputed)
    add_person(team["max"], "mia", roles=[Role.MANAGER])
    add_person(team["max"], "ida", roles=[Role.MANAGER, Role.EXPERT])
    for name in ("mia", "ida"):
        assert show_case(team[name], "c-1").tasks[0].policy is Policy.MULTI_SERIAL
    open_adjudication(team["ida"], "c-1")
    _tells_nothing(show_case(team["ida"], "c-1"))


def test_experts_see_what_they_can_never_decide(team: Team) -> None:
    for name in ("ann", "bob"):
        set_roles(team["max"], name, roles=[Role.ANNOTATOR, Role.EXPERT])
    team.walk(_disputed)
    for name in ("ann", "bob"):
        assert not _row(team[name]).is_blind
        with pytest.raises(ForbiddenError):
            claim_case(team[name], "c-1")
    claim_case(team["eve"], "c-1")


def test_a_dispute_is_open_to_its_expert_once_it_is_decided(team: Team) -> None:
    team.walk(_disputed)
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    assert not _row(team["eve"]).is_blind
    assert show_case(team["eve"], "c-1").tasks[0].drawn_edges


def test_what_its_owner_escalated_is_shown_to_experts_as_it_is(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    doubt = approval(two_step_case()).model_copy(
        update={"verdict": Verdict.ESCALATE, "reasons": team.reasons("which depot?")}
    )
    submit(team["ann"], held.id, judgment=doubt, key=submission_key())
    assert _row(team["eve"]).policies == ("multi_serial",)


def test_looking_at_what_is_not_there_to_adjudicate_claims_nothing(team: Team) -> None:
    team.walk(_in_cross_check)
    with pytest.raises(ForbiddenError, match="nothing to adjudicate"):
        open_adjudication(team["dan"], "c-1")
    assert claim_case(team["cleo"], "c-1").value.slot == 1


def test_a_blind_reviewer_cannot_answer_or_close_what_they_cannot_see(team: Team) -> None:
    from annotator.cases.history import resolve_comment

    team.walk(_in_cross_check)
    claim_case(team["cleo"], "c-1")
    secret = comments_of(team["ann"], "c-1")[0].id
    with pytest.raises(NotFoundError, match="has no comment"):
        add_comment(team["cleo"], "c-1", where="case", text="what did you say?", parent=secret)
    with pytest.raises(NotFoundError, match="has no comment"):
        resolve_comment(team["cleo"], "c-1", comment=secret)
    own = add_comment(team["cleo"], "c-1", where="case", text="hm").value
    assert [comment.id for comment in comments_of(team["cleo"], "c-1")] == [own]


def test_an_answer_belongs_to_a_comment_of_the_same_case(team: Team) -> None:
    team.walk(_in_cross_check)
    other = comments_of(team["ann"], "c-1")[0].id
    with pytest.raises(NotFoundError, match="c-2 has no comment"):
        add_comment(team["ann"], "c-2", where="case", text="there", parent=other)


def test_a_reviewer_of_an_earlier_round_stays_blind_to_what_the_owner_makes_of_it(team: Team) -> None:
    team.walk(_in_cross_check)
    team.cross_check("cleo", "c-1", verdict=Verdict.RETURN)
    assert team.stage("c-1") is Stage.ESCALATED  # bob approved, so it is a mix
    team.decide("c-1", Decision(verdict=Verdict.RETURN, note="draw it again"))
    replace_content(team["max"], "c-1", case=two_step_case(), reason="reset")
    _tells_nothing(show_case(team["bob"], "c-1"))
    held = claim_case(team["ann"], "c-1").value
    submit(team["ann"], held.id, judgment=approval(two_step_case()), key=submission_key())
    _tells_nothing(show_case(team["bob"], "c-1"))


def test_a_reviewer_who_left_an_earlier_round_of_the_same_content_is_blind_in_the_next(team: Team) -> None:
    # Who manages besides would see it all, were she not asked to judge it.
    add_person(team["max"], "mia", roles=[Role.ANNOTATOR, Role.MANAGER])
    ids = ("c-0", "c-1", "c-2")
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
        leave(team["mia"], claim_case(team["mia"], case_id).value.id, skip=True, reason="too long")
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    (sampled,) = list_cases(team["eve"], CaseFilter(stages=(Stage.EXPERT,)))
    kind: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    team.decide(sampled.case_id, Decision(fields=kind, verdict=Verdict.APPROVE))
    # The error sends the others of the batch to cross-check once more, with the content of round 1.
    again = list_cases(team["mia"], CaseFilter(stages=(Stage.CROSS_CHECK,)))
    assert [row.is_blind for row in again] == [True, True]
    for row in again:
        _tells_nothing(show_case(team["mia"], row.case_id))


def test_a_blind_line_survives_as_json(team: Team) -> None:
    from ui.cli.output import json_text

    team.walk(_in_cross_check)
    claim_case(team["cleo"], "c-1")
    printed = json_text(_row(team["cleo"]))
    assert "multi_serial" not in printed


def test_a_blind_reviewer_begins_with_nothing_drawn_but_that_the_answer_comes_last(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    (shown,) = load(team["bob"], claim_case(team["bob"], "c-1").value.id).assessment.snapshot.case.tasks
    assert shown.edges
    assert {edge.target for edge in shown.edges} == {shown.answer_index}
