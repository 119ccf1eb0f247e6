"""Work is never more than a second behind, whether the store is there or not."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotator.cases.edits.text_edits import set_user_text
from annotator.drafts.draft_body import DraftBody
from annotator.drafts.journal import Journal, JournalEntry, WorkKey
from annotator.review.drafts import open_assignment, save_draft
from annotator.review.queue.claims import claim_case, leave
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import judgment_of
from tests.annotator.team import Team
from ui.desk.autosave import Autosaver, SaveStage
from ui.services.operations import Operations
from ui.theme import Tone


@pytest.fixture
def assignment_id(team: Team) -> int:
    return claim_case(team["ann"], "c-1").value.id


@pytest.fixture
def key(team: Team) -> WorkKey:
    return WorkKey(project=team.url, person="ann", case_id="c-1", stage=Stage.SELF_CHECK_TASK, round=1)


@pytest.fixture
def saver(
    qtbot: QtBot, operations: Operations, journal: Journal, key: WorkKey, assignment_id: int
) -> Autosaver:
    return Autosaver(operations, journal, key=key, assignment_id=assignment_id, sequence=0, parent=operations)


def body(case: Case, text: str) -> DraftBody:
    return DraftBody(case=set_user_text(case, 0, text=text), judgment=judgment_of(case))


def saved_request(team: Team, assignment_id: int) -> str | None:
    draft = open_assignment(team["ann"], assignment_id).draft
    return draft.case.tasks[0].user if draft else None


def take_away(team: Team) -> Path:
    """Put the project's file out of reach, as a network drive that drops out."""
    return Path(team.url).rename(f"{team.url}.away")


def bring_back(team: Team, away: Path) -> None:
    away.rename(team.url)


def reaches(saver: Autosaver, stage: SaveStage) -> bool:
    return saver.state.stage is stage


def test_a_change_is_in_the_store_within_a_second(
    qtbot: QtBot, team: Team, saver: Autosaver, parcel: Case, assignment_id: int
) -> None:
    saver.take(body(parcel, "one"))
    assert reaches(saver, SaveStage.UNSAVED)
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.SAVED))
    assert saved_request(team, assignment_id) == "one"
    assert not saver.is_at_risk


def test_changes_in_a_row_do_not_push_the_save_back(
    qtbot: QtBot, team: Team, saver: Autosaver, parcel: Case, assignment_id: int
) -> None:
    for number in range(60):
        saver.take(body(parcel, f"{number}"))
        qtbot.wait(60)
        if saved_request(team, assignment_id) is not None:
            return
    raise AssertionError("nothing was saved while changes came every 60 ms")


def test_the_last_change_wins_however_fast_they_come(
    qtbot: QtBot, team: Team, saver: Autosaver, parcel: Case, assignment_id: int
) -> None:
    for number in range(5):
        saver.take(body(parcel, f"{number}"))
        saver.flush()
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.SAVED))
    assert saved_request(team, assignment_id) == "4"


def test_while_the_store_is_away_the_work_is_kept_on_this_computer_visibly(
    qtbot: QtBot, team: Team, saver: Autosaver, journal: Journal, key: WorkKey, parcel: Case
) -> None:
    away = take_away(team)
    saver.take(body(parcel, "kept"))
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.KEPT_HERE))
    assert saver.state.words.startswith("Kept on this computer")
    assert saver.state.tone is Tone.WARN
    assert "moved or replaced" in saver.state.problem
    kept = journal.find(key)
    assert kept is not None
    assert kept.body.case.tasks[0].user == "kept"
    assert not saver.is_at_risk
    bring_back(team, away)


def test_further_changes_are_at_risk_only_until_they_are_kept_too(
    qtbot: QtBot, team: Team, saver: Autosaver, journal: Journal, key: WorkKey, parcel: Case
) -> None:
    away = take_away(team)
    saver.take(body(parcel, "first"))
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.KEPT_HERE))
    saver.take(body(parcel, "second"))
    assert saver.is_at_risk
    saver.flush()
    assert not saver.is_at_risk
    kept = journal.find(key)
    assert kept is not None
    assert kept.body.case.tasks[0].user == "second"
    bring_back(team, away)


