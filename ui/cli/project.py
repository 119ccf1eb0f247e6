"""Commands about the project itself: create, upgrade, look after, back up, and its review policy."""

from pathlib import Path
from typing import Annotated

import typer

from annotator.project import care, upkeep
from annotator.project.founding import create_workspace
from annotator.project.policy import changed_policy, read_policy
from annotator.project.workspace import utc_now
from annotator.review.governing import replace_policy, set_policy
from annotator.review.manning import shortages_now
from scoring.errors import InputError
from scoring.wording import counted
from ui.cli.options import Json, Person, Project, named_project, opened, password_of
from ui.cli.output import job_context, print_json, print_table, say, tell

policy_app = typer.Typer(help="The review policy.", no_args_is_help=True)
audit_app = typer.Typer(help="The chain of events.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.command()(init)
    app.command()(migrate)
    app.command()(doctor)
    app.command()(backup)
    app.command()(restore)
    app.add_typer(policy_app, name="policy")
    app.add_typer(audit_app, name="audit")


def init(
    place: Annotated[str, typer.Argument(metavar="PROJECT", help="A new file, or a postgresql:// URL.")],
    name: Annotated[str, typer.Option("--name", help="Shown name.")] = "",
    person: Person = None,
    json: Json = False,
) -> None:
    """Create a project with one person, the login name, who holds every role."""
    workspace = create_workspace(place, name=name, person=person)
    try:
        made = {"project": workspace.shown_place, "name": workspace.name(), "person": workspace.person.name}
    finally:
        workspace.close()
    if json:
        print_json(made)
    else:
        say(f"Created {made['project']}. {made['person']} holds every role.")


def migrate(place: Project = None, json: Json = False) -> None:
    """Upgrade a project to this version: copy, migrate the copy, verify, swap."""
    with job_context() as context:
        done = upkeep.migrate(named_project(place), context=context)
    if json:
        print_json(done)
    else:
        say(
            f"{done.project} is at version {done.after}."
            + (f" The former file is {done.kept}." if done.kept else "")
        )


def doctor(
    place: Project = None,
    person: Person = None,
    repair: Annotated[bool, typer.Option("--repair", help="Make the repairs that lose nothing.")] = False,
    json: Json = False,
) -> None:
    """Check the consistency of a project."""
    with job_context() as context:
        if repair:
            with opened(place, person) as workspace:
                care.repair_problems(context, workspace)
        keeper = _keeper(place, person)
        problems = care.examine(context, named_project(place), at=utc_now(), keeper=keeper)
    if json:
        print_json({"problems": problems})
    elif problems:
        print_table(["where", "problem", "what to do"], [[p.where, p.message, p.hint] for p in problems])
    else:
        say("Nothing is wrong.")
    if problems:
        raise typer.Exit(3)


def backup(
    file: Annotated[Path, typer.Argument(help="Where the copy goes.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Write a consistent copy while people work."""
    with job_context() as context:
        made = care.backup(context, named_project(place), file, keeper=_keeper(place, person))
    if json:
        print_json(made)
    else:
        say(f"Copied to {made.path} with {counted(made.event_count, 'event')}. {made.warning}".rstrip())


def _keeper(place: str | None, person: str | None) -> care.Keeper | None:
    if person is None:
        return None
    return care.Keeper(name=person, password=password_of(named_project(place), person))


def restore(
    file: Annotated[Path, typer.Argument(help="A copy made by `backup`.")],
    place: Project = None,
    json: Json = False,
) -> None:
    """Bring a copy back as a project."""
    with job_context() as context:
        done = care.restore(context, file, named_project(place))
    if json:
        print_json(done)
    else:
        say(f"Restored {done.project}." + (f" What was there is kept as {done.kept}." if done.kept else ""))


@policy_app.command("show")
def policy_show(place: Project = None, person: Person = None, json: Json = False) -> None:
    """Print the review policy."""
    with opened(place, person) as workspace:
        policy, short = workspace.policy().model_dump(mode="json"), shortages_now(workspace)
    if json:
        print_json(policy)
    else:
        print_table(["setting", "value"], [[key, value] for key, value in policy.items()])
    _warn(short)


@policy_app.command("set")
def policy_set(
    assignments: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE...")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A whole policy, as `policy show --json` prints it."),
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Change the review policy; history stays as it is."""
    named = tuple(assignments or ())
    if not named and file is None:
        raise InputError(
            "No setting was named.", "Write KEY=VALUE or --file FILE; see `annotator policy show`."
        )
    with opened(place, person) as workspace:
        if file is None:
            policy = set_policy(workspace, named).value
        else:
            policy = replace_policy(workspace, changed_policy(read_policy(file), named)).value
        short = shortages_now(workspace)
    if json:
        print_json(policy)
    else:
        say("Changed: " + ", ".join([*([str(file)] if file else []), *named]) + ".")
    _warn(short)


def _warn(shortages: tuple[str, ...]) -> None:
    """Tell what a policy asks for that the people of the project cannot give."""
    for sentence in shortages:
        tell(f"Warning: {sentence}")


@audit_app.command("verify")
def audit_verify(place: Project = None, json: Json = False) -> None:
    """Check the chain of events."""
    with opened(place, None) as workspace:
        report = upkeep.audit(workspace)
    if json:
        print_json(
            {
                "events": report.event_count,
                "head": report.head,
                "holds": report.holds,
                "reason": report.reason,
            }
        )
    elif report.holds:
        say(f"All {report.event_count} events hold; the last hash is {report.head}.")
    else:
        say(f"Event {report.broken_seq} does not hold: {report.reason}")
    if not report.holds:
        raise typer.Exit(3)
