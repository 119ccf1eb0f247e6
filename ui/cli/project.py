"""Commands about the project itself: create, upgrade, look after, back up, its people and review policy."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from scoring.errors import InputError
from scoring.model.taxonomy import Role
from scoring.wording import counted
from ui.cli.options import Json, Person, Project, example, named_project, opened, refuse_two_outputs
from ui.cli.output import Table, job_context, print_result, tell

policy_app = typer.Typer(help="The review policy.", no_args_is_help=True)
audit_app = typer.Typer(help="The chain of events.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.command(epilog=example("annotator init team.db"))(init)
    app.command(epilog=example("annotator migrate -p team.db"))(migrate)
    app.command(epilog=example("annotator doctor -p team.db"))(doctor)
    app.command(epilog=example("annotator backup copy.db -p team.db"))(backup)
    app.command(epilog=example("annotator restore copy.db -p team.db"))(restore)
    app.command(epilog=example("annotator move team.db postgresql://anna@host/team"))(move)
    app.add_typer(user_app, name="user")
    app.add_typer(policy_app, name="policy")
    app.add_typer(audit_app, name="audit")


def init(
    place: Annotated[str, typer.Argument(metavar="PROJECT", help="A new file, or a postgresql:// URL.")],
    name: Annotated[str, typer.Option("--name", help="Shown name.")] = "",
    person: Person = None,
    json: Json = False,
) -> None:
    """Create a project with one person, who holds every role. It is the login name unless named."""
    from annotator.project.creation import create_workspace

    workspace = create_workspace(named_project(place), name=name, person=person)
    try:
        made = {"project": workspace.shown_place, "name": workspace.name(), "person": workspace.person.name}
    finally:
        workspace.close()
    print_result(made, f"Created {made['project']}. {made['person']} holds every role.", json=json)


def migrate(place: Project = None, json: Json = False) -> None:
    """Upgrade a project to this version. A copy is migrated, verified and swapped in."""
    from annotator.project import upgrade
    from annotator.review.precedents import fill_precedents

    with job_context() as context:
        done = upgrade.migrate(named_project(place), context=context, fill=fill_precedents)
    print_result(
        done,
        f"{done.project} is at version {done.after}."
        + (f" The former file is {done.kept}." if done.kept else ""),
        json=json,
    )


def doctor(
    place: Project = None,
    person: Person = None,
    repair: Annotated[bool, typer.Option("--repair", help="Make the repairs that lose no data.")] = False,
    json: Json = False,
) -> None:
    """Check the consistency of a project."""
    from annotator.project import care
    from annotator.project.workspace import utc_now

    with job_context() as context:
        if repair:
            from annotator.review.precedents import learn_from_approvals

            with opened(place, person) as workspace:
                care.repair_problems(workspace, context=context)
                if learned := learn_from_approvals(workspace):
                    tell(f"Proposals now follow {counted(learned, 'earlier approval')}.")
        problems = care.examine(
            context, named_project(place), at=utc_now(), keeper=lambda: opened(place, person)
        )
    table = Table(["where", "problem", "what to do"], [[p.where, p.message, p.hint] for p in problems])
    print_result({"problems": problems}, table if problems else "No problems found.", json=json)
    if problems:
        raise typer.Exit(3)


def backup(
    file: Annotated[Path, typer.Argument(help="File to write the copy to.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Write a consistent copy while people work."""
    from annotator.project import care

    refuse_two_outputs(file, json=json)
    with opened(place, person) as workspace, job_context() as context:
        made = care.backup(workspace, file, context=context)
    print_result(
        made,
        f"Copied to {made.path} with {counted(made.event_count, 'event')}. {made.warning}".rstrip(),
        beside=file,
        json=json,
    )


def restore(
    file: Annotated[Path, typer.Argument(help="A copy made by `backup`.")],
    place: Project = None,
    json: Json = False,
) -> None:
    """Restore a project from a backup."""
    from annotator.files import readable_files
    from annotator.project import care

    with readable_files(file) as (read,), job_context() as context:
        done = care.restore(read, named_project(place), context=context)
    print_result(
        done,
        f"Restored {done.project}." + (f" What was there is kept as {done.kept}." if done.kept else ""),
        json=json,
    )


