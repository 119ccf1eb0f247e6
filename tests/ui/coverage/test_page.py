"""The coverage page as a planner uses it: what there is, what is missing, and the cases behind it."""

import json
import re
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QMenu, QPushButton, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.coverage import coverage_of
from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.changes import Changes
from annotator.project.creation import create_workspace
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from scoring.model.case import dump_case
from scoring.model.taxonomy import Policy
from tests.annotator.generation.scripted_run import generate, plan_for
from tests.factories import answer, case, task
from tests.scripted_model.foreign import ForeignRoles, never_asks
from tests.scripted_model.server import ScriptedModel
from tests.ui.coverage.conftest import Opener, is_quiet
from tests.ui.find import find
from ui.charts.pyramid import Pyramid
from ui.coverage.page import CoveragePage
from ui.coverage.tables import needed
from ui.services.operations import Operations
from ui.theme import ElidedLabel
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import side_of
from ui.theme.tables import FigureTable


def _label(page: QWidget, name: str) -> str:
    return find(page, QLabel, name).text()


def _table(page: CoveragePage, name: str) -> FigureTable:
    return find(page, FigureTable, name)


def _pyramid(page: CoveragePage) -> Pyramid:
    return find(page, Pyramid, "pyramid")


def _press_t(page: CoveragePage, times: int = 1) -> None:
    for _ in range(times):
        QTest.keyClick(page.focusWidget() or page, Qt.Key.Key_T)


@pytest.fixture
def page(open_coverage: Opener, sample_project: str) -> CoveragePage:
    """The coverage of the sixteen samples as imported."""
    return open_coverage(sample_project)


def test_the_head_says_how_much_was_counted(page: CoveragePage) -> None:
    assert _label(page, "coverage-summary") == "56 tasks in 16 cases"
    assert _label(page, "covered").startswith("36 of 340 (10.59 %) sequences · by length 4 of 4, 9 of 16")


def test_the_other_tab_says_what_the_dialogues_consist_of(
    qtbot: QtBot, page: CoveragePage, closed_operations: Operations
) -> None:
    _press_t(page)
    sizes, distributions = _table(page, "sizes"), _table(page, "distributions")
    qtbot.waitUntil(lambda: sizes.isVisible() and is_quiet(closed_operations))
    texts = {row.cells[0].text: row.cells[-1] for row in (*sizes.rows, *distributions.rows)}
    assert (texts["Dialogues"].text, texts["related later tasks %"].text) == ("16", "100.00 (40/40)")
    assert texts["CJK"].heat == 1 / 16
    assert _label(page, "coverage-summary") == "56 tasks in 16 cases"
    assert not closed_operations.jobs
    _press_t(page, 2)
    assert _pyramid(page).isVisible(), "what was counted is not counted again"
    assert not closed_operations.jobs
    _press_t(page)
    assert sizes.isVisible()
    QTest.keyClick(page.focusWidget() or page, Qt.Key.Key_G)
    assert _pyramid(page).isVisible(), "the next missing sequence is where the sequences are"


def test_what_was_counted_before_a_change_is_counted_again(
    qtbot: QtBot, page: CoveragePage, closed_operations: Operations, sample_project: str, tmp_path: Path
) -> None:
    _press_t(page)
    qtbot.waitUntil(lambda: _table(page, "sizes").isVisible() and is_quiet(closed_operations))
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(dump_case(case(task(answer()), id="one-more"))), encoding="utf-8")
    with closing(open_workspace(sample_project, login_name())) as workspace:
        import_files(workspace, [file], context=JobContext())
    closed_operations.changed.emit(Changes(has_new_cases=True), None)
    qtbot.waitUntil(lambda: _label(page, "coverage-summary") == "57 tasks in 17 cases")
    _press_t(page, 2)
    qtbot.waitUntil(lambda: _pyramid(page).isVisible() and is_quiet(closed_operations))
    assert _label(page, "coverage-summary") == "57 tasks in 17 cases · 1 task without a policy"


FIGURE = re.compile(r"[\d,.]+( %)?|none|never|–|")


@pytest.mark.parametrize("name", ["information", "tools", "verbs", "missing"])
def test_figures_stand_at_the_right_and_words_at_the_left(page: CoveragePage, name: str) -> None:
    model = _table(page, name).model()
    assert model.rowCount()
    for column in range(model.columnCount()):
        texts = [str(model.index(row, column).data()) for row in range(model.rowCount())]
        is_figure = all(map(FIGURE.fullmatch, texts))
        sides = {
            model.index(row, column).data(Qt.ItemDataRole.TextAlignmentRole) for row in range(len(texts))
        }
        assert sides == {side_of(is_figure=is_figure)}, texts


