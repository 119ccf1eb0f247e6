"""The next case in one language: others are passed over, at every stage, and what is held comes first."""

import pytest

from annotator.review.queue.case_rows import languages
from annotator.review.queue.claims import claim_next
from annotator.review.queue.queue_status import why_nothing
from scoring.model.taxonomy import Stage
from tests.annotator.team import Team, two_step_case


@pytest.fixture
def two_languages(team: Team) -> Team:
    """Three cases of nobody: two in English, then one in Chinese."""
    english = (two_step_case("c-en-1"), two_step_case("c-en-2"))
    team.bring(*english, two_step_case("c-zh").model_copy(update={"language": "zh"}))
    return team


def _next(team: Team, name: str, language: str, stage: Stage | None = None) -> str | None:
    team[name].next_language = language
    held = claim_next(team[name], stage=stage).value
    return held.case_id if held is not None else None


def test_older_cases_in_another_language_are_passed_over(two_languages: Team) -> None:
    assert _next(two_languages, "ann", "zh") == "c-zh"
    assert _next(two_languages, "bob", "") == "c-en-1"


def test_what_one_holds_comes_first_in_whatever_language(two_languages: Team) -> None:
    assert _next(two_languages, "ann", "zh") == "c-zh"
    assert _next(two_languages, "ann", "en") == "c-zh"


def test_cross_checks_are_limited_too(two_languages: Team) -> None:
    for case_id in ("c-en-1", "c-zh"):
        two_languages.self_check("ann", case_id)
    assert _next(two_languages, "bob", "zh", Stage.CROSS_CHECK) == "c-zh"
    assert _next(two_languages, "cleo", "", Stage.CROSS_CHECK) == "c-en-1"


def test_a_language_in_which_nothing_waits_is_named(two_languages: Team) -> None:
    assert _next(two_languages, "ann", "fr") is None
    assert why_nothing(two_languages["ann"]).startswith("Nothing in the language fr waits for you.")


def test_the_languages_of_the_cases_are_listed_once_each(two_languages: Team) -> None:
    assert languages(two_languages["max"]) == ("en", "zh")
