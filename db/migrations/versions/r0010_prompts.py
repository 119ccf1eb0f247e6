"""The prompts a team takes into its project."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the table; every run so far was made with shipped prompts."""
    op.create_table(
        "prompts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("language", sa.String(10), nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_prompts"),
    )
    op.create_index("ix_prompts_language", "prompts", ["language"])
    op.create_index("ix_prompts_version", "prompts", ["version"])
