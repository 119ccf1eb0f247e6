"""An index for looking through the cases of a stage by age, as every claim does."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_cases_stage", "cases", ["stage", "id"])
