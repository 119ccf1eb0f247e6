"""Work that was set aside is listed with what it would change, and comes back as one step of undo."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog, QPushButton

from annotator.cases.edits.step_edits import delete_step
from annotator.cases.edits.text_edits import set_user_text
from annotator.drafts.draft_body import DraftBody, OpenEditor
from annotator.drafts.journal import Journal, JournalEntry, WorkKey, written_at
from annotator.drafts.statements import cite
from annotator.review.queue.claims import claim_case
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import judgment_of, mark
from tests.annotator.team import Team
from tests.ui.find import find
from tests.ui.workbench.driving import Bench
from ui.dialogue.editors import PlainEditor
from ui.theme.tables import FigureTable

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "drafts"


@pytest.fixture
def key(team: Team) -> WorkKey:
    return WorkKey(project=team.url, person="ann", case_id="c-1", stage=Stage.SELF_CHECK_TASK, round=1)


def _body(case: Case, text: str, *, at: datetime = NOON, typed: OpenEditor | None = None) -> DraftBody:
    changed = set_user_text(case, 0, text=text)
    cursor = {"at": at.isoformat()}
    return DraftBody(case=changed, judgment=judgment_of(case), cursor=cursor, open_editor=typed)


def _lay_aside(folder: Path, key: WorkKey, body: DraftBody) -> Path:
    return Journal(folder).lay_aside(JournalEntry(key=key, at=NOON, body=body))


def _texts(journal: Journal, key: WorkKey) -> list[str]:
    return [one.kept.body.case.tasks[0].user for one in journal.laid_aside(key) if one.kept is not None]


def test_what_any_window_set_aside_is_found_what_was_written_last_first(
    folder: Path, key: WorkKey, parcel: Case
) -> None:
    for minute in (2, 0, 4, 1, 3):
        _lay_aside(folder, key, _body(parcel, f"at {minute}", at=NOON + timedelta(minutes=minute)))
    assert _texts(Journal(folder), key) == ["at 4", "at 3", "at 2", "at 1", "at 0"]


def test_what_belongs_to_another_case_or_is_only_kept_is_not_listed(
    folder: Path, key: WorkKey, parcel: Case
) -> None:
    _lay_aside(folder, key.model_copy(update={"case_id": "c-2"}), _body(parcel, "of another"))
    Journal(folder).keep(JournalEntry(key=key, at=NOON, body=_body(parcel, "kept")))
    assert Journal(folder).laid_aside(key) == ()


def test_a_file_that_cannot_be_read_is_listed_and_stays_where_it_is(
    folder: Path, key: WorkKey, parcel: Case
) -> None:
    path = _lay_aside(folder, key, _body(parcel, "gone"))
    path.write_text("{")
    (found,) = Journal(folder).laid_aside(key)
    assert (found.path, found.kept) == (path, None)
    assert path.exists()


@pytest.mark.parametrize("said", ["yesterday", "2026-11-20T12:00:00"])
def test_a_moment_that_says_nothing_is_not_believed(parcel: Case, said: str) -> None:
    body = _body(parcel, "x").model_copy(update={"cursor": {"at": said}})
    assert written_at(body, NOON) == NOON


# the list in the window


def _open_list(bench: Bench) -> QDialog:
    bench.press("Ctrl+Shift+A")
    dialog = find(bench.page, QDialog, "aside-dialog")
    bench.wait(find(dialog, FigureTable, "aside").hasFocus)
    return dialog


def test_it_is_listed_brought_back_and_taken_back_by_undo(
    bench: Bench, folder: Path, key: WorkKey, parcel: Case
) -> None:
    place = _lay_aside(folder, key, _body(parcel, "Set aside."))
    bench.open("c-1")
    before = bench.document.snapshot
    dialog = _open_list(bench)
    assert find(dialog, FigureTable, "aside").rows[0].cells[1].text.startswith("1 text or value")
    bench.press("Return")
    assert bench.document.case.tasks[0].user == "Set aside."
    bench.wait(bench.window.isActiveWindow)
    bench.press("Ctrl+Z")
    assert bench.document.snapshot == before
    assert place.exists()


def test_what_has_no_place_in_the_case_any_more_is_named(
    bench: Bench, folder: Path, key: WorkKey, parcel: Case
) -> None:
    bench.team.bring(delete_step(parcel, 0, step=1).model_copy(update={"id": "c-9"}))
    said = cite(judgment_of(parcel), [mark(0, 1, "/depot")])
    kept = JournalEntry(
        key=key.model_copy(update={"case_id": "c-9"}),
        at=NOON,
        body=DraftBody(case=parcel.model_copy(update={"id": "c-9"}), judgment=said),
        base=parcel.model_copy(update={"id": "c-9"}),
    )
    Journal(folder).lay_aside(kept)
    bench.open("c-9")
    _open_list(bench)
    with bench.qtbot.waitSignal(bench.page.news.told) as told:
        bench.press("Return")
    assert told.args == [
        "Brought back; undo shows what you had. Gone with what changed: "
        "task 1, step 1 (reroute): source of depot."
    ]


def test_what_was_being_typed_in_it_is_in_its_editor_again(
    bench: Bench, folder: Path, key: WorkKey, parcel: Case
) -> None:
    typed = OpenEditor(task=0, step=0, field="arguments", text='{"half": ')
    _lay_aside(folder, key, _body(parcel, "Set aside.", typed=typed))
    bench.open("c-1")
    _open_list(bench)
    bench.press("Return")
    bench.wait(lambda: bench.panels.dialogue.view.unread is not None)
    assert isinstance(bench.target, PlainEditor)
    assert bench.target.text == '{"half": '


def test_what_says_the_same_as_now_is_listed_but_not_offered(
    bench: Bench, folder: Path, key: WorkKey, parcel: Case
) -> None:
    claim_case(bench.team["ann"], "c-1")
    bench.open("c-1")
    shown = bench.document.snapshot
    _lay_aside(folder, key, DraftBody(case=shown.case, judgment=shown.judgment))
    dialog = _open_list(bench)
    assert find(dialog, FigureTable, "aside").rows[0].cells[1].text == "nothing: the same as now"
    assert find(dialog, QPushButton, "aside-ok").toolTip().startswith("It is what you have now.")
    bench.press("Escape")


def test_a_damaged_file_is_named_and_cannot_be_brought_back(
    bench: Bench, folder: Path, key: WorkKey, parcel: Case
) -> None:
    place = _lay_aside(folder, key, _body(parcel, "gone"))
    place.write_text("{")
    bench.open("c-1")
    dialog = _open_list(bench)
    cells = find(dialog, FigureTable, "aside").rows[0].cells
    assert (cells[1].text, cells[1].tip) == ("cannot be read", str(place))
    assert not find(dialog, QPushButton, "aside-ok").isEnabled()
    bench.press("Escape")


def test_where_nothing_was_set_aside_the_page_says_so(bench: Bench) -> None:
    bench.open("c-1")
    with bench.qtbot.waitSignal(bench.page.news.told) as told:
        bench.press("Ctrl+Shift+A")
    assert told.args == ["Nothing was set aside of your work on this case."]
    assert bench.page.findChild(QDialog, "aside-dialog") is None
