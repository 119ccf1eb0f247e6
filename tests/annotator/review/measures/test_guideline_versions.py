"""The team's guidelines: who changes them, who was shown what, and the version judgments were made under."""

import pytest

from annotator.guidelines import OwnWords, own_words
from annotator.project.audit import audit
from annotator.project.policy import ReviewPolicy, changed_policy
from annotator.review.measures.digest import lead_tasks
from annotator.review.measures.guideline_versions import (
    BatchVersions,
    guideline_changes,
    see_changes,
    take_news,
    unseen_changes,
    versions_judged,
)
from annotator.review.policy_changes import change_review_policy, replace_review_policy
from scoring.errors import InputError
from tests.annotator.team import Team, two_step_case

SINGLE, RIGHT = "policy.single: One call, even if asked twice.", "policy.single right: Where is it?"


def _say(team: Team, *lines: str) -> None:
    replace_review_policy(team["max"], team["max"].policy().model_copy(update={"guidelines": lines}))


def test_a_line_says_what_it_is_about_and_whether_it_is_an_example() -> None:
    assert own_words(SINGLE) == OwnWords("policy.single", "", "One call, even if asked twice.")
    assert own_words("policy wrong: a: b") == OwnWords("policy", "wrong", "a: b")


@pytest.mark.parametrize("separator", ["; ", "\n", ";\n"])
def test_lines_are_written_below_each_other_or_with_semicolons(separator: str) -> None:
    policy = changed_policy(ReviewPolicy(), (f"guidelines={SINGLE}{separator}{RIGHT}",))
    assert policy.guidelines == (SINGLE, RIGHT)


@pytest.mark.parametrize("line", ["One call.", "Policy: x", "policy.single left: x", "policy.single:x"])
def test_a_line_without_topic_or_words_is_refused(line: str) -> None:
    with pytest.raises(InputError, match="guidelines"):
        changed_policy(ReviewPolicy(), (f"guidelines={line}",))


def test_a_topic_there_is_none_of_is_refused_with_the_nearest(team: Team) -> None:
    with pytest.raises(InputError, match=r"no topic 'policy\.sngle'") as refused:
        change_review_policy(team["max"], ("guidelines=policy.sngle: One call.",))
    assert "policy.single" in refused.value.hint
    assert team["max"].policy().guidelines == ()


def test_every_change_is_a_version_with_what_came_and_what_went(team: Team) -> None:
    _say(team, SINGLE)
    change_review_policy(team["max"], ("reviewers=1",))  # no change of the guidelines
    _say(team, RIGHT)
    first, second = guideline_changes(team["ann"])
    assert (first.version, first.by, first.added, first.removed) == (1, "max", (SINGLE,), ())
    assert (second.version, second.added, second.removed) == (2, (RIGHT,), (SINGLE,))
    assert second.lines == (RIGHT, f"withdrawn: {SINGLE}")
    assert second.at > first.at


def test_a_change_is_shown_once_to_everybody_but_its_author(team: Team) -> None:
    assert unseen_changes(team["ann"]) == ()
    _say(team, SINGLE)
    assert unseen_changes(team["max"]) == ()
    assert [one.version for one in take_news(team["ann"])] == [1]
    assert take_news(team["ann"]) == ()
    _say(team, SINGLE, RIGHT)
    assert [one.added for one in unseen_changes(team["ann"])] == [(RIGHT,)]
    assert [one.version for one in unseen_changes(team["bob"])] == [1, 2]
    assert audit(team["max"]).holds


def test_judgments_know_the_version_their_author_was_shown(team: Team) -> None:
    team.bring(*map(two_step_case, ("c-1", "c-2", "c-3", "c-4")))
    team.self_check("ann", "c-1")
    assert versions_judged(team["max"]) == ()
    _say(team, SINGLE)
    team.self_check("ann", "c-2")  # not shown yet, as where the case was open
    assert versions_judged(team["max"]) == (BatchVersions(batch="b1", judgments={0: 2}),)
    see_changes(team["ann"], 1)
    team.self_check("ann", "c-3")
    assert versions_judged(team["max"]) == (BatchVersions(batch="b1", judgments={0: 2, 1: 1}),)
    _say(team, RIGHT)
    see_changes(team["ann"], 2)
    team.self_check("ann", "c-4")
    words = "Batch b1 was judged under several versions of the guidelines (0: 2, 1: 1, 2: 1)."
    assert [one.text for one in lead_tasks(team["max"]) if one.about == "version"] == [words]
