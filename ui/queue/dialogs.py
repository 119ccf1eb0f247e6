"""Assigning, importing, moving and handing over cases: dialogs and menus, and what came of them."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget

from annotator.files import replace_text
from annotator.project.changes import Changes
from annotator.review.bulk_changes import BulkAction, BulkChange
from annotator.review.queue.assignments import hand_case, reassign, set_priority
from annotator.review.queue.case_rows import BatchRow, CaseFilter, CaseRow
from scoring.model.taxonomy import EXPERT_STAGES, Priority, Role
from scoring.texts import in_language, tr, tr_count
from ui.services.assignments import ask_to_assign, change_after_preview, change_words
from ui.services.calls import WorkspaceJob
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.cells import Cell
from ui.theme.dialogs import FormDialog, FramedDialog, list_dialog, open_dialog
from ui.theme.fields import DropDown
from ui.theme.layouts import build
from ui.theme.tables import Column
from ui.theme.words import PRIORITY

if TYPE_CHECKING:
    from annotator.cases.file_import import ImportOrder, ImportReport
    from annotator.project.workspace import Done
    from annotator.release.suspects import MendingOrder, MendingStart
    from annotator.review.queue.takers import CaseTaker, CaseTakers
    from ui.queue.import_dialogs import ImportDialog, RejectsDialog

_TAKER_COLUMNS: "tuple[Column[CaseTaker], ...]" = (
    Column(tr("Person"), 140, lambda one: Cell(one.person, is_strong=one.may)),
    Column(
        tr("Could take it"),
        110,
        lambda one: Cell(tr("yes") if one.may else tr("no"), colour="text" if one.may else "muted"),
    ),
    Column(tr("Why"), cell=lambda one: Cell(tr(one.why), tip=tr(one.why))),
)


class CaseDialogs(QObject):
    """What is done to many cases, or to cases of others.

    Args:
        operations: The way to the project.
        page: Whose dialogs they are.
        notice: Where they say what came of it.
    """

    def __init__(self, operations: Operations, page: QWidget, notice: ErrorBanner) -> None:
        super().__init__(page)
        self._operations = operations
        self._page = page
        self._notice = notice

    def ask_import(self, files: Sequence[str] = (), *, mends: bool = False) -> None:
        """Ask what to import, or which public benchmark to mend; `files` are in the list already."""
        from ui.queue.import_dialogs import ImportDialog  # brings every format; the queue needs none

        dialog = ImportDialog(self._page, mends=mends)
        dialog.files.add(files)
        dialog.preview_wanted.connect(partial(self._preview, dialog))
        then = self._show_doubtful if mends else self._report
        dialog.ask(lambda order: self._import(order, order.mend if mends else order.carry_out, then))

    def _preview(self, dialog: "ImportDialog", order: "ImportOrder") -> None:
        title = tr("Look into {shown_batch}", shown_batch=order.shown_batch)
        self._operations.start_job(order.look, title, then=dialog.show_preview, failed=dialog.show_error)

    def ask_assign(self, batches: Sequence[BatchRow], *, wanted: str) -> None:
        """Ask which batch goes to whom; the one called `wanted` is marked."""
        if not batches:
            self._notice.show_message(
                tr("There is no batch to assign: import a file first (Ctrl+I)."), tone=Tone.ACCENT
            )
        else:
            ask_to_assign(self._page, self._operations, self._notice, batches=batches, wanted=wanted)

    def add_choices(self, menu: QMenu, row: CaseRow, *, batches: Sequence[str]) -> None:
        """Add what can be done with one case to its menu: another owner, another batch, a named expert."""
        is_manager = self._operations.has_role(Role.MANAGER)
        if is_manager:
            owners = self._operations.active_people(Role.ANNOTATOR)
            _add_names(menu, tr("Assign to"), owners, partial(self._give, reassign, row.case_id))
            others = [name for name in batches if name != row.batch]
            _add_names(menu, tr("Move to batch"), others, partial(self._move, row.case_id))
            _add_names(menu, tr("Priority"), list(Priority), partial(self._give, set_priority, row.case_id))
        leads = is_manager or self._operations.has_role(Role.EXPERT)
        if leads:
            menu.addAction(tr("Who could take it…"), partial(self._ask_who, row.case_id))
        if row.stage in EXPERT_STAGES and leads:
            experts = self._operations.active_people(Role.EXPERT)
            _add_names(menu, tr("Hand to"), [*experts, ""], partial(self._give, hand_case, row.case_id))

    def ask_change(self, where: CaseFilter, count: int, batches: Sequence[str]) -> None:
        """Ask what is done to all cases of a filter; it is looked ahead before anything changes."""
        people = self._operations.active_people(Role.ANNOTATOR)
        change = partial(change_after_preview, self._page, self._operations, self._notice, which=where)
        change_dialog(self._page, count, people, batches).ask(lambda wanted: change(change=wanted))

    def _ask_who(self, case_id: str) -> None:
        from annotator.review.queue.takers import who_could_take  # the queue opens without

        work = partial(who_could_take, case_id=case_id)
        self._operations.run(
            work,
            then=lambda found: open_dialog(takers_dialog(self._page, found)),
            failed=self._notice.show_error,
        )

    def _give(self, give: Callable[..., "Done[None]"], case_id: str, action: QAction) -> None:
        self._operations.run(
            partial(give, case_id=case_id, to=action.data() or None), failed=self._notice.show_error
        )

    def _move(self, case_id: str, action: QAction) -> None:
        from annotator.review.batches import move_cases  # the queue opens without what batches rest on

        work = partial(move_cases, cases=[case_id], to=str(action.data()))
        said = partial(self._notice.tell, lambda done: in_language(done.words))
        self._operations.run(work, then=said, failed=self._notice.show_error)

    def _import(self, order: "ImportOrder", work: WorkspaceJob, then: Callable[..., None]) -> None:
        self._operations.start_job(
            work,
            tr("Import {shown_batch}", shown_batch=order.shown_batch),
            then=partial(then, order),
            failed=self._notice.show_error,
            changes=Changes(has_new_cases=True),
        )

    def _report(self, order: "ImportOrder", report: "ImportReport") -> None:
        from ui.queue.import_dialogs import RejectsDialog, report_words  # as above

        tone, words = Tone.OK if report.imported else Tone.WARN, report_words(report, order.shown_batch)
        self._notice.show_message(words, tone=tone, page="how_to/import_a_file.md")
        if report.rejects:
            dialog = RejectsDialog(report, batch=order.shown_batch, parent=self._page)
            dialog.save_wanted.connect(partial(self._save_rejects, dialog))
            open_dialog(dialog)

    def _show_doubtful(self, order: "MendingOrder", start: "MendingStart") -> None:
        from ui.queue.import_dialogs import doubtful_dialog  # as above

        open_dialog(doubtful_dialog(self._page, start))
        self._report(order, start.report)

    def _save_rejects(self, dialog: "RejectsDialog", file: str) -> None:
        self._operations.run_outside(
            partial(replace_text, Path(file), dialog.report.rejects_text),
            then=partial(dialog.show_saved, file),
            failed=dialog.show_error,
        )


def _add_names(menu: QMenu, title: str, names: Sequence[str], slot: Callable[[QAction], None]) -> None:
    """Add a menu of names; an empty one stands for nobody."""
    choices = menu.addMenu(title)
    choices.setEnabled(bool(names))
    choices.triggered.connect(slot)
    for name in names:
        words = PRIORITY[name] if isinstance(name, Priority) else name.replace("&", "&&")
        choices.addAction(words or tr("Nobody in particular")).setData(name)


def change_dialog(parent: QWidget, count: int, people: Sequence[str], batches: Sequence[str]) -> FormDialog:
    """Ask what is done to many cases; answers a `BulkChange`.

    Args:
        parent: Above which it opens.
        count: How many cases they are.
        people: Names of those who can own cases.
        batches: Names of the batches there are.
    """
    heading = tr("Change {case}", case=tr_count(count, "case"))
    dialog = FormDialog("change", tr("Change the listed cases"), heading, width=460, parent=parent)
    offered = [
        *((BulkAction.ASSIGN, name) for name in people),
        *((BulkAction.MOVE, name) for name in batches),
        (BulkAction.RETURN, ""),
        *((BulkAction.PRIORITY, priority) for priority in Priority),
    ]
    choices = [
        (change_words(BulkChange(action=action, value=name)), (action, name)) for action, name in offered
    ]
    what = DropDown("change-what", choices, accessibleName=tr("What to do"), currentIndexChanged=dialog.check)
    reason = build(
        QLineEdit, objectName="change-reason", accessibleName=tr("Reason"), textChanged=dialog.check
    )
    dialog.frame.add_form(
        (tr("What to do"), what),
        (tr("Reason"), reason),
        about=tr("What can change, and what cannot, is shown before anything changes."),
    )

    def value() -> str:
        return str(what.currentData()[1]) or reason.text().strip()

    def missing() -> str:
        reason.setEnabled(not what.currentData()[1])
        return "" if value() else tr("Enter a reason for the owners.")

    return dialog.end_with(
        tr("Look ahead"),
        lambda: BulkChange(action=what.currentData()[0], value=value()),
        missing=missing,
    )


def takers_dialog(parent: QWidget, found: "CaseTakers") -> FramedDialog:
    """Show who could take a case now, and why the others cannot."""
    return list_dialog(
        "who",
        tr("Who could take a case"),
        _TAKER_COLUMNS,
        found.people,
        key=attrgetter("person"),
        words=(in_language(found.words),),
        width=640,
        parent=parent,
        heading=tr("Who could take {case_id}", case_id=found.case_id),
    )
