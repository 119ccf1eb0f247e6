"""Commands about the cards of models: what is known of each beside its runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.wording import counted
from ui.cli.command import CommandResult, command
from ui.cli.output import Table

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

app = typer.Typer()
model_app = typer.Typer(help="Models: what is known of each, beside its runs.", no_args_is_help=True)
app.add_typer(model_app, name="model")


@command(
    model_app,
    "list",
    gives=[{"run": int, "name": str, "model_card": ("scoring.model_card.ModelCard", None)}],
    example="annotator model list -p team.db",
)
def model_list(workspace: "Workspace") -> CommandResult:
    """List the runs of the project with the cards of their models."""
    from annotator.release.runs.recorded_runs import RunSummary, list_runs

    rows = list_runs(workspace)
    cards = [RunSummary.model_validate_json(row.summary).model_card for row in rows]
    document = [
        {"run": row.id, "name": row.name, "model_card": card and card.dump()}
        for row, card in zip(rows, cards, strict=True)
    ]
    table = Table(
        ["run", "name", "model", "card"],
        [
            [row.id, row.name, card.model if card else "", card.note if card else "no card"]
            for row, card in zip(rows, cards, strict=True)
        ],
    )
    return CommandResult(document, [table if rows else "There is no run yet."])


@command(
    model_app,
    "set",
    gives={"changed": int},
    example="annotator model set qm-72b size=72 kind=open -p team.db",
)
def model_set(
    workspace: "Workspace",
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Its name at the endpoint.")],
    assignments: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE")] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="All that is guessed holds.")] = False,
    run: Annotated[int | None, typer.Option("--run", help="Only in the run of this number.")] = None,
) -> CommandResult:
    """Say something of a model in all its runs; scores stay as they are. An empty value is not known."""
    from annotator.release.runs.recorded_runs import set_values

    changed = set_values(workspace, model, assignments or (), confirms=confirm, run=run).value
    return CommandResult({"changed": changed}, [_changed(changed)])


@command(
    model_app,
    "import",
    gives={"models": int, "changed": int},
    example="annotator model import models.toml -p team.db",
)
def model_import(
    workspace: "Workspace",
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of models, models.toml.")],
) -> CommandResult:
    """Give the runs of the project the cards of a file of models."""
    from annotator.release.runs.model_cards import read_models
    from annotator.release.runs.recorded_runs import import_models

    models = read_models(file)
    changed = import_models(workspace, models).value
    words = f"{counted(len(models), 'model')} read from {file}. {_changed(changed)}"
    return CommandResult({"models": len(models), "changed": changed}, [words])


def _changed(count: int) -> str:
    return f"{counted(count, 'run')} changed." if count else "No run changed."
