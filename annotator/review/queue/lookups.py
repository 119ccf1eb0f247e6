"""The people and batches a question names: whoever asks about one that is not there is told what there is."""

from collections.abc import Iterable, Sequence

from db.read import people, queries
from db.tables import Transaction
from scoring.errors import NotFoundError

_MOST_NAMED = 12


def require_people(tx: Transaction, names: Iterable[str]) -> None:
    """Refuse the name of nobody; an empty one names nobody and passes.

    Raises:
        NotFoundError: Nobody in the project is called that; disabled people still are.
    """
    for name in names:
        if name and people.find_person(tx, name) is None:
            known = [person.name for person in people.list_people(tx)]
            hint = _hint("People", known, command="annotator user list")
            raise NotFoundError(f"Nobody is called '{name}' in this project.", hint)


def require_batch(tx: Transaction, name: str) -> None:
    """Refuse a batch that is not there; an empty name passes.

    Raises:
        NotFoundError: The project has no such batch.
    """
    if name and queries.find_batch(tx, name) is None:
        known = [batch.name for batch in queries.list_batches(tx)]
        hint = _hint("Batches", known, command="annotator batch list")
        raise NotFoundError(f"There is no batch '{name}'.", hint)


def _hint(noun: str, known: Sequence[str], *, command: str) -> str:
    """Name what there is, or the command that lists it where that is nothing or too much for a sentence."""
    return f"{noun}: {', '.join(known)}." if 0 < len(known) <= _MOST_NAMED else f"See `{command}`."
