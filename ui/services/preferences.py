"""What a person chose: the settings file, and shortcut profiles, which can be carried as files."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.files import replace_text
from annotator.settings import Settings, load_settings, save_settings
from scoring.errors import AnnotatorError, ConflictError, InputError, StoreError, reworded
from scoring.model.record import Record
from scoring.texts import in_language, tr, with_commas
from ui.services.commands import Commands, ShortcutClash
from ui.theme import Button, ButtonKind, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.dialogs import ask_file
from ui.theme.events import on_keys
from ui.theme.layouts import STRETCH, build, hbox
from ui.theme.look import scaled
from ui.theme.words import name_key


class Preferences(QObject):
    """Holds the settings and keeps their file; a change that cannot be written still holds in this window.

    Args:
        path: The settings file; it need not exist.
    """

    changed = Signal(object)
    """The new `Settings`."""
    failed = Signal(object)
    """The `StoreError` of a file that could not be written; told once."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        loaded = load_settings(path)
        self._path = path
        self.settings = loaded.settings
        """The settings as they are now."""
        self._has_failed = False
        self.message = tr(loaded.message)
        """What to tell the person about the file as it was found; empty where all is well."""

    def replace(self, settings: Settings) -> None:
        """Use other settings from now on."""
        if settings == self.settings:
            return
        self.settings = settings
        try:
            save_settings(settings, self._path)
        except StoreError as error:
            if not self._has_failed:
                self._has_failed = True
                self.failed.emit(error)
        self.changed.emit(settings)

    def change(self, **values: object) -> None:
        """Change some fields of the settings.

        Raises:
            pydantic.ValidationError: A field does not exist or a value does not fit.
        """
        self.replace(Settings.model_validate(self.settings.model_dump() | values))


DEFAULT = "Default"
"""The profile every command came with; it cannot be changed, only left."""

OWN = "My keys"
"""What the profile is called that begins where somebody changes keys of the default."""

SUFFIX = ".shortcuts.json"

_VERSION = 1
"""Of files of shortcuts."""

_LONGEST_NAME = 40
_HINT = tr("Choose a file that Annotator exported.")


class ShortcutProfile(Record):
    """Shortcuts by command id, in Qt's portable writing; an empty one takes the default away.

    Commands that are not known here stay in it: another version of the program may know them.
    """

    name: str
    keys: dict[str, str]


def profile_text(profile: ShortcutProfile) -> str:
    """A profile as the text of a file."""
    body = {"format": "annotator shortcuts", "version": _VERSION, **profile.model_dump()}
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def read_profile(text: str) -> ShortcutProfile:
    """Read a profile from the text of a file.

    Raises:
        InputError: It is none, is damaged, or was written by a newer version of the program.
    """
    with reworded(
        ValueError,
        ValidationError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        into=lambda _: InputError(tr("The file of shortcuts is damaged."), _HINT),
    ):
        body = json.loads(text)
        if body.pop("format") != "annotator shortcuts":
            raise InputError(tr("This file contains no shortcuts."), _HINT)
        version = body.pop("version")
        if version > _VERSION:
            raise InputError(
                tr("A newer version of Annotator wrote these shortcuts."), tr("Update Annotator.")
            )
        if version < 1:
            raise ValueError(f"there is no version {version}")
        return ShortcutProfile.model_validate(body)


def switched_words(name: str, clashes: Sequence[ShortcutClash]) -> str:
    """What to say once a profile was switched on."""
    if not clashes:
        return tr("The shortcuts of “{name}” are active.", name=name)
    return tr(
        "The shortcuts of “{name}” are active. {told}: change one of them; until then the key does nothing.",
        name=name,
        told="; ".join(clash.words for clash in clashes),
    )


