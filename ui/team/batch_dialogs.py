"""Asking about a batch: why it goes back, who gets cases of it, where they go, and when it is due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.review.batches import parse_day
from scoring.errors import InputError
from scoring.wording import counted
from ui.theme import ButtonKind
from ui.theme.dialogs import FormDialog
from ui.theme.fields import DropDown, NoteField
from ui.theme.layouts import build

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
    dialog = FormDialog("return", "Return a batch", f"Return {batch}", width=460, parent=parent)
    reason = NoteField(
        "return-reason",
        "Reason",
        "What is wrong, for the owners",
        textChanged=dialog.check,
        sent=dialog.give,
    )
    dialog.frame.explain(
        "Cases in cross-check or approved go back to their owners' self-check, with this reason.",
        "small-muted",
    )
    dialog.frame.add(reason, stretch=1)
    dialog.end_with(
        f"Return {counted(count, 'case')}",
        lambda: reason.words,
        missing=lambda: "" if reason.words else "Enter a reason for the owners.",
        kind=ButtonKind.DANGER,
        keys="Ctrl ↵",
    )
    return dialog


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
    heading = f"Reassign cases of {batch}"
    dialog = FormDialog("hand-over", "Reassign cases", heading, width=420, parent=parent)
    held = [(f"{name}, {counted(count, 'case')}", name) for name, count in owners.items()]
    names = [(name, name) for name in people]
    of, to = (
        DropDown(f"hand-over-{end}", choices, accessibleName=end.title(), currentIndexChanged=dialog.check)
        for end, choices in (("from", held), ("to", names))
    )
    dialog.frame.explain(
        "Cases in self-check go to another owner; people who checked or decided a case are skipped.",
        "small-muted",
    )
    dialog.frame.add_form(("From", of), ("To", to))

    def missing() -> str:
        if not owners:
            return "No case in self-check has an owner here."
        return "Choose two different people." if of.currentData() == to.currentData() else ""

    dialog.end_with("Reassign", lambda: HandOver(of.currentData(), to.currentData()), missing=missing)
    return dialog


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
    heading = f"Split off what is finished of {batch}"
    dialog = FormDialog("split", "Split off the finished part", heading, width=460, parent=parent)
    field = build(QLineEdit, name, objectName="split-name", maxLength=_MOST_NAME, textChanged=dialog.check)
    dialog.frame.explain(
        f"A new batch gets {counted(finished, 'finished case')}; it is sampled at once. "
        f"Left in {batch}: {counted(open_, 'open case')}. They merge again only after the sample.",
        "small-muted",
    )
    dialog.frame.add_form(("Name", field))
    dialog.end_with(
        "Split off", lambda: field.text().strip(), missing=lambda: _why_not_name(field.text(), taken)
    )
    return dialog


def merge_dialog(parent: QWidget, batch: str, count: int, others: Sequence[str]) -> FormDialog:
    """Ask into which batch another one is merged; answers its name.

    Args:
        parent: Above which it opens.
        batch: Whose cases go.
        count: How many they are.
        others: Names of the batches to choose from.
    """
    dialog = FormDialog("merge", "Merge batches", f"Merge {batch}", width=420, parent=parent)
    into = DropDown("merge-into", [(name, name) for name in others], accessibleName="Into")
    dialog.frame.explain(
        f"All {counted(count, 'case')} of {batch} go into another batch and are sampled with its cases. "
        "A flag goes with them.",
        "small-muted",
    )
    dialog.frame.add_form(("Into", into))
    nothing = "" if others else "There is no other batch."
    dialog.end_with("Merge", into.currentData, missing=lambda: nothing)
    return dialog


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
    dialog = FormDialog("move", "Move cases", f"Move cases of {batch}", width=440, parent=parent)
    every = tuple(case_id for ids in cases.values() for case_id in ids)
    groups = [("All", every)] if len(cases) != 1 else []
    groups += [(owner or "Without an owner", ids) for owner, ids in cases.items()]
    choices = [(f"{name}, {counted(len(ids), 'case')}", ids) for name, ids in groups if ids]
    chosen = DropDown("move-cases", choices, accessibleName="Cases")
    batches = [*((name, name) for name in others), ("a new batch", None)]
    to = DropDown("move-to", batches, accessibleName="To", currentIndexChanged=dialog.check)
    name = build(
        QLineEdit,
        objectName="move-name",
        accessibleName="New batch",
        maxLength=_MOST_NAME,
        textChanged=dialog.check,
    )
    dialog.frame.explain(
        "Cases that nobody but their owner has judged go to another batch; judged ones stay together.",
        "small-muted",
    )
    dialog.frame.add_form(("Cases", chosen), ("To", to), ("New batch", name))

    def missing() -> str:
        name.setEnabled(to.currentData() is None)
        if not choices:
            return "None of its cases is before its first judgment."
        return "" if to.currentData() else _why_not_name(name.text(), taken)

    def answer() -> BatchMove:
        other = to.currentData()
        return BatchMove(chosen.currentData(), other or name.text().strip(), is_new=other is None)

    dialog.end_with("Move", answer, missing=missing)
    return dialog


def due_dialog(parent: QWidget, batch: str, due: date | None) -> FormDialog:
    """Ask on which day a batch is due, at first the day it has; answers the day, None if there is none."""
    dialog = FormDialog("due", "Due day", f"When is {batch} due?", width=380, parent=parent)
    day = build(
        QLineEdit,
        due.isoformat() if due else "",
        objectName="due-day",
        accessibleName="Due on",
        placeholderText="YEAR-MONTH-DAY; empty for no day",
        textChanged=dialog.check,
    )
    dialog.frame.explain("The forecast says whether the open cases are finished by then.", "small-muted")
    dialog.frame.add_form(("Due on", day))

    def answer() -> date | None:
        return parse_day(day.text()) if day.text().strip() else None

    def missing() -> str:
        try:
            answer()
        except InputError as error:
            return str(error)
        return ""

    dialog.end_with("Save", answer, missing=missing)
    day.selectAll()
    return dialog


def _why_not_name(name: str, taken: Sequence[str]) -> str:
    if not name.strip():
        return "Enter a name."
    return "There is a batch of this name already." if name.strip() in taken else ""
