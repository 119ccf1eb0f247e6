"""Commands about the people of a project."""

from typing import Annotated

import typer

from scoring.model.taxonomy import Role
from ui.cli.options import Json, Person, Project, example, opened
from ui.cli.output import print_json, print_result, print_table, tell

user_app = typer.Typer(help="People and their roles.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.add_typer(user_app, name="user")


@user_app.command("add", epilog=example("annotator user add ana --role annotator -p team.db"))
def user_add(
    name: str,
    role: Annotated[list[Role], typer.Option("--role", help="May be given several times.")],
    with_password: Annotated[bool, typer.Option("--password", help="Ask for a password.")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Add a person."""
    from annotator.project.people import add_person

    password = typer.prompt("Password", hide_input=True, confirmation_prompt=True) if with_password else None
    with opened(place, person) as workspace:
        number = add_person(workspace, name, roles=role, password=password).value
    print_result(
        {"id": number, "name": name, "roles": role}, f"Added {name} as {', '.join(role)}.", json=json
    )


@user_app.command("list", epilog=example("annotator user list -p team.db"))
def user_list(place: Project = None, person: Person = None, json: Json = False) -> None:
    """List the people of the project."""
    from annotator.project.people import list_people

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


@user_app.command("invite", epilog=example("annotator user invite ana -p postgresql://anna@host/team"))
def user_invite(name: str, place: Project = None, person: Person = None, json: Json = False) -> None:
    """Print an invitation to a team project for a person; it holds no password."""
    from annotator.project.connection import is_local, write_invitation

    with opened(place, person) as workspace:
        text, is_here = write_invitation(workspace, name), is_local(workspace.project)
    print_result({"name": name, "text": text}, text.rstrip(), json=json)
    if is_here:
        tell("Warning: the server's address works on this computer only.")


@user_app.command("passwd", epilog=example("annotator user passwd ana -p team.db"))
def user_passwd(
    name: str,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the password.")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Set or remove a password."""
    from annotator.project.people import set_password

    password = None if remove else typer.prompt("New password", hide_input=True, confirmation_prompt=True)
    with opened(place, person) as workspace:
        set_password(workspace, name, password=password)
    print_result(
        {"name": name, "has_password": password is not None},
        f"{name} {'has a new password' if password is not None else 'needs no password'}.",
        json=json,
    )


@user_app.command("disable", epilog=example("annotator user disable ana -p team.db"))
def user_disable(
    name: str,
    enable: Annotated[bool, typer.Option("--enable", help="Re-enable the person.")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Disable a person; the cases they hold go back to the queue."""
    from annotator.project.people import set_active

    with opened(place, person) as workspace:
        set_active(workspace, name, active=enable)
    print_result(
        {"name": name, "is_active": enable}, f"{name} is {'enabled' if enable else 'disabled'}.", json=json
    )
