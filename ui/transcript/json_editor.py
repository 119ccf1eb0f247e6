"""The editor of JSON values: coloured, brackets matched, checked while typing."""

import json
from collections.abc import Callable, Sequence

from pydantic import JsonValue
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from scoring.model.taxonomy import Severity
from ui.theme import Button, ButtonKind, theme
from ui.theme.labels import restyle
from ui.transcript.brackets import matching_bracket
from ui.transcript.editors import MOST_LINES, FieldEditor, PlainEditor, Reading
from ui.transcript.highlighter import JsonHighlighter
from ui.transcript.json_checking import JsonProblem, TextProblem, Typed, read_typed


class _JsonField(PlainEditor):
    """Keeps the indentation of the line before."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and not event.modifiers():
            cursor = self.textCursor()
            line = cursor.block().text()[: cursor.positionInBlock()]
            indent = line[: len(line) - len(line.lstrip())]
            cursor.insertText("\n" + indent + ("  " if line.rstrip()[-1:] in ("{", "[") else ""))
            self.setTextCursor(cursor)
            return
        super().keyPressEvent(event)


class JsonEditor(FieldEditor):
    """Edits JSON: coloured, brackets matched, checked while typing with the message at the place.

    Args:
        value: What is edited.
        check: What is expected of it.
        name: What it is called, for screen readers.
        must_be_object: Whether only an object will do.
    """

    def __init__(
        self,
        value: JsonValue,
        *,
        check: Callable[[JsonValue], Sequence[JsonProblem]],
        name: str,
        must_be_object: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        field = _JsonField(json.dumps(value, ensure_ascii=False, indent=2))
        field.setObjectName("json-editor")
        field.setProperty("look", "code")
        self._check = check
        self._must_be_object = must_be_object
        self._problems: tuple[TextProblem, ...] = ()
        super().__init__(field, value, read=self._as_json, name=name, parent=parent)
        self._colours = JsonHighlighter(field.document(), self._lines_in_sight)
        tidy = Button("Format", ButtonKind.LINK)
        tidy.setObjectName("json-format")
        tidy.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        tidy.clicked.connect(self.format)
        self.foot.row.insertWidget(1, tidy, 0, Qt.AlignmentFlag.AlignTop)
        field.updateRequest.connect(self._look)
        field.cursorPositionChanged.connect(self._mark)
        field.paused.connect(self._check_again)
        self._check_again()

    def format(self) -> None:
        """Write the value again, indented; broken text stays as it is."""
        typed = self._typed()
        if typed.is_json:
            cursor = self.field.textCursor()
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(json.dumps(typed.value, ensure_ascii=False, indent=2))

    def show_problems(self, typed: Typed) -> None:
        """Show what is wrong under the text and at its places."""
        self._problems = typed.problems
        worst = [p for p in typed.problems if p.severity is Severity.ERROR] or list(typed.problems)
        look = "error" if worst and worst[0].severity is Severity.ERROR else "warn"
        self.foot.message.set_look(look)
        more = f" ({len(typed.problems) - 1} more)" if len(typed.problems) > 1 else ""
        self.foot.message.setText(f"{worst[0].message}{more}" if worst else "")
        restyle(self.field, "problem", "yes" if look == "error" and worst else "no")
        self._mark()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "_colours"):
            self._colours.recolour()
            self._mark()

    def _typed(self) -> Typed:
        return read_typed(self.field.toPlainText(), self._check, must_be_object=self._must_be_object)

    def _as_json(self, text: str) -> Reading:
        typed = read_typed(text, self._check, must_be_object=self._must_be_object)
        return Reading(value=typed.value, refusal="" if typed.is_json else typed.problems[0].message)

    def _check_again(self) -> None:
        self.show_problems(self._typed())

    def _look(self) -> None:
        self._colours.look()

    def _lines_in_sight(self) -> range:
        first = self.field.firstVisibleBlock().blockNumber()
        count = self.field.viewport().height() // max(self.field.fontMetrics().lineSpacing(), 1) + 2
        return range(first, first + max(count, MOST_LINES))

    def _mark(self) -> None:
        marks = [self._selection(*problem.span, _wave(problem.severity)) for problem in self._problems]
        text, position = self.field.toPlainText(), self.field.textCursor().position()
        for at in (position, position - 1):
            partner = matching_bracket(text, at)
            if partner is not None:
                marks += [self._selection(place, place + 1, _bracket()) for place in (at, partner)]
                break
        self.field.setExtraSelections(marks)

    def _selection(self, start: int, end: int, form: QTextCharFormat) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.field.document())
        last = max(self.field.document().characterCount() - 1, 0)
        cursor.setPosition(min(start, last))
        cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        selection.format = form
        return selection


def _wave(severity: Severity) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    form.setUnderlineColor(theme().colour("error" if severity is Severity.ERROR else "warn"))
    return form


def _bracket() -> QTextCharFormat:
    form = QTextCharFormat()
    form.setBackground(theme().colour("selection"))
    return form
