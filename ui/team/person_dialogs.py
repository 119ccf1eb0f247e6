"""Asking about people: adding one, changing roles, setting a password."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from annotator.review.measures.workload import OpenWorkCount
from scoring.model.record import Record
from scoring.model.taxonomy import Role
from scoring.wording import counted
from ui.theme import ButtonKind
from ui.theme.dialogs import FormDialog
from ui.theme.layouts import build, vbox
from ui.theme.words import ROLE

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

    def __init__(self, chosen: Sequence[Role], *, changed: Callable[[], None]) -> None:
        super().__init__()
        self._boxes = {
            role: build(
                QCheckBox,
                f"{ROLE[role]}: {_DUTIES[role]}",
                objectName=f"person-role-{role.value}",
                checked=role in chosen,
                toggled=changed,
            )
            for role in Role
        }
        vbox(*self._boxes.values(), within=self, gap=4)

    @property
    def chosen(self) -> tuple[Role, ...]:
        """The roles whose boxes are checked."""
        return tuple(role for role, box in self._boxes.items() if box.isChecked())


def person_dialog(parent: QWidget, taken: Collection[str]) -> FormDialog:
    """Ask for a person's name, which is not to be taken, roles and password; answers a `NewPerson`."""
    dialog = FormDialog("person", "Add a person", "Add a person", width=540, parent=parent)
    name = build(QLineEdit, objectName="person-name", maxLength=100, textChanged=dialog.check)
    roles = RoleBoxes((Role.ANNOTATOR,), changed=dialog.check)
    password = _password_field("person-password", "None: anybody can work as this person")
    dialog.frame.add_form(("Name", name), ("Roles", roles), ("Password", password))

    def missing() -> str:
        wanted = name.text().strip()
        if not wanted:
            return "Type a name."
        if wanted in taken:
            return f"{wanted} is in the project already."
        return "" if roles.chosen else _NO_ROLE

    dialog.end_with(
        "Add",
        lambda: NewPerson(name=name.text().strip(), roles=roles.chosen, password=password.text() or None),
        missing=missing,
    )
    return dialog


def roles_dialog(parent: QWidget, name: str, roles: Sequence[Role]) -> FormDialog:
    """Ask for the roles of somebody who is in the project; answers the roles."""
    dialog = FormDialog("roles", "Roles", f"Roles of {name}", width=540, parent=parent)
    boxes = RoleBoxes(roles, changed=dialog.check)
    dialog.frame.add(boxes)
    dialog.end_with("Change", lambda: boxes.chosen, missing=lambda: "" if boxes.chosen else _NO_ROLE)
    return dialog


def password_dialog(parent: QWidget, name: str) -> FormDialog:
    """Ask for a new password, typed twice; answers it, empty where the password is taken away."""
    dialog = FormDialog("password", "Password", f"Password of {name}", width=400, parent=parent)
    first, second = (
        _password_field(f"password-{number}", hint, textChanged=dialog.check)
        for number, hint in (("first", "Leave empty for none"), ("second", "Repeat the password"))
    )
    dialog.frame.add_form(("New password", first), ("Again", second))
    dialog.end_with(
        "Set",
        first.text,
        missing=lambda: "" if first.text() == second.text() else "The passwords do not match.",
    )
    return dialog


def disable_dialog(parent: QWidget, name: str, work: OpenWorkCount) -> FormDialog:
    """Ask before a person is disabled, and say what goes to others; answers None."""
    dialog = FormDialog("disable", "Disable a person", f"Disable {name}?", width=440, parent=parent)
    for words in _disable_words(name, work):
        dialog.frame.explain(words, "body")
    dialog.confirm_with("Disable", kind=ButtonKind.DANGER)
    return dialog


def _disable_words(name: str, work: OpenWorkCount) -> tuple[str, ...]:
    held = f"{counted(work.held, 'open case')} of {name}: returned to the queue; drafts are kept."
    owned = f"{counted(work.owned, 'case')} in self-check assigned to {name}: anybody may take over."
    found = [words for count, words in ((work.held, held), (work.owned, owned)) if count]
    return (
        *(found or [f"{name} has no open or assigned cases."]),
        "What was submitted stays. You can enable the person again.",
    )


def _password_field(name: str, hint: str, **properties: Any) -> QLineEdit:
    secret = QLineEdit.EchoMode.Password
    return build(QLineEdit, objectName=name, echoMode=secret, placeholderText=hint, **properties)
