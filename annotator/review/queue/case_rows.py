"""The queue as somebody may see it: pages of cases, their count, and one case's line, and the batches."""

from annotator.cases.row_views import viewer_of, visible_row
from annotator.project.lookups import require_known
from annotator.project.workspace import Workspace
from db.read import queries
from db.read.batches import list_batches
from db.read.rows import BatchRow as BatchRow
from db.read.rows import CaseFilter as CaseFilter
from db.read.rows import CaseRow as CaseRow
from db.tables import Transaction


def list_cases(
    workspace: Workspace, where: CaseFilter, *, offset: int = 0, limit: int = 200
) -> tuple[CaseRow, ...]:
    """One page of the queue; labels the person may not see yet are left out, also of filters and order."""
    person = workspace.somebody

    def query(tx: Transaction) -> tuple[CaseRow, ...]:
        return queries.list_cases(tx, where, offset=offset, limit=limit, viewer=viewer_of(tx, person))

    return workspace.read(query)


def count_cases(workspace: Workspace, where: CaseFilter) -> int:
    """How many cases a filter keeps, as the person may see them."""
    person = workspace.somebody
    return workspace.read(lambda tx: queries.count_cases(tx, where, viewer=viewer_of(tx, person)))


def require_named(workspace: Workspace, where: CaseFilter) -> None:
    """Refuse a filter that names a batch or an owner nobody knows: it would keep nothing.

    Raises:
        NotFoundError: There is no such batch, or nobody of that name; disabled people count.
    """
    workspace.read(lambda tx: require_known(tx, names=[where.owner], batch=where.batch))


def case_of(workspace: Workspace, case_id: str) -> CaseRow:
    """The queue's line of one case, as the person may see it.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.somebody
    return workspace.read(lambda tx: visible_row(tx, case_id, person))


def batches(workspace: Workspace) -> tuple[BatchRow, ...]:
    """All batches that have cases, with their counts per stage, newest first."""
    return workspace.read(lambda tx: tuple(row for row in list_batches(tx) if row.case_count))
