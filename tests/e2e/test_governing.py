"""Governing a project by commands and files: the policy goes out, is changed by hand, and comes back."""

import json
from pathlib import Path

import pytest

from annotator.project.policy import ReviewPolicy
from tests.e2e.command import annotator


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project founded by `max`, with a second annotator."""
    place = tmp_path / "p.db"
    assert annotator("init", place, "--as", "max").code == 0
    assert annotator("user", "add", "ann", "--role", "annotator", "-p", place, "--as", "max").code == 0
    return place


def test_a_policy_goes_out_to_a_file_and_comes_back_changed(project: Path, tmp_path: Path) -> None:
    shown = annotator("policy", "show", "-p", project, "--as", "max", "--json")
    assert shown.document == {"version": 2, **ReviewPolicy().model_dump(mode="json")}
    file = tmp_path / "policy.json"
    changed = {**shown.document, "reviewers": 3, "pairing": "swap", "pairs": [["max", "ann"]]}
    file.write_text(json.dumps(changed))
    done = annotator("policy", "set", "strata=owner", "--file", file, "-p", project, "--as", "max", "--json")
    assert done.code == 0, done.err
    again = annotator("policy", "show", "-p", project, "--as", "max", "--json").document
    assert again == done.document == {**changed, "strata": "owner"}


def test_a_policy_is_printed_as_it_is_set(project: Path) -> None:
    printed = annotator("policy", "show", "-p", project, "--as", "max").out
    rows = [" ".join(row.split()) for row in printed.splitlines()]
    for line in ("solo false One", 'blind_fields ["policy", "information", "edges"] ', "pairing free Who"):
        assert any(row.startswith(line) for row in rows)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no policy"),
        ('{"reviewer": 3}', "'reviewer' is not a setting of the review policy"),
        ('{"reviewers": 6}', "reviewers does not fit"),
        ('{"pairs": [["max", "nobody"]]}', "names 'nobody'"),
    ],
)
def test_a_policy_file_that_does_not_fit_changes_nothing(
    project: Path, tmp_path: Path, text: str, words: str
) -> None:
    file = tmp_path / "policy.json"
    file.write_text(text)
    ran = annotator("policy", "set", "--file", file, "-p", project, "--as", "max")
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    shown = annotator("policy", "show", "-p", project, "--json").document
    assert shown == {"version": 2, **ReviewPolicy().model_dump(mode="json")}


def test_a_policy_file_that_is_not_there_is_named(project: Path, tmp_path: Path) -> None:
    ran = annotator("policy", "set", "--file", tmp_path / "none.json", "-p", project, "--as", "max")
    assert ran.code == 1
    assert "none.json cannot be read" in ran.err


def test_only_a_manager_changes_the_policy(project: Path) -> None:
    ran = annotator("policy", "set", "reviewers=1", "-p", project, "--as", "ann")
    assert ran.code == 1
    assert "is not a manager" in ran.err


def test_a_policy_nobody_can_fulfil_is_saved_with_a_warning_that_counts(project: Path) -> None:
    set_ = ("policy", "set", "reviewers=5", "-p", project, "--as", "max")
    for ran in (annotator(*set_), annotator("policy", "show", "-p", project, "--as", "max", "--json")):
        assert ran.code == 0
        # max and ann are the only annotators.
        assert (
            "Warning: A case needs 5 cross-checkers besides the owner; the project has 2 active annotators."
        ) in ran.err
    assert ran.document["reviewers"] == 5


def test_setting_nothing_says_what_can_be_set(project: Path) -> None:
    ran = annotator("policy", "set", "-p", project, "--as", "max")
    assert ran.code == 1
    assert "policy show" in ran.err
