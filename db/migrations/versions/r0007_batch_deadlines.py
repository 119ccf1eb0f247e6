"""What leads a team: the day a batch is due, and the expert a case was handed to."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns; no batch has a due day yet, and no case is handed to anybody."""
    op.add_column("batches", sa.Column("due_on", sa.String(10), nullable=True))
    op.add_column("cases", sa.Column("expert_id", sa.Integer(), nullable=True))
