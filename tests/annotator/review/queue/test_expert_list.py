"""What waits for experts: handed to one, offered to the others, counted as their queue counts it."""

import pytest

from annotator.project.people import add_person, set_active, set_roles
from annotator.review.expert.decisions import Decision
from annotator.review.expert_review import open_adjudication
from annotator.review.measures.workload import workloads
from annotator.review.queue.assignments import hand_case
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.expert_list import expert_list
from annotator.review.queue.queue_status import waiting_for
from db.events import events_after
from db.read.reviews import events_of
from scoring.errors import ForbiddenError, NotFoundError
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.annotator.team import Team, two_step_case


@pytest.fixture
def disputed(team: Team) -> Team:
    """Three escalated cases, c-0 the oldest, and two experts."""
    add_person(team["max"], name="fay", roles=(Role.EXPERT,), password=None)
    for case_id in ("c-0", "c-1", "c-2"):
        team.bring(two_step_case(case_id))
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id, verdict=Verdict.ESCALATE)
        team.clock.forward(days=1)
    return team


def _next(team: Team, name: str) -> str | None:
    held = claim_next(team[name]).value
    return held.case_id if held else None


def test_the_list_has_the_oldest_first_with_its_reason(disputed: Team) -> None:
    rows = expert_list(disputed["eve"], person="eve")
    assert [row.case_id for row in rows] == ["c-0", "c-1", "c-2"]
    assert {row.why for row in rows} == {"escalated: not all reviewers approved"}
    assert all(row.is_offered and row.handed_to is None and row.deciding is None for row in rows)
    assert expert_list(disputed["max"]) == rows


def test_a_handed_case_is_offered_to_its_expert_first_and_to_nobody_else(disputed: Team) -> None:
    before = disputed["max"].read(lambda tx: events_after(tx, 0, limit=1000))[-1][0]
    hand_case(disputed["max"], "c-1", to="fay")
    [(_, action, subject)] = disputed["max"].read(lambda tx: events_after(tx, before, limit=9))
    assert (action, subject) == ("review:case:hand", "case:c-1")
    assert [(row.case_id, row.handed_to) for row in expert_list(disputed["eve"], person="eve")] == [
        ("c-0", None),
        ("c-1", "fay"),
        ("c-2", None),
    ]
    loads = {load.person: load.to_decide for load in workloads(disputed["max"])}
    counts = {name: waiting_for(disputed[name]).expert for name in ("eve", "fay")}
    offered = {
        name: sum(row.is_offered for row in expert_list(disputed["max"], person=name)) for name in counts
    }
    assert counts == offered == {"eve": 2, "fay": 3} == {name: loads[name] for name in counts}
    assert _next(disputed, "fay") == "c-1"
    assert _next(disputed, "eve") == "c-0"
    loads = {load.person: load.to_decide for load in workloads(disputed["max"])}
    assert (loads["eve"], loads["fay"]) == (1, 1)  # what they hold is held, not offered


def test_another_expert_may_take_a_handed_case_over_and_it_is_seen(disputed: Team) -> None:
    hand_case(disputed["eve"], "c-1", to="fay")  # an expert hands over, too
    before = disputed["max"].read(lambda tx: events_after(tx, 0, limit=1000))[-1][0]
    shown = open_adjudication(disputed["eve"], "c-1").value
    assert shown.handed_to == "fay"
    [row] = [row for row in expert_list(disputed["fay"], person="fay") if row.case_id == "c-1"]
    assert (row.handed_to, row.deciding, row.is_offered) == ("fay", "eve", False)
    event = disputed["max"].read(lambda tx: events_of(tx, ["case:c-1"]))[0]
    assert event.seq > before
    assert '"handed_to":"fay"' in event.payload.replace(" ", "")
    with pytest.raises(ForbiddenError, match="eve is deciding c-1 now"):
        hand_case(disputed["max"], "c-1", to="fay")
    leave(disputed["eve"], shown.assignment_id, skip=False)
    assert _next(disputed, "fay") == "c-1"  # it is still theirs


def test_handing_to_nobody_skipping_and_deciding_end_it(disputed: Team) -> None:
    hand_case(disputed["max"], "c-2", to="fay")
    hand_case(disputed["max"], "c-2", to=None)
    assert waiting_for(disputed["eve"]).expert == 3
    hand_case(disputed["max"], "c-2", to="fay")
    held = claim_next(disputed["fay"]).value
    assert held is not None
    assert held.case_id == "c-2"
    leave(disputed["fay"], held.id, skip=True, reason="not my field")
    assert [row.handed_to for row in expert_list(disputed["max"])] == [None, None, None]
    hand_case(disputed["max"], "c-0", to="eve")
    disputed.decide("c-0", Decision(verdict=Verdict.RETURN, note="wrong tool"))
    assert disputed.stage("c-0") is Stage.RETURNED
    disputed.self_check("ann", "c-0")
    disputed.cross_check("bob", "c-0", verdict=Verdict.ESCALATE)
    disputed.cross_check("cleo", "c-0")
    assert {row.case_id: row.handed_to for row in expert_list(disputed["max"])}["c-0"] is None


def test_what_was_handed_to_a_disabled_expert_is_offered_to_all(disputed: Team) -> None:
    hand_case(disputed["max"], "c-0", to="fay")
    set_active(disputed["max"], name="fay", active=False)
    assert _next(disputed, "eve") == "c-0"


def test_a_case_is_handed_to_no_one_who_may_not_decide_it(disputed: Team) -> None:
    with pytest.raises(ForbiddenError, match="ann is not an active expert"):
        hand_case(disputed["max"], "c-0", to="ann")
    set_roles(disputed["max"], name="ann", roles=(Role.ANNOTATOR, Role.EXPERT))
    with pytest.raises(ForbiddenError, match="ann owned or judged c-0"):
        hand_case(disputed["max"], "c-0", to="ann")
    assert expert_list(disputed["max"], person="ann") == ()
    with pytest.raises(NotFoundError, match="Nobody is called 'zoe'"):
        hand_case(disputed["max"], "c-0", to="zoe")
    with pytest.raises(ForbiddenError, match="not an expert or a manager"):
        hand_case(disputed["bob"], "c-0", to="fay")
    with pytest.raises(ForbiddenError, match="Only experts and managers"):
        expert_list(disputed["bob"])
    disputed.bring(two_step_case("c-9"))
    with pytest.raises(ForbiddenError, match="waits for no expert"):
        hand_case(disputed["max"], "c-9", to="fay")


def test_a_sampled_case_says_so(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    [row] = expert_list(team["eve"], person="eve")
    assert (row.stage, row.why) == (Stage.EXPERT, "in a random sample")
    claim_case(team["eve"], "c-1")
    assert expert_list(team["max"])[0].deciding == "eve"
    team.clock.forward(hours=2)  # nobody is at it any more once the lease has ended
    assert expert_list(team["max"])[0].deciding is None
