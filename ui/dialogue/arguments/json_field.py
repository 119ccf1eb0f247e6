"""The field JSON is typed into: indentation, brackets, colours, and the list of what can be written."""

from collections.abc import Sequence
from typing import Any

from pygments.lexers.data import JsonLexer  # type: ignore[import-untyped]
from pygments.token import Keyword, Name, Number, String, _TokenType  # type: ignore[import-untyped]
from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from scoring.model.taxonomy import Severity
from scoring.texts import tr
from ui.dialogue.arguments.completions import ArgumentCompletion, SeenValue, offers_for
from ui.dialogue.arguments.json_source import Spot, TextEdit, matching_bracket, path_at, spot_at
from ui.dialogue.arguments.model import FieldContext, TextProblem
from ui.dialogue.documents import cursor_over, text_format, to_character
from ui.dialogue.editors import PlainEditor
from ui.theme import theme
from ui.theme.events import ENTER_KEYS
from ui.theme.layouts import build, connect
from ui.theme.look import follow_theme, paint_with
from ui.theme.words import plain_tip, visible

_LONGEST_COLOURED = 4_000
"""Characters of a line that are coloured."""
_COLOURS: tuple[tuple[_TokenType, str], ...] = (
    (Name.Tag, "answer"),
    (String, "call"),
    (Number, "observation"),
    (Keyword, "user"),
)


