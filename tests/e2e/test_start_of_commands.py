"""What a command costs before it does anything: it imports what it uses, when it runs."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.resources import resource_path
from tests.e2e.command import FLOOR, PROGRAM
from tests.shared import ROOT

CASES = resource_path("samples", "cases.jsonl")
PREDICTIONS = resource_path("samples", "predictions_careful.jsonl")
COMMAND = ("-m", PROGRAM)


def python(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ANNOTATOR_")}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def seconds(*arguments: object) -> float:
    """Processor seconds of a run of Python; waiting for others costs nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert python(*arguments).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imported(*arguments: object) -> set[str]:
    """The packages a run of Python imports; the floors by their own names, in the installed package, too."""
    done = python("-X", "importtime", *arguments)
    lines = done.stderr.splitlines()
    assert done.returncode == 0, done.stdout + "\n".join(lines[-3:])
    names = [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]
    return {name.removeprefix(FLOOR.removesuffix("ui")).split(".")[0] for name in names}


def test_the_help_costs_at_most_three_times_the_import_of_typer() -> None:
    pairs = [(seconds(*COMMAND, "--help"), seconds("-c", "import typer")) for _ in range(5)]
    assert min(ours for ours, _ in pairs) <= 3 * min(theirs for _, theirs in pairs)


@pytest.mark.parametrize("command", [(), ("case",), ("release",), ("score",), ("review", "submit")])
def test_a_help_imports_nothing_its_command_needs(command: tuple[str, ...]) -> None:
    found = imported(*COMMAND, *command, "--help")
    assert "typer" in found
    assert command or "pydantic" not in found  # Typer imports it for the help of a group
    assert not found & {"annotator", "db", "sqlalchemy", "networkx", "matplotlib", "PySide6"}


@pytest.mark.parametrize(
    "command",
    [
        ("check", CASES),
        ("score", CASES, PREDICTIONS, "-o", "{tmp}/scores"),
    ],
)
def test_what_needs_no_project_imports_no_database(command: tuple[object, ...], tmp_path: Path) -> None:
    found = imported(*COMMAND, *(str(argument).format(tmp=tmp_path) for argument in command))
    assert "scoring" in found
    assert not found & {"sqlalchemy", "alembic", "matplotlib", "openai", "PySide6"}


def test_who_has_no_password_costs_no_keyring(released_sample: Path) -> None:
    found = imported(*COMMAND, "cases", "-p", released_sample / "sample.db", "--as", "founder")
    assert "sqlalchemy" in found
    assert "keyring" not in found
