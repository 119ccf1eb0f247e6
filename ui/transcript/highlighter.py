"""Colours for JSON while it is typed, by pygments, line by line and only where somebody looks."""

from collections.abc import Callable

from pygments.lexers.data import JsonLexer  # type: ignore[import-untyped]
from pygments.token import Keyword, Name, Number, String, _TokenType  # type: ignore[import-untyped]
from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ui.theme import theme

_LONGEST_LINE = 4_000
_DONE = 1
_COLOURS: tuple[tuple[_TokenType, str], ...] = (
    (Name.Tag, "answer"),
    (String, "call"),
    (Number, "observation"),
    (Keyword, "user"),
)


class JsonHighlighter(QSyntaxHighlighter):
    """Colours the lines on screen; `look` has to be called when others come into sight.

    Args:
        document: What is typed.
        lines_in_sight: Gives the numbers of the lines on screen.
    """

    def __init__(self, document: QTextDocument, lines_in_sight: Callable[[], range]) -> None:
        super().__init__(document)
        self._lines_in_sight = lines_in_sight
        self._looked_at = range(0)
        document.contentsChange.connect(self._forget)
        self._lexer = JsonLexer(stripnl=False, ensurenl=False)
        self._formats: list[tuple[_TokenType, QTextCharFormat]] = []
        self.recolour()

    def recolour(self) -> None:
        """Take the colours of the theme that is on."""
        self._formats = []
        for kind, colour in _COLOURS:
            form = QTextCharFormat()
            form.setForeground(theme().colour(colour))
            self._formats.append((kind, form))
        self.rehighlight()

    def look(self) -> None:
        """Colour lines that have come into sight."""
        lines = self._lines_in_sight()
        if lines == self._looked_at:  # a key paints several times
            return
        block = self.document().findBlockByNumber(lines.start)
        for _ in lines:
            if not block.isValid():
                break
            if block.userState() != _DONE:
                self.rehighlightBlock(block)
            block = block.next()
        self._looked_at = lines

    def _forget(self, position: int, removed: int, added: int) -> None:
        self._looked_at = range(0)

    def highlightBlock(self, text: str) -> None:
        if self.currentBlock().blockNumber() not in self._lines_in_sight():
            return
        self.setCurrentBlockState(_DONE)
        for start, kind, value in self._lexer.get_tokens_unprocessed(text[:_LONGEST_LINE]):
            form = next((form for wanted, form in self._formats if kind in wanted), None)
            if form is not None:
                self.setFormat(start, len(value), form)