def test_what_is_missing_can_be_generated(page: CoveragePage, generate: Mock) -> None:
    QTest.mouseClick(find(page, QPushButton, "coverage-generate"), Qt.MouseButton.LeftButton)
    generate.assert_called_once_with()


def test_a_marked_sequence_names_its_cases(page: CoveragePage) -> None:
    _pyramid(page).mark(("clarify",))
    assert _label(page, "route-count") == "2 cases"
    assert [row.key for row in _table(page, "examples").rows] == [
        "sample-05-squealing-brakes",
        "sample-13-momo-at-the-vet",
    ]


def test_more_cases_than_are_named_are_still_counted(page: CoveragePage) -> None:
    _pyramid(page).mark(("multi",))
    assert _label(page, "route-count") == "8 cases, 5 shown"


def test_enter_on_an_example_asks_for_the_case(qtbot: QtBot, page: CoveragePage) -> None:
    _pyramid(page).mark(("chat",))
    examples = _table(page, "examples")
    examples.setFocus()
    with qtbot.waitSignal(page.case_wanted) as asked:
        QTest.keyClick(examples, Qt.Key.Key_Return)
    assert asked.args == ["sample-08-back-to-the-cello"]


def test_g_goes_to_the_next_gap(page: CoveragePage) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_G)
    assert _pyramid(page).marked_route == ("single", "single")
    assert _label(page, "route-count") == "missing"
    assert not _table(page, "examples").isVisible()


def test_labels_no_task_has_together_stand_out(page: CoveragePage) -> None:
    rows = {row.key: [cell.text for cell in row.cells] for row in _table(page, "information").rows}
    assert rows[Policy.CLARIFY][4] == "none"
    # First, omission, reference, long range, all.
    assert rows[Policy.CHAT] == ["Chat", "1", "1", "2", "3", "7"]


def test_marking_a_missing_sequence_shows_its_place(page: CoveragePage) -> None:
    find(page, QTabBar, "coverage-tabs").setCurrentIndex(3)
    missing = _table(page, "missing")
    assert len(missing.rows) == 340 - 36
    missing.mark(("chat", "chat"))
    assert _pyramid(page).marked_route == ("chat", "chat")


def test_what_was_tried_in_vain_is_said_beside_what_is_missing(open_coverage: Opener, tmp_path: Path) -> None:
    project = str(tmp_path / "generated.db")
    workspace = create_workspace(project, name="generated")
    with ScriptedModel(ForeignRoles("planner", never_asks)) as model:
        generate(workspace, plan_for(model.base_url, tasks=1, policies="missing", attempts=1))
    workspace.close()
    page = open_coverage(project)
    words = find(page, ElidedLabel, "covered").text()
    assert words.endswith(" · 1 generated case with another sequence than asked for")
    rows = {row.key: row.cells[2].text for row in _table(page, "missing").rows}
    assert (rows[("clarify",)], rows[("clarify", "chat")]) == ("1", "")


def test_how_far_the_runs_are_from_their_targets_stands_beside_the_sequences(
    qtbot: QtBot, open_coverage: Opener, tmp_path: Path
) -> None:
    project = str(tmp_path / "generated.db")
    shares = {"clarify": 0.25, "single": 0.5, "chat": 0.25}
    with (
        closing(create_workspace(project, name="generated")) as workspace,
        ScriptedModel(ForeignRoles("planner", never_asks)) as model,
    ):
        fields: dict[str, Any] = {"tasks": 1, "count": 4, "attempts": 1}
        generate(workspace, plan_for(model.base_url, name="to targets", shares=shares, **fields))
        generate(workspace, plan_for(model.base_url, name="without", seed=8, **fields))
    page = open_coverage(project)
    targets, stage = _table(page, "run-targets"), find(page, ChoiceChip, "coverage-stage")
    assert not targets.isVisible()
    _press_t(page, 2)
    # The rows may be there before the page has counted and shows them.
    qtbot.waitUntil(lambda: bool(targets.rows) and targets.isVisible())
    assert not stage.isVisible()
    rows = {row.cells[1].text: [cell.text for cell in row.cells] for row in targets.rows}
    assert rows == {
        "Clarify": ["to targets", "Clarify", "25.0 %", "0.0 %", "-25.0"],
        "Single": ["to targets", "Single", "50.0 %", "50.0 %", "+0.0"],
        "Chat": ["to targets", "Chat", "25.0 %", "50.0 %", "+25.0"],
    }
    assert [row.cells[4].colour for row in targets.rows] == ["warn", "text", "warn"]
    _press_t(page)
    assert _pyramid(page).isVisible()
    assert stage.isVisible()


def test_a_count_that_ends_later_does_not_take_the_targets_away(
    qtbot: QtBot, page: CoveragePage, closed_operations: Operations
) -> None:
    kinds = find(page, QTabBar, "coverage-kinds")
    kinds.setCurrentIndex(1)
    kinds.setCurrentIndex(2)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    targets = _table(page, "run-targets")
    assert targets.isVisible()
    assert targets.accessibleDescription() == "No run of the generator has targets."


