"""A run of the generator from the window: estimated, watched, picked from, stopped and gone on with."""

import json
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QLineEdit, QPushButton, QSpinBox, QTabBar
from pytestqt.qtbot import QtBot

from annotator.cases.access import show_case
from annotator.generation.plan import Chooser, UserStyle
from annotator.generation.quality import Target
from annotator.generation.records import GenerationState
from annotator.project.workspace import open_workspace
from scoring.measures.rates import rate
from tests.scripted_model.endpoint import scripted_endpoint
from tests.scripted_model.foreign import ForeignRoles, never_asks
from tests.scripted_model.server import ScriptedModel
from tests.ui.cut import cut
from tests.ui.find import find
from tests.ui.generate.conftest import is_quiet
from ui.charts.pyramid import Pyramid
from ui.generate.generate_lines import TARGET_COLUMNS, state_words
from ui.generate.page import GeneratePage
from ui.generate.run_dialog import GenerateDialog
from ui.generate.run_view import LiveDialogue
from ui.generate.toolset_view import ToolsetView
from ui.services.operations import Operations
from ui.theme import Button, WrappedLabel
from ui.theme.cells import Cell
from ui.theme.fields import ChoiceBoxes, FilesField, NoteField
from ui.theme.tables import FigureTable


def _ask(page: GeneratePage, toolset: Path, model: ScriptedModel, *, tasks: int = 1) -> GenerateDialog:
    QTest.keyClick(page.window(), Qt.Key.Key_R)
    dialog = find(page, GenerateDialog, "generate-dialog")
    dialog.findChildren(FilesField)[0].add([str(toolset)])
    find(dialog, QLineEdit, "generate-model").setText("scripted")
    find(dialog, QLineEdit, "generate-base_url").setText(model.base_url)
    find(dialog, QSpinBox, "generate-tasks").setValue(tasks)
    return dialog


def _start(qtbot: QtBot, dialog: GenerateDialog) -> None:
    words = find(dialog, QLabel, "generate-words")
    qtbot.waitUntil(lambda: "about" in words.text())
    QTest.mouseClick(find(dialog, QPushButton, "generate-go"), Qt.MouseButton.LeftButton)


def _statuses(page: GeneratePage) -> list[str]:
    return [row.cells[4].text for row in find(page, FigureTable, "dialogues").rows]


def test_an_outage_is_said_before_anything_else() -> None:
    state = GenerationState(run=1, total=4, requests=9, outage="h:1 is not reachable, retrying in 30 s")
    assert state_words(state) == "h:1 is not reachable, retrying in 30 s · 0 of 4 dialogues · 9 replies"


def test_an_empty_page_says_how_to_begin(page: GeneratePage) -> None:
    assert find(page, QPushButton, "empty-generate").isVisible()


def test_the_dialog_says_what_is_missing_and_then_what_a_run_takes(
    qtbot: QtBot, page: GeneratePage, toolset: Path, model: ScriptedModel
) -> None:
    dialog = _ask(page, toolset, model)
    find(dialog, QLineEdit, "generate-prompt_price").setText("1")
    find(dialog, QLineEdit, "generate-completion_price").setText("4")
    words = find(dialog, QLabel, "generate-words")
    # single 5, multi (9 + 6 + 9) / 3 = 8, clarify 5 + 3 * 4/3 = 9, chat 3.
    qtbot.waitUntil(lambda: "about $" in words.text())  # the first estimate knew no prices
    assert words.text().startswith("4 dialogues: about 25 requests")
    one_each = ", ".join(f"{kind} 0 + 1 (25.00 %)" for kind in ("Single", "Multi", "Clarify", "Chat"))
    assert words.text().endswith(f"and the share then: {one_each}.")
    layers = find(dialog, QComboBox, "generate-is_layered")
    layers.setCurrentIndex(layers.findData(True))
    find(dialog, QSpinBox, "generate-tasks").setValue(2)
    # 16 first tasks, four of each kind.
    qtbot.waitUntil(lambda: words.text().startswith("16 dialogues: about 100 requests"))
    find(dialog, QLineEdit, "generate-base_url").setText("nowhere")
    go = find(dialog, QPushButton, "generate-go")
    assert "'nowhere' is not the address of an endpoint." in go.toolTip()
    assert not go.isEnabled()
    dialog.reject()


def test_a_run_is_watched_role_by_role_while_the_pyramid_fills(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, toolset: Path, model: ScriptedModel
) -> None:
    _start(qtbot, _ask(page, toolset, model))
    qtbot.waitUntil(lambda: _statuses(page) == ["case"] * 4 and is_quiet(closed_operations))

    words = find(page, QLabel, "generate-state").text()
    assert words.startswith("4 of 4 dialogues · 4 with the sequence asked for")
    assert len(find(page, LiveDialogue, "live-dialogue").shown) >= 3
    assert find(page, QLabel, "generate-covered").text() == "4 of 340 sequences"
    assert find(page, Pyramid, "pyramid").isVisible()


