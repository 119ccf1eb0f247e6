"""Tables of what was decided about tasks and their calls, for proposals about cases of the same toolset."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the tables; what was decided before is filled in by the program (`fill_precedents`)."""
    op.create_table(
        "precedents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "case_pk", sa.Integer(), sa.ForeignKey("cases.id", name="fk_precedents_case_pk"), nullable=False
        ),
        sa.Column(
            "judgment_id",
            sa.Integer(),
            sa.ForeignKey("judgments.id", name="fk_precedents_judgment_id"),
            nullable=False,
        ),
        sa.Column(
            "person_id",
            sa.Integer(),
            sa.ForeignKey("people.id", name="fk_precedents_person_id"),
            nullable=False,
        ),
        sa.Column("toolset", sa.String(64), nullable=False),
        sa.Column("pattern", sa.String(64), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_precedents"),
    )
    op.create_index("ix_precedents_case_pk", "precedents", ["case_pk"])
    op.create_index("ix_precedents_pattern", "precedents", ["toolset", "pattern", "person_id"])
    op.create_table(
        "tool_orders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "case_pk", sa.Integer(), sa.ForeignKey("cases.id", name="fk_tool_orders_case_pk"), nullable=False
        ),
        sa.Column(
            "judgment_id",
            sa.Integer(),
            sa.ForeignKey("judgments.id", name="fk_tool_orders_judgment_id"),
            nullable=False,
        ),
        sa.Column(
            "person_id",
            sa.Integer(),
            sa.ForeignKey("people.id", name="fk_tool_orders_person_id"),
            nullable=False,
        ),
        sa.Column("toolset", sa.String(64), nullable=False),
        sa.Column("first", sa.String(200), nullable=False),
        sa.Column("second", sa.String(200), nullable=False),
        sa.Column("is_ordered", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tool_orders"),
    )
    op.create_index("ix_tool_orders_case_pk", "tool_orders", ["case_pk"])
    op.create_index("ix_tool_orders_pair", "tool_orders", ["toolset", "first", "second"])
