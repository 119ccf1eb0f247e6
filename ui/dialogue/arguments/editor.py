"""The editor of JSON values; arguments are edited as JSON, as a form made from the tool, or as both."""

from collections.abc import Iterable
from dataclasses import replace

from pydantic import JsonValue
from PySide6.QtCore import QKeyCombination, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from annotator.cases.versions.differences import json_diff
from scoring.model.taxonomy import Severity
from scoring.texts import tr, with_commas
from ui.dialogue.arguments.form import ArgumentForm
from ui.dialogue.arguments.json_field import JsonField
from ui.dialogue.arguments.json_source import edit_to_remove, edit_to_set, places_in
from ui.dialogue.arguments.model import Absent, EditedAs, FieldContext, TypedJson
from ui.dialogue.arguments.parts import ArgumentParts
from ui.dialogue.block import TextBlock
from ui.dialogue.documents import json_document
from ui.dialogue.editors import FieldEditor, KeyWord, ParsedInput
from ui.dialogue.json_text import editable_json, same_json, write_json
from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.events import follow_focus, on_keys
from ui.theme.labels import restyle
from ui.theme.layouts import build, connect, vbox
from ui.theme.words import visible

_CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
_NEXT = {EditedAs.JSON: EditedAs.FORM, EditedAs.FORM: EditedAs.BOTH, EditedAs.BOTH: EditedAs.JSON}
_WORDS = {EditedAs.JSON: tr("JSON"), EditedAs.FORM: tr("form"), EditedAs.BOTH: tr("both")}
_MOST_NAMED = 6


