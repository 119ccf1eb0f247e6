"""The window as somebody sees it who has only keys: what it shows, and where a key goes."""

from collections.abc import Iterator
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QWidget

from scoring.model.taxonomy import EdgeKind
from ui.desk.key_table import KeyTable
from ui.desk.tabs.evidence_model import SOURCE
from ui.desk.tabs.section import ChoiceField
from ui.dialogue.cards import CardView
from ui.dialogue.editors import PlainEditor
from ui.graph.view import GraphView
from ui.shell.main_window import MainWindow
from ui.theme import Hint

Kind = TypeVar("Kind", bound=QWidget)


class Seen:
    """Reads what stands on the screen; it touches nothing.

    Args:
        window: The window.
    """

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def page(self) -> str:
        """The page that is shown."""
        found = self._window.stack.currentWidget()
        return found.objectName() if found is not None else ""

    def is_shown(self, name: str) -> bool:
        """Whether a widget of that name is in sight."""
        return any(widget.isVisible() for widget in self._window.findChildren(QWidget, name))

    def is_marked(self, name: str) -> bool:
        """Whether a button of that name is in sight and pressed down."""
        return any(button.isChecked() for button in self._all(QAbstractButton, name))

    def text(self, name: str) -> str:
        """What a label of that name says; empty where none is in sight."""
        return next((label.text() for label in self._all(QLabel, name)), "")

    def hint(self, name: str) -> str:
        """What a coloured box of that name says; empty where none is in sight."""
        return next((hint.words for hint in self._all(Hint, name)), "")

    def chosen(self, name: str) -> str:
        """What a drop-down shows; empty while nothing is chosen."""
        return next((field.currentText() for field in self._all(ChoiceField, name)), "")

    def button(self, name: str) -> QPushButton | None:
        """A button in sight."""
        return next(self._all(QPushButton, name), None)

    def is_offered(self, name: str) -> bool:
        """Whether a button is shown and can be pressed."""
        return any(widget.isVisible() and widget.isEnabled() for widget in self._all(QWidget, name))

    def edges(self) -> dict[tuple[int, int], EdgeKind]:
        """The dependencies that are drawn."""
        view = next(self._all(GraphView, ""))
        return {edge.pair: edge.kind for edge in view.task.drawn_edges}

    def answer_card(self, task: int) -> CardView | None:
        """The card of a task's answer."""
        cards = [card for card in self._window.findChildren(CardView) if card.content.task == task]
        return next((card for card in cards if card.content.kind == "answer" and card.isVisible()), None)

    def source_of_current_value(self) -> str:
        """What the Evidence tab says about the marked value."""
        table = next(self._all(KeyTable, "evidence-table"), None)
        if table is None or not table.currentIndex().isValid():
            return ""
        return str(table.model().index(table.currentIndex().row(), SOURCE).data())

    def typed(self) -> str | None:
        """The text of the editor in the dialogue the keys go to; null where they go elsewhere."""
        focus = QApplication.focusWidget()
        return focus.toPlainText() if isinstance(focus, PlainEditor) else None

    def has_keys(self, name: str) -> bool:
        """Whether the keys go to a widget of that name."""
        focus = QApplication.focusWidget()
        return focus is not None and focus.objectName() == name

    def words(self) -> str:
        """Where one is, for whoever has to find out why it does not go on."""
        focus = QApplication.focusWidget()
        at = f"{type(focus).__name__} {focus.objectName()}" if focus is not None else "nothing"
        dialogs = [w.objectName() for w in QApplication.topLevelWidgets() if w.isVisible()]
        note = self.text("workbench-note")
        return f"page {self.page()}, keys go to {at}, windows {dialogs}, note {note!r}"

    def _all(self, kind: type[Kind], name: str) -> Iterator[Kind]:
        found = self._window.findChildren(kind, name) if name else self._window.findChildren(kind)
        return (widget for widget in found if widget.isVisible())


class Hands:
    """Presses keys: events of the window system, to the window that has the keys, whichever that is."""

    def __init__(self) -> None:
        self.count = 0

    def press(self, keys: str) -> None:
        """Press a key or a chord in Qt's portable writing."""
        stroke = QKeySequence(keys)[0]  # type: ignore[index]  # the stubs leave it out
        self._send(stroke.key(), stroke.keyboardModifiers())

    def type(self, letter: str) -> None:
        """Type one letter of a text; plain ASCII."""
        self._send(letter, Qt.KeyboardModifier.NoModifier)

    def _send(self, key: Qt.Key | str, modifiers: Qt.KeyboardModifier) -> None:
        target = QGuiApplication.focusWindow()
        if target is not None:
            self.count += 1
            QTest.keyClick(target, key, modifiers)  # type: ignore[arg-type]  # the stubs leave letters out
