"""Which cases reviewers judge where a share of them is checked, and what figures make of that."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from annotator.review.loaded_case import load
from annotator.review.measures.accuracy_curve import AccuracySlice, accuracy, stage_cases
from annotator.review.measures.label_errors import label_errors
from annotator.review.measures.rater_agreement import AgreementSlice, agreement, rated_rounds
from annotator.review.measures.workload import workloads
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue import checked
from annotator.review.queue.checked import DRAWN, ONE_CHECK, CheckReason
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from db.read import known_answers, people, reviews
from db.read.rows import CatchRow
from scoring.agreement.rated_cases import RatedField
from scoring.errors import BlockedError
from scoring.model.case import Task
from scoring.model.taxonomy import CheckAnswer, Information, Policy, Stage, Verdict
from tests.annotator.team import START, Team, approval, two_round_case, two_step_case


@pytest.fixture
def known(team: Team, monkeypatch: pytest.MonkeyPatch) -> Team:
    """Two cases of ann's have passed; that is enough to know her."""
    monkeypatch.setattr(checked, "KNOWN_AFTER", 2)
    team.bring(*(two_step_case(f"c-{number}") for number in range(1, 9)))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    return team


def _set(team: Team, share: str) -> None:
    change_review_policy(team["max"], (f"checked_share={share}",))


def _told(team: Team, case_id: str) -> Mapping[str, object]:
    [event] = team["max"].read(lambda tx: reviews.events_of(tx, [f"case:{case_id}"], action=DRAWN))
    found: Mapping[str, object] = json.loads(event.payload)
    return found


def _number(team: Team, name: str) -> int:
    return next(one.id for one in team["max"].read(people.list_people) if one.name == name)


def test_a_case_without_a_reason_passes_where_the_draw_leaves_it_out(known: Team) -> None:
    _set(known, "0")
    known.self_check("ann", "c-3")
    assert known.stage("c-3") is Stage.APPROVED
    assert _told(known, "c-3") == {"share": 0, "drawn": False, "reason": None}
    rounds = known["max"].read(reviews.rounds_by_owner)
    assert rounds == {_number(known, "ann"): (0, 2)}


def test_all_cases_are_checked_and_nothing_is_drawn_by_default(known: Team) -> None:
    known.self_check("ann", "c-3")
    assert known.stage("c-3") is Stage.CROSS_CHECK
    assert known["max"].read(lambda tx: reviews.events_of(tx, ["case:c-3"], action=DRAWN)) == ()


def test_the_last_case_that_passes_unread_has_the_sample_drawn(known: Team) -> None:
    _set(known, "0")
    for number in range(3, 9):
        known.self_check("ann", f"c-{number}")
    stages = [known.stage(f"c-{number}") for number in range(1, 9)]
    assert stages.count(Stage.EXPERT) == 1  # 10 % of eight cases, read or not
    assert stages.count(Stage.APPROVED) == 7


def test_the_last_case_that_passes_unread_finishes_its_batch_where_nothing_is_sampled(known: Team) -> None:
    change_review_policy(known["max"], ("checked_share=0", "expert_sample=false"))
    for number in range(3, 9):
        known.self_check("ann", f"c-{number}")
    assert {known.stage(f"c-{number}") for number in range(1, 9)} == {Stage.FINAL}


def test_the_cases_of_a_new_owner_are_checked(known: Team) -> None:
    _set(known, "0")
    known.self_check("bob", "c-3")
    assert known.stage("c-3") is Stage.CROSS_CHECK
    assert _told(known, "c-3")["reason"] == CheckReason.NEW


