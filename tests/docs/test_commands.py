"""The reference of commands, made from the program and compared with the page in docs/reference.

A change that was meant is written by `APPROVE_COMMANDS=1 make test TESTS=tests/docs/test_commands.py`;
read the difference before it is committed.
"""

import os
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

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


def test_the_reference_of_commands_says_what_the_program_says() -> None:
    made = reference()
    if os.environ.get("APPROVE_COMMANDS"):
        PAGE.write_text(made, encoding="utf-8")
    approved = PAGE.read_text(encoding="utf-8").splitlines()
    difference = "\n".join(unified_diff(approved, made.splitlines(), "approved", "made", lineterm=""))
    assert not difference, f"{difference}\n\nIf this was meant: see the top of this file."
