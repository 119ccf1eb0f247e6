"""The editor of JSON values: coloured, completed, checked while typing, compared with what there was."""

from functools import partial

from pydantic import JsonValue
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from scoring.model.taxonomy import Severity
from ui.theme import Button, ButtonKind
from ui.theme.labels import restyle
from ui.transcript.editors import FieldEditor, Reading
from ui.transcript.field_context import FieldContext
from ui.transcript.former_value import FormerValue
from ui.transcript.json_checking import Typed, read_typed
from ui.transcript.json_field import JsonField
from ui.transcript.json_text import editable_json
from ui.transcript.text_checker import LONG_TEXT

_CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class JsonEditor(FieldEditor):
    """Edits JSON, with the message under the text and marks at its place.

    Args:
        value: What is edited.
        context: What is expected of it, and what can be written.
        name: What it is called, for screen readers.
        must_be_object: Whether only an object will do.
    """

    def __init__(
        self,
        value: JsonValue,
        *,
        context: FieldContext,
        name: str,
        must_be_object: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        self._context = context
        self._read_typed = partial(read_typed, check=context.check, must_be_object=must_be_object)
        self.json_field = JsonField(editable_json(value), context=context)
        super().__init__(self.json_field, value, read=self._as_json, name=name, parent=parent)
        self._is_unread = False
        self._former = FormerValue()
        self._former.hide()
        self.column.insertWidget(1, self._former)
        for words, keys, slot in (
            ("Compare", "Ctrl+Shift+D", self.toggle_difference),
            ("Format", "Ctrl+Shift+F", self.format),
        ):
            button = Button(words, ButtonKind.LINK)
            button.setObjectName(f"json-{words.lower()}")
            button.setToolTip(f"{words} ({keys})")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(slot)
            self.foot.row.insert(0, button)
        self._check_text()

    def format(self) -> None:
        """Write the value again, indented; broken text stays as it is."""
        typed = self._read_typed(self.field.text)
        if typed.is_json:
            cursor = self.field.textCursor()
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(editable_json(typed.value))

    def toggle_difference(self) -> None:
        """Show what differs from the value before, or hide it."""
        self._former.setVisible(self._former.isHidden())
        self._compare(self.reading())
        self.updateGeometry()

    def show_typed(self, typed: Typed) -> None:
        """Show what is wrong under the text and at its places, and tell the value."""
        if self.is_closed:
            return
        worst = [p for p in typed.problems if p.severity is Severity.ERROR] or list(typed.problems)
        look = "error" if worst and worst[0].severity is Severity.ERROR else "warn"
        more = f" ({len(typed.problems) - 1} more)" if len(typed.problems) > 1 else ""
        self.say(f"{worst[0].message}{more}" if worst else "", look)
        restyle(self.field, "problem", "yes" if look == "error" and worst else "no")
        self.json_field.show_problems(typed.problems)
        reading = _reading(typed)
        if len(self.field.text) < LONG_TEXT:
            self._compare(reading)
        self._is_unread = bool(reading.refusal)
        self.take(reading)
        self.checked.emit()

    def say(self, words: str, look: str) -> None:
        """Say what is wrong with the text."""
        self.foot.say(words, look)

    @property
    def is_unread(self) -> bool:
        """Whether what was typed when it was read last is no value."""
        return self._is_unread

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.json_field.recolour()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = {Qt.Key.Key_D: self.toggle_difference, Qt.Key.Key_F: self.format}.get(Qt.Key(event.key()))
        if action is not None and event.modifiers() == _CONTROL_SHIFT:
            action()
        else:
            super().keyPressEvent(event)

    def close_editor(self) -> None:
        """Want no more of what is being checked."""
        super().close_editor()
        self._context.checker.forget(self.show_typed)

    def _pause(self) -> None:
        self._check_text()

    def _check_text(self) -> None:
        self._context.checker.check(self.field.text, self._read_typed, self.show_typed)

    def _as_json(self, text: str) -> Reading:
        return _reading(self._read_typed(text))

    def _compare(self, reading: Reading) -> None:
        if not self._former.isHidden() and not reading.refusal:
            self._former.show_values(self.before, reading.value)


def _reading(typed: Typed) -> Reading:
    return Reading(value=typed.value, refusal="" if typed.is_json else typed.problems[0].message)