def test_the_cases_of_a_weak_owner_are_checked(known: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    _set(known, "0")
    ann, bob = _number(known, "ann"), _number(known, "bob")
    rounds = {ann: (8, 10), bob: (1, 40)}
    monkeypatch.setattr(reviews, "rounds_by_owner", lambda _: dict(rounds))
    known.self_check("ann", "c-3")
    known.self_check("bob", "c-4")
    rounds[ann] = (1, 10)  # 1 of 10 is not above 1 of 40
    known.self_check("ann", "c-5")
    stages = [known.stage(case_id) for case_id in ("c-3", "c-4", "c-5")]
    assert stages == [Stage.CROSS_CHECK, Stage.APPROVED, Stage.APPROVED]
    assert _told(known, "c-3")["reason"] == CheckReason.WEAK


def test_a_case_that_was_returned_is_checked(known: Team) -> None:
    known.self_check("ann", "c-3")
    known.cross_check("bob", "c-3", verdict=Verdict.RETURN)
    known.cross_check("cleo", "c-3", verdict=Verdict.RETURN)
    _set(known, "0")
    known.self_check("ann", "c-3")
    assert known.stage("c-3") is Stage.CROSS_CHECK
    assert _told(known, "c-3")["reason"] == CheckReason.RETURNED


def test_the_cases_of_who_missed_the_last_planted_defect_are_checked(
    known: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set(known, "0")
    miss = CatchRow("ann", "policy", False, True, "k-1", "{}", START)
    caught = [miss]
    monkeypatch.setattr(known_answers, "catches", lambda _: tuple(caught))
    known.self_check("ann", "c-3")
    caught.append(replace(miss, is_caught=True))
    known.self_check("ann", "c-4")
    caught += [replace(miss, is_valid=False), replace(miss, person="bob")]
    known.self_check("ann", "c-5")
    stages = [known.stage(case_id) for case_id in ("c-3", "c-4", "c-5")]
    assert stages == [Stage.CROSS_CHECK, Stage.APPROVED, Stage.APPROVED]
    assert _told(known, "c-3")["reason"] == CheckReason.MISSED


def test_a_case_with_findings_is_checked(known: Team) -> None:
    _set(known, "0")
    other = two_step_case("c-3")
    wrong = other.tasks[0].steps[1].model_copy(update={"arguments": {"depot": 7}})
    task = other.tasks[0].model_copy(
        update={"steps": (other.tasks[0].steps[0], wrong, other.tasks[0].steps[2])}
    )
    known.bring(other.model_copy(update={"id": "d-1", "tasks": (task,)}))
    known.self_check_waiving("ann", "d-1")
    assert known.stage("d-1") is Stage.CROSS_CHECK
    assert _told(known, "d-1")["reason"] == CheckReason.FINDING


def test_a_case_whose_owner_changes_a_label_it_came_with_is_checked(known: Team) -> None:
    _set(known, "0")
    came = two_round_case("d-1")
    other = came.tasks[1].model_copy(update={"information": Information.REFERENCE})
    known.bring(came, came.model_copy(update={"id": "d-2", "tasks": (came.tasks[0], _unlabelled(other))}))
    known.self_check("ann", "d-1", edit=came.model_copy(update={"tasks": (came.tasks[0], other)}))
    edit = came.model_copy(update={"id": "d-2", "tasks": (came.tasks[0], other)})
    known.self_check("ann", "d-2", edit=edit)  # nobody had proposed a label
    assert [known.stage(case_id) for case_id in ("d-1", "d-2")] == [Stage.CROSS_CHECK, Stage.APPROVED]
    assert _told(known, "d-1")["reason"] == CheckReason.RELABELLED


def _unlabelled(task: Task) -> Task:
    return task.model_copy(update={"policy": None, "information": None})


def _is_asked_about_the_dialogue(team: Team, name: str, case_id: str) -> bool:
    loaded = load(team[name], claim_case(team[name], case_id).value.id)
    return any(item.task is None for item in loaded.assessment.items)


def _one_checks(team: Team, case_id: str) -> int:
    return len(team["max"].read(lambda tx: reviews.events_of(tx, [f"case:{case_id}"], action=ONE_CHECK)))


def test_a_known_owner_does_one_self_check_where_the_policy_says_so(known: Team) -> None:
    known.bring(*(two_round_case(f"d-{number}") for number in range(1, 5)))
    assert known.check_once("ann", "d-1").stage is Stage.SELF_CHECK_DIALOGUE
    change_review_policy(known["max"], ("one_self_check=true",))
    assert _is_asked_about_the_dialogue(known, "ann", "d-2")
    assert known.check_once("ann", "d-2").stage is Stage.CROSS_CHECK
    assert (_one_checks(known, "d-1"), _one_checks(known, "d-2")) == (0, 1)
    assert not _is_asked_about_the_dialogue(known, "bob", "d-3")  # new
    assert known.check_once("bob", "d-3").stage is Stage.SELF_CHECK_DIALOGUE
    change_review_policy(known["max"], ("dialogue_check=false",))
    assert known.check_once("ann", "d-4").stage is Stage.CROSS_CHECK
    assert _one_checks(known, "d-4") == 0


def test_a_weak_owner_and_a_returned_case_have_two_self_checks(
    known: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_review_policy(known["max"], ("one_self_check=true",))
    known.bring(two_round_case("d-1"), two_round_case("d-2"))
    assert known.check_once("ann", "d-1").stage is Stage.CROSS_CHECK
    known.cross_check("bob", "d-1", verdict=Verdict.RETURN)
    known.cross_check("cleo", "d-1", verdict=Verdict.RETURN)
    assert known.check_once("ann", "d-1").stage is Stage.SELF_CHECK_DIALOGUE
    rounds = {_number(known, "ann"): (8, 10), _number(known, "bob"): (1, 40)}
    monkeypatch.setattr(reviews, "rounds_by_owner", lambda _: dict(rounds))
    assert known.check_once("ann", "d-2").stage is Stage.SELF_CHECK_DIALOGUE


def test_a_judgment_that_answers_nothing_about_the_dialogue_is_followed_by_a_second(known: Team) -> None:
    change_review_policy(known["max"], ("one_self_check=true",))
    known.bring(two_round_case("d-1"))
    held = claim_case(known["ann"], "d-1").value
    said = approval(two_round_case("d-1")).model_copy(update={"checklist": {}})
    done = submit(known["ann"], held.id, judgment=said, key=submission_key()).value
    assert done.stage is Stage.SELF_CHECK_DIALOGUE


def test_one_self_check_asks_all_that_two_ask(known: Team) -> None:
    change_review_policy(known["max"], ("one_self_check=true",))
    known.bring(two_round_case("d-1"))
    held = claim_case(known["ann"], "d-1").value
    said = approval(two_round_case("d-1")).model_copy(update={"checklist": {"coherence": CheckAnswer.PASS}})
    with pytest.raises(BlockedError, match="The dialogue: confirm"):
        submit(known["ann"], held.id, judgment=said, key=submission_key())


def test_stage_accuracy_at_cross_check_rests_on_the_draw(known: Team) -> None:
    change_review_policy(known["max"], ("checked_share=0", "expert_sample=false"))
    for owner, number in (("bob", 3), *(("ann", number) for number in range(4, 9))):
        known.self_check(owner, f"c-{number}")
    known.cross_check("ann", "c-3")  # of a new owner
    known.cross_check("cleo", "c-3")
    points = {point.stage: point for point in accuracy(known["max"], AccuracySlice())}
    assert (points[Stage.SELF_CHECK_TASK].total, points[Stage.CROSS_CHECK].total) == (8, 2)
    behind = stage_cases(known["max"], AccuracySlice(), stage=Stage.CROSS_CHECK)
    assert [case.case_id for case in behind] == ["c-1", "c-2"]


def test_figures_of_agreement_rest_on_the_draw_and_errors_are_weighed(known: Team) -> None:
    change_review_policy(known["max"], ("checked_share=0.5", "expert_sample=false", "case_threshold=0.5"))
    for number in range(3, 9):
        known.self_check("ann", f"c-{number}")
    drawn = [f"c-{number}" for number in range(3, 9) if _told(known, f"c-{number}")["drawn"]]
    assert 0 < len(drawn) < 6
    for case_id in drawn:
        assert known.stage(case_id) is Stage.CROSS_CHECK
        known.cross_check("bob", case_id, policies={0: Policy.MULTI_MIXED})
        known.cross_check("cleo", case_id)
    _set(known, "0")
    known.bring(two_step_case("d-1"))
    known.self_check("bob", "d-1")
    assert _told(known, "d-1") == {"share": 0, "drawn": False, "reason": CheckReason.NEW}
    known.cross_check("ann", "d-1")
    known.cross_check("cleo", "d-1")
    rounds = {one.case.case_id: one.case for one in rated_rounds(known["max"], AgreementSlice())}
    read = {case_id: (rated.chance, rated.by_choice) for case_id, rated in rounds.items()}
    by_draw = dict.fromkeys(drawn, (0.5, False))
    assert read == {"c-1": (1, False), "c-2": (1, False), "d-1": (1, True), **by_draw}
    # Of three raters two pairs in three differ on the policy of what was drawn; d-1 has no part in it.
    [policy] = [row for row in agreement(known["max"]) if row.field is RatedField.POLICY]
    assert policy.seen.used == 2 + len(drawn)
    assert policy.seen.value == pytest.approx((2 + len(drawn) / 3) / (2 + len(drawn)))
    everywhere = sum(len(rated.fields) for case_id, rated in rounds.items() if case_id != "d-1")
    [cleo] = [one for one in workloads(known["max"]) if one.person == "cleo"]
    assert cleo.agreement.total == 2 * everywhere
    # Bob is wrong on one label of two of each drawn case, which stands for two; d-1 stands for itself.
    [bob] = [one for one in label_errors(known["max"], AgreementSlice()).people if one.person == "bob"]
    wrong, labels = len(drawn), 2 * len(rounds)
    assert (bob.all.wrong.count, bob.all.wrong.total) == (wrong, labels)
    assert bob.all.share == pytest.approx(2 * wrong / (labels + 2 * len(drawn)))


def test_a_case_that_was_drawn_and_has_a_reason_is_certain_and_counts_as_drawn(known: Team) -> None:
    _set(known, "0.99")
    known.self_check("bob", "c-3")
    assert _told(known, "c-3") == {"share": 0.99, "drawn": True, "reason": CheckReason.NEW}
    known.cross_check("ann", "c-3")
    known.cross_check("cleo", "c-3")
    [rated] = [one.case for one in rated_rounds(known["max"], AgreementSlice()) if one.case.case_id == "c-3"]
    assert (rated.chance, rated.by_choice) == (1, False)
