"""What was kept on this computer is found again, whoever kept it and whatever happened to the file."""

import os
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.cases.edits.text_edits import set_user_text
from annotator.drafts.draft_body import DraftBody, OpenEditor
from annotator.drafts.journal import Journal, JournalEntry, WorkKey
from annotator.review.drafts import open_assignment, save_draft
from annotator.review.queue.claims import claim_case
from annotator.review.saved_work import RestoredWork, recall
from annotator.review.withdrawals import withdraw
from scoring.errors import ConflictError, StoreError
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import judgment_of
from tests.annotator.team import Team
from tests.shared import full_disk
from tests.ui.untranslated import untranslated

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "drafts"


@pytest.fixture
def assignment_id(team: Team) -> int:
    return claim_case(team["ann"], "c-1").value.id


@pytest.fixture
def key(team: Team) -> WorkKey:
    return WorkKey(project=team.url, person="ann", case_id="c-1", stage=Stage.SELF_CHECK_TASK, round=1)


def body(case: Case, text: str, *, at: datetime = NOON) -> DraftBody:
    changed = set_user_text(case, 0, text=text)
    return DraftBody(case=changed, judgment=judgment_of(case), cursor={"at": at.isoformat()})


def kept(key: WorkKey, found: DraftBody, *, at: datetime = NOON, basis: int | None = 0) -> JournalEntry:
    return JournalEntry(key=key, at=at, body=found, basis=basis)


def recalled(team: Team, assignment_id: int, journal: Journal, key: WorkKey) -> RestoredWork:
    return recall(open_assignment(team["ann"], assignment_id), journal, key)


def request_of(restored: RestoredWork) -> str:
    assert restored.body is not None
    return restored.body.case.tasks[0].user


def texts_in(folder: Path, suffix: str) -> str:
    return " ".join(path.read_text() for path in folder.iterdir() if suffix in path.name)


# the file


def test_on_a_full_disk_what_was_kept_before_stays_and_nothing_half_written_is_left(
    folder: Path, key: WorkKey, parcel: Case
) -> None:
    journal = Journal(folder)
    journal.keep(kept(key, body(parcel, "first")))
    with full_disk(room=200), pytest.raises(StoreError, match="cannot be kept"):
        journal.keep(kept(key, body(parcel, "second")))
    assert [path.suffix for path in folder.iterdir()] == [".json"]
    found = journal.find(key)
    assert found is not None
    assert found.body.case.tasks[0].user == "first"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_never_stops_anybody_and_is_never_lost(
    folder: Path, key: WorkKey, parcel: Case, data: st.DataObject
) -> None:
    journal = Journal(folder)
    journal.keep(kept(key, body(parcel, "x")))
    (path,) = folder.glob("*.json")
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(
        st.sampled_from(
            [whole[:place], whole[:place] + b"\xff" + whole[place + 1 :], whole[:place] + b"[" * 9]
        )
    )
    path.write_bytes(damaged)
    found = Journal(folder).find(key)
    left = [one.read_bytes() for one in folder.iterdir()]
    assert found is not None or damaged in left
    for one in folder.iterdir():
        one.unlink()


def test_what_cannot_be_read_is_said_with_the_place_it_lies_in(
    team: Team, assignment_id: int, folder: Path, key: WorkKey, parcel: Case
) -> None:
    Journal(folder).keep(kept(key, body(parcel, "gone")))
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-30])
    restored = recalled(team, assignment_id, Journal(folder), key)
    assert restored.body is None
    (left,) = folder.iterdir()
    assert str(left) in restored.words
    assert "cannot be read" in restored.words


def test_what_a_killed_window_had_half_written_is_removed_later(
    folder: Path, key: WorkKey, parcel: Case
) -> None:
    Journal(folder).keep(kept(key, body(parcel, "x")))
    (path,) = folder.iterdir()
    half, fresh = path.with_name(f"{path.name}.aa.tmp"), path.with_name(f"{path.name}.bb.tmp")
    for one in (half, fresh):
        one.write_text("{")
    os.utime(half, (time.time() - 120,) * 2)
    assert Journal(folder).find(key) is not None
    assert not half.exists()
    assert fresh.exists()


# two windows


def test_one_window_does_not_forget_what_another_kept(folder: Path, key: WorkKey, parcel: Case) -> None:
    first, second = Journal(folder), Journal(folder)
    first.keep(kept(key, body(parcel, "first")))
    second.keep(kept(key, body(parcel, "second"), at=NOON + timedelta(seconds=1)))
    first.drop(key)
    found = Journal(folder).find(key)
    assert found is not None
    assert found.body.case.tasks[0].user == "second"


def test_of_two_windows_work_the_later_is_gone_on_with_and_the_other_set_aside(
    folder: Path, key: WorkKey, parcel: Case
) -> None:
    Journal(folder).keep(kept(key, body(parcel, "earlier one")))
    Journal(folder).keep(kept(key, body(parcel, "later one"), at=NOON + timedelta(seconds=1)))
    found = Journal(folder).find(key)
    assert found is not None
    assert found.body.case.tasks[0].user == "later one"
    assert "earlier one" in texts_in(folder, ".set-aside-")