def test_what_is_missing_is_copied_for_generation(page: CoveragePage) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_C)
    lines = QGuiApplication.clipboard().text().splitlines()
    # 246 of 256 sequences of four tasks are missing, and every shorter one is a beginning of these.
    assert len(lines) == 246
    assert lines[0] == "single,single,single,single"


def test_a_sequence_that_begins_another_missing_one_need_not_be_generated() -> None:
    assert needed([("chat",), ("chat", "multi"), ("single", "chat")]) == (
        ("chat", "multi"),
        ("single", "chat"),
    )


def test_a_chosen_stage_without_cases_says_what_to_do(
    qtbot: QtBot, page: CoveragePage, closed_operations: Operations
) -> None:
    chip = find(page, ChoiceChip, "coverage-stage")
    chip.open_menu()
    menu = find(chip, QMenu, "menu-coverage-stage")
    menu.actions()[1].trigger()
    menu.close()
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert chip.text() == "Final or later"
    assert _label(page, "coverage-summary") == "0 tasks in 0 cases"
    assert not _pyramid(page).isVisible()


def test_an_empty_project_says_what_to_do(open_coverage: Opener, tmp_path: Path) -> None:
    place = f"{tmp_path}/empty.db"
    create_workspace(place).close()
    assert not _pyramid(open_coverage(place)).isVisible()


def test_a_sequence_that_a_case_covers_is_not_missing() -> None:
    found = coverage_of([case(*(task(answer(), policy=Policy.CHAT) for _ in range(4)))])
    assert ("chat", "chat", "chat", "chat") not in found.coverage.missing


def test_where_every_sequence_is_covered_nothing_can_be_copied_or_generated(
    open_coverage: Opener, tmp_path: Path
) -> None:
    policies = (Policy.SINGLE, Policy.MULTI_SERIAL, Policy.CLARIFY, Policy.CHAT)
    cases = [
        case(*(task(answer(), policy=policy) for policy in route), id=f"c-{number}")
        for number, route in enumerate(product(policies, repeat=4))
    ]
    file, project = tmp_path / "cases.jsonl", str(tmp_path / "p.db")
    file.write_text("".join(f"{json.dumps(dump_case(one))}\n" for one in cases))
    workspace = create_workspace(project)
    import_files(workspace, [file], context=JobContext())
    workspace.close()
    page = open_coverage(project)
    assert _label(page, "covered").startswith("340 of 340")
    for name in ("coverage-copy", "coverage-generate", "next-gap"):
        assert not find(page, QPushButton, name).isEnabled(), name


def test_the_statistics_end_with_how_many_cases_are_left_after_each_stage(
    qtbot: QtBot, open_coverage: Opener, reviewed_project: str, closed_operations: Operations
) -> None:
    page = open_coverage(reviewed_project)
    find(page, QTabBar, "coverage-kinds").setCurrentIndex(1)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    rows = {row.cells[0].text: row.cells[-1].text for row in _table(page, "distributions").rows}
    # 7 of 16 stand where they came in; 3 are in cross-check, 4 approved and 2 escalated after it.
    assert rows["imported"] == "100.00 (16/16)"
    assert (rows["self check task"], rows["cross check"], rows["final"]) == (
        "56.25 (9/16)",
        "37.50 (6/16)",
        "0.00 (0/16)",
    )


def test_a_category_is_assigned_to_a_toolset_and_counted(
    qtbot: QtBot, page: CoveragePage, closed_operations: Operations
) -> None:
    find(page, QTabBar, "coverage-kinds").setCurrentIndex(1)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    table = _table(page, "toolsets")
    row = table.marked_item
    assert [cell.text for cell in table.rows[0].cells[1:]] == [
        f"{row.cases}",
        f"{len(row.tools)}",
        "not assigned",
    ]
    find(page, QPushButton, "coverage-category").click()
    dialog = page.findChildren(QDialog, "category-dialog")[-1]
    find(dialog, QLineEdit, "category-words").setText(" Travel  and rail ")
    find(dialog, QPushButton, "category-go").click()
    qtbot.waitUntil(
        lambda: is_quiet(closed_operations) and bool(_table(page, "toolsets").rows[0].cells[3].text)
    )
    qtbot.waitUntil(lambda: table.rows[0].cells[3].text == "Travel and rail")
    rows = {row.cells[0].text: row.cells[-1].text for row in _table(page, "distributions").rows}
    # The tools of this one toolset, of all different tools of the samples.
    assert rows["Travel and rail"].split("(")[1].startswith(f"{len(row.tools)}/")
    assert "not labelled" in rows
