"""Importing, assigning, moving and handing over cases: dialogs and menus, and what came of them."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QLineEdit, QMenu, QWidget

from annotator.files import replace_text
from annotator.project.changes import Changes
from annotator.project.stages import EXPERT_STAGES
from annotator.review.queue.assignments import assign_batch, hand_case, reassign
from annotator.review.queue.case_rows import BatchRow, CaseRow
from scoring.errors import StoreError
from scoring.model.record import Record
from scoring.model.taxonomy import CaseFormat, Role
from ui.services.assignments import AssignDialog
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, Tone
from ui.theme.dialogs import DialogFrame, open_dialog
from ui.theme.fields import DropDown, FilesField
from ui.theme.layouts import build
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.cases.file_import import ImportReport, Reject
    from annotator.jobs import JobContext
    from annotator.project.workspace import Done, Workspace
    from annotator.review.batches import Moved


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


class ImportDialog(QDialog):
    """Asks what to import."""

    ordered = Signal(object)
    """An `ImportOrder`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("import-dialog")
        self.setWindowTitle("Import cases")
        self._files = FilesField("import", "Import", filters=_FILTER, drops_on=self)
        self._files.changed.connect(self._check)
        self._format = DropDown("import-format", _formats())
        self._batch = build(QLineEdit, objectName="import-batch", maxLength=200)
        frame = DialogFrame(self, "Import cases", width=520)
        frame.add(self._files, stretch=1)
        form = frame.add_form()
        form.addRow("Format", self._format)
        form.addRow("Batch", self._batch)
        frame.explain("Lines that are not cases are listed; all other lines are imported.", "small-muted")
        self._go = frame.confirm("Import", "import-go", self._order)
        self._check()

    def add_files(self, files: Sequence[str]) -> None:
        """Add files to the list; one that is in it already stays once."""
        self._files.add(files)

    def _check(self) -> None:
        files = self._files.files
        self._batch.setPlaceholderText(files[0].stem if files else "Name of the first file")
        self._go.set_blocked("" if files else "Add a file first.")

    def _order(self) -> None:
        order = ImportOrder(
            files=self._files.files,
            format=self._format.currentData(),
            batch=self._batch.text().strip(),
        )
        self.accept()
        self.ordered.emit(order)


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


class RejectsDialog(QDialog):
    """Lists the lines that rejected, to be read, copied or kept in a file."""

    def __init__(self, report: "ImportReport", *, batch: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rejects-dialog")
        self.setWindowTitle("Rejected lines")
        self._report = report
        table = FigureTable("rejects", "Rejected lines", _REJECT_COLUMNS)
        table.show_rows([_reject_row(place, reject) for place, reject in enumerate(report.rejects)])
        self._copy = Button("Copy", icon_name="copy", objectName="rejects-copy", clicked=self.copy)
        save = Button("Save…", icon_name="floppy-disk", objectName="rejects-save", clicked=self._ask_file)
        close = Button(
            "Close",
            ButtonKind.PRIMARY,
            keys="Esc",
            objectName="rejects-close",
            default=True,
            clicked=self.accept,
        )
        frame = DialogFrame(self, f"{counted(report.rejected, 'line')} rejected", width=760, height=420)
        frame.explain(report_words(report, batch))
        frame.add(table, stretch=1)
        self._message = frame.explain("", "small-muted")
        self._message.setObjectName("rejects-message")
        self._message.hide()
        frame.end_with(self._copy, save, close, cancel="")

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
    """

    said = Signal(str, object)
    """(words, tone): what came of it."""
    failed = Signal(object)
    """The `AnnotatorError` that says why not."""

    def __init__(self, operations: Operations, page: QWidget) -> None:
        super().__init__(page)
        self._operations = operations
        self._page = page

    def _active(self, role: Role) -> list[str]:
        """Names of those who have a role and are still there."""
        people = self._operations.project.people if self._operations.project else ()
        return [person.name for person in people if person.is_active and person.has_role(role)]

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
        dialog = AssignDialog(batches, self._active(Role.ANNOTATOR), wanted=wanted, parent=self._page)
        dialog.ordered.connect(self._assign)
        open_dialog(dialog)

    def add_choices(self, menu: QMenu, row: CaseRow, *, batches: Sequence[str]) -> None:
        """Add what can be done with one case to its menu: another owner, another batch, a named expert."""
        me = self._operations.project.person if self._operations.project else None
        if me is None:
            return
        if me.has_role(Role.MANAGER):
            _add_names(menu, "Assign to", self._active(Role.ANNOTATOR), partial(self._reassign, row.case_id))
            others = [name for name in batches if name != row.batch]
            _add_names(menu, "Move to batch", others, partial(self._move, row.case_id))
        if row.stage in EXPERT_STAGES and (me.has_role(Role.MANAGER) or me.has_role(Role.EXPERT)):
            _add_names(menu, "Hand to", [*self._active(Role.EXPERT), ""], partial(self._hand, row.case_id))

    def _reassign(self, case_id: str, action: QAction) -> None:
        work = partial(reassign, case_id=case_id, to=str(action.data()))
        self._operations.run(work, failed=self.failed.emit)

    def _move(self, case_id: str, action: QAction) -> None:
        work = partial(_move, case_id=case_id, batch=str(action.data()))
        self._operations.run(work, then=self._say_moved, failed=self.failed.emit)

    def _hand(self, case_id: str, action: QAction) -> None:
        work = partial(hand_case, case_id=case_id, to=str(action.data()) or None)
        self._operations.run(work, failed=self.failed.emit)

    def _say_moved(self, done: "Moved") -> None:
        self.said.emit(done.words, Tone.OK)

    def _import(self, order: ImportOrder) -> None:
        self._operations.start_job(
            order.carry_out,
            f"Import {order.shown_batch}",
            then=partial(self._report, order),
            failed=self.failed.emit,
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
            failed=self.failed.emit,
        )

    def _say_assigned(self, names: tuple[str, ...], count: int) -> None:
        self.said.emit(f"{counted(count, 'case')} assigned to {', '.join(names)}.", Tone.ACCENT)


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
