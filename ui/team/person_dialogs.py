"""Asking about people: adding one, changing roles, setting a password."""

from collections.abc import Collection, Sequence

from pydantic import Field
from PySide6.QtWidgets import QLineEdit, QWidget

from scoring.errors import InputError
from scoring.model.record import Record
from scoring.model.taxonomy import Role
from scoring.texts import tr, tr_count
from ui.services.forms import record_form
from ui.theme import ButtonKind, WrappedLabel
from ui.theme.dialogs import FormDialog, question_dialog
from ui.theme.fields import ChoiceBoxes, line_field
from ui.theme.words import ROLE

_DUTIES = {
    Role.ANNOTATOR: tr("{role}: checks own cases and judges others'", role=ROLE[Role.ANNOTATOR]),
    Role.EXPERT: tr("{role}: decides escalated cases and verifies samples", role=ROLE[Role.EXPERT]),
    Role.MANAGER: tr("{role}: imports, assigns, freezes, manages people", role=ROLE[Role.MANAGER]),
}


class NewPerson(Record):
    """Somebody to be added; a null password means none."""

    name: str = Field(min_length=1, max_length=100)
    roles: tuple[Role, ...] = Field(default=(Role.ANNOTATOR,), min_length=1)
    password: str | None = Field(
        default=None, repr=False, examples=[tr("None: anybody can work as this person")]
    )


def person_dialog(parent: QWidget, taken: Collection[str]) -> FormDialog:
    """Ask for a person's name, which is not to be taken, roles and password; answers a `NewPerson`."""
    dialog = FormDialog("person", tr("Add a person"), tr("Add a person"), width=540, parent=parent)

    def accept(person: NewPerson) -> None:
        if person.name in taken:
            raise InputError(tr("{name} is in the project already.", name=person.name))

    rows, words = NewPerson.model_fields, {"roles": _DUTIES}
    form = record_form(
        dialog,
        "person",
        NewPerson,
        *rows,
        words=words,
        accept=accept,
    )
    return dialog.end_with(tr("Add"), form.record, missing=form.check)


def roles_dialog(parent: QWidget, name: str, roles: Sequence[Role]) -> FormDialog:
    """Ask for the roles of somebody who is in the project; answers the roles."""
    dialog = FormDialog("roles", tr("Roles"), tr("Roles of {name}", name=name), width=540, parent=parent)
    boxes = ChoiceBoxes("person-roles", _DUTIES, changed=dialog.check)
    boxes.choose(roles)
    dialog.frame.add(boxes)
    return dialog.end_with(
        tr("Change"),
        lambda: boxes.chosen,
        missing=lambda: "" if boxes.chosen else tr("Choose at least one role."),
    )


def password_dialog(parent: QWidget, name: str) -> FormDialog:
    """Ask for a new password, typed twice; answers it, empty where the password is taken away."""
    dialog = FormDialog(
        "password", tr("Password"), tr("Password of {name}", name=name), width=400, parent=parent
    )
    first, second = (
        line_field(f"password-{number}", hint, echoMode=QLineEdit.EchoMode.Password, textChanged=dialog.check)
        for number, hint in (("first", tr("Leave empty for none")), ("second", tr("Repeat the password")))
    )
    dialog.frame.add_form((tr("New password"), first), (tr("Again", context="password"), second))
    return dialog.end_with(
        tr("Set"),
        first.text,
        missing=lambda: "" if first.text() == second.text() else tr("The passwords do not match."),
    )


def disable_dialog(parent: QWidget, name: str, held: Collection[str]) -> FormDialog:
    """Ask before a person is disabled, and say what goes to others, the cases `held`; answers None."""
    others = tr(
        "{case} of {name}: anybody may take over; drafts are kept.",
        case=tr_count(len(held), "case"),
        name=name,
    )
    nothing = tr("{name} has no open or assigned cases.", name=name)
    return question_dialog(
        "disable",
        tr("Disable a person"),
        tr("Disable {name}?", name=name),
        WrappedLabel(others if held else nothing),
        WrappedLabel(tr("What was submitted stays. You can enable the person again.")),
        verb=tr("Disable"),
        width=440,
        parent=parent,
        kind=ButtonKind.DANGER,
    )
