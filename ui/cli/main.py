"""The `annotator` command: joins the groups, turns errors into exit codes, opens the window when bare."""

import sys
from typing import Annotated

import typer

from annotator.jobs import JobCancelled
from scoring.errors import AnnotatorError
from ui.cli import cases, demo, people, project, release, review, runs, scores
from ui.cli.options import Person, Project
from ui.cli.output import tell

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


for group in (project, people, cases, review, release, runs, scores, demo):
    group.register(app)


def run() -> None:
    """Run the command line; the entry point of the installed `annotator` command."""
    sys.exit(exit_code(sys.argv[1:]))


def exit_code(arguments: list[str]) -> int:
    """Run one command and give its exit code (cli.md): 0 done, 1 cannot, 2 wrong usage, 3 does not hold."""
    try:
        app(args=arguments, prog_name="annotator")
    except SystemExit as exc:
        return exc.code if isinstance(exc.code, int) else 0
    except AnnotatorError as exc:
        tell(exc.message)
        if exc.hint:
            tell(exc.hint)
        return 1
    except (KeyboardInterrupt, JobCancelled):
        tell("Stopped. What was finished before stays.")
        return 1
    return 0


if __name__ == "__main__":
    run()
