"""The runs page as its people use it: the leaderboard, failed tasks one after another, two runs compared."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.jobs import JobContext
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.release.freeze import list_releases
from annotator.release.reports import paper as papers
from annotator.release.reports.album import album
from annotator.release.reports.effect_tables import effect_table
from annotator.release.reports.figure_style import PictureFormat
from annotator.release.reports.run_groups import named
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.recorded_runs import list_runs, record_run, run_scorecard
from annotator.resources import resource_path
from annotator.teval.items_folder import write_scores
from scoring.model.taxonomy import Protocol, ReportFormat, Semantics
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.scores import score_items, summarise
from scoring.teval.similarity import CharacterTriples
from tests.annotator.release.cards import text_of
from tests.scoring.teval.sample_items import sample_items
from tests.ui.find import find
from tests.ui.runs.conftest import Opener, is_quiet
from ui.charts import PictureView
from ui.dialogue.content import Edit
from ui.graph.canvas_content import MarkKind
from ui.graph.view import GraphView
from ui.runs.error_panel import ErrorBar
from ui.runs.failure_view import FailureView
from ui.runs.gallery import Gallery
from ui.runs.leaderboard import headings, shown_columns
from ui.runs.page import RunsPage
from ui.runs.run_details import RunDetails
from ui.runs.run_dialog import RunDialog
from ui.runs.score_dialogs import PredictionsDialog
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.services.topics import topic_of
from ui.theme import Hint
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell
from ui.theme.dialogs import FormDialog
from ui.theme.fields import DropDown
from ui.theme.tables import FigureTable
from ui.theme.tokens import Tone


def _texts(table: FigureTable) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def _runs(page: RunsPage) -> FigureTable:
    return find(page, FigureTable, "runs")


def _failures(page: RunsPage) -> FigureTable:
    return find(page, FigureTable, "failures")


def _cell(table: FigureTable, model: str, title: str) -> Cell:
    """What the row of a model says under a heading."""
    titles = [
        table.model().headerData(n, Qt.Orientation.Horizontal) for n in range(table.model().columnCount())
    ]
    [row] = [row for row in table.rows if row.cells[0].text == model]
    return row.cells[titles.index(title)]


def _label(page: QWidget, name: str) -> str:
    return find(page, QLabel, name).text()


def _note(qtbot: QtBot, page: QWidget) -> Hint:
    """The note that is shown, once it is; one that was taken away may still be on its way out."""

    def shown() -> list[Hint]:
        return [hint for hint in page.findChildren(Hint, "failure-note") if hint.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) == 1)
    return shown()[0]


def _predictions(name: str) -> str:
    return str(resource_path("samples", f"predictions_{name}.jsonl"))


@pytest.fixture
def page(open_runs: Opener, released_project: str) -> RunsPage:
    """The runs of the released samples, with their replies; careful, the better one, is marked."""
    return open_runs(released_project)


@pytest.fixture
def details(page: RunsPage) -> RunsPage:
    """The page with the details of careful."""
    page.toggle_details()
    return page


@pytest.fixture
def page_without_replies(open_runs: Opener, released_project: str, tmp_path: Path) -> RunsPage:
    """A run of which the project keeps the scores only, as of a scorecard somebody sent."""
    project = str(tmp_path / "scores.db")
    shutil.copy(released_project, project)
    workspace = open_workspace(project, login_name())
    try:
        card = run_scorecard(workspace, list_runs(workspace)[-1].id)
        record_run(workspace, "careful, scores only", card=card)
    finally:
        workspace.close()
    page = open_runs(project)
    [marked] = [row.key for row in _runs(page).rows if row.cells[0].text == "careful, scores only"]
    _runs(page).mark(marked)
    page.toggle_details()
    return page


def test_the_best_run_comes_first_with_two_decimals(page: RunsPage) -> None:
    # 50 and 20 of 56 tasks.
    assert [row[:2] for row in _texts(_runs(page))] == [["careful", "89.29"], ["careless", "35.71"]]


def test_the_best_of_each_column_is_strong(page: RunsPage) -> None:
    strong = [[cell.is_strong for cell in row.cells[1:9]] for row in _runs(page).rows]
    assert strong == [[True] * 8, [False] * 8]


def test_a_figure_says_of_how_many_tasks(page: RunsPage) -> None:
    assert _runs(page).rows[0].cells[1].tip == "50 of 56"


@pytest.fixture
def page_with_failures(open_runs: Opener, released_project: str, tmp_path: Path) -> RunsPage:
    """A third run whose endpoint failed at 14 of the 56 tasks, all of which careful gets right."""
    project, broken = str(tmp_path / "failures.db"), tmp_path / "broken.jsonl"
    shutil.copy(released_project, project)
    cases = load_cases(resource_path("samples", "cases.jsonl"))
    careful = evaluate(cases, [Path(_predictions("careful"))], context=JobContext())
    right = [(task.case, task.task) for task in careful.tasks if task.is_correct][:14]
    lines = []
    for line in Path(_predictions("careful")).read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        failed = (said["case"], said["task"]) in right
        lines.append(
            json.dumps(said | ({"error": {"kind": "http", "message": "HTTP 500"}} if failed else {}))
        )
    broken.write_text("\n".join(lines), encoding="utf-8")
    workspace = open_workspace(project, login_name())
    try:
        card = evaluate(cases, [broken], context=JobContext())
        sha256 = run_scorecard(workspace, list_runs(workspace)[-1].id).cases_sha256
        record_run(workspace, "broken", card=card.model_copy(update={"cases_sha256": sha256}))
    finally:
        workspace.close()
    return open_runs(project)


def test_failures_outside_the_model_are_marked_and_can_be_left_out(
    qtbot: QtBot, page_with_failures: RunsPage, closed_operations: Operations
) -> None:
    page = page_with_failures

    def line() -> tuple[str, str]:
        badge = _cell(_runs(page), "broken", "Failed outside")
        assert badge.chip is Tone.WARN
        return _cell(_runs(page), "broken", "Task").text, badge.text

    # careful has 48 of 56 right: 34 of 56, or 34 of 42.
    assert line() == ("60.71", "14 as wrong")
    whole = _cell(_runs(page), "careful", "Failed outside")
    assert (whole.text, whole.chip) == ("0", None)
    _runs(page).mark(next(row.key for row in _runs(page).rows if row.cells[0].text == "broken"))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    chip = find(page, ChoiceChip, "runs-outside")
    chip.open_menu()
    menu = find(chip, QMenu, "menu-runs-outside")
    next(action for action in menu.actions() if action.text().endswith("excluded")).trigger()
    menu.close()
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert line() == ("80.95", "14 excluded")
    slices = {row[0]: row[1] for row in _texts(find(page, FigureTable, "slices"))}
    assert slices["Task accuracy"] == "80.95"


@pytest.fixture
def page_of_two_rules(open_runs: Opener, released_project: str, tmp_path: Path) -> RunsPage:
    """The bundled predictions scored under both semantics, and once more as if asked otherwise."""
    project = str(shutil.copy(released_project, tmp_path / "rules.db"))
    workspace = open_workspace(project, login_name())
    try:
        [release] = list_releases(workspace)
        cases = load_cases(Path(release.directory))
        for name, semantics, protocol in (
            ("careful", Semantics.REFERENCE, Protocol.WILDTOOL),
            ("careless", Semantics.REFERENCE, Protocol.WILDTOOL),
            ("careful", Semantics.PAPER, Protocol.C2),
        ):
            files = [Path(_predictions(name))]
            card = evaluate(cases, files, context=JobContext(), semantics=semantics, protocol=protocol)
            record_run(workspace, name, card=card, predictions=files)
    finally:
        workspace.close()
    return open_runs(project)


def test_runs_under_different_rules_are_ranked_and_marked_apart(page_of_two_rules: RunsPage) -> None:
    table = _runs(page_of_two_rules)
    assert [row[0] for row in _texts(table)] == [
        "Semantics reference; protocol wildtool",
        "careful",
        "careless",
        "Semantics paper; protocol wildtool",
        "careful",
        "careless",
        "Semantics paper; protocol c2",
        "careful",
    ]
    assert find(page_of_two_rules, QLabel, "runs-apart").isVisible()
    # The best of a group is strong, and a run alone in its group is the best of nothing.
    strong = [row.cells[1].is_strong for row in table.rows if not row.is_heading]
    assert strong == [True, False, True, False, False]


def test_a_heading_of_a_group_is_never_marked_and_stays_above_it(page_of_two_rules: RunsPage) -> None:
    table = _runs(page_of_two_rules)
    table.setFocus()
    first, second, third, fourth = (row.key for row in table.rows if not row.is_heading and row.section < 2)
    table.mark(first)
    assert [table.marked_key, _press(table, Qt.Key.Key_Down)] == [first, second]
    assert _press(table, Qt.Key.Key_Up) == first
    assert _press(table, Qt.Key.Key_Up) == first
    heading = table.visualRect(table.model().index(0, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=heading)
    assert table.marked_key == first
    header = table.horizontalHeader()
    at = QPoint(header.sectionPosition(1) + 10, header.height() // 2)
    for _ in range(2):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    rows = [(row.section, row.is_heading) for row in table.rows]
    assert rows == [
        (0, True),
        (0, False),
        (0, False),
        (1, True),
        (1, False),
        (1, False),
        (2, True),
        (2, False),
    ]
    assert [row.key for row in table.rows if row.section == 1 and not row.is_heading] == [fourth, third]


def _press(table: FigureTable, key: Qt.Key) -> object:
    QTest.keyClick(table, key)
    return table.marked_key


def test_compare_offers_runs_under_the_same_rules_and_the_other_history(
    qtbot: QtBot, page_of_two_rules: RunsPage, closed_operations: Operations
) -> None:
    table = _runs(page_of_two_rules)
    offered = {}
    for row in table.rows:
        if not row.is_heading:
            table.mark(row.key)
            qtbot.waitUntil(lambda: is_quiet(closed_operations))
            QTest.keyClick(page_of_two_rules.window(), Qt.Key.Key_C)
            menu = find(page_of_two_rules, QMenu, "compare-menu")
            offered[row.section, row.cells[0].text] = [one.text() for one in menu.actions()]
            menu.close()
            menu.deleteLater()
            qtbot.waitUntil(lambda: not page_of_two_rules.findChildren(QMenu, "compare-menu"))
    assert offered == {
        (0, "careful"): ["careless · 35.71"],
        (0, "careless"): ["careful · 89.29"],
        (1, "careful"): ["careful · 89.29 · protocol c2", "careless · 35.71"],
        (1, "careless"): ["careful · 89.29 · protocol c2", "careful · 89.29"],
        (2, "careful"): ["careless · 35.71 · protocol wildtool", "careful · 89.29 · protocol wildtool"],
    }


def test_a_project_without_runs_says_how_to_get_one(open_runs: Opener, sample_project: str) -> None:
    page = open_runs(sample_project)
    assert find(page, QPushButton, "empty-import").isVisible()
    assert not find(page, ChoiceChip, "runs-outside").isVisible()
    assert not _runs(page).isVisible()


def test_the_keys_of_runs_do_nothing_while_another_view_is_shown(
    open_runs: Opener, released_project: str
) -> None:
    other = QPushButton()
    page = open_runs(released_project, [("Other", other)])
    tabs = find(page, QTabBar, "run-kinds")
    for tab, count in ((1, 0), (0, 1)):
        tabs.setCurrentIndex(tab)
        assert other.hasFocus() is (tab == 1)
        QTest.keyClick(page, Qt.Key.Key_R)
        assert len(page.findChildren(RunDialog)) == count


def test_a_heading_sorts_and_the_marked_run_stays_marked(page: RunsPage) -> None:
    table = _runs(page)
    header = table.horizontalHeader()
    at = QPoint(header.sectionPosition(1) + 10, header.height() // 2)
    for _ in range(2):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert [row[0] for row in _texts(table)] == ["careless", "careful"]
    assert table.marked_key == table.rows[1].key


def test_every_failed_task_of_the_marked_run_is_listed(details: RunsPage) -> None:
    assert find(details, QTabBar, "run-tabs").tabText(0) == "Failed tasks · 6"
    assert len(_failures(details).rows) == 6
    assert _label(details, "failure-place") == "1 of 6"


def test_the_case_of_a_failure_is_read_from_its_release(details: RunsPage) -> None:
    assert _label(details, "failure-case") == "sample-01-ghent-weekend"
    assert len(details.findChildren(GraphView)[0].task.steps) == 3


def test_without_replies_it_says_so_and_offers_to_name_them(
    qtbot: QtBot, page_without_replies: RunsPage
) -> None:
    note = _note(qtbot, page_without_replies)
    assert note.words.startswith("The model's replies are not available.")
    assert find(note, QPushButton, "action-predictions").isVisible()


def test_named_replies_show_where_a_run_of_scores_only_went_wrong(
    qtbot: QtBot, page_without_replies: RunsPage, closed_operations: Operations
) -> None:
    page_without_replies.findChildren(RunDetails)[0].navigation.choose_replies([_predictions("careful")])
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert _label(page_without_replies, "failure-head") == "task 2 · left the legal orders in round 1"


def test_the_graph_shows_where_the_model_left_the_legal_orders(details: RunsPage) -> None:
    assert _label(details, "failure-head") == "task 2 · left the legal orders in round 1"
    marks = {number: item.mark for number, item in details.findChildren(GraphView)[0].board.steps.items()}
    assert marks[0] is not None
    assert marks[1] is not None
    assert (marks[0].kind, marks[1].kind) == (MarkKind.READY, MarkKind.EARLY)


def test_the_case_of_a_failure_is_shown_to_read_at_the_failed_task(details: RunsPage) -> None:
    view = details.findChildren(FailureView)[0].case_view
    document = view.document
    assert document is not None
    assert (document.case.id, document.selection.task) == ("sample-01-ghent-weekend", 1)
    assert view.dialogue.view.open_task == 1
    view.dialogue.view.edited.emit(Edit(task=1, step=None, field="user", value="Nobody asked this."))
    assert document.case.tasks[1].user != "Nobody asked this."


def test_the_marks_of_a_failure_stay_with_its_task(details: RunsPage) -> None:
    view = details.findChildren(FailureView)[0].case_view
    assert view.document is not None
    view.document.select(0)
    assert all(item.mark is None for item in view.graph.view.board.steps.values())
    view.document.select(1)
    assert any(item.mark is not None for item in view.graph.view.board.steps.values())


def test_the_next_failure_leaves_the_keys_in_the_list(details: RunsPage) -> None:
    find(details, QTabBar, "run-tabs").setCurrentIndex(0)
    _failures(details).setFocus()
    QTest.keyClick(_failures(details), Qt.Key.Key_Down)
    assert _label(details, "failure-place") == "2 of 6"
    assert details.window().focusWidget() is _failures(details)


def test_j_and_k_walk_through_the_failures_and_stop_at_the_ends(qtbot: QtBot, details: RunsPage) -> None:
    places = []
    for key in (Qt.Key.Key_J, Qt.Key.Key_J, Qt.Key.Key_K, Qt.Key.Key_K, Qt.Key.Key_K):
        QTest.keyClick(details.window(), key)
        places.append(_label(details, "failure-place"))
    assert places == ["2 of 6", "3 of 6", "2 of 6", "1 of 6", "1 of 6"]


def test_the_list_and_the_walk_mark_the_same_failure(details: RunsPage) -> None:
    QTest.keyClick(details.window(), Qt.Key.Key_J)
    assert _failures(details).marked_key == ("sample-03-library-card", 3)
    _failures(details).mark(("sample-14-festival-shifts", 1))
    assert _label(details, "failure-place") == "6 of 6"


def test_replies_of_another_run_are_not_taken_for_these(
    qtbot: QtBot, details: RunsPage, closed_operations: Operations
) -> None:
    details.findChildren(RunDetails)[0].navigation.choose_replies([_predictions("careless")])
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert _note(qtbot, details).words.startswith("The available replies give a different result")


def test_an_error_class_narrows_the_failures_and_widens_them_again(details: RunsPage) -> None:
    bar = details.findChildren(ErrorBar)[0]
    bar.setFocus()
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert bar.kind == "Param Value Error"
    assert [row.key for row in _failures(details).rows] == [
        ("sample-04-energy-meter", 1),
        ("sample-08-back-to-the-cello", 3),
    ]
    assert find(details, QTabBar, "run-tabs").tabText(0) == "Failed tasks · 2 of 6"
    QTest.keyClick(bar, Qt.Key.Key_Escape)
    assert len(_failures(details).rows) == 6


def test_o_asks_for_the_case_of_the_failure(qtbot: QtBot, details: RunsPage) -> None:
    with qtbot.waitSignal(details.case_wanted) as asked:
        QTest.keyClick(details.window(), Qt.Key.Key_O)
    assert asked.args == ["sample-01-ghent-weekend"]


def _compare(qtbot: QtBot, page: RunsPage, operations: Operations) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_C)
    menu = find(page, QMenu, "compare-menu")
    menu.actions()[0].trigger()
    menu.close()
    page.window().activateWindow()
    qtbot.waitUntil(page.window().isActiveWindow)
    qtbot.waitUntil(lambda: is_quiet(operations) and find(page, QFrame, "comparison").isVisible())


def test_two_runs_are_compared_task_by_task(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    _compare(qtbot, page, closed_operations)
    assert find(page, Hint, "verdict").words.startswith("careful is better by 53.57 points.")
    assert _label(page, "flip-count") == "34 tasks"
    assert [row[1:] for row in _texts(find(page, FigureTable, "square"))] == [["18", "32"], ["2", "4"]]


def test_a_comparison_shows_the_difference_in_every_measure(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    _compare(qtbot, page, closed_operations)
    slices = find(page, FigureTable, "slices")
    assert slices.isVisible()
    rows = {row.cells[0].text: row.cells for row in slices.rows}
    assert [cell.text for cell in rows["Task accuracy"]] == ["Task accuracy", "89.29", "35.71", "−53.57"]
    assert (rows["Task accuracy"][3].colour, rows["Task accuracy"][3].tip) == ("error", "worse")
    for section in [row.key for row in slices.rows if row.cells[0].text.startswith("▸")]:
        slices.opened.emit(section)
    unfolded = {row.cells[0].text for row in slices.rows}
    assert {"Tokens per task", "Layer variance by tasks before", "Single > multi"} <= unfolded


def test_an_opened_flip_shows_the_failure_in_the_run_that_was_wrong(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    _compare(qtbot, page, closed_operations)
    flips = find(page, FigureTable, "flips")
    flips.mark(("sample-02-sunday-lunch", 1))
    flips.opened.emit(flips.marked_key)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert _texts(_runs(page))[1][0] == "careless"
    assert _runs(page).marked_key == _runs(page).rows[1].key
    assert _label(page, "failure-case") == "sample-02-sunday-lunch"
    assert _label(page, "failure-kind") == "Wrong Refusal"


def test_a_comparison_can_be_left(qtbot: QtBot, page: RunsPage, closed_operations: Operations) -> None:
    _compare(qtbot, page, closed_operations)
    QTest.keyClick(page.window(), Qt.Key.Key_C, Qt.KeyboardModifier.ShiftModifier)
    assert find(page, QFrame, "failure").isVisible()


def test_predictions_imported_twice_are_one_run(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    for _ in range(2):
        QTest.keyClick(page.window(), Qt.Key.Key_I)
        dialog = find(page, PredictionsDialog, "predictions-dialog")
        dialog.files.add([_predictions("careless")])
        QTest.mouseClick(find(dialog, QPushButton, "predictions-go"), Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: is_quiet(closed_operations) and len(_runs(page).rows) == 3)
        _runs(page).mark(1)
    notice = find(page, ErrorBanner, "runs-notice")
    assert "These predictions are in the table already." in _label(notice, "error-hint")


def test_every_label_of_semantics_is_explained(page: RunsPage) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_I)
    dialog = find(page, PredictionsDialog, "predictions-dialog")
    [form] = dialog.findChildren(QFormLayout)
    for name in ("predictions-semantics", "predictions-arguments", "predictions-undrawn"):
        field = find(dialog, QComboBox, name)
        row = field.parentWidget()
        assert row is not None
        assert topic_of(field) == topic_of(form.labelForField(row)) == "semantics"
    dialog.close()
    assert topic_of(find(page, ChoiceChip, "runs-semantics")) == "semantics"
    assert topic_of(find(page, QLabel, "runs-apart")) == "semantics"


def test_imported_predictions_become_a_run_and_their_replies_are_at_hand(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_I)
    dialog = find(page, PredictionsDialog, "predictions-dialog")
    assert find(dialog, QComboBox, "cases-place").currentText() == "samples-1 · 16 cases"
    assert find(dialog, QPushButton, "predictions-go").toolTip() == "Fill in “Predictions”."
    dialog.files.add([_predictions("careless")])
    find(dialog, QLineEdit, "predictions-name").setText("hasty-7b")
    QTest.mouseClick(find(dialog, QPushButton, "predictions-go"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_quiet(closed_operations) and len(_runs(page).rows) == 3)
    assert (
        _label(find(page, ErrorBanner, "runs-notice"), "error-message") == "hasty-7b: 20 of 56 tasks right."
    )
    _runs(page).mark(3)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert _label(page, "failure-head") == "task 2 · wrong arguments in round 1"


@pytest.mark.parametrize("form", list(ReportFormat))
def test_the_shown_runs_are_exported_in_every_form(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations, tmp_path: Path, form: ReportFormat
) -> None:
    page.exports.export(form, str(tmp_path / "runs"))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))  # it draws every picture
    [written] = tmp_path.glob("runs.*")
    text = text_of(written.read_bytes())
    assert text.index("careful") < text.index("careless")


def test_the_pictures_of_the_shown_runs_are_written_as_png_and_svg(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations, tmp_path: Path
) -> None:
    page.exports.export_pictures(str(tmp_path))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    names = {path.name for path in tmp_path.iterdir()}
    assert {"policy.png", "policy.svg", "errors.png", "decline.svg"} <= names


def test_what_the_page_of_t_eval_shows_is_in_pictures_and_exports(
    qtbot: QtBot,
    open_runs: Opener,
    released_project: str,
    preferences: Preferences,
    closed_operations: Operations,
    tmp_path: Path,
) -> None:
    rules, compare = TEvalProfile.PAPER, CharacterTriples()
    found = score_items(sample_items(), {}, profile=rules, similarity=compare)
    scores = summarise(found, profile=rules, similarity=compare.model, items_sha256="a" * 64)
    write_scores((scores,), (found,), tmp_path / "mute")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "teval.json").write_text("[{}]", encoding="utf-8")
    folders = [str(tmp_path / name) for name in ("mute", "gone")]
    preferences.change(teval_results={released_project: folders})
    page = open_runs(released_project)
    chip = find(page, ChoiceChip, "chart-which")
    qtbot.waitUntil(lambda: "teval-columns-1" in dict(chip.choices))
    assert list(dict(chip.choices))[-2:] == ["teval-abilities-1", "teval-columns-1"]
    page.exports.export(ReportFormat.MARKDOWN, str(tmp_path / "report.md"))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert "T-Eval · rules: paper" in (tmp_path / "report.md").read_text(encoding="utf-8")
    preferences.change(teval_results={released_project: [str(broken)]})
    find(page, QLineEdit, "runs-text").setText("careful")
    qtbot.waitUntil(lambda: "teval-columns-1" not in dict(chip.choices) and bool(chip.choices))


def test_accuracy_by_task_order_is_drawn_first(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    view = find(page, PictureView, "chart")
    qtbot.waitUntil(lambda: view.has_picture and is_quiet(closed_operations))
    assert view.accessibleName() == "Accuracy by task order"


def test_another_picture_is_chosen_in_its_pill(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    chip = find(page, ChoiceChip, "chart-which")
    qtbot.waitUntil(lambda: bool(chip.value))
    chip.open_menu()
    menu = find(chip, QMenu, "menu-chart-which")
    [action] = [action for action in menu.actions() if action.text().startswith("Error classes")]
    action.trigger()
    menu.close()
    view = find(page, PictureView, "chart")
    qtbot.waitUntil(lambda: view.has_picture and is_quiet(closed_operations))
    assert view.accessibleName() == "Error classes among the failed tasks."


def test_the_marked_row_is_copied_with_its_headings(page: RunsPage) -> None:
    table = _runs(page)
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    head, line = QGuiApplication.clipboard().text().splitlines()
    assert head.startswith("Model\tTask\tSession")
    assert line.startswith("careful\t89.29\t62.50")


def test_the_card_of_a_model_is_filled_in_and_no_figure_changes(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    before = [_cell(_runs(page), "careful", title).text for title in ("Task", "Session", "Rank")]
    QTest.keyClick(_runs(page), Qt.Key.Key_M)
    qtbot.waitUntil(lambda: page.findChild(FormDialog, "card-dialog") is not None)
    dialog = find(page, FormDialog, "card-dialog")
    go = find(dialog, QPushButton, "card-go")
    find(dialog, QLineEdit, "card-size").setText("many")
    assert not go.isEnabled()
    find(dialog, QLineEdit, "card-size").setText("72B")
    kind = find(dialog, DropDown, "card-kind")
    kind.setCurrentIndex(kind.findText("Open"))
    QTest.mouseClick(go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "72 B · open" in _cell(_runs(page), "careful", "Model").tip)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert "no model card" in _cell(_runs(page), "careless", "Model").tip
    assert [_cell(_runs(page), "careful", title).text for title in ("Task", "Session", "Rank")] == before
    headings = [row.cells[0].text for row in _runs(page).rows if row.is_heading]
    assert headings == ["Open, thinking unknown", "Kind unknown, thinking unknown"]
    size = _cell(_runs(page), "careless", "Size")
    assert (size.text, size.tip) == ("–", "This run has no model card: M makes one.")


def test_enter_opens_the_details_of_the_marked_run_and_d_goes_back(page: RunsPage) -> None:
    assert find(page, PictureView, "chart").isVisible()
    _runs(page).setFocus()
    QTest.keyClick(_runs(page), Qt.Key.Key_Return)
    assert (_label(page, "details-run"), find(page, QFrame, "failure").isVisible()) == ("careful", True)
    QTest.keyClick(page.window(), Qt.Key.Key_D)
    assert not find(page, QFrame, "failure").isVisible()
    assert page.window().focusWidget() is _runs(page)


def test_a_name_narrows_the_leaderboard_and_says_how_many_are_left(page: RunsPage) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_Slash)
    text = find(page, QLineEdit, "runs-text")
    assert page.window().focusWidget() is text
    QTest.keyClicks(text, "LESS")
    assert [row.cells[0].text for row in _runs(page).rows] == ["careless"]
    assert _label(page, "run-count") == "1 of 2 runs · samples-1 · 56 tasks"
    QTest.keyClicks(text, "ness")
    assert _runs(page).rows == ()
    assert _runs(page).accessibleDescription() == "No run fits these filters"
    assert find(page, QPushButton, "runs-details").toolTip() == "There is no run."
    QTest.keyClick(text, Qt.Key.Key_Return)
    assert page.window().focusWidget() is _runs(page)


def _tick(qtbot: QtBot, page: RunsPage, *titles: str) -> None:
    for title in titles:
        QTest.keyClick(page.window(), Qt.Key.Key_V)  # waits a moment for a second letter
        qtbot.waitUntil(lambda: bool(page.findChildren(QMenu, "columns-menu")))
        menu = page.findChildren(QMenu, "columns-menu")[-1]
        next(action for action in menu.actions() if action.text() == title).trigger()
        menu.close()
        qtbot.waitUntil(lambda: not page.findChildren(QMenu, "columns-menu"))


def test_columns_are_chosen_and_kept(qtbot: QtBot, page: RunsPage, preferences: Preferences) -> None:
    _tick(qtbot, page, "Optimal", "Release")
    titles = [
        page_column.title for page_column in headings(shown_columns((), preferences.settings.run_columns))
    ]
    model = _runs(page).model()
    shown = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
    assert shown == titles
    assert "Release" in shown
    assert "Optimal" not in shown
    assert _cell(_runs(page), "careful", "Release").text == "samples-1"
    _tick(qtbot, page, "The usual ones")
    assert preferences.settings.run_columns == ()
    assert _cell(_runs(page), "careful", "Optimal").text


def test_a_narrow_leaderboard_leaves_out_lesser_columns_and_none_that_were_chosen(
    qtbot: QtBot, page: RunsPage
) -> None:
    def left_out() -> set[str]:
        model, header = _runs(page).model(), _runs(page).horizontalHeader()
        hidden = filter(header.isSectionHidden, range(header.count()))
        return {str(model.headerData(n, Qt.Orientation.Horizontal)) for n in hidden}

    assert left_out() == set()
    _runs(page).setFixedWidth(420)
    qtbot.waitUntil(lambda: bool(left_out()) and not _runs(page).horizontalScrollBar().maximum())
    assert {"Chat", "Single"} <= left_out()
    assert not left_out() & {"Model", "Task", "Session", "Rank"}
    _tick(qtbot, page, "Optimal")
    assert left_out() == set()


def test_n_leads_from_picture_to_picture_and_its_tab_follows(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    chip, tabs = find(page, ChoiceChip, "chart-which"), find(page, QTabBar, "chart-tabs")
    qtbot.waitUntil(lambda: bool(chip.value))
    titles = [tabs.tabText(place) for place in range(tabs.count()) if tabs.isTabVisible(place)]
    assert titles == ["Tasks", "Hidden", "Errors", f"All {len(chip.choices)}…"]
    seen = []
    for key in ("N", "N", "N", "Shift+N"):
        QTest.keySequence(page.window(), key)
        seen.append((chip.value, tabs.tabText(tabs.currentIndex())))
    assert seen[:2] == [("information", "Hidden"), ("errors", "Errors")]
    assert seen[2][1].startswith("All")
    assert seen[3] == seen[1]
    qtbot.waitUntil(lambda: is_quiet(closed_operations))


def test_the_pictures_keep_their_width_whatever_they_are_called(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations
) -> None:
    chip = find(page, ChoiceChip, "chart-which")
    qtbot.waitUntil(lambda: bool(chip.value))
    for words in ("Accuracy by policy transitions", "Every sequence of policies, of all runs, a long name"):
        chip.set_choices([("name", words)])
        assert words in chip.toolTip()
        # 104 pixels of words, and less than 46 of edges and sign; the panel is 350 wide.
        assert chip.sizeHint().width() < 150
    qtbot.waitUntil(lambda: is_quiet(closed_operations))


@pytest.mark.parametrize("form", list(PictureFormat))
def test_the_picture_that_is_shown_is_saved_in_every_form(
    qtbot: QtBot, page: RunsPage, closed_operations: Operations, tmp_path: Path, form: PictureFormat
) -> None:
    qtbot.waitUntil(lambda: bool(find(page, ChoiceChip, "chart-which").value))
    QTest.keyClick(page.window(), Qt.Key.Key_S)  # waits a moment for a second letter
    qtbot.waitUntil(lambda: bool(page.findChildren(QMenu, "picture-menu")))
    menu = find(page, QMenu, "picture-menu")
    assert [action.text() for action in menu.actions()] == [f"As {one.upper()}…" for one in PictureFormat]
    menu.close()
    find(page, Gallery, "charts").save(form, str(tmp_path / f"picture.{form}"))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    written = (tmp_path / f"picture.{form}").read_bytes()
    assert written.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form])
    assert find(page, ErrorBanner, "runs-notice").isVisible()


def test_of_six_sections_of_measures_one_is_unfolded_at_first(details: RunsPage) -> None:
    find(details, QTabBar, "run-tabs").setCurrentIndex(1)
    slices = find(details, FigureTable, "slices")
    sections = [row for row in slices.rows if row.cells[0].text[0] in "▾▸"]
    assert [row.cells[0].text[0] for row in sections] == ["▾", "▸", "▸", "▸", "▸", "▸"]
    before = len(slices.rows)
    slices.setFocus()
    slices.mark("Errors")
    QTest.keyClick(slices, Qt.Key.Key_Return)
    assert len(slices.rows) > before
    assert slices.marked_key == "Errors"
    QTest.keyClick(slices, Qt.Key.Key_Return)
    assert len(slices.rows) == before


def test_f_counts_the_effects_in_the_shown_runs_and_other_runs_take_them_away(
    qtbot: QtBot, page: RunsPage, released_project: str
) -> None:
    effects = find(page, FigureTable, "effects")
    qtbot.waitUntil(lambda: bool(find(page, ChoiceChip, "chart-which").value))
    assert not effects.isVisible()
    QTest.keyClick(page.window(), Qt.Key.Key_F)
    qtbot.waitUntil(effects.isVisible)
    with closing(open_workspace(released_project, login_name())) as workspace:
        cards = {row.name: run_scorecard(workspace, row.id) for row in list_runs(workspace)}
    table = effect_table(named([cards["careful"], cards["careless"]]))
    known = [row for row in table.rows if not row[1].startswith("undefined")]
    assert all(cell.tip.startswith(f"{cell.text}: ") for cell, *_ in (row.cells for row in effects.rows))
    assert _texts(effects) == [list(row[:3]) for row in known]
    assert "Thinking: on − off" not in {row[0].text for row in (one.cells for one in effects.rows)}
    QTest.keyClicks(find(page, QLineEdit, "runs-text"), "LESS")
    qtbot.waitUntil(lambda: not effects.isVisible())


@pytest.mark.parametrize("is_there", [False, True])
def test_p_writes_the_results_section_of_the_shown_runs_and_leaves_other_files(
    qtbot: QtBot,
    page: RunsPage,
    closed_operations: Operations,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_there: bool,
) -> None:
    monkeypatch.setattr(papers, "album", lambda cards: album(cards)[:1])  # the other pictures have own tests
    QTest.keyClick(page.window(), Qt.Key.Key_P)
    qtbot.waitUntil(lambda: page.findChild(QDialog, "paper-dialog") is not None)
    dialog = find(page, QDialog, "paper-dialog")
    line = find(dialog, QLineEdit, "paper-folder")
    assert line.text().endswith("-paper")
    line.clear()
    assert find(dialog, QPushButton, "paper-go").toolTip() == "Name a folder."
    folder = tmp_path / "mine"
    if is_there:
        folder.mkdir()
        (folder / "thesis.tex").write_text("mine", encoding="utf-8")
    QTest.keyClicks(line, str(folder))
    QTest.keyClick(line, Qt.Key.Key_Return)
    notice = find(page, ErrorBanner, "runs-notice")
    qtbot.waitUntil(notice.isVisible)
    assert _label(notice, "error-message") == "Exported."
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    paper = folder / "paper" if is_there else folder
    runs = json.loads((paper / "paper.json").read_text(encoding="utf-8"))["runs"]
    assert [run["name"] for run in runs] == ["careful", "careless"]
    assert "CarefulTask" in (paper / "numbers.tex").read_text(encoding="utf-8")
    if is_there:
        assert (folder / "thesis.tex").read_text(encoding="utf-8") == "mine"


def test_a_paper_needs_the_cases_of_the_runs(page: RunsPage, released_project: str) -> None:
    with closing(open_workspace(released_project, login_name())) as workspace:
        [release] = [Path(row.directory) for row in list_releases(workspace)]
    away = release.rename(release.with_name("away"))
    try:
        QTest.keyClick(page.window(), Qt.Key.Key_P)
        notice = find(page, ErrorBanner, "runs-notice")
        assert _label(notice, "error-message") == "The cases of careful are not available."
        assert page.findChild(QDialog, "paper-dialog") is None
    finally:
        away.rename(release)
