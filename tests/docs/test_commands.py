"""The reference of commands, made from the program and compared with the page in docs/reference.

A change that was meant is written by `APPROVE_COMMANDS=1 make test TESTS=tests/docs/test_commands.py`;
read the difference before it is committed.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

import pytest

from tests.e2e.test_help import COMMANDS, PROGRAM
from tests.shared import ROOT
from ui.cli.groups import SECTIONS

PAGE = ROOT / "docs" / "reference" / "commands.md"
HEAD = (
    "# Commands\n",
    "Made from the program by `APPROVE_COMMANDS=1 make test TESTS=tests/docs/test_commands.py`, "
    "which otherwise compares it; it is not edited by hand.\n"
    "What holds for every command (project, person, `-`, exit codes) and the shapes of what they read "
    "and write are in [contracts](contracts.md).\n",
    "Every command has `--help` and `--json`; *project* and *person* below stand for `-p`, `--project` "
    "and `--as`.\n",
)
MANUAL = ROOT / "docs" / "reference" / "annotator.1"
_SHARED = {"--json": "", "--help": "", "--project": "project", "--as": "person"}


def reference() -> str:
    """The page as the program says it."""
    return "\n".join([*HEAD, *_sections()])


def _sections() -> Iterator[str]:
    for heading in SECTIONS:
        yield f"## {heading}\n"
        for path, command in COMMANDS.items():
            if PROGRAM.commands[path[0]].rich_help_panel == heading:
                yield from _command(path, command)


def _command(path: tuple[str, ...], command: Any) -> Iterator[str]:
    context = command.make_context(path[-1], [], resilient_parsing=True)
    rows, shared = [], []
    for parameter in command.params:
        known = [_SHARED[name] for name in parameter.opts if name in _SHARED]
        shared += known
        if not known:
            cells = (
                " ".join(text.split()).replace("|", "\\|") for text in parameter.get_help_record(context)
            )
            rows.append("| `{}` | {} |".format(*cells))
    yield f"### annotator {' '.join(path)}\n"
    yield f"{' '.join(command.help.split())}\n"
    yield f"    annotator {' '.join([*path, *command.collect_usage_pieces(context)])}\n"
    if rows:
        yield "\n".join(["| argument or option | meaning |", "|---|---|", *rows, ""])
    also = " and ".join(filter(None, shared))
    yield f"{f'Takes {also}. ' if also else ''}{command.epilog.replace('Example: ', 'Example: `', 1)}`\n"


def manual() -> str:
    """The page for `man annotator`: the same, in roff."""
    return "\n".join([*_MAN_HEAD, *_man_commands(), ""])


_MAN_HEAD = (
    '.TH ANNOTATOR 1 "" "Annotator" "User commands"',
    ".SH NAME\nannotator \\- verify tool-use dialogues, freeze releases, and score models",
    ".SH SYNOPSIS\n.B annotator\n[\\fIFILE\\fR | \\fICOMMAND\\fR ...]",
    ".SH DESCRIPTION\nWithout a command, or with a project file, the window opens. Options stand behind the "
    "command; each has \\-\\-help and \\-\\-json. What holds for all, the exit codes and the shapes of files "
    "are in contracts.md of the documentation.",
)


def _roff(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


def _man_commands() -> Iterator[str]:
    for heading in SECTIONS:
        yield f'.SH "{heading.upper()}"'
        for path, command in COMMANDS.items():
            if PROGRAM.commands[path[0]].rich_help_panel == heading:
                context = command.make_context(path[-1], [], resilient_parsing=True)
                usage = " ".join([*path, *command.collect_usage_pieces(context)])
                yield f".SS {_roff(usage)}\n{_roff(command.help)}"
                for parameter in command.params:
                    name, meaning = parameter.get_help_record(context)
                    yield f".TP\n.B {_roff(name)}\n{_roff(meaning)}"
                yield f".PP\n{_roff(command.epilog)}"


def test_the_page_for_man_says_what_the_program_says() -> None:
    if os.environ.get("APPROVE_COMMANDS"):
        MANUAL.write_text(manual(), encoding="utf-8")
    assert MANUAL.read_text(encoding="utf-8") == manual(), "If this was meant: see the top of this file."


@pytest.mark.skipif(not shutil.which("groff"), reason="groff, which checks the page, is not installed here")
def test_man_has_nothing_to_say_against_the_page() -> None:
    ran = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", MANUAL], capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    assert "annotator - verify tool-use dialogues" in " ".join(ran.stdout.split())


def test_the_reference_of_commands_says_what_the_program_says() -> None:
    made = reference()
    if os.environ.get("APPROVE_COMMANDS"):
        PAGE.write_text(made, encoding="utf-8")
    approved = PAGE.read_text(encoding="utf-8").splitlines()
    difference = "\n".join(unified_diff(approved, made.splitlines(), "approved", "made", lineterm=""))
    assert not difference, f"{difference}\n\nIf this was meant: see the top of this file."
