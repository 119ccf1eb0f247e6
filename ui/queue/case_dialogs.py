"""Importing, assigning and reassigning cases: the dialogs, and what came of them."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.project.changes import Changes
from annotator.review.queue.assignments import assign_batch, reassign
from annotator.review.queue.case_rows import BatchRow
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Role
from ui.queue.import_dialog import ImportDialog, ImportOrder, RejectsDialog, report_words
from ui.services.assign_dialog import AssignDialog
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.dialogs import open_dialog
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.cases.file_import import ImportReport


class CaseDialogs(QObject):
    """What is done to many cases, or to cases of others.

    Args:
        operations: The way to the project.
        page: Whose dialogs they are.
    """

    said = Signal(str, object)
    """(words, tone): what came of it."""
    failed = Signal(object)
    """The `AnnotatorError` that says why not."""

    def __init__(self, operations: Operations, page: QWidget) -> None:
        super().__init__(page)
        self._operations = operations
        self._page = page

    def owners(self) -> list[str]:
        """Names of those who can own cases."""
        people = self._operations.project.people if self._operations.project else ()
        return [person.name for person in people if person.is_active and person.has_role(Role.ANNOTATOR)]

    def ask_import(self, files: Sequence[str] = ()) -> None:
        """Ask what to import; `files` are in the list already."""
        dialog = ImportDialog(self._page)
        dialog.add_files(files)
        dialog.ordered.connect(self._import)
        open_dialog(dialog)

    def ask_assign(self, batches: Sequence[BatchRow], *, wanted: str) -> None:
        """Ask which batch goes to whom; the one called `wanted` is marked."""
        if not batches:
            self.said.emit("There is no batch to assign: import a file first (Ctrl+I).", Tone.ACCENT)
            return
        dialog = AssignDialog(batches, self.owners(), wanted=wanted, parent=self._page)
        dialog.ordered.connect(self._assign)
        open_dialog(dialog)

    def reassign(self, case_id: str, name: str) -> None:
        """Give one case to somebody else."""
        self._operations.run(partial(reassign, case_id=case_id, to=name), failed=self._fail)

    def _import(self, order: ImportOrder) -> None:
        self._operations.start_job(
            order.carry_out,
            f"Import {order.shown_batch}",
            then=partial(self._report, order),
            failed=self._fail,
            changes=Changes(has_new_cases=True),
        )

    def _report(self, order: ImportOrder, report: "ImportReport") -> None:
        tone = Tone.OK if report.imported else Tone.WARN
        self.said.emit(report_words(report, order.shown_batch), tone)
        if report.rejects:
            open_dialog(RejectsDialog(report, batch=order.shown_batch, parent=self._page))

    def _assign(self, batch: str, names: tuple[str, ...]) -> None:
        self._operations.run(
            partial(assign_batch, batch=batch, to=names),
            then=partial(self._say_assigned, names),
            failed=self._fail,
        )

    def _say_assigned(self, names: tuple[str, ...], count: int) -> None:
        self.said.emit(f"{counted(count, 'case')} assigned to {', '.join(names)}.", Tone.ACCENT)

    def _fail(self, error: AnnotatorError) -> None:
        self.failed.emit(error)
