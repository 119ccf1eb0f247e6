"""Texts of strangers are shown as they are: nothing is loaded, hidden or run."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication

from ui.dialogue.documents import (
    MARKDOWN_LIMIT,
    QuietDocument,
    json_document,
    markdown_document,
    markdown_words,
    plain_document,
)
from ui.dialogue.json_text import write_json
from ui.theme.look import mono, sans
from ui.theme.words import visible


def formats(document: QTextDocument) -> list[QTextCharFormat]:
    """Formats of the characters that are there, in order."""
    cursor = QTextCursor(document)
    found = []
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        found.append(cursor.charFormat())
    return found


def test_html_in_markdown_is_text(light: QApplication) -> None:
    text = "<b>x</b> <img src='file:///etc/passwd'>"
    assert markdown_document(text).toPlainText() == text


def test_pictures_are_named_not_loaded(light: QApplication) -> None:
    document = markdown_document("Look: ![a cat](http://example.org/cat.png)")
    assert document.toPlainText() == "Look: [picture, not loaded: http://example.org/cat.png]"
    assert not any(form.isImageFormat() for form in formats(document))


def test_a_document_loads_nothing(light: QApplication) -> None:
    image = QuietDocument().resource(
        QTextDocument.ResourceType.ImageResource.value, QUrl("file:///etc/passwd")
    )
    assert image is None or (isinstance(image, QImage) and image.isNull())


def test_links_cannot_be_followed(light: QApplication) -> None:
    document = markdown_document("[here](http://example.org)")
    assert document.toPlainText() == "here"
    assert not any(form.isAnchor() for form in formats(document))


def test_headings_lists_code_and_tables_become_blocks(light: QApplication) -> None:
    document = markdown_document("# Head\n\n- one\n- two\n\n```\ncode\n```\n\n| a |\n|---|\n| 1 |\n")
    assert document.toPlainText().split("\n")[:4] == ["Head", "one", "two", "code"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Done\n\nIt is **bold**, _slanted_ and `code`.", "Done It is bold, slanted and code."),
        ("- one\n- two", "• one • two"),
        ("1. first\n2. second", "1. first 2. second"),
        ("[here](http://example.com) ![x](http://example.com/x.png)", "here [picture]"),
        ("<b>html</b> 2 * 3 * 4 snake_case", "<b>html</b> 2 * 3 * 4 snake_case"),
        ("***", "***"),
        ("a\u202eb", "a\u2426b"),
        ("", ""),
    ],
)
def test_the_words_of_markdown_stand_in_one_line_without_its_marks(
    light: QApplication, text: str, words: str
) -> None:
    assert markdown_words(text) == words


def test_very_long_markdown_is_shown_plain(light: QApplication) -> None:
    text = "# x\n" + "word " * (MARKDOWN_LIMIT // 5)
    assert markdown_document(text).toPlainText().startswith("# x")


def test_control_and_direction_characters_are_pictured_one_for_one() -> None:
    assert visible("a\x00b\u202ec\td\n") == "a\u2400b\u2426c\td\n"
    assert visible("\ud800") == "\ufffd"


def test_cited_places_of_a_text_are_marked(light: QApplication) -> None:
    marked = plain_document("on those two days", spans=[(3, 17)])
    assert [form.fontUnderline() for form in formats(marked)] == [False] * 3 + [True] * 14


def test_a_cited_place_beyond_the_text_marks_nothing(light: QApplication) -> None:
    marked = plain_document("short", spans=[(3, 99)])
    assert not any(form.fontUnderline() for form in formats(marked))


def test_json_keeps_its_text_in_colours(light: QApplication) -> None:
    written = write_json({"city": "Oslo", "n": 1})
    document = json_document(written, cited=["/city"], troubled=["/n"])
    assert document.toPlainText() == written.text
    assert len({form.foreground().color().name() for form in formats(document)}) == 4


def test_code_is_written_in_the_fixed_font_and_words_are_not(light: QApplication) -> None:
    code, words = json_document(write_json({"a": 1})), plain_document("a")
    assert code.defaultFont().family() == mono(12).family()
    assert words.defaultFont().family() == sans(13).family()
    assert mono(12).family() != sans(13).family()
