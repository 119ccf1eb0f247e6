"""The consistency check finds what is broken and nothing else; repairs, backup and restore hold."""

import threading
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from sqlalchemy import text

from annotator.cases.access import show_case
from annotator.jobs import JobCancelled, JobContext, ProgressReport
from annotator.project.care import ProjectProblem, backup, examine, move, repair_problems, restore
from annotator.project.creation import create_workspace
from annotator.project.workspace import open_workspace
from annotator.review.drafts import open_assignment
from annotator.review.queue.claims import claim_case
from db.engine import disposed, open_engine, reading, writing
from db.events import verify_chain
from scoring.errors import ForbiddenError, StoreError
from tests.annotator.team import START, Team, two_step_case


def _examine(team: Team) -> tuple[ProjectProblem, ...]:
    return examine(JobContext(), team.url, at=team.clock())


def _break(team: Team, *statements: str) -> None:
    """Change rows the way somebody with the database's own tools would, its guards set aside."""
    with disposed(open_engine(team.url)) as engine, writing(engine) as session:
        guards: list[str] = []
        if engine.dialect.name == "postgresql":
            session.execute(text("SET LOCAL session_replication_role = replica"))
        else:
            session.execute(text("PRAGMA defer_foreign_keys = ON"))
            found = session.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
            guards = [str(row.sql) for row in found]
            for row in found:
                session.execute(text(f"DROP TRIGGER {row.name}"))
        for statement in statements:
            session.execute(text(statement))
        for guard in guards:
            session.execute(text(guard))


def _cancelled() -> JobContext:
    cancel = threading.Event()
    cancel.set()
    return JobContext(cancel=cancel)


def _work(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    held = claim_case(team["ann"], "c-2").value
    open_assignment(team["ann"], held.id)


@pytest.fixture
def worked(team: Team) -> Team:
    """A project in which two cases went part of the way and one review is under way."""
    team.walk(_work)
    return team


def test_a_project_people_worked_in_has_no_problem(worked: Team) -> None:
    assert _examine(worked) == ()


def test_progress_counts_every_body(worked: Team) -> None:
    reports: list[ProgressReport] = []
    examine(JobContext(reports.append), worked.url, at=worked.clock())
    assert (reports[-1].done, reports[-1].share) == (reports[-1].total, 1.0)


@pytest.mark.parametrize(
    ("statement", "rule", "where"),
    [
        ("UPDATE events SET actor = 'mallory' WHERE seq = 3", "chain.broken", "event 3"),
        ("DELETE FROM project", "project.missing", "project"),
        ("UPDATE people SET roles = 'annotator'", "people.no_manager", "people"),
        ("UPDATE people SET is_active = (1 = 0) WHERE name = 'max'", "people.no_manager", "people"),
        ("UPDATE cases SET stage = 'limbo' WHERE case_id = 'c-1'", "case.stage", "case c-1"),
        ("UPDATE cases SET head_id = NULL WHERE case_id = 'c-1'", "case.head", "case c-1"),
        ("UPDATE cases SET head_id = 99999 WHERE case_id = 'c-1'", "case.head", "case c-1"),
        ("UPDATE cases SET sha256 = 'x' WHERE case_id = 'c-1'", "case.hash", "case c-1"),
        ("UPDATE revisions SET body = '{' WHERE id = 1", "revision.unreadable", "case c-1 revision 1"),
        ("UPDATE revisions SET body = '[]' WHERE id = 1", "revision.unreadable", "case c-1 revision 1"),
        (
            "UPDATE revisions SET body = replace(body, 'Hamar-7', 'Hamar-8') WHERE id = 1",
            "revision.hash",
            "case c-1 revision 1",
        ),
        (
            "UPDATE revisions SET body = replace(body, '\"c-1\"', '\"c-9\"') WHERE id = 1",
            "revision.case",
            "case c-1 revision 1",
        ),
        ("UPDATE revisions SET parent_id = id WHERE id = 1", "revision.parent", "case c-1 revision 1"),
        (
            "UPDATE judgments SET person_id = (SELECT id FROM people WHERE name = 'dan') WHERE id = 1",
            "judgment.case",
            "judgment 1",
        ),
    ],
)
def test_each_fault_is_found_alone(worked: Team, statement: str, rule: str, where: str) -> None:
    _break(worked, statement)
    assert [(problem.rule, problem.where) for problem in _examine(worked)] == [(rule, where)]


def test_a_guard_of_history_that_was_removed_is_missed(worked: Team) -> None:
    name = "events_no_change ON events" if worked.url.startswith("postgresql") else "events_no_update"
    with disposed(open_engine(worked.url)) as engine, writing(engine) as session:
        session.execute(text(f"DROP TRIGGER {name}"))
    assert [problem.rule for problem in _examine(worked)] == ["schema.trigger"]


def test_a_changed_schema_is_described(worked: Team) -> None:
    with disposed(open_engine(worked.url)) as engine, writing(engine) as session:
        session.execute(text("DROP INDEX ix_cases_changed"))
    (problem,) = _examine(worked)
    assert problem.rule == "schema.differs"
    assert "add index" in problem.message
    assert "ix_cases_changed" in problem.message


def test_a_reference_to_nothing_in_a_file_is_found(sqlite_path: Path) -> None:
    with disposed(open_engine(str(sqlite_path))) as engine, engine.connect() as connection:
        cursor = connection.connection.cursor()
        cursor.execute("PRAGMA foreign_keys = OFF")
        cursor.execute("INSERT INTO batches VALUES (1, 'march', '2026-03-01T12:00:00.000000Z', 99, 0, NULL)")
        cursor.close()
    (problem,) = examine(JobContext(), str(sqlite_path), at=START)
    assert problem.rule == "file.damaged"
    assert "row 1 of batches names a row of people" in problem.message


def test_a_project_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no project"):
        examine(JobContext(), str(tmp_path / "nothing.db"), at=START)


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("UPDATE cases SET sha256 = 'x' WHERE case_id = 'c-1'", "case.hash"),
        (
            "UPDATE assignments SET lease_until = '2031-01-01T00:00:00.000000Z' WHERE status = 'claimed'",
            "lease.future",
        ),
    ],
)
def test_what_can_be_repaired_is_repaired_with_an_event(worked: Team, statement: str, rule: str) -> None:
    _break(worked, statement)
    (problem,) = _examine(worked)
    assert (problem.rule, bool(problem.repair)) == (rule, True)
    assert repair_problems(worked["max"], context=JobContext()) == (problem,)
    assert _examine(worked) == ()
    with disposed(open_engine(worked.url)) as engine, reading(engine) as session:
        newest = text("SELECT action, actor, subject FROM events ORDER BY seq DESC LIMIT 1")
        assert tuple(session.execute(newest).one()) == ("project:fault:repair", "max", problem.where)
        assert verify_chain(session).holds


