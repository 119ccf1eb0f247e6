"""What is said about the selected task: its labels, each call in a blind check, and the checklists."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from annotator.drafts.checklists import Item, answer_of, is_open
from scoring.model.case import Task
from scoring.model.graph import derive_policy
from scoring.model.labels import Judgment, TaskLabels
from scoring.model.taxonomy import CheckAnswer
from scoring.texts import tr, tr_count
from ui.desk.tabs.section import ChoiceField, Section
from ui.services.held_key import is_key_held
from ui.services.topics import set_topic
from ui.theme import (
    Button,
    ButtonKind,
    Chip,
    ChipButton,
    ElidedLabel,
    Kbd,
    TextLabel,
    Tone,
    ToolButton,
    WrappedLabel,
    theme,
)
from ui.theme.events import claim_keys
from ui.theme.labels import restyle
from ui.theme.layouts import STRETCH, build, connect, grid, hbox, show_all, stacked, vbox
from ui.theme.menus import open_menu
from ui.theme.words import INFORMATION, POLICY, POLICY_SHORT, plain_tip


class YesNo(QWidget):
    """Yes or no, or neither while nothing was said; a second press takes it back. `chosen` carries it."""

    chosen = Signal(object)

    def __init__(self, name: str, words: tuple[str, str] = (tr("Yes"), tr("No")), **properties: Any) -> None:
        build(super().__init__, **properties)
        self.value: bool | None = None
        """What is said; None for nothing."""
        self.yes = ChipButton(words[0], Tone.OK, autoExclusive=True)
        self.no = ChipButton(words[1], Tone.ERROR, autoExclusive=True)
        self._group = build(QButtonGroup, self, exclusive=False)
        for button, word, value in ((self.yes, words[0], True), (self.no, words[1], False)):
            button.setAccessibleName(tr("{name}: {words}", name=name, words=word))
            button.clicked.connect(partial(self._choose, value))
            self._group.addButton(button)
        hbox(self.yes, self.no, within=self, gap=4)

    def show_value(self, value: bool | None) -> None:
        """Show a value without telling anybody."""
        self.value = value
        self.yes.setChecked(value is True)
        self.no.setChecked(value is False)

    def _choose(self, said: bool) -> None:
        wanted = None if self.value is said else said
        self.show_value(self.value)
        self.chosen.emit(wanted)


class LabelsSection(Section):
    """Shows the labels of a task; its fields say what is chosen.

    `adopt` is pressed for the policy the drawing shows, `take` for the label that is proposed.
    """

    def __init__(self) -> None:
        super().__init__(tr("Labels"), topic="judgment")
        self.policy = ChoiceField(
            tr("Policy"),
            POLICY,
            empty=tr("Choose"),
            topic="policy",
            objectName="label-policy",
            entered=self._show_digits,
        )
        self.information = ChoiceField(
            tr("Information"),
            INFORMATION,
            empty=tr("Choose"),
            topic="information",
            objectName="label-information",
            entered=self._show_digits,
        )
        self.completed = YesNo(tr("Task completed"), objectName="label-completed")
        self._drawn = TextLabel("", "small-muted", objectName="label-drawn")
        self.adopt = Button(tr("Adopt"), ButtonKind.LINK, objectName="label-adopt")
        set_topic("judgment.drawn", self._drawn, self.adopt)
        self._grid = grid(gaps=(8, 6))
        self._place(0, tr("Policy"), "P", self.policy, topic="policy")
        self._grid.addLayout(hbox(STRETCH, self._drawn, self.adopt, gap=6), 2, 0, 1, 3)
        self._asked = self._place(3, tr("Information"), "I", self.information, topic="information")
        self._place(5, tr("Task completed"), "T", self.completed, topic="judgment.completed")
        self.rows.addLayout(self._grid)
        self.digits = WrappedLabel("", "small-muted", objectName="label-digits", visible=False)
        self._offer = build(QWidget, objectName="label-offer", visible=False)
        self.offered = WrappedLabel("", "small-muted")
        self.take = Button(tr("Take"), ButtonKind.LINK, objectName="take-offer")
        hbox((self.offered, 1), Kbd("="), self.take, within=self._offer, gap=6)
        self.rows.addWidget(self._offer)

    def choice(self, label: Literal["policy", "information"]) -> QWidget:
        """The field of a label."""
        return self.policy if label == "policy" else self.information

    def show_task(self, number: int, task: Task, said: TaskLabels, *, names_drawn: bool = True) -> None:
        """Show the labels of a task; counted from 0, and without the policy drawn where that is asked for."""
        self.heading.set_heading(tr("Labels · task {number}", number=number + 1))
        self.policy.show_value(task.policy)
        self.information.show_value(task.information)
        show_all(*self._asked, self.information, on=number)  # the first task has nothing to hide
        self.completed.show_value(said.completed)
        derived = derive_policy(task) if names_drawn and said.drawn is not False else None
        is_other = derived is not None and derived is not task.policy
        self._drawn.setText(
            tr("Drawn as {policy_short}", policy_short=POLICY_SHORT[derived].lower()) if derived else ""
        )
        self._drawn.setVisible(names_drawn)
        restyle(self._drawn, "look", "warn" if is_other and task.policy else "small-muted")
        self.adopt.setVisible(is_other)

    def show_offer(self, words: str) -> None:
        """Show the label that is proposed with its reason; empty for none."""
        self.offered.setText(words)
        self._offer.setVisible(bool(words))

    def _show_digits(self, has_keys: bool) -> None:
        """While a field has the keys, say below it what each digit chooses."""
        field = self.sender()
        if has_keys and isinstance(field, ChoiceField):
            self.digits.setText(field.digits)
            self._grid.addWidget(self.digits, 1 if field is self.policy else 4, 0, 1, 3)
        self.digits.setVisible(has_keys)

    def _place(self, row: int, name: str, keys: str, field: QWidget, *, topic: str) -> tuple[QWidget, ...]:
        label, kbd = TextLabel(name), Kbd(keys)
        set_topic(topic, label, kbd, field)
        self._grid.addLayout(hbox(label, kbd, STRETCH, gap=6), row, 0)
        self._grid.addWidget(field, row, 2, Qt.AlignmentFlag.AlignRight)
        return label, kbd


class _CallRow(QWidget):
    """One call with what is said about it; `wanted` carries its step."""

    wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.step = -1
        self._name = ElidedLabel("", "mono")
        self.said = YesNo(tr("Call"), (tr("Right"), tr("Wrong")))
        hbox((self._name, 1), self.said, within=self, gap=8)

    def show_call(self, step: int, name: str, *, correct: bool | None) -> None:
        """Show a call and what is said about it."""
        self.step = step
        self.setObjectName(f"judge-call-{step}")
        self._name.setText(f"{step} {name}")
        self.said.show_value(correct)

    def mousePressEvent(self, event: object) -> None:
        self.wanted.emit(self.step)


class CallsSection(Section):
    """Shows every call of a task; `judged` carries the step and true, false or None."""

    judged = Signal(int, object)
    step_wanted = Signal(int)

    def __init__(self) -> None:
        right, wrong = TextLabel(tr("right"), "small-muted"), TextLabel(tr("wrong"), "small-muted")
        super().__init__(tr("Calls"), right, Kbd("R"), wrong, Kbd("⇧ R"), topic="judgment.call")
        self._found: list[_CallRow] = []

    def show_task(self, task: Task, said: TaskLabels) -> None:
        """Show the calls of a task."""
        calls = task.calls
        while len(self._found) < len(calls):
            row = _CallRow()
            connect(
                (row.said.chosen, lambda said, row=row: self.judged.emit(row.step, said)),
                (row.wanted, self.step_wanted),
            )
            self._found.append(row)
            self.rows.addWidget(row)
        judged = sum(correct is not None for correct in said.calls_correct)
        self.heading.set_heading(
            tr("Calls · {judged} of {calls_count}", judged=judged, calls_count=len(calls))
        )
        show_all(*self._found[len(calls) :], on=False)
        for row, (step, call), correct in zip(self._found, calls, said.calls_correct, strict=False):
            row.show_call(step, call.name, correct=correct)
            row.show()
        self.setVisible(bool(calls))


_ANSWERS: tuple[tuple[str, CheckAnswer | None], ...] = (
    (tr("&Confirm"), CheckAnswer.PASS),
    (tr("It &fails"), CheckAnswer.FAIL),
    (tr("Does &not apply"), CheckAnswer.NOT_APPLICABLE),
    (tr("&Open again"), None),
)
_KEYS = {" ": CheckAnswer.PASS, "f": CheckAnswer.FAIL, "-": CheckAnswer.NOT_APPLICABLE}


class CheckItem(QWidget):
    """One item; `answered` carries its id and the answer, None for open again.

    Args:
        item: Its id.
        sentence: What is confirmed.
        looks: Where it is said what to look at: of one item at a time, so that no row moves.
    """

    answered = Signal(str, object)

    def __init__(self, item: str, sentence: str, looks: QStackedWidget, **properties: Any) -> None:
        build(super().__init__, **properties, topic=f"checklist.{item}")
        self.item = item
        self.answer: CheckAnswer | None = None
        """What was answered."""
        self._is_proved = False
        self.box = _Box(sentence, objectName=f"check-{item}", clicked=self._toggle, keyed=self._press)
        self._chip = Chip(visible=False)
        self._more = ToolButton(
            "dots-three",
            tr("More answers for “{sentence}”", sentence=sentence),
            focusPolicy=Qt.FocusPolicy.NoFocus,
            clicked=self._open_menu,
        )
        self._looks = looks
        self.words = WrappedLabel(
            "", "small-muted", objectName=f"look-{item}", alignment=Qt.AlignmentFlag.AlignTop
        )
        looks.addWidget(self.words)
        self.proof = WrappedLabel("", "small-muted", objectName=f"proof-{item}", visible=False)
        self.proof.setContentsMargins(theme().px(24), 0, 0, theme().px(4))
        vbox(hbox((self.box, 1), self._chip, self._more, gap=4), self.proof, within=self)

    @property
    def is_explained(self) -> bool:
        """Whether it can be read what to look at, or what proves it."""
        return self.proof.isVisible() or not self.words.visibleRegion().isEmpty()

    def explain(self) -> None:
        """Say what to look at."""
        self._looks.setCurrentWidget(self.words)

    @property
    def is_held(self) -> bool:
        """Whether the item counts as confirmed: by a person, or by a proof nobody spoke against."""
        return self.answer is CheckAnswer.PASS or (self.answer is None and self._is_proved)

    def show_item(self, item: Item, answer: CheckAnswer | None, *, is_next: bool) -> None:
        """Show an item and its answer without telling anybody.

        What to look at for the next open one stands above the list, the proof below what is proved.
        """
        self.answer = answer
        self._is_proved = item.proof is not None
        self.box.setChecked(self.is_held)
        words = tr(item.proof.words if item.proof is not None else item.look)
        self.words.setText("" if item.proof is not None else words)
        self.proof.say(words if item.proof is not None else "")
        if is_next:
            self.explain()
        chip = {
            CheckAnswer.FAIL: (tr("fails"), Tone.ERROR),
            CheckAnswer.NOT_APPLICABLE: (tr("n/a"), Tone.NEUTRAL),
        }
        proved = tr("proved")
        shown = chip.get(answer) if answer is not None else (proved, Tone.OK) if self._is_proved else None
        self._chip.setVisible(shown is not None)
        if shown is not None:
            self._chip.set_chip(*shown)
        state = shown[0] if shown is not None else tr("open") if answer is None else tr("confirmed")
        self.box.setAccessibleDescription(f"{state}. {words}")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu()

    def _toggle(self) -> None:
        self.box.setChecked(self.is_held)
        wanted = CheckAnswer.FAIL if self._is_proved else CheckAnswer.PASS
        self._answer(None if self.answer is not None else wanted)

    def _press(self, answer: CheckAnswer) -> None:
        """Answer by a key; one that confirms never takes back or changes what was said."""
        if answer is not CheckAnswer.PASS or (self.answer is None and not self._is_proved):
            self._answer(answer)

    def _answer(self, answer: CheckAnswer | None) -> None:
        self.answered.emit(self.item, answer)

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, answer in _ANSWERS:
            menu.addAction(words, partial(self._answer, answer))
        open_menu(menu, self._more.mapToGlobal(QPoint(0, self._more.height())))


class _Box(QCheckBox):
    """A check box that moves the focus with the arrow keys and reports the keys of other answers.

    A sentence without room is elided, and whole in the tooltip.
    """

    keyed = Signal(object)
    """The answer a key stands for."""

    def __init__(self, sentence: str, **properties: Any) -> None:
        build(
            super().__init__,
            sentence,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed),
            **properties,
        )
        claim_keys(self, lambda event: event.text() in _KEYS)  # the page's own F settles a finding

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(80), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setToolTip(plain_tip(self.text()) if self.shown_text != self.text() else "")

    @property
    def shown_text(self) -> str:
        """The sentence as far as there is room for it."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self).width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self.shown_text
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_CheckBox, option)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        elif event.text().lower() not in _KEYS:
            super().keyPressEvent(event)
        elif not event.isAutoRepeat() and not is_key_held(self):  # it would answer item after item
            self.keyed.emit(_KEYS[event.text().lower()])


