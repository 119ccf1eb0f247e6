"""Until when somebody is away."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; everybody is here."""
    op.add_column("people", sa.Column("away_until", sa.String(10)))