def test_when_the_store_answers_again_the_work_goes_there_and_the_journal_is_empty(
    qtbot: QtBot,
    team: Team,
    saver: Autosaver,
    journal: Journal,
    key: WorkKey,
    parcel: Case,
    assignment_id: int,
) -> None:
    away = take_away(team)
    saver.take(body(parcel, "kept"))
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.KEPT_HERE))
    bring_back(team, away)
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.SAVED))
    assert saved_request(team, assignment_id) == "kept"
    assert journal.find(key) is None


def test_where_neither_can_be_written_the_work_is_said_to_be_at_risk(
    qtbot: QtBot,
    operations: Operations,
    team: Team,
    tmp_path: Path,
    key: WorkKey,
    parcel: Case,
    assignment_id: int,
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    saver = Autosaver(
        operations, Journal(blocked), key=key, assignment_id=assignment_id, sequence=0, parent=operations
    )
    away = take_away(team)
    saver.take(body(parcel, "lost"))
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.FAILED))
    assert saver.is_at_risk
    assert saver.state.tone is Tone.ERROR
    assert "cannot be kept" in saver.state.problem
    bring_back(team, away)


def test_a_slot_that_is_gone_keeps_the_work_here_and_says_why(
    qtbot: QtBot,
    team: Team,
    saver: Autosaver,
    journal: Journal,
    key: WorkKey,
    parcel: Case,
    assignment_id: int,
) -> None:
    leave(team["ann"], assignment_id, skip=False)
    saver.take(body(parcel, "too late"))
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.KEPT_HERE))
    assert "handed back or reassigned" in saver.state.problem
    assert journal.find(key) is not None


def test_a_second_window_on_the_same_case_does_not_overwrite_the_first(
    qtbot: QtBot,
    team: Team,
    saver: Autosaver,
    journal: Journal,
    key: WorkKey,
    parcel: Case,
    assignment_id: int,
) -> None:
    save_draft(team["ann"], assignment_id, body=body(parcel, "other window"), sequence=0)
    saver.take(body(parcel, "this window"))
    qtbot.waitUntil(lambda: reaches(saver, SaveStage.KEPT_HERE))
    assert saved_request(team, assignment_id) == "other window"
    kept = journal.find(key)
    assert kept is not None
    assert kept.body.case.tasks[0].user == "this window"


def test_submitted_work_is_not_saved_again(
    qtbot: QtBot,
    team: Team,
    saver: Autosaver,
    journal: Journal,
    key: WorkKey,
    parcel: Case,
    assignment_id: int,
) -> None:
    saver.take(body(parcel, "submitted"))
    saver.seal()
    saver.take(body(parcel, "afterwards"))
    qtbot.wait(700)
    assert saved_request(team, assignment_id) is None
    assert journal.find(key) is None


def test_a_damaged_journal_is_set_aside(journal: Journal, key: WorkKey, parcel: Case, tmp_path: Path) -> None:
    journal.keep(JournalEntry(key=key, at=datetime(2026, 11, 20, tzinfo=UTC), body=body(parcel, "x")))
    (path,) = (tmp_path / "state" / "drafts").iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    assert journal.find(key) is None
    assert [p.name for p in path.parent.iterdir() if ".set-aside-" in p.name]
    assert not path.exists()


def test_what_is_kept_is_readable_by_its_owner_alone(
    journal: Journal, key: WorkKey, parcel: Case, tmp_path: Path
) -> None:
    if os.name != "posix":
        pytest.skip("POSIX modes (2026-11-20)")
    journal.keep(JournalEntry(key=key, at=datetime(2026, 11, 20, tzinfo=UTC), body=body(parcel, "x")))
    assert (tmp_path / "state" / "drafts").stat().st_mode & 0o077 == 0


def test_keeping_and_finding_again_is_the_identity(journal: Journal, key: WorkKey, parcel: Case) -> None:
    kept = JournalEntry(key=key, at=datetime(2026, 11, 20, tzinfo=UTC), body=body(parcel, "Grüße 🌦"))
    journal.keep(kept)
    assert journal.find(key) == kept
    journal.drop(key)
    assert journal.find(key) is None
