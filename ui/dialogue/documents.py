"""Texts of a dialogue as documents to read: plain, Markdown, JSON; nothing is ever loaded or run."""

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QBrush,
    QFont,
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextFrameFormat,
    QTextOption,
    QTextTable,
)

from scoring.texts import tr
from ui.dialogue.json_text import JsonText, TokenKind
from ui.theme import theme
from ui.theme.layouts import build
from ui.theme.words import visible

_Underline = QTextCharFormat.UnderlineStyle
MARKDOWN_LIMIT = 60_000
"""Characters from which on Markdown is shown as plain text."""

_OBJECT = "\ufffc"
"""Stands in a document for a picture."""

_TOKEN_COLOURS = {
    TokenKind.KEY: "answer",
    TokenKind.STRING: "call",
    TokenKind.NUMBER: "observation",
    TokenKind.LITERAL: "user",
    TokenKind.PUNCTUATION: "text",
}
_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


class QuietDocument(QTextDocument):
    """A document that loads nothing, whatever its text asks for."""

    def loadResource(self, kind: int, name: QUrl | str) -> QImage:
        return QImage()


def plain_document(
    text: str, *, spans: Iterable[tuple[int, int]] = (), is_code: bool = False, is_faint: bool = False
) -> QTextDocument:
    """A text exactly as it is, cited places marked.

    Args:
        text: From a dialogue.
        spans: Places that values are cited from.
        is_code: Set in the code font.
        is_faint: Said quietly.
    """
    document = _empty(is_code=is_code)
    QTextCursor(document).insertText(visible(text), text_format(colour="muted" if is_faint else "text"))
    for start, end in spans:
        if 0 <= start < end <= len(text):
            cursor_over(document, text, start, end).mergeCharFormat(_cited())
    return document


def json_document(
    written: JsonText,
    *,
    cited: Iterable[str] = (),
    troubled: Iterable[str] = (),
) -> QTextDocument:
    """A JSON value in colours.

    Args:
        written: The value as text.
        cited: Pointers of values to mark as cited.
        troubled: Pointers of values to mark as doubtful.
    """
    document = _empty(is_code=True)
    cursor = QTextCursor(document)
    formats = {kind: text_format(colour=colour) for kind, colour in _TOKEN_COLOURS.items()}
    for token in written.tokens:
        cursor.insertText(visible(token.text), formats[token.kind])
    for paths, mark in ((cited, _cited()), (troubled, text_format(line=(_Underline.WaveUnderline, "warn")))):
        for path in paths:
            span = written.span_of(path)
            if span:
                cursor_over(document, written.text, *span).mergeCharFormat(mark)
    return document


def markdown_document(text: str) -> QTextDocument:
    """Markdown as it is meant, without HTML, pictures or links one could follow."""
    if len(text) > MARKDOWN_LIMIT:
        return plain_document(text)
    document = _empty()
    document.setMarkdown(visible(text), _FEATURES)
    _quieten(document)
    return document


def markdown_words(text: str) -> str:
    """The words of Markdown in one line, without its marks; items of lists keep their numbers and dots.

    What consists of marks alone, such as `***`, stays as it is.
    """
    document = build(QuietDocument, undoRedoEnabled=False)
    document.setMarkdown(visible(text), _FEATURES)
    found = []
    for block in blocks_of(document):
        items = block.textList()
        if items is not None:
            number = items.itemText(block)
            found.append(number if number[:1].isdecimal() else "•")
        found.append(block.text().replace(_OBJECT, "[picture]"))
    return " ".join(" ".join(found).split()) or " ".join(visible(text).split())


def _empty(*, is_code: bool = False) -> QTextDocument:
    font = theme().mono(12) if is_code else theme().sans(13)
    document = build(QuietDocument, undoRedoEnabled=False, documentMargin=0, defaultFont=font)
    wrapping = QTextOption()
    wrapping.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(wrapping)
    return document


def text_format(
    *, colour: str = "", ground: str = "", line: tuple[QTextCharFormat.UnderlineStyle, str] | None = None
) -> QTextCharFormat:
    """How letters look.

    Args:
        colour: Name of their token; empty for as they are.
        ground: Name of the token behind them; empty for none.
        line: How they are underlined, and the token of the line.
    """
    form = QTextCharFormat()
    if colour:
        form.setForeground(QBrush(theme().colour(colour)))
    if ground:
        form.setBackground(QBrush(theme().colour(ground)))
    if line is not None:
        form.setUnderlineStyle(line[0])
        form.setUnderlineColor(theme().colour(line[1]))
    return form


