"""Runs of the generator: plans, attempts at dialogues, requests with their replies."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "generations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.String(length=27), nullable=False),
        sa.Column("identity", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("prompt_version", sa.String(length=40), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("toolsets", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_generations_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_generations"),
    )
    op.create_index("ix_generations_identity", "generations", ["identity"])
    op.create_table(
        "generated_dialogues",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("generation_id", sa.Integer(), nullable=False),
        sa.Column("dialogue", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("sequence", sa.String(length=300), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("case_id", sa.String(length=200), nullable=True),
        sa.Column("failure", sa.String(length=30), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["generation_id"], ["generations.id"], name="fk_generated_dialogues_generation_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_generated_dialogues"),
        sa.UniqueConstraint(
            "generation_id",
            "dialogue",
            "attempt",
            name="uq_generated_dialogues_generation_id_dialogue_attempt",
        ),
    )
    op.create_index("ix_generated_dialogues_case_id", "generated_dialogues", ["case_id"])
    op.create_table(
        "generation_requests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("generation_id", sa.Integer(), nullable=False),
        sa.Column("dialogue", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("task", sa.Integer(), nullable=False),
        sa.Column("ask", sa.String(length=40), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("seed", sa.String(length=40), nullable=False),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("dollars", sa.Double(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("at", sa.String(length=27), nullable=False),
        sa.Column("faults", sa.String(length=200), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["generation_id"], ["generations.id"], name="fk_generation_requests_generation_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_generation_requests"),
        sa.UniqueConstraint(
            "generation_id",
            "dialogue",
            "attempt",
            "number",
            name="uq_generation_requests_generation_id_dialogue_attempt_number",
        ),
    )
