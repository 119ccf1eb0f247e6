"""Known-answer cases, written: made, held, drafted and closed in their own table."""

from collections.abc import Mapping

from sqlalchemy import insert, select, update

from db.tables import KnownAnswer, Person, Transaction
from db.write.slots import next_number
from db.write.store import changed_rows
from scoring.model.taxonomy import SlotStatus


def lock_person(tx: Transaction, person_id: int) -> None:
    """Hold a person until the transaction ends: nobody else makes a copy for them meanwhile.

    Rows that name the person can still be written (PostgreSQL; SQLite holds the whole file already).
    """
    tx.execute(select(Person.id).where(Person.id == person_id).with_for_update(key_share=True)).one()


def add_copy(tx: Transaction, values: Mapping[str, object]) -> int:
    """Keep a copy that was just made and is held; returns the number of its slot."""
    number = next_number(tx)
    held = {
        "id": number,
        "status": SlotStatus.CLAIMED,
        "closed_at": None,
        "draft_sequence": 0,
        "remarks": "{}",
    }
    tx.execute(insert(KnownAnswer).values(**held, **dict(values)))
    return number


def change_copy(tx: Transaction, number: int, *, expected: str, values: Mapping[str, object]) -> bool:
    """Change a copy that still has the expected status; false where it has another by now."""
    statement = update(KnownAnswer).where(KnownAnswer.id == number, KnownAnswer.status == expected)
    return changed_rows(tx.execute(statement.values(**dict(values)))) == 1


def rename_batch(tx: Transaction, batch: str, to: str) -> None:
    """Show the copies people hold in another batch, since theirs has no cases any more."""
    held = update(KnownAnswer).where(KnownAnswer.batch == batch, KnownAnswer.status == SlotStatus.CLAIMED)
    tx.execute(held.values(batch=to))
