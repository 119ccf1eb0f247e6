"""The field JSON is typed into: indentation, brackets, colours, and the list of what can be written."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from scoring.model.taxonomy import Severity
from ui.theme import theme
from ui.transcript.brackets import matching_bracket
from ui.transcript.completion_popup import CompletionPopup
from ui.transcript.completions import Offer, offers_for
from ui.transcript.editors import MOST_LINES, PlainEditor
from ui.transcript.field_context import FieldContext
from ui.transcript.highlighter import JsonHighlighter
from ui.transcript.json_checking import TextProblem
from ui.transcript.json_edits import TextEdit
from ui.transcript.json_scan import JsonScanner, Spot
from ui.transcript.positions import to_character, to_units

if TYPE_CHECKING:
    from ui.transcript.seen_values import SeenValue

_PAUSE_MILLISECONDS = 40


class JsonField(PlainEditor):
    """Types JSON. Enter keeps the indentation of the line before; Ctrl+Space lists what can be written, and
    so does typing inside a name or a value.

    Args:
        text: JSON text.
        context: Which names and values there are.
    """

    def __init__(self, text: str, *, context: FieldContext) -> None:
        super().__init__(text, pause=_PAUSE_MILLISECONDS)
        self.setObjectName("json-editor")
        self.setProperty("look", "code")
        self._context = context
        self._seen: Sequence[SeenValue] | None = None
        self._spot: Spot | None = None
        self._problems: tuple[TextProblem, ...] = ()
        self._place: tuple[int, int] | None = None
        self._scanner = JsonScanner()
        self._colours = JsonHighlighter(self.document(), self._lines_in_sight)
        self.popup = CompletionPopup(self)
        self.popup.accepted.connect(self._write)
        self.document().contentsChange.connect(self._forget)
        self.updateRequest.connect(self._colours.look)
        self.cursorPositionChanged.connect(self._mark)

    def show_problems(self, problems: Sequence[TextProblem]) -> None:
        """Mark what is wrong at its places."""
        self._problems = tuple(problems)
        self._mark()

    @property
    def path_at_cursor(self) -> str:
        """The JSON Pointer of what the cursor is at; empty for the whole."""
        text = self.text
        return self._scanner.path_at(text, to_character(text, self.textCursor().position()))

    def show_place(self, place: tuple[int, int] | None) -> None:
        """Bring [start, end) into sight and mark it, or mark nothing; the cursor goes there."""
        if place == self._place:
            return
        former, self._place = self._place, place
        if place is not None and (former is None or former[0] != place[0]):
            cursor = self.textCursor()
            cursor.setPosition(to_units(self.text, place[0]))
            self.setTextCursor(cursor)
            self.ensureCursorVisible()
        self._mark()

    def make(self, edit: TextEdit, *, joins: bool) -> None:
        """Change a place of the text.

        Args:
            edit: What is changed.
            joins: Whether it is undone together with the change before it.
        """
        text, cursor = self.text, QTextCursor(self.document())
        if joins:
            cursor.joinPreviousEditBlock()
        else:
            cursor.beginEditBlock()
        cursor.setPosition(to_units(text, edit.start))
        cursor.setPosition(to_units(text, edit.end), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(edit.text)
        cursor.endEditBlock()

    def recolour(self) -> None:
        """Take the colours of the theme that is on."""
        self._colours.recolour()
        self._mark()

    def complete(self, *, is_asked: bool = True) -> None:
        """List what can be written at the cursor.

        Args:
            is_asked: Whether somebody asked for it, so that Return takes the first; in an open quote it
                always does, for a text has no line breaks.
        """
        text = self.text
        position = to_character(text, self.textCursor().position())
        self._spot = self._scanner.spot(text, position)
        if self._seen is None:
            self._seen = self._context.seen()
        offers = () if self._spot is None else offers_for(self._spot, self._context.tool, self._seen)
        start = self._spot.start if self._spot is not None else position
        cursor = QTextCursor(self.document())
        cursor.setPosition(to_units(text, start))
        rect = self.cursorRect(cursor)
        place = self.viewport().mapTo(self, rect.bottomLeft()) + QPoint(0, theme().px(2))
        self.popup.show_offers(
            offers,
            place,
            line_height=rect.height() + theme().px(4),
            is_asked=is_asked or (self._spot is not None and self._spot.is_quoted),
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.popup.take_key(event):
            return
        is_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if is_control and event.key() == Qt.Key.Key_Space:
            self.complete()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.popup.hide()
            self._break_line()
        else:
            super().keyPressEvent(event)
            self._follow(event)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        # Tab writes what the list offers; without a list it goes to the next widget.
        return False if self.popup.isVisible() else super().focusNextPrevChild(is_next)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.popup.hide()
        super().focusOutEvent(event)

    def _break_line(self) -> None:
        cursor = self.textCursor()
        line = cursor.block().text()[: cursor.positionInBlock()]
        indent = line[: len(line) - len(line.lstrip())]
        cursor.insertText("\n" + indent + ("  " if line.rstrip()[-1:] in ("{", "[") else ""))
        self.setTextCursor(cursor)

    # completion

    def _follow(self, event: QKeyEvent) -> None:
        """Open, narrow or close the list after a key."""
        is_typed = event.text().isprintable() and bool(event.text())
        if event.key() == Qt.Key.Key_Backspace and self.popup.isVisible():
            is_typed = True
        if not is_typed or event.text() in ("{", "}", "[", "]", ",", ":", " "):
            self.popup.hide()
            return
        self.complete(is_asked=False)
        spot, offers = self._spot, self.popup.offers
        is_complete = len(offers) == 1 and spot is not None and offers[0].words == spot.typed
        if spot is None or is_complete or not (spot.typed or spot.is_quoted):
            self.popup.hide()

    def _write(self, offer: Offer) -> None:
        spot, text = self._spot, self.text
        if spot is None:
            return
        following = text[spot.end : spot.end + 80].lstrip(" ")
        behind = ": " if spot.is_name and not following.startswith(":") else ""
        cursor = self.textCursor()
        cursor.setPosition(to_units(text, spot.start))
        cursor.setPosition(to_units(text, spot.end), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(offer.text + behind)
        self.setTextCursor(cursor)

    def _forget(self, position: int, removed: int, added: int) -> None:
        # Counted in units, of which there are never fewer than characters: at worst more is walked again.
        self._scanner.forget_from(min(position, to_character(self.text, position)))

    # marks

    def _lines_in_sight(self) -> range:
        first = self.firstVisibleBlock().blockNumber()
        count = self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1) + 2
        return range(first, first + max(count, MOST_LINES))

    def _mark(self) -> None:
        text = self.text
        marks = [self._selection(text, *problem.span, _wave(problem.severity)) for problem in self._problems]
        if self._place is not None:
            marks.insert(0, self._selection(text, *self._place, _tint()))
        position = to_character(text, self.textCursor().position())
        for at in (position, position - 1):
            partner = matching_bracket(text, at)
            if partner is not None:
                marks += [self._selection(text, place, place + 1, _bracket()) for place in (at, partner)]
                break
        self.setExtraSelections(marks)

    def _selection(self, text: str, start: int, end: int, form: QTextCharFormat) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        last = max(self.document().characterCount() - 1, 0)
        cursor.setPosition(min(to_units(text, start), last))
        cursor.setPosition(min(to_units(text, end), last), QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        selection.format = form
        return selection


def _wave(severity: Severity) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    form.setUnderlineColor(theme().colour("error" if severity is Severity.ERROR else "warn"))
    return form


def _tint() -> QTextCharFormat:
    form = QTextCharFormat()
    form.setBackground(theme().colour("selection"))
    return form


def _bracket() -> QTextCharFormat:
    form = QTextCharFormat()
    form.setBackground(theme().colour("selection"))
    return form
