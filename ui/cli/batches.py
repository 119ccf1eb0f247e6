"""Commands about many cases by a name: batches, and views of the queue that the team shares."""

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.model.taxonomy import Priority
from scoring.texts import tr, with_commas
from scoring.wording import counted
from ui.cli.cases import CASES, case_filter, cases
from ui.cli.command import CommandResult, command, group
from ui.cli.output import Table

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

app = typer.Typer()
batch_app = group(app, "batch", "Batches.")
view_app = group(app, "view", "Views of the queue that the team shares.")
_MOVED = "annotator.review.batches.MovedCases"


@command(batch_app, "list", gives=["db.read.rows.BatchRow"], example="annotator batch list -p team.db")
def batch_list(workspace: "Workspace") -> CommandResult:
    """List batches."""
    from annotator.review.queue.case_rows import apart_words, batches

    rows = batches(workspace)
    table = Table(
        ["batch", "cases", "stages", "flagged"],
        [
            [
                b.name,
                b.case_count,
                with_commas(f"{s} {n}" for s, n in b.stages.items()),
                tr("yes") if b.is_flagged else "",
            ]
            for b in rows
        ],
    )
    return CommandResult(rows, [table], [apart_words(workspace)])


@command(batch_app, "show", gives=CASES, example="annotator batch show week-1 -p team.db")
def batch_show(workspace: "Workspace", name: str) -> CommandResult:
    """List the cases of a batch."""
    return cases(workspace, batch=name)


@command(
    batch_app,
    "return",
    gives={"batch": str, "returned": int},
    example="annotator batch return week-1 --reason unclear -p team.db",
)
def batch_return(
    workspace: "Workspace",
    name: str,
    reason: Annotated[str, typer.Option("--reason")],
) -> CommandResult:
    """Send a batch's cases in cross-check or approved back to their owners."""
    from annotator.review.batches import return_batch

    count = return_batch(workspace, name, reason=reason).value
    return CommandResult({"batch": name, "returned": count}, [f"{counted(count, 'case')} returned."])


@command(
    batch_app,
    "waiting",
    gives=["db.read.rows.HeldUpRow"],
    example="annotator batch waiting week-1 -p team.db",
)
def batch_waiting(workspace: "Workspace", name: str) -> CommandResult:
    """List what holds up the sample of a batch."""
    from annotator.review.batches import held_up
    from annotator.review.queue.case_rows import apart_words

    rows = held_up(workspace, name)
    apart = [apart_words(workspace)]
    if not rows:
        return CommandResult(rows, [f"Nothing holds up {name}."], apart)
    table = Table(
        ["stage", "person", "cases", "oldest since"],
        [[row.stage, row.person, row.count, f"{row.since:%Y-%m-%d %H:%M}"] for row in rows],
    )
    total = sum(row.count for row in rows)
    return CommandResult(rows, [table, f"{name} is blocked by {counted(total, 'open case')}."], apart)


@command(batch_app, "split", gives=_MOVED, example="annotator batch split week-1 --name week-1a -p team.db")
def batch_split(
    workspace: "Workspace",
    batch: Annotated[str, typer.Argument(metavar="NAME")],
    name: Annotated[str, typer.Option("--name", help="Of the new batch.")] = "",
    case: Annotated[
        list[str] | None, typer.Option("--case", help="These cases, not the finished part.")
    ] = None,
) -> CommandResult:
    """Make a new batch of the finished part of a batch, which is sampled at once, or of some cases."""
    from annotator.review.batches import split_batch

    done = split_batch(workspace, batch, name=name, cases=case).value
    return CommandResult(done, [f"{done.words} {counted(done.left, 'case')} stay in {batch}."])


@command(batch_app, "merge", gives=_MOVED, example="annotator batch merge week-1 --into week-2 -p team.db")
def batch_merge(
    workspace: "Workspace",
    batch: Annotated[str, typer.Argument(metavar="NAME")],
    into: Annotated[str, typer.Option("--into", help="The batch that gets the cases.")],
) -> CommandResult:
    """Put all cases of a batch into another one."""
    from annotator.review.batches import merge_batches

    done = merge_batches(workspace, batch, into=into).value
    return CommandResult(done, [done.words])


@command(batch_app, "move", gives=_MOVED, example="annotator batch move c-1 c-2 --to week-2 -p team.db")
def batch_move(
    workspace: "Workspace",
    case_ids: Annotated[list[str], typer.Argument(metavar="ID")],
    to: Annotated[str, typer.Option("--to", help="The batch that gets the cases.")],
) -> CommandResult:
    """Put cases that only their owners have judged into another batch, or a new one."""
    from annotator.review.batches import move_cases

    done = move_cases(workspace, case_ids, to=to).value
    return CommandResult(done, [done.words])


@command(
    batch_app,
    "due",
    gives={"batch": str, "due_on": (date, None)},
    example="annotator batch due week-1 2026-12-09 -p team.db",
)
def batch_due(
    workspace: "Workspace",
    batch: Annotated[str, typer.Argument(metavar="NAME")],
    day: Annotated[str, typer.Argument(metavar="DAY", help="Such as 2026-12-09, or none.")],
) -> CommandResult:
    """Say on which day a batch is due."""
    from annotator.review.batches import parse_day, set_due

    due = None if day == "none" else parse_day(day)
    set_due(workspace, batch, due=due)
    words = f"{batch} is due on {due}." if due else f"{batch} has no due day."
    return CommandResult({"batch": batch, "due_on": due}, [words])


@command(
    view_app,
    "list",
    gives=[{"view": str, "filters": dict}],
    example="annotator view list -p team.db",
)
def view_list(workspace: "Workspace") -> CommandResult:
    """List the views of the team with their filters."""
    from annotator.review.queue.team_views import team_views
    from scoring.model.record import to_text

    views = team_views(workspace)
    rows = [
        [name, "; ".join(f"{key}={to_text(value)}" for key, value in view.items())]
        for name, view in views.items()
    ]
    found = [{"view": name, "filters": view} for name, view in views.items()]
    return CommandResult(found, [Table(["view", "filters"], rows)])


@command(
    view_app,
    "save",
    gives={"view": str},
    example="annotator view save late --priority high -p team.db",
)
def view_save(
    workspace: "Workspace",
    name: str,
    stage: Annotated[list[str] | None, typer.Option("--stage")] = None,
    owner: Annotated[str, typer.Option("--owner")] = "",
    batch: Annotated[str, typer.Option("--batch")] = "",
    text: Annotated[str, typer.Option("--text", help="In the case's id or requests.")] = "",
    priority: Annotated[list[str] | None, typer.Option("--priority", help=f"{', '.join(Priority)}.")] = None,
    sort: Annotated[str, typer.Option("--sort", help="The order of its cases in the window.")] = "-changed",
) -> CommandResult:
    """Save filters of `annotator cases` as a view of the team."""
    from annotator.review.queue.team_views import change_team_views, view_of

    where = case_filter(
        workspace, stage, owner=owner, batch=batch, text=text, priorities=priority or (), sort=sort
    )
    change_team_views(workspace, {name: view_of(where)})
    return CommandResult({"view": name}, [f"The team has the view {name}."])


@command(view_app, "delete", gives={"view": str}, example="annotator view delete late -p team.db")
def view_delete(workspace: "Workspace", name: str) -> CommandResult:
    """Delete a view of the team."""
    from annotator.review.queue.team_views import change_team_views

    change_team_views(workspace, {name: None})
    return CommandResult({"view": name}, [f"The team has no view {name} any more."])
