"""Commands about BFCL's own checker."""

from pathlib import Path
from typing import Annotated

import typer

from ui.cli.command import CommandResult, command, group

app = typer.Typer()
bfcl_app = group(app, "bfcl", "BFCL: what its checker needs.")


@command(bfcl_app, "setup", gives={"simulators": str}, example="annotator bfcl setup")
def setup(
    wheels: Annotated[
        Path | None,
        typer.Option("--wheels", metavar="DIR", help="A folder with the wheels; else pip's index."),
    ] = None,
) -> CommandResult:
    """Install BFCL's simulators, by which score --rules bfcl judges several turns."""
    from annotator.release.bfcl_package import install_simulators

    folder = install_simulators(wheels)
    return CommandResult({"simulators": str(folder)}, [f"BFCL's simulators are installed: {folder}."])