class JsonEditor(FieldEditor):
    """Edits JSON, with the message under the text and marks at its place.

    The text is what counts: a change in the form changes only its place there, and what is typed there shows
    in the form as soon as it can be read. F4 goes on from JSON to the form, to both, and back; Shift+F4 to
    the other part, at the same value. `settled` carries the arguments after each thing that is finished in
    the form (a choice, a field that is left), each a step of undo; `turned` what they are edited as from now
    on.

    Args:
        value: What is edited.
        context: What is expected of it, and what can be written.
        name: What it is called, for screen readers.
        has_form: Whether it is an object that can be edited as a form, as arguments are.
    """

    settled = Signal(object)
    turned = Signal(object)

    def __init__(
        self,
        value: JsonValue,
        *,
        context: FieldContext,
        name: str,
        has_form: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        self.json_field = JsonField(editable_json(value), context=context)
        self.form = ArgumentForm(context, name)
        self._turn_key, self._jump_key = KeyWord("F4", ""), KeyWord("⇧ F4", tr("other part"))
        self._format = _foot_button(tr("Format", context="verb"), "Ctrl+Shift+F")
        compare = _foot_button(tr("Compare"), "Ctrl+Shift+D")
        super().__init__(
            self.json_field,
            value,
            read=self._as_json,
            name=name,
            extras=(self._format, compare, self._turn_key, self._jump_key),
            parent=parent,
        )
        self._typed = TypedJson(self.field.text, context.check, must_be_object=has_form)
        self._name = name
        self._has_form = has_form
        self.edited_as = EditedAs.JSON
        """What is shown."""
        self._last_step = value
        self._last_path = ""
        self._form_text = ""
        self._problem_words = ("", "error")
        self.parts = ArgumentParts(self.form, self.field)
        self.column.insertWidget(0, self.parts)
        self._former = FormerValue()
        self.column.insertWidget(1, self._former)
        self._cursor_pause = build(QTimer, self, singleShot=True, interval=60, timeout=self._mark_row)
        connect(
            (self._format.clicked, self.format),
            (compare.clicked, self.toggle_difference),
            (self.field.cursorPositionChanged, self._cursor_pause.start),
            (self.form.edited, self._write),
            (self.form.noted, self.field.note_key),
        )
        follow_focus(self._follow_focus)
        on_keys(
            self,
            {
                QKeyCombination(_CONTROL_SHIFT, Qt.Key.Key_D): self.toggle_difference,
                QKeyCombination(_CONTROL_SHIFT, Qt.Key.Key_F): self.format,
                QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_F4): self.jump,
                **({QKeyCombination(Qt.Key.Key_F4): self.turn} if has_form else {}),
            },
        )
        self._show_as(context.edited_as if self._typed.is_json and has_form else EditedAs.JSON)
        self._pause()

    @property
    def has_focus(self) -> bool:
        return self._holds(QApplication.focusWidget())

    @property
    def is_unread(self) -> bool:
        """Whether what was typed when it was read last is no value."""
        return not self._typed.is_json

    def begin(self) -> None:
        """Give the keys to the first field, or to the JSON where it stands alone."""
        if not self.has_focus:
            self._enter("" if self.edited_as is not EditedAs.JSON else None)

    def turn(self) -> None:
        """Go on to what they are edited as next, unless something typed would be out of sight then."""
        wanted = _NEXT[self.edited_as]
        self.field.settle()  # what it says about the text must not follow the answer to this key
        typed = self._newest()
        match wanted:
            case EditedAs.FORM if not typed.is_json:
                self.refuse(tr("The form opens once the JSON can be read. {refusal}", refusal=typed.refusal))
            case EditedAs.JSON if self.form.refusal:
                self.refuse(self.form.refusal)
            case _:
                self._settle()
                self._show_as(wanted)
                self._show_row_place()
                self.turned.emit(wanted)

    def jump(self) -> None:
        """Go to the other part, to the same value there."""
        if self.edited_as is not EditedAs.BOTH:
            return
        if self.form.current is None:
            self._enter(self.json_field.path_at_cursor)
        else:
            self._go_to_place(self.form.current.row.path)
            self._enter(None)

    def format(self) -> None:
        """Write the value again, indented; broken text stays as it is."""
        typed = self._newest()
        if typed.is_json:
            self.retype(editable_json(typed.value))

    def toggle_difference(self) -> None:
        """Show what differs from the value before, or hide it."""
        self._former.setVisible(self._former.isHidden())
        self._compare()
        self.updateGeometry()

    def type_again(self, text: str, rows: Iterable[tuple[str, str]]) -> None:
        """Put back what was typed and cannot be read yet, each where it can be seen."""
        rows = tuple(rows)
        if self.edited_as is not EditedAs.BOTH and (text or rows):
            both = EditedAs.BOTH if text and rows else None
            self._show_as(both or (EditedAs.FORM if rows else EditedAs.JSON))
        self.form.type_again(rows)
        if text:
            self._enter(None)
            self.retype(text)

    # ending

    def keep(self) -> None:
        """Close with what was typed; what cannot be read, in a row or in the JSON, keeps it open."""
        if self.form.refusal and not self.is_closed:
            self.refuse(self.form.refusal)
        else:
            super().keep()

    def leave(self) -> None:
        """Keep it, unless the keys only went to the other part: that ends a step of undo."""
        if self.has_focus:
            self._show_form()
            self._settle()
        else:
            self.keep()

    # events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.parts.fit(self.width())

    # what is shown

    def _pause(self) -> None:
        """Show what was typed and what is wrong with it, and tell the value."""
        if self.is_closed:
            return
        typed, worst = self._newest(), self._newest().worst
        look = "error" if worst is not None and worst.severity is Severity.ERROR else "warn"
        more = (
            tr(" ({problems_count} more)", problems_count=len(typed.problems) - 1)
            if len(typed.problems) > 1
            else ""
        )
        self._problem_words = (f"{tr(worst.message)}{more}" if worst is not None else "", look)
        self._show_words()
        restyle(self.field, "problem", "yes" if look == "error" else "no")
        self.json_field.show_problems(typed.problems)
        self._show_form()
        self._compare()
        super()._pause()

    def _show_words(self) -> None:
        """Say what is wrong, or what there is to know about the row that has the keys."""
        view = self.form.current
        if view is not None or self.edited_as is EditedAs.FORM:
            self.foot.say(view.about if view is not None else "", "small-muted")
        else:
            self.foot.say(*self._problem_words)

    def _show_form(self) -> None:
        """Let the form show what is typed in the JSON, or wait until that can be read."""
        if self.edited_as is EditedAs.JSON:
            return
        typed = self._newest()
        if not typed.is_json and self.form.current is not None:
            self._enter(None)  # or Qt would pass the keys on when the form is greyed
        self.parts.say_waiting(on=not typed.is_json)
        self.form.setEnabled(typed.is_json)
        if typed.is_json:
            self._fill_form(typed)
            self.form.show_messages({found.path: tr(found.message) for found in reversed(typed.problems)})

    def _fill_form(self, typed: TypedJson) -> None:
        self._form_text = typed.text
        self.form.show_arguments(typed.value)
        if self.form.views:  # Tab goes through the rows and then into the JSON
            QWidget.setTabOrder(self.form.views[-1].field, self.field)

    def _show_as(self, edited_as: EditedAs) -> None:
        """Show what belongs to it; the keys are given before anything is hidden, or Qt would pass them on."""
        had_focus, view = self.has_focus, self.form.current
        path = view.row.path if view is not None else self.json_field.path_at_cursor
        self.edited_as = edited_as
        self._show_form()
        self.json_field.show_place(None)
        self.form.mark(None)
        self.parts.uncover(edited_as)
        if edited_as is EditedAs.JSON and view is not None:
            self._go_to_place(path)
        if had_focus:
            self._enter(None if edited_as is EditedAs.JSON else path)
        self.parts.show_as(edited_as)
        is_both = edited_as is EditedAs.BOTH
        self._turn_key.setVisible(self._has_form)
        self._turn_key.word.setText(_WORDS[_NEXT[edited_as]])
        self._jump_key.setVisible(is_both)
        self._format.setVisible(edited_as is not EditedAs.FORM)
        self.field.setAccessibleName(tr("{name}, JSON", name=self._name) if is_both else self._name)
        self._show_words()
        self.updateGeometry()

    def _compare(self) -> None:
        if not self._former.isHidden():  # of broken text with what could be read last
            self._former.show_values(
                self.before, self.reading().value if self._newest().is_json else self.told
            )

    # the keys, and the same place in both

    def _enter(self, path: str | None) -> None:
        """Give the keys to the row of a value, or to the JSON; also where the form has no row to give."""
        if path is not None and self.form.isEnabled() and self.form.begin(path):
            return
        is_in_form = path is not None and self.edited_as is EditedAs.FORM
        (self.form if is_in_form else self.field).setFocus(Qt.FocusReason.OtherFocusReason)

    def _place_of(self, path: str) -> tuple[int, int] | None:
        view = self.form.row(path)
        return self._newest().place_of(path) if view is not None and view.row.is_given else None

    def _show_row_place(self) -> None:
        """Mark in the JSON where the value of the row with the keys stands."""
        view = self.form.current
        if view is not None and self.edited_as is EditedAs.BOTH:
            self.json_field.show_place(self._place_of(view.row.path))

    def _go_to_place(self, path: str) -> None:
        self.json_field.show_place(self._place_of(path))
        self.json_field.show_place(None)

    def _mark_row(self) -> None:
        if self.edited_as is EditedAs.BOTH and self.field.hasFocus() and not self.is_closed:
            view = self.form.mark(self.json_field.path_at_cursor)
            if view is not None:
                self.parts.room.ensureWidgetVisible(view, 0, theme().px(8))

    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if self.is_closed:
            return
        view = self.form.current
        if now is self.field:
            self.json_field.show_place(None)
            self._cursor_pause.start()
        elif view is not None:
            self.form.mark(None)
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

    # changes

    def _newest(self) -> TypedJson:
        """What is typed now."""
        if self.field.text != self._typed.text:
            self._typed = replace(self._typed, text=self.field.text)
        return self._typed

    def _as_json(self, text: str) -> ParsedInput:
        return ParsedInput(value=self._newest().value, refusal=self._newest().refusal)

    def _write(self, path: str, value: JsonValue | Absent, is_typed: bool) -> None:
        """Make a change of the form in the text."""
        text = self.field.text
        if self.is_closed or text != self._form_text:  # typed on a moment ago: the rows may be others by now
            self._show_form()
            return
        if not is_typed:
            self._settle()
        made = edit_to_remove(text, path) if isinstance(value, Absent) else edit_to_set(text, path, value)
        if made.made_in(text) == text:
            return
        self.json_field.make(made, joins=is_typed and path == self._last_path)
        self._last_path = path if is_typed else ""
        if is_typed:  # all other rows stay as they are, and reading a long text takes its time
            self._form_text = self.field.text
        else:
            self._fill_form(self._newest())
            self._settle()
        if self.edited_as is EditedAs.BOTH:
            self.json_field.show_place(places_in(self.field.text, {path}).get(path))

    def _settle(self) -> None:
        """End the step of undo: what comes next is another one. JSON alone is one step from its beginning."""
        self._last_path = ""
        reading = self.reading()
        if self.edited_as is EditedAs.JSON or self.is_closed or reading.refusal:
            return
        if same_json(reading.value, self._last_step):
            self.take(reading)
        else:
            self.told = self._last_step = reading.value
            self.settled.emit(reading.value)


