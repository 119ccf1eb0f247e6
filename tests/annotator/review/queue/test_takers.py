"""Who could take a case is what claims of it say, in any state of a project; the others have a reason."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from annotator.project.people import add_person, set_active, set_away, set_roles
from annotator.project.policy import Pairing, ReviewPolicy
from annotator.project.workspace import Work
from annotator.review.attention.known_answers import NO_CASE
from annotator.review.batches import return_batch
from annotator.review.expert.decisions import Decision
from annotator.review.measures.digest import lead_tasks
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import hand_case, reassign
from annotator.review.queue.claims import claim_case, claim_next, leave
from annotator.review.queue.takers import who_could_take
from annotator.review.withdrawals import reopen
from db.read import assignments
from scoring.errors import AnnotatorError, ForbiddenError, NotFoundError
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.annotator.team import Team, team_on, two_step_case

NAMES = ("ann", "bob", "cleo", "dan", "eve", "max")


class _TakenBackError(Exception):
    """The claim went through; nothing of it is kept."""


def _claims(team: Team, name: str, case_id: str) -> bool:
    """Whether a claim in somebody's name goes through; it is taken back."""

    def claim(w: Work) -> None:
        claim_case.__wrapped__(w, case_id)  # type: ignore[attr-defined]
        raise _TakenBackError

    try:
        team[name].run("review:case:claim", claim, roles=(Role.ANNOTATOR, Role.EXPERT))
    except _TakenBackError:
        return True
    except ForbiddenError:
        return False
    raise AssertionError


def _give_back(team: Team, name: str, *, skip: bool) -> None:
    person = team[name].person
    held = team[name].read(lambda tx: assignments.claimed_by(tx, person.id))
    leave(team[name], held[0].id if held else NO_CASE, skip=skip, reason="long")