def move(
    place: Annotated[str, typer.Argument(metavar="FROM", help="The project: a file or a postgresql:// URL.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="A new file, or a database without a project.")],
    person: Person = None,
    json: Json = False,
) -> None:
    """Move a project from a file to a server, or back."""
    from annotator.project import care

    with opened(place, person) as workspace, job_context() as context:
        source = workspace.shown_place
        done = care.move(workspace, named_project(target), context=context)
    left = (
        f"The former file is {done.kept}."
        if done.kept
        else f"{source} stays as it was: drop it once {done.project} works."
    )
    print_result(
        done, f"Moved to {done.project} with {counted(done.event_count, 'event')}. {left}", json=json
    )
    if done.missed_count:
        tell(
            f"Warning: {counted(done.missed_count, 'event')} came to {source} meanwhile and were left. "
            f"Have everybody close it, drop {done.project} and move again."
        )


@policy_app.command("show", epilog=example("annotator policy show -p team.db"))
def policy_show(place: Project = None, person: Person = None, json: Json = False) -> None:
    """Print the review policy."""
    from annotator.review.shortages import shortages_now

    with opened(place, person) as workspace:
        policy, short = workspace.policy().model_dump(mode="json"), shortages_now(workspace)
    table = Table(["setting", "value"], [[key, _as_set(value)] for key, value in policy.items()])
    print_result(policy, table, json=json)
    _warn(short)


@policy_app.command("set", epilog=example("annotator policy set reviewers=3 sample_share=5% -p team.db"))
def policy_set(
    assignments: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A whole policy, as `policy show --json` prints it."),
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Change the review policy; history stays as it is."""
    from annotator.files import readable_files
    from annotator.project.policy import changed_policy, read_policy
    from annotator.review.policy_changes import change_review_policy, replace_review_policy
    from annotator.review.shortages import shortages_now

    named = tuple(assignments or ())
    if not named and file is None:
        raise InputError(
            "No setting was named.", "Write KEY=VALUE or --file FILE; see `annotator policy show`."
        )
    with readable_files(*([file] if file else [])) as read, opened(place, person) as workspace:
        if read:
            policy = replace_review_policy(workspace, changed_policy(read_policy(read[0]), named)).value
        else:
            policy = change_review_policy(workspace, named).value
        short = shortages_now(workspace)
    print_result(policy, "Changed: " + ", ".join([*([str(file)] if file else []), *named]) + ".", json=json)
    _warn(short)


def _as_set(value: object) -> str:
    """A value as `policy set` takes it: texts bare, everything else as JSON."""
    return value if isinstance(value, str) else dumps(value, ensure_ascii=False)


def _warn(shortages: tuple[str, ...]) -> None:
    """Tell what a policy asks for that the people of the project cannot give."""
    for sentence in shortages:
        tell(f"Warning: {sentence}")


@audit_app.command("verify", epilog=example("annotator audit verify --anchor safe/team.jsonl -p team.db"))
def audit_verify(
    anchor: Annotated[
        Path | None,
        typer.Option(
            "--anchor",
            help="Compare with the ends noted in this file, and add the present one; '-' is only read.",
        ),
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Check the chain of events."""
    from annotator.files import is_stream, readable_files
    from annotator.project import audit

    with readable_files(*([anchor] if anchor else [])) as read, opened(place, person) as workspace:
        anchors = audit.read_anchors(read[0]) if read else ()
        report = audit.audit(workspace, anchors=anchors)
        keeps = anchor is not None and report.holds and not is_stream(anchor)
        is_noted = keeps and anchor is not None and audit.note_anchor(workspace, anchor, report)
    said = f"All {report.event_count} events are intact; the last hash is {report.head}."
    if anchors:
        said += f" The chain fits {counted(len(anchors), 'anchor')} since {anchors[0].at:%Y-%m-%d}."
    if is_noted:
        said += f" This end was noted in {anchor}."
    print_result(
        {
            "events": report.event_count,
            "head": report.head,
            "holds": report.holds,
            "reason": report.reason,
            "anchors": len(anchors),
        },
        said if report.holds else f"Event {report.broken_seq} is not intact: {report.reason}",
        json=json,
    )
    if not report.holds:
        raise typer.Exit(3)


@audit_app.command("export", epilog=example("annotator audit export -o events.jsonl -p team.db"))
def audit_export(
    out: Annotated[Path, typer.Option("-o", "--out", help="File to write; '-' is standard output.")] = Path(
        "-"
    ),
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Write every event with its hashes, a JSON object a line."""
    from annotator.project import audit

    refuse_two_outputs(out, json=json)
    with opened(place, person) as workspace, job_context() as context:
        count = audit.export_events(workspace, out, context=context)
    print_result(
        {"events": count, "path": str(out)},
        f"Wrote {counted(count, 'event')} to {'standard output' if out == Path('-') else out}.",
        json=json,
        beside=out,
    )


user_app = typer.Typer(help="People and their roles.", no_args_is_help=True)


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
    table = Table(
        ["name", "roles", "active", "password"],
        [
            [p.name, ", ".join(p.roles), "yes" if p.is_active else "no", "yes" if p.has_password else "no"]
            for p in people
        ],
    )
    print_result(people, table, json=json)


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
