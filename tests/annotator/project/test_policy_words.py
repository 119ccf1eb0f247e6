"""What a setting of the review policy takes, in our own words, and shares as people write them."""

import pytest

from annotator.project.policy import ReviewPolicy, SettingError, changed_policy, checked_policy
from scoring.errors import InputError


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("reviewers=9", 'reviewers does not fit: it takes a whole number from 1 to 5, not "9".'),
        ("sample_minimum=-1", 'it takes a whole number from 0 on, not "-1".'),
        ("solo=maybe", 'solo does not fit: it takes true or false, not "maybe".'),
        ("case_threshold=5", 'it takes a share from 0 to 1 or 0% to 100%, not "5".'),
        ("case_threshold=x%", 'not "x%".'),
        ("round_share=0", "it takes a share above 0, up to 1 or 100%, not"),
        ("pairing=best", 'it takes one of free, swap, round_robin, skill, not "best".'),
        ("blind_fields=owner,weather", "it takes any of policy, information, edges, owner, not"),
        ('pairs=[["ann"]]', "it takes text such as “ann-1, ann-2; ann-3, ann-4”, not"),
        ("pairs=ann", "a pair has two or more people, and nobody is in two pairs."),
        ("skills=en", "it takes text such as “ann-1: en, zh; ann-2: en”, not"),
        ("seed=" + "x" * 61, "it takes a text of at most 60 characters without control characters"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_fits(assignment: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        changed_policy(ReviewPolicy(), (assignment,))
    assert words in caught.value.message
    assert "nput should" not in caught.value.message


def test_every_setting_says_what_it_takes() -> None:
    for key in ReviewPolicy.model_fields:
        with pytest.raises(SettingError, match=f"The value for {key} does not fit: it takes [a-z]") as caught:
            checked_policy({key: object()})
        assert caught.value.key == key


def test_a_setting_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="'reviewer' is not a setting of the review policy") as caught:
        checked_policy({"reviewer": 3})
    assert "reviewers" in caught.value.hint


def test_a_setting_without_a_value_is_told_what_it_takes() -> None:
    with pytest.raises(InputError, match="attention_share has no value") as caught:
        changed_policy(ReviewPolicy(), ("attention_share",))
    assert caught.value.hint == "Write attention_share=VALUE with a share from 0 to 0.5 or 0% to 50%."


@pytest.mark.parametrize(
    ("text", "share"), [("5%", 0.05), ("12.5 %", 0.125), ("100%", 1.0), ("0%", 0.0), ("0.05", 0.05)]
)
def test_a_share_is_written_as_a_part_of_one_or_in_percent(text: str, share: float) -> None:
    assert changed_policy(ReviewPolicy(), (f"sample_share={text}",)).sample_share == share
