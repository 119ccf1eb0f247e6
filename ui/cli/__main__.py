"""`python -m ui.cli` is the `annotator` command."""

from ui.cli.main import run

run()
