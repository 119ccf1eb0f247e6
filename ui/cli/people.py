"""Commands about the people of a project."""

from typing import Annotated

import typer

from annotator.project.people import add_person, list_people, set_active, set_password
from scoring.model.taxonomy import Role
from ui.cli.options import Json, Person, Project, opened
from ui.cli.output import print_json, print_table, say

user_app = typer.Typer(help="People and their roles.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.add_typer(user_app, name="user")


@user_app.command("add")
def user_add(
    name: str,
    role: Annotated[list[Role], typer.Option("--role", help="May be given several times.")],
    with_password: Annotated[bool, typer.Option("--password", help="Ask for a password.")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Add a person."""
    password = typer.prompt("Password", hide_input=True, confirmation_prompt=True) if with_password else None
    with opened(place, person) as workspace:
        number = add_person(workspace, name, roles=role, password=password).value
    if json:
        print_json({"id": number, "name": name, "roles": role})
    else:
        say(f"Added {name} as {', '.join(role)}.")


@user_app.command("list")
def user_list(place: Project = None, person: Person = None, json: Json = False) -> None:
    """List the people of the project."""
    with opened(place, person) as workspace:
        people = list_people(workspace)
    if json:
        print_json(people)
        return
    print_table(
        ["name", "roles", "active", "password"],
        [
            [p.name, ", ".join(p.roles), "yes" if p.is_active else "no", "yes" if p.has_password else "no"]
            for p in people
        ],
    )


@user_app.command("passwd")
def user_passwd(
    name: str,
    remove: Annotated[bool, typer.Option("--remove", help="Let the person in without one.")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Set or remove a password."""
    password = None if remove else typer.prompt("New password", hide_input=True, confirmation_prompt=True)
    with opened(place, person) as workspace:
        set_password(workspace, name, password=password)
    if json:
        print_json({"name": name, "has_password": password is not None})
    else:
        say(f"{name} {'has a new password' if password is not None else 'needs no password'}.")


@user_app.command("disable")
def user_disable(
    name: str,
    enable: Annotated[bool, typer.Option("--enable", help="Let the person in again.")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Keep a person out; what they hold goes back to the queue."""
    with opened(place, person) as workspace:
        set_active(workspace, name, active=enable)
    if json:
        print_json({"name": name, "is_active": enable})
    else:
        say(f"{name} is {'active again' if enable else 'disabled'}.")
