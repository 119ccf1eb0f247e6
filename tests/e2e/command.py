"""The real `annotator` command in a subprocess."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.shared import ROOT


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


def annotator(
    *arguments: object,
    person: str | None = None,
    cwd: Path = Path("/"),
    stdin: str | None = None,
    **environment: str,
) -> Ran:
    """Run the command as a script would; nothing of the caller's environment names a project or person."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("ANNOTATOR_")}
    env = {**inherited, "PYTHONPATH": str(ROOT), **environment}
    if person is not None:
        env["ANNOTATOR_USER"] = person
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:ui", "-m", "ui.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=env,
        cwd=cwd,
        input=stdin,
        timeout=300,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
