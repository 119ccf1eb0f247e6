"""The bars above the cards: the tasks as a row of chips, and what to do while a source is looked for."""

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from scoring.model.case import Case, Task
from scoring.texts import tr, tr_count
from ui.dialogue.places import Citing
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, ChipButton, ElidedLabel, Kbd, TextLabel, theme
from ui.theme.layouts import STRETCH, build, connect, hbox, take_out
from ui.theme.look import follow_theme
from ui.theme.words import POLICY, POLICY_SHORT, plain_tip, visible

_END = 30
"""Room at an end that says how many tasks are out of sight, in pixels at 100 %."""


class TaskStrip(QScrollArea):
    """One chip a task: number and policy, the number alone where space is short.

    Where even the numbers do not fit, each end says how many tasks are out of sight there, and leads to them.

    `chosen` carries the task whose chip was pressed.
    """

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="task-strip",
            accessibleName=tr("Tasks"),
            frameShape=QFrame.Shape.NoFrame,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            verticalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed),
            focusPolicy=Qt.FocusPolicy.NoFocus,
            widgetResizable=True,
        )
        self._tasks: tuple[Task, ...] = ()
        self._finished: frozenset[int] = frozenset()
        self._chips: list[ChipButton] = []
        self._open = 0
        self._inner = QWidget()
        self._row = hbox(STRETCH, within=self._inner, gap=6)
        self.setWidget(self._inner)
        for ground in (self.viewport(), self._inner):
            ground.setAutoFillBackground(False)
        self._before, self._after = (
            Button(
                "",
                ButtonKind.LINK,
                parent=self,
                objectName=f"tasks-{name}",
                focusPolicy=Qt.FocusPolicy.NoFocus,
                clicked=partial(self._turn, by),
            )
            for name, by in (("before", -1), ("after", 1))
        )
        connect(
            (self.horizontalScrollBar().valueChanged, self._show_ends),
            (self.horizontalScrollBar().rangeChanged, self._keep_in_sight),
        )
        follow_theme(self._label)

    def show_case(self, case: Case, *, task: int, finished: Collection[int] = ()) -> None:
        """Show the tasks of a case, one of them open; in finished ones nothing is left to settle."""
        self._tasks = case.tasks
        self._finished = frozenset(finished)
        while len(self._chips) > len(case.tasks):
            take_out(self._row, self._chips.pop())
        while len(self._chips) < len(case.tasks):
            self._chips.append(self._make_chip(len(self._chips)))
        self._label()
        self.show_open(task)

    def show_open(self, task: int) -> None:
        """Mark the open task and bring its chip into sight."""
        for number, chip in enumerate(self._chips):
            chip.setChecked(number == task)
        self._open = task
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        end = theme().px(_END) if self._inner.sizeHint().width() > self.width() else 0
        self.setViewportMargins(end, 0, end, 0)
        if self._open < len(self._chips):
            self._inner.adjustSize()
            self.ensureWidgetVisible(self._chips[self._open], theme().px(6), 0)
        self._show_ends()

    @property
    def labels(self) -> tuple[str, ...]:
        """What the chips say."""
        return tuple(chip.text() for chip in self._chips)

    def sizeHint(self) -> QSize:
        return QSize(self._wanted(is_long=True), theme().px(28))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(60), theme().px(28))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._label()

    def _turn(self, by: int, _: bool = False) -> None:
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() + by * bar.pageStep())

    def _show_ends(self) -> None:
        """Say at each end how many tasks are out of sight there."""
        start, room = self.horizontalScrollBar().value(), theme().px(_END)
        end = start + self.viewport().width()
        chips = self._chips if self.horizontalScrollBar().maximum() else []
        before = sum(chip.x() < start for chip in chips)
        after = sum(chip.geometry().right() >= end for chip in chips)
        for sign, count, words, x in (
            (self._before, before, f"‹ {before}", 0),
            (self._after, after, f"{after} ›", self.width() - room),
        ):
            sign.setText(words)
            sign.setToolTip(tr_count(count, "more task"))
            sign.setVisible(bool(count))
            sign.setGeometry(x, 0, room, self.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - event.angleDelta().y() // 2)
        event.accept()

    def _make_chip(self, number: int) -> ChipButton:
        chip = ChipButton(
            "",
            objectName=f"task-{number}",
            autoExclusive=True,
            clicked=partial(self.chosen.emit, number),
        )
        self._row.insertWidget(number, chip)
        return chip

    def _label(self) -> None:
        is_long = self._wanted(is_long=True) <= self.width()
        for number, (chip, task) in enumerate(zip(self._chips, self._tasks, strict=False)):
            is_finished = number in self._finished
            chip.setText(_words(number, task, is_long=is_long, is_finished=is_finished))
            policy = POLICY[task.policy] if task.policy else tr("not labelled")
            set_topic(f"policy.{task.policy}" if task.policy else "policy", chip)
            state = tr(", finished") if is_finished else ""
            chip.setToolTip(
                plain_tip(
                    tr(
                        "Task {number}, {policy}{state}\n{split}",
                        number=number + 1,
                        policy=policy,
                        state=state,
                        split=" ".join(task.user[:300].split()),
                    )
                )
            )

    def _wanted(self, *, is_long: bool) -> int:
        look, metrics = theme(), self.fontMetrics()
        words = (
            _words(number, task, is_long=is_long, is_finished=number in self._finished)
            for number, task in enumerate(self._tasks)
        )
        return sum(metrics.horizontalAdvance(word) + look.px(20 + 6) for word in words)


def _words(number: int, task: Task, *, is_long: bool, is_finished: bool) -> str:
    words = f"{number + 1} {POLICY_SHORT[task.policy]}" if is_long and task.policy else str(number + 1)
    return f"✓ {words}" if is_finished else words


_KEYS = ((("→", tr("Shift →")), tr("select")), (("↵",), tr("cite")), (("Esc",), tr("leave")))


class CitingBar(QFrame):
    """Says which value is cited, how to select its source, and why a place will not do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="citing-bar", visible=False, hint="accent")
        self.title = ElidedLabel("", "accent", objectName="citing-words")
        hints = [hint for keys, word in _KEYS for hint in (*map(Kbd, keys), TextLabel(word, "small-muted"))]
        hbox((self.title, 1), *hints, within=self, gap=6, margins=(12, 5))

    def show_citing(self, citing: Citing) -> None:
        """Ask for the source of a value."""
        name = visible(citing.path.lstrip("/"))
        self._say(tr("Select the source of {name}, call {step}", name=name, step=citing.step))

    def refuse(self) -> None:
        """Say that a place will not do."""
        self._say(tr("A value cannot come from what was said later"))

    def _say(self, words: str) -> None:
        self.title.setText(words)
        self.setAccessibleName(words)
