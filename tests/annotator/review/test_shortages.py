"""What the people of a project cannot do under its policy, said as soon as the policy is set."""

from datetime import UTC, datetime

import pytest

from annotator.cases.tool_categories import categorise
from annotator.project.people import PersonRow, list_people
from annotator.project.policy import Pairing, ReviewPolicy
from annotator.review.policy_changes import change_review_policy
from annotator.review.shortages import shortages, shortages_now
from scoring.model.taxonomy import Role
from tests.annotator.team import Team, two_step_case

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def people(**roles: str) -> tuple[PersonRow, ...]:
    """People by name with the first letters of their roles; a dash for somebody disabled."""
    letters = {"a": Role.ANNOTATOR, "e": Role.EXPERT, "m": Role.MANAGER}
    return tuple(
        PersonRow(
            number, name, tuple(letters[one] for one in held if one in letters), "-" not in held, False, NOON
        )
        for number, (name, held) in enumerate(roles.items(), 1)
    )


def test_five_reviewers_need_six_annotators() -> None:
    team = people(ann="a", bob="a", cleo="a", dan="a", eve="e")
    [said] = shortages(ReviewPolicy(reviewers=5), team)
    assert said.startswith(
        "A case needs 5 cross-checkers besides the owner; the project has 4 active annotators."
    )


def test_as_many_as_are_needed_are_enough() -> None:
    assert shortages(ReviewPolicy(reviewers=3), people(ann="a", bob="a", cleo="a", dan="a", eve="e")) == ()


def test_disabled_people_count_for_nothing() -> None:
    assert shortages(ReviewPolicy(reviewers=1), people(ann="a", bob="a-", eve="e"))


def test_whoever_works_alone_needs_nobody() -> None:
    assert shortages(ReviewPolicy(solo=True), people(ann="a")) == ()


def test_a_project_without_expert_cannot_settle_what_is_escalated() -> None:
    [said] = shortages(ReviewPolicy(reviewers=1), people(ann="a", bob="a"))
    assert "the project has no active one" in said


@pytest.mark.parametrize("policy", [ReviewPolicy(cross_check=False), ReviewPolicy(expert_sample=False)])
def test_an_expert_is_needed_for_either_of_cross_check_and_sample(policy: ReviewPolicy) -> None:
    assert "need an expert" in " ".join(shortages(policy, people(ann="a", bob="a", cleo="a", dan="a")))


def test_an_expert_who_is_needed_as_annotator_is_one_too_few() -> None:
    [said] = shortages(ReviewPolicy(reviewers=1), people(ann="a", bob="ae"))
    assert "an expert besides its 2 annotators" in said
    assert "2 people" in said
    assert shortages(ReviewPolicy(reviewers=1), people(ann="a", bob="ae", cleo="a")) == ()


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (ReviewPolicy(pairing=Pairing.SWAP), ["there are no pairs"]),
        (
            ReviewPolicy(pairing=Pairing.SWAP, pairs=(("ann", "bob"),)),
            ["ann, bob has 1 active annotator besides", "In no pair: cleo, dan."],
        ),
        (ReviewPolicy(pairing=Pairing.SWAP, pairs=(("ann", "bob", "cleo", "dan"),)), []),
        (ReviewPolicy(pairing=Pairing.SKILL), ["there are no skills"]),
        (
            ReviewPolicy(
                pairing=Pairing.SKILL, skills={"ann": ("en",), "bob": ("en",), "cleo": ("en", "zh")}
            ),
            ["A case in zh needs 2 cross-checkers besides the owner; 2 active annotators can read it"],
        ),
        (
            ReviewPolicy(
                pairing=Pairing.SKILL, toolset_skills={"ann": ("travel",), "bob": ("post",), "eve": ("law",)}
            ),
            [
                "A case with tools of the category law needs 2 cross-checkers besides the owner; "
                "2 active annotators can judge it: others are asked for the rest."
            ],
        ),
    ],
)
def test_pairs_and_skills_that_pair_too_few_are_named(policy: ReviewPolicy, words: list[str]) -> None:
    said = shortages(policy, people(ann="a", bob="a", cleo="a", dan="a", eve="e"))
    assert len(said) == len(words)
    assert all(word in sentence for word, sentence in zip(words, said, strict=True))


def test_a_category_that_nobody_has_is_named(team: Team) -> None:
    """Of ann, bob, cleo, dan and max all but max know one category, and it is not that of the toolset."""
    team.bring(two_step_case())
    skills = "; ".join(f"{name}: travel" for name in ("ann", "bob", "cleo", "dan"))
    change_review_policy(team["max"], ("pairing=skill", f"toolset_skills={skills}"))
    assert shortages_now(team["max"]) == ()
    categorise(team["max"], "c-1", category="post")
    [said] = shortages_now(team["max"])
    assert said.startswith(
        "A case with tools of the category post needs 2 cross-checkers besides the owner; 1 "
    )


def test_the_policy_of_a_project_is_held_against_its_people(team: Team) -> None:
    assert shortages_now(team["max"]) == ()
    done = change_review_policy(team["max"], ("reviewers=5",))
    assert done.value.reviewers == 5
    assert shortages_now(team["max"]) == shortages(done.value, list_people(team["max"]))
    assert "5 cross-checkers" in shortages_now(team["max"])[0]
