"""The small widgets say what they should, to the eye and to a screen reader."""

from itertools import combinations, product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.ui.find import chip_of, find
from ui.theme import (
    Button,
    ButtonKind,
    Chip,
    ChipButton,
    ElidedLabel,
    EmptyState,
    Hint,
    HintAction,
    SectionLabel,
    Stat,
    TextLabel,
    Tone,
    apply_theme,
    theme,
)
from ui.theme.labels import WrappedLabel
from ui.theme.look import dress
from ui.theme.tables import TableView
from ui.theme.words import LOADING, UNREAD, plain_tip


def test_a_long_line_elides_and_says_the_rest_in_its_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel("a line that is much too long for the little room there is")
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.show()
    assert label.shown_text.endswith("…")
    assert label.toolTip() == "a line that is much too long for the little room there is"


def test_a_line_with_a_sign_before_it_asks_for_room_for_both(qtbot: QtBot, light: QApplication) -> None:
    label = ElidedLabel("Returned to you", "error")
    qtbot.addWidget(label)
    label.ensurePolished()
    label.resize(label.sizeHint())
    assert label.shown_text == "Returned to you"


def test_words_make_room_for_the_sign_of_an_error_that_comes_later(qtbot: QtBot, light: QApplication) -> None:
    label = TextLabel("Fine.", "small")
    qtbot.addWidget(label)
    label.show()
    before = label.contentsRect().left()
    label.say("Not so.", "error")
    assert label.contentsRect().left() >= before + 16
    label.say("Fine.", "small")
    assert label.contentsRect().left() == before


def test_a_short_line_has_no_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel("short")
    qtbot.addWidget(label)
    label.resize(200, 20)
    label.show()
    assert label.shown_text == "short"
    assert label.toolTip() == ""


def test_a_wrapped_line_that_is_cleared_says_nothing_to_a_screen_reader_either(qtbot: QtBot) -> None:
    label = WrappedLabel("8 accepted.")
    qtbot.addWidget(label)
    label.clear()
    assert (label.text(), label.accessibleName()) == ("", "")


def test_a_key_badge_widens_the_button(qtbot: QtBot) -> None:
    bare, badged = Button("Submit"), Button("Submit", keys="Ctrl ↵")
    qtbot.addWidget(bare)
    qtbot.addWidget(badged)
    assert badged.sizeHint().width() > bare.sizeHint().width() + 20


def test_a_button_that_may_shrink_leaves_its_keys_out_and_keeps_its_word(qtbot: QtBot) -> None:
    button = Button("Submit", keys="Ctrl ↵")
    qtbot.addWidget(button)
    button.resize(button.sizeHint())
    assert button.shows_keys
    assert button.minimumSizeHint().width() == Button("Submit").sizeHint().width()
    button.resize(button.minimumSizeHint())
    assert not button.shows_keys


def test_a_button_tells_a_screen_reader_its_keys(qtbot: QtBot) -> None:
    button = Button("Submit", ButtonKind.PRIMARY, keys="Ctrl ↵")
    qtbot.addWidget(button)
    assert button.accessibleName() == "Submit (Ctrl ↵)"


def test_a_blocked_button_says_why_until_it_is_free_again(qtbot: QtBot) -> None:
    button = Button("Submit")
    qtbot.addWidget(button)
    button.setToolTip("Hand it on")
    button.set_blocked("2 findings to resolve")
    button.set_blocked("1 finding to resolve")
    assert not button.isEnabled()
    assert button.toolTip() == "1 finding to resolve"
    button.set_blocked("")
    assert button.isEnabled()
    assert button.toolTip() == "Hand it on"


def test_a_hint_reports_which_action_was_taken(qtbot: QtBot) -> None:
    hint = Hint("Differs.", "No space.", actions=(HintAction("use", "Use it"), HintAction("keep", "Keep it")))
    qtbot.addWidget(hint)
    hint.show()
    keep = find(hint, Button, "action-keep")
    with qtbot.waitSignal(hint.acted) as signal:
        QTest.mouseClick(keep, Qt.MouseButton.LeftButton)
    assert signal.args == ["keep"]


def test_a_hint_shows_markup_of_a_dialogue_as_text(qtbot: QtBot) -> None:
    hint = Hint("Value", '<img src="http://example.org/x.png">')
    qtbot.addWidget(hint)
    assert hint.words == 'Value <img src="http://example.org/x.png">'


