"""The help of the command line: sections, examples that work, and advice for what was mistyped."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.e2e.command import annotator, annotator_process
from ui.cli.groups import SECTIONS, app


def commands(group: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *path, name)
        else:
            yield (*path, name), command


PROGRAM: Any = get_command(app)
COMMANDS = dict(commands(PROGRAM))


def test_every_command_stands_under_one_heading() -> None:
    listed = re.findall(r"^  (\S+)  +\S", annotator("--help").out, re.MULTILINE)
    assert sorted(name for name in listed if not name.startswith("-")) == sorted(PROGRAM.commands)
    assert {command.rich_help_panel for command in PROGRAM.commands.values()} == set(SECTIONS)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_that_can_be_typed(path: tuple[str, ...]) -> None:
    example = COMMANDS[path].epilog.removeprefix("Example: annotator ")
    words = shlex.split(example)
    assert tuple(words[: len(path)]) == path
    COMMANDS[path].make_context(path[-1], words[len(path) :])
    assert len(COMMANDS[path].epilog) <= 76, "it would be wrapped"


def test_a_heading_is_never_cut() -> None:
    assert "..." not in annotator("--help").out.replace("[ARGS]...", "")


@pytest.mark.parametrize("path", [(), ("case",), ("case", "show")])
def test_h_is_help_everywhere(path: tuple[str, ...]) -> None:
    assert annotator(*path, "-h").out == annotator(*path, "--help").out != ""


def test_shells_complete_commands() -> None:
    ran = annotator_process(_ANNOTATOR_COMPLETE="complete_bash", COMP_WORDS="annotator rel", COMP_CWORD="1")
    assert ran.out.split() == ["release"]


@pytest.mark.parametrize("typed", ["reviewer=3", "Reviewers=3", "reviewrs=3"])
def test_a_mistyped_setting_is_guessed(tmp_path: Path, typed: str) -> None:
    annotator("init", tmp_path / "p.db")
    ran = annotator("policy", "set", typed, "-p", tmp_path / "p.db")
    assert ran.code == 1
    assert "Did you mean reviewers?" in ran.err


def test_a_setting_like_none_is_not_guessed(tmp_path: Path) -> None:
    annotator("init", tmp_path / "p.db")
    assert "Did you mean" not in annotator("policy", "set", "xyzzy=1", "-p", tmp_path / "p.db").err


def test_a_folder_is_not_imported(tmp_path: Path) -> None:
    annotator("init", tmp_path / "p.db")
    ran = annotator("import", ".", "-p", "p.db", cwd=tmp_path)
    assert (ran.code, ran.err) == (1, ". is a folder.\nName the files in it.\n")
