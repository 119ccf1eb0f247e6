"""The `annotator` command: in a process of its own, or in this one where that is not what is tested."""

import functools
import gc
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import typer.main

from tests.e2e.schemas import check_document, command_of
from tests.shared import ROOT
from ui.cli.main import exit_code

PROGRAM = "ui.cli"
"""What `python -m` runs; the copy of the tests for the installed package names that."""
FLOOR = PROGRAM.removesuffix(".cli")
_BUILT = functools.cache(typer.main.get_command)
"""The commands of an application, built once: Typer does at each call, a third of the time of a short one."""


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def rows(self) -> Any:
        """The rows of a document that is a list."""
        return self.document["rows"]


def annotator(
    *arguments: object, person: str | None = None, cwd: Path = Path("/"), **environment: str
) -> Ran:
    """Run the command in this process, which has imported already what a process takes a second to import."""
    out, err = _stream(), _stream()
    thresholds = gc.get_threshold()
    try:
        with (
            patch.dict(os.environ, _environment(person, environment), clear=True),
            patch("typer.main.get_command", _BUILT),
            chdir(cwd),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = exit_code([str(argument) for argument in arguments])
    finally:
        gc.set_threshold(*thresholds)
    ran = Ran(code, _printed(out), _printed(err))
    name = command_of([str(argument) for argument in arguments])
    if "--json" in arguments and name and code in (0, 3):
        check_document(name, ran.document)
    return ran


def annotator_process(
    *arguments: object,
    person: str | None = None,
    cwd: Path = Path("/"),
    stdin: str | None = None,
    **environment: str,
) -> Ran:
    """Run the command as a script would, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", f"error::DeprecationWarning:{FLOOR}", "-m", PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=_environment(person, environment),
        cwd=cwd,
        input=stdin,
        timeout=300,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@contextmanager
def started(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """The command as a process of its own that goes on meanwhile; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(None, {}),
        preexec_fn=_heed_interrupts,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _heed_interrupts() -> None:
    """Let Ctrl+C stop what is started here: a shell that runs the tests in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupt_twice(process: subprocess.Popen[str]) -> str:
    """Press Ctrl+C, and again once the command says what it waits for; what it says behind that."""
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert "press Ctrl+C again" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=300)[1]


def _environment(person: str | None, given: dict[str, str]) -> dict[str, str]:
    """What the command finds: nothing of the caller's environment names a project or person."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("ANNOTATOR_")}
    named = {} if person is None else {"ANNOTATOR_USER": person}
    return {**inherited, "PYTHONPATH": str(ROOT), **given, **named}


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _printed(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
