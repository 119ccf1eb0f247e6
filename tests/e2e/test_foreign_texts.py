"""Texts of cases and names reach the terminal as they are written, never as something it obeys."""

import json
from pathlib import Path

import pytest

from scoring.model.case import dump_case
from tests.annotator.team import two_step_case
from tests.e2e.command import annotator, annotator_process

NASTY = "[/bold] [red] \x1b[2J\x07\x9b31m \u202eevil\u2066 [link=http://x]"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose case, batch and second person have names that a terminal or rich could obey."""
    folder = tmp_path_factory.mktemp("nasty")
    case = two_step_case("c-[/x]")
    task = case.tasks[0].model_copy(update={"user": NASTY})
    case = case.model_copy(update={"tasks": (task, *case.tasks[1:])})
    (folder / "cases.jsonl").write_text(json.dumps(dump_case(case)) + "\n")
    place = folder / "p.db"
    for command in (
        ("init", place, "--name", "[/x]"),
        ("import", folder / "cases.jsonl", "--batch", "[/bold]", "-p", place),
        ("user", "add", "ann [/red]", "--role", "annotator", "-p", place),
    ):
        ran = annotator(*command, "--as", "max")
        assert ran.code == 0, ran.err
    return place


LISTS = (
    ("cases",),
    ("cases", "--json"),
    ("batch", "list"),
    ("batch", "show", "[/bold]"),
    ("user", "list"),
    ("check",),
    ("check", "--json"),
    ("stages",),
    ("case", "show", "c-[/x]"),
    ("case", "history", "c-[/x]"),
    ("review", "next"),
    ("coverage",),
    ("stats",),
    ("policy", "show"),
)


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_a_list_shows_brackets_and_spells_out_control_characters(
    project: Path, command: tuple[str, ...]
) -> None:
    ran = annotator(*command, "-p", project, "--as", "max")
    assert ran.code in (0, 3), ran.err
    assert not set(ran.out + ran.err) & set("\x1b\x07\x9b\u202e\u2066")


def test_a_request_is_printed_as_it_stands(project: Path) -> None:
    assert (
        r"[/bold] [red] \u001b[2J\u0007\u009b31m \u202eevil"
        in annotator("cases", "-p", project, "--as", "max").out
    )


def test_a_message_spells_out_control_characters(project: Path) -> None:
    ran = annotator("case", "show", "\x1b]0;title\x07", "-p", project, "--as", "max")
    assert ran.code == 1
    assert r"\u001b]0;title\u0007" in ran.err


def test_a_document_means_the_same(project: Path) -> None:
    shown = annotator("case", "show", "c-[/x]", "-p", project, "--as", "max").document
    assert shown["tasks"][0]["user"] == NASTY


def test_an_output_that_is_not_unicode_gets_escapes(project: Path) -> None:
    ran = annotator_process("cases", "--json", "-p", project, "--as", "max", PYTHONIOENCODING="ascii")
    assert ran.code == 0, ran.err
    assert ran.rows[0]["request"].startswith("[/bold]")
    assert annotator_process("cases", "-p", project, "--as", "max", PYTHONIOENCODING="ascii").code == 0
