"""The queue as somebody may see it: pages of cases, their count, and one case's line, and the batches."""

from collections.abc import Callable
from functools import partial
from typing import Any

from annotator.cases.copies import row_of, rows_beside
from annotator.cases.row_views import apart_in_figures, viewer_of, visible_row
from annotator.project.lookups import require_known
from annotator.project.workspace import Workspace, query
from db.read import queries
from db.read.batches import list_batches
from db.read.known_answers import copy_named
from db.read.queries import ORDERS as ORDERS
from db.read.rows import BatchRow as BatchRow
from db.read.rows import CaseFilter as CaseFilter
from db.read.rows import CaseRow as CaseRow
from db.tables import Transaction
from scoring.errors import NotFoundError
from scoring.model.taxonomy import Role
from scoring.wording import counted


@query
def list_cases(
    workspace: Workspace,
    tx: Transaction,
    where: CaseFilter,
    *,
    offset: int = 0,
    limit: int = 200,
    name_key: Callable[[str], Any] = str.lower,
) -> tuple[CaseRow, ...]:
    """One page of the queue; labels the person may not see yet are left out, also of filters and order.

    Names of owners and batches are sorted by what `name_key` makes of them.
    """
    viewer = viewer_of(tx, workspace.somebody)
    beside = rows_beside(tx, viewer, where)
    return queries.list_cases(
        tx, where, offset=offset, limit=limit, viewer=viewer, beside=beside, name_key=name_key
    )


@query
def count_cases(workspace: Workspace, tx: Transaction, where: CaseFilter) -> int:
    """How many cases a filter keeps, as the person may see them: the length of `list_cases`."""
    viewer = viewer_of(tx, workspace.somebody)
    return queries.count_cases(tx, where, viewer=viewer) + len(rows_beside(tx, viewer, where))


def require_named(workspace: Workspace, where: CaseFilter) -> None:
    """Refuse a filter that names a batch or an owner nobody knows: it would keep nothing.

    Raises:
        NotFoundError: There is no such batch, it lost its cases to another one, or there is nobody of that
            name; disabled people count.
    """
    workspace.read(lambda tx: require_known(tx, names=[where.owner], batch=where.batch))
    if where.batch and not workspace.read(partial(queries.count_cases, where=CaseFilter(batch=where.batch))):
        raise NotFoundError(f"{where.batch} has no cases.", "See `annotator batch list`.")


@query
def case_of(workspace: Workspace, tx: Transaction, case_id: str) -> CaseRow:
    """The queue's line of one case, as the person may see it.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.somebody
    copy = copy_named(tx, case_id, person_id=person.id) if person is not None else None
    return visible_row(tx, case_id, person) if copy is None else row_of(tx, copy)


@query
def languages(workspace: Workspace, tx: Transaction) -> tuple[str, ...]:
    """The languages of all cases, by their codes."""
    return queries.case_languages(tx)


@query
def batches(workspace: Workspace, tx: Transaction) -> tuple[BatchRow, ...]:
    """All batches that have cases, with their counts per stage, newest first (`apart_in_figures`)."""
    return tuple(
        row for row in list_batches(tx, without=apart_in_figures(tx, workspace.somebody)) if row.case_count
    )


@query
def apart_words(workspace: Workspace, tx: Transaction) -> str:
    """How many cases figures leave out for the person (`apart_in_figures`), in a sentence; empty for none."""
    person = workspace.somebody
    if person is None or person.has_role(Role.MANAGER):
        return ""
    count = len(apart_in_figures(tx, person)) + len(rows_beside(tx, viewer_of(tx, person), CaseFilter()))
    return f"Not counted: {counted(count, 'case')} that you work on or have left." if count else ""