class JsonField(PlainEditor):
    """Types JSON. Enter keeps the indentation of the line before; Ctrl+Space lists what can be written, and
    so does typing inside a name or a value.

    Args:
        text: JSON text.
        context: Which names and values there are.
    """

    def __init__(self, text: str, *, context: FieldContext) -> None:
        build(super().__init__, text, pause=40, objectName="json-editor", look="code")
        self._context = context
        self._seen: Sequence[SeenValue] | None = None
        self._spot: Spot | None = None
        self._problems: tuple[TextProblem, ...] = ()
        self._place: tuple[int, int] | None = None
        self._colours = _Colours(self)
        self.popup = CompletionPopup(self)
        connect(
            (self.popup.accepted, self._write),
            (self.cursorPositionChanged, self._mark),
        )
        follow_theme(self._recolour)

    def show_problems(self, problems: Sequence[TextProblem]) -> None:
        """Mark what is wrong at its places."""
        self._problems = tuple(problems)
        self._mark()

    @property
    def path_at_cursor(self) -> str:
        """The JSON Pointer of what the cursor is at; empty for the whole."""
        return path_at(self.text, to_character(self.text, self.textCursor().position()))

    def show_place(self, place: tuple[int, int] | None) -> None:
        """Bring [start, end) into sight and mark it, or mark nothing; the cursor goes there."""
        if place == self._place:
            return
        former, self._place = self._place, place
        if place is not None and (former is None or former[0] != place[0]):
            self.setTextCursor(self._cursor_over(place[0], place[0]))
            self.ensureCursorVisible()
        self._mark()

    def make(self, edit: TextEdit, *, joins: bool) -> None:
        """Change a place of the text.

        Args:
            edit: What is changed.
            joins: Whether it is undone together with the change before it.
        """
        cursor = self._cursor_over(edit.start, edit.end)
        if joins:
            cursor.joinPreviousEditBlock()
        else:
            cursor.beginEditBlock()
        cursor.insertText(edit.text)
        cursor.endEditBlock()

    def _recolour(self) -> None:
        self._colours.recolour()
        self._mark()

    def complete(self, *, is_asked: bool = True) -> None:
        """List what can be written at the cursor.

        Args:
            is_asked: Whether somebody asked for it, so that Return takes the first; in an open quote it
                always does, for a text has no line breaks.
        """
        position = to_character(self.text, self.textCursor().position())
        self._spot = spot = spot_at(self.text, position)
        if self._seen is None:
            self._seen = self._context.seen()
        start = spot.start if spot is not None else position
        rect = self.cursorRect(self._cursor_over(start, start))
        self.popup.show_offers(
            () if spot is None else offers_for(spot, self._context.tool, self._seen),
            self.viewport().mapTo(self, rect.bottomLeft()) + QPoint(0, theme().px(2)),
            line_height=rect.height() + theme().px(4),
            is_asked=is_asked or (spot is not None and spot.is_quoted),
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.popup.take_key(event):
            return
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() == Qt.Key.Key_Space:
            self.complete()
        elif event.key() in ENTER_KEYS and not event.modifiers():
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

    def _follow(self, event: QKeyEvent) -> None:
        """Open, narrow or close the list after a key."""
        is_narrowed = event.key() == Qt.Key.Key_Backspace and self.popup.isVisible()
        is_typed = is_narrowed or (event.text().isprintable() and bool(event.text()))
        if not is_typed or event.text() in ("{", "}", "[", "]", ",", ":", " "):
            self.popup.hide()
            return
        self.complete(is_asked=False)
        spot, offers = self._spot, self.popup.offers
        is_complete = len(offers) == 1 and spot is not None and offers[0].words == spot.typed
        if spot is None or is_complete or not (spot.typed or spot.is_quoted):
            self.popup.hide()

    def _write(self, offer: ArgumentCompletion) -> None:
        spot = self._spot
        if spot is None:
            return
        following = self.text[spot.end : spot.end + 80].lstrip(" ")
        behind = ": " if spot.is_name and not following.startswith(":") else ""
        cursor = self._cursor_over(spot.start, spot.end)
        cursor.insertText(offer.text + behind)
        self.setTextCursor(cursor)

    def _cursor_over(self, start: int, end: int) -> QTextCursor:
        return cursor_over(self.document(), self.text, start, end)

    def _mark(self) -> None:
        wave, tint = QTextCharFormat.UnderlineStyle.WaveUnderline, text_format(ground="selection")
        marks = [self._selection(self._place, tint)] if self._place is not None else []
        for problem in self._problems:
            colour = "error" if problem.severity is Severity.ERROR else "warn"
            marks.append(self._selection(problem.span, text_format(line=(wave, colour))))
        position = to_character(self.text, self.textCursor().position())
        for at in (position, position - 1):
            partner = matching_bracket(self.text, at)
            if partner is not None:
                marks += [self._selection((place, place + 1), tint) for place in (at, partner)]
                break
        self.setExtraSelections(marks)

    def _selection(self, place: tuple[int, int], form: QTextCharFormat) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        selection.cursor = self._cursor_over(*place)
        selection.format = form
        return selection


class _Colours(QSyntaxHighlighter):
    """Colours JSON by pygments, in the colours of the theme."""

    def __init__(self, field: JsonField) -> None:
        super().__init__(field.document())
        self._lexer = JsonLexer(stripnl=False, ensurenl=False)
        self._formats: list[tuple[_TokenType, QTextCharFormat]] = []

    def recolour(self) -> None:
        """Take the colours of the theme that is on."""
        self._formats = [(kind, text_format(colour=colour)) for kind, colour in _COLOURS]
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for start, kind, value in self._lexer.get_tokens_unprocessed(text[:_LONGEST_COLOURED]):
            form = next((form for wanted, form in self._formats if kind in wanted), None)
            if form is not None:
                self.setFormat(start, len(value), form)


_MOST_ROWS = 9
_LONGEST = 44
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_MOST_ROWS,
    Qt.Key.Key_PageDown: _MOST_ROWS,
}


