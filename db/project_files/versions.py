"""What marks a database as ours, and the schema versions this program knows."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from scoring.errors import OlderProjectError, StoreError

APPLICATION_ID = 0x416E6E6F
"""SQLite's application id of a project file: the ASCII letters "Anno"."""

VERSION_TABLE = "annotator_revision"
"""Alembic's table under our own name, so that another program's database is never taken for a project."""


class ProjectState(StrEnum):
    """How a database stands to this program."""

    NOT_A_PROJECT = "not_a_project"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"


@dataclass(frozen=True)
class History:
    """The schema versions a program knows, in order, and the folder that holds their migrations."""

    folder: Path
    revisions: tuple[str, ...]

    @property
    def head(self) -> str:
        """The schema version the program reads and writes."""
        return self.revisions[-1]

    def state_of(self, revision: str | None) -> ProjectState:
        """Judge a schema version: null is no project, an unknown one was written by a newer program."""
        if revision is None:
            return ProjectState.NOT_A_PROJECT
        if revision not in self.revisions:
            return ProjectState.NEWER
        return ProjectState.CURRENT if revision == self.head else ProjectState.OLDER


HISTORY = History(
    folder=Path(__file__).parents[1] / "migrations",
    revisions=("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010"),
)
"""Our own. Listed here, not read from the folder: opening a project need not import alembic."""


def refuse_unless_current(state: ProjectState, name: str) -> None:
    """Refuse a database this program cannot work on.

    Raises:
        StoreError: It is no project, or of another version; the hint says how to get on.
        OlderProjectError: Of an older one, which `upgrade` brings up to date.
    """
    match state:
        case ProjectState.NOT_A_PROJECT:
            raise StoreError(
                f"There is no project in {name}.", "Create one with `annotator init`, or choose another."
            )
        case ProjectState.NEWER:
            raise StoreError(
                f"{name} was written by a newer version of Annotator.", "Update Annotator to open it."
            )
        case ProjectState.OLDER:
            raise OlderProjectError(
                f"{name} was written by an older version of Annotator.",
                "Upgrade it with `annotator migrate`; a copy of the present state is kept.",
            )
