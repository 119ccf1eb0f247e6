"""Every command takes a person by the same rule: named, else the login name, else the only one there is."""

import json
from pathlib import Path

import pytest

from annotator.project.people import set_password
from annotator.project.workspace import open_workspace
from annotator.resources import resource_path
from tests.e2e.command import Ran, annotator

SAMPLES = resource_path("samples", "cases.jsonl")
PREDICTIONS = resource_path("samples", "predictions_careful.jsonl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `team.db`, founded by `max`, in which `ann` is an annotator."""
    folder = tmp_path_factory.mktemp("who")
    for command in (
        ("init", "team.db", "--as", "max"),
        ("import", SAMPLES, "-p", "team.db"),
        ("user", "add", "ann", "--role", "annotator", "-p", "team.db"),
    ):
        ran = annotator(*command, cwd=folder)
        assert ran.code == 0, ran.err
    return folder


def as_login(folder: Path, login: str, *command: object, **environment: str) -> Ran:
    return annotator(*command, "-p", "team.db", cwd=folder, LOGNAME=login, USER=login, **environment)


ASKING = (
    ("export", "--format", "native", "--stage", "any", "-o", "out.jsonl"),
    ("case", "show", "sample-01"),
    ("doctor",),
    ("backup", "{login}.db"),
    ("release", "freeze", "r", "-o", "r"),
    ("score", SAMPLES, PREDICTIONS, "-o", "scores"),
)


@pytest.mark.parametrize("command", ASKING, ids=lambda command: command[0])
def test_a_stranger_is_asked_for_their_name(folder: Path, command: tuple[object, ...]) -> None:
    ran = as_login(folder, "zoe", *(str(word).format(login="zoe") for word in command))
    assert (ran.code, ran.out) == (1, "")
    assert "needs to know who you are" in ran.err
    assert not (folder / "zoe.db").exists()
    assert not (folder / "scores").exists(), "nothing is written for somebody who is refused afterwards"


def test_the_login_name_is_taken_where_a_person_has_it(folder: Path) -> None:
    assert as_login(folder, "max", "assign", "--batch", "cases", "--to", "ann").code == 0
    ran = as_login(folder, "ann", "assign", "--batch", "cases", "--to", "ann")
    assert "ann is not a manager" in ran.err


@pytest.mark.parametrize("named", [{}, {"person": "ann"}], ids=["by login", "by name"])
def test_a_copy_is_refused_to_the_same_person_however_they_are_known(
    folder: Path, named: dict[str, str]
) -> None:
    login = "zoe" if named else "ann"
    ran = annotator("backup", "ann.db", "-p", "team.db", cwd=folder, LOGNAME=login, USER=login, **named)
    assert (ran.code, "ann is not a manager" in ran.err) == (1, True)
    assert not (folder / "ann.db").exists()


def test_a_name_that_is_given_comes_before_the_login_name(folder: Path) -> None:
    assert as_login(folder, "ann", "backup", "named.db", "--as", "max").code == 0
    assert as_login(folder, "ann", "backup", "set.db", ANNOTATOR_USER="max").code == 0


def test_a_scored_run_is_recorded_for_the_login_name(folder: Path) -> None:
    ran = annotator(
        *("score", SAMPLES, PREDICTIONS, "-o", folder / "by-login"),
        LOGNAME="ann",
        ANNOTATOR_PROJECT=str(folder / "team.db"),
    )
    assert ran.code == 0, ran.err


def test_the_chain_is_checked_for_anybody_who_is_named_right(folder: Path) -> None:
    assert as_login(folder, "zoe", "audit", "verify", "--as", "ann").code == 0
    ran = as_login(folder, "zoe", "audit", "verify", "--as", "nobody")
    assert (ran.code, "Nobody is called 'nobody'" in ran.err) == (1, True)


def test_the_password_of_the_login_name_is_asked_for(tmp_path: Path) -> None:
    annotator("init", "team.db", "--as", "max", cwd=tmp_path)
    annotator("user", "add", "ann", "--role", "annotator", "-p", "team.db", cwd=tmp_path)
    workspace = open_workspace(str(tmp_path / "team.db"), "max")
    set_password(workspace, "max", password="correct horse")
    workspace.close()
    without = as_login(tmp_path, "max", "backup", "copy.db")
    assert (without.code, "max has a password" in without.err) == (1, True)
    assert as_login(tmp_path, "max", "backup", "copy.db", ANNOTATOR_PASSWORD="correct horse").code == 0


def test_copies_go_to_relative_paths_and_back(folder: Path) -> None:
    assert as_login(folder, "max", "backup", "relative.db").code == 0
    restored = annotator("restore", "relative.db", "-p", "again.db", "--json", cwd=folder)
    assert restored.code == 0, restored.err
    assert json.loads(restored.out)["project"] == str(folder / "again.db")
    replaced = annotator("restore", "relative.db", "-p", "again.db", cwd=folder)
    assert replaced.code == 0, replaced.err
    assert (folder / "again.db.replaced").is_file()
