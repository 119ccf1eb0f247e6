"""Options that commands share, and the project they open."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import InputError, NotFoundError
from scoring.model.taxonomy import ArgumentProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from annotator.project.workspace import Workspace
    from scoring.model.record import R
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

TevalFolders = Annotated[
    list[Path] | None,
    typer.Option("--teval", help="A folder `annotator teval score -o` wrote; may be repeated."),
]
ModelsFile = Annotated[
    Path | None,
    typer.Option("--models", envvar="ANNOTATOR_MODELS", help="File of models with their cards, models.toml."),
]
NAME_HELP = "What the run is called; else by model and setting."
INFRA_HELP = "How tasks that failed outside the model count: wrong or left-out."


def named_project(project: str | None) -> str:
    """The project a command works on, with the password of its server where the keyring keeps one.

    Raises:
        NotFoundError: None was named.
    """
    if not project:
        raise NotFoundError("No project was named.", "Use -p PROJECT or set $ANNOTATOR_PROJECT.")
    if "://" not in project:
        return project
    from annotator.project.passwords import with_kept_password

    return with_kept_password(project)


def password_of(place: str, person: str | None) -> str | None:
    """The password that opens the project for a person: `$ANNOTATOR_PASSWORD`, else the keyring's."""
    given = os.environ.get("ANNOTATOR_PASSWORD")
    if given is not None or person is None:
        return given
    from annotator.project.passwords import person_password

    return person_password(place, person)


@contextmanager
def opened(project: str | None, person: str | None) -> Iterator["Workspace"]:
    """Open the named project in the named person's name and close it again.

    Where nobody is named it is whoever `default_person` says. A person with a password is let in by
    `$ANNOTATOR_PASSWORD`, else by the keyring.
    """
    from annotator.project.people import default_person
    from annotator.project.workspace import open_workspace

    place = named_project(project)
    workspace = open_workspace(place, person, password=partial(password_of, place, person))
    try:
        named = default_person(workspace) if workspace.somebody is None else None
        if named is not None:
            asked = partial(password_of, place, named)
            nobody, workspace = workspace, workspace.as_person(named, password=asked)
            nobody.close()
        yield workspace
    finally:
        workspace.close()


def order_of(record: "type[R]", fields: "Mapping[str, object]") -> "R":
    """What the options of a command order.

    Args:
        record: What makes the order of its fields.
        fields: The fields, those of a record in the record by name.

    Raises:
        InputError: They do not go together.
    """
    from pydantic import ValidationError

    try:
        return record.model_validate(fields)
    except ValidationError as exc:
        first = exc.errors()[0]
        names = [part for part in first["loc"] if isinstance(part, str)]
        words = ": ".join([*names[-1:], first["msg"].removeprefix("Value error, ")])
        raise InputError(f"The order cannot be used: {words}.", "See --help of the command.") from exc


def check_person(place: str, person: str | None) -> None:
    """Refuse early a person who could not store the result in the project."""
    with opened(place, person) as workspace:
        _ = workspace.person


def argument_rules(text: str) -> "ArgumentRules":
    """The rules for arguments named on the command line.

    Raises:
        InputError: There are none of that name.
    """
    if text == "auto":
        return "auto"
    try:
        return ArgumentProfile(text)
    except ValueError as exc:
        known = ", ".join(ArgumentProfile)
        raise InputError(f"'{text}' is not a set of argument rules.", f"Rules: auto, {known}.") from exc