def test_a_chip_keeps_its_size_to_its_words(qtbot: QtBot) -> None:
    short, long = Chip("3"), Chip("3 of 3 cited", Tone.OK)
    qtbot.addWidget(short)
    qtbot.addWidget(long)
    assert short.sizeHint().width() < long.sizeHint().width()


def test_a_section_is_read_out_in_its_own_spelling(qtbot: QtBot) -> None:
    label = SectionLabel("Labels · task 3")
    qtbot.addWidget(label)
    assert label.text() == "LABELS · TASK 3"
    assert label.accessibleName() == "Labels · task 3"


def test_a_figure_names_itself(qtbot: QtBot) -> None:
    stat = Stat("Legal orders")
    qtbot.addWidget(stat)
    stat.set_value("3")
    stat.set_chip("as declared", Tone.OK)
    assert stat.accessibleName() == "Legal orders: 3"
    assert chip_of(stat) == "as declared"
    stat.set_chip("")
    assert chip_of(stat) == ""


def test_a_tooltip_shows_markup_of_a_dialogue_as_text(qtbot: QtBot) -> None:
    label = ElidedLabel("<img src='file:///etc/passwd'> and much more than there is room for")
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.show()
    assert "&lt;img" in label.toolTip()
    assert plain_tip("2 < 3") == "2 < 3"


def test_a_long_tooltip_is_cut() -> None:
    assert len(plain_tip("word " * 1000)) == 1001


def test_an_ampersand_from_a_dialogue_stays_on_the_button(qtbot: QtBot) -> None:
    button = Button("&Use Q && A")
    qtbot.addWidget(button)
    assert button.shown_text == "Use Q & A"


@pytest.mark.parametrize("tone", [Tone.OK, Tone.ERROR])
def test_a_chosen_answer_has_a_border_in_its_own_colour(
    qtbot: QtBot, light: QApplication, tone: Tone
) -> None:
    chip = ChipButton("Yes", tone)
    qtbot.addWidget(chip)
    dress(chip)
    chip.resize(chip.sizeHint())
    middle = chip.width() // 2
    plain = chip.grab().toImage().pixelColor(middle, 0)
    chip.setChecked(True)
    chosen = chip.grab().toImage().pixelColor(middle, 0)
    assert plain == QColor(theme().tokens.line_strong)
    assert chosen == QColor(theme().tokens.tone(tone).text)


def test_loading_empty_and_failed_have_pictures_of_their_own(qtbot: QtBot, light: QApplication) -> None:
    start = Button("Import…")
    place = EmptyState("tray", "No cases yet", "Import a file.", button=start)
    table = TableView("cases", "Cases")
    table.setModel(QStandardItemModel())
    pictures = []
    for widget in (place, table):
        qtbot.addWidget(widget)
        widget.resize(300, 300)
        widget.show()
    for words in ("No cases yet", LOADING, UNREAD):
        place.say(words)
        table.say(words)
        assert start.isVisible() is (words == "No cases yet")
        marks = table.grab().toImage().copy(130, 90, 40, 55)
        pictures.append((place.findChildren(QLabel)[0].pixmap().toImage(), marks))
    for one, other in combinations(pictures, 2):
        assert one[0] != other[0]
        assert one[1] != other[1]
    assert [_has(marks, theme().colour("error")) for _, marks in pictures] == [False, False, True]


def _has(picture: QImage, colour: QColor) -> bool:
    places = product(range(picture.width()), range(picture.height()))
    return any(picture.pixelColor(x, y) == colour for x, y in places)


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_what_went_wrong_has_a_sign_before_its_words_not_only_a_colour(
    qtbot: QtBot, light: QApplication, scale: float, is_dark: bool
) -> None:
    apply_theme(light, dark=is_dark, scale=scale)
    label = TextLabel("", objectName="problem")
    qtbot.addWidget(label)
    dress(label)
    label.say("No such file.", "error")
    room = label.contentsMargins().left()
    label.resize(label.sizeHint())
    image = label.grab().toImage()
    error = QColor(theme().tokens.error)
    sign = [x for x in range(room) for y in range(image.height()) if image.pixelColor(x, y) == error]
    assert max(sign) - min(sign) >= 8 * scale