def test_targets_that_cannot_be_are_named_and_those_of_a_run_stand_beside_what_was_made(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, toolset: Path, model: ScriptedModel
) -> None:
    dialog = _ask(page, toolset, model)
    find(dialog, QLineEdit, "generate-count").setText("4")
    targets = find(dialog, QLineEdit, "generate-shares")
    targets.setText("single: 90%; chat: 20%")
    go = find(dialog, QPushButton, "generate-go")
    assert "add up to 110%" in go.toolTip()
    assert not go.isEnabled()
    words = find(dialog, QLabel, "generate-words")
    targets.setText("sports: 50%")
    qtbot.waitUntil(lambda: "No toolset is of the category 'sports'." in words.text())
    assert not go.isEnabled()
    targets.setText("zh: 50%")
    qtbot.waitUntil(lambda: words.text().endswith(", Chinese 0 + 2 (50.00 %)."))
    targets.setText("single: 75%; chat: 25%")
    _start(qtbot, dialog)
    qtbot.waitUntil(lambda: _statuses(page) == ["case"] * 4 and is_quiet(closed_operations))
    rows = [[cell.text for cell in row.cells] for row in find(page, FigureTable, "targets").rows]
    assert rows == [["Single", "75.0 %", "75.0 %", "+0.0"], ["Chat", "25.0 %", "25.0 %", "+0.0"]]


def test_the_dialog_says_how_often_scenarios_are_drawn_and_warns_of_personal_data(
    qtbot: QtBot, page: GeneratePage, toolset: Path, model: ScriptedModel, tmp_path: Path
) -> None:
    file = tmp_path / "log.txt"
    file.write_text("A nurse swaps a shift.\nWrite to eva@example.org.\nA choir lost its hall.\n")
    dialog = _ask(page, toolset, model)
    words = find(dialog, QLabel, "generate-words")
    scenarios = find(dialog, QLineEdit, "generate-scenarios")
    scenarios.setText(str(tmp_path / "gone.txt"))
    qtbot.waitUntil(lambda: "gone.txt cannot be read" in words.text())
    assert not find(dialog, QPushButton, "generate-go").isEnabled()
    scenarios.setText(str(file))
    boxes = find(dialog, ChoiceBoxes, "generate-styles")
    boxes.choose((UserStyle.TERSE, UserStyle.CORRECTS))
    qtbot.waitUntil(lambda: "Users: " in words.text())
    drawn, users = words.text().splitlines()[-2:]
    assert drawn == "3 scenarios, each drawn 1 to 2 times."
    assert users == "Users: terse 2, corrects oneself 2."
    warning = "1 scenario may tell who somebody is: log.txt:2 (an e-mail address). "
    assert any(
        one.isVisible() and one.text().startswith(warning) for one in dialog.findChildren(WrappedLabel)
    )
    assert find(dialog, QPushButton, "generate-go").isEnabled()
    dialog.reject()


def test_a_deviation_is_the_difference_of_the_shares_that_are_shown() -> None:
    target = Target(word="single", wanted=0.4, made=rate(7, 16))
    cells = [column.cell((Mock(), target)) for column in TARGET_COLUMNS[3:]]
    assert [cell.text for cell in cells if isinstance(cell, Cell)] == ["43.8 %", "+3.8"]


def test_a_dialogue_stands_with_what_it_has_beside_what_was_asked_for_and_the_pyramid_counts_that(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, toolset: Path
) -> None:
    with ScriptedModel(ForeignRoles("planner", never_asks)) as model:
        _start(qtbot, _ask(page, toolset, model))
        qtbot.waitUntil(
            lambda: (
                sorted(_statuses(page)) == ["case"] * 3 + ["other sequence"] and is_quiet(closed_operations)
            ),
            timeout=60_000,
        )
    rows = {row.cells[2].text: row.cells for row in find(page, FigureTable, "dialogues").rows}
    assert (rows["Clarify"][1].text, rows["Clarify"][4].text) == ("Chat", "other sequence")
    assert rows["Single"][1].text == "Single"
    words = find(page, QLabel, "generate-state").text()
    assert words.startswith("4 of 4 dialogues · 3 with the sequence asked for")
    assert find(page, QLabel, "generate-covered").text() == "3 of 340 sequences"


