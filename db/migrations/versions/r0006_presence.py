"""Who has the project open in a window, and which case they look at."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "presence",
        sa.Column("window", sa.String(36), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("case_pk", sa.Integer(), nullable=True),
        sa.Column("since", sa.String(27), nullable=False),
        sa.Column("seen_at", sa.String(27), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_presence_person_id"),
        sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_presence_case_pk"),
        sa.PrimaryKeyConstraint("window", name="pk_presence"),
    )