def steps(team: Team, chance: random.Random) -> list[Callable[[], object]]:
    """What may happen next; much of it will be refused."""
    name, other, case_id = chance.choice(NAMES), chance.choice(NAMES), chance.choice(("c-1", "c-2"))
    roles = chance.choice(((Role.ANNOTATOR,), (Role.EXPERT,), (Role.ANNOTATOR, Role.EXPERT)))
    verdict = chance.choice((Verdict.APPROVE, Verdict.RETURN, Verdict.ESCALATE))
    changed = chance.choice(("solo=true", "solo=false", "reviewers=1", "reviewers=2", "pairing=swap"))
    often: list[Callable[[], object]] = [
        lambda: claim_case(team[name], case_id),
        lambda: claim_next(team[name]),
        lambda: team.check_once(name, case_id),
        lambda: team.cross_check(name, case_id, verdict=verdict),
        lambda: team.decide(case_id, Decision(verdict=Verdict.APPROVE), name),
        lambda: _give_back(team, name, skip=chance.random() < 0.7),
    ]
    return [
        *often * 2,
        lambda: team.clock.forward(hours=3),
        lambda: set_active(team["max"], name, active=chance.random() < 0.6),
        lambda: set_away(team["max"], name, until=chance.choice((None, date(9999, 1, 1)))),
        lambda: set_roles(team["max"], name, roles=(*roles, *([Role.MANAGER] if name == "max" else ()))),
        lambda: reassign(team["max"], case_id, to=other),
        lambda: hand_case(team["max"], case_id, to=other),
        lambda: return_batch(team["max"], "b1", reason="unclear"),
        lambda: reopen(team[name], case_id, reason="again"),
        lambda: change_review_policy(team["max"], (changed,)),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_who_may_is_who_can_claim(store_url: str, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    pairing = chance.choice([*Pairing])
    policy = ReviewPolicy(
        pairing=pairing,
        pairs=(("ann", "bob", "cleo"),) if pairing is Pairing.SWAP else (),
        skills={"ann": ("nb",)} if pairing is Pairing.SKILL else {},
    )
    with team_on(store_url, tmp_path, policy=policy) as team:
        add_person(team["max"], "lea", roles=(Role.MANAGER,))  # who judges nothing is told of everybody
        team.bring(two_step_case("c-1"), two_step_case("c-2"))
        for _ in range(24):
            with suppress(AnnotatorError):
                chance.choice(steps(team, chance))()
            for case_id in ("c-1", "c-2"):
                listed = who_could_take(team["lea"], case_id).value.people
                can = {name: _claims(team, name, case_id) for name in (*NAMES, "lea")}
                assert {one.person: one.may for one in listed} == can
                assert all(one.may or one.why for one in listed)


@pytest.fixture
def pair_of(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A project in which ann and bob check each other's cases, and c-1 waits for one cross-check."""
    policy = ReviewPolicy(reviewers=1, pairing=Pairing.SWAP, pairs=(("ann", "bob"),))
    with team_on(str(sqlite_path), tmp_path, policy=policy) as team:
        team.bring(two_step_case())
        team.self_check("ann", "c-1")
        yield team


def _whys(team: Team, asking: str = "max") -> dict[str, tuple[bool, str]]:
    found = who_could_take(team[asking], "c-1").value.people
    return {one.person: (one.may, one.why) for one in found}


def test_everybody_is_listed_with_a_reason(pair_of: Team) -> None:
    set_active(pair_of["max"], "dan", active=False)
    set_roles(pair_of["max"], "max", roles=(Role.MANAGER,))
    assert _whys(pair_of) == {
        "bob": (True, ""),
        "ann": (False, "Owns it."),
        "cleo": (False, "Others were asked."),
        "dan": (False, "Is disabled."),
        "eve": (False, "Lacks the role annotator."),
        "max": (False, "Lacks the role annotator."),
    }
    assert who_could_take(pair_of["max"], "c-1").value.words == "c-1 can be taken by bob."


def test_who_left_it_lying_has_it_no_longer(pair_of: Team) -> None:
    claim_case(pair_of["bob"], "c-1")
    pair_of.clock.forward(hours=3)
    assert _whys(pair_of)["bob"] == (True, "")


def test_who_has_it_open_and_who_skipped_it_say_so(pair_of: Team) -> None:
    held = claim_case(pair_of["bob"], "c-1").value
    assert _whys(pair_of)["bob"] == (True, "Has it open.")
    leave(pair_of["bob"], held.id, skip=True, reason="long")
    assert _whys(pair_of)["bob"] == (True, "Has skipped it; can open it by its id.")


def test_where_nobody_may_it_says_what_helps(pair_of: Team) -> None:
    set_active(pair_of["max"], "bob", active=False)
    found = who_could_take(pair_of["max"], "c-1").value
    assert found.words.startswith("Nobody can take c-1 now. A manager can add an annotator, lower")
    assert not _stuck(pair_of)  # cleo would be asked
    assert claim_next(pair_of["cleo"]).value is not None  # as it says: taking the next case asks more people
    team = pair_of
    add_person(team["max"], "fay", roles=(Role.EXPERT,))
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    hand_case(team["max"], "c-1", to="fay")
    assert _whys(team)["eve"] == (True, "It was handed to another expert; can open it by its id.")
    assert _whys(team)["cleo"] == (False, "Lacks the role expert.")


def _stuck(team: Team) -> list[str]:
    return [task.text for task in lead_tasks(team["max"]) if "Nobody can take" in task.text]


def test_a_lead_is_told_of_cases_that_nobody_can_take(pair_of: Team) -> None:
    assert _stuck(pair_of) == []
    for name in ("bob", "cleo", "dan"):
        set_active(pair_of["max"], name, active=False)
    assert _stuck(pair_of) == []  # max is an annotator, too
    set_roles(pair_of["max"], "max", roles=(Role.MANAGER,))
    assert _stuck(pair_of) == [
        "Nobody can take 1 waiting case: add people, or share out the work of those who are away. c-1."
    ]
    set_active(pair_of["max"], "bob", active=True)
    pair_of.cross_check("bob", "c-1", verdict=Verdict.ESCALATE)
    assert _stuck(pair_of) == []
    set_roles(pair_of["max"], "eve", roles=(Role.ANNOTATOR,))
    assert len(_stuck(pair_of)) == 1
    set_roles(pair_of["max"], "bob", roles=(Role.EXPERT,))
    assert len(_stuck(pair_of)) == 1  # he has judged it
    set_roles(pair_of["max"], "cleo", roles=(Role.EXPERT,))
    set_active(pair_of["max"], "cleo", active=True)
    assert _stuck(pair_of) == []


def test_who_judges_a_case_does_not_learn_who_else_does(pair_of: Team) -> None:
    set_roles(pair_of["max"], "bob", roles=(Role.ANNOTATOR, Role.EXPERT))
    assert _whys(pair_of, "bob")["bob"] == (True, "")
    claim_case(pair_of["bob"], "c-1")
    for name, error in (("bob", "You work on c-1"), ("cleo", "not an expert or a manager")):
        with pytest.raises(ForbiddenError, match=error):
            who_could_take(pair_of[name], "c-1")
    with pytest.raises(NotFoundError):
        who_could_take(pair_of["max"], "c-9")
    assert pair_of.stage("c-1") is Stage.CROSS_CHECK
