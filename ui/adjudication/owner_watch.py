"""Asking what the owner had said, as soon as everything about a dispute is decided."""

from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.review.verifying import OwnerVersion, reveal_owner
from scoring.errors import AnnotatorError
from ui.adjudication.decision_document import DecisionDocument
from ui.operations import Operations


class OwnerWatch(QObject):
    """Watches a decision grow; what was revealed once stays so, whatever is decided afterwards."""

    revealed = Signal(object)
    """The `OwnerVersion`, once for each case."""

    def __init__(self, operations: Operations, document: DecisionDocument) -> None:
        super().__init__(document)
        self._operations = operations
        self._document = document
        self._is_done = False
        self._is_stopped = False
        self.version: OwnerVersion | None = None

    def look(self) -> None:
        """Ask now, if everything is decided and it was not asked yet."""
        document = self._document
        if self._is_done or self._is_stopped or not document.adjudication.is_owner_hidden:
            return
        if document.left or document.result.error is not None:
            return
        self._is_done = True
        self._operations.run(
            partial(
                reveal_owner,
                assignment_id=document.adjudication.assignment_id,
                decision=document.decision,
            ),
            then=self._show,
            failed=self._fail,
            origin=self,
        )

    def stop(self) -> None:
        """Ask and tell no more: the decision was submitted or put away."""
        self._is_stopped = True

    def _show(self, version: OwnerVersion) -> None:
        if self._is_stopped:
            return
        self.version = version
        self.revealed.emit(version)

    def _fail(self, _: AnnotatorError) -> None:
        # Whatever is in the way is said when the decision is submitted; the next change asks again.
        self._is_done = False
