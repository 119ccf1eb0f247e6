"""Asking about people: adding one, and setting a password."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from scoring.model.record import Record
from scoring.model.taxonomy import Role
from ui.theme import Button, ButtonKind, TextLabel, theme
from ui.theme.words import ROLE

_DUTIES = {
    Role.ANNOTATOR: "checks own cases and judges others'",
    Role.EXPERT: "decides escalated cases and verifies samples",
    Role.MANAGER: "imports, assigns, freezes, looks after people",
}


class NewPerson(Record):
    """Somebody to be added; a null password means none."""

    name: str
    roles: tuple[Role, ...]
    password: str | None = None


class PersonDialog(QDialog):
    """Asks for a person's name, roles and password."""

    ordered = Signal(object)
    """A `NewPerson`."""

    def __init__(self, taken: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("person-dialog")
        self.setWindowTitle("Add a person")
        look = theme()
        self.setFixedWidth(look.px(540))
        self._taken = set(taken)
        self._name = QLineEdit()
        self._name.setObjectName("person-name")
        self._name.setMaxLength(100)
        self._name.textChanged.connect(self._check)
        self._password = _password_field("person-password", "None: anybody here may be this person")
        roles = QVBoxLayout()
        self._roles: dict[Role, QCheckBox] = {}
        for role in Role:
            box = QCheckBox(f"{ROLE[role]}: {_DUTIES[role]}")
            box.setObjectName(f"person-role-{role.value}")
            box.setChecked(role is Role.ANNOTATOR)
            box.toggled.connect(self._check)
            self._roles[role] = box
            roles.addWidget(box)
        form = QFormLayout()
        form.setHorizontalSpacing(look.px(16))
        form.addRow("Name", self._name)
        form.addRow("Roles", roles)
        form.addRow("Password", self._password)
        cancel = Button("Cancel")
        cancel.setObjectName("person-cancel")
        cancel.clicked.connect(self.reject)
        self._go = Button("Add", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("person-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        _lay_out(self, "Add a person", form=form, buttons=(cancel, self._go))
        self._check()

    def _chosen(self) -> tuple[Role, ...]:
        return tuple(role for role, box in self._roles.items() if box.isChecked())

    def _check(self) -> None:
        name = self._name.text().strip()
        reason = ""
        if not name:
            reason = "Type a name."
        elif name in self._taken:
            reason = f"{name} is in the project already."
        elif not self._chosen():
            reason = "Choose at least one role."
        self._go.set_blocked(reason)

    def _order(self) -> None:
        person = NewPerson(
            name=self._name.text().strip(), roles=self._chosen(), password=self._password.text() or None
        )
        self.accept()
        self.ordered.emit(person)


class PasswordDialog(QDialog):
    """Asks for a new password, typed twice; an empty one takes the password away."""

    ordered = Signal(str, str)
    """(name, password)."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("password-dialog")
        self.setWindowTitle("Password")
        self.setFixedWidth(theme().px(400))
        self._person = name
        self._first = _password_field("password-first", "Empty for none")
        self._second = _password_field("password-second", "The same again")
        for field in (self._first, self._second):
            field.textChanged.connect(self._check)
        form = QFormLayout()
        form.setHorizontalSpacing(theme().px(16))
        form.addRow("New password", self._first)
        form.addRow("Again", self._second)
        cancel = Button("Cancel")
        cancel.clicked.connect(self.reject)
        self._go = Button("Set", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("password-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        _lay_out(self, f"Password of {name}", form=form, buttons=(cancel, self._go))

    def _check(self) -> None:
        is_same = self._first.text() == self._second.text()
        self._go.set_blocked("" if is_same else "The two are not the same.")

    def _order(self) -> None:
        password = self._first.text()
        self.accept()
        self.ordered.emit(self._person, password)


def _password_field(name: str, hint: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setEchoMode(QLineEdit.EchoMode.Password)
    field.setPlaceholderText(hint)
    return field


def _lay_out(dialog: QDialog, title: str, *, form: QFormLayout, buttons: Sequence[Button]) -> None:
    look = theme()
    row = QHBoxLayout()
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(*(look.px(16),) * 4)
    column.setSpacing(look.px(12))
    column.addWidget(TextLabel(title, "title"))
    column.addLayout(form)
    column.addLayout(row)
