"""Indexes for what every claim looks up: the cases of a stage by age, and what a person has judged."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the indexes."""
    op.create_index("ix_cases_stage", "cases", ["stage", "id"])
    op.create_index("ix_judgments_person", "judgments", ["person_id", "stage", "case_pk"])
