"""Commands as values, and the window's set of them: shortcuts, whether they can be used and why not.

How it is used. Whoever can do something says so once, and binds its buttons to it:

    commands.add(Command("queue.next", "Next case", "Queue", self.claim_next, keys="N"), self)
    commands.bind(self._next_button, "queue.next")
    commands.block("queue.next", "Nothing waits for you.")       # an empty reason frees it again

A command belongs to a widget: the window (it works everywhere) or a page (it works while the page is
shown). Single letters do not fire while somebody types in a field. The shortcut of a blocked command
does nothing but say why, through `refused`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidget

from scoring.errors import ConflictError, InputError
from scoring.texts import tr, with_commas
from ui.services.held_key import is_key_held
from ui.theme import Button, ButtonKind
from ui.theme.layouts import build
from ui.theme.look import application

_COMMAND = "command"
_WAIT_MILLISECONDS = 300
"""Letters of a word follow each other faster; nobody misses the moment where a button shows it pressed."""
_SIGNS = {"Return": "↵", "Enter": "↵", "Shift": "⇧", "Up": "↑", "Down": "↓", "Left": "←", "Right": "→"}


@dataclass(frozen=True)
class Command:
    """One thing that can be done.

    `id` is stable (`page.verb`), `category` is the heading it is listed under. `keys` is the default
    shortcut in Qt's portable writing, e.g. `Ctrl+Return`, empty for none; `also` are further ones that
    cannot be changed. The shortcut of a local command works only while its widget, or one inside, has
    the focus: for keys that mean something else elsewhere, such as Return. A command that is done once does
    not repeat while its keys are held. The keys of a command that waits act a moment later, and not at all
    where a letter follows them: for what nothing on the page takes back. `like` names a command of another
    page that does the same: keys a person chose for it hold here too, unless this one was given keys of its
    own or others here use them.
    """

    id: str
    title: str
    category: str
    run: Callable[[], object]
    keys: str = ""
    also: tuple[str, ...] = ()
    is_local: bool = False
    is_done_once: bool = False
    waits: bool = False
    like: str = ""


@dataclass(frozen=True)
class ShortcutClash:
    """A shortcut that two commands share where both can be used; Qt then does neither."""

    keys: str
    first: Command
    second: Command

    @property
    def words(self) -> str:
        """It in words, e.g. `J is used by “Next case” and “Import cases”`."""
        return tr(
            "{shown_keys} is used by “{title}” and “{title2}”",
            shown_keys=shown_keys(self.keys),
            title=self.first.title,
            title2=self.second.title,
        )


def shown_keys(keys: str) -> str:
    """A shortcut as people read it, e.g. `Ctrl ↵` for `Ctrl+Return`; Return alone is `Enter`."""
    if not keys:
        return ""
    if keys in ("Return", "Enter"):
        return "Enter"
    first = keys.split(", ")[0]
    parts = [*first[:-1].rstrip("+").split("+"), "+"] if first.endswith("+") else first.split("+")
    return " ".join(_SIGNS.get(part, part) for part in parts if part)


@dataclass
class _Entry:
    command: Command
    widget: QWidget
    action: QAction
    keys: str
    reason: str = ""


class Commands(QObject):
    """The commands of one window; see the module's text.

    Args:
        window: Where commands live that belong to no page.
        chosen: Shortcuts a person chose, by command id; they win over the defaults.
    """

    changed = Signal(str)
    """Id of a command whose shortcut or reason changed."""
    chosen_changed = Signal(object)
    """All shortcuts that differ from the defaults, by command id."""
    refused = Signal(str, str)
    """Title of a command that cannot be used now, and why."""

    def __init__(self, window: QWidget, *, chosen: Mapping[str, str] | None = None) -> None:
        super().__init__(window)
        self._window = window
        self._chosen = dict(chosen or {})
        self._entries: dict[str, _Entry] = {}
        self._bound: dict[str, list[QAbstractButton]] = {}
        self._waiting = ""
        self._moment = build(
            QTimer, self, singleShot=True, interval=_WAIT_MILLISECONDS, timeout=self._end_wait
        )

    def add(self, command: Command, widget: QWidget | None = None) -> QAction:
        """Make a command usable while its widget is shown; without one, everywhere in the window.

        Returns:
            Its action, for menus.

        Raises:
            ValueError: There is a command with this id.
        """
        if command.id in self._entries:
            raise ValueError(f"there is a command {command.id} already")
        place = widget or self._window
        local, everywhere = Qt.ShortcutContext.WidgetWithChildrenShortcut, Qt.ShortcutContext.WindowShortcut
        action = build(
            QAction,
            command.title,
            place,
            objectName=command.id,
            shortcutContext=local if command.is_local else everywhere,
            autoRepeat=not command.is_done_once,
            triggered=partial(self._act, command.id),
        )
        place.addAction(action)
        entry = _Entry(command, place, action, self._chosen.get(command.id, command.keys))
        self._entries[command.id] = entry
        entry.keys = self._keys_of(entry)
        _set_shortcuts(entry)
        return action

    def add_all(self, widget: QWidget, *commands: Command) -> None:
        """Make commands usable while a widget is shown."""
        for command in commands:
            self.add(command, widget)

    def drop(self, widget: QWidget) -> None:
        """Forget the commands of a page that goes away, its own and those of the widgets in it."""
        for command_id, entry in list(self._entries.items()):
            if entry.widget is widget or widget.isAncestorOf(entry.widget):
                entry.widget.removeAction(entry.action)
                entry.action.deleteLater()
                del self._entries[command_id]
                self._bound.pop(command_id, None)

    def trigger(self, command_id: str) -> None:
        """Do it, or say why it cannot be done now."""
        entry = self._entries[command_id]
        if entry.reason:
            self.refused.emit(entry.command.title, entry.reason)
        else:
            entry.command.run()

    def block(self, command_id: str, reason: str) -> None:
        """Say why a command cannot be used now; an empty reason frees it."""
        entry = self._entries[command_id]
        if entry.reason == reason:
            return
        entry.reason = reason
        for button in self._buttons(command_id):
            _show_reason(button, entry)
        self.changed.emit(command_id)

    def block_all(self, reason: str, *command_ids: str) -> None:
        """Say of several commands why they cannot be used now, as `block` does of one."""
        for command_id in command_ids:
            self.block(command_id, reason)

    def block_each(self, room: str, reasons: Mapping[str, str]) -> None:
        """Say of each command of a page why it cannot be used now; `reasons` by what follows `room.`."""
        for name, reason in reasons.items():
            self.block(f"{room}.{name}", reason)

    def bind(self, button: QAbstractButton, command_id: str) -> None:
        """Have a button do a command, show its keys and follow whether it can be used."""
        entry = self._entries[command_id]
        self._bound[command_id] = [*self._buttons(command_id), button]
        button.setProperty(_COMMAND, command_id)
        button.clicked.connect(self._press)
        _show_keys(button, entry)
        _show_reason(button, entry)

    def bind_all(self, room: str, *pairs: tuple[str, QAbstractButton]) -> None:
        """Have buttons do commands of a page, each with what follows `room.` in the command's id."""
        for name, button in pairs:
            self.bind(button, f"{room}.{name}")

    def button(
        self, command_id: str, words: str, *, name: str, kind: ButtonKind = ButtonKind.SECONDARY
    ) -> Button:
        """Make a button that does a command, with an object name; see `bind`."""
        button = Button(words, kind, objectName=name)
        self.bind(button, command_id)
        return button

    def action(self, command_id: str) -> QAction:
        """The action of a command, for menus."""
        return self._entries[command_id].action

    def menu(self, parent: QWidget, name: str, command_ids: Iterable[str]) -> QMenu:
        """A menu of commands, with an object name; an empty id is a line between them."""
        menu = build(QMenu, parent, objectName=name)
        for command_id in command_ids:
            if command_id:
                menu.addAction(self.action(command_id))
            else:
                menu.addSeparator()
        return menu

    def all(self) -> tuple[Command, ...]:
        """Every command, in the order they were added."""
        return tuple(entry.command for entry in self._entries.values())

    def usable_here(self) -> tuple[Command, ...]:
        """Commands of what is shown now, those of the page before those of the window."""
        shown = [entry for entry in self._entries.values() if entry.widget.isVisible()]
        return tuple(e.command for e in sorted(shown, key=lambda entry: entry.widget is self._window))

    def letters(self) -> frozenset[str]:
        """The characters that are commands of what is shown now: `p` for `P`, `P` for `Shift+P`."""
        used = [
            key for command in self.usable_here() for key in (self._entries[command.id].keys, *command.also)
        ]
        bare = {key.lower() for key in used if len(key) == 1}
        return frozenset(bare | {key[-1] for key in used if key.startswith("Shift+") and len(key) == 7})

    def by_place(self) -> tuple[Command, ...]:
        """Every command: those of what is shown now first, then the window's, then those of other pages."""

        def place(entry: _Entry) -> int:
            return 1 if entry.widget is self._window else 0 if entry.widget.isVisible() else 2

        return tuple(entry.command for entry in sorted(self._entries.values(), key=place))

    def keys(self, command_id: str) -> str:
        """The shortcut of a command in Qt's portable writing; empty for none."""
        return self._entries[command_id].keys

    def reason(self, command_id: str) -> str:
        """Why a command cannot be used now; empty where it can."""
        return self._entries[command_id].reason

    def is_chosen(self, command_id: str) -> bool:
        """Whether the shortcut is not the default one."""
        return command_id in self._chosen

    def conflicts(self, command_id: str, keys: str) -> tuple[Command, ...]:
        """Other commands that use a shortcut where this command could be used too."""
        wanted = QKeySequence(keys)
        own = self._entries[command_id]
        return tuple(
            other.command
            for other in self._entries.values()
            if other is not own
            and keys
            and self._meet(own, other)
            and any(_meets(wanted, used) for used in other.action.shortcuts())
        )

    def choose_keys(self, command_id: str, keys: str) -> None:
        """Give a command another shortcut; an empty one takes it away.

        Raises:
            InputError: The keys cannot be read.
            ConflictError: Another command uses them; names it.
        """
        portable = QKeySequence(keys).toString(QKeySequence.SequenceFormat.PortableText)
        if keys and not portable:
            raise InputError(
                tr("'{keys}' is not a valid shortcut.", keys=keys), tr("Press the key combination itself.")
            )
        taken = self.conflicts(command_id, portable)
        if taken:
            names = with_commas(f"“{command.title}”" for command in taken)
            raise ConflictError(
                tr("{shown_keys} is used by {names}.", shown_keys=shown_keys(portable), names=names),
                tr("Choose other keys, or change the other command first."),
            )
        self._use(command_id, portable)

    def use(self, chosen: Mapping[str, str]) -> tuple[ShortcutClash, ...]:
        """Use these shortcuts and the defaults for all other commands; unknown commands are kept.

        Returns:
            What clashes among the commands there are now.
        """
        self._chosen = dict(chosen)
        for command_id, entry in self._entries.items():
            keys = self._keys_of(entry)
            if keys != entry.keys:
                entry.keys = keys
                self._show_change(command_id)
        return self.clashes()

    def clashes(self) -> tuple[ShortcutClash, ...]:
        """Shortcuts that two commands share where both can be used."""
        found: list[ShortcutClash] = []
        for command_id, entry in self._entries.items():
            for other in self.conflicts(command_id, entry.keys):
                if not any({one.first.id, one.second.id} == {command_id, other.id} for one in found):
                    found.append(ShortcutClash(entry.keys, entry.command, other))
        return tuple(found)

    def reset_keys(self, command_id: str) -> None:
        """Give a command its default shortcut back.

        Raises:
            ConflictError: Another command was given it meanwhile.
        """
        self.choose_keys(command_id, self._entries[command_id].command.keys)

    def _meet(self, one: _Entry, other: _Entry) -> bool:
        """Whether two commands can be used at the same time."""
        if self._window in (one.widget, other.widget) or one.widget is other.widget:
            return True
        return one.widget.isAncestorOf(other.widget) or other.widget.isAncestorOf(one.widget)

    def _use(self, command_id: str, keys: str) -> None:
        entry = self._entries[command_id]
        entry.keys = keys
        self._chosen.pop(command_id, None)
        if keys != entry.command.keys:
            self._chosen[command_id] = keys
        self._show_change(command_id)
        for other_id, other in self._entries.items():
            if other.command.like == command_id and self._keys_of(other) != other.keys:
                other.keys = self._keys_of(other)
                self._show_change(other_id)
        self.chosen_changed.emit(dict(self._chosen))

    def _keys_of(self, entry: _Entry) -> str:
        """The keys a command has: chosen for it, else for the one it is like, else the default."""
        command = entry.command
        if command.id in self._chosen:
            return self._chosen[command.id]
        wanted = self._chosen.get(command.like, command.keys)
        return command.keys if wanted != command.keys and self.conflicts(command.id, wanted) else wanted

    def _show_change(self, command_id: str) -> None:
        entry = self._entries[command_id]
        _set_shortcuts(entry)
        for button in self._buttons(command_id):
            _show_keys(button, entry)
        self.changed.emit(command_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Installed only while a command waits.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_letter = event.text().isprintable() and bool(event.text()) and not event.isAutoRepeat()
            if is_letter and self._moment.isActive():
                self._moment.stop()
                title = self._entries[self._waiting].command.title
                self._leave_wait()
                self.refused.emit(
                    title, tr("nothing done, because another letter followed as in a sentence.")
                )
        return False

    def _act(self, command_id: str) -> None:
        entry = self._entries[command_id]
        if entry.command.is_done_once and is_key_held(entry.widget):
            return
        if not entry.command.waits or entry.reason:
            self.trigger(command_id)
        elif not self._moment.isActive():
            self._waiting = command_id
            for button in self._buttons(command_id):
                button.setDown(True)
            application().installEventFilter(self)
            self._moment.start()

    def _end_wait(self) -> None:
        command_id, entry = self._waiting, self._entries.get(self._waiting)
        self._leave_wait()
        if entry is not None and entry.widget.isVisible():
            self.trigger(command_id)

    def _leave_wait(self) -> None:
        application().removeEventFilter(self)
        for button in self._buttons(self._waiting):
            button.setDown(False)

    def _press(self) -> None:
        self.trigger(str(self.sender().property(_COMMAND)))

    def _buttons(self, command_id: str) -> list[QAbstractButton]:
        """Buttons bound to a command that still exist."""
        return [button for button in self._bound.get(command_id, []) if shiboken6.isValid(button)]


def _set_shortcuts(entry: _Entry) -> None:
    keys = (entry.keys, *entry.command.also)
    sequences = [QKeySequence(key) for key in keys if key]
    # The keypad's Enter is another key to Qt than Return, but not to people.
    sequences += [QKeySequence(key.replace("Return", "Enter")) for key in keys if key.endswith("Return")]
    entry.action.setShortcuts(sequences)


def _meets(first: QKeySequence, second: QKeySequence) -> bool:
    none = QKeySequence.SequenceMatch.NoMatch
    return first.matches(second) != none or second.matches(first) != none


def _show_keys(button: QAbstractButton, entry: _Entry) -> None:
    if isinstance(button, Button):
        button.set_keys(shown_keys(entry.keys))
    else:
        _show_reason(button, entry)


def _show_reason(button: QAbstractButton, entry: _Entry) -> None:
    if isinstance(button, Button):
        button.set_blocked(entry.reason)
    else:
        button.setEnabled(not entry.reason)
        keys = f" ({shown_keys(entry.keys)})" if entry.keys else ""
        button.setToolTip(entry.reason or entry.command.title + keys)
