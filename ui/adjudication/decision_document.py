"""The decision an expert is making: frozen values on one undo stack, until it is submitted."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from annotator.review.verifying import Adjudication, Decision
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from ui.adjudication.deciding import Result, Row, left_to_decide, result_of, rows_of, told, with_edit

_COMMAND_ID = 1


class DecisionDocument(QObject):
    """Holds an adjudication and the decision about it.

    Args:
        adjudication: The case with what its reviewers said.
        decision: Where to go on from.
    """

    changed = Signal()
    """The decision is another one."""
    undo_changed = Signal(str)
    """What undo would take back; empty for nothing."""
    refused = Signal(object)
    """The `AnnotatorError` of an edit that was not made."""

    def __init__(self, adjudication: Adjudication, decision: Decision, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.adjudication = adjudication
        self._decision = decision
        self.stack = QUndoStack(self)
        self.stack.undoTextChanged.connect(self.undo_changed)

    @property
    def decision(self) -> Decision:
        """The decision so far."""
        return self._decision

    @property
    def rows(self) -> tuple[Row, ...]:
        """Everything there is to decide."""
        return rows_of(self.adjudication, self._decision)

    @property
    def left(self) -> tuple[str, ...]:
        """Ids of what an approval still needs decided."""
        return left_to_decide(self.adjudication, self._decision)

    @property
    def case(self) -> Case:
        """The case as the expert would have it, before fields and accepted edits are put in."""
        return self._decision.edit or self.adjudication.case

    @property
    def result(self) -> Result:
        """The case the decision makes."""
        return result_of(self.adjudication, self._decision)

    def change(self, title: str, change: Callable[[Decision], Decision], *, key: str = "") -> bool:
        """Change the decision as one step of undo; edits in a row with the same key become one."""
        after = change(self._decision)
        if after == self._decision:
            return False
        self.stack.push(_Change(self, title, after=after, key=key))
        return True

    def decide(self, title: str, change: Callable[[Decision], Decision]) -> bool:
        """Decide something; what would make a case that breaks a rule is not done and goes to `refused`."""
        try:
            after = change(self._decision)
        except AnnotatorError as error:
            self.refused.emit(told(error))
            return False
        broken = result_of(self.adjudication, after).error
        if broken is not None and self.result.error is None:
            self.refused.emit(told(broken))
            return False
        return self.change(title, lambda _: after)

    def edit_case(self, title: str, change: Callable[[Case], Case], *, key: str = "") -> bool:
        """Change the case itself; an edit that is refused goes to `refused`."""
        try:
            after = change(self.case)
        except AnnotatorError as error:
            self.refused.emit(error)
            return False
        shown = self.adjudication.case
        return self.change(title, lambda decision: with_edit(decision, after, shown=shown), key=key)

    def show(self, decision: Decision) -> None:
        """Take a decision on; called by the undo stack's commands."""
        self._decision = decision
        self.changed.emit()


class _Change(QUndoCommand):
    """One step of undo."""

    def __init__(self, document: DecisionDocument, title: str, *, after: Decision, key: str) -> None:
        super().__init__(title)
        self._document = document
        self._before = document.decision
        self._after = after
        self._key = key

    def id(self) -> int:
        return _COMMAND_ID

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Change) or not self._key or other._key != self._key:
            return False
        self._after = other._after
        self.setObsolete(self._after == self._before)
        return True

    def undo(self) -> None:
        self._document.show(self._before)

    def redo(self) -> None:
        self._document.show(self._after)