class ChecklistSection(Section):
    """Shows a checklist; `answered` carries an item's id and the answer, None for open again.

    Items that cannot apply are absent; what is proved is folded away behind a button that counts it.
    """

    answered = Signal(str, object)

    def __init__(self, heading: str, items: Mapping[str, str]) -> None:
        keys = tr("C confirms the next item. On an item: Space confirms, F fails, - passes over.")
        follows = TextLabel(tr("next"), "small-muted"), Kbd("C", toolTip=keys)
        super().__init__(heading, *follows, topic="checklist")
        self._name = heading
        self._follows = follows
        self._looks = stacked(QWidget())
        self.rows.addWidget(self._looks)
        self.items: dict[str, CheckItem] = {}
        """The row of each item by its id, shown or not."""
        self._shown: tuple[Item, ...] = ()
        self._is_unfolded = False
        self.rows.setSpacing(0)
        for item, sentence in items.items():
            self._add_item(item, tr(sentence))
        self.fold = Button("", ButtonKind.LINK, objectName="proved-items", clicked=self._turn_fold)
        self._folded: set[str] = set()
        self.rows.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)

    def _add_item(self, item: str, sentence: str) -> None:
        """Put an item behind the others, for the keys, too."""
        row = CheckItem(item, sentence, self._looks, answered=self.answered)
        self.rows.insertWidget(1 + len(self.items), row)
        if self.items:
            QWidget.setTabOrder(next(reversed(self.items.values())).box, row.box)
        self.items[item] = row

    def show_items(self, items: Sequence[Item], judgment: Judgment, *, following: Item | None) -> None:
        """Show the items of a task, or of the dialogue, and what was answered; C confirms `following`."""
        for hint in self._follows:
            hint.setVisible(following is None or following in items)
        self._shown = tuple(items)
        self._folded = {
            item.id for item in items if item.proof is not None and answer_of(item, judgment) is None
        }
        for item in items:
            if item.id not in self.items:
                self._add_item(item.id, item.sentence)
            self.items[item.id].show_item(item, answer_of(item, judgment), is_next=item is following)
        if following not in items:
            self._looks.setCurrentIndex(0)
        self._fold_rows()
        done = sum(not is_open(item, judgment) for item in items)
        self.heading.set_heading(
            tr("{name} · {done} of {items_count}", name=self._name, done=done, items_count=len(items))
        )

    def _turn_fold(self) -> None:
        self._is_unfolded = not self._is_unfolded
        self._fold_rows()

    def _fold_rows(self) -> None:
        shown = {item.id for item in self._shown}
        for name, row in self.items.items():
            row.setVisible(name in shown and (self._is_unfolded or name not in self._folded))
        self.fold.setVisible(bool(self._folded))
        arrow = "▾" if self._is_unfolded else "▸"
        self.fold.setText(
            tr("{arrow} {item} proved by the program", arrow=arrow, item=tr_count(len(self._folded), "item"))
        )

    def focus_open_item(self) -> None:
        """Go to the first open item, or to the first one."""
        rows = [row for row in self.items.values() if row.isVisibleTo(self)] or [*self.items.values()]
        row = next((row for row in rows if not row.is_held and row.answer is None), rows[0])
        row.box.setFocus(Qt.FocusReason.OtherFocusReason)
