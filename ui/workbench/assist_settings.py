"""Naming the endpoint that proposals come from, or none."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from annotator.settings import AssistSettings
from scoring.errors import AnnotatorError
from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.dialogs import open_dialog


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
        look = theme()
        self.setFixedWidth(look.px(520))
        self._before = settings
        self._address = _field("assist-address", settings.base_url, "http://localhost:11434/v1")
        self._model = _field("assist-model", settings.model, "The name the endpoint knows it by")
        self._variable = _field("assist-variable", settings.key_variable, "Empty: the keyring, or none")
        form = QFormLayout()
        form.setSpacing(look.px(8))
        for name, field in (
            ("Address", self._address),
            ("Model", self._model),
            ("Variable with the key", self._variable),
        ):
            field.setAccessibleName(name)
            form.addRow(TextLabel(name), field)
        told = TextLabel(
            "Any OpenAI-compatible endpoint, on this computer or elsewhere. Nothing is sent before you ask "
            "for a proposal, and you are told where it goes. Without an address there are no proposals.",
            "muted",
        )
        told.setWordWrap(True)
        self._error = TextLabel("", "error")
        self._error.setObjectName("assist-error")
        self._error.setWordWrap(True)
        self._error.hide()
        off = Button("Switch off")
        off.setObjectName("assist-off")
        off.clicked.connect(self._switch_off)
        off.set_blocked("" if settings.is_on else "Proposals are off.")
        cancel = Button("Cancel", keys="Esc")
        cancel.clicked.connect(self.reject)
        save = Button("Save", ButtonKind.PRIMARY, keys="Enter")
        save.setObjectName("assist-save")
        save.setDefault(True)
        save.clicked.connect(self._save)
        buttons = QHBoxLayout()
        buttons.addWidget(off)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(save)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(look.px(16),) * 4)
        column.setSpacing(look.px(12))
        column.addWidget(TextLabel("Endpoint for proposals", "title"))
        column.addWidget(told)
        column.addLayout(form)
        column.addWidget(self._error)
        column.addLayout(buttons)

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
    field = QLineEdit(text)
    field.setObjectName(name)
    field.setPlaceholderText(placeholder)
    return field
