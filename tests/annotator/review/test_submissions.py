"""A submission counts once, overwrites nothing, and refuses what does not fit the case it is about."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from annotator.cases.access import show_case
from annotator.drafts.draft_body import DraftBody
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.drafts import SeenDraft, open_assignment, save_draft
from annotator.review.expert.decisions import Decided, Decision
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import KEY_LENGTH, Submitted, check_key, submission_key, submit
from annotator.review.withdrawals import withdraw
from db.read.assignments import find_draft
from scoring.errors import AnnotatorError, BlockedError, ConflictError, ForbiddenError, GraphError, InputError
from scoring.model.case import Case
from scoring.model.labels import Judgment, TaskLabels, Waiver
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Information, Policy, Stage, Verdict
from tests.annotator.team import Team, approval, two_round_case, two_step_case
from tests.factories import answer, case, task


def _at_once(team: Team, calls: Sequence[tuple[str, Callable[[Workspace], object]]]) -> list[object]:
    """Make calls in several people's names in the same moment; gives results and refusals in order."""
    start = threading.Barrier(len(calls))

    def one(name: str, call: Callable[[Workspace], object]) -> object:
        workspace = open_workspace(team.url, name)
        try:
            start.wait(timeout=120)
            return call(workspace)
        except AnnotatorError as error:
            return error
        finally:
            workspace.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [running.result() for running in [pool.submit(one, *call) for call in calls]]


def _judgments(team: Team, case_id: str = "c-1") -> list[tuple[str, str]]:
    from db.read import queries, reviews

    def query(tx: object) -> list[tuple[str, str]]:
        row = queries.find_case(tx, case_id)  # type: ignore[arg-type]
        assert row is not None
        return [(j.person, j.stage) for j in reviews.judgments_of(tx, row.pk)]  # type: ignore[arg-type]

    return team["max"].read(query)


