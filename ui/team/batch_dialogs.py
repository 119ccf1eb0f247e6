"""Asking about a batch: why it goes back, who gets cases of it, where they go, and when it is due."""

from collections.abc import Mapping, Sequence
from datetime import date

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from annotator.review.batches import parse_day
from scoring.errors import InputError
from ui.theme import ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import DropDown, NoteField
from ui.theme.layouts import build
from ui.theme.words import counted

_MOST_NAME = 200


class ReturnDialog(QDialog):
    """Asks why a batch goes back to its owners.

    Args:
        batch: Its name.
        count: Cases that would go back: those in cross-check or approved.
    """

    ordered = Signal(str, str)
    """(batch, reason)."""

    def __init__(self, batch: str, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("return-dialog")
        self.setWindowTitle("Return a batch")
        self._batch = batch
        self._reason = NoteField(
            "return-reason",
            "Reason",
            "What is wrong, for the owners",
            textChanged=self._check,
            sent=self._order,
        )
        frame = DialogFrame(self, f"Return {batch}", width=460)
        frame.explain(
            "Cases in cross-check or approved go back to their owners' self-check, with this reason.",
            "small-muted",
        )
        frame.add(self._reason, stretch=1)
        self._go = frame.confirm(
            f"Return {counted(count, 'case')}",
            "return-go",
            self._order,
            kind=ButtonKind.DANGER,
            keys="Ctrl ↵",
        )
        self._check()

    def _check(self) -> None:
        self._go.set_blocked("" if self._reason.words else "Enter a reason for the owners.")

    def _order(self) -> None:
        reason = self._reason.words
        if reason:
            self.accept()
            self.ordered.emit(self._batch, reason)


class HandOverDialog(QDialog):
    """Asks whose unfinished cases of a batch go to whom.

    Args:
        batch: Its name.
        owners: How many cases in self-check each owner has there.
        people: Names of those who can own cases.
    """

    ordered = Signal(str, str, str)
    """(batch, from, to)."""

    def __init__(
        self, batch: str, owners: Mapping[str, int], people: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("hand-over-dialog")
        self.setWindowTitle("Reassign cases")
        self._batch = batch
        held = [(f"{name}, {counted(count, 'case')}", name) for name, count in owners.items()]
        self._from = DropDown("hand-over-from", held)
        self._to = DropDown("hand-over-to", [(name, name) for name in people])
        frame = DialogFrame(self, f"Reassign cases of {batch}", width=420)
        frame.explain(
            "Cases in self-check go to another owner; people who checked or decided a case are skipped.",
            "small-muted",
        )
        form = frame.add_form()
        for box, title in ((self._from, "From"), (self._to, "To")):
            box.setAccessibleName(title)
            box.currentIndexChanged.connect(self._check)
            form.addRow(title, box)
        self._go = frame.confirm("Reassign", "hand-over-go", self._order)
        self._check()

    def _check(self) -> None:
        reason = "" if self._from.count() else "No case in self-check has an owner here."
        if not reason and self._from.currentData() == self._to.currentData():
            reason = "Choose two different people."
        self._go.set_blocked(reason)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._batch, self._from.currentData(), self._to.currentData())


class SplitDialog(QDialog):
    """Asks what the finished part of a batch is called; Enter splits it off.

    Args:
        batch: Its name.
        finished: Cases that would be split off.
        open_: Cases that hold the batch up and stay.
        name: A name no batch has.
        taken: Names of the batches there are.
    """

    ordered = Signal(str, str)
    """(batch, name of the part)."""

    def __init__(
        self,
        batch: str,
        *,
        finished: int,
        open_: int,
        name: str,
        taken: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("split-dialog")
        self.setWindowTitle("Split off the finished part")
        self._batch, self._taken = batch, taken
        self._name = build(
            QLineEdit, name, objectName="split-name", maxLength=_MOST_NAME, textChanged=self._check
        )
        frame = DialogFrame(self, f"Split off what is finished of {batch}", width=460)
        frame.explain(
            f"A new batch gets {counted(finished, 'finished case')}; it is sampled at once. "
            f"Left in {batch}: {counted(open_, 'open case')}. They merge again only after the sample.",
            "small-muted",
        )
        frame.add_form().addRow("Name", self._name)
        self._go = frame.confirm("Split off", "split-go", self._order)
        self._check()

    def _check(self) -> None:
        self._go.set_blocked(_why_not_name(self._name.text(), self._taken))

    def _order(self) -> None:
        if not _why_not_name(self._name.text(), self._taken):
            self.accept()
            self.ordered.emit(self._batch, self._name.text().strip())


class MergeDialog(QDialog):
    """Asks into which batch another one is merged.

    Args:
        batch: Whose cases go.
        count: How many they are.
        others: Names of the batches to choose from.
    """

    ordered = Signal(str, str)
    """(batch, batch that gets the cases)."""

    def __init__(self, batch: str, count: int, others: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("merge-dialog")
        self.setWindowTitle("Merge batches")
        self._batch = batch
        self._into = DropDown("merge-into", [(name, name) for name in others], accessibleName="Into")
        frame = DialogFrame(self, f"Merge {batch}", width=420)
        frame.explain(
            f"All {counted(count, 'case')} of {batch} go into another batch and are sampled with its cases. "
            "A flag goes with them.",
            "small-muted",
        )
        frame.add_form().addRow("Into", self._into)
        go = frame.confirm("Merge", "merge-go", self._order)
        go.set_blocked("" if others else "There is no other batch.")

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._batch, self._into.currentData())


class MoveDialog(QDialog):
    """Asks which cases of a batch go to which other batch, or to a new one.

    Args:
        batch: Its name.
        cases: Ids of the cases that can move, by owner; null for those of nobody.
        others: Names of the other batches.
        taken: Names that a new batch cannot have.
    """

    ordered = Signal(str, object, str, bool)
    """(batch, ids, other batch, whether that is a new one)."""

    def __init__(
        self,
        batch: str,
        cases: Mapping[str | None, tuple[str, ...]],
        *,
        others: Sequence[str],
        taken: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("move-dialog")
        self.setWindowTitle("Move cases")
        self._batch, self._taken = batch, taken
        every = tuple(case_id for ids in cases.values() for case_id in ids)
        groups = [("All", every)] if len(cases) != 1 else []
        groups += [(owner or "Without an owner", ids) for owner, ids in cases.items()]
        self._cases = DropDown(
            "move-cases", [(f"{name}, {counted(len(ids), 'case')}", ids) for name, ids in groups if ids]
        )
        self._to = DropDown("move-to", [*((name, name) for name in others), ("a new batch", None)])
        self._name = build(QLineEdit, objectName="move-name", maxLength=_MOST_NAME)
        frame = DialogFrame(self, f"Move cases of {batch}", width=440)
        frame.explain(
            "Cases that nobody but their owner has judged go to another batch; judged ones stay together.",
            "small-muted",
        )
        form = frame.add_form()
        for field, title in ((self._cases, "Cases"), (self._to, "To"), (self._name, "New batch")):
            field.setAccessibleName(title)
            form.addRow(title, field)
        self._to.currentIndexChanged.connect(self._check)
        self._name.textChanged.connect(self._check)
        self._go = frame.confirm("Move", "move-go", self._order)
        self._check()

    def _why_not(self) -> str:
        if not self._cases.count():
            return "None of its cases is before its first judgment."
        return "" if self._to.currentData() else _why_not_name(self._name.text(), self._taken)

    def _check(self) -> None:
        self._name.setEnabled(self._to.currentData() is None)
        self._go.set_blocked(self._why_not())

    def _order(self) -> None:
        if not self._why_not():
            to = self._to.currentData()
            self.accept()
            self.ordered.emit(
                self._batch, self._cases.currentData(), to or self._name.text().strip(), to is None
            )


class DueDialog(QDialog):
    """Asks on which day a batch is due.

    Args:
        batch: Its name.
        due: The day it has, null for none.
    """

    ordered = Signal(str, object)
    """(batch, day or null)."""

    def __init__(self, batch: str, due: date | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("due-dialog")
        self.setWindowTitle("Due day")
        self._batch = batch
        self._day = build(
            QLineEdit,
            due.isoformat() if due else "",
            objectName="due-day",
            accessibleName="Due on",
            placeholderText="YEAR-MONTH-DAY; empty for no day",
            textChanged=self._check,
        )
        frame = DialogFrame(self, f"When is {batch} due?", width=380)
        frame.explain("The forecast says whether the open cases are finished by then.", "small-muted")
        frame.add_form().addRow("Due on", self._day)
        self._go = frame.confirm("Save", "due-go", self._order)
        self._day.selectAll()

    def _read(self) -> date | None:
        return parse_day(self._day.text()) if self._day.text().strip() else None

    def _check(self) -> None:
        try:
            self._read()
        except InputError as error:
            self._go.set_blocked(str(error))
        else:
            self._go.set_blocked("")

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._batch, self._read())


def _why_not_name(name: str, taken: Sequence[str]) -> str:
    if not name.strip():
        return "Enter a name."
    return "There is a batch of this name already." if name.strip() in taken else ""
