"""The first schema: everything a project remembers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_FROZEN = {
    "events": "events are append-only",
    "revisions": "revisions are immutable",
}


def upgrade() -> None:
    """Create the schema in an empty database."""
    _create_chain_head()
    _create_events()
    _create_people()
    _create_project()
    _create_batches()
    _create_releases()
    _create_cases()
    _create_runs()
    _create_run_replies()
    _create_samples()
    _create_assignments()
    _create_comments()
    _create_feedback()
    _create_revisions()
    _create_sampled_cases()
    _create_decisions()
    _create_drafts()
    _create_judgments()
    _create_exits()
    _create_invitations()
    _create_rounds()
    _create_released_cases()
    op.execute(
        sa.text("INSERT INTO chain_head (id, seq, hash) VALUES (1, 0, :zeros)").bindparams(zeros="0" * 64)
    )
    for table, reason in _FROZEN.items():
        _freeze(table, reason)


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


def _create_chain_head() -> None:
    op.create_table(
        "chain_head",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chain_head"),
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.String(length=27), nullable=False),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("previous_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_events"),
    )
    op.create_index("ix_events_subject", "events", ["subject"])


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("roles", sa.String(length=100), nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
        sa.UniqueConstraint("name", name="uq_people_name"),
    )


def _create_project() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.String(length=27), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("policy_version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_project"),
    )


def _create_batches() -> None:
    op.create_table(
        "batches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.String(length=27), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("is_flagged", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["people.id"], name="fk_batches_created_by"),
        sa.PrimaryKeyConstraint("id", name="pk_batches"),
        sa.UniqueConstraint("name", name="uq_batches_name"),
    )


def _create_releases() -> None:
    op.create_table(
        "releases",
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
    )


def _create_cases() -> None:
    op.create_table(
        "cases",
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
    )
    op.create_index("ix_cases_batch_stage", "cases", ["batch_id", "stage", "id"])
    op.create_index("ix_cases_changed", "cases", ["changed_at", "id"])
    op.create_index("ix_cases_owner_stage", "cases", ["owner_id", "stage", "id"])
    op.create_index("ix_cases_stage_changed", "cases", ["stage", "changed_at", "id"])


def _create_runs() -> None:
    op.create_table(
        "runs",
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
    )


def _create_run_replies() -> None:
    op.create_table(
        "run_replies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.String(length=200), nullable=False),
        sa.Column("task", sa.Integer(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_replies_run_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run_replies"),
    )
    op.create_index("ix_run_replies_run_case", "run_replies", ["run_id", "case_id", "task"])


def _create_samples() -> None:
    op.create_table(
        "samples",
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
    )


def _create_assignments() -> None:
    op.create_table(
        "assignments",
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
    )
    op.create_index("ix_assignments_case_pk", "assignments", ["case_pk"])
    op.create_index("ix_assignments_lease", "assignments", ["status", "lease_until"])
    op.create_index("ix_assignments_person_status", "assignments", ["person_id", "status"])
    op.create_index(
        "uq_assignments_person",
        "assignments",
        ["case_pk", "stage", "round", "person_id"],
        unique=True,
        sqlite_where=sa.text("status IN ('claimed', 'submitted')"),
        postgresql_where=sa.text("status IN ('claimed', 'submitted')"),
    )
    op.create_index(
        "uq_assignments_slot",
        "assignments",
        ["case_pk", "stage", "round", "slot"],
        unique=True,
        sqlite_where=sa.text("status IN ('claimed', 'submitted')"),
        postgresql_where=sa.text("status IN ('claimed', 'submitted')"),
    )


def _create_comments() -> None:
    op.create_table(
        "comments",
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
    )
    op.create_index("ix_comments_case_pk", "comments", ["case_pk"])


def _create_exits() -> None:
    op.create_table(
        "exits",
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
    )
    op.create_index("ix_exits_case_pk", "exits", ["case_pk"])


def _create_feedback() -> None:
    op.create_table(
        "feedback",
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
    )
    op.create_index("ix_feedback_to_id", "feedback", ["to_id"])


def _create_revisions() -> None:
    op.create_table(
        "revisions",
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
    )


def _create_sampled_cases() -> None:
    op.create_table(
        "sampled_cases",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("case_pk", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_sampled_cases_case_pk"),
        sa.ForeignKeyConstraint(["sample_id"], ["samples.id"], name="fk_sampled_cases_sample_id"),
        sa.PrimaryKeyConstraint("sample_id", "case_pk", name="pk_sampled_cases"),
    )


def _create_decisions() -> None:
    op.create_table(
        "decisions",
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
    )
    op.create_index("ix_decisions_case_pk", "decisions", ["case_pk"])


def _create_drafts() -> None:
    op.create_table(
        "drafts",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("saved_at", sa.String(length=27), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("base_revision_id", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignments.id"], name="fk_drafts_assignment_id"),
        sa.ForeignKeyConstraint(["base_revision_id"], ["revisions.id"], name="fk_drafts_base_revision_id"),
        sa.PrimaryKeyConstraint("assignment_id", name="pk_drafts"),
    )


def _create_judgments() -> None:
    op.create_table(
        "judgments",
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
    )
    op.create_index("ix_judgments_assignment_id", "judgments", ["assignment_id"])
    op.create_index("ix_judgments_case_pk", "judgments", ["case_pk"])
    op.create_index(
        "uq_judgments_standing",
        "judgments",
        ["assignment_id"],
        unique=True,
        sqlite_where=sa.text("NOT is_withdrawn"),
        postgresql_where=sa.text("NOT is_withdrawn"),
    )


def _create_invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("case_pk", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_invitations_case_pk"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_invitations_person_id"),
        sa.PrimaryKeyConstraint("case_pk", "round", "person_id", name="pk_invitations"),
    )


def _create_rounds() -> None:
    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("case_pk", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=27), nullable=False),
        sa.Column("outcome", sa.String(length=30), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_rounds_case_pk"),
        sa.PrimaryKeyConstraint("id", name="pk_rounds"),
        sa.UniqueConstraint("case_pk", "round", name="uq_rounds_case_pk_round"),
    )


def _create_released_cases() -> None:
    op.create_table(
        "released_cases",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("case_pk", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["case_pk"], ["cases.id"], name="fk_released_cases_case_pk"),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name="fk_released_cases_release_id"),
        sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name="fk_released_cases_revision_id"),
        sa.PrimaryKeyConstraint("release_id", "case_pk", name="pk_released_cases"),
    )
