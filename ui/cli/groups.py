"""Every group of commands in one program; what it is called with belongs to `main`."""

from typing import Annotated

import typer

from ui.cli import cases, demo, measures, people, project, release, review, runs, scores
from ui.cli.options import Person, Project

app = typer.Typer(
    name="annotator",
    help="Turn generated tool-use dialogues into verified benchmark cases, and score models against them.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def bare(
    context: typer.Context,
    project_name: Project = None,
    person: Person = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Open the window when no command is given."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"annotator {installed('annotator')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from ui.cli.window import open_window

        raise typer.Exit(open_window(project_name, person))


for group in (project, people, cases, review, measures, release, runs, scores, demo):
    group.register(app)
