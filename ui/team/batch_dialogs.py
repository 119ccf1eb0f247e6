"""Asking about a batch: why it goes back, who gets cases of it, where they go, and when it is due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.project.people import PersonRow
from annotator.review.batches import parse_day
from scoring.errors import InputError
from scoring.texts import in_language, tr, tr_count
from ui.theme import ButtonKind
from ui.theme.dialogs import FormDialog
from ui.theme.fields import DropDown, NoteField
from ui.theme.layouts import build
from ui.theme.words import name_key

_MOST_NAME = 200


@dataclass(frozen=True)
class HandOver:
    """Whose unfinished cases go to whom."""

    of: str
    to: str


@dataclass(frozen=True)
class BatchMove:
    """The cases that go to another batch, which may be a new one."""

    cases: tuple[str, ...]
    to: str
    is_new: bool


def return_dialog(parent: QWidget, batch: str, count: int) -> FormDialog:
    """Ask why a batch goes back to its owners; answers the reason.

    Args:
        parent: Above which it opens.
        batch: Its name.
        count: Cases that would go back: those in cross-check or approved.
    """
    dialog = FormDialog(
        "return", tr("Return a batch"), tr("Return {batch}", batch=batch), width=460, parent=parent
    )
    reason = NoteField(
        "return-reason",
        tr("Reason"),
        tr("What is wrong, for the owners"),
        textChanged=dialog.check,
        sent=dialog.give,
    )
    dialog.frame.explain(
        tr("Cases in cross-check or approved go back to their owners' self-check, with this reason."),
        "small-muted",
    )
    dialog.frame.add((reason, 1))
    return dialog.end_with(
        tr("Return {case}", case=tr_count(count, "case")),
        lambda: reason.words,
        missing=lambda: "" if reason.words else tr("Enter a reason for the owners."),
        kind=ButtonKind.DANGER,
        keys=tr("Ctrl ↵"),
    )


def hand_over_dialog(
    parent: QWidget, batch: str, owners: Mapping[str, int], people: Sequence[str]
) -> FormDialog:
    """Ask whose unfinished cases of a batch go to whom; answers a `HandOver`.

    Args:
        parent: Above which it opens.
        batch: Its name.
        owners: How many cases in self-check each owner has there.
        people: Names of those who can own cases.
    """
    heading = tr("Reassign cases of {batch}", batch=batch)
    dialog = FormDialog("hand-over", tr("Reassign cases"), heading, width=420, parent=parent)
    held = [
        (tr("{first}, {next}", first=name, next=tr_count(count, "case")), name)
        for name, count in owners.items()
    ]
    names = [(name, name) for name in people]
    of, to = (
        DropDown(f"hand-over-{end}", choices, accessibleName=words, currentIndexChanged=dialog.check)
        for end, words, choices in (("from", tr("From"), held), ("to", tr("To", context="owner"), names))
    )
    dialog.frame.add_form(
        (tr("From"), of),
        (tr("To", context="owner"), to),
        about=tr(
            "Cases in self-check go to another owner; people who checked or decided a case are skipped."
        ),
    )

    def missing() -> str:
        if not owners:
            return tr("No case in self-check has an owner here.")
        return tr("Choose two different people.") if of.currentData() == to.currentData() else ""

    return dialog.end_with(
        tr("Reassign"), lambda: HandOver(of.currentData(), to.currentData()), missing=missing
    )


def split_dialog(
    parent: QWidget, batch: str, *, finished: int, open_: int, name: str, taken: Sequence[str]
) -> FormDialog:
    """Ask what the finished part of a batch is called; answers the name.

    Args:
        parent: Above which it opens.
        batch: Its name.
        finished: Cases that would be split off.
        open_: Cases that hold the batch up and stay.
        name: A name no batch has.
        taken: Names of the batches there are.
    """
    heading = tr("Split off what is finished of {batch}", batch=batch)
    dialog = FormDialog("split", tr("Split off the finished part"), heading, width=460, parent=parent)
    field = build(QLineEdit, name, objectName="split-name", maxLength=_MOST_NAME, textChanged=dialog.check)
    dialog.frame.add_form(
        (tr("Name"), field),
        about=tr(
            "A new batch gets {finished_case}; it is sampled at once. Left in {batch}: {open_case}. "
            "They merge again only after the sample.",
            finished_case=tr_count(finished, "finished case"),
            batch=batch,
            open_case=tr_count(open_, "open case"),
        ),
    )
    return dialog.end_with(
        tr("Split off"), lambda: field.text().strip(), missing=lambda: _why_not_name(field.text(), taken)
    )


def merge_dialog(parent: QWidget, batch: str, count: int, others: Sequence[str]) -> FormDialog:
    """Ask into which batch another one is merged; answers its name.

    Args:
        parent: Above which it opens.
        batch: Whose cases go.
        count: How many they are.
        others: Names of the batches to choose from.
    """
    dialog = FormDialog(
        "merge", tr("Merge batches"), tr("Merge {batch}", batch=batch), width=420, parent=parent
    )
    into = DropDown("merge-into", [(name, name) for name in others], accessibleName=tr("Into"))
    dialog.frame.add_form(
        (tr("Into"), into),
        about=tr(
            "All {case} of {batch} go into another batch and are sampled with its cases. A flag goes "
            "with them.",
            case=tr_count(count, "case"),
            batch=batch,
        ),
    )
    nothing = "" if others else tr("There is no other batch.")
    return dialog.end_with(tr("Merge"), into.currentData, missing=lambda: nothing)


def move_dialog(
    parent: QWidget,
    batch: str,
    cases: Mapping[str | None, tuple[str, ...]],
    *,
    others: Sequence[str],
    taken: Sequence[str],
) -> FormDialog:
    """Ask which cases of a batch go to which other batch, or to a new one; answers a `BatchMove`.

    Args:
        parent: Above which it opens.
        batch: Its name.
        cases: Ids of the cases that can move, by owner; None for those of nobody.
        others: Names of the other batches.
        taken: Names that a new batch cannot have.
    """
    dialog = FormDialog(
        "move", tr("Move cases"), tr("Move cases of {batch}", batch=batch), width=440, parent=parent
    )
    every = tuple(case_id for ids in cases.values() for case_id in ids)
    groups = [(tr("All"), every)] if len(cases) != 1 else []
    groups += [
        (owner or tr("Without an owner"), cases[owner])
        for owner in sorted(cases, key=lambda owner: name_key(owner or ""))
    ]
    choices = [
        (tr("{first}, {next}", first=name, next=tr_count(len(ids), "case")), ids)
        for name, ids in groups
        if ids
    ]
    chosen = DropDown("move-cases", choices, accessibleName=tr("Cases"))
    batches = [*((name, name) for name in others), (tr("a new batch"), None)]
    to = DropDown("move-to", batches, accessibleName=tr("To"), currentIndexChanged=dialog.check)
    name = build(
        QLineEdit,
        objectName="move-name",
        accessibleName=tr("New batch"),
        maxLength=_MOST_NAME,
        textChanged=dialog.check,
    )
    dialog.frame.add_form(
        (tr("Cases"), chosen),
        (tr("To"), to),
        (tr("New batch"), name),
        about=tr(
            "Cases that nobody but their owner has judged go to another batch; judged ones stay together."
        ),
    )

    def missing() -> str:
        name.setEnabled(to.currentData() is None)
        if not choices:
            return tr("None of its cases is before its first judgment.")
        return "" if to.currentData() else _why_not_name(name.text(), taken)

    def answer() -> BatchMove:
        other = to.currentData()
        return BatchMove(chosen.currentData(), other or name.text().strip(), is_new=other is None)

    return dialog.end_with(tr("Move"), answer, missing=missing)


def due_dialog(parent: QWidget, batch: str, due: date | None) -> FormDialog:
    """Ask on which day a batch is due, at first the day it has; answers the day, None if there is none."""
    dialog = FormDialog(
        "due", tr("Due day"), tr("When is {batch} due?", batch=batch), width=380, parent=parent
    )
    return _ask_day(
        dialog, tr("Due on"), due, about=tr("The forecast says whether the open cases are finished by then.")
    )


def away_dialog(parent: QWidget, person: PersonRow) -> FormDialog:
    """Ask until which day somebody is away, at first the known day; answers it, None for not away."""
    heading = tr("Until when is {name} away?", name=person.name)
    dialog = FormDialog("away", tr("Away"), heading, width=440, parent=parent)
    about = tr("From that day on they are given work again. What they hold can be shared out.")
    return _ask_day(dialog, tr("Back on"), person.away_until, about=about)


def _ask_day(dialog: FormDialog, label: str, known: date | None, *, about: str) -> FormDialog:
    day = build(
        QLineEdit,
        known.isoformat() if known else "",
        objectName=dialog.objectName().replace("-dialog", "-day"),
        accessibleName=label,
        placeholderText=tr("YEAR-MONTH-DAY; empty for no day"),
        textChanged=dialog.check,
    )
    dialog.frame.add_form((label, day), about=about)

    def answer() -> date | None:
        return parse_day(day.text()) if day.text().strip() else None

    def missing() -> str:
        try:
            answer()
        except InputError as error:
            return in_language(str(error))
        return ""

    day.selectAll()
    return dialog.end_with(tr("Save"), answer, missing=missing)


def _why_not_name(name: str, taken: Sequence[str]) -> str:
    if not name.strip():
        return tr("Enter a name.")
    return tr("There is a batch of this name already.") if name.strip() in taken else ""
