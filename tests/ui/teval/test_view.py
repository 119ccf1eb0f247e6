"""The T-Eval tab of the runs page: results opened and scored, drilled down to, compared."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.jobs import JobContext
from annotator.project.people import login_name
from annotator.settings import load_settings
from annotator.teval.items_folder import write_items
from annotator.teval.results import TevalResult, score_replies, write_result
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import ItemSet
from scoring.teval.similarity import CharacterTriples
from scoring.teval.subsets import Items, Subset
from tests.scoring.teval.agents import WEAK, agent_replies
from tests.scoring.teval.gold_replies import gold_replies
from tests.scoring.teval.sample_items import sample_items
from tests.ui.find import find
from ui.charts import PictureView
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.teval.lines import best_first, models_under
from ui.teval.score_dialog import ScoreDialog
from ui.teval.view import TevalView
from ui.theme.buttons import ChoiceChip
from ui.theme.fields import DropDown
from ui.theme.tables import FigureTable


def _items() -> Items:
    """A few items of each file, enough cases to draw intervals from; an odd step, as formats alternate."""
    return {
        subset: dict(list(listed.items())[:: max(1, len(listed) // 12) | 1])
        for subset, listed in sample_items().items()
    }


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """`items`, `right` and `forgetful` with replies, and the scores of both in `scores`."""
    items = _items()
    for name, replies in (
        ("items", {}),
        ("right", gold_replies(items)),
        ("forgetful", agent_replies(items, WEAK["retrieve"])),
    ):
        write_items(ItemSet(items=items, replies=replies), tmp_path / name)
    for name in ("right", "forgetful"):
        result = score_replies(
            tmp_path / "items",
            tmp_path / name,
            profiles=tuple(TEvalProfile),
            similarity=CharacterTriples(),
            context=JobContext(),
        )
        write_result(result, tmp_path / "scores" / name)
    return tmp_path


@pytest.fixture
def page(
    qtbot: QtBot, closed_operations: Operations, released_project: str, tmp_path: Path
) -> Iterator[TevalView]:
    """The view on the sample project, in a window of its own."""
    with qtbot.waitSignal(closed_operations.opened):
        closed_operations.open(released_project, login_name())
    window = QMainWindow()
    view = TevalView(closed_operations, Commands(window), Preferences(tmp_path / "settings.json"))
    window.setCentralWidget(view)
    window.resize(1400, 860)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield view
    closed_operations.close()
    shiboken6.delete(window)


def _models(page: TevalView) -> FigureTable:
    return find(page, FigureTable, "teval-models")


def _click(page: QWidget, name: str) -> None:
    QTest.mouseClick(find(page, QPushButton, name), Qt.MouseButton.LeftButton)


def _has_models(page: TevalView, number: int) -> bool:
    return len(_models(page).rows) == number


def _open_both(qtbot: QtBot, page: TevalView, folders: Path) -> None:
    for number, name in enumerate(("right", "forgetful"), start=1):
        page.open(str(folders / "scores" / name))
        qtbot.waitUntil(partial(_has_models, page, number))


def test_results_stand_in_eleven_columns_the_best_first(qtbot: QtBot, page: TevalView, folders: Path) -> None:
    _open_both(qtbot, page, folders)
    table = [[cell.text for cell in row.cells] for row in _models(page).rows]
    assert table[0] == ["right", *["100.0"] * 12, "0"]
    assert table[1][0] == "forgetful"
    assert table[1][7:9] == ["0.0", "0.0"]  # retr S and retr J
    qtbot.waitUntil(lambda: find(page, PictureView, "teval-picture").has_picture)


def test_an_item_is_shown_with_its_reply_gold_and_prompt(
    qtbot: QtBot, page: TevalView, folders: Path
) -> None:
    _open_both(qtbot, page, folders)
    _models(page).mark("forgetful")
    chip = find(page, ChoiceChip, "teval-ability")
    chip.choose("retr S")
    chip.chosen.emit("retr S")
    listed = find(page, FigureTable, "teval-items-list").rows
    assert len({row.cells[0].text for row in listed}) == len(listed)
    assert "retrieve" not in listed[0].cells[0].text
    assert "_retrieve_" in listed[0].cells[0].tip
    items = find(page, FigureTable, "teval-items-list")
    assert items.rows[0].key[0] is Subset.RETRIEVE_STR  # type: ignore[index]
    assert find(page, QPlainTextEdit, "teval-reply").toPlainText() == "Other.tool"
    gold = json.loads(find(page, QPlainTextEdit, "teval-gold").toPlainText())
    assert gold["name"].startswith("Tools.")
    assert "Which tool do you call" in find(page, QPlainTextEdit, "teval-prompt").toPlainText()
    with qtbot.waitSignal(page.case_wanted) as asked:
        _click(page, "teval-open-case")
    assert asked.args[0]


def test_two_models_are_compared_with_intervals(qtbot: QtBot, page: TevalView, folders: Path) -> None:
    _open_both(qtbot, page, folders)
    _models(page).mark("right")
    _click(page, "teval-compare")
    (action,) = find(page, QMenu, "teval-compare-menu").actions()
    action.trigger()
    differences = find(page, FigureTable, "teval-differences")
    qtbot.waitUntil(lambda: bool(differences.rows))
    rows = {row.key: [cell.text for cell in row.cells] for row in differences.rows}
    assert rows["retr S"][1:4] == ["100.0", "0.0", "-100.0"]
    assert rows["plan S"][3] == "+0.0"
    verdict = find(page, QLabel, "teval-verdict").text()
    assert verdict == "forgetful is worse in retr S, retr J than right; the rest can be chance."
    _click(page, "teval-end-comparison")
    assert not differences.isVisible()


def test_every_button_has_its_key(qtbot: QtBot, page: TevalView, folders: Path) -> None:
    _open_both(qtbot, page, folders)
    _models(page).mark("right")
    page.setFocus()
    with qtbot.waitSignal(page.case_wanted):
        QTest.keyClick(page, Qt.Key.Key_O)
    QTest.keyClick(page, Qt.Key.Key_C)
    menu = find(page, QMenu, "teval-compare-menu")
    menu.actions()[0].trigger()
    menu.close()
    differences = find(page, FigureTable, "teval-differences")
    qtbot.waitUntil(differences.isVisible)
    QTest.keyClick(page, Qt.Key.Key_C, Qt.KeyboardModifier.ShiftModifier)
    assert not differences.isVisible()
    QTest.keyClick(page, Qt.Key.Key_I)
    [dialog] = page.findChildren(QFileDialog)
    qtbot.waitUntil(dialog.isVisible)
    dialog.reject()
    QTest.keyClick(page, Qt.Key.Key_R)
    assert find(page, ScoreDialog, "teval-dialog").isVisible()


def test_without_an_overall_figure_the_columns_that_all_have_say_who_is_first(folders: Path) -> None:
    known = read_items_without_review(folders)
    order = best_first(models_under(known, TEvalProfile.PAPER))
    assert [model.scores.overall for model in order] == [None, None]
    assert [model.result.name for model in order] == ["right", "forgetful"]


def read_items_without_review(folders: Path) -> list[TevalResult]:
    """The results of both models over items that leave out Review, the worse one first."""
    items = {subset: listed for subset, listed in _items().items() if "review" not in subset.value}
    write_items(ItemSet(items=items, replies={}), folders / "fewer")
    return [
        score_replies(
            folders / "fewer",
            folders / name,
            profiles=(TEvalProfile.PAPER,),
            similarity=CharacterTriples(),
            context=JobContext(),
        )
        for name in ("forgetful", "right")
    ]


def test_replies_are_scored_in_the_window_and_the_result_is_found_again(
    qtbot: QtBot, page: TevalView, folders: Path, tmp_path: Path
) -> None:
    _click(page, "teval-empty-score")
    dialog = find(page, ScoreDialog, "teval-dialog")
    go = find(dialog, QPushButton, "teval-go")
    assert "folder of the items" in go.toolTip()
    for name, path in (("teval-items", "items"), ("teval-replies", "right")):
        find(dialog, QLineEdit, name).setText(str(folders / path))
    find(dialog, DropDown, "teval-similarity").setCurrentIndex(1)
    find(dialog, QLineEdit, "teval-out").setText(str(tmp_path / "scored"))
    go.click()
    qtbot.waitUntil(lambda: len(_models(page).rows) == 1)
    assert _models(page).rows[0].cells[0].text == "scored"
    (known,) = load_settings(tmp_path / "settings.json").settings.teval_results.values()
    assert known == (str(tmp_path / "scored"),)


def test_a_folder_without_scores_says_which_command_writes_one(
    qtbot: QtBot, page: TevalView, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    page.open(str(tmp_path / "empty"))
    notice = find(page, QWidget, "teval-notice")
    qtbot.waitUntil(lambda: any("annotator teval score" in h.text() for h in notice.findChildren(QLabel)))
    assert not _models(page).rows
