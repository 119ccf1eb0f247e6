"""Commands about the project itself: create, upgrade, look after, back up, its people and review policy."""

from datetime import date
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import InputError
from scoring.model.taxonomy import Role
from scoring.texts import tr, with_commas
from scoring.wording import counted
from ui.cli.command import CommandResult, command, group
from ui.cli.options import Person, Project, named_project, opened
from ui.cli.output import Table

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

app = typer.Typer()
user_app = group(app, "user", "People and their roles.")
policy_app = group(app, "policy", "The review policy.")
audit_app = group(app, "audit", "The chain of events.")
_POLICY = "annotator.project.policy.ReviewPolicy"


@command(app, "init", gives={"project": str, "name": str, "person": str}, example="annotator init team.db")
def init(
    place: Annotated[str, typer.Argument(metavar="PROJECT", help="A new file, or a postgresql:// URL.")],
    name: Annotated[str, typer.Option("--name", help="Shown name.")] = "",
    person: Person = None,
) -> CommandResult:
    """Create a project with one person, who holds every role. It is the login name unless named."""
    from annotator.project.creation import create_workspace

    workspace = create_workspace(named_project(place), name=name, person=person)
    try:
        made = {"project": workspace.shown_place, "name": workspace.name(), "person": workspace.person.name}
    finally:
        workspace.close()
    return CommandResult(made, [f"Created {made['project']}. {made['person']} holds every role."])


@command(app, "migrate", gives="annotator.project.upgrade.Migrated", example="annotator migrate -p team.db")
def migrate(context: "JobContext", place: Project = None) -> CommandResult:
    """Upgrade a project to this version. A copy is migrated, verified and swapped in."""
    from annotator.project import upgrade
    from annotator.review.precedents import fill_precedents

    done = upgrade.migrate(named_project(place), context=context, fill=fill_precedents)
    kept = f" The former file is {done.kept}." if done.kept else ""
    return CommandResult(done, [f"{done.project} is at version {done.after}.{kept}"])


@command(
    app,
    "doctor",
    gives={"problems": ["annotator.project.care.ProjectProblem"]},
    example="annotator doctor -p team.db",
)
def doctor(
    context: "JobContext",
    place: Project = None,
    person: Person = None,
    repair: Annotated[bool, typer.Option("--repair", help="Make the repairs that lose no data.")] = False,
) -> CommandResult:
    """Check the consistency of a project."""
    from annotator.project import care
    from annotator.project.workspace import utc_now

    notes = []
    if repair:
        from annotator.review.precedents import learn_from_approvals

        with opened(place, person) as workspace:
            care.repair_problems(workspace, context=context)
            if learned := learn_from_approvals(workspace):
                notes.append(f"Proposals now follow {counted(learned, 'earlier approval')}.")
    problems = care.examine(context, named_project(place), at=utc_now(), keeper=lambda: opened(place, person))
    table = Table(["where", "problem", "what to do"], [[p.where, p.message, p.hint] for p in problems])
    shown = table if problems else "No problems found."
    return CommandResult({"problems": problems}, [shown], notes, code=3 if problems else 0)


@command(
    app,
    "backup",
    gives="annotator.project.care.Backup",
    example="annotator backup copy.db -p team.db",
    writes="file",
)
def backup(
    workspace: "Workspace",
    context: "JobContext",
    file: Annotated[Path, typer.Argument(help="File to write the copy to.")],
) -> CommandResult:
    """Write a consistent copy while people work."""
    from annotator.project import care

    made = care.backup(workspace, file, context=context)
    return CommandResult(
        made, [f"Copied to {made.path} with {counted(made.event_count, 'event')}. {made.warning}".rstrip()]
    )


@command(
    app,
    "restore",
    gives="annotator.project.care.RestoredProject",
    example="annotator restore copy.db -p team.db",
)
def restore(
    context: "JobContext",
    file: Annotated[Path, typer.Argument(help="A copy made by `backup`.")],
    place: Project = None,
) -> CommandResult:
    """Restore a project from a backup."""
    from annotator.files import readable_files
    from annotator.project import care

    with readable_files(file) as (read,):
        done = care.restore(read, named_project(place), context=context)
    kept = f" What was there is kept as {done.kept}." if done.kept else ""
    return CommandResult(done, [f"Restored {done.project}.{kept}"])


