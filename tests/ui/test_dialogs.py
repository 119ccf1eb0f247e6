"""Every dialog and popup from 100 to 200 % on a small screen: in reach, uncut, named, left with Esc."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QMainWindow,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.ui.amounts import Amount
from tests.ui.dialogs import DIALOGS, notices_of, palette_of
from tests.ui.focus import focusable, nameless
from ui.theme import Button, ElidedLabel, apply_theme
from ui.theme.dialogs import DialogFrame, open_dialog
from ui.theme.fields import DropDown

SCALES = (1.0, 1.5, 2.0)
TITLE_BAR = 30


@pytest.fixture(autouse=True)
def usual_size(light: QApplication) -> Iterator[QApplication]:
    """100 % also afterwards."""
    yield light
    apply_theme(light, dark=False)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QMainWindow]:
    """An empty window that fills the small screen."""
    found = QMainWindow()
    small = next(screen for screen in QGuiApplication.screens() if screen.size().toTuple() == (1280, 720))
    found.setGeometry(small.availableGeometry())
    found.show()
    found.activateWindow()
    qtbot.waitUntil(found.isActiveWindow)
    yield found
    found.close()


def opened(qtbot: QtBot, window: QMainWindow, name: str, amount: Amount) -> QDialog:
    """A dialog or popup of a name, as it is once it is shown."""
    room = window.screen().availableGeometry()
    if name == "palette":
        palette = palette_of(window, amount)
        palette.open_at(QPoint(room.center().x(), room.top() + 60))
        return palette
    if name == "notices":
        notices = notices_of(window, amount)
        notices.open_below(QPoint(room.right() - 200, room.top() + 40))
        return notices
    dialog = DIALOGS[name](window, amount)
    open_dialog(dialog)
    qtbot.wait(20)
    return dialog


def place_in(dialog: QDialog, widget: QWidget) -> QRect:
    """Where a widget is in a dialog."""
    return QRect(widget.mapTo(dialog, QPoint(0, 0)), widget.size())


def out_of_reach(dialog: QDialog) -> list[str]:
    """What of the dialog is not on the screen, and which of the buttons that end it are not in it."""
    room = dialog.screen().availableGeometry()
    is_bare = bool(dialog.windowFlags() & Qt.WindowType.FramelessWindowHint)
    found = [] if room.contains(dialog.geometry()) else [f"{dialog.geometry()}"]
    if dialog.height() > room.height() - (0 if is_bare else TITLE_BAR):
        found.append(f"{dialog.height()} leaves no room for a title bar")
    last = [button for button in dialog.findChildren(QPushButton) if _is_at_the_end(dialog, button)]
    return found + [button.text() for button in last if not dialog.rect().contains(place_in(dialog, button))]


def _is_at_the_end(dialog: QDialog, button: QPushButton) -> bool:
    """Whether a button is one of those that end a dialog: not of what scrolls."""
    return button.isVisible() and isinstance(button.parentWidget(), DialogFrame)


def cut(dialog: QDialog) -> list[str]:
    """Words that have no room and are not told in a tooltip either."""
    found = [_words(label) for label in dialog.findChildren(QLabel) if _is_cut_label(label)]
    found += [
        button.text()
        for button in dialog.findChildren(Button)
        if button.isVisible() and button.width() < button.minimumSizeHint().width()
    ]
    found += [
        box.currentText()
        for box in dialog.findChildren(DropDown)
        if box.isVisible() and box.shown_text != box.currentText() and not box.toolTip()
    ]
    return found


def _words(label: QLabel) -> str:
    return f"{label.text()[:40]} {label.size().toTuple()}"


def _is_cut_label(label: QLabel) -> bool:
    if not label.isVisible() or not label.text():
        return False
    if isinstance(label, ElidedLabel):
        return label.shown_text != " ".join(label.text().split()) and not label.toolTip()
    if label.wordWrap():
        is_wide = label.width() >= label.minimumSizeHint().width()
        return not is_wide or label.height() < label.heightForWidth(label.width())
    return label.width() < label.sizeHint().width() or label.height() < label.sizeHint().height()


EVERY = [*DIALOGS, "palette", "notices"]


@pytest.mark.parametrize("amount", [Amount.USUAL, Amount.MUCH])
@pytest.mark.parametrize("name", EVERY)
def test_it_fits_on_a_small_screen_and_no_word_is_cut(
    qtbot: QtBot, window: QMainWindow, light: QApplication, name: str, amount: Amount
) -> None:
    for scale in SCALES:
        apply_theme(light, dark=False, scale=scale)
        dialog = opened(qtbot, window, name, amount)
        assert (scale, out_of_reach(dialog), cut(dialog)) == (scale, [], [])
        dialog.close()


@pytest.mark.parametrize("name", DIALOGS)
def test_it_grows_and_shrinks_with_the_scale_while_it_is_open(
    qtbot: QtBot, window: QMainWindow, light: QApplication, name: str
) -> None:
    dialog = opened(qtbot, window, name, Amount.USUAL)
    before = dialog.size()
    for scale in (1.5, 2.0):
        apply_theme(light, dark=scale > 1.5, scale=scale)
        qtbot.waitUntil(lambda: dialog.width() > before.width())
        qtbot.wait(20)
        assert (scale, out_of_reach(dialog), cut(dialog)) == (scale, [], [])
    apply_theme(light, dark=False)
    qtbot.waitUntil(lambda: dialog.size() == before)
    dialog.close()


@pytest.mark.parametrize("amount", list(Amount))
@pytest.mark.parametrize("name", EVERY)
def test_what_can_have_the_focus_has_a_name(
    qtbot: QtBot, window: QMainWindow, name: str, amount: Amount
) -> None:
    dialog = opened(qtbot, window, name, amount)
    assert nameless(dialog) == []
    dialog.close()


@pytest.mark.parametrize("name", DIALOGS)
def test_tab_goes_through_all_of_it_from_the_top(qtbot: QtBot, window: QMainWindow, name: str) -> None:
    dialog = opened(qtbot, window, name, Amount.USUAL)
    wanted = {widget for widget in focusable(dialog) if widget.isEnabled()}
    first = dialog.focusWidget()
    assert first in wanted
    met = [first]
    for _ in range(len(wanted)):
        QTest.keyClick(met[-1], Qt.Key.Key_Tab)
        at = dialog.focusWidget()
        assert at is not None
        if at is first:
            break
        met.append(at)
    assert {widget.objectName() for widget in wanted - set(met)} == set()
    dialog.close()


@pytest.mark.parametrize("name", EVERY)
def test_esc_closes_it(qtbot: QtBot, window: QMainWindow, name: str) -> None:
    dialog = opened(qtbot, window, name, Amount.USUAL)
    focus = dialog.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.parametrize("name", DIALOGS)
def test_enter_has_a_button_and_every_key_of_a_button_is_shown(
    qtbot: QtBot, window: QMainWindow, name: str
) -> None:
    dialog = opened(qtbot, window, name, Amount.USUAL)
    last = [button for button in dialog.findChildren(Button) if _is_at_the_end(dialog, button)]
    assert [button.text() for button in last if button.isDefault()] or name == "return"  # it needs a reason
    keys = [button.accessibleName() for button in last if button.shows_keys]
    assert any("Esc" in words for words in keys) or name == "crash"  # its only other way out is to go on
    dialog.close()
