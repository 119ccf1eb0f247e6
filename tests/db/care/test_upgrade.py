"""Creating projects and bringing old ones up to date, on both databases."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, insert, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from db.care.upgrade import (
    UpgradeStep,
    create_project,
    current_revision,
    plan_upgrade,
    upgrade,
)
from db.columns import Table, turn_of
from db.engine import disposed, open_engine, reading, writing
from db.events import append, verify_chain
from db.project_files.versions import (
    HISTORY,
    VERSION_TABLE,
    History,
    ProjectState,
    refuse_unless_current,
)
from db.read import people
from db.tables import Batch, CaseHead, Person
from scoring.errors import OlderProjectError, StoreError
from scoring.model.taxonomy import Priority
from tests.db.conftest import later_history
from tests.db.filling import row_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def failing(tmp_path: Path) -> History:
    """The history of a program whose migration breaks after it changed the schema."""
    return later_history(tmp_path, then='raise LookupError("broken migration")')


def _first_rows(session: Session) -> None:
    session.add(Batch(name="march", created_at=NOON, created_by=None, is_flagged=False))
    append(session, actor="anna", action="project:store:create", subject="project", payload={}, at=NOON)


def _batches(url: str) -> list[str]:
    engine = open_engine(url, must_exist=False)
    with reading(engine) as session:
        names = list(session.scalars(text("SELECT name FROM batches ORDER BY name")))
    engine.dispose()
    return names


def _files(url: str) -> list[str]:
    return sorted(path.name for path in Path(url).parent.iterdir() if path.is_file())


def test_the_migrated_schema_is_the_one_the_tables_describe(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, Table.metadata) == []


def test_an_index_over_part_of_the_rows_is_made_with_the_condition_the_tables_name(engine: Engine) -> None:
    made = {
        index["name"]: str(options[f"{engine.dialect.name}_where"])
        for table in ("assignments", "judgments")
        for index in inspect(engine).get_indexes(table)
        if (options := index.get("dialect_options", {})).get(f"{engine.dialect.name}_where") is not None
    }
    told = {
        str(index.name): index.info["where"]
        for table in Table.metadata.tables.values()
        for index in table.indexes
        if "where" in index.info
    }
    words = {name: set(re.findall(r"is_withdrawn|claimed|submitted|NOT|status", made[name])) for name in made}
    assert words == {
        name: set(re.findall(r"is_withdrawn|claimed|submitted|NOT|status", told[name])) for name in told
    }


def test_the_listed_revisions_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(HISTORY.folder))
    walked = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(walked)) == HISTORY.revisions


def test_a_created_project_opens_and_is_current(vacant_url: str) -> None:
    create_project(vacant_url)
    open_engine(vacant_url).dispose()
    assert HISTORY.state_of(current_revision(vacant_url)) is ProjectState.CURRENT
    assert current_revision(vacant_url) == HISTORY.head


def test_a_project_is_created_with_its_first_rows(vacant_url: str) -> None:
    create_project(vacant_url, fill=_first_rows)
    assert _batches(vacant_url) == ["march"]


def test_a_creation_that_breaks_off_leaves_nothing(vacant_url: str) -> None:
    def break_off(session: Session) -> None:
        _first_rows(session)
        raise LookupError

    with pytest.raises(LookupError):
        create_project(vacant_url, fill=break_off)
    create_project(vacant_url)
    assert _batches(vacant_url) == []
    assert vacant_url.startswith("postgresql") or _files(vacant_url) == ["vacant.db"]


def test_a_project_is_never_created_over_another(store_url: str) -> None:
    with pytest.raises(StoreError, match="already"):
        create_project(store_url)


def test_a_journal_left_by_another_project_is_not_replayed_into_a_created_one(tmp_path: Path) -> None:
    path, leftover = tmp_path / "team.db", tmp_path / "team.db-wal"
    leftover.write_text("last words")
    with pytest.raises(StoreError, match=r"team\.db-wal was left behind"):
        create_project(str(path))
    assert leftover.read_text() == "last words"
    assert not path.exists()


def test_empty_side_files_do_not_stop_a_creation(tmp_path: Path) -> None:
    for name in ("team.db-wal", "team.db-shm"):
        (tmp_path / name).touch()
    create_project(str(tmp_path / "team.db"))
    assert _files(str(tmp_path / "team.db")) == ["team.db"]


def test_a_server_database_with_somebody_elses_tables_of_our_names_is_refused(
    vacant_url: str, tmp_path: Path
) -> None:
    if not vacant_url.startswith("postgresql"):
        Path(vacant_url).write_text("notes")
        with pytest.raises(StoreError, match="exists already"):
            create_project(vacant_url)
        return
    engine = open_engine(vacant_url, must_exist=False)
    with writing(engine) as session:
        session.execute(text("CREATE TABLE people (name TEXT)"))
    engine.dispose()
    with pytest.raises(StoreError, match="another program's table 'people'"):
        create_project(vacant_url)


def test_a_current_project_needs_no_upgrade(store_url: str) -> None:
    done = upgrade(store_url)
    assert (done.before, done.after, done.kept) == (HISTORY.head, HISTORY.head, None)


def test_an_older_project_is_upgraded_with_everything_in_it(store_url: str, later: History) -> None:
    engine = open_engine(store_url)
    with writing(engine) as session:
        _first_rows(session)
    engine.dispose()
    assert later.state_of(current_revision(store_url)) is ProjectState.OLDER
    done = upgrade(store_url, history=later)
    assert (done.before, done.after) == (HISTORY.head, "next")
    assert later.state_of(current_revision(store_url)) is ProjectState.CURRENT
    assert _batches(store_url) == ["march"]
    engine = open_engine(store_url, must_exist=False)
    with reading(engine) as session:
        assert session.scalar(text("SELECT colour FROM batches")) == "grey"
        assert verify_chain(session).event_count == 1
    engine.dispose()


def test_cases_of_before_0008_get_the_turn_of_the_day_their_batch_is_due(
    store_url: str, engine: Engine
) -> None:
    with writing(engine) as tx:
        for number, due_on in enumerate((None, "2026-12-09"), 1):
            batch = {"id": number, "name": f"b{number}", "due_on": due_on, "created_by": None}
            tx.execute(insert(Batch).values({**row_of(Batch.metadata.tables["batches"]), **batch}))
            head = {"id": number, "case_id": f"c-{number}", "batch_id": number, "owner_id": None}
            tx.execute(insert(CaseHead).values({**row_of(Batch.metadata.tables["cases"]), **head}))
        for name, columns in (
            ("ix_cases_stage", "stage, id"),
            ("ix_cases_owner_stage", "owner_id, stage, id"),
        ):
            tx.execute(text(f"DROP INDEX {name}"))
            tx.execute(text(f"CREATE INDEX {name} ON cases ({columns})"))
        tx.execute(text("ALTER TABLE cases DROP COLUMN turn"))
        tx.execute(text("ALTER TABLE people DROP COLUMN away_until"))
        tx.execute(text("DROP TABLE prompts"))
        tx.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0007'"))
    engine.dispose()
    assert (upgrade(store_url).before, HISTORY.state_of(current_revision(store_url))) == (
        "0007",
        ProjectState.CURRENT,
    )
    with disposed(open_engine(store_url)) as upgraded, reading(upgraded) as tx:
        turns = {row.case_id: row.turn for row in tx.execute(select(CaseHead.case_id, CaseHead.turn))}
        known = {name: [*index] for name, index in _indexes(upgraded, "cases").items()}
    assert turns == {
        "c-1": turn_of(Priority.NORMAL, None),
        "c-2": turn_of(Priority.NORMAL, "2026-12-09"),
    }
    assert known["ix_cases_stage"] == ["stage", "turn", "id"]
    assert known["ix_cases_owner_stage"] == ["owner_id", "stage", "turn", "id"]


def test_people_of_before_0009_are_here(store_url: str, engine: Engine) -> None:
    with writing(engine) as tx:
        ana = {"id": 1, "name": "ana", "roles": "annotator", "away_until": None}
        tx.execute(insert(Person).values({**row_of(Person.metadata.tables["people"]), **ana}))
        tx.execute(text("ALTER TABLE people DROP COLUMN away_until"))
        tx.execute(text("DROP TABLE prompts"))
        tx.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0008'"))
    engine.dispose()
    done = upgrade(store_url)
    assert (done.before, done.after) == ("0008", HISTORY.head)
    with disposed(open_engine(store_url)) as upgraded, reading(upgraded) as tx:
        assert [(one.name, one.away_until) for one in people.list_people(tx)] == [("ana", None)]


def _indexes(engine: Engine, table: str) -> dict[str | None, list[str | None]]:
    return {index["name"]: index["column_names"] for index in inspect(engine).get_indexes(table)}


def test_a_plan_says_what_an_upgrade_will_do_and_changes_nothing(store_url: str, later: History) -> None:
    plan = plan_upgrade(store_url, history=later)
    assert current_revision(store_url) == plan.before == HISTORY.head
    done = upgrade(store_url, history=later)
    assert (plan.before, plan.after, plan.kept) == (done.before, done.after, done.kept)
    assert (plan.byte_count > 0) is (plan.kept is not None)


def test_an_upgrade_tells_each_step_as_it_begins(store_url: str, later: History) -> None:
    steps: list[UpgradeStep] = []
    upgrade(store_url, history=later, told=steps.append)
    on_server = [UpgradeStep.CHANGE, UpgradeStep.CHECK]
    assert steps == (on_server if store_url.startswith("postgresql") else list(UpgradeStep))


def test_upgrading_keeps_the_old_file(sqlite_path: Path, later: History) -> None:
    done = upgrade(str(sqlite_path), history=later)
    assert done.kept == sqlite_path.with_name(f"project.db.bak-{HISTORY.head}")
    assert HISTORY.state_of(current_revision(str(done.kept))) is ProjectState.CURRENT
    assert _files(str(sqlite_path)) == ["project.db", f"project.db.bak-{HISTORY.head}"]


def test_an_upgrade_that_breaks_leaves_the_project_as_it_was(store_url: str, failing: History) -> None:
    engine = open_engine(store_url)
    with writing(engine) as session:
        _first_rows(session)
    engine.dispose()
    with pytest.raises(LookupError):
        upgrade(store_url, history=failing)
    assert HISTORY.state_of(current_revision(store_url)) is ProjectState.CURRENT
    assert _batches(store_url) == ["march"]
    assert store_url.startswith("postgresql") or _files(store_url) == ["project.db"]


def test_a_project_whose_chain_was_tampered_with_is_not_upgraded(store_url: str, later: History) -> None:
    engine = open_engine(store_url)
    with writing(engine) as session:
        session.execute(text("UPDATE chain_head SET seq = 7"))
    engine.dispose()
    with pytest.raises(StoreError, match="chain is broken"):
        upgrade(store_url, history=later)
    assert current_revision(store_url) == HISTORY.head


def test_a_project_somebody_works_in_is_not_upgraded(sqlite_path: Path, later: History) -> None:
    engine = open_engine(str(sqlite_path))
    with writing(engine):
        pass
    with pytest.raises(StoreError, match="open in another program"):
        upgrade(str(sqlite_path), history=later)
    engine.dispose()


def test_a_newer_project_is_refused_with_advice(store_url: str, later: History) -> None:
    upgrade(store_url, history=later)
    for touch in (open_engine, upgrade):
        with pytest.raises(StoreError, match="newer version") as caught:
            touch(store_url)
        assert "Update Annotator" in caught.value.hint


def test_an_older_project_is_refused_with_the_command_that_upgrades_it() -> None:
    with pytest.raises(OlderProjectError, match="older version") as caught:
        refuse_unless_current(ProjectState.OLDER, "team.db")
    assert "annotator migrate" in caught.value.hint


def test_a_file_signed_as_ours_without_a_schema_is_no_project(tmp_path: Path) -> None:
    path = tmp_path / "half.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {0x416E6E6F}")
        connection.execute("CREATE TABLE x (y)")
    assert HISTORY.state_of(current_revision(str(path))) is ProjectState.NOT_A_PROJECT
    with pytest.raises(StoreError, match="There is no project"):
        upgrade(str(path))


def test_revisions_of_cases_cannot_be_changed(engine: Engine) -> None:
    statement = (
        "INSERT INTO revisions (id, case_pk, number, stage, reason, at, sha256, body) "
        "VALUES (1, 1, 1, 'imported', '', '', '', '{}')"
    )
    with writing(engine) as session:
        if engine.dialect.name == "postgresql":
            session.execute(text("ALTER TABLE revisions DROP CONSTRAINT fk_revisions_case_pk"))
        else:
            session.execute(text("PRAGMA defer_foreign_keys = ON"))
            session.execute(text("INSERT INTO batches VALUES (1, 'b', '', NULL, 0, NULL)"))
        session.execute(text(statement))
        with pytest.raises(DBAPIError, match="immutable"), session.begin_nested():
            session.execute(text("UPDATE revisions SET body = '[]'"))
        session.rollback()
