"""The people, batches and releases a question names: whoever asks about one that is not there is told so."""

from collections.abc import Iterable, Sequence

from db.read import batches, people
from db.read.reviews import list_releases
from db.read.rows import PersonRow, ReleaseRow
from db.tables import Transaction
from scoring.errors import NotFoundError

_MOST_NAMED = 12


def person_named(tx: Transaction, name: str) -> PersonRow:
    """A person by name.

    Raises:
        NotFoundError: Nobody in the project is called that; disabled people still are.
    """
    found = people.find_person(tx, name)
    if found is None:
        known = [person.name for person in people.list_people(tx)]
        hint = _hint("People", known, command="annotator user list")
        raise NotFoundError(f"Nobody is called '{name}' in this project.", hint)
    return found


def batch_named(tx: Transaction, name: str) -> int:
    """Number of a batch.

    Raises:
        NotFoundError: The project has no such batch.
    """
    number = batches.find_batch(tx, name)
    if number is None:
        known = [batch.name for batch in batches.list_batches(tx)]
        hint = _hint("Batches", known, command="annotator batch list")
        raise NotFoundError(f"There is no batch '{name}'.", hint)
    return number


def release_named(tx: Transaction, name: str) -> ReleaseRow:
    """A release by name.

    Raises:
        NotFoundError: The project has no such release.
    """
    found = next((row for row in list_releases(tx) if row.name == name), None)
    if found is None:
        raise NotFoundError(f"There is no release '{name}'.", "See `annotator release list`.")
    return found


def require_known(tx: Transaction, *, names: Iterable[str], batch: str) -> None:
    """Refuse the name of nobody and a batch that is not there; an empty name passes.

    Raises:
        NotFoundError: The project knows no such person or batch.
    """
    for name in filter(None, names):
        person_named(tx, name)
    if batch:
        batch_named(tx, batch)


def _hint(noun: str, known: Sequence[str], *, command: str) -> str:
    """Name what there is, or the command that lists it where that is nothing or too much for a sentence."""
    return f"{noun}: {', '.join(known)}." if 0 < len(known) <= _MOST_NAMED else f"See `{command}`."
