"""What is handed to the database thread, what comes back, and the project it is about."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject

from annotator.project.changes import Changes
from scoring.errors import AnnotatorError
from ui.services.jobs import WindowJob

if TYPE_CHECKING:
    from concurrent.futures import Future

    from annotator.project.people import PersonRow


@dataclass(frozen=True)
class OpenProject:
    """The project that is open, and in whose name; `person` is null until somebody was chosen.

    `project` opens it again and may hold a password: it is never shown or written; `place` is what people
    see, `address` what files keep.
    """

    project: str = field(repr=False)
    address: str
    name: str
    place: str
    is_shared: bool
    person: "PersonRow | None"
    people: "tuple[PersonRow, ...]"


class Pending:
    """A call that was handed over; see the package's text for when to cancel it."""

    def __init__(
        self,
        then: Callable[[Any], object] | None,
        failed: Callable[[AnnotatorError], object] | None,
        origin: object = None,
        *,
        is_in_project: bool = False,
    ) -> None:
        self.then = then
        self.failed = failed
        self.origin = origin
        self.is_in_project = is_in_project
        self.is_cancelled = False
        self.future: Future[None] | None = None

    def cancel(self) -> None:
        """Take it back: it does not run if it has not begun, and its result is dropped."""
        self.is_cancelled = True
        if self.future is not None:
            self.future.cancel()


NOTHING = Changes()
"""What a look changes."""


@dataclass(frozen=True)
class Outcome:
    """What became of a call."""

    pending: Pending
    value: object = None
    changes: Changes = NOTHING
    error: BaseException | None = None


@dataclass(frozen=True)
class JobOutcome:
    """What became of a job."""

    job: WindowJob
    outcome: Outcome


def is_there(callback: Callable[..., object]) -> bool:
    """Whether the widget behind a bound method still exists; anything else always does."""
    while isinstance(callback, partial):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    return not isinstance(owner, QObject) or shiboken6.isValid(owner)
