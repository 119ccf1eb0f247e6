"""The dialogue of a case as cards.

It never changes the case: it says what is wanted, and is shown the next case.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from annotator.drafts.draft_body import OpenEditor
from scoring.model.case import Call, Case
from scoring.texts import tr
from ui.dialogue.arguments.completions import seen_values
from ui.dialogue.arguments.model import EditedAs, FieldContext, JsonCheck, accept_any
from ui.dialogue.bars import CitingBar
from ui.dialogue.cards import CardView
from ui.dialogue.column import CardColumn
from ui.dialogue.content import (
    NO_CARD_NOTES,
    USER_STEP,
    ActionRequest,
    CardContent,
    CardKind,
    CardNotes,
    Edit,
    cards_of,
)
from ui.dialogue.parts import CardSignals, Key, PartView
from ui.dialogue.places import Citing, SearchHit, SpanPick, place_of
from ui.theme.events import follow_events, pressed_keys
from ui.theme.layouts import build, connect, vbox
from ui.theme.look import follow_theme

_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
_FAR = sys.maxsize


class DialogueView(QWidget):
    """Shows a case and lets every text and value be edited in place.

    Signals: `edited` carries an `Edit`; `paused` says that somebody pauses in an editor, or closed it;
    `step_selected` task and step (`USER_STEP` for the request); `action_requested` an `ActionRequest`;
    `task_opened` the task that was unfolded; `value_clicked` task, step and the JSON Pointer of an
    argument; `span_picked` a `SpanPick`; `citing_ended` says that Escape
    ended the search for a source; `menu_requested` task, step and the place on screen.

    Citing: `begin_citing` says which argument value looks for its source. A bar asks for it, and until
    `end_citing` every place that is selected in a text (mouse: at the end of a drag; keys: Right enters the
    text of a card, arrows and Shift select, Enter picks) and that was there before the value goes out
    once as `span_picked`. Its `source` is what a `Citation` holds; it is None for an argument of an earlier
    call, whose own citation is the source then. Citing goes on until `end_citing`, so that the next value can
    follow at once. Places are told by `span_picked` without citing too.
    """

    edited = Signal(object)
    paused = Signal()
    step_selected = Signal(int, int)
    action_requested = Signal(object)
    task_opened = Signal(int)
    value_clicked = Signal(int, int, str)
    span_picked = Signal(object)
    pointed = Signal(object)
    """A `SpanPick` of what the mouse or the caret is at; None for nothing any more."""
    citing_ended = Signal()
    menu_requested = Signal(int, int, object)
    kept = Signal()
    """An editor was closed by a key, and the keys are with its card again."""

    def __init__(self, *, check: JsonCheck = accept_any, parent: QWidget | None = None) -> None:
        """Make an empty view.

        Args:
            check: Checks JSON values while they are typed.
            parent: Widget it belongs to.
        """
        build(
            super().__init__,
            parent,
            objectName="dialogue",
            accessibleName=tr("Dialogue"),
            focusPolicy=Qt.FocusPolicy.StrongFocus,
        )
        self._check = check
        self._case: Case | None = None
        self.open_task = 0
        """The task whose steps are shown."""
        self._notes = NO_CARD_NOTES
        self.current: Key | None = None
        """Task and step of the selected card."""
        self._signals = self._card_signals()
        self.is_read_only = False
        """Whether the dialogue is only read."""
        self.is_unfolded = False
        """Whether all tasks of the next case show their steps, not the open one alone."""
        self._edited_as = EditedAs.JSON
        self.citing: Citing | None = None
        """The value whose source is looked for."""
        self._actions = self._key_actions()
        self.citing_bar = CitingBar()
        self.column = CardColumn(self._make_card)
        self._signals.changed.connect(self.column.expect_change)
        follow_theme(self.column.clear_heights)
        follow_events(self, self._current_card, QEvent.Type.Show)
        vbox(self.citing_bar, self.column, within=self)

    # what is shown

    def show_case(
        self,
        case: Case,
        *,
        task: int,
        notes: CardNotes = NO_CARD_NOTES,
    ) -> None:
        """Show a case, or the next value of the one that is shown: scroll, folds and editors stay.

        Args:
            case: The case.
            task: Task that is open; the others are folded.
            notes: What the checks and the reviewers say about it.
        """
        is_other_case = self._case is None or self._case.id != case.id
        is_other_task = is_other_case or task != self.open_task
        if is_other_case:
            self._signals.unfolded.clear()
            if self.is_editing:  # what is typed belongs to the case before
                self.column.show_contents(())
        self._case, self.open_task, self._notes = case, task, notes
        selected = self.column.card(self.current) if self.current is not None else None
        self._show()
        if self.current not in self.keys:
            # The card of a missing answer has become that of the answer, or the other way round.
            is_kept = selected is not None and self.column.card(selected.content.key) is selected
            self._mark(selected.content.key if selected is not None and is_kept else None)
        if is_other_task and (self.current is None or self.current[0] != task):
            self._mark((task, USER_STEP))
            self.column.bring((task, USER_STEP))

    def set_read_only(self, *, on: bool) -> None:
        """Let the dialogue be edited, or only read."""
        if on != self.is_read_only:
            self.is_read_only = on
            self.column.show_contents(())
            self._show()

    def select(self, task: int, step: int, *, takes_focus: bool = True) -> CardView | None:
        """Select a card, opening its task, and bring it into sight.

        Args:
            task: Task number.
            step: Step number, or `USER_STEP`.
            takes_focus: Whether the keys go to it from now on.

        Returns:
            The card; None where there is none.
        """
        if self._case is None or not 0 <= task < len(self._case.tasks):
            return None
        if task != self.open_task:
            self.open_task = task
            self._show()
            self.task_opened.emit(task)
        return self._go_to((task, step), takes_focus=takes_focus)

    def reveal(
        self, task: int, step: int, *, field: str, path: str = "", span: tuple[int, int] | None = None
    ) -> None:
        """Select a card and the place of a value or a text in it.

        Args:
            task: Task number.
            step: Step number, or `USER_STEP`.
            field: Field of the card, e.g. `arguments`.
            path: JSON Pointer of the value to show.
            span: [start, end) of the text to show.
        """
        part = self._unfolded_part(task, step, field)
        if part is not None:
            place = part.place_of(path) if path else span
            if place is not None:
                part.show_found(*place)

    def show_links(self, places: Sequence[SpanPick]) -> None:
        """Mark the places that belong to the value somebody points at, and no others any more."""
        for card in self.column.cards():
            card.show_links(places)

    def show_hit(self, hit: SearchHit, words: str) -> None:
        """Select the card of a place that was found, and mark the words; the focus stays where it is."""
        for card in self.column.cards():
            card.clear_found()
        part = self._unfolded_part(hit.task, hit.step, hit.field, takes_focus=False)
        place = place_of(part.shown_text, words, hit.nth) if part is not None else None
        if part is not None and place is not None:
            part.show_found(*place)

    def begin_edit(self, task: int, step: int, *, field: str = "") -> None:
        """Open the editor of a field, or of what the card is mainly about."""
        card = self.select(task, step)
        if card is not None:
            card.begin_edit(field)

    def end_edit(self) -> None:
        """Close open editors with what was typed, e.g. before something is submitted."""
        for card in self.column.cards():
            card.end_edit()

    @property
    def unread(self) -> OpenEditor | None:
        """What is typed and is no value yet; None for nothing."""
        found = (card.unread for card in self.column.cards())
        return next((unread for unread in found if unread is not None), None)

    def type_again(self, unread: OpenEditor) -> None:
        """Open an editor with what was typed in it and is no value yet."""
        card = self.select(unread.task, unread.step)
        part = card.part(unread.field) if card is not None else None
        if part is not None:
            part.type_again(unread)

    @property
    def is_editing(self) -> bool:
        """Whether an editor is open."""
        return any(card.is_editing for card in self.column.cards())

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._press(pressed_keys(event)):
            event.accept()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        card = self._current_card()
        if card is not None:
            card.setFocus(event.reason())

    def _press(self, pressed: QKeyCombination) -> bool:
        """Do what a key means to the cards; whether it means anything."""
        if pressed == QKeyCombination(Qt.Key.Key_Escape):
            return self._leave_citing()
        action = self._actions.get(pressed)
        if action is not None:
            action()
        return action is not None

    def _key_actions(self) -> Mapping[QKeyCombination, Callable[[], object]]:
        key = Qt.Key
        enter, enter_second = partial(self._at_card, self._enter), partial(self._at_card, self._enter_second)
        enter_text = partial(self._at_card, CardView.enter_text)
        plain: dict[Qt.Key, Callable[[], object]] = {
            key.Key_Up: partial(self._go, -1),
            key.Key_Down: partial(self._go, 1),
            key.Key_Home: partial(self._go, -_FAR),
            key.Key_End: partial(self._go, _FAR),
            key.Key_PageUp: partial(self._go_task, -1),
            key.Key_PageDown: partial(self._go_task, 1),
            key.Key_Return: enter,
            key.Key_Enter: enter,
            key.Key_F2: enter,
            key.Key_O: partial(self._at_card, CardView.toggle_fold),
            key.Key_E: partial(self._at_card, self._ask_about_call, "cite"),
            key.Key_T: partial(self._at_card, self._ask_about_call, "tool"),
            key.Key_Right: enter_text,
        }
        return {
            **{QKeyCombination(one): action for one, action in plain.items()},
            QKeyCombination(_ALT, key.Key_Return): enter_second,
            QKeyCombination(_ALT, key.Key_Enter): enter_second,
            QKeyCombination(_SHIFT, key.Key_Right): enter_text,
            QKeyCombination(_SHIFT, key.Key_Down): enter_text,
        }

    def _at_card(self, action: Callable[..., object], *details: object) -> None:
        """Do something to the selected card."""
        card = self._current_card()
        if card is not None:
            action(card, *details)

    def _go_on(self, by: int) -> None:
        """Take the caret on into the card before or behind, where there is one."""
        keys = self.keys
        at = keys.index(self.current) + by if self.current in keys else -1
        if 0 <= at < len(keys):
            card = self._go_to(keys[at])
            if card is not None:
                card.enter_text(at_end=by < 0)

    def _go(self, by: int) -> None:
        keys = self.keys
        if keys:
            at = (keys.index(self.current) if self.current in keys else -1) + by
            self._go_to(keys[min(max(at, 0), len(keys) - 1)])

    def _go_task(self, by: int) -> None:
        self.select(self.open_task + by, USER_STEP)

    def _enter(self, card: CardView) -> None:
        if card.content.kind is CardKind.FOLDED:
            self.select(card.content.task, USER_STEP)
        else:
            card.begin_edit()

    def _enter_second(self, card: CardView) -> None:
        card.begin_edit("observation" if card.content.kind is CardKind.CALL else "reply")

    def _ask_about_call(self, card: CardView, name: str) -> None:
        if card.content.kind is CardKind.CALL and not self.is_read_only:
            task, step = card.content.key
            self.action_requested.emit(ActionRequest(name=name, task=task, step=step))

    @property
    def keys(self) -> list[Key]:
        """Task and step of every card, from top to bottom."""
        return [content.key for content in self.column.contents]

    def _go_to(self, key: Key, *, takes_focus: bool = True) -> CardView | None:
        """Select a card that is listed and give it the keys."""
        card = self.column.bring(key)
        if card is not None:
            self._set_current(key)
            if takes_focus and not card.is_editing:
                card.setFocus(Qt.FocusReason.OtherFocusReason)
        return card

    def _current_card(self) -> CardView | None:
        """The selected card, brought into sight."""
        return self.column.bring(self.current) if self.current is not None else None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.current is not None:
            self.menu_requested.emit(*self.current, event.globalPos())

    # citing

    def begin_citing(self, citing: Citing) -> None:
        """Look for the source of an argument value."""
        self.citing = citing
        self.citing_bar.show_citing(citing)
        self.citing_bar.show()

    def end_citing(self) -> None:
        """Look no longer."""
        self.citing = None
        self.citing_bar.hide()

    def _leave_citing(self) -> bool:
        """Look no longer because the person gave it up; whether a source was looked for."""
        if self.citing is None:
            return False
        self.end_citing()
        self.citing_ended.emit()
        return True

    def _pick(self, pick: SpanPick) -> None:
        if self.citing is not None and not self.citing.can_come_from(pick.task, pick.step):
            self.citing_bar.refuse()
        else:
            self.span_picked.emit(pick)

    # cards

    def _show(self) -> None:
        if self._case is not None:
            self.column.show_contents(
                cards_of(
                    self._case, open_task=self.open_task, notes=self._notes, is_unfolded=self.is_unfolded
                )
            )

    def _unfolded_part(
        self, task: int, step: int, field: str, *, takes_focus: bool = True
    ) -> PartView | None:
        card = self.select(task, step, takes_focus=takes_focus)
        part = card.part(field) if card is not None else None
        if part is not None and part.is_folded:
            part.toggle_fold()
        return part

    def _context(self, task: int, step: int, field: str) -> FieldContext:
        case = self._case
        found = case.tasks[task].steps[step] if case is not None and step >= 0 else None
        if case is None or not isinstance(found, Call) or field != "arguments":
            return FieldContext()
        return FieldContext(
            check=partial(self._check, task, step, field),
            tool=case.tool(found.name),
            edited_as=self._edited_as,
            seen=partial(seen_values, case, task, step=step),
        )

    def _remember_turn(self, edited_as: EditedAs) -> None:
        self._edited_as = edited_as
        self._bring_editor()

    def _bring_editor(self) -> None:
        """Bring the card of an editor into sight at the height it has by now."""
        if self.current is not None:
            self.column.expect_change(self.current)
            self.column.remeasure()
            self.column.bring(self.current)

    def _make_card(self, content: CardContent, parent: QWidget) -> CardView:
        card = CardView(content, self._signals, is_read_only=self.is_read_only, parent=parent)
        card.set_current(on=content.key == self.current)
        return card

    def _card_signals(self) -> CardSignals:
        signals = CardSignals(self._context, self)
        connect(
            (signals.pressed, self._set_current),
            (signals.edited, self._tell_edit),
            (signals.paused, self.paused),
            (signals.acted, self.action_requested),
            (signals.opened, partial(self.select, step=USER_STEP)),
            (signals.value_clicked, self.value_clicked),
            (signals.picked, self._pick),
            (signals.pointed, self.pointed),
            (signals.caret_left, self._go_on),
            (signals.turned, self._remember_turn),
            (signals.editor_begun, self._bring_editor),
        )
        return signals

    def _tell_edit(self, edit: Edit) -> None:
        self.edited.emit(edit)
        if edit.field == "answer" and edit.is_final and self.current is not None:
            self.step_selected.emit(*self.current)  # what was a place for an answer is a step by now
        card = self._current_card()
        if edit.is_final and card is not None and card.hasFocus():
            self.kept.emit()

    def _set_current(self, key: Key) -> None:
        if key != self.current:
            self._mark(key)
            self.step_selected.emit(*key)

    def _mark(self, key: Key | None) -> None:
        former, self.current = self.current, key
        for one in (former, key):
            card = self.column.card(one) if one is not None else None
            if card is not None:
                card.set_current(on=one == key)
