"""The dialog that chooses a tool: type to filter, read what it does and takes, Enter takes it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QPlainTextEdit, QWidget

from scoring.model.case import Tool
from scoring.model.record import to_text
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.layouts import build, hbox
from ui.theme.untrusted import visible

_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


def matching_tools(tools: Sequence[Tool], words: str, *, recent: Sequence[str] = ()) -> tuple[Tool, ...]:
    """The tools that have every word in their name or description.

    Args:
        tools: What there is.
        words: What was typed; nothing matches every tool.
        recent: Names of tools that were chosen before, the last one first.

    Returns:
        Recent tools first, then those whose name has the words, each in the order of the case.
    """
    asked = words.casefold().split()

    def rank(tool: Tool) -> tuple[int, bool]:
        place = recent.index(tool.name) if tool.name in recent else len(recent)
        return place, not all(word in tool.name.casefold() for word in asked)

    found = [t for t in tools if all(word in f"{t.name} {t.description}".casefold() for word in asked)]
    return tuple(sorted(found, key=rank))


def tool_words(tool: Tool) -> str:
    """What a tool does, and a line for each of its parameters."""
    properties, required = tool.parameters.get("properties"), tool.parameters.get("required")
    needed = required if isinstance(required, list) else []
    lines = [tool.description.strip() or "No description."]
    for name, about in properties.items() if isinstance(properties, dict) else ():
        fields = about if isinstance(about, dict) else {}
        kind = fields.get("type", "any")
        notes = [kind if isinstance(kind, str) else to_text(kind)]
        notes += ["required"] if name in needed else []
        if isinstance(fields.get("enum"), list):
            notes.append("one of " + to_text(fields["enum"]))
        lines += ["", f"{name}: {', '.join(notes)}"]
        if fields.get("description"):
            lines.append(f"    {fields['description']}")
    return "\n".join(lines)


class ToolPicker(QDialog):
    """Lists the tools of a case; while nothing is typed a digit takes one of the first nine.

    Args:
        tools: What there is.
        title: What the tool is chosen for.
        recent: Names of tools that were chosen before, the last one first.
        parent: What it opens above.
    """

    chosen = Signal(str)
    """Name of the tool."""

    def __init__(
        self, tools: Sequence[Tool], *, title: str, recent: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("tool-picker")
        self.setWindowTitle(title)
        self._tools, self._recent = tuple(tools), tuple(recent)
        self._shown: tuple[Tool, ...] = ()
        self.words = build(
            QLineEdit,
            objectName="tool-filter",
            placeholderText="Type to filter",
            accessibleName="Filter the tools",
        )
        self._list = build(
            QListWidget,
            objectName="tool-list",
            accessibleName="Tools",
            focusPolicy=Qt.FocusPolicy.NoFocus,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            currentRowChanged=self._show_tool,
            itemDoubleClicked=self._choose_current,
        )
        self._about = build(
            QPlainTextEdit, objectName="tool-about", accessibleName="What the tool does", readOnly=True
        )
        self._ok = Button(
            "Choose",
            ButtonKind.PRIMARY,
            keys="↵",
            objectName="tool-ok",
            default=True,
            clicked=self._choose_current,
        )
        beside = hbox((self._list, 2), (self._about, 3), gap=8)
        frame = DialogFrame(self, title, width=680, height=420)
        frame.add(self.words)
        frame.add(beside, stretch=1)
        frame.end_with(self._ok, cancel="Cancel")
        self.words.installEventFilter(self)
        self.words.textChanged.connect(self._filter)
        self._filter("")
        self.words.setFocus()

    @property
    def names(self) -> tuple[str, ...]:
        """The tools that are listed, from the top."""
        return tuple(tool.name for tool in self._shown)

    @property
    def about(self) -> str:
        """What is said about the marked tool."""
        return self._about.toPlainText()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The field's own parents would scroll with these keys.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() in _MOVES:
            row = self._list.currentRow() + _MOVES[Qt.Key(event.key())]
            self._list.setCurrentRow(min(max(row, 0), len(self._shown) - 1))
            return True
        return super().eventFilter(watched, event)

    def _filter(self, words: str) -> None:
        if words.isdecimal() and 1 <= int(words) <= min(len(self._shown), 9):
            self._choose(int(words) - 1)
            return
        self._shown = matching_tools(self._tools, words, recent=self._recent)
        self._list.clear()
        for number, tool in enumerate(self._shown, 1):
            digit = f"{number}  " if number < 10 and not words else ""
            self._list.addItem(f"{digit}{visible(tool.name)}")
        self._ok.set_blocked("" if self._shown else "No tool matches.")
        self._list.setCurrentRow(0 if self._shown else -1)

    def _show_tool(self, row: int) -> None:
        is_there = 0 <= row < len(self._shown)
        self._about.setPlainText(visible(tool_words(self._shown[row])) if is_there else "No tool matches.")

    def _choose_current(self) -> None:
        self._choose(self._list.currentRow())

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self._shown) and self.isVisible():
            self.accept()
            self.chosen.emit(self._shown[row].name)
