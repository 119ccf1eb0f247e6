"""The form for a call's arguments: a row for each parameter of the tool, and for each value inside of one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise

from pydantic import JsonValue
from PySide6.QtCore import QEvent, QKeyCombination, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from scoring.groups import grouped
from scoring.texts import in_language, tr
from ui.dialogue.arguments.completions import ArgumentCompletion, value_offers
from ui.dialogue.arguments.form_row import FormRowView
from ui.dialogue.arguments.json_field import CompletionPopup
from ui.dialogue.arguments.model import (
    ABSENT,
    Absent,
    FieldContext,
    FieldKind,
    FormRow,
    item_to_add,
    read_field,
    rows_of,
)
from ui.dialogue.editors import PlainEditor
from ui.dialogue.json_text import same_json
from ui.theme import TextLabel, theme
from ui.theme.events import ENTER_KEYS, claim_keys, follow_events, pressed_keys
from ui.theme.layouts import build, connect, take_out, vbox
from ui.theme.menus import open_choices

_CONTROL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_WALKS = {
    QKeyCombination(Qt.Key.Key_Up): -1,
    **{QKeyCombination(key): 1 for key in (Qt.Key.Key_Down, *ENTER_KEYS)},
}
"""How many fields a key goes on."""
_OTHERS_KEYS = range(Qt.Key.Key_F5, Qt.Key.Key_F35)
_OWN_KEYS = frozenset(
    {
        QKeyCombination(_CONTROL, Qt.Key.Key_Return),
        QKeyCombination(_CONTROL, Qt.Key.Key_Space),
        QKeyCombination(_CONTROL | _SHIFT, Qt.Key.Key_M),
        QKeyCombination(_CONTROL | _SHIFT, Qt.Key.Key_0),
    }
)


def _is_for_field(event: QKeyEvent) -> bool:
    """Whether letters and arrows belong to the fields, also to those that are not typed into."""
    plain = event.modifiers() & ~(_SHIFT | Qt.KeyboardModifier.KeypadModifier)
    is_plain = plain == Qt.KeyboardModifier.NoModifier and event.key() not in _OTHERS_KEYS
    return is_plain or event.keyCombination() in _OWN_KEYS


class ArgumentForm(QWidget):
    """Shows arguments field by field and says what is changed in them; Up and Down walk from field to field.

    `edited` says that one place is changed: its pointer, the value (`ABSENT` where it is left out), and
    whether it is typed letter by letter or done at once; whoever makes the change shows the arguments it
    leads to. `noted` says that what is typed is no value yet, or again the one that is shown.

    Args:
        context: The tool and what was seen before.
        name: What it is called, for screen readers.
    """

    edited = Signal(str, object, bool)
    noted = Signal()

    def __init__(self, context: FieldContext, name: str, parent: QWidget | None = None) -> None:
        build(
            super().__init__, parent, objectName="argument-form", accessibleName=tr("{name}, form", name=name)
        )
        self._context = context
        self._views: list[FormRowView] = []
        self._popup: CompletionPopup | None = None
        self._empty = TextLabel(
            tr("The case has no such tool and the call no arguments: what it needs is typed as JSON.")
            if context.tool is None
            else tr("The tool names no parameters and the call has no arguments."),
            "small-muted",
            wordWrap=True,
        )
        self._column = vbox(self._empty, within=self, gap=4, margins=(0, 2, 0, 0))
        null = partial(self._apply, value=None)
        self._row_keys: Mapping[QKeyCombination, Callable[[FormRowView], object]] = {
            QKeyCombination(_CONTROL, Qt.Key.Key_Space): self._complete,
            QKeyCombination(_CONTROL | _SHIFT, Qt.Key.Key_M): partial(self._apply, value=ABSENT),
            QKeyCombination(_CONTROL | _SHIFT, Qt.Key.Key_0): null,
            QKeyCombination(_CONTROL | _SHIFT, Qt.Key.Key_ParenRight): null,
            QKeyCombination(_SHIFT, Qt.Key.Key_F10): self._open_menu,
        }
        claim_keys(self, _is_for_field)
        follow_events(self, self._hide_popup, QEvent.Type.Hide)

    @property
    def views(self) -> tuple[FormRowView, ...]:
        """The rows, from top to bottom."""
        return tuple(self._views)

    @property
    def current(self) -> FormRowView | None:
        """The row that has the keys."""
        focus = QApplication.focusWidget()
        return next((view for view in self._views if focus is view.field), None)

    @property
    def refusal(self) -> str:
        """Why something typed is no value; empty where all is."""
        return next((view.refusal for view in self._views if view.refusal), "")

    @property
    def unread(self) -> tuple[tuple[str, str], ...]:
        """What is typed and is no value of its row yet, behind the JSON Pointers of the rows."""
        return tuple((view.row.path, view.text) for view in self._views if view.refusal)

    def row(self, path: str) -> FormRowView | None:
        """The row of an argument."""
        return next((view for view in self._views if view.row.path == path), None)

    def nearest(self, path: str) -> FormRowView | None:
        """The row of a value, or of the nearest one around it."""
        while path and self.row(path) is None:
            path = path.rpartition("/")[0]
        return self.row(path)

    def type_again(self, rows: Iterable[tuple[str, str]]) -> None:
        """Put texts back into rows that are still there, as they were typed."""
        for path, text in rows:
            view = self.row(path)
            if view is not None and isinstance(view.field, QLineEdit):
                view.field.setText(text)
                self._type(view)

    def begin(self, path: str = "") -> bool:
        """Give the keys to the row of a value, else to the first that can take them; whether there is one."""
        usable = [view for view in self._views if view.field.isEnabled() and not view.field.isHidden()]
        wanted = self.nearest(path)
        found = wanted if wanted in usable else next(iter(usable), None)
        if found is not None:
            found.field.setFocus(Qt.FocusReason.OtherFocusReason)
        return found is not None

    def mark(self, path: str | None) -> FormRowView | None:
        """Mark the row of a value, or none; returns it."""
        marked = self.nearest(path) if path is not None else None
        for view in self._views:
            view.set_marked(on=view is marked)
        return marked

    def show_arguments(self, arguments: JsonValue) -> None:
        """Show other arguments: rows that fit are kept, and so is what is typed where the value stayed."""
        current = self.current
        former = {view.row.path: view for view in self._views}
        self._views = [
            self._view_for(former.get(row.path), row)
            for row in rows_of(self._context.tool, arguments if isinstance(arguments, dict) else {})
        ]
        gone = [view for view in former.values() if view not in self._views]
        if gone or len(former) != len(self._views):
            self._place()
        # Given before the former rows are hidden: Qt would pass the focus on, maybe out of the form.
        if current in gone and current is not None and not self.begin(current.row.path):
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        for view in gone:
            take_out(self._column, view)
        self._empty.setVisible(not self._views)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if self._views else Qt.FocusPolicy.StrongFocus)

    def show_messages(self, messages: Mapping[str, str]) -> None:
        """Say what is wrong at rows, behind their pointers; what belongs to no row goes to the nearest."""
        said = grouped((self.nearest(path), message) for path, message in messages.items())
        for view in self._views:
            view.show_finding(said.get(view, [""])[0])

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pressed, view = pressed_keys(event), self.current
        if self._popup is not None and self._popup.take_key(event):
            return
        if pressed in _WALKS:
            self._walk(_WALKS[pressed])
        elif view is not None and pressed in self._row_keys:
            self._row_keys[pressed](view)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.accept()  # the card's own menu is about the step, not about a field

    def _hide_popup(self) -> None:
        if self._popup is not None:  # it hangs from a field, but stands in the window
            self._popup.hide()

    def _walk(self, by: int) -> None:
        usable = [view for view in self._views if view.field.isEnabled()]
        current = self.current
        at = usable.index(current) + by if current in usable else 0
        if 0 <= at < len(usable):
            usable[at].field.setFocus(Qt.FocusReason.OtherFocusReason)

    # rows

    def _view_for(self, view: FormRowView | None, row: FormRow) -> FormRowView:
        """The row that is there already where it fits, else another one."""
        if view is not None and not (
            view.row.is_given == row.is_given and same_json(view.row.value, row.value)
        ):
            view.refuse("")
        if view is not None and view is self.current and isinstance(view.field, QLineEdit | PlainEditor):
            # The field stays of its kind while one types in it, e.g. when a text grows long.
            row = row if row.kind is FieldKind.GROUP else replace(row, kind=view.row.kind)
        if view is None or not view.fits(row):
            return self._make_row(row)
        view.show_row(row)
        return view

    def _make_row(self, row: FormRow) -> FormRowView:
        view = FormRowView(row)
        connect(
            (view.typed, partial(self._type, view)),
            (view.chosen, partial(self._choose, view)),
            (view.add_wanted, partial(self._add, view)),
            (view.menu_wanted, partial(self._open_menu, view)),
        )
        return view

    def _place(self) -> None:
        for at, view in enumerate(self._views):
            if self._column.indexOf(view) != at:
                self._column.insertWidget(at, view)
                view.show()
        for one, other in pairwise(self._views):
            QWidget.setTabOrder(one.field, other.field)

    # edits

    def _type(self, view: FormRowView) -> None:
        row, refusal = view.row, ""
        value: JsonValue | Absent = ABSENT
        try:
            value = read_field(row, view.text)
        except ValueError as error:
            refusal = in_language(str(error)) if view.text or row.is_given else ""
        view.refuse(refusal)
        if isinstance(value, Absent) or (row.is_given and same_json(value, row.value)):
            self.noted.emit()
        else:
            view.show_row(replace(row, value=value, is_given=True))
            self.edited.emit(row.path, value, True)

    def _choose(self, view: FormRowView, at: int) -> None:
        self._apply(view, ABSENT if at == 0 else view.row.options[at - 1])

    def _add(self, view: FormRowView) -> None:
        row = view.row
        if not row.is_given:
            self._apply(view, [] if row.type_words == "array" else {})
        elif isinstance(row.value, list):
            self.edited.emit(f"{row.path}/{len(row.value)}", item_to_add(row, self._context.tool), False)

    def _apply(self, view: FormRowView, value: JsonValue | Absent) -> None:
        """Ask for a change of a row that is finished: it is a step of its own."""
        # What was typed there is overruled; behind a list's item that goes, the places are others.
        over = f"{view.row.path.rpartition('/')[0] if view.row.is_item else view.row.path}/"
        for overruled in self._views:
            if overruled.refusal and f"{overruled.row.path}/".startswith(over):
                overruled.refuse("")
                overruled.show_row(overruled.row)
        self.edited.emit(view.row.path, value, False)

    def _open_menu(self, view: FormRowView) -> None:
        row, use = view.row, partial(partial, self._apply, view)
        out = tr("Remove the item") if row.is_item else tr("Leave out")
        open_choices(
            self,
            "row-menu",
            (
                (f"{out}\tCtrl+Shift+M", use(ABSENT) if row.is_given else None),
                (tr("Null\tCtrl+Shift+0"), use(None)),
                (tr("Empty text"), use("") if row.kind in (FieldKind.TEXT, FieldKind.LINES) else None),
            ),
            at=view.mapToGlobal(QPoint(view.width() - theme().px(24), view.height())),
        )

    # completion

    def _complete(self, view: FormRowView) -> None:
        if not isinstance(view.field, QLineEdit):
            return
        if self._popup is not None:
            self._popup.hide()
            self._popup.deleteLater()
        self._popup = CompletionPopup(view.field, accepted=partial(self._write, view))
        height = view.field.height()
        self._popup.show_offers(
            value_offers(view.row.path, self._context.tool, self._context.seen(), typed=view.text),
            QPoint(0, height),
            line_height=height,
            is_asked=True,
        )

    def _write(self, view: FormRowView, offer: ArgumentCompletion) -> None:
        if isinstance(view.field, QLineEdit):
            view.field.setText(offer.words if view.row.kind is FieldKind.TEXT else offer.text)
            self._type(view)
