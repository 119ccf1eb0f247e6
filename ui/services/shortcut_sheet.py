"""The sheet of shortcuts: every command with its keys, searched and changed in place."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QKeySequenceEdit,
    QLineEdit,
    QWidget,
)

from scoring.errors import AnnotatorError
from scoring.groups import grouped
from scoring.texts import in_language, tr
from ui.services.commands import Command, Commands, shown_keys
from ui.services.palette import match_rank
from ui.services.preferences import ProfileBar, Profiles
from ui.theme import Button, ButtonKind, ElidedLabel, SectionLabel, Tone, theme
from ui.theme.dialogs import FramedDialog
from ui.theme.events import follow_events
from ui.theme.layouts import ScrollArea, build, hbox, vbox
from ui.theme.look import follow_theme, scaled

_COLUMNS, _TWO_COLUMNS = 2, 700
_LEAST_WIDTH, _LEAST_HEIGHT = 260, 110
_RIGHT = 12


class ShortcutSheet(FramedDialog):
    """Lists every command by category, those of the page first; a click on its keys changes them.

    A change is made in the profile that is on.

    Args:
        commands: Whose shortcuts.
        profiles: The sets of shortcuts there are.
        parent: The window.
    """

    def __init__(self, commands: Commands, profiles: Profiles, *, parent: QWidget) -> None:
        title = tr("Keyboard shortcuts")
        super().__init__("shortcut-sheet", title, title, width=860, height=620, parent=parent)
        self._commands = commands
        self._field = build(
            QLineEdit,
            objectName="shortcut-search",
            placeholderText=tr("Search commands"),
            accessibleName=tr("Search commands"),
            textChanged=self._filter,
        )
        self._rows: dict[str, _Row] = {}
        self._groups = _Groups()
        self._fill()
        groups = ScrollArea(self._groups, width=_LEAST_WIDTH, height=_LEAST_HEIGHT)
        self.frame.add(ProfileBar(profiles, said=self._say), self._field, (groups, 1))
        self._message = self.frame.explain(
            tr("Click the keys of a command to change them."), "small-muted", objectName="shortcut-message"
        )
        self.frame.close_with(tr("Done"), "shortcut-done")
        commands.changed.connect(self._refresh)
        self._field.setFocus()

    def _fill(self) -> None:
        commands = self._commands.by_place()
        choose = partial(self._attempt, self._commands.choose_keys)
        reset = partial(self._attempt, self._commands.reset_keys)
        for category, members in grouped((command.category, command) for command in commands).items():
            rows = [_Row(command, captured=choose, reset=reset) for command in members]
            for row in rows:
                self._rows[row.command.id] = row
                self._refresh(row.command.id)
            self._groups.add(category, rows)

    def _refresh(self, command_id: str) -> None:
        if command_id in self._rows:
            keys, is_chosen = self._commands.keys(command_id), self._commands.is_chosen(command_id)
            self._rows[command_id].show_keys(keys, is_chosen=is_chosen)

    def _attempt(self, change: Callable[..., None], *chosen: str) -> None:
        try:
            change(*chosen)
        except AnnotatorError as error:
            self._say(in_language(str(error)), Tone.ERROR)
        else:
            self._say(tr("Changed; saved on this computer."), Tone.NEUTRAL)

    def _say(self, words: str, tone: Tone) -> None:
        self._message.say(words, "small-muted" if tone is Tone.NEUTRAL else tone.value)

    def _filter(self, text: str) -> None:
        for row in self._rows.values():
            fits = match_rank(text.strip(), f"{row.command.title} {row.command.category}") is not None
            row.setVisible(fits)
        self._groups.hide_empty()


class _Groups(QWidget):
    """Groups of rows below each other, in two columns where there is room for two."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[tuple[QWidget, list[_Row]]] = []
        self._columns = [vbox(gap=16) for _ in range(_COLUMNS)]
        self._sides = hbox(*self._columns, within=self, margins=(0, 0, _RIGHT, 0))
        self._used = 0
        follow_theme(self._arrange)
        follow_events(self, self._arrange, QEvent.Type.Resize)

    def add(self, category: str, rows: "list[_Row]") -> None:
        """Add a group at the end."""
        group = QWidget(self)
        vbox(SectionLabel(category), *rows, within=group, gap=2)
        self._groups.append((group, rows))
        self._used = 0

    def hide_empty(self) -> None:
        """Show the groups of which a row is shown."""
        for group, rows in self._groups:
            group.setVisible(any(not row.isHidden() for row in rows))

    def minimumSizeHint(self) -> QSize:
        # What two columns need must not keep the room for them open.
        least = max((group.minimumSizeHint().width() for group, _ in self._groups), default=0)
        return QSize(least + theme().px(_RIGHT), super().minimumSizeHint().height())

    def _arrange(self) -> None:
        wanted = _COLUMNS if self.width() >= theme().px(_TWO_COLUMNS) else 1
        if wanted == self._used:
            return
        self._used = wanted
        for place, column in enumerate(self._columns):
            while column.takeAt(0) is not None:
                pass
            self._sides.setStretch(place, int(place < wanted))
        scaled(self._sides, setSpacing=32 if wanted > 1 else 0)
        heights = [0] * wanted
        for group, rows in self._groups:
            place = heights.index(min(heights))
            heights[place] += len(rows) + 2
            self._columns[place].addWidget(group)
        for column in self._columns:
            column.addStretch(1)


class _Row(QWidget):
    """One command with its keys; a click on them listens for others."""

    captured = Signal(str, str)
    reset = Signal(str)

    def __init__(self, command: Command, **properties: Any) -> None:
        build(super().__init__, **properties)
        self.command = command
        self._keys = Button("", ButtonKind.GHOST, objectName=f"keys-{command.id}", clicked=self._listen)
        self._edit = build(
            QKeySequenceEdit,
            objectName=f"capture-{command.id}",
            maximumSequenceLength=1,
            editingFinished=self._capture,
            visible=False,
        )
        self._edit.setFinishingKeyCombinations([])
        self._edit.installEventFilter(self)
        scaled(self._edit, setFixedWidth=110)
        self._reset = Button(
            tr("Reset"),
            ButtonKind.LINK,
            objectName=f"reset-{command.id}",
            clicked=partial(self.reset.emit, command.id),
        )
        hbox((ElidedLabel(command.title), 1), self._reset, self._keys, self._edit, within=self, gap=8)

    def show_keys(self, keys: str, *, is_chosen: bool) -> None:
        """Show the shortcut there is now."""
        self._keys.set_keys(shown_keys(keys) or "none")
        self._keys.setAccessibleName(f"{self.command.title}: {shown_keys(keys) or tr('no shortcut')}")
        self._keys.setToolTip(tr("Click to change, then press the keys; Backspace removes the shortcut."))
        self._reset.setVisible(is_chosen)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self._stop()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Escape:
                    self._stop()
                    return True
                case Qt.Key.Key_Backspace if not event.modifiers():
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
