"""The editor of a call's arguments: JSON, a form made from the tool, or both at once in step."""

from collections.abc import Iterable

from pydantic import JsonValue
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from ui.theme import Button, theme
from ui.transcript.argument_parts import ArgumentParts
from ui.transcript.argument_rows import ArgumentRows, RowEdit
from ui.transcript.editors import Reading
from ui.transcript.field_context import EditedAs, FieldContext
from ui.transcript.form_rows import Absent
from ui.transcript.json_checking import Typed
from ui.transcript.json_editor import JsonEditor
from ui.transcript.json_edits import TextEdit, edit_to_remove, edit_to_set
from ui.transcript.json_scan import places_in
from ui.transcript.json_text import editable_json, same_json
from ui.transcript.key_row import KeyWord

_CURSOR_MILLISECONDS = 60
_NEXT = {EditedAs.JSON: EditedAs.FORM, EditedAs.FORM: EditedAs.BOTH, EditedAs.BOTH: EditedAs.JSON}
_WORDS = {EditedAs.JSON: "JSON", EditedAs.FORM: "form", EditedAs.BOTH: "both"}


class ArgumentsEditor(JsonEditor):
    """Edits arguments. The JSON text is what counts: a change in the form changes only its place there, and
    what is typed there shows in the form as soon as it can be read.

    F4 goes on from JSON to the form, to both, and back; Shift+F4 to the other part, at the same value.
    `settled` carries the arguments after each thing that is finished (a choice, a field that is left), each
    a step of undo; `turned` what they are edited as from now on.

    Args:
        value: What is edited.
        context: The tool, what is expected, and what was seen before.
        name: What it is called, for screen readers.
    """

    settled = Signal(object)
    turned = Signal(object)

    def __init__(
        self, value: JsonValue, *, context: FieldContext, name: str, parent: QWidget | None = None
    ) -> None:
        self.rows = ArgumentRows(context, name)
        self._name = name
        self._edited_as = EditedAs.JSON
        self._value = self._last_step = value
        self._checked_text = ""
        self._shown_text: str | None = None
        self._last_path = ""
        self._known: tuple[str, tuple[int, int]] | None = None
        self._problem_words = ("", "error")
        super().__init__(value, context=context, name=name, must_be_object=True, parent=parent)
        self.parts = ArgumentParts(self.rows, self.field)
        self.column.insertWidget(0, self.parts)
        self._turn_key, self._jump_key = KeyWord("F4", ""), KeyWord("⇧ F4", "other part")
        at = self.foot.row.count() - 2
        for key in (self._jump_key, self._turn_key):
            self.foot.row.insert(at, key)
        self._cursor_pause = QTimer(self)
        self._cursor_pause.setSingleShot(True)
        self._cursor_pause.setInterval(_CURSOR_MILLISECONDS)
        self._cursor_pause.timeout.connect(self._mark_row)
        self.field.cursorPositionChanged.connect(self._cursor_pause.start)
        self.rows.about_to_edit.connect(self._sync)
        self.rows.edited.connect(self._write)
        self.rows.noted.connect(self.field.note_typed)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow_focus)
        self._show_as(context.edited_as if isinstance(value, dict) else EditedAs.JSON)

    @property
    def edited_as(self) -> EditedAs:
        """What is shown."""
        return self._edited_as

    @property
    def has_focus(self) -> bool:
        return self._holds(QApplication.focusWidget())

    def begin(self) -> None:
        """Give the keys to the first field, or to the JSON where it stands alone."""
        if not self.has_focus:
            self._enter("" if self._edited_as is not EditedAs.JSON else None)

    def turn(self) -> None:
        """Go on to what they are edited as next, unless something typed would be out of sight then."""
        wanted = _NEXT[self._edited_as]
        refusal = self.rows.refusal if wanted is EditedAs.JSON else ""
        if wanted is EditedAs.FORM:
            refusal = self.reading().refusal
        if refusal:
            self.refuse(refusal)
            return
        view = self.rows.current
        path = view.row.path if view is not None else self.json_field.path_at_cursor
        self._settle()
        self._show_as(wanted)
        if wanted is EditedAs.JSON:
            self._go_to_place(path)
        self._enter(None if wanted is EditedAs.JSON else path)
        self._arrange()
        self._show_row_place()
        self.turned.emit(wanted)

    def jump(self) -> None:
        """Go to the other part, to the same value there."""
        if self._edited_as is not EditedAs.BOTH:
            return
        view = self.rows.current
        if view is None:
            self._enter(self.json_field.path_at_cursor)
        else:
            self._go_to_place(view.row.path)
            self._enter(None)

    def type_again(self, text: str, rows: Iterable[tuple[str, str]]) -> None:
        """Put back what was typed and cannot be read yet, each where it can be seen."""
        rows = tuple(rows)
        if self._edited_as is not EditedAs.BOTH and (text or rows):
            both = EditedAs.BOTH if text and rows else None
            self._show_as(both or (EditedAs.FORM if rows else EditedAs.JSON))
            self._arrange()
        self.rows.type_again(rows)
        if text:
            self._enter(None)
            self.retype(text)

    # ending

    def keep(self) -> None:
        """Close with what was typed; what cannot be read, in a row or in the JSON, keeps it open."""
        if self.rows.refusal and not self.is_closed:
            self.refuse(self.rows.refusal)
            return
        super().keep()

    def leave(self) -> None:
        """Keep it, unless the keys only went to the other part: that ends a step of undo."""
        if not self.has_focus:
            self.keep()
        elif self._sync():
            self._settle()

    def close_editor(self) -> None:
        """Tell nothing more and let go of what it uses."""
        super().close_editor()
        self._cursor_pause.stop()
        self.rows.close_list()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if key is Qt.Key.Key_F4 and not modifiers:
            self.turn()
        elif key is Qt.Key.Key_F4 and modifiers == Qt.KeyboardModifier.ShiftModifier:
            self.jump()
        elif key is Qt.Key.Key_Escape and not modifiers:
            self.give_up()
        elif is_enter and modifiers == Qt.KeyboardModifier.ControlModifier:
            self.keep()
        else:
            super().keyPressEvent(event)

    # what is shown

    def fit(self, width: int) -> None:
        """Take the room there is at a width, in pixels on screen."""
        self.parts.fit(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit(self.width())

    def show_typed(self, typed: Typed) -> None:
        """Show what is wrong at its places, let the form follow, and tell the value."""
        if self.is_closed:
            return
        # Of a text that was typed on since, the next reading follows at once.
        if self._edited_as is not EditedAs.JSON and self.field.text == self._checked_text:
            self._follow(typed)
        super().show_typed(typed)

    def say(self, words: str, look: str) -> None:
        """Say what is wrong, or what there is to know about the row that has the keys."""
        self._problem_words = (words, look)
        self._show_words()

    def _show_words(self) -> None:
        view = self.rows.current
        if view is not None:
            self.foot.say(view.about, "small-muted")
        elif self._edited_as is EditedAs.FORM:
            self.foot.say("", "small-muted")
        else:
            self.foot.say(*self._problem_words)

    def _follow(self, typed: Typed) -> None:
        if self._shown_text != self._checked_text:
            self._known = None
        self._shown_text = self._checked_text
        if not typed.is_json and self.rows.current is not None:
            self._enter(None)  # or Qt would pass the keys on when the form is greyed
        self.parts.say_waiting(on=not typed.is_json)
        self.rows.setEnabled(typed.is_json)
        if typed.is_json:
            self._value = typed.value
            self.rows.show_value(typed.value)
            self.rows.show_messages({problem.path: problem.message for problem in reversed(typed.problems)})
            self._chain()

    def _show_as(self, edited_as: EditedAs) -> None:
        """Show what belongs to it; the keys are given before anything is hidden, or Qt would pass them on."""
        self._edited_as = edited_as
        if edited_as is not EditedAs.JSON:
            self._shown_text = None
            self._sync()
        self.json_field.show_place(None)
        self.rows.mark(None)
        self.parts.uncover(edited_as)
        if not self.has_focus:
            self._arrange()

    def _arrange(self) -> None:
        edited_as = self._edited_as
        is_both = edited_as is EditedAs.BOTH
        self.parts.show_as(edited_as)
        self._jump_key.setVisible(is_both)
        for button in self.findChildren(Button, "json-format"):
            button.setVisible(edited_as is not EditedAs.FORM)
        self._turn_key.set_word(_WORDS[_NEXT[edited_as]])
        self.field.setAccessibleName(f"{self._name}, JSON" if is_both else self._name)
        self._show_words()
        self.updateGeometry()

    def _chain(self) -> None:
        """Let Tab go through the rows and then into the JSON."""
        if self.rows.views:
            QWidget.setTabOrder(self.rows.views[-1].field, self.field)

    def _enter(self, path: str | None) -> None:
        """Give the keys to the row of a value, or to the JSON; also where the form has no row to give."""
        if path is not None and self.rows.isEnabled() and self.rows.begin(path):
            return
        if path is None or self._edited_as is not EditedAs.FORM:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.rows.setFocus(Qt.FocusReason.OtherFocusReason)

    # the same place in both

    def _place_of(self, path: str) -> tuple[int, int] | None:
        text, view = self.field.text, self.rows.row(path)
        if view is None or not view.row.is_given or not self.rows.isEnabled() or self._shown_text != text:
            return None
        if self._known is None or self._known[0] != path:
            place = places_in(text, {path}).get(path)
            if place is None or isinstance(view.row.value, dict | list):
                return place  # of these it is the name
            self._known = (path, place)
        return self._known[1]

    def _show_row_place(self) -> None:
        """Mark in the JSON where the value of the row with the keys stands."""
        view = self.rows.current
        if view is not None and self._edited_as is EditedAs.BOTH:
            self.json_field.show_place(self._place_of(view.row.path))

    def _go_to_place(self, path: str) -> None:
        self.json_field.show_place(self._place_of(path))
        self.json_field.show_place(None)

    def _mark_row(self) -> None:
        if self._edited_as is EditedAs.BOTH and self.field.hasFocus() and not self.is_closed:
            view = self.rows.mark(self.json_field.path_at_cursor)
            if view is not None:
                self.parts.room.ensureWidgetVisible(view, 0, theme().px(8))

    # changes

    def _check_text(self) -> None:
        self._checked_text = self.field.text
        super()._check_text()

    def _sync(self) -> bool:
        """Read what is typed now where that has not happened; whether the form shows it."""
        text = self.field.text
        if text != self._shown_text and self._edited_as is not EditedAs.JSON:
            self._context.checker.forget(self.show_typed)
            self._checked_text = text
            self.show_typed(self._read_typed(text))
        return self.rows.isEnabled()

    def _write(self, edit: RowEdit) -> None:
        """Make a change of the form in the text."""
        if not edit.is_typed:
            self._settle()
        made = self._text_edit(edit)
        self.json_field.make(made, joins=edit.is_typed and edit.path == self._last_path)
        self._last_path = edit.path if edit.is_typed else ""
        self._shown_text = self.field.text
        self._value = self.rows.value
        self._chain()
        if self._edited_as is EditedAs.BOTH:
            self.json_field.show_place(self._place_of(edit.path))
        if not edit.is_typed:
            self._settle()

    def _text_edit(self, edit: RowEdit) -> TextEdit:
        text, value = self.field.text, edit.value
        if isinstance(value, Absent):
            made = edit_to_remove(text, edit.path)
        elif self._known is not None and self._known[0] == edit.path and not isinstance(value, dict | list):
            # Looking through a long text for it takes as long as reading it.
            made = TextEdit(*self._known[1], editable_json(value, indent=None))
        else:
            made = edit_to_set(text, edit.path, value)
        is_replaced = made.end > made.start and not isinstance(value, Absent | dict | list)
        place = (made.start, made.start + len(made.text))
        self._known = (edit.path, place) if is_replaced else None
        return made

    def _settle(self) -> None:
        """End the step of undo: what comes next is another one. JSON alone is one step from its beginning."""
        self._last_path = ""
        if self._edited_as is EditedAs.JSON:
            return
        if same_json(self._value, self._last_step):
            self.take(Reading(value=self._value))
        elif not self.is_closed:
            self._last = self._last_step = self._value
            self.settled.emit(self._value)

    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if self.is_closed:
            return
        view = self.rows.current
        if now is self.field:
            self.json_field.show_place(None)
            self._cursor_pause.start()
        elif view is not None:
            self.rows.mark(None)
            self.parts.room.ensureWidgetVisible(view, 0, theme().px(8))
            self._show_row_place()
        if old is not None and old is not self.field and self._holds(old):
            self._settle()
            if now is not None and not self._holds(now):
                self.keep()
        if self._holds(now):
            self._show_words()
            self.parts.bring_focus()

    def _holds(self, widget: QWidget | None) -> bool:
        """Whether a widget stands in the editor, its lists and menus included."""
        while widget is not None and widget is not self:
            widget = widget.parentWidget()
        return widget is self