def test_a_double_click_in_two_threads_counts_once(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    key = submission_key()

    def send(workspace: Workspace) -> Submitted:
        return submit(workspace, held.id, judgment=approval(two_step_case()), key=key).value

    first, second = _at_once(team, [("bob", send), ("bob", send)])
    assert first == second
    assert isinstance(first, Submitted)
    assert _judgments(team).count(("bob", "cross_check")) == 1
    assert team.stage("c-1") is Stage.CROSS_CHECK


def test_two_submissions_of_one_slot_with_different_keys_count_once(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value

    def send(workspace: Workspace) -> Submitted:
        return submit(workspace, held.id, judgment=approval(two_step_case()), key=submission_key()).value

    results = _at_once(team, [("bob", send), ("bob", send)])
    refused = [result for result in results if isinstance(result, ForbiddenError)]
    assert len(refused) == 1
    assert "was submitted already" in refused[0].message
    assert _judgments(team).count(("bob", "cross_check")) == 1


def test_a_key_the_store_cannot_keep_is_refused() -> None:
    for length in (1, KEY_LENGTH):
        check_key("k" * length)
    for length in (0, KEY_LENGTH + 1):
        with pytest.raises(InputError, match="A submission key has 1 to"):
            check_key("k" * length)


def test_the_last_two_reviewers_at_the_same_moment_close_the_round_once(team: Team) -> None:
    ids = [f"c-{i}" for i in range(4)]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
    for case_id in ids:
        slots = {name: claim_case(team[name], case_id).value.id for name in ("bob", "cleo")}

        def send(workspace: Workspace, slots: dict[str, int] = slots, case_id: str = case_id) -> Submitted:
            judgment = approval(two_step_case(case_id))
            held = slots[workspace.person.name]
            return submit(workspace, held, judgment=judgment, key=submission_key()).value

        results = _at_once(team, [("bob", send), ("cleo", send)])
        assert all(isinstance(result, Submitted) for result in results), results
    stages = sorted(team.stage(case_id).value for case_id in ids)
    assert stages == ["approved", "approved", "approved", "expert"]


def test_a_decision_sent_twice_at_once_is_made_once(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    held = open_adjudication(team["eve"], "c-1").value.assignment_id
    key = submission_key()
    edit = two_step_case().model_copy(update={"language": "nb"})
    decision = Decision(verdict=Verdict.APPROVE, edit=edit)

    def send(workspace: Workspace) -> Decided:
        return decide(workspace, held, decision=decision, key=key).value

    first, second = _at_once(team, [("eve", send), ("eve", send)])
    assert first == second
    assert isinstance(first, Decided)
    assert first.is_correction
    assert decide(team["eve"], held, decision=decision, key=key).value == first
    with pytest.raises(ConflictError, match="You have decided c-1 already"):
        decide(team["eve"], held, decision=decision, key=submission_key())


def test_a_key_belongs_to_one_submission(team: Team) -> None:
    team.bring(two_step_case(), two_step_case("c-2"))
    key = submission_key()
    first = claim_case(team["ann"], "c-1").value
    submit(team["ann"], first.id, judgment=approval(two_step_case()), key=key)
    other = claim_case(team["bob"], "c-2").value
    with pytest.raises(ConflictError, match="belongs to another submission"):
        submit(team["bob"], other.id, judgment=approval(two_step_case("c-2")), key=key)
    with pytest.raises(InputError, match="1 to 100 characters"):
        submit(team["bob"], other.id, judgment=approval(two_step_case("c-2")), key="k" * 101)


def test_a_submission_that_was_taken_back_needs_a_fresh_key(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    key = submission_key()
    submit(team["bob"], held.id, judgment=approval(two_step_case()), key=key)
    withdraw(team["bob"], "c-1")
    with pytest.raises(ConflictError, match="was taken back"):
        submit(team["bob"], held.id, judgment=approval(two_step_case()), key=key)
    submit(team["bob"], held.id, judgment=approval(two_step_case()), key=submission_key())
    assert _judgments(team).count(("bob", "cross_check")) == 1


def test_a_second_window_that_opened_the_case_before_is_stale(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    submit(team["ann"], held.id, judgment=approval(two_step_case()), key=submission_key())
    with pytest.raises(ForbiddenError, match="was submitted already"):
        submit(team["ann"], held.id, judgment=approval(two_step_case()), key=submission_key())


def _submit(team: Team, judgment: Judgment, *, name: str = "ann") -> Submitted:
    held = claim_case(team[name], "c-1").value
    return submit(team[name], held.id, judgment=judgment, key=submission_key()).value


def _longer() -> Case:
    whole = two_step_case()
    added = task(answer("Gladly."), user="Thanks!", policy=Policy.CHAT, information=Information.REFERENCE)
    return whole.model_copy(update={"tasks": (*whole.tasks, added)})


def test_a_self_check_may_add_a_task_when_its_labels_speak_of_it(team: Team) -> None:
    team.bring(two_step_case())
    _submit(team, approval(_longer(), edit=_longer()))
    assert len(show_case(team["ann"], "c-1").tasks) == 2


def test_an_edit_with_other_tasks_than_labels_is_refused(team: Team) -> None:
    team.bring(two_step_case())
    with pytest.raises(InputError, match="speaks of 1 task, the case has 2"):
        _submit(team, approval(two_step_case(), edit=_longer()))
    assert team.stage("c-1") is Stage.SELF_CHECK_TASK


@pytest.mark.parametrize("stage", [Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK])
def test_an_edit_keeps_the_id_of_the_case(team: Team, stage: Stage) -> None:
    team.bring(two_step_case())
    name = "ann"
    if stage is Stage.CROSS_CHECK:
        team.self_check("ann", "c-1")
        name = "bob"
    with pytest.raises(InputError, match="Keep the id of the case"):
        _submit(team, approval(two_step_case(), edit=two_step_case("c-1x")), name=name)


def test_a_judgment_with_an_answer_too_many_about_calls_is_refused(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    good = approval(two_step_case())
    labels = good.tasks[0].model_copy(update={"calls_correct": (True, True, True)})
    with pytest.raises(InputError, match="speaks of 3 calls in task 1, which has 2"):
        _submit(team, good.model_copy(update={"tasks": (labels,)}), name="bob")


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([(0, 2, EdgeKind.LOGICAL)], "is at the answer"),
        ([(0, 1, EdgeKind.DERIVED)], "is at the answer"),
        ([(0, 1, EdgeKind.LOGICAL), (1, 0, EdgeKind.LOGICAL)], "run in a circle"),
        ([(0, 7, EdgeKind.LOGICAL)], "Dependency on step 7"),
        ([(1, 1, EdgeKind.LOGICAL)], "cannot depend on itself"),
        ([(0, 1, EdgeKind.LOGICAL), (0, 1, EdgeKind.PARAMETER)], "exists already"),
    ],
)
def test_a_drawing_that_breaks_a_rule_is_refused(
    team: Team, edges: list[tuple[int, int, EdgeKind]], words: str
) -> None:
    team.bring(two_step_case())
    good = approval(two_step_case())
    labels = good.tasks[0].model_copy(update={"edges": tuple(edges)})
    with pytest.raises(GraphError, match=words):
        _submit(team, good.model_copy(update={"tasks": (labels,)}))


def test_nobody_is_asked_for_the_information_of_the_first_task(team: Team) -> None:
    whole = two_step_case()
    unlabelled = whole.model_copy(
        update={"tasks": (whole.tasks[0].model_copy(update={"information": None}),)}
    )
    team.bring(unlabelled)
    held = claim_case(team["ann"], "c-1").value
    template = open_assignment(team["ann"], held.id).template
    assert [labels.information for labels in template.tasks] == [Information.FIRST]
    submit(team["ann"], held.id, judgment=approval(unlabelled), key=submission_key())
    assert [task.information for task in show_case(team["max"], "c-1").tasks] == [Information.FIRST]


def test_an_owner_does_not_hand_on_what_they_call_wrong(team: Team) -> None:
    team.bring(two_step_case())
    good = approval(two_step_case())
    said = good.tasks[0].model_copy(update={"completed": False, "calls_correct": (True, False)})
    with pytest.raises(BlockedError, match=r"2 open: .*not completed.*call of reroute is wrong"):
        _submit(team, good.model_copy(update={"tasks": (said,)}))


def test_an_owner_does_not_hand_on_a_dialogue_with_a_task_that_fails_its_checklist(team: Team) -> None:
    team.bring(two_round_case())
    team.check_once("ann", "c-1")
    good = approval(two_round_case())
    failed = good.tasks[0].checklist | {"facts": CheckAnswer.FAIL}
    said = good.tasks[0].model_copy(update={"checklist": failed})
    with pytest.raises(BlockedError, match=r"1 open: .*Task 1: “Facts match the observations” fails"):
        _submit(team, good.model_copy(update={"tasks": (said, good.tasks[1])}))


def test_a_time_that_is_no_number_is_refused(team: Team) -> None:
    team.bring(two_step_case())
    with pytest.raises(InputError, match="time is not a number"):
        _submit(team, approval(two_step_case()).model_copy(update={"seconds": float("inf")}))


def test_a_case_without_calls_or_answer_goes_all_the_way_when_waived(team: Team) -> None:
    empty = case(
        task(user="Hello?", policy=Policy.CHAT, information=Information.FIRST),
        task(answer("Hi."), user="Hello!", policy=Policy.CHAT, information=Information.REFERENCE),
    )
    team.bring(empty)
    with pytest.raises(BlockedError, match="Fix it, or waive it"):
        _submit(team, approval(empty))
    assert team.self_check_waiving("ann", "c-1").stage is Stage.CROSS_CHECK
    team.cross_check("bob", "c-1")
    assert team.cross_check("cleo", "c-1").stage is Stage.EXPERT
    assert team.decide("c-1", Decision(verdict=Verdict.APPROVE)).stage is Stage.FINAL


def test_a_waiver_counts_for_its_finding_only(team: Team) -> None:
    empty = case(task(user="Hello?", policy=Policy.CHAT, information=Information.FIRST))
    team.bring(empty)
    waived = (Waiver(rule="task.empty", where="task 7", reason="no"),)
    with pytest.raises(BlockedError, match="waive it"):
        _submit(team, approval(empty).model_copy(update={"waivers": waived}))


def test_a_judgment_of_another_number_of_tasks_is_refused_at_cross_check(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    good = approval(two_step_case())
    with pytest.raises(InputError, match="speaks of 2 tasks, the case has 1"):
        _submit(team, good.model_copy(update={"tasks": (*good.tasks, TaskLabels())}), name="bob")


# drafts of several windows


def _draft(team: Team, assignment_id: int, window: str, *, sequence: int, seconds: float = 0) -> int:
    """Save ann's work as one of her windows does."""
    opened = open_assignment(team["ann"], assignment_id)
    said = opened.template.model_copy(update={"seconds": seconds})
    body = DraftBody(case=opened.base, judgment=said, cursor={"window": window})
    return save_draft(team["ann"], assignment_id, body=body, sequence=sequence).value


def _send(team: Team, assignment_id: int, seen: SeenDraft | None) -> Stage:
    judgment = approval(two_step_case())
    return submit(team["ann"], assignment_id, judgment=judgment, key=submission_key(), seen=seen).value.stage


@pytest.mark.parametrize("known", [0, 1])
def test_what_another_window_saved_since_is_not_submitted_away(team: Team, known: int) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    for sequence in range(known):
        _draft(team, held.id, "mine", sequence=sequence)
    _draft(team, held.id, "other", sequence=known, seconds=7)
    with pytest.raises(ConflictError, match="Another window has saved work on c-1"):
        _send(team, held.id, SeenDraft(known, "mine"))
    kept = open_assignment(team["ann"], held.id).draft
    assert kept is not None
    assert kept.judgment.seconds == 7
    assert _judgments(team) == []


def test_a_draft_saved_by_the_submitting_window_itself_stops_nothing(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    _draft(team, held.id, "mine", sequence=0)
    number = _draft(team, held.id, "mine", sequence=1)
    assert number == 2
    assert _send(team, held.id, SeenDraft(1, "mine")) is Stage.CROSS_CHECK  # an answer that got lost


def test_a_submission_that_says_nothing_of_drafts_seals_whichever_there_is(team: Team) -> None:
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    _draft(team, held.id, "other", sequence=0)
    assert _send(team, held.id, None) is Stage.CROSS_CHECK
    assert team["ann"].read(lambda tx: find_draft(tx, held.id)) is None


def _without_checklist(judgment: Judgment) -> Judgment:
    tasks = tuple(said.model_copy(update={"checklist": {}}) for said in judgment.tasks)
    return judgment.model_copy(update={"tasks": tasks, "checklist": {}})


def test_a_cross_check_without_its_checklist_is_refused_and_named(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    bare = _without_checklist(approval(two_step_case()))
    with pytest.raises(BlockedError, match=r"2 open: 1\. Task 1: confirm “The answer fits the request”\."):
        submit(team["bob"], held.id, judgment=bare, key=submission_key())
    answers = {"relevant": CheckAnswer.PASS, "language": CheckAnswer.NOT_APPLICABLE}
    labels = bare.tasks[0].model_copy(update={"checklist": answers})
    whole = bare.model_copy(update={"tasks": (labels,)})
    submit(team["bob"], held.id, judgment=whole, key=submission_key())


def test_a_reviewer_whose_item_fails_hands_on_and_who_does_not_approve_is_asked_for_none(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
    good = approval(two_step_case())
    failed = good.tasks[0].checklist | {"language": CheckAnswer.FAIL}
    said = good.tasks[0].model_copy(update={"checklist": failed})
    held = claim_case(team["bob"], "c-1").value
    submit(team["bob"], held.id, judgment=good.model_copy(update={"tasks": (said,)}), key=submission_key())
    held = claim_case(team["bob"], "c-2").value
    returned = _without_checklist(good).model_copy(
        update={"verdict": Verdict.RETURN, "reasons": team.reasons("see there")}
    )
    submit(team["bob"], held.id, judgment=returned, key=submission_key())


def test_an_item_is_proved_by_what_a_reviewer_says_not_by_what_the_owner_said(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    bare = _without_checklist(approval(two_step_case()))
    answers = {"relevant": CheckAnswer.PASS, "language": CheckAnswer.PASS}
    other = {"policy": Policy.SINGLE, "checklist": answers}  # bob's drawing says otherwise
    judgment = bare.model_copy(update={"tasks": (bare.tasks[0].model_copy(update=other),)})
    with pytest.raises(BlockedError, match=r"1 open: .*confirm “The policy fits the request”"):
        submit(team["bob"], held.id, judgment=judgment, key=submission_key())
