"""Options every command shares, and the project they open."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from annotator.project.passwords import keyring_password
from annotator.project.workspace import Workspace, open_workspace
from scoring.errors import InputError, NotFoundError
from scoring.model.taxonomy import ArgumentProfile
from scoring.scorecard import ArgumentRules

Project = Annotated[
    str | None,
    typer.Option(
        "-p",
        "--project",
        envvar="ANNOTATOR_PROJECT",
        help="Project: team.db, a path, or a postgresql:// URL.",
        show_default=False,
    ),
]
Person = Annotated[
    str | None,
    typer.Option("--as", envvar="ANNOTATOR_USER", help="Who you are in the project.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print exactly one JSON document.")]


def named_project(project: str | None) -> str:
    """The project a command works on.

    Raises:
        NotFoundError: None was named.
    """
    if not project:
        raise NotFoundError("No project was named.", "Use -p PROJECT or set $ANNOTATOR_PROJECT.")
    return project


def password_of(place: str, person: str | None) -> str | None:
    """The password a person is let in with: `$ANNOTATOR_PASSWORD`, else the keyring's."""
    given = os.environ.get("ANNOTATOR_PASSWORD")
    return keyring_password(place, person) if given is None and person is not None else given


@contextmanager
def opened(project: str | None, person: str | None) -> Iterator[Workspace]:
    """Open the named project in the named person's name and close it again.

    A person with a password is let in by `$ANNOTATOR_PASSWORD`, else by the keyring.
    """
    place = named_project(project)
    workspace = open_workspace(place, person, password=password_of(place, person))
    try:
        yield workspace
    finally:
        workspace.close()


def argument_rules(text: str) -> ArgumentRules:
    """The rules for arguments a command was told.

    Raises:
        InputError: There are none of that name.
    """
    if text == "auto":
        return "auto"
    try:
        return ArgumentProfile(text)
    except ValueError as exc:
        known = ", ".join(ArgumentProfile)
        raise InputError(f"'{text}' are no argument rules.", f"Rules: auto, {known}.") from exc
