"""Naming the endpoint that proposals come from, or none."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from annotator.settings import AssistSettings
from scoring.errors import AnnotatorError
from ui.services.preferences import Preferences
from ui.theme import Button, ButtonKind, TextLabel
from ui.theme.dialogs import DialogFrame, open_dialog
from ui.theme.layouts import build


def ask_endpoint(preferences: Preferences, parent: QWidget) -> None:
    """Ask which endpoint proposals come from, and keep it."""
    dialog = AssistDialog(preferences.settings.assist, parent)
    dialog.chosen.connect(partial(_keep, preferences))
    dialog.ask()


def _keep(preferences: Preferences, settings: AssistSettings) -> None:
    preferences.change(assist=settings.model_dump())


class AssistDialog(QDialog):
    """Asks for address, model and key; empty fields switch proposals off.

    `chosen` carries the `AssistSettings`.

    Args:
        settings: As they are.
        parent: The page.
    """

    chosen = Signal(object)

    def __init__(self, settings: AssistSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("assist-dialog")
        self.setWindowTitle("Endpoint for proposals")
        self._before = settings
        self._address = _field("assist-address", settings.base_url, "http://localhost:11434/v1")
        self._model = _field("assist-model", settings.model, "The name the endpoint knows it by")
        self._variable = _field("assist-variable", settings.key_variable, "Empty: the keyring, or none")
        off = Button("Switch off", objectName="assist-off", clicked=self._switch_off)
        off.set_blocked("" if settings.is_on else "Proposals are off.")
        save = Button(
            "Save", ButtonKind.PRIMARY, keys="↵", objectName="assist-save", default=True, clicked=self._save
        )
        frame = DialogFrame(self, "Endpoint for proposals", width=520)
        frame.explain(
            "Any OpenAI-compatible endpoint, on this computer or elsewhere. Nothing is sent before you ask "
            "for a proposal, and you are told where it goes. Without an address there are no proposals."
        )
        form = frame.add_form()
        for name, field in (
            ("Address", self._address),
            ("Model", self._model),
            ("Variable with the key", self._variable),
        ):
            field.setAccessibleName(name)
            form.addRow(TextLabel(name), field)
        self._error = frame.explain("", "error")
        self._error.setObjectName("assist-error")
        self._error.hide()
        frame.end_with(save, left=off)

    def ask(self) -> None:
        """Open it above its window."""
        open_dialog(self)
        self._address.setFocus()

    def _save(self) -> None:
        from annotator.llm.endpoints import Endpoint

        chosen = AssistSettings(
            base_url=self._address.text().strip(),
            model=self._model.text().strip(),
            key_variable=self._variable.text().strip().removeprefix("$"),
            agreed_host=self._before.agreed_host,
        )
        try:
            Endpoint(chosen.base_url, chosen.model)
        except AnnotatorError as error:
            self._error.setText(str(error))
            self._error.show()
            return
        self.chosen.emit(chosen)
        self.accept()

    def _switch_off(self) -> None:
        self.chosen.emit(AssistSettings())
        self.accept()


def _field(name: str, text: str, placeholder: str) -> QLineEdit:
    return build(QLineEdit, text, objectName=name, placeholderText=placeholder)