def test_a_draft_left_behind_by_a_submitted_review_is_removed(worked: Team) -> None:
    _break(
        worked,
        "INSERT INTO drafts (assignment_id, saved_at, sequence, base_revision_id, body) "
        "SELECT min(id), '2026-11-20T09:00:00.000000Z', 1, 1, '{}' FROM assignments "
        "WHERE status = 'submitted'",
    )
    assert [problem.rule for problem in _examine(worked)] == ["draft.sealed"]
    repair_problems(worked["max"], context=JobContext())
    assert _examine(worked) == ()


def test_a_draft_that_is_no_json_is_found(worked: Team) -> None:
    _break(
        worked,
        "INSERT INTO drafts (assignment_id, saved_at, sequence, base_revision_id, body) "
        "SELECT min(id), '2026-11-20T09:00:00.000000Z', 1, 1, '{' FROM assignments WHERE status = 'claimed'",
    )
    assert [problem.rule for problem in _examine(worked)] == ["draft.unreadable"]


def test_what_a_killed_program_left_beside_the_project_is_found_and_removed(tmp_path: Path) -> None:
    project = str(tmp_path / "team.db")
    create_workspace(project, name="team", person="max").close()
    (tmp_path / ".copy.db.0123abcd.tmp").write_text("half a copy")
    (tmp_path / ".copy.db.0123abcd.tmp-wal").write_text("half a copy")
    [problem] = examine(JobContext(), project, at=START)
    assert (problem.rule, problem.repair) == ("file.unfinished", "remove it")
    workspace = open_workspace(project, "max")
    assert repair_problems(workspace, context=JobContext()) == (problem,)
    workspace.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["team.db"]
    assert examine(JobContext(), project, at=START) == ()


def test_only_a_manager_repairs(worked: Team) -> None:
    _break(worked, "UPDATE cases SET sha256 = 'x' WHERE case_id = 'c-1'")
    with pytest.raises(ForbiddenError):
        repair_problems(worked["ann"], context=JobContext())
    assert len(_examine(worked)) == 1


