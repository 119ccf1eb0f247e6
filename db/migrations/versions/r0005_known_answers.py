"""Known-answer cases, which measure attention, and a mark on judgments that were submitted too fast."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the table and the mark; what was submitted before has none."""
    op.create_table(
        "known_answers",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("case_id", sa.String(200), nullable=False),
        sa.Column("batch", sa.String(200), nullable=False),
        sa.Column("source_pk", sa.Integer(), nullable=False),
        sa.Column("source_revision_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(30), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("claimed_at", sa.String(27), nullable=False),
        sa.Column("lease_until", sa.String(27), nullable=False),
        sa.Column("closed_at", sa.String(27), nullable=True),
        sa.Column("defect", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("draft_sequence", sa.Integer(), nullable=False),
        sa.Column("draft", sa.Text(), nullable=True),
        sa.Column("remarks", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.String(100), nullable=True),
        sa.Column("judgment", sa.Text(), nullable=True),
        sa.Column("is_caught", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["source_pk"], ["cases.id"], name="fk_known_answers_source_pk"),
        sa.ForeignKeyConstraint(
            ["source_revision_id"], ["revisions.id"], name="fk_known_answers_source_revision_id"
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_known_answers_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_known_answers"),
        sa.UniqueConstraint("case_id", name="uq_known_answers_case_id"),
        sa.UniqueConstraint("idempotency_key", name="uq_known_answers_idempotency_key"),
    )
    op.create_index("ix_known_answers_source_pk", "known_answers", ["source_pk"])
    op.create_index("ix_known_answers_person", "known_answers", ["person_id", "status"])
    op.add_column("judgments", sa.Column("is_hasty", sa.Boolean(), server_default=sa.false(), nullable=False))