class CompletionPopup(QTreeWidget):
    """Shows offers in two columns: what would be written, and where it comes from.

    `accepted` carries the `ArgumentCompletion`.

    Args:
        owner: The field it helps; it stands in the owner's window, above everything else there.
    """

    accepted = Signal(object)

    def __init__(self, owner: QWidget, **properties: Any) -> None:
        build(
            super().__init__,
            owner,
            objectName="completions",
            **properties,
            accessibleName=tr("Completions"),
            focusPolicy=Qt.FocusPolicy.NoFocus,
            columnCount=2,
            headerHidden=True,
            rootIsDecorated=False,
            uniformRowHeights=True,
            frameShape=QFrame.Shape.NoFrame,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            textElideMode=Qt.TextElideMode.ElideRight,
            selectionMode=QAbstractItemView.SelectionMode.SingleSelection,
            clicked=lambda index: self._accept(self._offers[index.row()]),
            visible=False,
        )
        self._owner = owner
        self._offers: tuple[ArgumentCompletion, ...] = ()
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        owner.destroyed.connect(self.deleteLater)  # it is moved into the window, which lives on

    @property
    def offers(self) -> tuple[ArgumentCompletion, ...]:
        """What is offered; nothing while it is closed."""
        return self._offers if self.isVisible() else ()

    @property
    def current(self) -> ArgumentCompletion | None:
        """What would be written."""
        at = self.currentIndex().row()
        return self._offers[at] if self.isVisible() and 0 <= at < len(self._offers) else None

    def show_offers(
        self, offers: Sequence[ArgumentCompletion], place: QPoint, *, line_height: int, is_asked: bool
    ) -> None:
        """Show offers under a line, or above it where there is no room below; nothing to offer closes it.

        Args:
            offers: What can be written.
            place: Lower left corner of what is typed, in the owner's coordinates.
            line_height: Height of the line, in pixels on screen.
            is_asked: Whether Return takes the first offer; a list that opened by itself leaves Return
                alone until somebody moves in it, since what is typed may be finished.
        """
        self._offers = tuple(offers)
        if not offers:
            self.hide()
            return
        self.clear()
        for offer in offers:
            item = QTreeWidgetItem([visible(offer.text[:200]), visible(offer.note[:200])])
            item.setToolTip(0, plain_tip(offer.text))
            item.setToolTip(1, plain_tip(offer.note))
            item.setFont(0, theme().mono(12))
            item.setFont(1, theme().sans(12))
            item.setForeground(1, theme().colour("muted"))
            self.addTopLevelItem(item)
        if is_asked:
            self._choose(0)
        self._place(place, line_height)
        self.show()
        self.raise_()

    def take_key(self, event: QKeyEvent) -> bool:
        """Do what a key of the field means for the list; whether it was for the list."""
        key = Qt.Key(event.key())
        if not self.isVisible() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _STEPS:
            row = min(max(self.currentIndex().row() + _STEPS[key], 0), len(self._offers) - 1)  # -1: none yet
            self._choose(row)
            self._owner.setAccessibleDescription(self._offers[row].text)
        elif key is Qt.Key.Key_Tab:
            self._accept(self.current or self._offers[0])
        elif key in ENTER_KEYS and self.current is not None:
            self._accept(self.current)
        elif key is Qt.Key.Key_Escape:
            self.hide()
        else:
            return False
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = paint_with(QPainter(self.viewport()), pen=theme().colour("line_strong"))
        painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def _choose(self, row: int) -> None:
        self.setCurrentIndex(self.model().index(row, 0))

    def _accept(self, offer: ArgumentCompletion) -> None:
        self.hide()
        self.accepted.emit(offer)

    def _place(self, place: QPoint, line_height: int) -> None:
        look, window = theme(), self._owner.window()
        longest = max(min(len(offer.text), _LONGEST) for offer in self._offers)
        first = longest * QFontMetrics(look.mono(12)).horizontalAdvance("0") + look.px(28)
        self.setColumnWidth(0, first)
        height = min(len(self._offers), _MOST_ROWS) * max(self.sizeHintForRow(0), look.px(20)) + look.px(4)
        size = QSize(min(first + look.px(220), window.width() - look.px(16)), height)
        if self.parentWidget() is not window:
            self.setParent(window)
        corner = self._owner.mapTo(window, place)
        if corner.y() + height > window.height() and corner.y() - line_height - height >= 0:
            corner.setY(corner.y() - line_height - height)
        corner.setX(max(min(corner.x(), window.width() - size.width() - look.px(8)), 0))
        self.setGeometry(corner.x(), corner.y(), size.width(), size.height())
