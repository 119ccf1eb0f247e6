"""Batches split, merged and moved between: nothing sampled, flagged or released looks cleaner for it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from annotator.project.feed import last_event, news
from annotator.project.workspace import open_workspace
from annotator.release.quality import quality
from annotator.review.batches import (
    MovedCases,
    finished_count,
    free_name,
    held_up,
    merge_batches,
    move_cases,
    open_count,
    parse_day,
    set_due,
    split_batch,
)
from annotator.review.expert.decisions import Decision, Own
from annotator.review.measures.progress import samples
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import assign_batch
from annotator.review.queue.case_rows import BatchRow, batches, list_cases
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from db.engine import open_engine, writing
from db.events import events_after
from db.read import queries
from db.read.batches import find_batch
from db.read.rows import CaseFilter
from db.write import store
from scoring.errors import (
    AnnotatorError,
    BlockedError,
    ConflictError,
    ForbiddenError,
    InputError,
    NotFoundError,
)
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case

if TYPE_CHECKING:
    from collections.abc import Callable

APPROVE = Decision(verdict=Verdict.APPROVE)


def _approve(team: Team, *case_ids: str) -> None:
    for case_id in case_ids:
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)


def _batch(team: Team, name: str) -> BatchRow:
    return next(one for one in batches(team["max"]) if one.name == name)


def _cases(team: Team, batch: str) -> list[str]:
    return [row.case_id for row in list_cases(team["max"], CaseFilter(batch=batch, order="case"))]


def _last_actions(team: Team, before: int) -> list[tuple[str, str]]:
    found = team["max"].read(lambda tx: events_after(tx, before, limit=100))
    return [(action, subject) for _, action, subject in found]


def _ids(count: int) -> list[str]:
    return [f"c-{i}" for i in range(count)]


def test_the_finished_part_is_split_off_and_sampled_at_once(team: Team) -> None:
    ids = _ids(5)
    team.bring(*map(two_step_case, ids))
    _approve(team, *ids[:3])
    assert (open_count(_batch(team, "b1")), finished_count(_batch(team, "b1"))) == (2, 3)
    before = last_event(team["max"])
    done = split_batch(team["max"], "b1").value
    assert (done.batch, done.moved, done.left, done.sampled) == ("b1-part-1", 3, 2, 1)
    assert (_cases(team, "b1"), _cases(team, "b1-part-1")) == (ids[3:], ids[:3])
    assert _last_actions(team, before) == [
        ("review:batch:split", "batch:b1"),
        ("review:sample:draw", "batch:b1-part-1"),
    ]
    [drawn] = list_cases(team["max"], CaseFilter(stages=(Stage.EXPERT,)))
    team.decide(drawn.case_id, APPROVE)
    assert {team.stage(case_id) for case_id in ids[:3]} == {Stage.FINAL}
    _approve(team, *ids[3:])  # what stayed is sampled on its own
    assert [(one.batch, one.population) for one in samples(team["max"])] == [("b1-part-1", 3), ("b1", 2)]


def test_what_holds_up_a_batch_is_told_by_stage_and_person(team: Team) -> None:
    ids = _ids(6)
    team.bring(*map(two_step_case, ids))
    assign_batch(team["max"], "b1", to=["ann"])
    _approve(team, "c-0")
    team.self_check("ann", "c-1")
    team.self_check("ann", "c-2")
    team.cross_check("bob", "c-2")
    team.cross_check("cleo", "c-2", verdict=Verdict.ESCALATE)
    found = {(row.stage, row.person): row.count for row in held_up(team["max"], "b1")}
    assert found == {
        (Stage.IMPORTED, "ann"): 3,
        (Stage.CROSS_CHECK, None): 1,  # no word of its owner, to whom reviewers are blind
        (Stage.ESCALATED, None): 1,
    }
    since = [row.since for row in held_up(team["max"], "b1")]
    assert since == sorted(since)
    with pytest.raises(NotFoundError, match="no batch 'b9'"):
        held_up(team["max"], "b9")


def test_nothing_is_split_off_before_anything_is_approved_or_when_everything_is(team: Team) -> None:
    team.bring(two_step_case("c-0"), two_step_case("c-1"))
    with pytest.raises(BlockedError, match="No case of b1 is approved"):
        split_batch(team["max"], "b1")
    change_review_policy(team["max"], ("expert_sample=false",))
    _approve(team, "c-0")
    team.bring(two_step_case("c-2"), batch="b2")
    with pytest.raises(ConflictError, match="named 'b2' already"):
        split_batch(team["max"], "b1", name="b2")
    with pytest.raises(ForbiddenError, match="not a manager"):
        split_batch(team["ann"], "b1")
    with pytest.raises(InputError, match="Use 1 to 200 printable characters"):
        split_batch(team["max"], "b1", name="x" * 201)
    assert split_batch(team["max"], "b1").value.sampled == 0
    assert team.stage("c-0") is Stage.FINAL
    with pytest.raises(BlockedError, match="No case of b1 is approved"):
        split_batch(team["max"], "b1")


def test_a_batch_with_an_open_sample_is_neither_split_nor_merged_nor_moved_from(team: Team) -> None:
    ids = _ids(3)
    team.bring(*map(two_step_case, ids))
    _approve(team, *ids)
    team.bring(two_step_case("late"), batch="b1")  # joins while the sample is open
    team.bring(two_step_case("other"), batch="b2")
    places = {name: _cases(team, name) for name in ("b1", "b2")}
    acts: tuple[Callable[[], object], ...] = (
        lambda: split_batch(team["max"], "b1"),
        lambda: merge_batches(team["max"], "b1", into="b2"),
        lambda: merge_batches(team["max"], "b2", into="b1"),
        lambda: move_cases(team["max"], ["late"], to="b2"),
        lambda: move_cases(team["max"], ["other"], to="b1"),
    )
    for act in acts:
        with pytest.raises(BlockedError, match="A sample of b1 is being checked: 1 case of it"):
            act()
    assert {name: _cases(team, name) for name in ("b1", "b2")} == places


def test_judged_cases_never_move_alone(team: Team) -> None:
    ids = _ids(4)
    team.bring(*map(two_step_case, ids))
    team.bring(two_step_case("other"), batch="b2")
    _approve(team, "c-0")
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", verdict=Verdict.RETURN)
    team.cross_check("cleo", "c-1", verdict=Verdict.RETURN)
    claim_case(team["ann"], "c-1")  # its owner is at it again
    assert team.stage("c-1") is Stage.SELF_CHECK_TASK
    for case_id in ("c-0", "c-1"):
        with pytest.raises(ForbiddenError, match=r"stays with (the cases it was judged with|those cases)"):
            move_cases(team["max"], ["c-3", case_id], to="b2")
    assert _cases(team, "b2") == ["other"]  # all of them, or none
    assert move_cases(team["max"], ["c-2", "c-3", "c-3"], to="b2").value.moved == 2
    assert _cases(team, "b2") == ["c-2", "c-3", "other"]
    with pytest.raises(InputError, match="in b2 already"):
        move_cases(team["max"], ["c-2"], to="b2")
    with pytest.raises(InputError, match="c-2 is not in b1"):
        split_batch(team["max"], "b1", name="b3", cases=["c-2"])


def test_moving_cases_makes_the_batch_that_is_not_there_yet(team: Team) -> None:
    team.bring(*map(two_step_case, _ids(3)))
    set_due(team["max"], "b1", due=date(2026, 12, 9))
    done = move_cases(team["max"], ["c-1"], to=" b2 ").value
    assert (done.is_new, done.words) == (True, "1 case is in batch b2 now, a new one.")
    assert (_cases(team, "b1"), _cases(team, "b2")) == (["c-0", "c-2"], ["c-1"])
    assert _batch(team, "b2").due_on == date(2026, 12, 9)
    assert not move_cases(team["max"], ["c-0"], to="b2").value.is_new


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "n" * 201])
def test_a_name_that_no_batch_can_have_is_refused(team: Team, name: str) -> None:
    team.bring(two_step_case("c-0"))
    with pytest.raises(InputError, match="cannot be a batch's name"):
        move_cases(team["max"], ["c-0"], to=name)


def test_moving_the_last_open_case_away_draws_the_sample_of_the_rest(team: Team) -> None:
    ids = _ids(3)
    team.bring(*map(two_step_case, ids))
    _approve(team, *ids[:2])
    claim_case(team["dan"], "c-2")  # who is at it keeps it
    done = split_batch(team["max"], "b1", name="later", cases=["c-2"]).value
    assert (done.batch, done.moved, done.left) == ("later", 1, 2)
    assert [(one.batch, one.population) for one in samples(team["max"])] == [("b1", 2)]
    held = claim_case(team["dan"], "c-2").value
    done_check = submit(
        team["dan"], held.id, judgment=approval(two_step_case("c-2")), key=submission_key()
    ).value
    assert done_check.stage is Stage.CROSS_CHECK


def test_a_flag_goes_with_the_cases_and_never_goes_away(team: Team) -> None:
    ids = _ids(3)
    team.bring(*map(two_step_case, ids))
    team.self_check("ann", "c-0")
    team.cross_check("bob", "c-0")
    team.cross_check("cleo", "c-0", verdict=Verdict.ESCALATE)  # 1 of 3: flagged
    _approve(team, "c-1")
    team.bring(*(two_step_case(f"d-{i}") for i in range(3)), batch="clean")
    assert split_batch(team["max"], "b1").value.batch == "b1-part-1"
    assert _batch(team, "b1").is_flagged
    assert _batch(team, "b1-part-1").is_flagged
    assert not _batch(team, "clean").is_flagged
    move_cases(team["max"], ["c-2"], to="clean")
    assert _batch(team, "clean").is_flagged


def test_the_share_of_disputes_is_measured_again_after_a_merge(team: Team) -> None:
    change_review_policy(team["max"], ("batch_threshold=0.5",))
    team.bring(*(two_step_case(f"c-{i}") for i in range(2)))
    team.self_check("ann", "c-0")
    team.cross_check("bob", "c-0")
    team.cross_check("cleo", "c-0", verdict=Verdict.ESCALATE)
    team.bring(two_step_case("d-0"), batch="b2")
    assert not _batch(team, "b1").is_flagged  # 1 of 2 is not above the half
    change_review_policy(team["max"], ("batch_threshold=0.3",))
    merge_batches(team["max"], "b1", into="b2")
    assert _batch(team, "b2").is_flagged  # 1 of 3 is above 0.3
    assert [one.name for one in batches(team["max"])] == ["b2"]  # the empty one is listed no more


def test_a_failed_sample_stays_evidence_for_cases_in_another_batch(team: Team) -> None:
    ids = _ids(12)
    team.bring(*map(two_step_case, ids))
    _approve(team, *ids)
    first, second = [row.case_id for row in list_cases(team["max"], CaseFilter(stages=(Stage.EXPERT,)))]
    kind: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    team.decide(first, Decision(fields=kind, verdict=Verdict.APPROVE))
    team.decide(second, APPROVE)  # 1 of 2 wrong: the other 10 are checked again
    assert [one.status for one in samples(team["max"])] == ["corrected"]
    before = quality(team["max"])
    team.bring(two_step_case("other"), batch="b2")
    merge_batches(team["max"], "b1", into="b2")
    after = quality(team["max"])
    assert (before.bound.sampled, before.bound.found) == (2, 1)
    assert (after.bound.sampled, after.bound.found) == (2, 1)
    assert after.bound.wrong_cases >= before.bound.wrong_cases


def test_a_clean_sample_bounds_no_better_once_its_batch_is_in_two(team: Team) -> None:
    change_review_policy(team["max"], ("sample_share=0.5",))
    ids = _ids(12)
    team.bring(*map(two_step_case, ids))
    _approve(team, *ids)
    for row in list_cases(team["max"], CaseFilter(stages=(Stage.EXPERT,))):
        team.decide(row.case_id, APPROVE)
    before = quality(team["max"])
    team.bring(two_step_case("other"), two_step_case("open"), batch="b2")
    merge_batches(team["max"], "b1", into="b2")
    _approve(team, "other")
    assert split_batch(team["max"], "b2").value.sampled == 1
    after = quality(team["max"])
    assert after.bound.wrong_cases >= before.bound.wrong_cases
    assert (after.bound.sampled, after.bound.found) == (before.bound.sampled, 0)


def test_released_cases_stay(team: Team) -> None:
    change_review_policy(team["max"], ("expert_sample=false",))
    ids = _ids(3)
    team.bring(*map(two_step_case, ids))
    _approve(team, *ids)
    team.bring(two_step_case("other"), batch="b2")
    engine = open_engine(team.url)
    with writing(engine) as tx:
        numbers = [row.pk for row in queries.batch_cases(tx, find_batch(tx, "b1") or 0)]
        store.release_all(tx, numbers[:1], at=team.clock())
    engine.dispose()
    with pytest.raises(BlockedError, match="b1 has 1 released case; released cases stay") as refused:
        merge_batches(team["max"], "b1", into="b2")
    assert refused.value.hint == "Merge b2 into b1 instead, or move single cases."
    merge_batches(team["max"], "b2", into="b1")
    assert len(_cases(team, "b1")) == 4


def test_a_merge_with_itself_or_of_nothing_is_refused(team: Team) -> None:
    team.bring(two_step_case("c-0"))
    team.bring(two_step_case("d-0"), batch="b2")
    with pytest.raises(InputError, match="merged with itself"):
        merge_batches(team["max"], "b1", into="b1")
    merge_batches(team["max"], "b2", into="b1")
    with pytest.raises(InputError, match="b2 has no cases"):
        merge_batches(team["max"], "b2", into="b1")


def test_parts_have_names_of_their_own(team: Team) -> None:
    assert free_name("b1", []) == "b1-part-1"
    assert free_name("b1", ["b1-part-1", "b1-part-2"]) == "b1-part-3"
    assert len(free_name("x" * 200, [])) <= 200


def test_a_due_day_is_kept_with_both_parts(team: Team) -> None:
    ids = _ids(2)
    team.bring(*map(two_step_case, ids))
    set_due(team["max"], "b1", due=parse_day("2026-12-09"))
    _approve(team, "c-0")
    split_batch(team["max"], "b1")
    assert {one.due_on for one in batches(team["max"])} == {date(2026, 12, 9)}
    set_due(team["max"], "b1", due=None)
    assert _batch(team, "b1").due_on is None
    with pytest.raises(ForbiddenError, match="not a manager"):
        set_due(team["ann"], "b1", due=None)
    with pytest.raises(InputError, match="'tomorrow' is not a day"):
        parse_day("tomorrow")


def test_other_windows_read_everything_after_a_split(team: Team) -> None:
    team.bring(*map(two_step_case, _ids(2)))
    _approve(team, "c-0")
    before = last_event(team["ann"])
    split_batch(team["max"], "b1")
    assert news(team["ann"], after=before).changes.has_new_cases


def _judge(team: Team, held: int, case_id: str, start: Barrier) -> None:
    with closing(open_workspace(team.url, "cleo", clock=team.clock)) as mine:
        start.wait()
        said = approval(two_step_case(case_id)).model_copy(update={"evidence": ()})
        submit(mine, held, judgment=said, key=submission_key())


def _split(team: Team, batch: str, start: Barrier) -> MovedCases | AnnotatorError:
    with closing(open_workspace(team.url, "max", clock=team.clock)) as mine:
        start.wait()
        try:
            return split_batch(mine, batch).value
        except AnnotatorError as refused:
            return refused


@pytest.mark.parametrize("turn", range(4))
def test_a_split_meets_the_draw_of_the_sample_and_one_comes_wholly_first(team: Team, turn: int) -> None:
    """The last judgment of a batch, which draws its sample, and a split of it, on two connections."""
    ids = _ids(4)
    team.bring(*map(two_step_case, ids))
    _approve(team, *ids[:3])
    team.self_check("ann", ids[3])
    team.cross_check("bob", ids[3])
    held = claim_case(team["cleo"], ids[3]).value
    start = Barrier(2)
    acts: list[Callable[[], object]] = [
        partial(_judge, team, held.id, ids[3], start),
        partial(_split, team, "b1", start),
    ]
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(act) for act in (acts if turn % 2 else acts[::-1])]
        results = [one.result(60) for one in done]
    drawn = {one.batch: one for one in samples(team["max"])}
    [outcome] = [one for one in results if one is not None]
    if isinstance(outcome, BlockedError):
        assert "A sample of b1 is being checked" in outcome.message
        assert {name: one.population for name, one in drawn.items()} == {"b1": 4}
    else:
        assert isinstance(outcome, MovedCases)
        assert {name: one.population for name, one in drawn.items()} == {"b1": 1, "b1-part-1": 3}
    for name, one in drawn.items():
        assert set(one.outcomes) <= set(_cases(team, name))