def _foot_button(words: str, keys: str) -> Button:
    return Button(
        words,
        ButtonKind.LINK,
        objectName=f"json-{words.lower()}",
        toolTip=f"{words} ({keys})",
        focusPolicy=Qt.FocusPolicy.NoFocus,
    )


class FormerValue(QWidget):
    """The value there was: names the places that changed, and marks those that were changed or removed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="json-former", visible=False)
        self.words = TextLabel("", "small-muted", wordWrap=True)
        self._block = TextBlock(is_code=True, objectName="json-former-text")
        vbox(self.words, self._block, within=self, gap=2)

    def show_values(self, before: JsonValue, after: JsonValue) -> None:
        """Compare two values."""
        changes = json_diff(before, after)
        named = [f"{change.kind} {change.path.lstrip('/') or tr('everything')}" for change in changes]
        self.words.setText(
            visible(
                tr(
                    "Before: {value}{more}",
                    value=with_commas(named[:_MOST_NAMED]) or tr("no difference"),
                    more=tr(" and {named_count:,} more", named_count=len(named) - _MOST_NAMED)
                    if len(named) > _MOST_NAMED
                    else "",
                )
            )
        )
        self.setAccessibleName(self.words.text())
        written = write_json(before, limit=20_000)
        self._block.show_document(json_document(written, troubled=[change.path for change in changes]))
