"""What the queue is ordered by: the priority of a case, and the day its batch is due."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_NO_DAY = 1_9999_12_31
"""Of a case of normal priority in a batch without a due day."""
_DUE = """
UPDATE cases SET turn = 100000000 + (
    SELECT CAST(REPLACE(due_on, '-', '') AS INTEGER) FROM batches WHERE batches.id = cases.batch_id
) WHERE batch_id IN (SELECT id FROM batches WHERE due_on IS NOT NULL)
"""


def upgrade() -> None:
    """Add the column, with the due days there are, and put it into the indexes claims walk along."""
    op.add_column("cases", sa.Column("turn", sa.Integer(), nullable=False, server_default=str(_NO_DAY)))
    op.execute(_DUE)
    for name, columns in (("ix_cases_stage", ["stage"]), ("ix_cases_owner_stage", ["owner_id", "stage"])):
        op.drop_index(name, "cases")
        op.create_index(name, "cases", [*columns, "turn", "id"])