class Profiles(QObject):
    """The profiles of one window, and which of them is on.

    Args:
        commands: Whose shortcuts; what is changed there is kept in the profile that is on.
        active: Name of the profile that is on.
        own: Keys by command, by the name of the profile.
    """

    changed = Signal()
    """Another profile is on, or one was added, changed or removed."""

    def __init__(self, commands: Commands, *, active: str, own: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__(commands)
        self._commands = commands
        self._own = {name: dict(keys) for name, keys in own.items()}
        self.active = active if active in self._own else DEFAULT
        """Name of the profile that is on."""
        commands.use(self._own.get(self.active, {}))
        commands.chosen_changed.connect(self._note_chosen)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all profiles, the default one first."""
        return (DEFAULT, *sorted(self._own, key=name_key))

    @property
    def own(self) -> dict[str, dict[str, str]]:
        """The person's own profiles, for keeping."""
        return {name: dict(keys) for name, keys in self._own.items()}

    def switch(self, name: str) -> tuple[ShortcutClash, ...]:
        """Use another profile.

        Returns:
            Shortcuts that two commands share in it; such a key does nothing until one is changed.

        Raises:
            InputError: There is no such profile.
        """
        if name not in self.names:
            raise InputError(
                tr("There is no shortcut profile “{name}”.", name=name),
                tr("Choose one of: {there}.", there=with_commas(self.names)),
            )
        self.active = name
        clashes = self._commands.use(self._own.get(name, {}))
        self.changed.emit()
        return clashes

    def add(self, name: str) -> None:
        """Keep the keys there are now under another name, and use that profile.

        Raises:
            InputError: The name is empty or too long.
            ConflictError: There is a profile of this name.
        """
        wanted = name.strip()
        if not wanted or len(wanted) > _LONGEST_NAME:
            raise InputError(
                tr("A profile needs a name of at most {longest_name} letters.", longest_name=_LONGEST_NAME),
                tr("Type one."),
            )
        if wanted in self.names:
            raise ConflictError(
                tr("There is a shortcut profile “{wanted}” already.", wanted=wanted),
                tr("Choose another name."),
            )
        self._own[wanted] = dict(self._own.get(self.active, {}))
        self.active = wanted
        self.changed.emit()

    def remove(self) -> None:
        """Remove the profile that is on and go back to the default; the default stays."""
        if self._own.pop(self.active, None) is not None:
            self.switch(DEFAULT)

    def export(self, path: Path) -> None:
        """Write the profile that is on to a file.

        Raises:
            StoreError: The file cannot be written.
        """
        replace_text(
            path, profile_text(ShortcutProfile(name=self.active, keys=self._own.get(self.active, {})))
        )

    def take_in(self, path: Path) -> tuple[ShortcutClash, ...]:
        """Add the profile of a file, under a name that is free, and use it.

        Returns:
            As `switch`.

        Raises:
            InputError: The file cannot be read or holds no profile.
        """
        with reworded(
            OSError,
            UnicodeDecodeError,
            into=lambda _: InputError(tr("{name} cannot be read.", name=path.name), _HINT),
        ):
            text = path.read_text(encoding="utf-8")
        found = read_profile(text)
        name = self._free_name(found.name.strip()[:_LONGEST_NAME] or OWN)
        self._own[name] = dict(found.keys)
        return self.switch(name)

    def _free_name(self, wanted: str) -> str:
        names = (wanted, *(f"{wanted} {number}" for number in range(2, len(self.names) + 3)))
        return next(name for name in names if name not in self.names)

    def _note_chosen(self, chosen: dict[str, str]) -> None:
        if self.active == DEFAULT:
            self.active = self._free_name(OWN)
        self._own[self.active] = dict(chosen)
        self.changed.emit()


_FILTER = tr("Shortcuts (*{suffix});;All files (*)", suffix=SUFFIX)


class ProfileBar(QWidget):
    """The profile that is on, with what can be done about it.

    Args:
        profiles: The profiles there are.
    """

    said = Signal(str, object)
    """(words, tone): what came of it."""

    def __init__(self, profiles: Profiles, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, **properties)
        self._profiles = profiles
        self._chip = ChoiceChip(
            "shortcut-profile",
            tr("Shortcut profile"),
            chosen=partial(self._attempt, lambda name: switched_words(name, self._profiles.switch(name))),
        )
        self._name = build(
            QLineEdit,
            objectName="profile-name",
            placeholderText=tr("Name, then Enter"),
            accessibleName=tr("Name of the profile"),
            returnPressed=partial(self._attempt, self._added),
            visible=False,
        )
        on_keys(self._name, {Qt.Key.Key_Escape: self._name.hide})
        scaled(self._name, setFixedWidth=150)
        save, imports, export, self._remove = (
            Button(words, ButtonKind.GHOST, objectName=f"profile-{name}", clicked=act)
            for name, words, act in (
                ("add", tr("Save as…"), self._ask_name),
                ("import", tr("Import…"), self.ask_import),
                ("export", tr("Export…"), self.ask_export),
                ("remove", tr("Remove"), partial(self._attempt, self._removed)),
            )
        )
        hbox(self._chip, self._name, save, imports, export, self._remove, STRETCH, within=self, gap=None)
        profiles.changed.connect(self._show)
        self._show()

    def ask_import(self) -> None:
        """Ask for a file of shortcuts."""
        ask_file(
            self,
            tr("Import shortcuts"),
            filters=_FILTER,
            objectName="profile-dialog",
            fileSelected=self.take_in,
        )

    def ask_export(self) -> None:
        """Ask where the profile that is on is to be written."""
        ask_file(
            self,
            tr("Export shortcuts"),
            f"{self._profiles.active}{SUFFIX}",
            _FILTER,
            saves=True,
            objectName="profile-dialog",
            fileSelected=self.export,
        )

    def take_in(self, path: str) -> None:
        """Add the profile of a file and use it."""
        self._attempt(partial(self._taken_in, Path(path)))

    def export(self, path: str) -> None:
        """Write the profile that is on to a file."""
        self._attempt(partial(self._exported, Path(path)))

    def _taken_in(self, path: Path) -> str:
        clashes = self._profiles.take_in(path)
        return switched_words(self._profiles.active, clashes)

    def _exported(self, path: Path) -> str:
        self._profiles.export(path)
        return tr("“{active}” was written to {name}.", active=self._profiles.active, name=path.name)

    def _added(self) -> str:
        self._profiles.add(self._name.text())
        self._name.hide()
        return tr("“{active}” is active; your changes are saved in it.", active=self._profiles.active)

    def _removed(self) -> str:
        name = self._profiles.active
        self._profiles.remove()
        return tr("“{name}” was deleted; the default shortcuts are active.", name=name)

    def _attempt(self, change: Callable[..., str], *chosen: object) -> None:
        try:
            self.said.emit(change(*chosen), Tone.NEUTRAL)
        except AnnotatorError as error:
            self.said.emit(in_language(str(error)), Tone.ERROR)

    def _ask_name(self) -> None:
        self._name.clear()
        self._name.show()
        self._name.setFocus()

    def _show(self) -> None:
        self._chip.set_choices(
            [(name, tr("Default") if name == DEFAULT else name) for name in self._profiles.names]
        )
        self._chip.choose(self._profiles.active)
        is_default = self._profiles.active == DEFAULT
        self._remove.set_blocked(tr("The default shortcuts cannot be deleted.") if is_default else "")
