"""`F1` explains what the person is at, beside the work, and says so when it cannot."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QPushButton,
    QTableView,
    QTabWidget,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.resources import anchor_of, manual_path, resource_path
from annotator.review.policy_changes import change_review_policy
from annotator.settings import ColourScheme
from scoring.errors import InputError
from scoring.model.taxonomy import Policy, ReviewLabel, Verdict
from scoring.texts import speak
from scoring.wording import REVIEW
from tests.ui.find import find, words_in
from tests.ui.settling import is_settled
from ui.desk.tabs.judgment_sections import CheckItem
from ui.desk.tabs.section import ChoiceField
from ui.services.topics import set_topic, topic_of
from ui.shell.connect_dialog import ConnectDialog
from ui.shell.help_panel import GuideDialog, TopicFinder
from ui.shell.main_window import MainWindow
from ui.shell.manual import PAGE_OF, ManualBrowser
from ui.shell.pages import PAGES
from ui.theme import Hint, Tone
from ui.theme.tables import TOPIC_ROLE
from ui.workbench.page import WorkbenchPage


@pytest.fixture
def bench(qtbot: QtBot, inside: MainWindow) -> WorkbenchPage:
    """The workbench with the next case of ann-1."""
    QTest.keyClick(inside, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: isinstance(inside.stack.currentWidget(), WorkbenchPage))
    page = inside.stack.currentWidget()
    assert isinstance(page, WorkbenchPage)
    qtbot.waitUntil(lambda: page.open_work.document is not None and is_settled(inside.operations))
    QCursor.setPos(inside.mapToGlobal(QPoint(2, 2)))
    page.panels.dialogue.view.setFocus()
    return page


def _ask(window: MainWindow) -> str:
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F1)
    return window.help.topic if window.help.isVisible() else "closed"


def test_it_explains_the_label_that_has_the_keys(inside: MainWindow, bench: WorkbenchPage) -> None:
    labels = bench.panels.review.labels
    labels.policy.show_value(None)
    labels.policy.setFocus()
    assert _ask(inside) == "policy"
    assert "what the agent has to do" in words_in(inside.help)


def test_what_the_team_says_of_a_topic_stands_below_the_shipped_words(
    qtbot: QtBot, inside: MainWindow, bench: WorkbenchPage
) -> None:
    project = inside.operations.project
    assert project is not None
    lines = "policy.single: One call, even if asked twice.; policy right: Ask the drawing first."
    with closing(open_workspace(project.address, login_name())) as workspace:
        change_review_policy(workspace, (f"guidelines={lines}",))
    said = {"policy.single": "One call, even if asked twice.", "policy": "the drawing first"}
    for topic, words in said.items():
        inside.explain_topic(topic)
        qtbot.waitUntil(lambda words=words: words in words_in(inside.help))  # type: ignore[misc]
    qtbot.waitUntil(lambda: "One call, even" not in words_in(inside.help))  # it is of another topic


def test_a_chosen_value_is_explained_itself_with_two_examples(
    inside: MainWindow, bench: WorkbenchPage
) -> None:
    field = bench.panels.review.labels.policy
    field.show_value(Policy.SINGLE)
    field.setFocus()
    assert _ask(inside) == "policy.single"
    right = find(inside.help, Hint, "help-example-right")
    wrong = find(inside.help, Hint, "help-example-wrong")
    assert right.words.startswith("✓ Right example ")
    assert "forecast" in right.words
    assert wrong.words.startswith("✗ Wrong example ")
    assert "parallel" in wrong.words


def test_asked_again_it_closes_and_the_keys_stay_where_they_were(
    inside: MainWindow, bench: WorkbenchPage
) -> None:
    item = bench.panels.review.task_checklist.findChildren(CheckItem)[0]
    item.box.setFocus()
    assert _ask(inside) == f"checklist.{item.item}"
    assert QApplication.focusWidget() is item.box
    assert _ask(inside) == "closed"
    assert QApplication.focusWidget() is item.box


def test_the_list_of_choices_explains_the_one_under_the_cursor(
    inside: MainWindow, bench: WorkbenchPage
) -> None:
    field = bench.panels.review.labels.policy
    field.showPopup()
    field.menu.setActiveAction(field.menu.actions()[4])
    QTest.keyClick(field.menu, Qt.Key.Key_F1)
    assert inside.help.topic == "policy.clarify"
    assert field.menu.isVisible()
    field.menu.close()


def test_what_the_mouse_was_moved_to_comes_before_what_has_the_keys(
    inside: MainWindow, bench: WorkbenchPage
) -> None:
    item = bench.panels.review.task_checklist.findChildren(CheckItem)[0]
    bench.panels.review.labels.policy.setFocus()
    bench.panels.review.ensureWidgetVisible(item)
    QCursor.setPos(item.mapToGlobal(item.rect().center()))
    assert _ask(inside) == f"checklist.{item.item}"


@pytest.mark.parametrize(
    ("page", "topic"), [("agreement", "agreement"), ("runs", "measure"), ("coverage", "policy")]
)
def test_a_page_of_figures_explains_its_measures(
    qtbot: QtBot, inside: MainWindow, page: str, topic: str
) -> None:
    inside.ways.go_to(page)
    qtbot.waitUntil(lambda: is_settled(inside.operations))
    QCursor.setPos(inside.mapToGlobal(QPoint(2, 2)))
    shown = inside.stack.currentWidget()
    assert shown is not None
    shown.setFocus()
    assert _ask(inside).partition(".")[0] == topic


def test_a_column_of_the_queue_explains_itself(inside: MainWindow) -> None:
    table = find(inside, QTableView, "cases")
    found = [
        table.model().headerData(column, Qt.Orientation.Horizontal, TOPIC_ROLE) or ""
        for column in range(table.model().columnCount())
    ]
    assert found == ["", "policy", "information", "", "finding", "", "", "", ""]


def test_escape_closes_the_explanation(inside: MainWindow, bench: WorkbenchPage) -> None:
    bench.panels.review.labels.policy.setFocus()
    assert _ask(inside) != "closed"
    QTest.keyClick(bench.panels.review.labels.policy, Qt.Key.Key_Escape)
    assert not inside.help.isVisible()


def test_where_nothing_is_explained_every_section_is_offered(inside: MainWindow) -> None:
    assert _ask(inside) == ""
    QTest.mouseClick(find(inside.help, QPushButton, "help-to-finding"), Qt.MouseButton.LeftButton)
    QTest.mouseClick(find(inside.help, QPushButton, "help-to-finding.args.enum"), Qt.MouseButton.LeftButton)
    assert inside.help.topic == "finding.args.enum"
    assert "gangway" in find(inside.help, Hint, "help-example-wrong").words


def test_the_language_is_chosen_and_remembered(inside: MainWindow) -> None:
    inside.help.explain("policy.chat")
    QTest.mouseClick(find(inside.help, QPushButton, "help-zh"), Qt.MouseButton.LeftButton)
    assert "闲聊" in words_in(inside.help)
    assert inside.preferences.settings.guidelines_language == "zh"


def test_a_damaged_file_is_named_and_the_other_language_shown(
    inside: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "en.toml").write_text("[[section]")
    (tmp_path / "zh.toml").write_bytes(resource_path("guidelines", "zh.toml").read_bytes())
    monkeypatch.setattr("annotator.guidelines.resource_path", lambda _, name: tmp_path / name)
    inside.help.explain("policy.chat")
    assert "en.toml are damaged" in find(inside.help, Hint, "help-message").words
    assert "闲聊" in words_in(inside.help)


def test_without_any_language_it_says_what_to_do(
    inside: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("annotator.guidelines.resource_path", lambda _, name: tmp_path / name)
    inside.help.explain("policy.chat")
    assert "are missing. Install the program again" in find(inside.help, Hint, "help-message").words


def test_the_guide_shows_the_same_definitions(qtbot: QtBot, inside: MainWindow) -> None:
    inside.help.open_guide()
    pages = inside.findChildren(QTabWidget)[-1]
    assert pages.tabText(1) == "Annotation guide"
    document = find(inside, QTextBrowser, "guide-words").document()
    assert isinstance(document, QTextDocument)
    assert "The task needs exactly one call." in document.toPlainText()


def test_the_guide_opens_once(inside: MainWindow) -> None:
    inside.help.open_guide()
    inside.help.open_guide()
    assert len(inside.findChildren(GuideDialog)) == 1


def test_the_guide_has_a_page_with_the_rules_of_scoring(inside: MainWindow) -> None:
    inside.help.open_guide()
    pages = inside.findChildren(QTabWidget)[-1]
    assert pages.tabText(2) == "The rules of scoring"
    rules = find(pages, QTextBrowser, "guide-rules").toPlainText()
    assert "a reply of white space" in rules
    assert "|" not in rules
    assert pages.currentIndex() == 0


@pytest.mark.parametrize(
    ("page", "heading"),
    [("queue", "Take a case"), ("team", "The manager"), ("releases", "Publish a release")],
)
def test_the_manual_opens_at_the_page_that_is_shown(inside: MainWindow, page: str, heading: str) -> None:
    inside.ways.show_page(page)
    QTest.keyClick(inside, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    manual = find(inside, ManualBrowser, "guide-text")
    is_at_heading = manual.textCursor().block().text() == heading
    assert is_at_heading or manual.document().begin().text() == heading


def test_the_manual_explains_the_message_that_is_shown(inside: MainWindow) -> None:
    inside.banner.show_message("Step 3 cannot depend on itself.", "Connect two different steps.")
    inside.open_manual()
    manual = find(inside, ManualBrowser, "guide-text")
    assert manual.source().fileName() == "troubleshooting.md"
    assert manual.textCursor().block().text() == "Step … cannot depend on itself."
    assert manual.verticalScrollBar().value() > 0


def test_a_message_offers_its_place_in_the_manual(inside: MainWindow) -> None:
    link = find(inside.banner, QPushButton, "error-manual")
    inside.banner.show_message("Saved.", tone=Tone.OK)
    assert not link.isVisible()
    inside.show_error(InputError("Step 3 cannot depend on itself.", "Connect two different steps."))
    assert link.isVisible()
    assert link.accessibleName() == "In the manual (⇧ F1)"
    link.click()
    manual = find(inside, ManualBrowser, "guide-text")
    assert manual.textCursor().block().text() == "Step … cannot depend on itself."
    inside.banner.show_message("Saved.", tone=Tone.OK)
    assert not link.isVisible()


def test_a_warning_offers_its_page_and_the_same_words_in_peace_do_not(inside: MainWindow) -> None:
    link, page = find(inside.banner, QPushButton, "error-manual"), "roles/manager.md#lead-batches"
    inside.banner.show_message("2 cases were skipped.", tone=Tone.OK, page=page)
    assert not link.isVisible()
    inside.banner.show_message("2 cases were skipped.", tone=Tone.WARN, page=page)
    assert link.isVisible()
    QTest.keyClick(inside, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    manual = find(inside, ManualBrowser, "guide-text")
    assert manual.textCursor().block().text() == "Lead batches"


@pytest.mark.parametrize(
    ("page", "file", "heading"),
    [
        ("queue", "zh/annotator.md", "领取用例"),
        ("adjudication", "zh/expert.md", "裁定分歧"),
        ("team", "roles/manager.md", "The manager"),
    ],
)
def test_the_manual_is_in_the_language_of_the_explanations_where_there_is_a_page(
    inside: MainWindow, page: str, file: str, heading: str
) -> None:
    inside.preferences.change(guidelines_language="zh")
    inside.ways.show_page(page)
    QTest.keyClick(inside, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    manual = find(inside, ManualBrowser, "guide-text")
    assert manual.source().toLocalFile() == str(manual_path(*file.split("/")))
    shown = (manual.textCursor().block().text(), manual.document().begin().text())
    assert heading in shown
    find(inside, QPushButton, "guide-contents").click()
    assert manual.source().toLocalFile() == str(manual_path("zh", "index.md"))


def test_the_manual_explains_a_message_that_is_shown_in_chinese(inside: MainWindow) -> None:
    speak("zh_CN")
    try:
        inside.banner.show_error(
            InputError("Step 3 cannot depend on itself.", "Connect two different steps.")
        )
        assert "Step" not in inside.banner.words
        inside.open_manual()
    finally:
        speak("en")
    manual = find(inside, ManualBrowser, "guide-text")
    assert manual.textCursor().block().text() == "Step … cannot depend on itself."


def test_a_dialog_leads_to_the_manual_by_the_same_key(qtbot: QtBot, inside: MainWindow) -> None:
    error = InputError("The address in the invitation cannot be read.", "Ask for another one.")
    dialog = ConnectDialog(inside.operations, inside, problem=error)
    dialog.ask()
    qtbot.waitUntil(
        lambda: dialog.isActiveWindow() and find(dialog, QPushButton, "connect-manual").isVisible()
    )
    QTest.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: bool(dialog.findChildren(ManualBrowser)))  # the button is seen pressed first
    manual = find(dialog, ManualBrowser, "guide-text")
    assert manual.textCursor().block().text() == error.message
    dialog.close()


def test_a_message_with_signs_of_addresses_is_found(inside: MainWindow) -> None:
    inside.banner.show_message("'50%' and 'a#b c' change the same text.")
    inside.open_manual()
    manual = find(inside, ManualBrowser, "guide-text")
    assert manual.textCursor().block().text() == "'…' and '…' change the same text."


def test_contents_and_back_lead_through_the_manual(inside: MainWindow) -> None:
    inside.help.open_guide("faq.md")
    manual = find(inside, ManualBrowser, "guide-text")
    find(inside, QPushButton, "guide-contents").click()
    assert manual.source().fileName() == "index.md"
    find(inside, QPushButton, "guide-back").click()
    assert manual.source().fileName() == "faq.md"


def test_every_page_of_the_window_has_a_heading_in_the_manual() -> None:
    assert set(PAGE_OF) == {kind.id for kind in PAGES} | {"tour"}
    for page in PAGE_OF.values():
        name, _, heading = page.partition("#")
        titles = re.findall(r"^#+ (.+)$", manual_path(name).read_text(encoding="utf-8"), re.MULTILINE)
        assert not heading or heading in map(anchor_of, titles)


def test_a_picture_of_the_manual_follows_the_theme_and_fits(inside: MainWindow) -> None:
    inside.help.open_guide("quick_start.md")
    manual = find(inside, ManualBrowser, "guide-text")
    kind = QTextDocument.ResourceType.ImageResource.value
    light = manual.loadResource(kind, QUrl("pictures/workbench_light.png"))
    inside.preferences.change(theme=ColourScheme.DARK)
    dark = manual.loadResource(kind, QUrl("pictures/workbench_light.png"))
    assert light.width() == dark.width() == 660  # of 1440: what the dialog has room for
    assert (
        light.toImage().pixelColor(5, 5).lightness() > 200 > 100 > dark.toImage().pixelColor(5, 5).lightness()
    )


def test_whoever_reads_about_semantics_is_led_to_the_rules(inside: MainWindow) -> None:
    inside.explain_topic("semantics.paper")
    inside.help.open_guide()
    assert inside.findChildren(QTabWidget)[-1].currentIndex() == 2


def test_a_topic_is_found_from_inside_a_widget(qtbot: QtBot) -> None:
    outer = QWidget()
    qtbot.addWidget(outer)
    inner = QWidget(outer)
    set_topic("policy.chat", outer)
    assert topic_of(inner) == "policy.chat"
    assert topic_of(None) == ""


def test_it_explains_what_has_the_keys_in_a_dialog(
    qtbot: QtBot, inside: MainWindow, bench: WorkbenchPage
) -> None:
    bench.ask_verdict(Verdict.ESCALATE)
    dialog = find(bench, QDialog, "reason-dialog")
    note, category = find(dialog, QWidget, "reason-note"), find(dialog, QWidget, "reason-category")
    qtbot.waitUntil(lambda: dialog.isActiveWindow() and note.hasFocus())
    QTest.keyClick(note, Qt.Key.Key_F1)
    assert inside.help.isVisible()
    assert inside.help.topic == "verdict.escalate"
    category.setFocus()
    QTest.keyClick(category, Qt.Key.Key_F1)
    assert inside.help.topic == "feedback.other"
    QTest.keyClick(category, Qt.Key.Key_F1)
    assert not inside.help.isVisible()
    dialog.reject()


def test_a_dialog_of_a_window_in_a_frame_asks_too(light: QApplication, qtbot: QtBot) -> None:
    frame = QWidget()
    qtbot.addWidget(frame)
    inner = QWidget(frame)
    finder = TopicFinder(inner)
    frame.show()
    dialog = QDialog(inner)
    field = QLineEdit(dialog)
    dialog.show()
    field.setFocus()
    qtbot.waitUntil(lambda: dialog.isActiveWindow() and field.hasFocus())
    with qtbot.waitSignal(finder.asked):
        QTest.keyClick(field, Qt.Key.Key_F1)


def test_the_end_of_a_call_is_explained(light: QApplication, qtbot: QtBot) -> None:
    row = ChoiceField("How the call ended", REVIEW, empty="", topic="review")
    qtbot.addWidget(row)
    row.show_value(ReviewLabel.INTERNAL)
    assert topic_of(row) == "review.internal"
