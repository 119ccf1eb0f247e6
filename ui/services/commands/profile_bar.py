"""Which shortcut profile is on, and what can be done with profiles: name, import, export and remove them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QWidget

from scoring.errors import AnnotatorError
from ui.services.commands.profiles import DEFAULT, SUFFIX, Profiles, switched_words
from ui.theme import Button, ButtonKind, Tone, theme
from ui.theme.buttons import ChoiceChip
from ui.theme.dialogs import open_dialog

_FILTER = f"Shortcuts (*{SUFFIX});;All files (*)"


class _NameField(QLineEdit):
    """Where a profile is named; Escape gives it up."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class ProfileBar(QWidget):
    """The profile that is on, with what can be done about it.

    Args:
        profiles: The profiles there are.
    """

    said = Signal(str, object)
    """(words, tone): what came of it."""

    def __init__(self, profiles: Profiles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._profiles = profiles
        self._chip = ChoiceChip("shortcut-profile", "Shortcut profile")
        self._chip.chosen.connect(self._switch)
        self._name = _NameField()
        self._name.setObjectName("profile-name")
        self._name.setPlaceholderText("Name, then Enter")
        self._name.setAccessibleName("Name of the profile")
        self._name.setFixedWidth(theme().px(150))
        self._name.returnPressed.connect(self._add)
        self._name.left.connect(self._name.hide)
        self._name.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._chip)
        row.addWidget(self._name)
        self._button(row, "add", "Save as…", self._ask_name)
        self._button(row, "import", "Import…", self.ask_import)
        self._button(row, "export", "Export…", self.ask_export)
        self._remove = self._button(row, "remove", "Remove", self._ask_remove)
        row.addStretch(1)
        profiles.changed.connect(self._show)
        self._show()

    def ask_import(self) -> None:
        """Ask for a file of shortcuts."""
        dialog = QFileDialog(self, "Import shortcuts", "", _FILTER)
        self._ask(dialog, self.take_in)

    def ask_export(self) -> None:
        """Ask where the profile that is on is to be written."""
        dialog = QFileDialog(self, "Export shortcuts", f"{self._profiles.active}{SUFFIX}", _FILTER)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self._ask(dialog, self.export)

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
        return f"“{self._profiles.active}” was written to {path.name}."

    def _switched(self, name: str) -> str:
        return switched_words(name, self._profiles.switch(name))

    def _added(self, name: str) -> str:
        self._profiles.add(name)
        self._name.hide()
        return f"“{self._profiles.active}” is active; your changes are saved in it."

    def _removed(self) -> str:
        name = self._profiles.active
        self._profiles.remove()
        return f"“{name}” was deleted; the default shortcuts are active."

    def _attempt(self, change: Callable[[], str]) -> None:
        try:
            self.said.emit(change(), Tone.NEUTRAL)
        except AnnotatorError as error:
            self.said.emit(str(error), Tone.ERROR)

    def _switch(self, name: str) -> None:
        self._attempt(partial(self._switched, name))

    def _add(self) -> None:
        self._attempt(partial(self._added, self._name.text()))

    def _ask_name(self) -> None:
        self._name.clear()
        self._name.show()
        self._name.setFocus()

    def _ask_remove(self) -> None:
        self._attempt(self._removed)

    def _ask(self, dialog: QFileDialog, answer: Callable[[str], None]) -> None:
        dialog.setObjectName("profile-dialog")
        dialog.fileSelected.connect(answer)
        open_dialog(dialog)

    def _button(self, row: QHBoxLayout, name: str, words: str, act: Callable[[], None]) -> Button:
        button = Button(words, ButtonKind.GHOST)
        button.setObjectName(f"profile-{name}")
        button.clicked.connect(act)
        row.addWidget(button)
        return button

    def _show(self) -> None:
        self._chip.set_choices([(name, name) for name in self._profiles.names])
        self._chip.choose(self._profiles.active)
        is_default = self._profiles.active == DEFAULT
        self._remove.set_blocked("The default shortcuts cannot be deleted." if is_default else "")
