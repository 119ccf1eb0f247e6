"""The `annotator` command: opens the window when bare, runs commands otherwise, makes exit codes of errors.

The commands are imported where one is given: they take longer to import than the window to be painted.
"""

import os
import sys
from collections.abc import Sequence

from scoring.errors import AnnotatorError
from ui.cli.window import open_window

_STOPPED = "Stopped. What was finished before stays."


def run() -> None:
    """Run the command line; the entry point of the installed `annotator` command."""
    sys.exit(exit_code(sys.argv[1:]))


def exit_code(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code (cli.md): 0 done, 1 cannot, 2 wrong usage, 3 does not hold."""
    try:
        return _command(arguments) if arguments else _open_bare()
    except AnnotatorError as exc:
        _tell(exc.message)
        if exc.hint:
            _tell(exc.hint)
    except KeyboardInterrupt:
        _tell(_STOPPED)
    return 1


def _open_bare() -> int:
    """Open the window as the options would say that are left out."""
    project, person = (os.environ.get(name) or None for name in ("ANNOTATOR_PROJECT", "ANNOTATOR_USER"))
    return open_window(project, person)


def _command(arguments: Sequence[str]) -> int:
    from annotator.jobs import JobCancelled
    from ui.cli.groups import app

    try:
        app(args=list(arguments), prog_name="annotator")
    except SystemExit as exc:
        return exc.code if isinstance(exc.code, int) else 0
    except JobCancelled:
        _tell(_STOPPED)
        return 1
    return 0


def _tell(words: str) -> None:
    from ui.cli.output import tell

    tell(words)


if __name__ == "__main__":
    run()
