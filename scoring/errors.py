"""Errors the person in front of the screen can act on; anything else is a bug."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from scoring.generics import T

DISTRIBUTION = "annotator-workbench"
"""What the program is called where packages are installed from."""
_EXTRAS = {"matplotlib": "reports", "xlsxwriter": "reports", "pyarrow": "hub", "huggingface_hub": "hub"}

Caught = TypeVar("Caught", bound=Exception)


class AnnotatorError(Exception):
    """Something went wrong that the user can put right.

    Args:
        message: What happened and where, one sentence.
        hint: What to do next, one sentence; empty where the message says it all.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InputError(AnnotatorError):
    """A file, line or value cannot be read as what it claims to be."""


class NotFoundError(AnnotatorError):
    """What was asked for does not exist in this project."""


class ForbiddenError(AnnotatorError):
    """The person's role, or the stage of the case, does not allow the action."""


class BlockedError(AnnotatorError):
    """A gate is not passed yet: what is missing is in the message."""


class ConflictError(AnnotatorError):
    """Somebody else changed the thing since it was read; nothing was overwritten."""


class StoreError(AnnotatorError):
    """The project's store cannot be opened, reached or written."""


class ServerAccessError(StoreError):
    """A database server refuses the user, or has no such database."""


class OlderProjectError(StoreError):
    """A project was written by an older version and has to be upgraded before it opens."""


class GraphError(AnnotatorError):
    """A dependency graph breaks a rule."""


class CycleError(GraphError):
    """Dependencies run in a circle.

    Args:
        cycle: Step numbers along the circle, the first repeated at the end.
    """

    def __init__(self, cycle: tuple[int, ...]) -> None:
        path = " -> ".join(map(str, cycle))
        super().__init__(
            f"The dependencies run in a circle: {path}.",
            "Remove one of these dependencies.",
        )
        self.cycle = cycle


def existing(value: T | None, error: Exception) -> T:
    """Take a value that has to be there.

    Raises:
        Exception: The error given, where the value is None.
    """
    if value is None:
        raise error
    return value


def filled(value: T, error: Exception) -> T:
    """Take a text, a count or several values, of which there has to be something.

    Raises:
        Exception: The error given, where the value is empty.
    """
    if not value:
        raise error
    return value


@contextmanager
def reworded(*kinds: type[Caught], into: Callable[[Caught], Exception]) -> Iterator[None]:
    """Have the errors of a library, or of a part, said in the words of who asked for it.

    An error of these kinds becomes the one that `into` makes of it, with the first as its cause; others go on
    as they are.
    """
    try:
        yield
    except kinds as exc:
        raise into(exc) from exc


def install_hint(extra: str = "") -> str:
    """The next step where packages are missing: of an extra, else those the whole program needs."""
    return f"Install it with: pip install '{DISTRIBUTION}{extra and f'[{extra}]'}'"


def missing_package(error: ImportError) -> BlockedError | None:
    """What to say of a package that is not installed; None where the program's own module is missing."""
    package = (error.name or "").partition(".")[0]
    if not package or package == __name__.partition(".")[0]:
        return None
    return BlockedError(
        f"This needs the package {package}, which is not installed.", install_hint(_EXTRAS.get(package, ""))
    )
