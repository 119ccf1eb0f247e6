"""Beside the list: the marked case at a glance, a person's own day, and which case is next."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.cases.access import show_case
from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.sample_project import EXPERT
from annotator.review.expert.decisions import Decision
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.measures.workload import MyDay, my_day
from annotator.review.submissions import submission_key
from scoring.measures.rates import rate
from scoring.model.case import Case, dump_case
from scoring.model.record import to_json
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.factories import answer, ask, case, task
from tests.ui.find import find, show_view
from tests.ui.queue.conftest import Opener
from tests.ui.queue.driving import cases_of, ids_of, place_of, settle
from ui.queue import preview
from ui.queue.case_table import HIDDEN
from ui.queue.preview import Preview, day_lines
from ui.queue.views import QueueView
from ui.services.operations import Operations
from ui.theme import Hint


def test_the_marked_case_is_previewed(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    QTest.keyClick(cases_of(page), Qt.Key.Key_Down)
    settle(qtbot, closed_operations)
    second = ids_of(page)[1]
    preview = find(page, Preview, "preview")
    assert preview.row is not None
    assert preview.row.case_id == second
    texts = {label.text() for label in preview.findChildren(QLabel)}
    assert second in texts
    assert "User · task 1" in texts


def test_marks_of_markdown_are_left_out_of_the_preview(
    qtbot: QtBot, open_queue: Opener, closed_operations: Operations, tmp_path: Path
) -> None:
    place, file = str(tmp_path / "marked.db"), tmp_path / "marked.jsonl"
    marked = case(
        task(ask("Which **day**?", "Today."), answer("# Done\n\nIt is **sunny**."), user="Is it `fine`?")
    )
    file.write_text(to_json(dump_case(marked)), encoding="utf-8")
    workspace = create_workspace(place, person="anna")
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    page = open_queue(place, "anna")
    settle(qtbot, closed_operations)
    texts = {label.text() for label in find(page, Preview, "preview").findChildren(QLabel)}
    assert {"Is it fine?", "asks: Which day?", "Done It is sunny."} <= texts


def test_the_preview_says_which_findings_block(
    qtbot: QtBot, open_queue: Opener, closed_operations: Operations, tmp_path: Path
) -> None:
    place, file = str(tmp_path / "open.db"), tmp_path / "open.jsonl"
    unanswered = case(task(ask("Which day?", "Today.")))
    file.write_text(to_json(dump_case(unanswered)), encoding="utf-8")
    workspace = create_workspace(place, person="anna")
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    page = open_queue(place, "anna")
    settle(qtbot, closed_operations)
    texts = [label.text() for label in find(page, Preview, "preview").findChildren(QLabel)]
    assert "2 FINDINGS, 1 BLOCKING" in texts
    assert texts[texts.index("Answer missing") + 1] == "blocks the submission"
    assert texts[texts.index("Question without a parameter") + 1] == "does not block"


def test_cases_that_are_passed_over_are_not_read_for_the_preview(
    qtbot: QtBot,
    open_queue: Opener,
    reviewed_project: str,
    closed_operations: Operations,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    read: list[str] = []

    def note(workspace: Workspace, *, case_id: str) -> Case:
        read.append(case_id)
        return show_case(workspace, case_id=case_id)

    monkeypatch.setattr(preview, "show_case", note)
    for _ in range(5):
        QTest.keyClick(cases_of(page), Qt.Key.Key_Down)
    settle(qtbot, closed_operations)
    assert read == [ids_of(page)[5]]


@pytest.mark.usefixtures("said_in_chinese")
def test_what_an_expert_wrote_to_the_owner_is_no_text_of_the_program(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    case_id, note = "sample-04-energy-meter", "Task 2 leaves the meter out: label it omission."
    workspace = open_workspace(reviewed_project, EXPERT)
    seen = open_adjudication(workspace, case_id).value
    decision = Decision.model_validate(
        {
            "verdict": Verdict.RETURN,
            "note": note,
            "fields": {field.id: "A" for field in seen.differing},
            "edits": {edit.id: "decline" for edit in seen.edits},
        }
    )
    decide(workspace, seen.assignment_id, decision=decision, key=submission_key())
    workspace.close()
    page = open_queue(reviewed_project, "ann-1")
    show_view(page, QueueView(stages=(Stage.RETURNED,)))
    qtbot.waitUntil(lambda: ids_of(page) == [case_id])
    settle(qtbot, closed_operations)
    [hint] = find(page, Preview, "preview").findChildren(Hint)
    assert note in hint.words


def test_a_blind_reviewer_sees_no_labels_in_the_preview(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_queue(reviewed_project, "ann-2")
    show_view(page, QueueView(stages=(Stage.CROSS_CHECK,), order="case"))
    qtbot.waitUntil(lambda: len(ids_of(page)) == 3)
    with qtbot.waitSignal(page.open_requested):
        QTest.keyClick(cases_of(page), Qt.Key.Key_Return)
    settle(qtbot, closed_operations)
    cases_of(page).selectRow(1)
    cases_of(page).selectRow(0)
    settle(qtbot, closed_operations)
    texts = [label.text() for label in find(page, Preview, "preview").findChildren(QLabel)]
    assert "sample-07-parcel-to-bologna" in texts
    assert not {"Serial", "Single", "Parallel, omission"} & set(texts)
    row = cases_of(page).model().index(0, place_of("findings"))
    assert (row.data(), row.data(Qt.ItemDataRole.ToolTipRole)) == ("–", HIDDEN)


def test_a_persons_own_day_stands_below_the_preview(
    qtbot: QtBot, open_queue: Opener, reviewed_project: str
) -> None:
    page = open_queue(reviewed_project, "ann-1")
    figures = [find(page, QLabel, f"today-{row}").text() for row in (1, 2, 3)]
    workspace = open_workspace(reviewed_project, "ann-1")
    day = my_day(workspace)
    workspace.close()
    assert day.finished > 0
    assert figures[0] == str(day.finished)


def test_who_only_manages_has_no_figures_of_the_day(open_queue: Opener, tmp_path: Path) -> None:
    project = str(tmp_path / "team.db")
    workspace = create_workspace(project, name="team", person="mia")
    add_person(workspace, "max", roles=[Role.MANAGER])
    workspace.close()
    assert find(open_queue(project, "max"), QWidget, "today").isHidden()


def test_the_next_button_says_why_which_case_is_next(open_queue: Opener, reviewed_project: str) -> None:
    page = open_queue(reviewed_project, "ann-1")
    assert (
        find(page, QPushButton, "next-case").toolTip().startswith("Takes the oldest in self-check: returned")
    )


@pytest.mark.parametrize(
    ("day", "figures"),
    [
        ({"finished": 23, "median_seconds": 161.0, "agreement": rate(87, 100)}, ("23", "2 min 41 s", "0.87")),
        ({"finished": 0, "median_seconds": None, "agreement": rate(0, 0)}, ("0", "–", "–")),
    ],
)
def test_a_day_without_work_shows_dashes_and_no_zeros(
    day: dict[str, object], figures: tuple[str, str, str]
) -> None:
    lines = day_lines(MyDay.model_validate({"since": datetime(2026, 11, 20, tzinfo=UTC), **day}))
    assert tuple(value for _, value, _ in lines) == figures
