"""Importing, assigning, moving and handing over cases: dialogs and menus, and what came of them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from annotator.project.changes import Changes
from annotator.project.stages import EXPERT_STAGES
from annotator.review.queue.assignments import assign_batch, hand_case, reassign
from annotator.review.queue.case_rows import BatchRow, CaseRow
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Role
from ui.queue.import_dialog import ImportDialog, ImportOrder, RejectsDialog, report_words
from ui.services.assignments import AssignDialog
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.dialogs import open_dialog
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.cases.file_import import ImportReport
    from annotator.project.workspace import Done, Workspace
    from annotator.review.batches import Moved


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

    def add_choices(self, menu: QMenu, row: CaseRow, *, batches: Sequence[str]) -> None:
        """Add what can be done with one case to its menu: another owner, another batch, a named expert."""
        me = self._operations.project.person if self._operations.project else None
        if me is None:
            return
        if me.has_role(Role.MANAGER):
            _add_names(menu, "Assign to", self.owners(), partial(self._reassign, row.case_id))
            others = [name for name in batches if name != row.batch]
            _add_names(menu, "Move to batch", others, partial(self._move, row.case_id))
        if row.stage in EXPERT_STAGES and (me.has_role(Role.MANAGER) or me.has_role(Role.EXPERT)):
            people = self._operations.project.people if self._operations.project else ()
            experts = [person.name for person in people if person.is_active and person.has_role(Role.EXPERT)]
            _add_names(menu, "Hand to", [*experts, ""], partial(self._hand, row.case_id))

    def _reassign(self, case_id: str, action: QAction) -> None:
        work = partial(reassign, case_id=case_id, to=str(action.data()))
        self._operations.run(work, failed=self._fail)

    def _move(self, case_id: str, action: QAction) -> None:
        work = partial(_move, case_id=case_id, batch=str(action.data()))
        self._operations.run(work, then=self._say_moved, failed=self._fail)

    def _hand(self, case_id: str, action: QAction) -> None:
        work = partial(hand_case, case_id=case_id, to=str(action.data()) or None)
        self._operations.run(work, failed=self._fail)

    def _say_moved(self, done: "Moved") -> None:
        self.said.emit(done.words, Tone.OK)

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


def _add_names(menu: QMenu, title: str, names: Sequence[str], slot: Callable[[QAction], None]) -> None:
    """Add a menu of names; an empty one stands for nobody."""
    choices = menu.addMenu(title)
    choices.setEnabled(bool(names))
    choices.triggered.connect(slot)
    for name in names:
        choices.addAction(name.replace("&", "&&") or "Nobody in particular").setData(name)


def _move(workspace: "Workspace", *, case_id: str, batch: str) -> "Done[Moved]":
    # Here, not above: the queue opens without what batches rest on.
    from annotator.review.batches import move_cases

    return move_cases(workspace, [case_id], to=batch)
