"""Who is away gets nothing, counts for nobody who could check, and leaves work that a lead shares out."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.project.people import add_person, set_active, set_away, set_roles
from annotator.project.policy import Pairing, ReviewPolicy
from annotator.review.batches import return_batch
from annotator.review.bulk_changes import BulkAction, BulkChange, BulkOutcome, change_cases
from annotator.review.measures.digest import lead_tasks
from annotator.review.queue.assignments import assign_batch, hand_case, held_by, reassign
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.takers import list_pool, who_could_take
from annotator.review.shortages import shortages_now
from db.engine import disposed, open_engine, writing
from db.read import assignments, expert_queue, people, queries, reviews
from db.write import store
from scoring.errors import ForbiddenError, InputError
from scoring.model.taxonomy import Role, Verdict
from tests.annotator.team import Team, team_on, two_step_case

BACK = people.today() + timedelta(days=9)


@pytest.fixture
def crew(store_url: str, tmp_path: Path) -> Iterator[Team]:
    """One cross-check for each case; max leads and judges nothing."""
    policy = ReviewPolicy(reviewers=1, pairing=Pairing.ROUND_ROBIN)
    with team_on(store_url, tmp_path, policy=policy) as team:
        set_roles(team["max"], "max", roles=(Role.MANAGER,))
        team.bring(two_step_case("c-1"), two_step_case("c-2"))
        yield team


def _share_out(team: Team, name: str, *, is_done: bool = True) -> BulkOutcome:
    change = BulkChange(action=BulkAction.SHARE_OUT, value=name)
    cases = held_by(team["max"], name=name)
    return change_cases(team["max"], cases, change=change, context=JobContext(), is_done=is_done)


def _owner(team: Team, case_id: str) -> str | None:
    row = team["max"].read(lambda tx: queries.find_case(tx, case_id))
    return row.owner if row is not None else None


def test_who_is_away_is_given_nothing_until_the_day_they_are_back(crew: Team) -> None:
    set_away(crew["ann"], "ann", until=BACK)
    for ask in (lambda: claim_next(crew["ann"]), lambda: claim_case(crew["ann"], "c-1")):
        with pytest.raises(ForbiddenError, match=f"You are away until {BACK}."):
            ask()
    with pytest.raises(ForbiddenError, match=f"ann is away until {BACK}."):
        assign_batch(crew["max"], "b1", to=["ann"])
    with disposed(open_engine(crew.url)) as engine, writing(engine) as tx:
        store.change_person(tx, crew["ann"].person.id, {"away_until": people.today().isoformat()})
    assert claim_next(crew["ann"]).value is not None


def test_who_is_away_can_finish_what_they_hold(crew: Team) -> None:
    held = claim_next(crew["ann"]).value
    set_away(crew["max"], "ann", until=BACK)
    again = claim_next(crew["ann"]).value
    assert held is not None
    assert again is not None
    assert again.id == held.id


def test_only_oneself_and_a_manager_say_who_is_away_and_only_of_days_to_come(crew: Team) -> None:
    with pytest.raises(ForbiddenError, match="Only ann or a manager"):
        set_away(crew["bob"], "ann", until=BACK)
    with pytest.raises(InputError, match="is not after today"):
        set_away(crew["ann"], "ann", until=people.today())


def test_others_are_asked_in_place_of_who_is_away(crew: Team) -> None:
    for name in ("bob", "cleo"):
        set_away(crew["max"], name, until=BACK)
    crew.self_check("ann", "c-1")
    assert [name for name in ("ann", "bob", "cleo", "dan", "eve") if _is_asked(crew, name)] == ["dan"]
    takers = {one.person: one for one in who_could_take(crew["max"], "c-1").value.people}
    assert takers["bob"].why == f"Is away until {BACK}."
    assert not takers["bob"].may
    set_away(crew["max"], "dan", until=BACK)
    assert any("the project has 1 active annotator" in words for words in shortages_now(crew["max"]))
    set_away(crew["bob"], "bob", until=None)
    assert claim_next(crew["bob"], stage=None).value is not None  # dan, who was asked, is away by now


def _is_asked(team: Team, name: str) -> bool:
    """Whether somebody was asked to cross-check the first case."""
    return team[name].person.id in team["max"].read(lambda tx: assignments.invited(tx, 1, round_=1))


def test_what_somebody_away_owns_goes_to_who_owns_the_fewest(crew: Team) -> None:
    crew.bring(two_step_case("c-3"), batch="b2")
    reassign(crew["max"], "c-1", to="ann")
    reassign(crew["max"], "c-2", to="ann")
    reassign(crew["max"], "c-3", to="bob")
    set_away(crew["ann"], "ann", until=BACK)
    set_active(crew["max"], "dan", active=False)
    assert _share_out(crew, "ann", is_done=False).words == (
        "2 cases: 2 change, 0 have it already, 0 cannot.",
    )
    assert _owner(crew, "c-1") == "ann"
    assert _share_out(crew, "ann").changed == 2
    # cleo has none, then as many as bob, who comes first by name.
    assert [_owner(crew, case_id) for case_id in ("c-1", "c-2")] == ["cleo", "bob"]
    told = crew["max"].read(lambda tx: [*reviews.payloads_named(tx, "review:case:share_out")])
    assert [subject for subject, _ in told] == ["case:c-1", "case:c-2"]
    assert held_by(crew["max"], name="ann") == ()


def test_a_claim_and_a_handed_decision_go_back_to_the_queue(crew: Team) -> None:
    add_person(crew["max"], "fay", roles=(Role.EXPERT,))
    for case_id in ("c-1", "c-2"):
        crew.self_check("ann", case_id)
    crew.cross_check("bob" if _is_asked(crew, "bob") else "cleo", "c-1", verdict=Verdict.ESCALATE)
    hand_case(crew["max"], "c-1", to="eve")
    taken = claim_next(crew["dan"]).value
    assert taken is not None
    assert taken.case_id == "c-2"
    for name in ("eve", "dan"):
        set_away(crew["max"], name, until=BACK)
        assert _share_out(crew, name).changed == 1
        assert held_by(crew["max"], name=name) == ()
    assert crew["max"].read(lambda tx: expert_queue.handed_to(tx, 1)) is None
    with pytest.raises(ForbiddenError, match="You do not hold c-2 any more"):
        leave(crew["dan"], taken.id, skip=False)
    assert claim_next(crew["fay"]).value is not None


def test_what_nobody_else_can_own_stays_with_the_reason(crew: Team) -> None:
    reassign(crew["max"], "c-1", to="ann")
    for name in ("bob", "cleo", "dan", "ann"):
        set_away(crew["max"], name, until=BACK)
    done = _share_out(crew, "ann")
    assert done.refused == {"Nobody else who is here can own c-1.": 1}
    assert _owner(crew, "c-1") == "ann"


def _pool(team: Team) -> dict[str, dict[str, list[str]]]:
    return {case.case_id: case.reasons for case in list_pool(team["max"]).value}


def test_the_pool_lists_cases_nobody_can_take_with_everybodys_reason(crew: Team) -> None:
    assert _pool(crew) == {}
    crew.self_check("ann", "c-1")
    reassign(crew["max"], "c-2", to="ann")
    for name in ("ann", "bob"):
        set_away(crew["max"], name, until=BACK)
    set_active(crew["max"], "dan", active=False)
    held = claim_case(crew["cleo"], "c-1").value
    assert [*_pool(crew)] == ["c-2"]
    leave(crew["cleo"], held.id, skip=True, reason="long")
    away, role = f"Is away until {BACK}.", "Lacks the role annotator."
    assert _pool(crew) == {
        "c-1": {
            "Has skipped it; can open it by its id.": ["cleo"],
            away: ["ann", "bob"],
            "Is disabled.": ["dan"],
            role: ["eve", "max"],
        },
        "c-2": {
            away: ["ann", "bob"],
            "c-2 belongs to ann.": ["cleo"],
            "Is disabled.": ["dan"],
            role: ["eve", "max"],
        },
    }
    [told] = [task for task in lead_tasks(crew["max"]) if task.about == "pool"]
    assert told.text.startswith("Nobody can take 2 waiting cases:")
    assert _share_out(crew, "ann").changed == 1
    assert [*_pool(crew)] == ["c-1"]
    with pytest.raises(ForbiddenError):
        list_pool(crew["cleo"])


def test_new_cases_are_no_pool_while_somebody_is_here(crew: Team) -> None:
    for name in ("ann", "bob", "cleo"):
        set_away(crew["max"], name, until=BACK)
    assert _pool(crew) == {}
    set_away(crew["max"], "dan", until=BACK)
    assert [*_pool(crew)] == ["c-1", "c-2"]


def test_a_returned_case_waits_for_its_owner_alone(crew: Team) -> None:
    crew.self_check("ann", "c-1")
    return_batch(crew["max"], "b1", reason="unclear")
    assert "c-1" not in _pool(crew)
    set_away(crew["ann"], "ann", until=BACK)
    assert "c-1" in _pool(crew)