def _cited() -> QTextCharFormat:
    return text_format(ground="accent_bg", line=(_Underline.SingleUnderline, "accent"))


def span_cursor(document: QTextDocument, start: int, end: int) -> QTextCursor:
    """A cursor that selects [start, end), in Qt's units."""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _quieten(document: QTextDocument) -> None:
    document.setIndentWidth(theme().px(18))
    for block in blocks_of(document):
        form = block.blockFormat()
        is_code = _is_fenced(form)
        _space(QTextCursor(block), form, is_first=block.position() == 0)
        for fragment in list(fragments_of(block)):
            _restyle_fragment(document, fragment, heading=form.headingLevel(), is_code=is_code)
    _replace_pictures(document)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _calm_table(frame)


def blocks_of(document: QTextDocument) -> Iterator[QTextBlock]:
    """The blocks of a document, in order."""
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def fragments_of(block: QTextBlock) -> Iterator[QTextFragment]:
    """The pieces of one look in a block, in order."""
    place = block.begin()
    while not place.atEnd():
        yield place.fragment()
        place += 1


def _is_fenced(form: QTextBlockFormat) -> bool:
    return form.hasProperty(QTextFormat.Property.BlockCodeFence) or form.nonBreakableLines()


def _calm_table(table: QTextTable) -> None:
    form = table.format().toTableFormat()
    form.setBorder(1)
    form.setBorderCollapse(True)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBorderBrush(QBrush(theme().colour("line_strong")))
    form.setCellPadding(theme().px(4))
    form.setCellSpacing(0)
    table.setFormat(form)
    strong = QTextCharFormat()
    strong.setFontWeight(QFont.Weight.DemiBold)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        span_cursor(table.document(), cell.firstPosition(), cell.lastPosition()).mergeCharFormat(strong)


def _space(cursor: QTextCursor, form: QTextBlockFormat, *, is_first: bool) -> None:
    look = theme()
    is_code = _is_fenced(form)
    in_table = cursor.currentTable() is not None
    form.setTopMargin(0 if is_first or is_code or in_table else look.px(2))
    form.setBottomMargin(0 if is_code or in_table else look.px(2))
    if is_code:
        form.setBackground(QBrush(look.colour("code")))
        form.setNonBreakableLines(False)
    cursor.setBlockFormat(form)


def _restyle_fragment(
    document: QTextDocument, fragment: QTextFragment, *, heading: int, is_code: bool
) -> None:
    form = fragment.charFormat()
    if form.isImageFormat():
        return
    is_mono = is_code or form.fontFixedPitch()
    font = theme().mono(12) if is_mono else theme().sans(15 if heading == 1 else 13)
    if heading or form.fontWeight() > QFont.Weight.Normal:
        font.setWeight(QFont.Weight.DemiBold)
    font.setItalic(form.fontItalic())
    font.setStrikeOut(form.fontStrikeOut())
    ground = "code" if is_mono and not is_code else ""
    plain = text_format(colour="accent" if form.isAnchor() else "text", ground=ground)
    plain.setFont(font)
    if form.isAnchor():
        plain.setFontUnderline(True)
        plain.setToolTip(form.anchorHref())
    span_cursor(document, fragment.position(), fragment.position() + fragment.length()).setCharFormat(plain)


def _replace_pictures(document: QTextDocument) -> None:
    every = [fragment for block in blocks_of(document) for fragment in fragments_of(block)]
    for fragment in reversed([one for one in every if one.charFormat().isImageFormat()]):
        image = fragment.charFormat().toImageFormat()
        span_cursor(document, fragment.position(), fragment.position() + fragment.length()).insertText(
            tr("[picture, not loaded: {visible}]", visible=visible(image.name())), text_format(colour="muted")
        )


def cursor_over(document: QTextDocument, text: str, start: int, end: int) -> QTextCursor:
    """A cursor that selects the characters [start, end) of a document's text, as far as there are any."""
    last = max(document.characterCount() - 1, 0)
    return span_cursor(document, min(to_units(text, start), last), min(to_units(text, end), last))


def to_units(text: str, character: int) -> int:
    """The Qt position of a character of a text; they differ behind emoji and other rare characters."""
    return character if text.isascii() else len(_units(text[:character])) // 2


def to_character(text: str, unit: int) -> int:
    """The character at a Qt position of a text; inside a pair of units, the character of the pair."""
    return (
        min(unit, len(text))
        if text.isascii()
        else len(_units(text)[: 2 * unit].decode("utf-16-le", "ignore"))
    )


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
