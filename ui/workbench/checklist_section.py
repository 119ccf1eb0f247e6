"""A checklist: each item confirmed, failed, passed over, or open."""

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from scoring.model.taxonomy import CheckAnswer
from ui.theme import Chip, Kbd, TextLabel, Tone, ToolButton, theme
from ui.theme.menus import open_menu
from ui.theme.untrusted import plain_tip
from ui.workbench.section import Section

_ANSWERS: tuple[tuple[str, CheckAnswer | None], ...] = (
    ("&Confirm", CheckAnswer.PASS),
    ("It &fails", CheckAnswer.FAIL),
    ("Does &not apply", CheckAnswer.NOT_APPLICABLE),
    ("&Open again", None),
)
_NARROWEST = 80
_KEYS = {"f": CheckAnswer.FAIL, "-": CheckAnswer.NOT_APPLICABLE}


class CheckItem(QWidget):
    """One item; `answered` carries its id and the answer, null for open again."""

    answered = Signal(str, object)

    def __init__(self, item: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.item = item
        self._answer: CheckAnswer | None = None
        self.box = _Box(sentence)
        self.box.setObjectName(f"check-{item}")
        self.box.clicked.connect(self._toggle)
        self.box.keyed.connect(self._key)
        self._chip = Chip()
        self._chip.hide()
        self._more = ToolButton("dots-three", f"More answers for “{sentence}”")
        self._more.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._more.clicked.connect(self._open_menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(4))
        row.addWidget(self.box, 1)
        row.addWidget(self._chip)
        row.addWidget(self._more)

    @property
    def answer(self) -> CheckAnswer | None:
        """What was answered."""
        return self._answer

    def show_answer(self, answer: CheckAnswer | None) -> None:
        """Show an answer without telling anybody."""
        self._answer = answer
        self.box.setChecked(answer is CheckAnswer.PASS)
        self._chip.setVisible(answer in (CheckAnswer.FAIL, CheckAnswer.NOT_APPLICABLE))
        is_failed = answer is CheckAnswer.FAIL
        self._chip.set_chip("fails" if is_failed else "n/a", Tone.ERROR if is_failed else Tone.NEUTRAL)
        self.box.setAccessibleDescription("open" if answer is None else answer.value)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu()

    def _toggle(self) -> None:
        self.box.setChecked(self._answer is CheckAnswer.PASS)
        self.answered.emit(self.item, None if self._answer is not None else CheckAnswer.PASS)

    def _key(self, text: str) -> None:
        self.answered.emit(self.item, _KEYS[text])

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, answer in _ANSWERS:
            action = menu.addAction(words)
            action.setData(answer.value if answer else "")
            action.triggered.connect(self._choose)
        open_menu(menu, self._more.mapToGlobal(QPoint(0, self._more.height())))

    def _choose(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        found = action.data()
        self.answered.emit(self.item, CheckAnswer(found) if found else None)


class _Box(QCheckBox):
    """A check box that moves the focus with the arrow keys and reports the keys of other answers.

    A sentence without room is elided, and whole in the tooltip.
    """

    keyed = Signal(str)

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(_NARROWEST), super().minimumSizeHint().height())

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
        elif event.text().lower() in _KEYS:
            self.keyed.emit(event.text().lower())
        else:
            super().keyPressEvent(event)


class ChecklistSection(Section):
    """Shows a checklist; `answered` carries an item's id and the answer, null for open again."""

    answered = Signal(str, object)

    def __init__(self, heading: str, items: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(heading, parent)
        self._name = heading
        self._items = {item: CheckItem(item, sentence) for item, sentence in items.items()}
        self.rows.setSpacing(0)
        for row in self._items.values():
            row.answered.connect(self.answered)
            self.rows.addWidget(row)
        kbd = Kbd("C")
        kbd.setToolTip("C confirms the next item. On an item: Space confirms, F fails, - passes over.")
        self.add_beside(TextLabel("next", "small-muted"))
        self.add_beside(kbd)

    def show_answers(self, said: Mapping[str, CheckAnswer | None]) -> None:
        """Show what was answered."""
        for item, row in self._items.items():
            row.show_answer(said.get(item))
        done = sum(said.get(item) is not None for item in self._items)
        self.set_heading(f"{self._name} · {done} of {len(self._items)}")

    def item(self, name: str) -> CheckItem:
        """The row of an item."""
        return self._items[name]

    def focus_open_item(self) -> None:
        """Go to the first open item, or to the first one."""
        rows = list(self._items.values())
        row = next((row for row in rows if row.answer is None), rows[0])
        row.box.setFocus(Qt.FocusReason.OtherFocusReason)
