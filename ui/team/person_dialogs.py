"""Asking about people: adding one, changing roles, setting a password."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QVBoxLayout, QWidget

from annotator.review.measures.workload import OpenWork
from scoring.model.record import Record
from scoring.model.taxonomy import Role
from ui.theme import Button, ButtonKind, theme
from ui.theme.dialogs import DialogFrame
from ui.theme.layouts import build
from ui.theme.words import ROLE, counted

_DUTIES = {
    Role.ANNOTATOR: "checks own cases and judges others'",
    Role.EXPERT: "decides escalated cases and verifies samples",
    Role.MANAGER: "imports, assigns, freezes, manages people",
}

_NO_ROLE = "Choose at least one role."


class NewPerson(Record):
    """Somebody to be added; a null password means none."""

    name: str
    roles: tuple[Role, ...]
    password: str | None = None


class RoleBoxes(QWidget):
    """A box for each role, with what it is for."""

    changed = Signal()

    def __init__(self, chosen: Sequence[Role]) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(4))
        self._boxes: dict[Role, QCheckBox] = {}
        for role in Role:
            box = build(
                QCheckBox,
                f"{ROLE[role]}: {_DUTIES[role]}",
                objectName=f"person-role-{role.value}",
                checked=role in chosen,
            )
            box.toggled.connect(self.changed)
            self._boxes[role] = box
            column.addWidget(box)

    @property
    def chosen(self) -> tuple[Role, ...]:
        """The roles whose boxes are checked."""
        return tuple(role for role, box in self._boxes.items() if box.isChecked())


class PersonDialog(QDialog):
    """Asks for a person's name, roles and password."""

    ordered = Signal(object)
    """A `NewPerson`."""

    def __init__(self, taken: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("person-dialog")
        self.setWindowTitle("Add a person")
        self._taken = set(taken)
        self._name = build(QLineEdit, objectName="person-name", maxLength=100, textChanged=self._check)
        self._roles = RoleBoxes((Role.ANNOTATOR,))
        self._roles.changed.connect(self._check)
        self._password = _password_field("person-password", "None: anybody can work as this person")
        frame = DialogFrame(self, "Add a person", width=540)
        form = frame.add_form()
        form.addRow("Name", self._name)
        form.addRow("Roles", self._roles)
        form.addRow("Password", self._password)
        self._go = frame.confirm("Add", "person-go", self._order)
        self._check()

    def _check(self) -> None:
        name = self._name.text().strip()
        reason = ""
        if not name:
            reason = "Type a name."
        elif name in self._taken:
            reason = f"{name} is in the project already."
        elif not self._roles.chosen:
            reason = _NO_ROLE
        self._go.set_blocked(reason)

    def _order(self) -> None:
        person = NewPerson(
            name=self._name.text().strip(), roles=self._roles.chosen, password=self._password.text() or None
        )
        self.accept()
        self.ordered.emit(person)


class RolesDialog(QDialog):
    """Asks for the roles of somebody who is in the project."""

    ordered = Signal(str, object)
    """(name, roles)."""

    def __init__(self, name: str, roles: Sequence[Role], *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("roles-dialog")
        self.setWindowTitle("Roles")
        self._person = name
        self._roles = RoleBoxes(roles)
        self._roles.changed.connect(self._check)
        frame = DialogFrame(self, f"Roles of {name}", width=540)
        frame.add(self._roles)
        self._go = frame.confirm("Change", "roles-go", self._order)

    def _check(self) -> None:
        self._go.set_blocked("" if self._roles.chosen else _NO_ROLE)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._person, self._roles.chosen)


class PasswordDialog(QDialog):
    """Asks for a new password, typed twice; an empty one takes the password away."""

    ordered = Signal(str, str)
    """(name, password)."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("password-dialog")
        self.setWindowTitle("Password")
        self._person = name
        self._first = _password_field("password-first", "Leave empty for none")
        self._second = _password_field("password-second", "Repeat the password")
        for field in (self._first, self._second):
            field.textChanged.connect(self._check)
        frame = DialogFrame(self, f"Password of {name}", width=400)
        form = frame.add_form()
        form.addRow("New password", self._first)
        form.addRow("Again", self._second)
        self._go = frame.confirm("Set", "password-go", self._order)

    def _check(self) -> None:
        is_same = self._first.text() == self._second.text()
        self._go.set_blocked("" if is_same else "The passwords do not match.")

    def _order(self) -> None:
        password = self._first.text()
        self.accept()
        self.ordered.emit(self._person, password)


class DisableDialog(QDialog):
    """Asks before a person is disabled, and says what goes to others; `ordered` carries the name."""

    ordered = Signal(str)

    def __init__(self, name: str, work: OpenWork, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("disable-dialog")
        self.setWindowTitle("Disable a person")
        self._person = name
        frame = DialogFrame(self, f"Disable {name}?", width=440)
        for words in _disable_words(name, work):
            frame.explain(words, "body")
        go = Button("Disable", ButtonKind.DANGER, objectName="disable-go", clicked=self._order)
        cancel = Button("Cancel", ButtonKind.PRIMARY, keys="Esc", default=True, clicked=self.reject)
        frame.end_with(go, cancel, cancel="")
        cancel.setFocus()

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._person)


def _disable_words(name: str, work: OpenWork) -> tuple[str, ...]:
    held = f"{counted(work.held, 'open case')} of {name}: returned to the queue; drafts are kept."
    owned = f"{counted(work.owned, 'case')} in self-check assigned to {name}: anybody may take over."
    found = [words for count, words in ((work.held, held), (work.owned, owned)) if count]
    return (
        *(found or [f"{name} has no open or assigned cases."]),
        "What was submitted stays. You can enable the person again.",
    )


def _password_field(name: str, hint: str) -> QLineEdit:
    return build(QLineEdit, objectName=name, echoMode=QLineEdit.EchoMode.Password, placeholderText=hint)
