"""Asking about people: adding one, changing roles, setting a password."""

from collections.abc import Collection, Sequence

from pydantic import Field
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.review.measures.workload import OpenWorkCount
from scoring.errors import InputError
from scoring.model.record import Record
from scoring.model.taxonomy import Role
from scoring.wording import counted
from ui.services.forms import RecordForm
from ui.theme import ButtonKind
from ui.theme.dialogs import FormDialog
from ui.theme.fields import ChoiceBoxes, line_field
from ui.theme.words import ROLE

_DUTIES = {
    Role.ANNOTATOR: f"{ROLE[Role.ANNOTATOR]}: checks own cases and judges others'",
    Role.EXPERT: f"{ROLE[Role.EXPERT]}: decides escalated cases and verifies samples",
    Role.MANAGER: f"{ROLE[Role.MANAGER]}: imports, assigns, freezes, manages people",
}


class NewPerson(Record):
    """Somebody to be added; a null password means none."""

    name: str = Field(min_length=1, max_length=100)
    roles: tuple[Role, ...] = Field(default=(Role.ANNOTATOR,), min_length=1)
    password: str | None = Field(default=None, repr=False, examples=["None: anybody can work as this person"])


def person_dialog(parent: QWidget, taken: Collection[str]) -> FormDialog:
    """Ask for a person's name, which is not to be taken, roles and password; answers a `NewPerson`."""
    dialog = FormDialog("person", "Add a person", "Add a person", width=540, parent=parent)

    def accept(person: NewPerson) -> None:
        if person.name in taken:
            raise InputError(f"{person.name} is in the project already.")

    rows, words = NewPerson.model_fields, {"roles": _DUTIES}
    form = RecordForm("person", NewPerson, *rows, words=words, accept=accept, parent=dialog)
    dialog.frame.add_form(*form.rows())
    dialog.end_with("Add", form.record, missing=form.check)
    form.edited.connect(dialog.check)
    return dialog


def roles_dialog(parent: QWidget, name: str, roles: Sequence[Role]) -> FormDialog:
    """Ask for the roles of somebody who is in the project; answers the roles."""
    dialog = FormDialog("roles", "Roles", f"Roles of {name}", width=540, parent=parent)
    boxes = ChoiceBoxes("person-roles", _DUTIES)
    boxes.choose(roles)
    boxes.changed.connect(dialog.check)
    dialog.frame.add(boxes)
    dialog.end_with(
        "Change", lambda: boxes.chosen, missing=lambda: "" if boxes.chosen else "Choose at least one role."
    )
    return dialog


def password_dialog(parent: QWidget, name: str) -> FormDialog:
    """Ask for a new password, typed twice; answers it, empty where the password is taken away."""
    dialog = FormDialog("password", "Password", f"Password of {name}", width=400, parent=parent)
    first, second = (
        line_field(f"password-{number}", hint, echoMode=QLineEdit.EchoMode.Password, textChanged=dialog.check)
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
