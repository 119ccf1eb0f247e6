"""What tabs are made of: groups with a heading, and a field that offers a few values."""

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QLayout, QMenu, QScrollArea, QWidget

from scoring.texts import tr
from ui.services.topics import explain, set_topic
from ui.theme import SectionLabel
from ui.theme.events import follow_events
from ui.theme.layouts import STRETCH, build, hbox, vbox
from ui.theme.menus import open_menu


def lay_sections(area: QScrollArea, name: str, *sections: QWidget | QLayout) -> None:
    """Lay groups below each other in a tab that scrolls; its name begins the names of its parts."""
    area.setObjectName(f"{name}-tab")
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    inside = build(QWidget, objectName=f"{name}-inside")
    area.setWidget(inside)
    vbox(*sections, STRETCH, within=inside, gap=16, margins=(12, 12, 12, 16))


class Section(QWidget):
    """A heading with rows.

    Args:
        heading: What it says.
        beside: What stands at its right end.
        properties: Of the widget.
    """

    def __init__(self, heading: str, *beside: QWidget, **properties: Any) -> None:
        build(super().__init__, **properties)
        self.heading = SectionLabel(heading)
        self.rows = vbox(gap=6)
        vbox(hbox(self.heading, STRETCH, *beside, gap=8), self.rows, within=self, gap=6)


Value = TypeVar("Value", bound=StrEnum)


class ChoiceField(QComboBox, Generic[Value]):
    """Looks like a drop-down; its list is a menu in which a digit chooses at once, as it does in the field.

    `chosen` carries the value, or None where the choice was taken back; `entered` whether it has the keys.

    Args:
        name: What is chosen, for screen readers.
        words: How each value is called, in the order offered.
        empty: What it says while nothing is chosen.
        topic: The section of the guidelines that explains the values (`F1` in the list); empty for none.
    """

    chosen = Signal(object)
    entered = Signal(bool)

    def __init__(
        self,
        name: str,
        words: Mapping[Value, str],
        *,
        empty: str,
        topic: str = "",
        **properties: Any,
    ) -> None:
        build(
            super().__init__,
            accessibleName=name,
            placeholderText=empty,
            focusPolicy=Qt.FocusPolicy.StrongFocus,
            sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents,
            **properties,
        )
        self._words = words
        self.value: Value | None = None
        """What is chosen."""
        self._topic = topic
        self.addItems(list(words.values()))
        self.setCurrentIndex(-1)
        self.menu = build(QMenu, self, objectName=f"choices-{name.lower().replace(' ', '-')}")
        self.menu.installEventFilter(self)
        follow_events(self, partial(self.entered.emit, True), QEvent.Type.FocusIn)
        follow_events(self, partial(self.entered.emit, False), QEvent.Type.FocusOut)
        for number, (value, text) in enumerate(words.items(), 1):
            self._add(f"&{number}  {text}", value)
        self.menu.addSeparator()
        self._add(tr("&0  Take it off"), None)

    def show_value(self, value: Value | None) -> None:
        """Show a value without telling anybody."""
        self.value = value
        set_topic(self._topic_of(value), self)
        self.setCurrentIndex(-1 if value is None else list(self._words).index(value))

    def showPopup(self) -> None:
        for action in self.menu.actions():
            if action.isCheckable():
                action.setChecked(action.data() == self.value)
        open_menu(self.menu, self._below)

    @property
    def _below(self) -> QPoint:
        # It ends where the field ends: what stands beside the work stays in sight.
        return self.mapToGlobal(QPoint(self.width() - self.menu.sizeHint().width(), self.height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # An open menu keeps every key to itself.
        is_asked = (
            watched is self.menu
            and bool(self._topic)
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_F1
        )
        if not is_asked:
            return super().eventFilter(watched, event)
        action = self.menu.activeAction()
        value = action.data() if action is not None else None
        explain(self._topic_of(next((one for one in self._words if one == value), None)), self)
        self.menu.move(self._below)  # the explanation takes room beside the work
        return True

    def _topic_of(self, value: Value | None) -> str:
        """What explains a value, or all of them."""
        return self._topic if value is None or not self._topic else f"{self._topic}.{value.name.lower()}"

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Up)
        if event.text().isdigit():
            number = int(event.text())
            values = list(self._words)
            if number <= len(values):
                self.chosen.emit(values[number - 1] if number else None)
        elif event.key() in plain:
            self.showPopup()
        else:
            event.ignore()

    @property
    def digits(self) -> str:
        """Which digit chooses what, as one line."""
        return " · ".join(f"{number} {text}" for number, text in enumerate(self._words.values(), 1))

    def wheelEvent(self, event: object) -> None:
        # Scrolling past a label must not change it.
        event.ignore()  # type: ignore[attr-defined]

    def _add(self, text: str, value: Value | None) -> None:
        action = self.menu.addAction(text)
        action.setCheckable(value is not None)
        action.setData(value)
        action.triggered.connect(partial(self.chosen.emit, value))
