"""Importing, assigning, moving and handing over cases: dialogs and menus, and what came of them."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu, QWidget

from annotator.files import replace_text
from annotator.project.changes import Changes
from annotator.review.queue.assignments import hand_case, reassign
from annotator.review.queue.case_rows import BatchRow, CaseRow
from scoring.errors import StoreError
from scoring.model.record import Record
from scoring.model.taxonomy import EXPERT_STAGES, CaseFormat, Role
from scoring.wording import counted
from ui.services.assignments import ask_to_assign
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import Button, Tone
from ui.theme.cells import Cell
from ui.theme.dialogs import FormDialog, FramedDialog, open_dialog
from ui.theme.fields import DropDown, FilesField
from ui.theme.layouts import build
from ui.theme.tables import Column, FigureTable, Row

if TYPE_CHECKING:
    from annotator.cases.file_import import ImportReport, Reject
    from annotator.jobs import JobContext
    from annotator.project.workspace import Done, Workspace
    from annotator.review.batches import MovedCases


_FILTER = "Dialogues (*.jsonl *.json);;All files (*)"
_REJECT_COLUMNS = (Column("File", 160), Column("Line", 72, is_figure=True), Column("Reason"))


def _formats() -> list[tuple[str, CaseFormat | None]]:
    from scoring.formats.codecs import CODECS  # the queue starts without any of them

    return [("Detect automatically", None), *((codec.title, name) for name, codec in CODECS.items())]


class ImportOrder(Record):
    """What is to be imported; an empty batch takes the first file's name."""

    files: tuple[Path, ...]
    format: CaseFormat | None = None
    batch: str = ""

    @property
    def shown_batch(self) -> str:
        """The name the batch will have."""
        return self.batch or self.files[0].stem

    def carry_out(self, context: "JobContext", workspace: "Workspace") -> "ImportReport":
        """Import; a job."""
        from annotator.cases.file_import import import_files  # brings every format; the queue needs none

        return import_files(workspace, self.files, context=context, format=self.format, batch=self.batch)


