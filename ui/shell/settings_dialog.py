"""A person's own settings on one page: look, language, models and keys, shortcuts, folders."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.drafts.journal import journal_folder
from annotator.files import log_path, settings_path
from annotator.llm.endpoints import keep_api_key
from annotator.settings import ColourScheme, Density, Settings
from scoring.errors import AnnotatorError
from scoring.texts import in_language, tr
from ui.services.errors import ManualLink
from ui.services.forms import Editor, RecordForm, Words
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.services.topics import LANGUAGES
from ui.shell.appearance import SCALES
from ui.theme import Button, ElidedLabel, SectionLabel
from ui.theme.dialogs import FramedDialog
from ui.theme.fields import form_row, line_field
from ui.theme.layouts import column, hbox

_LOOK: dict[str, Words] = {
    "theme": {
        ColourScheme.SYSTEM: tr("As the desktop"),
        ColourScheme.LIGHT: tr("Light"),
        ColourScheme.DARK: tr("Dark"),
    },
    "scale": {scale: f"{100 * scale:.0f} %" for scale in SCALES},
    "density": {Density.COMFORTABLE: tr("Comfortable"), Density.COMPACT: tr("Compact")},
    "language": {"": tr("As the computer"), "en": tr("English"), "zh_CN": "中文"},
    "guidelines_language": {"": tr("As the window"), **{one.value: name for one, name in LANGUAGES.items()}},
}
"""What is chosen of the look and the language, and what its values are called."""


class SettingsDialog(FramedDialog):
    """Shows every setting of this person; what is changed holds at once and is kept.

    Args:
        preferences: The settings.
        operations: Talks to the keyring beside the window.
        parent: The window.
    """

    endpoint_wanted = Signal()
    """The form of the endpoint for proposals."""
    shortcuts_wanted = Signal()
    """The sheet of shortcuts."""
    restart_wanted = Signal()
    """The program again, in the language that was chosen."""

    def __init__(
        self, preferences: Preferences, operations: Operations, parent: QWidget, **properties: Any
    ) -> None:
        super().__init__(
            "settings-dialog", tr("Settings"), tr("Settings"), width=620, parent=parent, **properties
        )
        self._preferences = preferences
        self._operations = operations
        self._language = preferences.settings.language
        self._form = self.frame.add_form()
        self._look = RecordForm("settings", Settings, *_LOOK, "hourly_rate", words=_LOOK, parent=self)
        self._look.fill(preferences.settings)
        self._add_look()
        self._add_models()
        self._add_shortcuts()
        self._add_folders()
        self._message = self.frame.explain("", "small-muted", objectName="settings-message")
        self._manual = ManualLink(objectName="settings-manual")
        self.frame.add(self._manual)
        self.frame.close_with(tr("Done"), "settings-done", slot=self._finish)
        preferences.changed.connect(self._show)
        self._show(preferences.settings)

    def _add_look(self) -> None:
        self._section(tr("Look and language"))
        *look, cost = self._look.rows()
        for label, field in look:
            self._form.addRow(label, field)
        self._restart = self._button(
            "restart", tr("Start again in this language"), self.restart_wanted.emit, visible=False
        )
        self._form.addRow("", self._restart)
        self._section(tr("Team"))
        self._form.addRow(cost[0], cost[1])
        for name, one in self._look.fields.items():
            one.editor.changed.connect(partial(self._change, name, one.editor))

    def _add_models(self) -> None:
        self._section(tr("Models"))
        self._endpoint = ElidedLabel("", "muted", objectName="settings-endpoint")
        change = self._button("endpoint-change", tr("Change…"), self.endpoint_wanted.emit)
        self._form.addRow(tr("Endpoint for proposals"), _with_button(self._endpoint, change))
        self._host = line_field(
            "settings-host", "https://api.example.org/v1", about=tr("Address of the endpoint")
        )
        self._key = line_field(
            "settings-key",
            tr("Kept in the keyring, shown nowhere"),
            about=tr("API key"),
            echoMode=QLineEdit.EchoMode.Password,
        )
        self._form.addRow(tr("Key for the address"), self._host)
        self._form.addRow(
            tr("API key"), form_row(self._key, self._button("key-keep", tr("Keep"), self._keep_key))
        )

    def _add_shortcuts(self) -> None:
        self._section(tr("Keyboard"))
        self._profile = ElidedLabel("", "muted", objectName="settings-profile")
        change = self._button("shortcuts", tr("Keyboard shortcuts…"), self.shortcuts_wanted.emit)
        self._form.addRow(tr("Profile"), _with_button(self._profile, change))

    def _add_folders(self) -> None:
        self._section(tr("Where things are"))
        for name, title, folder in (
            ("settings", tr("Settings"), settings_path().parent),
            ("data", tr("Sample project, data"), platformdirs.user_data_path("annotator", appauthor=False)),
            ("drafts", tr("Unsaved work"), journal_folder()),
            ("log", tr("Log"), log_path().parent),
        ):
            open_it = self._button(
                f"open-{name}",
                tr("Open"),
                partial(self._open, folder),
                accessibleName=tr("Open {title}", title=title),
            )
            open_it.set_blocked("" if folder.is_dir() else tr("Nothing has been written there yet."))
            self._form.addRow(title, _with_button(ElidedLabel(str(folder), "small-muted"), open_it))

    def _section(self, title: str) -> None:
        self._form.addRow(SectionLabel(title))

    def _button(self, name: str, words: str, act: Callable[[], object], **properties: Any) -> Button:
        return Button(words, objectName=f"settings-{name}", clicked=lambda: act(), **properties)

    def _change(self, name: str, editor: Editor, *_: object) -> None:
        if editor.read() is not None:
            self._preferences.change(**{name: editor.read()})

    def _show(self, settings: Settings) -> None:
        self._look.fill(settings)
        self._restart.setVisible(settings.language != self._language)
        assist = settings.assist
        self._endpoint.setText(
            tr("{model} at {base_url}", model=assist.model, base_url=assist.base_url)
            if assist.is_on
            else tr("None")
        )
        self._profile.setText(settings.profile or tr("Default keys"))
        if not self._host.text():
            self._host.setText(assist.base_url)

    def _finish(self) -> None:
        """Close it, once a key that was typed is kept: Enter in its field comes here."""
        if self._key.text():
            self._keep_key()
        else:
            self.accept()

    def _keep_key(self) -> None:
        work = partial(keep_api_key, self._host.text().strip(), self._key.text().strip())
        self._operations.run_outside(work, then=self._say_kept, failed=self._say_failed)

    def _say_kept(self, host: str) -> None:
        self._key.clear()
        self._manual.offer("")
        self._message.say(tr("The key for {host} is kept in the keyring.", host=host), "small-muted")

    def _say_failed(self, error: AnnotatorError) -> None:
        self._message.say(in_language(str(error)), "error")
        self._manual.offer(error.message)

    def _open(self, folder: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._message.setText(
                tr("No program on this computer shows folders; it is {folder}.", folder=folder)
            )


def _with_button(label: QWidget, button: Button) -> QWidget:
    return column(hbox((label, 1), button, gap=8))