@command(
    app,
    "move",
    gives="annotator.project.care.MovedProject",
    example="annotator move team.db postgresql://anna@host/team",
)
def move(
    context: "JobContext",
    place: Annotated[str, typer.Argument(metavar="FROM", help="The project: a file or a postgresql:// URL.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="A new file, or a database without a project.")],
    person: Person = None,
) -> CommandResult:
    """Move a project from a file to a server, or back."""
    from annotator.project import care

    with opened(place, person) as workspace:
        source = workspace.shown_place
        done = care.move(workspace, named_project(target), context=context)
    left = (
        f"The former file is {done.kept}."
        if done.kept
        else f"{source} stays as it was: drop it once {done.project} works."
    )
    missed = (
        f"Warning: {counted(done.missed_count, 'event')} came to {source} meanwhile and were left. "
        f"Have everybody close it, drop {done.project} and move again."
    )
    moved = f"Moved to {done.project} with {counted(done.event_count, 'event')}. {left}"
    return CommandResult(done, [moved], [missed] if done.missed_count else [])


@command(policy_app, "show", gives=_POLICY, example="annotator policy show -p team.db")
def policy_show(workspace: "Workspace") -> CommandResult:
    """Print the review policy."""
    from annotator.review.measures.threshold_effects import threshold_effects
    from annotator.review.shortages import shortages_now

    policy = workspace.policy()
    fields, values = type(policy).model_fields, policy.model_dump(mode="json")
    rows = [
        # As `policy set` takes it: texts bare, everything else as JSON.
        [
            key,
            value if isinstance(value, str) else dumps(value, ensure_ascii=False),
            fields[key].description or "",
        ]
        for key, value in values.items()
    ]
    table = Table(["setting", "value", "meaning"], rows)
    effects = threshold_effects(workspace).words
    return CommandResult(values, [table, effects], _warnings(shortages_now(workspace)))


@command(
    policy_app,
    "guidelines",
    gives={
        "changes": ["annotator.review.measures.guideline_versions.GuidelineChange"],
        "batches": ["annotator.review.measures.guideline_versions.BatchVersions"],
    },
    example="annotator policy guidelines -p team.db",
)
def policy_guidelines(workspace: "Workspace") -> CommandResult:
    """Print every version of the team's guidelines, and those each batch was judged under."""
    from annotator.review.measures.guideline_versions import guideline_changes, versions_judged

    changes, batches = guideline_changes(workspace), versions_judged(workspace)
    return CommandResult(
        {"changes": changes, "batches": batches},
        [
            Table(
                ["version", "at", "by", "line"],
                [[one.version, f"{one.at:%Y-%m-%d}", one.by, line] for one in changes for line in one.lines],
            ),
            Table(
                ["batch", "judgments by version"],
                [[one.batch, ", ".join(f"{v}: {n}" for v, n in one.judgments.items())] for one in batches],
            ),
        ],
    )


@command(
    policy_app, "set", gives=_POLICY, example="annotator policy set reviewers=3 sample_share=5% -p team.db"
)
def policy_set(
    workspace: "Workspace",
    assignments: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A whole policy, as `policy show --json` prints it."),
    ] = None,
    named_preset: Annotated[
        str, typer.Option("--preset", help="A procedure: default, c3bench or wildtoolbench.")
    ] = "",
) -> CommandResult:
    """Change the review policy; history stays as it is."""
    from annotator.files import readable_files
    from annotator.project.policy import changed_policy, preset, read_policy
    from annotator.review.policy_changes import change_review_policy, replace_review_policy
    from annotator.review.shortages import shortages_now

    named = (*(preset(named_preset) if named_preset else ()), *(assignments or ()))
    if not named and file is None:
        raise InputError(
            "No setting was named.", "Write KEY=VALUE or --file FILE; see `annotator policy show`."
        )
    with readable_files(*([file] if file else [])) as read:
        policy = (
            replace_review_policy(workspace, changed_policy(read_policy(read[0]), named)).value
            if read
            else change_review_policy(workspace, named).value
        )
    changed = ", ".join([*([str(file)] if file else []), *named])
    return CommandResult(policy, [f"Changed: {changed}."], _warnings(shortages_now(workspace)))


def _warnings(shortages: tuple[str, ...]) -> list[str]:
    """What a policy asks for that the people of the project cannot give."""
    return [f"Warning: {sentence}" for sentence in shortages]


@command(
    audit_app,
    "verify",
    gives={"events": int, "head": str, "holds": bool, "reason": str, "anchors": int},
    example="annotator audit verify --anchor safe/team.jsonl -p team.db",
)
def audit_verify(
    workspace: "Workspace",
    anchor: Annotated[
        Path | None,
        typer.Option(
            "--anchor",
            help="Compare with the ends noted in this file, and add the present one; '-' is only read.",
        ),
    ] = None,
) -> CommandResult:
    """Check the chain of events."""
    from annotator.files import is_stream, readable_files
    from annotator.project import audit

    with readable_files(*([anchor] if anchor else [])) as read:
        anchors = audit.read_anchors(read[0]) if read else ()
        report = audit.audit(workspace, anchors=anchors)
        keeps = anchor is not None and report.holds and not is_stream(anchor)
        is_noted = keeps and anchor is not None and audit.note_anchor(workspace, anchor, report)
    said = f"All {report.event_count} events are intact; the last hash is {report.head}."
    if anchors:
        said += f" The chain fits {counted(len(anchors), 'anchor')} since {anchors[0].at:%Y-%m-%d}."
    if is_noted:
        said += f" This end was noted in {anchor}."
    return CommandResult(
        {
            "events": report.event_count,
            "head": report.head,
            "holds": report.holds,
            "reason": report.reason,
            "anchors": len(anchors),
        },
        [said if report.holds else f"Event {report.broken_seq} is not intact: {report.reason}"],
        code=0 if report.holds else 3,
    )


@command(
    audit_app,
    "export",
    gives={"events": int, "path": str},
    example="annotator audit export -o events.jsonl -p team.db",
    writes="out",
)
def audit_export(
    workspace: "Workspace",
    context: "JobContext",
    out: Annotated[Path, typer.Option("-o", "--out", help="File to write; '-' is standard output.")] = Path(
        "-"
    ),
) -> CommandResult:
    """Write every event with its hashes, a JSON object a line."""
    from annotator.project import audit
    from annotator.review.sessions.steps import refuse_hidden_votes

    refuse_hidden_votes(workspace)
    count = audit.export_events(workspace, out, context=context)
    return CommandResult(
        {"events": count, "path": str(out)},
        [f"Wrote {counted(count, 'event')} to {tr('standard output') if out == Path('-') else out}."],
    )


@command(
    user_app,
    "add",
    gives={"id": int, "name": str, "roles": [str]},
    example="annotator user add ana --role annotator -p team.db",
)
def user_add(
    workspace: "Workspace",
    name: str,
    roles: Annotated[list[Role], typer.Option("--role", help="May be given several times.")],
    with_password: Annotated[bool, typer.Option("--password", help="Ask for a password.")] = False,
) -> CommandResult:
    """Add a person."""
    from annotator.project.people import add_person

    password = (
        typer.prompt(tr("Password"), hide_input=True, confirmation_prompt=True) if with_password else None
    )
    number = add_person(workspace, name, roles=roles, password=password).value
    return CommandResult(
        {"id": number, "name": name, "roles": roles},
        [f"{name} was added with these roles: {', '.join(roles)}."],
    )


@command(user_app, "list", gives=["db.read.rows.PersonRow"], example="annotator user list -p team.db")
def user_list(workspace: "Workspace") -> CommandResult:
    """List the people of the project."""
    from annotator.project.people import list_people

    people = list_people(workspace)
    table = Table(
        ["name", "roles", "active", "away until", "password"],
        [
            [
                p.name,
                with_commas(p.roles),
                tr("yes") if p.is_active else tr("no"),
                p.away_until or "",
                tr("yes") if p.has_password else tr("no"),
            ]
            for p in people
        ],
    )
    return CommandResult(people, [table])


@command(
    user_app,
    "invite",
    gives={"name": str, "text": str},
    example="annotator user invite ana -p postgresql://anna@host/team",
)
def user_invite(workspace: "Workspace", name: str) -> CommandResult:
    """Print an invitation to a team project for a person; it holds no password."""
    from annotator.project.connection import is_local, write_invitation

    text = write_invitation(workspace, name)
    is_here = is_local(workspace.project)
    warnings = ["Warning: the server's address works on this computer only."] if is_here else []
    return CommandResult({"name": name, "text": text}, [text.rstrip()], warnings)


@command(
    user_app,
    "passwd",
    gives={"name": str, "has_password": bool},
    example="annotator user passwd ana -p team.db",
)
def user_passwd(
    workspace: "Workspace",
    name: str,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the password.")] = False,
) -> CommandResult:
    """Set or remove a password."""
    from annotator.project.people import set_password

    password = None if remove else typer.prompt(tr("New password"), hide_input=True, confirmation_prompt=True)
    set_password(workspace, name, password=password)
    return CommandResult(
        {"name": name, "has_password": password is not None},
        [f"{name} {'has a new password' if password is not None else 'needs no password'}."],
    )


@command(
    user_app,
    "away",
    gives={"name": str, "away_until": (date, None), "held": [str]},
    example="annotator user away ana 2026-12-10 -p team.db",
)
def user_away(
    workspace: "Workspace",
    name: str,
    day: Annotated[
        str, typer.Argument(metavar="DAY", help="The day they are back, such as 2026-12-10, or none.")
    ],
) -> CommandResult:
    """Say until which day a person gets no work; lists the cases they hold."""
    from annotator.project.people import set_away
    from annotator.review.batches import parse_day
    from annotator.review.queue.assignments import held_by

    until = None if day == "none" else parse_day(day)
    set_away(workspace, name, until=until)
    held = held_by(workspace, name=name) if until else ()
    words = [f"{name} is away until {until}." if until else f"{name} is here."]
    if held:
        words.append(
            f"They hold {counted(len(held), 'case')}: `annotator user share-out {name}` hands it on."
        )
    return CommandResult({"name": name, "away_until": until, "held": held}, words)


@command(
    user_app,
    "share-out",
    gives="annotator.review.bulk_changes.BulkOutcome",
    example="annotator user share-out ana --dry-run -p team.db",
)
def user_share_out(
    workspace: "Workspace",
    context: "JobContext",
    name: str,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would do; change nothing.")] = False,
) -> CommandResult:
    """Give to others what a person owns, has open, or was handed, case by case."""
    from annotator.review.bulk_changes import BulkAction, BulkChange, change_cases
    from annotator.review.queue.assignments import held_by

    done = change_cases(
        workspace,
        held_by(workspace, name=name),
        change=BulkChange(action=BulkAction.SHARE_OUT, value=name),
        context=context,
        is_done=not dry_run,
    )
    return CommandResult(done, done.words, code=1 if done.left else 0)


@command(
    user_app,
    "disable",
    gives={"name": str, "is_active": bool},
    example="annotator user disable ana -p team.db",
)
def user_disable(
    workspace: "Workspace",
    name: str,
    enable: Annotated[bool, typer.Option("--enable", help="Re-enable the person.")] = False,
) -> CommandResult:
    """Disable a person; the cases they hold go back to the queue."""
    from annotator.project.people import set_active

    set_active(workspace, name, active=enable)
    return CommandResult(
        {"name": name, "is_active": enable},
        [f"{name} is enabled." if enable else f"{name} is disabled."],
    )
