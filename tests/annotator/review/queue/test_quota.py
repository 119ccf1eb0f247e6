"""How many cases a person is given in a day: what counts, and what is left free."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.project.people import set_roles
from annotator.project.policy import ReviewPolicy
from annotator.review.expert.decisions import Decision
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.takers import list_pool, who_could_take
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.annotator.team import Team, team_on, two_step_case

TWO_A_DAY = "You have taken 2 cases today; the policy gives each person 2."


@pytest.fixture
def crew(store_url: str, tmp_path: Path) -> Iterator[Team]:
    """Two cases a day for each person, one cross-check for each case, and six cases."""
    with team_on(store_url, tmp_path, policy=ReviewPolicy(reviewers=1, daily_cases=2)) as team:
        team.bring(*(two_step_case(f"c-{number}") for number in range(6)))
        yield team


def _taken(team: Team, name: str) -> str:
    """The case somebody is given next; they hand nothing in."""
    held = claim_next(team[name]).value
    assert held is not None
    return held.case_id


def _refused(team: Team, name: str) -> str:
    with pytest.raises(ForbiddenError) as refused:
        claim_next(team[name])
    assert refused.value.hint == "New ones come from 00:00 UTC on; what you have begun you can finish."
    return refused.value.message


def test_own_cases_and_cross_checks_count_together_until_the_next_day(crew: Team) -> None:
    crew.self_check("ann", "c-0")
    crew.self_check("bob", "c-1")
    crew.cross_check("bob", "c-0")
    assert _refused(crew, "bob") == TWO_A_DAY
    with pytest.raises(ForbiddenError, match=TWO_A_DAY):
        claim_case(crew["bob"], "c-2")
    crew.clock.forward(hours=14, minutes=58)  # the clock began at 9:00; it is 23:58 and some seconds
    assert _refused(crew, "bob") == TWO_A_DAY
    crew.clock.forward(minutes=2)
    assert _taken(crew, "bob") == "c-2"


def test_what_is_begun_is_no_further_case(crew: Team) -> None:
    """A case of two tasks has two self-checks; what was handed back, skipped or returned comes again."""
    [only] = two_step_case().tasks
    again = only.model_copy(update={"user": "And my sister's parcel P-2?"})
    crew.bring(two_step_case("a-1").model_copy(update={"tasks": (only, again)}), batch="two")
    crew.check_once("ann", "a-1")
    assert crew.stage("a-1") is Stage.SELF_CHECK_DIALOGUE
    held = claim_case(crew["ann"], "c-0").value
    assert _taken(crew, "ann") == held.case_id  # held, whatever the number is
    leave(crew["ann"], held.id, skip=False)
    with pytest.raises(ForbiddenError, match=TWO_A_DAY):
        claim_case(crew["ann"], "c-1")
    leave(crew["ann"], claim_case(crew["ann"], "c-0").value.id, skip=False)
    assert _taken(crew, "ann") == "a-1"
    crew.self_check("ann", "a-1")
    assert _taken(crew, "ann") == "c-0"
    crew.self_check("ann", "c-0")
    crew.cross_check("bob", "c-0", verdict=Verdict.RETURN)
    assert _taken(crew, "ann") == "c-0"
    crew.self_check("ann", "c-0")
    assert _refused(crew, "ann") == TWO_A_DAY


def test_a_number_below_what_somebody_holds_takes_nothing_away(crew: Team) -> None:
    change_review_policy(crew["max"], ("daily_cases=0",))
    held = [claim_case(crew["ann"], f"c-{number}").value for number in range(3)]
    change_review_policy(crew["max"], ("daily_cases=1",))
    assert _taken(crew, "ann") == held[0].case_id
    for number in range(3):
        crew.self_check("ann", f"c-{number}")
    said = "You have taken 3 cases today; the policy gives each person 1."
    assert _refused(crew, "ann") == said
    change_review_policy(crew["max"], ("daily_cases=4",))
    assert _taken(crew, "ann") == "c-3"


def test_experts_decide_whatever_they_have_taken(crew: Team) -> None:
    set_roles(crew["max"], "dan", roles=(Role.ANNOTATOR, Role.EXPERT))
    for case_id in ("c-0", "c-1"):
        crew.self_check("ann", case_id)
        crew.cross_check("bob", case_id, verdict=Verdict.ESCALATE)
    for case_id in ("c-2", "c-3"):
        crew.self_check("dan", case_id)
    assert claim_next(crew["eve"]).value is not None
    assert _taken(crew, "dan") == "c-1"
    crew.decide("c-1", Decision(verdict=Verdict.APPROVE), "dan")
    assert claim_next(crew["dan"], stage=Stage.EXPERT).value is None
    assert _refused(crew, "dan") == TWO_A_DAY


def test_where_everybody_has_enough_the_manager_sees_it(crew: Team) -> None:
    names = ("ann", "bob", "cleo", "dan", "max")
    change_review_policy(crew["max"], ("daily_cases=1",))
    for number, name in enumerate(names):
        crew.self_check(name, f"c-{number}")
    found = who_could_take(crew["max"], "c-5").value
    enough = "Has taken 1 case today; the policy gives each person 1."
    assert found.reasons[enough] == [*names]
    assert "Nobody can take c-5 now." in found.words
    assert list_pool(crew["max"]).value == ()  # it waits for tomorrow, not for a lead


def test_no_number_limits_nobody(crew: Team) -> None:
    change_review_policy(crew["max"], ("daily_cases=0",))
    for number in range(5):
        crew.self_check("ann", f"c-{number}")
    assert _taken(crew, "ann") == "c-5"
