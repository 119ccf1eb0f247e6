"""The `annotator` command: opens the window when bare, runs commands otherwise, makes exit codes of errors.

The commands are imported where one is given: they take longer to import than the window to be painted.
"""

import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from scoring.errors import AnnotatorError, InputError, missing_package
from scoring.wording import without_passwords
from ui.cli.window import open_window

OUTPUT_FAILURES = (errno.EPIPE, errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EBADF)
"""What the system says of a standard output that is closed or full."""
LEFT_ALONE = 141
"""The exit code where whoever reads standard output left, as `head` does: 128 + SIGPIPE, as shells count."""
_COMPLETION = "_ANNOTATOR_COMPLETE"
"""Set by shells that ask what may follow; they name no arguments."""
_STOPPED = "Stopped. What was finished before stays."
CONFIG = "annotator.toml"
"""A file of defaults: in the folder where a command is typed, else in the user's folder of settings."""
_VARIABLES = {
    "project": "ANNOTATOR_PROJECT",
    "person": "ANNOTATOR_USER",
    "base_url": "ANNOTATOR_BASE_URL",
    "model": "ANNOTATOR_MODEL",
    "models": "ANNOTATOR_MODELS",
    "lang": "ANNOTATOR_LANG",
}
"""What a file of defaults may say, and the variable that says the same and counts before it."""


def run() -> None:
    """Run the command line; the entry point of the installed `annotator` command."""
    out = sys.stdout
    if out is not None and isinstance(out.buffer, io.RawIOBase):
        # PYTHONUNBUFFERED leaves a raw stream, which drops without a word what a full disk did not take.
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(out.buffer), out.encoding, out.errors)
    try:
        sys.exit(exit_code(sys.argv[1:]))
    except ImportError as exc:
        missing = missing_package(exc)
        if missing is None:
            raise
        sys.exit(str(missing))


def exit_code(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code (contracts 1): 0 done, 1 cannot, 2 wrong usage, 3 does not hold.

    Where the reader of a pipe left, nobody misses the rest: the code is 141, and nothing is said.
    """
    try:
        is_command = bool(arguments) or _COMPLETION in os.environ
        return _command(arguments) if is_command and not _is_file(arguments) else _open_bare(*arguments)
    except AnnotatorError as exc:
        if _is_left_alone(exc):
            return LEFT_ALONE
        _tell(exc.message)
        _tell(exc.hint)
        if sys.stderr is not None and sys.stderr.isatty():  # scripts read what is wrong, people more of it
            from annotator.resources import place_of_message

            place = place_of_message(exc.message)
            _tell(f"See: {place}" if place else "")
    except KeyboardInterrupt:
        _tell(_STOPPED)
    except OSError as exc:
        if exc.errno not in OUTPUT_FAILURES or exc.filename is not None:
            raise
        if exc.errno == errno.EPIPE:
            return LEFT_ALONE
        _tell(f"Standard output cannot be written: {exc.strerror}.")
    finally:
        _drop_unwritten()
    return 1


def _is_file(arguments: Sequence[str]) -> bool:
    """Whether a project file is all that is named, as by a double click; no command has a dot or a slash."""
    return len(arguments) == 1 and bool({".", os.sep} & set(arguments[0])) and Path(arguments[0]).is_file()


def _open_bare(file: str | None = None) -> int:
    """Open the window with the default options, or on a file."""
    read_config()
    project, person = (os.environ.get(name) or None for name in ("ANNOTATOR_PROJECT", "ANNOTATOR_USER"))
    return open_window(file or project, person)


_OBJECTS_BEFORE_COLLECTING = 250_000
"""New objects before the garbage collector looks: what a command reads it keeps, and looking took a tenth."""


def _command(arguments: Sequence[str]) -> int:
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTING)
    from ui.cli.groups import app

    _warn_of_visible_passwords(arguments)
    read_config()
    language = os.environ.get("ANNOTATOR_LANG")
    before = ["--lang", language] if language else []  # named first, since --help would come before it
    try:
        app(args=[*before, *arguments], prog_name="annotator")
    except SystemExit as exc:
        if _is_left_alone(exc):
            return LEFT_ALONE
        if exc.code == 130:  # what Typer makes of Ctrl+C, without a word
            raise KeyboardInterrupt from exc
        if sys.stdout is not None:
            sys.stdout.flush()
        return exc.code if isinstance(exc.code, int) else 0
    except Exception as exc:
        from annotator.jobs import JobCancelled  # late: the help of a command needs none of it

        if not isinstance(exc, JobCancelled):
            raise
        _tell(_STOPPED)
        return 1
    return 0


def _is_left_alone(exc: BaseException) -> bool:
    """Whether the reader of a pipe left; Typer makes an exit of that, our own files an error."""
    return isinstance(exc.__context__, BrokenPipeError)


def _warn_of_visible_passwords(arguments: Sequence[str]) -> None:
    for argument in arguments:
        if argument != without_passwords(argument):
            from annotator.project.passwords import visible_password_warning

            warning = visible_password_warning(argument.removeprefix("--project=").removeprefix("-p"))
            _tell(f"Warning: {warning}" if warning else "")


def _drop_unwritten() -> None:
    """Discard what standard output did not take; Python would try again at exit, and complain."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


def _tell(words: str) -> None:
    from ui.cli.output import tell

    tell(words)


if __name__ == "__main__":
    run()


def read_config() -> None:
    """Set the variables that a file of defaults names and nobody has set; a path in it is relative to it.

    Raises:
        InputError: It cannot be read, or says what is not known.
    """
    import tomllib

    import platformdirs

    file = Path(CONFIG)
    if not file.is_file():
        file = platformdirs.user_config_path("annotator", appauthor=False) / CONFIG
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as exc:
        raise InputError(f"{file.resolve()} cannot be read: {exc}.", "Correct it, or remove it.") from exc
    for key, value in values.items():
        if key not in _VARIABLES or not isinstance(value, str):
            known = ", ".join(_VARIABLES)
            raise InputError(f"{file.resolve()} says '{key}', which is no default.", f"Write texts: {known}.")
        is_path = key == "models" or (key == "project" and "://" not in value)
        os.environ.setdefault(_VARIABLES[key], str(file.parent / value) if is_path else value)
