"""Drawn means drawn: nobody hands on an untouched canvas, and it is compared with nothing."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from annotator.cases.edits.edge_edits import add_edge
from annotator.cases.history import replace_content
from annotator.jobs import JobContext
from annotator.release.freeze import freeze, freeze_preview, undrawn_cases
from annotator.release.verification import verify_release
from annotator.review.batches import return_batch
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, Own
from annotator.review.loaded_case import read_case
from annotator.review.measures.rater_agreement import agreement
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import Submitted, submission_key, submit
from annotator.review.withdrawals import withdraw
from db.read.reviews import approved_drawings
from db.tables import JudgmentRecord, Transaction
from scoring.agreement.fields import AgreementMeasure
from scoring.agreement.rated_cases import RatedField
from scoring.errors import BlockedError, InputError
from scoring.model.case import Case
from scoring.model.labels import TaskLabels
from scoring.model.record import to_json
from scoring.model.taxonomy import EdgeKind, Policy, Stage, Verdict
from tests.annotator.team import Team, approval, two_round_case, two_step_case
from tests.factories import answer, call, case, task

EDGE = (0, 1, EdgeKind.LOGICAL)


def _unconnected(case_id: str = "c-1") -> Case:
    """The two calls without a dependency, labelled as if they ran together."""
    shown = two_step_case(case_id)
    blank = shown.tasks[0].model_copy(update={"edges": (), "policy": Policy.MULTI_PARALLEL})
    return shown.model_copy(update={"tasks": (blank,)})


def _say(
    team: Team, name: str, shown: Case, *, verdict: Verdict = Verdict.APPROVE, **said: object
) -> Submitted:
    """Submit a judgment of the first task with something said otherwise."""
    held = claim_case(team[name], shown.id).value
    judgment = approval(shown)
    first = TaskLabels.model_validate({**judgment.tasks[0].model_dump(), **said})
    judgment = judgment.model_copy(
        update={
            "tasks": (first, *judgment.tasks[1:]),
            "verdict": verdict,
            "reasons": () if verdict is Verdict.APPROVE else team.reasons("not sure"),
        }
    )
    return submit(team[name], held.id, judgment=judgment, key=submission_key()).value


def _forget_drawn(team: Team) -> None:
    """Have the judgments so far look like those of an older version, which asked nobody."""

    def query(tx: object) -> None:
        for record in tx.scalars(select(JudgmentRecord)):  # type: ignore[attr-defined]
            body = json.loads(record.body)
            for said in body["tasks"]:
                del said["drawn"]
            record.body = to_json(body)

    team["max"].run("test:judgments:age", lambda w: query(w.tx))


def _head(team: Team, case_id: str = "c-1") -> Case:
    return read_case(team["max"], case_id).case


@pytest.mark.parametrize(
    ("drawn", "words"),
    [(False, "Task 1: it is not drawn"), (None, "Task 1: 'drawn' is missing")],
)
def test_an_owner_cannot_hand_on_a_task_that_is_not_drawn(team: Team, drawn: bool | None, words: str) -> None:
    team.bring(two_step_case())
    with pytest.raises(BlockedError, match=words):
        _say(team, "ann", two_step_case(), drawn=drawn)
    assert team.stage("c-1") is Stage.SELF_CHECK_TASK


def test_a_reviewer_cannot_approve_a_task_that_is_not_drawn(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    with pytest.raises(BlockedError, match="Task 1: it is not drawn"):
        _say(team, "bob", two_step_case(), drawn=False)


def test_who_sends_a_case_back_needs_no_drawing(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    _say(team, "bob", two_step_case(), drawn=False, verdict=Verdict.RETURN)
    assert _say(team, "cleo", two_step_case(), drawn=False, verdict=Verdict.RETURN).stage is Stage.RETURNED


def test_a_task_with_one_call_needs_no_drawing(team: Team) -> None:
    one = case(task(call(), answer(), user="Weather in Oslo?"), tools=two_step_case().tools)
    assert approval(one).tasks[0].drawn is None
    held = approval(one).model_copy(update={"verdict": Verdict.APPROVE})
    assert held.undrawn == ()


def _template_drawn(team: Team, name: str, case_id: str = "c-1") -> bool | None:
    held = claim_case(team[name], case_id).value
    return open_assignment(team[name], held.id).template.tasks[0].drawn


def test_the_edges_of_a_file_are_a_proposal_until_the_owner_confirms_them(team: Team) -> None:
    team.bring(two_round_case())
    assert _template_drawn(team, "ann") is False
    team.check_once("ann", "c-1")
    assert _template_drawn(team, "ann") is True
    team.check_once("ann", "c-1")
    assert _template_drawn(team, "bob") is False  # a reviewer draws on their own


def test_a_drawing_somebody_changed_since_is_to_be_confirmed_again(team: Team) -> None:
    thanks = two_round_case().tasks[1]
    shown = _unconnected().model_copy(update={"tasks": (*_unconnected().tasks, thanks)})
    team.bring(shown)
    team.check_once("ann", "c-1")
    changed = add_edge(shown, 0, source=0, target=1)
    replace_content(team["max"], "c-1", case=changed, reason="it waits")
    assert _template_drawn(team, "ann") is False


def test_a_drawing_survives_a_withdrawal_and_a_return(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    withdraw(team["ann"], "c-1")
    held = claim_case(team["ann"], "c-1").value
    draft = open_assignment(team["ann"], held.id).draft
    assert draft is not None
    assert draft.judgment.tasks[0].drawn is True
    team.check_once("ann", "c-1")
    return_batch(team["max"], "b1", reason="once more")
    assert _template_drawn(team, "ann") is True


def _edge_agreement(team: Team) -> tuple[float | None, int, int]:
    row = next(row for row in agreement(team["max"], resamples=0) if row.field is RatedField.GRAPH)
    found = row.coefficients[AgreementMeasure.EXACT_MATCH]
    return found.value, found.used, found.total


def test_an_owner_nobody_asked_is_no_rater_of_the_drawing(team: Team) -> None:
    """Before the question the owner left the canvas blank; both reviewers say that step 1 waits."""
    team.bring(_unconnected())
    team.self_check_waiving("ann", "c-1")
    _forget_drawn(team)
    for name in ("bob", "cleo"):
        done = _say(team, name, two_step_case(), edges=[EDGE], policy=Policy.MULTI_PARALLEL.value, drawn=True)
    assert done.stage is Stage.EXPERT
    assert [edge.pair for edge in _head(team).tasks[0].drawn_edges] == [(0, 1)]
    assert _edge_agreement(team) == (1.0, 1, 1)


def test_rounds_closed_before_the_question_give_no_agreement_without_edges(team: Team) -> None:
    team.bring(_unconnected())
    team.self_check_waiving("ann", "c-1")
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1")
    assert _edge_agreement(team) == (1.0, 1, 1)
    _forget_rounds(team)
    assert _edge_agreement(team) == (None, 0, 1)


def _forget_rounds(team: Team) -> None:
    from db.tables import ClosedRound

    def query(tx: object) -> None:
        for record in tx.scalars(select(ClosedRound)):  # type: ignore[attr-defined]
            body = json.loads(record.body)
            del body["drawn"]
            record.body = to_json(body)

    team["max"].run("test:rounds:age", lambda w: query(w.tx))


def test_an_expert_settles_the_drawing_an_owner_escalated_undrawn(team: Team) -> None:
    team.bring(two_step_case())
    _say(team, "ann", two_step_case(), drawn=False, verdict=Verdict.ESCALATE)
    seen = team.open_expert("c-1")
    assert [field.id for field in seen.differing] == ["task.0.drawn"]
    with pytest.raises(BlockedError, match=r"task\.0\.drawn"):
        team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    decided = Decision(verdict=Verdict.APPROVE, fields={"task.0.drawn": Own(own=True)})
    assert team.decide("c-1", decided).stage is Stage.FINAL
    assert read_case(team["max"], "c-1").drawn == (True,)


def test_an_expert_draws_what_no_reviewer_drew_without_the_owners_edges(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    _say(team, "bob", two_step_case(), drawn=False, verdict=Verdict.ESCALATE)
    _say(team, "cleo", two_step_case(), drawn=False, verdict=Verdict.RETURN)
    seen = team.open_expert("c-1")
    assert [field.id for field in seen.fields if field.kind in ("edge", "drawn")] == ["task.0.drawn"]
    assert not seen.case.tasks[0].edges
    decided = Decision(
        verdict=Verdict.APPROVE,
        note="they run together",
        fields={"task.0.drawn": Own(own=True)} | {field.id: "A" for field in seen.differing[:-1]},
    )
    team.decide("c-1", decided)
    assert _head(team).tasks[0].drawn_edges == ()


def test_nobody_can_take_the_side_of_a_reviewer_who_has_not_drawn(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    _say(team, "bob", two_step_case(), drawn=False, verdict=Verdict.ESCALATE)
    team.cross_check("cleo", "c-1", edges={0: ((0, 1, EdgeKind.PARAMETER),)})
    decided = Decision(verdict=Verdict.APPROVE, fields={"task.0.edge.0-1": "A"})
    with pytest.raises(InputError, match="A has not drawn task 1"):
        team.decide("c-1", decided)


def _finish_solo(team: Team, *cases: Case) -> None:
    change_review_policy(team["max"], ("solo=true",))
    team.bring(*cases)
    for one in cases:
        team.self_check_waiving("max", one.id)


def test_a_freeze_leaves_out_what_was_judged_before_anybody_was_asked(team: Team, tmp_path: Path) -> None:
    _finish_solo(team, _unconnected("c-1"), two_step_case("c-2"))
    assert undrawn_cases(team["max"]) == ()
    _forget_drawn(team)
    preview = freeze_preview(team["max"])
    assert (preview.case_count, preview.task_count, preview.excluded_count) == (1, 1, 1)
    assert [(one.case_id, one.stage) for one in preview.excluded] == [("c-1", Stage.FINAL)]
    assert "nobody is known to have drawn it" in preview.excluded[0].reason
    done = freeze(team["max"], "r1", directory=tmp_path / "r1", context=JobContext()).value
    assert done.content.case_count == 1
    assert (team.stage("c-1"), team.stage("c-2")) == (Stage.FINAL, Stage.RELEASED)
    assert verify_release(tmp_path / "r1").ok


def test_a_task_its_owner_says_they_have_not_drawn_stays_out_of_a_release(team: Team) -> None:
    _finish_solo(team, _unconnected("c-1"))

    def query(tx: Transaction) -> None:
        said = tx.scalars(select(JudgmentRecord).order_by(JudgmentRecord.id.desc())).first()
        assert said is not None
        said.body = said.body.replace('"drawn":true', '"drawn":false')

    team["max"].run("test:judgments:undraw", lambda w: query(w.tx))
    assert [one.case_id for one in undrawn_cases(team["max"])] == ["c-1"]


def test_an_approved_drawing_vouches_for_the_revision_it_was_made_on_alone(team: Team) -> None:
    _finish_solo(team, _unconnected("c-1"), _unconnected("c-2"))
    both = team["max"].read(approved_drawings)
    assert len(both) == 2

    def judge_another_revision(tx: Transaction) -> int:
        first, *_, last = tx.scalars(select(JudgmentRecord).order_by(JudgmentRecord.id))
        last.result_id = first.result_id
        return last.case_pk

    other = team["max"].run("test:judgments:part", lambda w: judge_another_revision(w.tx))
    assert team["max"].read(approved_drawings) == both - {other.value}


def test_a_freeze_of_nothing_but_undrawn_cases_names_them(team: Team, tmp_path: Path) -> None:
    _finish_solo(team, _unconnected("c-1"))
    _forget_drawn(team)
    with pytest.raises(BlockedError, match="nobody is known to have drawn c-1"):
        freeze(team["max"], "r1", directory=tmp_path / "r1", context=JobContext())


def test_who_judges_a_case_blind_is_not_told_what_is_drawn(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    assert read_case(team["max"], "c-1").drawn == (True,)
    assert read_case(team["bob"], "c-1").drawn == (None,)


def test_a_case_judged_before_anybody_was_asked_says_that_it_is_not_known(team: Team) -> None:
    _finish_solo(team, _unconnected("c-1"), two_step_case("c-2"))
    _forget_drawn(team)
    assert read_case(team["max"], "c-1").drawn == (None,)
    assert read_case(team["max"], "c-2").drawn == (True,)
