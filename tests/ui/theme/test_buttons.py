"""The pill that holds one of several values."""

import subprocess
import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.shared import ROOT
from tests.ui.find import find
from ui.desk.tabs.judgment_sections import YesNo
from ui.theme.buttons import ChoiceChip

FORGET = """
import gc
from PySide6.QtWidgets import QApplication
from ui.theme.buttons import ChoiceChip

app = QApplication([])
for _ in range(5):
    chip = ChoiceChip("batch", "Batch", [("a", "A"), ("b", "B")])
    chip.show()
    chip.open_menu()
    chip = None
    gc.collect()
"""


def test_a_value_taken_from_the_menu_is_told_once(qtbot: QtBot) -> None:
    chip = ChoiceChip("batch", "Batch", [("a", "A"), ("b", "B")])
    qtbot.addWidget(chip)
    chip.show()
    told: list[str] = []
    chip.chosen.connect(told.append)
    chip.open_menu()
    menu = find(chip, QMenu, "menu-batch")
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert (told, chip.value, chip.text()) == (["b"], "b", "B")


def test_a_tip_of_its_own_stays_and_another_says_what_is_chosen(qtbot: QtBot) -> None:
    choices = [("a", "A"), ("b", "Batch: B")]
    plain, own = ChoiceChip("batch", "Batch", choices), ChoiceChip("own", "Batch", choices, toolTip="Why")
    for chip in (plain, own):
        qtbot.addWidget(chip)
        assert chip.accessibleName() == "Batch: A"
    assert (plain.toolTip(), own.toolTip()) == ("Batch: A", "Why")
    for chip in (plain, own):
        chip.choose("b")
        assert chip.accessibleName() == "Batch: B"
    assert (plain.toolTip(), own.toolTip()) == ("Batch: B", "Why")


def test_a_pill_nobody_holds_can_go_while_its_menu_is_open() -> None:
    done = subprocess.run([sys.executable, "-c", FORGET], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_a_screen_reader_is_told_that_a_pill_opens_a_menu_and_can_open_it(qtbot: QtBot) -> None:
    chip = ChoiceChip("batch", "Batch", [("a", "A"), ("b", "B")])
    qtbot.addWidget(chip)
    chip.show()
    spoken = QAccessible.queryAccessibleInterface(chip)
    assert spoken is not None
    assert spoken.role() is QAccessible.Role.ButtonMenu
    assert spoken.state().hasPopup
    menu = find(chip, QMenu, "menu-batch")
    menu.popup(chip.pos())
    assert [action.text() for action in menu.actions()] == ["A", "B"]
    menu.close()


def test_of_several_chips_of_which_one_is_chosen_each_is_told_as_a_radio_button(qtbot: QtBot) -> None:
    asked = YesNo("Task completed")
    qtbot.addWidget(asked)
    spoken = [QAccessible.queryAccessibleInterface(chip) for chip in (asked.yes, asked.no)]
    assert {one.role() for one in spoken if one is not None} == {QAccessible.Role.RadioButton}
    asked.show_value(True)
    asked.show_value(None)
    assert not asked.yes.isChecked()
