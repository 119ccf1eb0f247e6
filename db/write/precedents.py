"""What people decided about tasks, kept so that it can be found again for tasks like them."""

from collections.abc import Iterable, Mapping

from sqlalchemy import delete

from db.tables import StoredPrecedent, ToolOrder, Transaction
from db.write.store import add_rows

LONGEST_NAME = 200


def remember(
    tx: Transaction,
    case_pk: int,
    *,
    judgment_id: int,
    person_id: int,
    toolset: str,
    labels: Iterable[tuple[str, str]],
    orders: Mapping[tuple[str, str], bool],
) -> None:
    """Keep what a judgment says in the place of what the same person said of the case before.

    Args:
        tx: The open transaction.
        case_pk: The case.
        judgment_id: The judgment.
        person_id: Who judged.
        toolset: The tools of the case.
        labels: Pattern of each labelled task, with the labels as they are stored.
        orders: Which tool comes before which, and whether the drawing says so.
    """
    for table in (StoredPrecedent, ToolOrder):
        tx.execute(delete(table).where(table.case_pk == case_pk, table.person_id == person_id))
    same = {"case_pk": case_pk, "judgment_id": judgment_id, "person_id": person_id, "toolset": toolset}
    add_rows(tx, StoredPrecedent, ({**same, "pattern": pattern, "body": body} for pattern, body in labels))
    short = (
        {**same, "first": first, "second": second, "is_ordered": is_ordered}
        for (first, second), is_ordered in orders.items()
        if max(len(first), len(second)) <= LONGEST_NAME
    )
    add_rows(tx, ToolOrder, short)


def forget(tx: Transaction, judgment_id: int) -> None:
    """Leave out a judgment that was taken back."""
    for table in (StoredPrecedent, ToolOrder):
        tx.execute(delete(table).where(table.judgment_id == judgment_id))