def test_a_person_picks_a_request_and_words_it(
    qtbot: QtBot,
    page: GeneratePage,
    closed_operations: Operations,
    toolset: Path,
    model: ScriptedModel,
    tmp_path: Path,
) -> None:
    dialog = _ask(page, toolset, model)
    find(dialog, QLineEdit, "generate-count").setText("1")
    chooser = find(dialog, QComboBox, "generate-chooser")
    chooser.setCurrentIndex(chooser.findData(Chooser.PERSON))
    _start(qtbot, dialog)
    tabs = find(page, QTabBar, "generate-tabs")
    qtbot.waitUntil(lambda: tabs.tabText(1) == "Candidates · 1" and is_quiet(closed_operations))

    QTest.keyClick(page.window(), Qt.Key.Key_C)
    QTest.keyClick(page.window(), Qt.Key.Key_1)
    text = find(page, NoteField, "candidate-text")
    assert text.words
    worded = f"{text.words} Thanks!"
    text.setPlainText(worded)
    QTest.mouseClick(find(page, QPushButton, "candidate-pick"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: tabs.tabText(1) == "Candidates" and is_quiet(closed_operations))
    page.toggle()  # asks before requests are sent again
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "resume-dialog")))
    find(page, QPushButton, "resume-go").click()
    qtbot.waitUntil(lambda: _statuses(page) == ["case"] and is_quiet(closed_operations))
    workspace = open_workspace(str(tmp_path / "p.db"))
    made = find(page, FigureTable, "dialogues").rows[0].key
    assert made == (0, 1)
    assert show_case(workspace, "gen-1-0001").tasks[0].user == worded
    workspace.close()


def test_a_wrong_key_is_said_and_the_run_can_go_on(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, toolset: Path
) -> None:
    with scripted_endpoint(key="k-1") as locked:
        _start(qtbot, _ask(page, toolset, locked))
        qtbot.waitUntil(lambda: is_quiet(closed_operations) and page.shown_run is not None)

    assert "Check the API key." in find(page, QLabel, "error-hint").text()
    toggle = find(page, Button, "generate-toggle")
    assert (toggle.accessibleName(), toggle.isVisible()) == ("Resume (P)", True)
    QTest.keyClick(page, Qt.Key.Key_P)  # waits a moment for a second letter
    qtbot.waitUntil(lambda: bool(page.findChildren(QDialog, "resume-dialog")))
    cancel = find(page, QPushButton, "dialog-cancel")
    assert cancel.hasFocus()
    cancel.click()
    assert is_quiet(closed_operations)
    assert toggle.accessibleName() == "Resume (P)"


def test_a_better_schema_is_accepted_with_history(
    qtbot: QtBot, page: GeneratePage, closed_operations: Operations, toolset: Path
) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_T)
    assert find(page, QPushButton, "toolset-open-first").hasFocus()
    view = find(page, ToolsetView, "toolset-view")
    view.open_file(str(toolset))
    findings, history = (
        find(page, FigureTable, "toolset-findings"),
        find(page, FigureTable, "toolset-history"),
    )
    qtbot.waitUntil(lambda: bool(findings.rows))
    row = next(row for row in findings.rows if "fast, slow" in row.cells[3].text)
    findings.mark(row.key)
    assert json.loads(find(page, NoteField, "toolset-after").words)["enum"] == ["fast", "slow"]
    assert not [line for line in cut(view) if "sign" in line]

    QTest.mouseClick(find(page, QPushButton, "toolset-accept"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(history.rows) == 1)
    assert row.key not in [left.key for left in findings.rows]
    assert (toolset.with_name("tools.refined.jsonl")).is_file()


def test_a_declined_finding_leaves_the_list_and_the_file_stays(
    qtbot: QtBot, page: GeneratePage, toolset: Path
) -> None:
    page.show_tab(2)
    find(page, ToolsetView, "toolset-view").open_file(str(toolset))
    findings = find(page, FigureTable, "toolset-findings")
    qtbot.waitUntil(lambda: bool(findings.rows))
    before, declined = [row.key for row in findings.rows], findings.marked_key

    QTest.mouseClick(find(page, QPushButton, "toolset-decline"), Qt.MouseButton.LeftButton)
    assert [row.key for row in findings.rows] == [key for key in before if key != declined]
    assert not toolset.with_name("tools.refined.jsonl").exists()


@pytest.mark.parametrize("text", ["{", "[1]"])
def test_what_is_no_object_is_not_accepted(
    qtbot: QtBot, page: GeneratePage, toolset: Path, text: str
) -> None:
    page.show_tab(2)
    find(page, ToolsetView, "toolset-view").open_file(str(toolset))
    findings = find(page, FigureTable, "toolset-findings")
    qtbot.waitUntil(lambda: bool(findings.rows))
    find(page, NoteField, "toolset-after").setPlainText(text)

    assert not find(page, QPushButton, "toolset-accept").isEnabled()
