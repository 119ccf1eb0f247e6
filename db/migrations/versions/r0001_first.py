"""The first schema: everything a project remembers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_FROZEN = {
    "events": "events are append-only",
    "revisions": "revisions are immutable",
}
_INDEXES: dict[str, tuple[tuple[str, list[str], str], ...]] = {
    "events": (("ix_events_subject", ["subject"], ""),),
    "cases": (
        ("ix_cases_batch_stage", ["batch_id", "stage", "id"], ""),
        ("ix_cases_changed", ["changed_at", "id"], ""),
        ("ix_cases_owner_stage", ["owner_id", "stage", "id"], ""),
        ("ix_cases_stage_changed", ["stage", "changed_at", "id"], ""),
    ),
    "run_replies": (("ix_run_replies_run_case", ["run_id", "case_id", "task"], ""),),
    "assignments": (
        ("ix_assignments_case_pk", ["case_pk"], ""),
        ("ix_assignments_lease", ["status", "lease_until"], ""),
        ("ix_assignments_person_status", ["person_id", "status"], ""),
        (
            "uq_assignments_person",
            ["case_pk", "stage", "round", "person_id"],
            "status IN ('claimed', 'submitted')",
        ),
        ("uq_assignments_slot", ["case_pk", "stage", "round", "slot"], "status IN ('claimed', 'submitted')"),
    ),
    "comments": (("ix_comments_case_pk", ["case_pk"], ""),),
    "feedback": (("ix_feedback_to_id", ["to_id"], ""),),
    "decisions": (("ix_decisions_case_pk", ["case_pk"], ""),),
    "judgments": (
        ("ix_judgments_assignment_id", ["assignment_id"], ""),
        ("ix_judgments_case_pk", ["case_pk"], ""),
        ("uq_judgments_standing", ["assignment_id"], "NOT is_withdrawn"),
    ),
    "exits": (("ix_exits_case_pk", ["case_pk"], ""),),
}
"""Name, columns and, of a unique index, the rows it holds for; by table."""


def upgrade() -> None:
    """Create the schema in an empty database."""
    for table, items in _tables().items():
        op.create_table(table, *items)
        for name, columns, rows in _INDEXES.get(table, ()):
            _create_index(name, table, columns, rows)
    op.execute(
        sa.text("INSERT INTO chain_head (id, seq, hash) VALUES (1, 0, :zeros)").bindparams(zeros="0" * 64)
    )
    for table, reason in _FROZEN.items():
        _freeze(table, reason)


def _create_index(name: str, table: str, columns: list[str], rows: str) -> None:
    where = sa.text(rows) if rows else None
    op.create_index(name, table, columns, unique=bool(rows), sqlite_where=where, postgresql_where=where)


def _freeze(table: str, reason: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{reason}'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_frozen() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{reason}'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_frozen()"
    )
    op.execute(
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_frozen()"
    )


def _tables() -> dict[str, tuple[sa.schema.SchemaItem, ...]]:
    return {
        "chain_head": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("seq", sa.Integer(), nullable=False),
            sa.Column("hash", sa.String(length=64), nullable=False),
            sa.PrimaryKeyConstraint("id", name="pk_chain_head"),
        ),
        "events": (
            sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("actor", sa.String(length=100), nullable=False),
            sa.Column("action", sa.String(length=60), nullable=False),
            sa.Column("subject", sa.String(length=300), nullable=False),
            sa.Column("payload", sa.Text(), nullable=False),
            sa.Column("previous_hash", sa.String(length=64), nullable=False),
            sa.Column("hash", sa.String(length=64), nullable=False),
            sa.PrimaryKeyConstraint("seq", name="pk_events"),
        ),
        "people": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("name", sa.String(length=100), nullable=False),
            sa.Column("roles", sa.String(length=100), nullable=False),
            sa.Column("password_hash", sa.String(length=300), nullable=True),
            sa.Column("is_active", sa.Boolean(), nullable=False),
            sa.Column("created_at", sa.String(length=27), nullable=False),
            sa.PrimaryKeyConstraint("id", name="pk_people"),
            sa.UniqueConstraint("name", name="uq_people_name"),
        ),
        "project": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("name", sa.String(length=200), nullable=False),
            sa.Column("created_at", sa.String(length=27), nullable=False),
            sa.Column("policy", sa.Text(), nullable=False),
            sa.Column("policy_version", sa.Integer(), nullable=False),
            sa.PrimaryKeyConstraint("id", name="pk_project"),
        ),
        "batches": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("name", sa.String(length=200), nullable=False),
            sa.Column("created_at", sa.String(length=27), nullable=False),
            sa.Column("created_by", sa.Integer(), nullable=True),
            sa.Column("is_flagged", sa.Boolean(), nullable=False),
            sa.ForeignKeyConstraint(["created_by"], ["people.id"], name="fk_batches_created_by"),
            sa.PrimaryKeyConstraint("id", name="pk_batches"),
            sa.UniqueConstraint("name", name="uq_batches_name"),
        ),
        "releases": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("name", sa.String(length=200), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("person_id", sa.Integer(), nullable=False),
            sa.Column("content_sha256", sa.String(length=64), nullable=False),
            sa.Column("case_count", sa.Integer(), nullable=False),
            sa.Column("directory", sa.Text(), nullable=False),
            sa.Column("manifest", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_releases_person_id"),
            sa.PrimaryKeyConstraint("id", name="pk_releases"),
            sa.UniqueConstraint("name", name="uq_releases_name"),
        ),
        "cases": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_id", sa.String(length=200), nullable=False),
            sa.Column("batch_id", sa.Integer(), nullable=False),
            sa.Column("stage", sa.String(length=30), nullable=False),
            sa.Column("version", sa.Integer(), nullable=False),
            sa.Column("round", sa.Integer(), nullable=False),
            sa.Column("entered_round", sa.Integer(), nullable=False),
            sa.Column("owner_id", sa.Integer(), nullable=True),
            sa.Column("is_assigned", sa.Boolean(), nullable=False),
            sa.Column("head_id", sa.Integer(), nullable=True),
            sa.Column("sha256", sa.String(length=64), nullable=False),
            sa.Column("imported_sha256", sa.String(length=64), nullable=False),
            sa.Column("task_count", sa.Integer(), nullable=False),
            sa.Column("language", sa.String(length=40), nullable=False),
            sa.Column("policies", sa.Text(), nullable=False),
            sa.Column("informations", sa.Text(), nullable=False),
            sa.Column("rules", sa.Text(), nullable=False),
            sa.Column("finding_count", sa.Integer(), nullable=False),
            sa.Column("error_count", sa.Integer(), nullable=False),
            sa.Column("request", sa.Text(), nullable=False),
            sa.Column("searched", sa.Text(), nullable=False),
            sa.Column("is_gold", sa.Boolean(), nullable=False),
            sa.Column("created_at", sa.String(length=27), nullable=False),
            sa.Column("changed_at", sa.String(length=27), nullable=False),
            sa.Column("note", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["batch_id"], ["batches.id"], name="fk_cases_batch_id"),
            sa.ForeignKeyConstraint(["owner_id"], ["people.id"], name="fk_cases_owner_id"),
            sa.PrimaryKeyConstraint("id", name="pk_cases"),
            sa.UniqueConstraint("case_id", name="uq_cases_case_id"),
        ),
        "runs": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("name", sa.String(length=200), nullable=False),
            sa.Column("release_id", sa.Integer(), nullable=True),
            sa.Column("person_id", sa.Integer(), nullable=True),
            sa.Column("cases_sha256", sa.String(length=64), nullable=False),
            sa.Column("predictions_sha256", sa.String(length=64), nullable=False),
            sa.Column("protocol", sa.String(length=20), nullable=False),
            sa.Column("semantics", sa.String(length=20), nullable=False),
            sa.Column("arguments", sa.String(length=20), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("summary", sa.Text(), nullable=False),
            sa.Column("scorecard", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_runs_person_id"),
            sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name="fk_runs_release_id"),
            sa.PrimaryKeyConstraint("id", name="pk_runs"),
        ),
        "run_replies": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("run_id", sa.Integer(), nullable=False),
            sa.Column("case_id", sa.String(length=200), nullable=False),
            sa.Column("task", sa.Integer(), nullable=True),
            sa.Column("body", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_replies_run_id"),
            sa.PrimaryKeyConstraint("id", name="pk_run_replies"),
        ),
        "samples": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("batch_id", sa.Integer(), nullable=False),
            sa.Column("sequence", sa.Integer(), nullable=False),
            sa.Column("kind", sa.String(length=10), nullable=False),
            sa.Column("seed", sa.String(length=300), nullable=False),
            sa.Column("share", sa.Double(), nullable=False),
            sa.Column("population", sa.Integer(), nullable=False),
            sa.Column("status", sa.String(length=20), nullable=False),
            sa.Column("drawn_at", sa.String(length=27), nullable=False),
            sa.Column("closed_at", sa.String(length=27), nullable=True),
            sa.ForeignKeyConstraint(["batch_id"], ["batches.id"], name="fk_samples_batch_id"),
            sa.PrimaryKeyConstraint("id", name="pk_samples"),
            sa.UniqueConstraint("batch_id", "sequence", name="uq_samples_batch_id_sequence"),
        ),
        "assignments": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("stage", sa.String(length=30), nullable=False),
            sa.Column("round", sa.Integer(), nullable=False),
            sa.Column("slot", sa.Integer(), nullable=False),
            sa.Column("person_id", sa.Integer(), nullable=False),
            sa.Column("status", sa.String(length=20), nullable=False),
            sa.Column("case_version", sa.Integer(), nullable=False),
            sa.Column("claimed_at", sa.String(length=27), nullable=False),
            sa.Column("lease_until", sa.String(length=27), nullable=False),
            sa.Column("closed_at", sa.String(length=27), nullable=True),
            sa.Column("note", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_assignments_case_pk"),
            sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_assignments_person_id"),
            sa.PrimaryKeyConstraint("id", name="pk_assignments"),
        ),
        "comments": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("parent_id", sa.Integer(), nullable=True),
            sa.Column("person_id", sa.Integer(), nullable=False),
            sa.Column("where", sa.String(length=300), nullable=False),
            sa.Column("text", sa.Text(), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("resolved_at", sa.String(length=27), nullable=True),
            sa.Column("seen_at", sa.String(length=27), nullable=True),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_comments_case_pk"),
            sa.ForeignKeyConstraint(["parent_id"], ["comments.id"], name="fk_comments_parent_id"),
            sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_comments_person_id"),
            sa.PrimaryKeyConstraint("id", name="pk_comments"),
        ),
        "feedback": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("to_id", sa.Integer(), nullable=False),
            sa.Column("from_id", sa.Integer(), nullable=False),
            sa.Column("category", sa.String(length=40), nullable=False),
            sa.Column("note", sa.Text(), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("seen_at", sa.String(length=27), nullable=True),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_feedback_case_pk"),
            sa.ForeignKeyConstraint(["from_id"], ["people.id"], name="fk_feedback_from_id"),
            sa.ForeignKeyConstraint(["to_id"], ["people.id"], name="fk_feedback_to_id"),
            sa.PrimaryKeyConstraint("id", name="pk_feedback"),
        ),
        "revisions": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("number", sa.Integer(), nullable=False),
            sa.Column("parent_id", sa.Integer(), nullable=True),
            sa.Column("author_id", sa.Integer(), nullable=True),
            sa.Column("stage", sa.String(length=30), nullable=False),
            sa.Column("reason", sa.Text(), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("sha256", sa.String(length=64), nullable=False),
            sa.Column("body", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["author_id"], ["people.id"], name="fk_revisions_author_id"),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_revisions_case_pk"),
            sa.ForeignKeyConstraint(["parent_id"], ["revisions.id"], name="fk_revisions_parent_id"),
            sa.PrimaryKeyConstraint("id", name="pk_revisions"),
            sa.UniqueConstraint("case_pk", "number", name="uq_revisions_case_pk_number"),
        ),
        "sampled_cases": (
            sa.Column("sample_id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("outcome", sa.String(length=20), nullable=False),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_sampled_cases_case_pk"),
            sa.ForeignKeyConstraint(["sample_id"], ["samples.id"], name="fk_sampled_cases_sample_id"),
            sa.PrimaryKeyConstraint("sample_id", "case_pk", name="pk_sampled_cases"),
        ),
        "decisions": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("stage", sa.String(length=30), nullable=False),
            sa.Column("round", sa.Integer(), nullable=False),
            sa.Column("person_id", sa.Integer(), nullable=False),
            sa.Column("result_id", sa.Integer(), nullable=False),
            sa.Column("verdict", sa.String(length=20), nullable=False),
            sa.Column("is_correction", sa.Boolean(), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("idempotency_key", sa.String(length=100), nullable=False),
            sa.Column("body", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_decisions_case_pk"),
            sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_decisions_person_id"),
            sa.ForeignKeyConstraint(["result_id"], ["revisions.id"], name="fk_decisions_result_id"),
            sa.PrimaryKeyConstraint("id", name="pk_decisions"),
            sa.UniqueConstraint("idempotency_key", name="uq_decisions_idempotency_key"),
        ),
        "drafts": (
            sa.Column("assignment_id", sa.Integer(), nullable=False),
            sa.Column("saved_at", sa.String(length=27), nullable=False),
            sa.Column("sequence", sa.Integer(), nullable=False),
            sa.Column("base_revision_id", sa.Integer(), nullable=False),
            sa.Column("body", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["assignment_id"], ["assignments.id"], name="fk_drafts_assignment_id"),
            sa.ForeignKeyConstraint(
                ["base_revision_id"], ["revisions.id"], name="fk_drafts_base_revision_id"
            ),
            sa.PrimaryKeyConstraint("assignment_id", name="pk_drafts"),
        ),
        "judgments": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("assignment_id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("stage", sa.String(length=30), nullable=False),
            sa.Column("round", sa.Integer(), nullable=False),
            sa.Column("person_id", sa.Integer(), nullable=False),
            sa.Column("revision_id", sa.Integer(), nullable=False),
            sa.Column("result_id", sa.Integer(), nullable=False),
            sa.Column("verdict", sa.String(length=20), nullable=False),
            sa.Column("seconds", sa.Double(), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("idempotency_key", sa.String(length=100), nullable=False),
            sa.Column("is_withdrawn", sa.Boolean(), nullable=False),
            sa.Column("body", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["assignment_id"], ["assignments.id"], name="fk_judgments_assignment_id"),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_judgments_case_pk"),
            sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_judgments_person_id"),
            sa.ForeignKeyConstraint(["result_id"], ["revisions.id"], name="fk_judgments_result_id"),
            sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name="fk_judgments_revision_id"),
            sa.PrimaryKeyConstraint("id", name="pk_judgments"),
            sa.UniqueConstraint("idempotency_key", name="uq_judgments_idempotency_key"),
        ),
        "exits": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("stage", sa.String(length=30), nullable=False),
            sa.Column("round", sa.Integer(), nullable=False),
            sa.Column("sha256", sa.String(length=64), nullable=False),
            sa.Column("differing", sa.Text(), nullable=True),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("judgment_id", sa.Integer(), nullable=True),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_exits_case_pk"),
            sa.ForeignKeyConstraint(["judgment_id"], ["judgments.id"], name="fk_exits_judgment_id"),
            sa.PrimaryKeyConstraint("id", name="pk_exits"),
        ),
        "invitations": (
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("round", sa.Integer(), nullable=False),
            sa.Column("person_id", sa.Integer(), nullable=False),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_invitations_case_pk"),
            sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_invitations_person_id"),
            sa.PrimaryKeyConstraint("case_pk", "round", "person_id", name="pk_invitations"),
        ),
        "rounds": (
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("round", sa.Integer(), nullable=False),
            sa.Column("at", sa.String(length=27), nullable=False),
            sa.Column("outcome", sa.String(length=30), nullable=False),
            sa.Column("body", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_rounds_case_pk"),
            sa.PrimaryKeyConstraint("id", name="pk_rounds"),
            sa.UniqueConstraint("case_pk", "round", name="uq_rounds_case_pk_round"),
        ),
        "released_cases": (
            sa.Column("release_id", sa.Integer(), nullable=False),
            sa.Column("case_pk", sa.Integer(), nullable=False),
            sa.Column("revision_id", sa.Integer(), nullable=False),
            sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_released_cases_case_pk"),
            sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name="fk_released_cases_release_id"),
            sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name="fk_released_cases_revision_id"),
            sa.PrimaryKeyConstraint("release_id", "case_pk", name="pk_released_cases"),
        ),
    }
