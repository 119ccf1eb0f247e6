"""The form for a call's arguments: a field for each parameter of the tool, beside the JSON they are."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from pydantic import JsonValue
from PySide6.QtCore import QEvent, QKeyCombination, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from scoring.model.record import JsonObject
from ui.theme import theme
from ui.theme.menus import open_menu
from ui.transcript.completion_popup import CompletionPopup
from ui.transcript.completions import Offer, value_offers
from ui.transcript.editors import EditorFoot, Reading
from ui.transcript.field_context import FieldContext
from ui.transcript.form_fields import FormRowView
from ui.transcript.form_rows import (
    FieldKind,
    FormRow,
    first_value,
    item_to_add,
    read_field,
    rows_of,
    with_argument,
    without_argument,
)
from ui.transcript.json_text import editable_json, same_json
from ui.transcript.pause import Pause
from ui.transcript.row_menu import RowMenu
from ui.transcript.text_checker import LONG_TEXT

_PAUSE_MILLISECONDS = 150
_CONTROL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_OTHERS_KEYS = range(Qt.Key.Key_F5, Qt.Key.Key_F35)
_OWN_KEYS = frozenset(
    {
        QKeyCombination(_CONTROL, Qt.Key.Key_Return),
        QKeyCombination(_CONTROL, Qt.Key.Key_Space),
        QKeyCombination(_CONTROL | _SHIFT, Qt.Key.Key_M),
        QKeyCombination(_CONTROL | _SHIFT, Qt.Key.Key_0),
    }
)


class ArgumentForm(QWidget):
    """Edits arguments field by field. What no field can hold, and what nobody touches, stays as it is.

    Up and Down walk from field to field, Ctrl+Enter keeps, Escape gives up, F4 turns to the JSON.
    `typed` carries the arguments while typing, `settled` after each thing that is finished (a choice, a field
    that is left, an argument left out), `kept` at the end; `given_up` the arguments there were before.

    Args:
        arguments: What is edited.
        context: The tool, what is expected, and what was seen before.
        before: What giving up goes back to.
        name: What it is called, for screen readers.
    """

    typed = Signal(object)
    settled = Signal(object)
    kept = Signal(object)
    given_up = Signal(object)
    other_wanted = Signal()
    checked = Signal()
    """What is typed was read; `unread_rows` are what is no value."""

    def __init__(
        self,
        arguments: JsonObject,
        *,
        context: FieldContext,
        before: JsonValue,
        name: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("argument-form")
        self.setAccessibleName(f"{name}, form")
        self._context = context
        self._value: JsonValue = arguments
        self._told: JsonValue = arguments
        self._last_step: JsonValue = arguments
        self._before = before
        self._is_closed = False
        self._refusals: dict[str, str] = {}
        self._rows: list[FormRowView] = []
        self._popup: CompletionPopup | None = None
        self.foot = EditorFoot(other="JSON")
        self.foot.message.set_look("small-muted")
        self._column = QVBoxLayout()
        self._column.setSpacing(theme().px(4))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme().px(2), 0, 0)
        column.setSpacing(theme().px(6))
        column.addLayout(self._column)
        column.addWidget(self.foot)
        self._pause = Pause(_PAUSE_MILLISECONDS, parent=self)
        self._pause.over.connect(self._tell_typed)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow_focus)
        self._build()

    @property
    def rows(self) -> tuple[FormRowView, ...]:
        """The rows, from top to bottom."""
        return tuple(self._rows)

    @property
    def before(self) -> JsonValue:
        """The arguments there were."""
        return self._before

    @property
    def has_focus(self) -> bool:
        """Whether the keys go to it."""
        return self._holds(QApplication.focusWidget())

    def row(self, path: str) -> FormRowView | None:
        """The row of an argument."""
        return next((view for view in self._rows if view.row.path == path), None)

    @property
    def unread_rows(self) -> tuple[tuple[str, str], ...]:
        """What is typed and is no value of its row yet, behind the JSON Pointers of the rows."""
        return tuple((view.row.path, view.text) for view in self._rows if view.row.path in self._refusals)

    def type_again(self, rows: Iterable[tuple[str, str]]) -> None:
        """Put texts back into rows that are still there, as they were typed."""
        for path, text in rows:
            view = self.row(path)
            if view is not None and isinstance(view.field, QLineEdit):
                view.field.setText(text)
                self._type(view)

    def reading(self) -> Reading:
        """The arguments, or why they cannot be kept."""
        refusal = next(iter(self._refusals.values()), "")
        return Reading(refusal=refusal) if refusal else Reading(value=self._value)

    def refuse(self, words: str) -> None:
        """Say why it stays open."""
        self.foot.message.set_look("error")
        self.foot.message.setText(words)

    def keep(self) -> None:
        """Close with what was typed; a field that holds no value keeps it open."""
        if self._is_closed:
            return
        if self._refusals:
            self.refuse(next(iter(self._refusals.values())))
            return
        self._close()
        self.kept.emit(self._value)

    def give_up(self) -> None:
        """Close with the arguments there were before; what was typed is told first, to be redone."""
        if not self._is_closed:
            if self._pause.is_awaited:
                self._pause.end()
                self._tell_typed()
            self._close()
            self.given_up.emit(self._before)

    def close_editor(self) -> None:
        """Let go of what it uses."""
        self._close()

    def begin(self) -> None:
        """Give the keys to the first field that can take them."""
        first = next((view for view in self._rows if view.field.isEnabled()), None)
        if first is not None:
            first.field.setFocus(Qt.FocusReason.OtherFocusReason)
            self._explain(first)

    # keys

    def event(self, event: QEvent) -> bool:
        # Letters and arrows belong to the fields, also to those that are not typed into.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            plain = event.modifiers() & ~(_SHIFT | Qt.KeyboardModifier.KeypadModifier)
            is_plain = plain == Qt.KeyboardModifier.NoModifier and event.key() not in _OTHERS_KEYS
            if is_plain or event.keyCombination() in _OWN_KEYS:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self._popup is not None and self._popup.take_key(event):
            return
        if modifiers == Qt.KeyboardModifier.NoModifier and self._press(key):
            return
        if modifiers == _CONTROL and key in _ENTER:
            self.keep()
        elif modifiers == _CONTROL and key is Qt.Key.Key_Space:
            self._complete()
        elif modifiers == _CONTROL | _SHIFT and key is Qt.Key.Key_M:
            self._leave_out()
        elif modifiers == _CONTROL | _SHIFT and key in (Qt.Key.Key_0, Qt.Key.Key_ParenRight):
            self._set_null()
        elif modifiers == _SHIFT and key is Qt.Key.Key_F10:
            self._open_menu()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.accept()  # the card's own menu is about the step, not about a field

    def _press(self, key: Qt.Key) -> bool:
        if key is Qt.Key.Key_Escape:
            self.give_up()
        elif key is Qt.Key.Key_F4:
            self.other_wanted.emit()
        elif key is Qt.Key.Key_Up:
            self._walk(-1)
        elif key is Qt.Key.Key_Down or key in _ENTER:
            self._walk(1)
        else:
            return False
        return True

    def _walk(self, by: int) -> None:
        usable = [view for view in self._rows if view.field.isEnabled()]
        current = self._current()
        at = usable.index(current) + by if current in usable else 0
        if 0 <= at < len(usable):
            usable[at].field.setFocus(Qt.FocusReason.OtherFocusReason)

    # rows

    def _build(self) -> None:
        """Make the rows anew; the keys and what does not read yet stay where they are."""
        current, unread = self._current(), self.unread_rows
        kept = current.row.path if current is not None else None
        former, self._rows = self._rows, [self._make_row(row) for row in self._wanted_rows()]
        self._refusals.clear()
        for view in self._rows:
            self._column.addWidget(view)
            view.show()
        found = self.row(kept) if kept is not None else None
        # Given before the former rows are hidden: Qt would pass the focus on, maybe out of the form.
        if found is not None and found.field.isEnabled():
            found.field.setFocus(Qt.FocusReason.OtherFocusReason)
        elif current is not None:
            self.begin()
        for view in former:
            view.hide()
            self._column.removeWidget(view)
            view.deleteLater()
        self.type_again(unread)
        self._check()

    def _wanted_rows(self) -> tuple[FormRow, ...]:
        return rows_of(self._context.tool, self._value if isinstance(self._value, dict) else {})

    def _make_row(self, row: FormRow) -> FormRowView:
        view = FormRowView(row)
        view.typed.connect(partial(self._type, view))
        view.chosen.connect(partial(self._choose, view))
        view.add_wanted.connect(partial(self._add, view))
        view.menu_wanted.connect(partial(self._open_menu, view))
        return view

    def _current(self) -> FormRowView | None:
        focus = QApplication.focusWidget()
        return next((view for view in self._rows if focus is view.field), None)

    def _type(self, view: FormRowView) -> None:
        path = view.row.path
        try:
            value = read_field(view.row, view.text)
        except ValueError as error:
            self._refusals[path] = str(error)
            view.show_problem(str(error))
            self._pause.note_key()
            return
        self._refusals.pop(path, None)
        view.show_problem("")
        self._pause.note_key()
        if view.row.is_given and same_json(value, view.row.value):
            return
        self._value = with_argument(self._value, path, value)
        self._refresh()

    def _refresh(self) -> None:
        """Show the states of the values without touching what is typed."""
        states = {row.path: row for row in self._wanted_rows()}
        for view in self._rows:
            row = states.get(view.row.path)
            if row is not None:
                # The field stays of its kind while one types in it, e.g. when a text grows long.
                view.show_row(row if row.kind is view.row.kind else _as_kind(row, view.row.kind))

    def _choose(self, view: FormRowView, at: int) -> None:
        if at == 0:
            self._apply(view, without_argument(self._value, view.row.path))
        else:
            self._apply(view, with_argument(self._value, view.row.path, view.row.options[at - 1]))

    def _add(self, view: FormRowView) -> None:
        row = view.row
        if not row.is_given:
            self._apply(view, with_argument(self._value, row.path, first_value(row)))
        elif row.item_count is not None:
            item = item_to_add(row, self._context.tool)
            self._apply(view, with_argument(self._value, f"{row.path}/{row.item_count}", item))

    def _leave_out(self, view: FormRowView | None = None) -> None:
        view = view or self._current()
        if view is not None and view.row.is_given:
            self._apply(view, without_argument(self._value, view.row.path))

    def _set_null(self, view: FormRowView | None = None) -> None:
        view = view or self._current()
        if view is not None:
            self._apply(view, with_argument(self._value, view.row.path, None))

    def _empty(self, view: FormRowView) -> None:
        self._apply(view, with_argument(self._value, view.row.path, ""))

    def _apply(self, view: FormRowView, value: JsonValue) -> None:
        """Take on a change of a row that is finished: it is a step of its own."""
        self._settle()
        if same_json(value, self._value):
            return
        path = view.row.path
        # What was typed there is overruled; behind a list's item that goes, the places are others.
        over = f"{path.rpartition('/')[0] if view.row.is_item else path}/"
        self._refusals = {at: why for at, why in self._refusals.items() if not f"{at}/".startswith(over)}
        self._value = value
        self._build()
        self._settle()

    def _open_menu(self, view: FormRowView | None = None) -> None:
        view = view or self._current()
        if view is None:
            return
        menu = RowMenu(view, self)
        menu.out_wanted.connect(partial(self._leave_out, view))
        menu.null_wanted.connect(partial(self._set_null, view))
        menu.empty_wanted.connect(partial(self._empty, view))
        open_menu(menu, view.mapToGlobal(QPoint(view.width() - theme().px(24), view.height())))

    # completion

    def _complete(self) -> None:
        view = self._current()
        if view is None or not isinstance(view.field, QLineEdit):
            return
        if self._popup is not None:
            self._popup.hide()
            self._popup.deleteLater()
        self._popup = CompletionPopup(view.field)
        self._popup.accepted.connect(partial(self._write, view))
        offers = value_offers(view.row.path, self._context.tool, self._context.seen(), typed=view.text)
        height = view.field.height()
        self._popup.show_offers(offers, QPoint(0, height), line_height=height, is_asked=True)

    def _write(self, view: FormRowView, offer: Offer) -> None:
        if isinstance(view.field, QLineEdit):
            view.field.setText(offer.words if view.row.kind is FieldKind.TEXT else offer.text)
            self._type(view)

    # what is told

    def _tell_typed(self) -> None:
        self._check()
        if not self._is_closed and not same_json(self._value, self._told):
            self._told = self._value
            self.typed.emit(self._value)
        if not self._is_closed:
            self.checked.emit()

    def _settle(self) -> None:
        """End the step of undo: what comes next is another one."""
        if self._pause.is_awaited:
            self._pause.end()
            self._tell_typed()
        if not self._is_closed and not same_json(self._value, self._last_step):
            self._last_step = self._value
            self.settled.emit(self._value)

    def _check(self) -> None:
        if len(editable_json(self._value, indent=None)) >= LONG_TEXT:
            return
        messages: dict[str, str] = {}
        paths = {view.row.path for view in self._rows}
        for problem in self._context.check(self._value):
            path = problem.path
            while path and path not in paths:
                path = path.rpartition("/")[0]
            messages.setdefault(path, problem.message)
        for view in self._rows:
            view.show_problem(self._refusals.get(view.row.path) or messages.get(view.row.path, ""))

    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if self._is_closed or old is None or not self._holds(old):
            return
        self._settle()
        if now is not None and not self._holds(now):
            self.keep()
        elif (view := self._current()) is not None:
            self._explain(view)

    def _explain(self, view: FormRowView) -> None:
        """Say what there is to know about the argument that has the keys."""
        self.foot.message.set_look("small-muted")
        self.foot.message.setText(view.about)

    def _holds(self, widget: QWidget | None) -> bool:
        """Whether a widget stands in the form, its lists and menus included."""
        while widget is not None and widget is not self:
            widget = widget.parentWidget()
        return widget is self

    def _close(self) -> None:
        self._is_closed = True
        self._pause.end()
        if self._popup is not None:
            self._popup.hide()


def _as_kind(row: FormRow, kind: FieldKind) -> FormRow:
    return replace(row, kind=kind)
