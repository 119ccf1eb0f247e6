"""Who is asked to cross-check: pairs that swap, people in turn, who reads the language, or somebody else."""

from collections import Counter

import pytest

from annotator.cases.tool_categories import categorise
from annotator.project.people import add_person, set_active
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.takers import who_could_take
from db.read import claims
from scoring.errors import ForbiddenError
from scoring.model.case import Case
from scoring.model.taxonomy import Role, Stage
from tests.annotator.team import Team, two_step_case

NAMES = ("ann", "bob", "cleo", "dan")


def _asked(team: Team, case_id: str) -> set[str]:
    from db.read import assignments, people, queries

    def query(tx: object) -> set[str]:
        row = queries.find_case(tx, case_id)  # type: ignore[arg-type]
        assert row is not None
        numbers = assignments.invited(tx, row.pk, round_=row.round)  # type: ignore[arg-type]
        return {person.name for person in people.list_people(tx) if person.id in numbers}  # type: ignore[arg-type]

    return team["max"].read(query)


def test_anybody_may_come_where_nobody_is_asked(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    assert _asked(team, "c-1") == set()


def test_pairs_swap_their_cases(team: Team) -> None:
    change_review_policy(team["max"], ("pairing=swap", 'pairs=[["ann","bob"],["cleo","dan"]]', "reviewers=1"))
    partners = {"ann": "bob", "bob": "ann", "cleo": "dan", "dan": "cleo"}
    team.bring(*(two_step_case(f"c-{name}") for name in NAMES))
    for name in NAMES:
        team.self_check(name, f"c-{name}")
    assert {name: _asked(team, f"c-{name}") for name in NAMES} == {a: {b} for a, b in partners.items()}
    for name in NAMES:
        held = claim_next(team[name], stage=Stage.CROSS_CHECK).value
        assert held is not None
        assert held.case_id == f"c-{partners[name]}"
    with pytest.raises(ForbiddenError, match="Others were asked"):
        claim_case(team["cleo"], "c-ann")


def test_a_pair_that_is_too_small_for_the_round_is_filled_up(team: Team) -> None:
    change_review_policy(team["max"], ("pairing=swap", 'pairs=[["ann","bob"]]', "reviewers=2"))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    assert "bob" in _asked(team, "c-1")
    assert len(_asked(team, "c-1")) == 2


def test_people_take_turns(team: Team) -> None:
    change_review_policy(team["max"], ("pairing=round_robin", "reviewers=2"))
    ids = [f"c-{i}" for i in range(8)]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
    asked = [_asked(team, case_id) for case_id in ids]
    assert {len(pair) for pair in asked} == {2}
    load = Counter(name for pair in asked for name in pair)
    # 8 cases x 2 slots over bob, cleo, dan and max, who holds every role
    assert load == {"bob": 4, "cleo": 4, "dan": 4, "max": 4}
    assert asked[0] != asked[1]


def test_who_has_the_least_to_do_is_asked_first(team: Team) -> None:
    """Bob holds two cases, cleo and dan one each, max none: of four requests he gets two, they one each."""
    change_review_policy(team["max"], ("pairing=round_robin", "reviewers=1"))
    held = {"h-1": "bob", "h-2": "bob", "h-3": "cleo", "h-4": "dan"}
    asked_for = [f"c-{number}" for number in range(4)]
    team.bring(*map(two_step_case, (*held, *asked_for)))
    for case_id, name in held.items():
        claim_case(team[name], case_id)
    for case_id in asked_for:
        team.self_check("ann", case_id)
    asked = Counter(name for case_id in asked_for for name in _asked(team, case_id))
    assert _asked(team, "c-0") == {"max"}
    assert asked == {"max": 2, "cleo": 1, "dan": 1}


def test_only_what_still_waits_for_somebody_is_their_load(team: Team) -> None:
    change_review_policy(team["max"], ("pairing=swap", 'pairs=[["ann","bob"]]', "reviewers=1"))
    team.bring(*map(two_step_case, ("c-0", "c-1")))

    def load() -> dict[int, int]:
        return team["max"].read(claims.open_invitations)

    bob = team["bob"].person.id
    for case_id in ("c-0", "c-1"):
        team.self_check("ann", case_id)
    assert load() == {bob: 2}
    team.cross_check("bob", "c-0")
    assert load() == {bob: 1}
    leave(team["bob"], claim_case(team["bob"], "c-1").value.id, skip=True, reason="my sister's parcel")
    assert load() == {}


def test_requests_that_are_made_anew_are_no_load(team: Team) -> None:
    """Bob was asked four times under the former pairing: of four requests made anew he gets one."""
    change_review_policy(team["max"], ("pairing=swap", 'pairs=[["ann","bob"]]', "reviewers=1"))
    ids = [f"c-{number}" for number in range(4)]
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("ann", case_id)
    change_review_policy(team["max"], ("pairing=round_robin",))
    assert Counter(name for case_id in ids for name in _asked(team, case_id)) == {
        "bob": 1,
        "cleo": 1,
        "dan": 1,
        "max": 1,
    }


def test_who_reads_the_language_is_asked(team: Team) -> None:
    add_person(team["max"], "fay", roles=[Role.ANNOTATOR])
    skills = '{"bob":["en"],"cleo":["nb","en"],"dan":["nb"],"max":["en"],"fay":["en"]}'
    change_review_policy(team["max"], ("pairing=skill", f"skills={skills}"))
    norse = two_step_case("c-nb").model_copy(update={"language": "nb"})
    team.bring(norse, two_step_case("c-en"))
    for case_id in ("c-nb", "c-en"):
        team.self_check("ann", case_id)
    assert _asked(team, "c-nb") == {"cleo", "dan"}
    assert _asked(team, "c-en") == {"bob", "cleo", "max", "fay"}


def _of_category(case_id: str, category: str) -> Case:
    """A case whose file names the category of its tools."""
    made = two_step_case(case_id)
    tools = tuple(
        one.model_copy(update={"definition": {**one.definition, "category": category}}) for one in made.tools
    )
    return made.model_copy(update={"tools": tools})


def test_who_knows_the_category_of_the_tools_is_asked(team: Team) -> None:
    skills = "ann: post; bob: post; cleo: travel, post; dan: travel; max: law"
    change_review_policy(
        team["max"], ("pairing=skill", "reviewers=1", f"toolset_skills={skills}", "skills=cleo: nb")
    )
    team.bring(two_step_case("c-1"), _of_category("c-2", "travel"), _of_category("c-3", "music"))
    team.self_check("ann", "c-1")  # nobody has said of what category its tools are
    assert _asked(team, "c-1") == {"bob", "dan", "max"}
    categorise(team["max"], "c-1", category="post")
    change_review_policy(team["max"], ("reviewers=2",))
    assert _asked(team, "c-1") >= {"bob"}  # cleo knows them, and reads another language
    assert len(_asked(team, "c-1")) == 2
    team.self_check("ann", "c-2")
    assert _asked(team, "c-2") >= {"dan"}
    team.self_check("ann", "c-3")  # nobody knows them: others are asked
    assert len(_asked(team, "c-3")) == 2
    change_review_policy(team["max"], ("reviewers=1",))
    with pytest.raises(ForbiddenError, match="Others were asked"):
        claim_case(team["max"], "c-2")
    why = {one.person: one.why for one in who_could_take(team["eve"], "c-2").value.people}
    assert why["bob"] == "Others were asked, by their skills."


def test_a_language_too_few_read_is_filled_up_with_others(team: Team) -> None:
    skills = '{"bob":["en"],"cleo":["nb"],"dan":["en"],"max":["en"]}'
    change_review_policy(team["max"], ("pairing=skill", f"skills={skills}"))
    team.bring(two_step_case().model_copy(update={"language": "nb"}))
    team.self_check("ann", "c-1")
    assert "cleo" in _asked(team, "c-1")
    assert len(_asked(team, "c-1")) == 2


def test_somebody_else_is_asked_when_one_of_them_cannot_come(team: Team) -> None:
    change_review_policy(team["max"], ("pairing=swap", 'pairs=[["ann","bob","cleo"]]', "reviewers=2"))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    assert _asked(team, "c-1") == {"bob", "cleo"}
    assert claim_next(team["dan"], stage=Stage.CROSS_CHECK).value is None
    set_active(team["max"], "bob", active=False)
    held = claim_next(team["cleo"], stage=Stage.CROSS_CHECK).value
    assert held is not None
    leave(team["cleo"], held.id, skip=True, reason="my sister's parcel")
    assert claim_next(team["dan"], stage=Stage.CROSS_CHECK).value is not None
    assert _asked(team, "c-1") == {"dan", "max"}


def test_a_change_of_pairing_asks_anew_in_rounds_under_way(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    change_review_policy(team["max"], ("pairing=swap", 'pairs=[["ann","cleo"]]'))
    assert _asked(team, "c-1") == {"bob", "cleo"}
    change_review_policy(team["max"], ("pairing=free",))
    assert _asked(team, "c-1") == set()


def test_a_later_round_on_the_same_content_asks_others(team: Team) -> None:
    change_review_policy(team["max"], ("pairing=round_robin", "reviewers=2", "sampling=rounds"))
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    first = _asked(team, "c-1")
    for name in sorted(first):
        team.cross_check(name, "c-1")
    second = _asked(team, "c-1")
    assert len(second) == 2
    assert not first & second