def test_what_another_window_saved_is_set_aside_before_it_is_overwritten(
    team: Team, assignment_id: int, folder: Path, key: WorkKey, parcel: Case
) -> None:
    saving, keeping = Journal(folder), Journal(folder)
    theirs = saving.signed(body(parcel, "saved by the one"))
    save_draft(team["ann"], assignment_id, body=theirs, sequence=0)
    later = NOON + timedelta(minutes=1)
    keeping.keep(kept(key, keeping.signed(body(parcel, "kept by the other", at=later)), at=later))
    restored = recalled(team, assignment_id, Journal(folder), key)
    assert request_of(restored) == "kept by the other"
    assert "saved by the one" in texts_in(folder, ".set-aside-")
    assert "another window" in restored.words


def test_where_it_cannot_be_set_aside_the_saved_draft_wins_and_nothing_is_overwritten(
    team: Team, assignment_id: int, folder: Path, key: WorkKey, parcel: Case
) -> None:
    saving, keeping = Journal(folder), Journal(folder)
    theirs = saving.signed(body(parcel, "saved by the one"))
    save_draft(team["ann"], assignment_id, body=theirs, sequence=0)
    later = NOON + timedelta(minutes=1)
    keeping.keep(kept(key, keeping.signed(body(parcel, "kept by the other", at=later)), at=later))
    opened = open_assignment(team["ann"], assignment_id)
    with full_disk():
        restored = recall(opened, Journal(folder), key)
    assert request_of(restored) == "saved by the one"
    assert not restored.is_newer_here
    assert "kept by the other" in texts_in(folder, ".set-aside-")
    assert "differs" in restored.words


# one window, killed in between


def test_what_the_store_has_already_is_forgotten_silently(
    team: Team, assignment_id: int, folder: Path, key: WorkKey, parcel: Case
) -> None:
    journal = Journal(folder)
    found = journal.signed(body(parcel, "the same"))
    journal.keep(kept(key, found, at=NOON + timedelta(seconds=1)))
    save_draft(team["ann"], assignment_id, body=found, sequence=0)
    restored = recalled(team, assignment_id, Journal(folder), key)
    assert request_of(restored) == "the same"
    assert restored.words.startswith("Restored your draft")
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("said_in_chinese")
def test_what_was_restored_is_said_in_chinese(
    team: Team, assignment_id: int, folder: Path, key: WorkKey, parcel: Case
) -> None:
    typed = OpenEditor(task=0, step=0, field="arguments", text="{")
    saved = body(parcel, "saved").model_copy(update={"open_editor": typed})
    save_draft(team["ann"], assignment_id, body=saved, sequence=0)
    from_store = recalled(team, assignment_id, Journal(folder), key).words
    assert re.fullmatch(r"已恢复你 [\d :-]+ 的草稿：.*；正在输入的内容已回到编辑器。", from_store)
    assert untranslated(from_store) == []
    for at in (NOON - timedelta(hours=1), NOON + timedelta(hours=1)):
        Journal(folder).keep(kept(key, body(parcel, f"kept at {at}", at=at), at=at))
        words = recalled(team, assignment_id, Journal(folder), key).words
        assert untranslated(words.replace(str(folder), "")) == []


def test_later_work_of_the_same_window_is_gone_on_with_and_needs_no_setting_aside(
    team: Team, assignment_id: int, folder: Path, key: WorkKey, parcel: Case
) -> None:
    journal, later = Journal(folder), NOON + timedelta(seconds=1)
    save_draft(team["ann"], assignment_id, body=journal.signed(body(parcel, "first")), sequence=0)
    journal.keep(kept(key, journal.signed(body(parcel, "second", at=later)), at=later))
    restored = recalled(team, assignment_id, Journal(folder), key)
    assert request_of(restored) == "second"
    assert [path.suffix for path in folder.iterdir()] == [".json"]


def test_what_is_later_is_known_although_the_clock_was_set_back_in_between(
    team: Team, assignment_id: int, folder: Path, key: WorkKey, parcel: Case
) -> None:
    journal, before = Journal(folder), NOON - timedelta(hours=1)
    save_draft(team["ann"], assignment_id, body=journal.signed(body(parcel, "first")), sequence=0)
    journal.keep(kept(key, journal.signed(body(parcel, "second", at=before)), at=before))
    assert request_of(recalled(team, assignment_id, Journal(folder), key)) == "second"


def test_a_save_whose_answer_got_lost_is_not_another_windows(
    team: Team, assignment_id: int, folder: Path, parcel: Case
) -> None:
    journal = Journal(folder)
    for text in ("one", "two"):
        save_draft(team["ann"], assignment_id, body=journal.signed(body(parcel, text)), sequence=0)
    with pytest.raises(ConflictError, match="another window"):
        save_draft(team["ann"], assignment_id, body=Journal(folder).signed(body(parcel, "three")), sequence=0)


def test_work_taken_back_is_newer_than_what_was_kept_before_it_was_submitted(
    team: Team, folder: Path, key: WorkKey, parcel: Case
) -> None:
    journal = Journal(folder)
    journal.keep(kept(key, journal.signed(body(parcel, "half done")), at=team.clock() - timedelta(hours=1)))
    team.check_once("ann", "c-1")
    held = withdraw(team["ann"], "c-1").value
    restored = recalled(team, held.id, Journal(folder), key)
    assert request_of(restored) == parcel.tasks[0].user
    assert "half done" in texts_in(folder, ".set-aside-")
