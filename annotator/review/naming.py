"""The people and batches a question names: whoever asks about one that is not there is told so."""

from collections.abc import Iterable

from db import queries
from db.tables import Transaction
from scoring.errors import NotFoundError


def require_people(tx: Transaction, names: Iterable[str]) -> None:
    """Refuse the name of nobody; an empty one names nobody and passes.

    Raises:
        NotFoundError: Nobody in the project is called that; disabled people still are.
    """
    for name in names:
        if name and queries.find_person(tx, name) is None:
            raise NotFoundError(f"Nobody is called '{name}' in this project.", "See `annotator user list`.")


def require_batch(tx: Transaction, name: str) -> None:
    """Refuse a batch that is not there; an empty name passes.

    Raises:
        NotFoundError: The project has no such batch.
    """
    if name and queries.find_batch(tx, name) is None:
        raise NotFoundError(f"There is no batch '{name}'.", "See `annotator batch list`.")
