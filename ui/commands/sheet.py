"""The sheet of shortcuts: every command with its keys, searched and changed in place."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from scoring.errors import AnnotatorError
from ui.commands.command import Command, Commands, shown_keys
from ui.commands.palette import match_rank
from ui.commands.profile_bar import ProfileBar
from ui.commands.profiles import Profiles
from ui.theme import Button, ButtonKind, ElidedLabel, SectionLabel, TextLabel, Tone, theme

_COLUMNS = 2
_NONE = "none"


class ShortcutSheet(QDialog):
    """Lists every command by category, those of the page first; a click on its keys changes them.

    A change is made in the profile that is on.

    Args:
        commands: Whose shortcuts.
        profiles: The sets of shortcuts there are.
        parent: The window.
    """

    def __init__(self, commands: Commands, profiles: Profiles, *, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcut-sheet")
        self.setWindowTitle("Keyboard shortcuts")
        self._commands = commands
        look = theme()
        self.resize(look.px(860), look.px(620))
        self._field = QLineEdit()
        self._field.setObjectName("shortcut-search")
        self._field.setPlaceholderText("Search commands")
        self._field.setAccessibleName("Search commands")
        self._field.textChanged.connect(self._filter)
        self._message = TextLabel("Click the keys of a command to change them.", "small-muted")
        self._message.setObjectName("shortcut-message")
        self._message.setWordWrap(True)
        self._rows: dict[str, _Row] = {}
        self._groups: list[QWidget] = []
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(self._grid())
        done = Button("Done", ButtonKind.PRIMARY)
        done.setObjectName("shortcut-done")
        done.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addWidget(self._message, 1)
        foot.addWidget(done)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(look.px(16),) * 4)
        column.setSpacing(look.px(12))
        bar = ProfileBar(profiles)
        bar.said.connect(self._say)
        head = QHBoxLayout()
        head.addWidget(TextLabel("Keyboard shortcuts", "title"))
        head.addStretch(1)
        head.addWidget(bar)
        column.addLayout(head)
        column.addWidget(self._field)
        column.addWidget(area, 1)
        column.addLayout(foot)
        commands.changed.connect(self._refresh)
        self._field.setFocus()

    def _grid(self) -> QWidget:
        categories: dict[str, list[Command]] = {}
        for command in self._commands.by_place():
            categories.setdefault(command.category, []).append(command)
        holder = QWidget()
        grid = QHBoxLayout(holder)
        grid.setContentsMargins(0, 0, theme().px(12), 0)
        grid.setSpacing(theme().px(32))
        columns = [QVBoxLayout() for _ in range(_COLUMNS)]
        heights = [0] * _COLUMNS
        for column in columns:
            column.setSpacing(theme().px(16))
            grid.addLayout(column, 1)
        for category, members in categories.items():
            place = heights.index(min(heights))
            heights[place] += len(members) + 2
            columns[place].addWidget(self._group(category, members))
        for column in columns:
            column.addStretch(1)
        return holder

    def _group(self, category: str, members: list[Command]) -> QWidget:
        group = QWidget()
        rows = QVBoxLayout(group)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme().px(2))
        rows.addWidget(SectionLabel(category))
        for command in members:
            row = _Row(command)
            row.captured.connect(self._choose)
            row.reset.connect(self._reset)
            self._rows[command.id] = row
            rows.addWidget(row)
            self._refresh(command.id)
        self._groups.append(group)
        return group

    def _refresh(self, command_id: str) -> None:
        if command_id in self._rows:
            keys, is_chosen = self._commands.keys(command_id), self._commands.is_chosen(command_id)
            self._rows[command_id].show_keys(keys, is_chosen=is_chosen)

    def _choose(self, command_id: str, keys: str) -> None:
        self._attempt(partial(self._commands.choose_keys, command_id, keys))

    def _reset(self, command_id: str) -> None:
        self._attempt(partial(self._commands.reset_keys, command_id))

    def _attempt(self, change: "partial[None]") -> None:
        try:
            change()
        except AnnotatorError as error:
            self._say(str(error), Tone.ERROR)
        else:
            self._say("Changed; it is kept for you on this computer.", Tone.NEUTRAL)

    def _say(self, words: str, tone: Tone) -> None:
        self._message.set_look("small-muted" if tone is Tone.NEUTRAL else tone.value)
        self._message.setText(words)

    def _filter(self, text: str) -> None:
        for row in self._rows.values():
            fits = match_rank(text.strip(), f"{row.command.title} {row.command.category}") is not None
            row.setVisible(fits)
        for group in self._groups:
            rows = [row for row in self._rows.values() if row.parent() is group]
            group.setVisible(any(not row.isHidden() for row in rows))


class _Row(QWidget):
    """One command with its keys; a click on them listens for others."""

    captured = Signal(str, str)
    reset = Signal(str)

    def __init__(self, command: Command) -> None:
        super().__init__()
        self.command = command
        self._keys = Button("", ButtonKind.GHOST)
        self._keys.setObjectName(f"keys-{command.id}")
        self._keys.clicked.connect(self._listen)
        self._edit = QKeySequenceEdit()
        self._edit.setObjectName(f"capture-{command.id}")
        self._edit.setMaximumSequenceLength(1)
        self._edit.setFinishingKeyCombinations([])
        self._edit.setFixedWidth(theme().px(110))
        self._edit.editingFinished.connect(self._capture)
        self._edit.installEventFilter(self)
        self._edit.hide()
        self._reset = Button("Reset", ButtonKind.LINK)
        self._reset.setObjectName(f"reset-{command.id}")
        self._reset.clicked.connect(self._ask_reset)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme().px(8))
        grid.setColumnStretch(0, 1)
        grid.addWidget(ElidedLabel(command.title), 0, 0)
        grid.addWidget(self._reset, 0, 1)
        grid.addWidget(self._keys, 0, 2, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self._edit, 0, 2, Qt.AlignmentFlag.AlignRight)

    def show_keys(self, keys: str, *, is_chosen: bool) -> None:
        """Show the shortcut there is now."""
        self._keys.set_keys(shown_keys(keys) or _NONE)
        self._keys.setAccessibleName(f"{self.command.title}: {shown_keys(keys) or 'no shortcut'}")
        self._keys.setToolTip("Click to change, then press the keys; Backspace takes them away.")
        self._reset.setVisible(is_chosen)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self._stop()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self._stop()
                return True
            if event.key() == Qt.Key.Key_Backspace and not event.modifiers():
                self._stop()
                self.captured.emit(self.command.id, "")
                return True
        return super().eventFilter(watched, event)

    def _listen(self) -> None:
        self._edit.clear()
        self._keys.hide()
        self._edit.show()
        self._edit.setFocus()

    def _stop(self) -> None:
        self._edit.hide()
        self._keys.show()

    def _capture(self) -> None:
        keys = self._edit.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        self._stop()
        if keys:
            self.captured.emit(self.command.id, keys)

    def _ask_reset(self) -> None:
        self.reset.emit(self.command.id)
