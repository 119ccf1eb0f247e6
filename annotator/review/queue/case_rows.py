"""The queue as somebody may see it: pages of cases, their count, and one case's line, and the batches."""

from annotator.cases.row_views import viewer_of, visible_row
from annotator.project.lookups import require_known
from annotator.project.workspace import Workspace, query
from db.read import queries
from db.read.batches import list_batches
from db.read.rows import BatchRow as BatchRow
from db.read.rows import CaseFilter as CaseFilter
from db.read.rows import CaseRow as CaseRow
from db.tables import Transaction


@query
def list_cases(
    workspace: Workspace, tx: Transaction, where: CaseFilter, *, offset: int = 0, limit: int = 200
) -> tuple[CaseRow, ...]:
    """One page of the queue; labels the person may not see yet are left out, also of filters and order."""
    return queries.list_cases(tx, where, offset=offset, limit=limit, viewer=viewer_of(tx, workspace.somebody))


@query
def count_cases(workspace: Workspace, tx: Transaction, where: CaseFilter) -> int:
    """How many cases a filter keeps, as the person may see them."""
    return queries.count_cases(tx, where, viewer=viewer_of(tx, workspace.somebody))


def require_named(workspace: Workspace, where: CaseFilter) -> None:
    """Refuse a filter that names a batch or an owner nobody knows: it would keep nothing.

    Raises:
        NotFoundError: There is no such batch, or nobody of that name; disabled people count.
    """
    workspace.read(lambda tx: require_known(tx, names=[where.owner], batch=where.batch))


@query
def case_of(workspace: Workspace, tx: Transaction, case_id: str) -> CaseRow:
    """The queue's line of one case, as the person may see it.

    Raises:
        NotFoundError: The project has no such case.
    """
    return visible_row(tx, case_id, workspace.somebody)


def batches(workspace: Workspace) -> tuple[BatchRow, ...]:
    """All batches that have cases, with their counts per stage, newest first."""
    return workspace.read(lambda tx: tuple(row for row in list_batches(tx) if row.case_count))
