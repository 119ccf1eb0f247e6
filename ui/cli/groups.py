"""Every group of commands in one program; what it is called with belongs to `main`."""

import os
from functools import partial
from importlib import import_module
from io import StringIO
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ui.cli import (
    batches,
    cases,
    contracts,
    coverage,
    demo,
    measures,
    project,
    review,
    sessions,
)
from ui.cli.language import Language, follow
from ui.cli.options import Person, Project
from ui.cli.output import tell
from ui.cli.runs import bfcl, bundles, mend, models, release, reports, run, score
from ui.shell.extensions import EXTENSIONS

SECTIONS = {
    "Project": (project,),
    "Cases": (cases, batches),
    "Review": (review, sessions),
    "Measures": (measures, coverage),
    "Releases and scores": (mend, release, bundles, run, score, bfcl, reports, models),
    "Contracts": (contracts,),
    "Sample": (demo,),
}
"""The headings of the help, and where the commands under them are."""


class Sectioned(TyperGroup):
    """A group whose help lists its commands under headings, and whose refusals say nothing of Pydantic."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except Exception as exc:
            if isinstance(exc, typer.BadParameter):
                exc.message = exc.message.removeprefix("Value error, ")
            if hasattr(exc, "show"):
                exc.show = partial(_tell_refusal, exc)
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each heading."""
        width = formatter.width - 16
        for heading in SECTIONS:
            rows = [
                (name, command.get_short_help_str(width))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == heading
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)


def _tell_refusal(refused: Any) -> None:
    """Say what is wrong with what was typed, as the library has it, in the language."""
    words = StringIO()
    type(refused).show(refused, words)
    tell(words.getvalue())


app = typer.Typer(
    name="annotator",
    cls=Sectioned,
    help="Turn generated tool-use dialogues into verified benchmark cases, and score models against them.",
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: annotator demo --headless",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def bare(
    context: typer.Context,
    project_name: Project = None,
    person: Person = None,
    language: Annotated[
        Language | None,
        typer.Option(
            "--lang",
            envvar="ANNOTATOR_LANG",
            is_eager=True,
            callback=follow,
            help="Language of help, tables and messages.",
        ),
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Open the window when no command is given."""
    if version:
        from importlib.metadata import version as installed

        from scoring.errors import DISTRIBUTION

        typer.echo(f"annotator {installed(DISTRIBUTION)}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from ui.cli.window import open_window

        raise typer.Exit(open_window(project_name, person))
    for name, value in (("ANNOTATOR_PROJECT", project_name), ("ANNOTATOR_USER", person)):
        if value is not None:
            os.environ[name] = value  # what is named before the command holds for it, too


for heading, modules in SECTIONS.items():
    parts = [part.commands for part in EXTENSIONS if part.commands and part.section == heading]
    for module in (*modules, *map(import_module, parts)):
        for entry in (*module.app.registered_commands, *module.app.registered_groups):
            entry.rich_help_panel = heading
        app.add_typer(module.app)
