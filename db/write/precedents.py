"""What people decided about tasks, kept so that it can be found again for tasks like them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, insert

from db.tables import Precedent, ToolOrder, Transaction

LONGEST_NAME = 200


@dataclass(frozen=True)
class Said:
    """What one judgment says: `labels` are (pattern, JSON) of its tasks, `orders` of pairs of tools."""

    case_pk: int
    judgment_id: int
    person_id: int
    toolset: str
    labels: tuple[tuple[str, str], ...]
    orders: Mapping[tuple[str, str], bool]


def remember(tx: Transaction, said: Said) -> None:
    """Keep what a judgment says in the place of what the same person said of the case before."""
    for table in (Precedent, ToolOrder):
        tx.execute(delete(table).where(table.case_pk == said.case_pk, table.person_id == said.person_id))
    same = {
        "case_pk": said.case_pk,
        "judgment_id": said.judgment_id,
        "person_id": said.person_id,
        "toolset": said.toolset,
    }
    _insert(tx, Precedent, ({**same, "pattern": pattern, "body": body} for pattern, body in said.labels))
    orders = (
        {**same, "first": first, "second": second, "is_ordered": is_ordered}
        for (first, second), is_ordered in said.orders.items()
        if max(len(first), len(second)) <= LONGEST_NAME
    )
    _insert(tx, ToolOrder, orders)


def forget(tx: Transaction, judgment_id: int) -> None:
    """Leave out a judgment that was taken back."""
    for table in (Precedent, ToolOrder):
        tx.execute(delete(table).where(table.judgment_id == judgment_id))


def _insert(
    tx: Transaction, table: type[Precedent] | type[ToolOrder], rows: Iterable[Mapping[str, object]]
) -> None:
    found = [dict(row) for row in rows]
    if found:
        tx.execute(insert(table), found)
