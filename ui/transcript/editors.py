"""Editors that open in the place of what they change: for texts and for JSON."""

import json
from collections.abc import Callable, Sequence

from pydantic import JsonValue
from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from scoring.model.record import Record
from scoring.model.taxonomy import Severity
from ui.theme import Button, ButtonKind, Kbd, TextLabel, theme
from ui.theme.labels import restyle
from ui.transcript.brackets import matching_bracket
from ui.transcript.highlighter import JsonHighlighter
from ui.transcript.json_checking import JsonProblem, TextProblem, Typed, read_typed

_PAUSE_MILLISECONDS = 150
_LEAST_LINES, _MOST_LINES = 2, 22


class PlainEditor(QPlainTextEdit):
    """Grows with its text. Ctrl+Enter and losing the focus keep the text, Escape gives it up.

    `paused` is sent shortly after the last key.
    """

    paused = Signal()
    kept = Signal()
    given_up = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlainText(text)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self.paused)
        self.textChanged.connect(self._grow)

    def settle(self) -> None:
        """Send `paused` now if it is due."""
        if self._pause.isActive():
            self._pause.stop()
            self.paused.emit()

    def sizeHint(self) -> QSize:
        lines = min(max(round(self.document().size().height()), _LEAST_LINES), _MOST_LINES)
        height = lines * self.fontMetrics().lineSpacing() + theme().px(24)
        return QSize(self.width(), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.kept.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.kept.emit()

    def _grow(self) -> None:
        self._pause.start()
        self.updateGeometry()


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


class _Foot(QWidget):
    """The line under an editor: what is wrong, and the keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = TextLabel("", "error")
        self.message.setObjectName("editor-message")
        self.message.setWordWrap(True)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(theme().px(6))
        self.row.addWidget(self.message, 1)
        for keys, word in (("Ctrl ↵", "keep"), ("Esc", "give up")):
            self.row.addWidget(Kbd(keys), 0, Qt.AlignmentFlag.AlignTop)
            self.row.addWidget(TextLabel(word, "small-muted"), 0, Qt.AlignmentFlag.AlignTop)


class Reading(Record):
    """What typed text amounts to, and why it cannot be kept (empty where it can)."""

    value: JsonValue = None
    refusal: str = ""


class FieldEditor(QWidget):
    """An editor of one field. `typed` carries values while typing, `kept` the final one.

    `given_up` carries the value there was before, which has to be put back.

    Args:
        field: Where it is typed.
        before: The value there was before.
        read: Turns the text into a value.
        name: What it is called, for screen readers.
    """

    typed = Signal(object)
    kept = Signal(object)
    given_up = Signal(object)

    def __init__(
        self,
        field: PlainEditor,
        before: JsonValue,
        *,
        read: Callable[[str], Reading],
        name: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.field = field
        self.foot = _Foot()
        self._before = before
        self._read = read
        self._last: JsonValue = before
        self._is_closed = False
        field.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(4))
        column.addWidget(field)
        column.addWidget(self.foot)
        self.setFocusProxy(field)
        field.paused.connect(self._pause)
        field.kept.connect(self.keep)
        field.given_up.connect(self.give_up)

    def keep(self) -> None:
        """Close with what was typed; an editor that holds no value says so and stays open."""
        if self._is_closed:
            return
        reading = self._read(self.field.toPlainText())
        if reading.refusal:
            self.foot.message.setText(reading.refusal)
            return
        self._is_closed = True
        self.kept.emit(reading.value)

    def give_up(self) -> None:
        """Close with the value there was before."""
        if not self._is_closed:
            self._is_closed = True
            self.given_up.emit(self._before)

    def _pause(self) -> None:
        reading = self._read(self.field.toPlainText())
        # Colouring counts as a change for Qt; only other values are news.
        if not reading.refusal and not self._is_closed and reading.value != self._last:
            self._last = reading.value
            self.typed.emit(reading.value)


def text_editor(text: str, *, name: str) -> FieldEditor:
    """An editor of a text exactly as it is: no correction, Markdown raw."""
    field = PlainEditor(text)
    field.setObjectName("text-editor")
    return FieldEditor(field, text, read=_as_text, name=name)


def result_editor(value: str | None, *, name: str) -> FieldEditor:
    """An editor of an observation that is a text, or not recorded yet.

    Where there was none, what reads as an object or a list becomes one, and nothing stays nothing.
    """
    field = PlainEditor(value or "")
    field.setObjectName("text-editor")
    field.setProperty("look", "code")
    return FieldEditor(field, value, read=_as_result if value is None else _as_text, name=name)


def _as_text(text: str) -> Reading:
    return Reading(value=text)


def _as_result(text: str) -> Reading:
    if not text.strip():
        return Reading()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Reading(value=text)
    return Reading(value=value if isinstance(value, (dict, list)) else text)


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
        return range(first, first + max(count, _MOST_LINES))

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
