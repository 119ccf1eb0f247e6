"""The people, batches and releases a question names: whoever asks about one that is not there is told so."""

from collections.abc import Callable, Iterable
from functools import partial

from db.read import batches, people
from db.read.reviews import list_releases
from db.read.rows import BatchRow, PersonRow, ReleaseRow
from db.tables import Transaction
from scoring.errors import NotFoundError
from scoring.generics import T

_MOST_NAMED = 12


def person_named(tx: Transaction, name: str) -> PersonRow:
    """A person by name.

    Raises:
        NotFoundError: Nobody in the project is called that; disabled people still are.
    """
    return _known(
        people.find_person(tx, name),
        f"Nobody is called '{name}' in this project.",
        "People",
        partial(people.list_people, tx),
        command="annotator user list",
    )


def batch_named(tx: Transaction, name: str) -> int:
    """Number of a batch.

    Raises:
        NotFoundError: The project has no such batch.
    """
    return _known(
        batches.find_batch(tx, name),
        f"There is no batch '{name}'.",
        "Batches",
        partial(batches.list_batches, tx),
        command="annotator batch list",
    )


def release_named(tx: Transaction, name: str) -> ReleaseRow:
    """A release by name.

    Raises:
        NotFoundError: The project has no such release.
    """
    rows = list_releases(tx)
    return _known(
        next((row for row in rows if row.name == name), None),
        f"There is no release '{name}'.",
        "Releases",
        lambda: rows,
        command="annotator release list",
    )


def require_known(tx: Transaction, *, names: Iterable[str], batch: str) -> None:
    """Refuse the name of nobody and a batch that is not there; an empty name passes.

    Raises:
        NotFoundError: The project knows no such person or batch.
    """
    for name in filter(None, names):
        person_named(tx, name)
    if batch:
        batch_named(tx, batch)


def _known(
    found: T | None,
    missing: str,
    noun: str,
    listed: Callable[[], Iterable[PersonRow | BatchRow | ReleaseRow]],
    *,
    command: str,
) -> T:
    """What was found; else say what there is, or the command for it where that is nothing or too much."""
    if found is not None:
        return found
    names = [row.name for row in listed()]
    hint = f"{noun}: {', '.join(names)}." if 0 < len(names) <= _MOST_NAMED else f"See `{command}`."
    raise NotFoundError(missing, hint)