class ImportDialog(FormDialog):
    """Asks what to import; answers an `ImportOrder`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("import", "Import cases", "Import cases", width=520, parent=parent)
        self._files = FilesField("import", "Import", filters=_FILTER, drops_on=self, changed=self.check)
        self._format = DropDown("import-format", _formats())
        self._batch = build(QLineEdit, objectName="import-batch", maxLength=200)
        self.frame.add(self._files, stretch=1)
        self.frame.add_form(("Format", self._format), ("Batch", self._batch))
        self.frame.explain(
            "Lines that are not cases are listed; all other lines are imported.", "small-muted"
        )
        self.end_with("Import", self._order, missing=self._why_not)

    def add_files(self, files: Sequence[str]) -> None:
        """Add files to the list; one that is in it already stays once."""
        self._files.add(files)

    def _why_not(self) -> str:
        files = self._files.files
        self._batch.setPlaceholderText(files[0].stem if files else "Name of the first file")
        return "" if files else "Add a file first."

    def _order(self) -> ImportOrder:
        return ImportOrder(
            files=self._files.files,
            format=self._format.currentData(),
            batch=self._batch.text().strip(),
        )


def report_words(report: "ImportReport", batch: str) -> str:
    """Say in one sentence what an import did."""
    parts = [f"{counted(report.imported, 'case')} imported into {batch}"]
    if report.duplicates:
        parts.append(f"{counted(report.duplicates, 'duplicate')} skipped")
    if report.rejected:
        parts.append(f"{counted(report.rejected, 'line')} rejected")
    if report.imported:
        parts.append(counted(report.findings, "finding"))
    return ", ".join(parts) + "."


def rejects_text(report: "ImportReport") -> str:
    """Rejected lines as tab-separated text with a heading."""
    lines = ["file\tline\treason"]
    lines += [f"{one.file}\t{one.line}\t{' '.join(one.reason.split())}" for one in report.rejects]
    return "\n".join(lines) + "\n"


def _reject_row(place: int, reject: "Reject") -> Row:
    reason = " ".join(reject.reason.split())
    return Row(
        place,
        (
            Cell(Path(reject.file).name, tip=reject.file),
            Cell(f"{reject.line:,}", key=reject.line),
            Cell(reason, tip=reject.reason),
        ),
    )


class RejectsDialog(FramedDialog):
    """Lists the lines that rejected, to be read, copied or kept in a file."""

    def __init__(self, report: "ImportReport", *, batch: str, parent: QWidget | None = None) -> None:
        heading = f"{counted(report.rejected, 'line')} rejected"
        super().__init__("rejects-dialog", "Rejected lines", heading, width=760, height=420, parent=parent)
        self._report = report
        table = FigureTable("rejects", "Rejected lines", _REJECT_COLUMNS)
        table.show_rows([_reject_row(place, reject) for place, reject in enumerate(report.rejects)])
        copy = Button("Copy", icon_name="copy", objectName="rejects-copy", clicked=self.copy)
        save = Button("Save…", icon_name="floppy-disk", objectName="rejects-save", clicked=self._ask_file)
        self.frame.explain(report_words(report, batch))
        self.frame.add(table, stretch=1)
        self._message = self.frame.explain("", "small-muted", objectName="rejects-message", visible=False)
        self.frame.close_with("Close", "rejects-close", copy, save)

    def copy(self) -> None:
        """Put the list on the clipboard."""
        QGuiApplication.clipboard().setText(rejects_text(self._report))
        self._say("Copied.")

    def save(self, file: str) -> None:
        """Write the list to a file."""
        try:
            replace_text(Path(file), rejects_text(self._report))
        except StoreError as exc:
            self._say(exc.message, look="error")
        else:
            self._say(f"Saved as {file}.")

    def _say(self, words: str, *, look: str = "small-muted") -> None:
        self._message.set_look(look)
        self._message.setText(words)
        self._message.show()

    def _ask_file(self) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                "Save the list",
                "rejects.tsv",
                "Text (*.tsv *.txt)",
                acceptMode=QFileDialog.AcceptMode.AcceptSave,
                fileSelected=self.save,
            )
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

    def ask_import(self, files: Sequence[str] = ()) -> None:
        """Ask what to import; `files` are in the list already."""
        dialog = ImportDialog(self._page)
        dialog.add_files(files)
        dialog.ask(self._import)

    def ask_assign(self, batches: Sequence[BatchRow], *, wanted: str) -> None:
        """Ask which batch goes to whom; the one called `wanted` is marked."""
        if not batches:
            words = "There is no batch to assign: import a file first (Ctrl+I)."
            self._notice.show_message(words, tone=Tone.ACCENT)
            return
        ask_to_assign(self._page, self._operations, self._notice, batches=batches, wanted=wanted)

    def add_choices(self, menu: QMenu, row: CaseRow, *, batches: Sequence[str]) -> None:
        """Add what can be done with one case to its menu: another owner, another batch, a named expert."""
        is_manager = self._operations.has_role(Role.MANAGER)
        if is_manager:
            owners = self._operations.active_people(Role.ANNOTATOR)
            _add_names(menu, "Assign to", owners, partial(self._reassign, row.case_id))
            others = [name for name in batches if name != row.batch]
            _add_names(menu, "Move to batch", others, partial(self._move, row.case_id))
        if row.stage in EXPERT_STAGES and (is_manager or self._operations.has_role(Role.EXPERT)):
            experts = self._operations.active_people(Role.EXPERT)
            _add_names(menu, "Hand to", [*experts, ""], partial(self._hand, row.case_id))

    def _reassign(self, case_id: str, action: QAction) -> None:
        work = partial(reassign, case_id=case_id, to=str(action.data()))
        self._operations.run(work, failed=self._notice.show_error)

    def _move(self, case_id: str, action: QAction) -> None:
        work = partial(_move, case_id=case_id, batch=str(action.data()))
        said = partial(self._notice.tell, lambda done: done.words)
        self._operations.run(work, then=said, failed=self._notice.show_error)

    def _hand(self, case_id: str, action: QAction) -> None:
        work = partial(hand_case, case_id=case_id, to=str(action.data()) or None)
        self._operations.run(work, failed=self._notice.show_error)

    def _import(self, order: ImportOrder) -> None:
        self._operations.start_job(
            order.carry_out,
            f"Import {order.shown_batch}",
            then=partial(self._report, order),
            failed=self._notice.show_error,
            changes=Changes(has_new_cases=True),
        )

    def _report(self, order: ImportOrder, report: "ImportReport") -> None:
        tone = Tone.OK if report.imported else Tone.WARN
        self._notice.show_message(report_words(report, order.shown_batch), tone=tone)
        if report.rejects:
            open_dialog(RejectsDialog(report, batch=order.shown_batch, parent=self._page))


def _add_names(menu: QMenu, title: str, names: Sequence[str], slot: Callable[[QAction], None]) -> None:
    """Add a menu of names; an empty one stands for nobody."""
    choices = menu.addMenu(title)
    choices.setEnabled(bool(names))
    choices.triggered.connect(slot)
    for name in names:
        choices.addAction(name.replace("&", "&&") or "Nobody in particular").setData(name)


def _move(workspace: "Workspace", *, case_id: str, batch: str) -> "Done[MovedCases]":
    # Here, not above: the queue opens without what batches rest on.
    from annotator.review.batches import move_cases

    return move_cases(workspace, [case_id], to=batch)
