"""The dialogue of a case as cards.

It never changes the case: it says what is wanted, and is shown the next case.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pydantic import JsonValue
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from scoring.model.case import Case
from scoring.model.labels import DialogueSource, Finding, Waiver
from ui.transcript.cards import CardView
from ui.transcript.column import CardColumn, Key
from ui.transcript.content import (
    USER_STEP,
    ActionRequest,
    CardContent,
    CardKind,
    Coverage,
    Remarks,
    cards_of,
)
from ui.transcript.json_checking import JsonCheck, JsonProblem
from ui.transcript.parts import PartView
from ui.transcript.search import Hit, place_of

NO_COVERAGE: Mapping[Key, Coverage] = MappingProxyType({})


def accept_all(task: int, step: int, field: str, value: JsonValue) -> tuple[JsonProblem, ...]:
    """The check that finds nothing, for dialogues without a toolset."""
    return ()


class TranscriptView(QWidget):
    """Shows a case and lets every text and value be edited in place.

    Signals: `edited` carries an `Edit`; `step_selected` task and step (`USER_STEP` for the request);
    `action_requested` an `ActionRequest`; `task_opened` the task that was unfolded; `value_clicked` task,
    step and the JSON Pointer of an argument; `text_picked` task, step, field and [start, end) of a text
    that was selected with the mouse; `menu_requested` task, step and the place on screen.
    """

    edited = Signal(object)
    step_selected = Signal(int, int)
    action_requested = Signal(object)
    task_opened = Signal(int)
    value_clicked = Signal(int, int, str)
    text_picked = Signal(int, int, str, int, int)
    menu_requested = Signal(int, int, object)

    def __init__(self, *, check: JsonCheck = accept_all, parent: QWidget | None = None) -> None:
        """Make an empty view.

        Args:
            check: Checks JSON values while they are typed.
            parent: Widget it belongs to.
        """
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setAccessibleName("Dialogue")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._check = check
        self._case: Case | None = None
        self._task = 0
        self._remarks = Remarks()
        self._current: Key | None = None
        self._unfolded: set[tuple[int, int, str]] = set()
        self._is_read_only = False
        self.column = CardColumn(self._make_card)
        self.column.setObjectName("transcript-column")
        self.column.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.column)

    # what is shown

    def show_case(
        self,
        case: Case,
        *,
        task: int,
        findings: Sequence[Finding] = (),
        coverage: Mapping[Key, Coverage] = NO_COVERAGE,
        waivers: Sequence[Waiver] = (),
        sources: Sequence[DialogueSource] = (),
    ) -> None:
        """Show a case, or the next value of the one that is shown: scroll, folds and editors stay.

        Args:
            case: The case.
            task: Task that is open; the others are folded.
            findings: What the checks noticed.
            coverage: For (task, step) how much of the call is cited.
            waivers: Findings that were kept with a reason.
            sources: Places of the dialogue to mark, because values are cited from them.
        """
        is_other_case = self._case is None or self._case.id != case.id
        is_other_task = is_other_case or task != self._task
        if is_other_case:
            self._unfolded.clear()
        self._case, self._task = case, task
        self._remarks = Remarks(findings=findings, waivers=waivers, coverage=coverage, sources=sources)
        self._show()
        if self._current not in self._keys():
            self._mark(None)
        if is_other_task and (self._current is None or self._current[0] != task):
            self._mark((task, USER_STEP))
            self.column.bring((task, USER_STEP))

    @property
    def current(self) -> Key | None:
        """Task and step of the selected card."""
        return self._current

    @property
    def open_task(self) -> int:
        """The task whose steps are shown."""
        return self._task

    def set_read_only(self, *, on: bool) -> None:
        """Let the dialogue be edited, or only read."""
        if on != self._is_read_only:
            self._is_read_only = on
            self.column.show_contents(())
            self._show()

    def select(self, task: int, step: int, *, takes_focus: bool = True) -> CardView | None:
        """Select a card, opening its task, and bring it into sight.

        Args:
            task: Task number.
            step: Step number, or `USER_STEP`.
            takes_focus: Whether the keys go to it from now on.

        Returns:
            The card; null where there is none.
        """
        if self._case is None or not 0 <= task < len(self._case.tasks):
            return None
        if task != self._task:
            self._open(task)
        card = self.column.bring((task, step))
        if card is not None:
            self._set_current((task, step))
            if takes_focus:
                self._give_focus(card)
        return card

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

    def show_hit(self, hit: Hit, words: str) -> None:
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
    def is_editing(self) -> bool:
        """Whether an editor is open."""
        return any(card.is_editing for card in self.column.cards())

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        action = {
            Qt.Key.Key_Up: self._go_up,
            Qt.Key.Key_Down: self._go_down,
            Qt.Key.Key_Home: self._go_first,
            Qt.Key.Key_End: self._go_last,
            Qt.Key.Key_PageUp: self._task_before,
            Qt.Key.Key_PageDown: self._task_after,
            Qt.Key.Key_Return: self._enter,
            Qt.Key.Key_Enter: self._enter,
            Qt.Key.Key_F2: self._enter,
            Qt.Key.Key_O: self._toggle_fold,
            Qt.Key.Key_E: self._ask_to_cite,
            Qt.Key.Key_T: self._ask_for_tool,
        }.get(key)
        if modifiers == Qt.KeyboardModifier.AltModifier and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter_second()
        elif action is not None and modifiers == Qt.KeyboardModifier.NoModifier:
            action()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        card = self.column.bring(self._current) if self._current is not None else None
        if card is not None:
            card.setFocus(event.reason())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._current is not None:
            self.column.bring(self._current)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self._case is not None:
            self.column.clear_heights()

    def _go_up(self) -> None:
        self._go(-1)

    def _go_down(self) -> None:
        self._go(1)

    def _go(self, by: int) -> None:
        keys = self._keys()
        if not keys:
            return
        at = keys.index(self._current) + by if self._current in keys else 0
        self._go_to(keys[min(max(at, 0), len(keys) - 1)])

    def _go_first(self) -> None:
        self._go_to(self._keys()[0])

    def _go_last(self) -> None:
        self._go_to(self._keys()[-1])

    def _go_to(self, key: Key) -> None:
        card = self.column.bring(key)
        if card is not None:
            self._set_current(key)
            self._give_focus(card)

    def _task_before(self) -> None:
        self._turn_to(self._task - 1)

    def _task_after(self) -> None:
        self._turn_to(self._task + 1)

    def _turn_to(self, task: int) -> None:
        if self._case is not None and 0 <= task < len(self._case.tasks):
            self.select(task, USER_STEP)

    def _enter(self) -> None:
        card = self._current_card()
        if card is None:
            return
        if card.content.kind is CardKind.FOLDED:
            self.select(card.content.task, USER_STEP)
        else:
            card.begin_edit()

    def _enter_second(self) -> None:
        card = self._current_card()
        if card is not None:
            card.begin_edit("observation" if card.content.kind is CardKind.CALL else "reply")

    def _toggle_fold(self) -> None:
        card = self._current_card()
        if card is not None:
            card.toggle_fold()

    def _ask_to_cite(self) -> None:
        self._ask_about_call("cite")

    def _ask_for_tool(self) -> None:
        self._ask_about_call("tool")

    def _ask_about_call(self, name: str) -> None:
        card = self._current_card()
        if card is not None and card.content.kind is CardKind.CALL and not self._is_read_only:
            task, step = card.content.key
            self.action_requested.emit(ActionRequest(name=name, task=task, step=step))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._current is not None:
            self.menu_requested.emit(*self._current, event.globalPos())

    # cards

    def _show(self) -> None:
        if self._case is not None:
            self.column.show_contents(cards_of(self._case, open_task=self._task, remarks=self._remarks))

    def _keys(self) -> list[Key]:
        return [content.key for content in self.column.contents]

    def _current_card(self) -> CardView | None:
        return self.column.bring(self._current) if self._current is not None else None

    def _unfolded_part(
        self, task: int, step: int, field: str, *, takes_focus: bool = True
    ) -> PartView | None:
        card = self.select(task, step, takes_focus=takes_focus)
        part = card.part(field) if card is not None else None
        if part is not None and part.is_folded:
            part.toggle_fold()
        return part

    def _make_card(self, content: CardContent) -> CardView:
        task, step = content.key
        unfolded = frozenset(field for t, s, field in self._unfolded if (t, s) == (task, step))
        card = CardView(content, self._check, unfolded, is_read_only=self._is_read_only)
        card.pressed.connect(self._set_current)
        card.edited.connect(self.edited)
        card.acted.connect(self.action_requested)
        card.opened.connect(self._open_and_select)
        card.folded_changed.connect(self._remember_fold)
        card.value_clicked.connect(self.value_clicked)
        card.picked.connect(self.text_picked)
        card.changed.connect(self.column.expect_change)
        card.set_current(on=content.key == self._current)
        return card

    def _set_current(self, key: Key) -> None:
        if key == self._current:
            return
        self._mark(key)
        self.step_selected.emit(*key)

    def _mark(self, key: Key | None) -> None:
        former, self._current = self._current, key
        for one in (former, key):
            card = self.column.card(one) if one is not None else None
            if card is not None:
                card.set_current(on=one == key)

    def _give_focus(self, card: CardView) -> None:
        if not card.is_editing:
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def _remember_fold(self, key: Key, field: str, is_folded: bool) -> None:
        place = (*key, field)
        if is_folded:
            self._unfolded.discard(place)
        else:
            self._unfolded.add(place)

    def _open_and_select(self, task: int) -> None:
        self.select(task, USER_STEP)

    def _open(self, task: int) -> None:
        self._task = task
        self._show()
        self.task_opened.emit(task)
