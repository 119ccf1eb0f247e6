"""What a command prints with `--json`, held against the schema the program states for it."""

import functools
from collections.abc import Sequence
from typing import Any

import typer.main
from jsonschema import Draft202012Validator

from ui.cli.contracts import FILES, schema_of, shapes
from ui.cli.groups import app

CONTRACTS = {**FILES, **dict(shapes(typer.main.get_command(app)))}
"""Every contract by its name: a file, or the words of a command."""


@functools.cache
def _validator(name: str) -> Any:
    return Draft202012Validator(schema_of(name, CONTRACTS[name]))


def check_document(name: str, document: object) -> None:
    """Refuse a document that is not what its contract says, naming the place."""
    errors = [f"{error.json_path}: {error.message[:300]}" for error in _validator(name).iter_errors(document)]
    assert not errors, f"{name}: {errors[:5]}"


def command_of(words: Sequence[str]) -> str | None:
    """The contract of what was typed; None where other words stand before the command."""
    named = (" ".join(words[:length]) for length in (3, 2, 1))
    return next((name for name in named if name in CONTRACTS and name not in FILES), None)
