"""The command that begins to mend a public benchmark."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.texts import with_commas
from ui.cli.cases import imported
from ui.cli.command import CommandResult, command
from ui.cli.output import Table

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

app = typer.Typer()
_DOUBTFUL_SHOWN = 20


@command(
    app,
    "mend",
    gives="annotator.release.suspects.MendingStart",
    example="annotator mend public.jsonl --run a.jsonl --run b.jsonl -p bench.db",
)
def mend(
    workspace: "Workspace",
    context: "JobContext",
    files: Annotated[list[Path], typer.Argument(metavar="FILE")],
    runs: Annotated[
        list[Path] | None,
        typer.Option("--run", metavar="FILE", help="Predictions of a model over the files."),
    ] = None,
    batch: Annotated[str, typer.Option("--batch", help="Name of the batch.")] = "",
) -> CommandResult:
    """Import a public benchmark to mend it. Doubtful cases are listed, and the queue gives them out first."""
    from annotator.release.suspects import MendingOrder, suspect_words

    order = MendingOrder(files=tuple(files), batch=batch, runs=tuple(runs or ()))
    start = order.mend(workspace, context=context)
    table = Table(
        ["case", "weight", "findings", "what"],
        [
            [
                *(one.case, f"{one.weight:.1f}", with_commas(one.rules)),
                "; ".join(map(suspect_words, one.suspects)),
            ]
            for one in start.doubtful[:_DOUBTFUL_SHOWN]
        ],
    )
    words, notes = imported(start.report)
    return CommandResult(start, [table, words, *start.lines], notes)