def test_what_cannot_be_repaired_without_loss_is_left_alone(worked: Team) -> None:
    _break(worked, "UPDATE revisions SET body = '{' WHERE id = 1")
    (problem,) = _examine(worked)
    assert problem.repair == ""
    assert repair_problems(worked["max"], context=JobContext()) == ()


def test_a_backup_holds_the_cases_and_people_can_go_on_in_it(worked: Team, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    written = backup(worked["max"], saved, context=JobContext())
    assert written.warning == ""
    copy = open_workspace(str(saved), "max")
    assert show_case(copy, "c-1") == show_case(worked["max"], "c-1")
    copy.close()
    assert examine(JobContext(), str(saved), at=worked.clock()) == ()


def test_a_lost_project_comes_back_from_its_backup(worked: Team, tmp_path: Path, vacant_url: str) -> None:
    saved = tmp_path / "saved.db"
    backup(worked["max"], saved, context=JobContext())
    assert restore(saved, vacant_url, context=JobContext()).kept is None
    assert examine(JobContext(), vacant_url, at=worked.clock()) == ()


def test_a_cancelled_backup_stops(worked: Team, tmp_path: Path) -> None:
    with pytest.raises(JobCancelled):
        backup(worked["max"], tmp_path / "saved.db", context=_cancelled())
    assert not (tmp_path / "saved.db").exists()


def test_a_cancelled_check_stops(worked: Team) -> None:
    with pytest.raises(JobCancelled):
        examine(_cancelled(), worked.url, at=worked.clock())


def test_a_copy_of_everybodys_work_is_for_a_manager(worked: Team, tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="ann is not a manager"):
        backup(worked["ann"], tmp_path / "a.db", context=JobContext())
    assert not (tmp_path / "a.db").exists()
    assert backup(worked["max"], tmp_path / "m.db", context=JobContext()).event_count > 0


def test_looking_through_everybodys_work_is_for_a_manager(worked: Team) -> None:
    at = worked.clock()
    with pytest.raises(ForbiddenError, match="ann is not a manager"):
        examine(JobContext(), worked.url, at=at, keeper=lambda: nullcontext(worked["ann"]))
    assert examine(JobContext(), worked.url, at=at, keeper=lambda: nullcontext(worked["max"])) == ()


def test_nobody_in_particular_gets_no_copy_of_everybodys_work(worked: Team, tmp_path: Path) -> None:
    nobody = open_workspace(worked.url)
    with closing(nobody), pytest.raises(ForbiddenError, match="who you are"):
        backup(nobody, tmp_path / "n.db", context=JobContext())


def test_the_only_person_of_a_project_may_copy_it(vacant_url: str, tmp_path: Path) -> None:
    with closing(create_workspace(vacant_url, person="ida")) as workspace:
        assert backup(workspace, tmp_path / "copy.db", context=JobContext()).warning == ""


def test_people_go_on_where_a_project_was_moved_to(worked: Team, vacant_url: str) -> None:
    done = move(worked["max"], vacant_url, context=JobContext())
    assert (done.missed_count, done.kept is None) == (0, worked.url.startswith("postgresql"))
    with closing(open_workspace(vacant_url, "ann")) as workspace:
        assert show_case(workspace, "c-1").id == "c-1"
        held = claim_case(workspace, "c-2").value
        assert open_assignment(workspace, held.id).base.id == "c-2"


def test_a_project_that_the_check_complains_of_is_not_moved_until_it_is_repaired(
    worked: Team, vacant_url: str
) -> None:
    _break(worked, "UPDATE cases SET sha256 = 'x' WHERE case_id = 'c-1'")
    with pytest.raises(StoreError, match="was not moved") as caught:
        move(worked["max"], vacant_url, context=JobContext())
    assert "`annotator doctor`" in (caught.value.hint or "")
    assert "1 problem" in (caught.value.hint or "")
    repair_problems(worked["max"], context=JobContext())
    assert move(worked["max"], vacant_url, context=JobContext()).project


def test_only_a_manager_moves_a_project(worked: Team, tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="ann is not a manager"):
        move(worked["ann"], str(tmp_path / "new.db"), context=JobContext())
    assert not (tmp_path / "new.db").exists()


def test_a_cancelled_move_leaves_the_project_where_it_is(worked: Team, vacant_url: str) -> None:
    with pytest.raises(JobCancelled):
        move(worked["max"], vacant_url, context=_cancelled())
    assert _examine(worked) == ()
    create_workspace(vacant_url, name="", person="zoe").close()  # nothing is there
