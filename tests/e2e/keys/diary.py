"""What happened in the window, line by line, in a file that outlives the process."""

import json
import os
from pathlib import Path

from scoring.model.case import Case, dump_case
from scoring.model.labels import Judgment
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Stage

STUCK = 3
"""Exit code of a program that did not get on."""


class Line(Record):
    """One line: what happened when.

    `at` are seconds of the system's monotonic clock, which every process shares. `kind` is `shown` (the
    window stands), `opened` (a case is on the desk), `state` (the document became another one), `typed`
    (the text of the field under the cursor), `submitting`, `submitted`, `done`, `stuck`. `state` is the hash
    of the work, `words` what the window said, `keys` how many were pressed in this life.
    """

    at: float
    kind: str
    stage: Stage | None = None
    state: str = ""
    answers: tuple[str, ...] = ()
    task: int | None = None
    words: str = ""
    keys: int = 0


class Diary:
    """Writes lines; each is with the operating system before the call returns.

    Args:
        path: The file; lines are added to what is there. A line that a kill cut off is ended first.
    """

    def __init__(self, path: Path) -> None:
        text = path.read_bytes() if path.exists() else b""
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        if text and not text.endswith(b"\n"):
            os.write(self._file, b"\n")

    def write(self, line: Line) -> None:
        """Add a line."""
        os.write(self._file, json.dumps(line.model_dump(mode="json")).encode() + b"\n")


class Reader:
    """Follows a diary while it is written.

    Args:
        path: The file; it need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = 0
        self.lines: list[Line] = []

    def read(self) -> list[Line]:
        """Read what was added since.

        A line that is being written comes next time; one that a kill cut off, in the middle of the system's
        own writing, says nothing.
        """
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._place)
            whole = file.read().rpartition(b"\n")[0]
        if not whole:
            return []
        self._place += len(whole) + 1
        fresh = [Line.model_validate_json(text) for text in whole.split(b"\n") if text.endswith(b"}")]
        self.lines += fresh
        return fresh


def state_of(stage: Stage, case: Case, judgment: Judgment) -> str:
    """The hash of everything a person can have done to a case; the time they took is left out."""
    said = judgment.model_copy(update={"seconds": 0.0})
    return sha256_of(
        {"stage": stage.value, "case": dump_case(case), "judgment": said.model_dump(mode="json")}
    )


def answers_of(case: Case) -> tuple[str, ...]:
    """The answers of a case's tasks; an empty text where there is none."""
    return tuple(task.answer.text if task.answer is not None else "" for task in case.tasks)
