"""Importing cases: the dialog that asks what, and the one that lists rejected lines."""

from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from annotator.cases.file_import import ImportOrder, ImportReport
from annotator.cases.import_preview import Reject
from annotator.release.suspects import DoubtfulCase, MendingOrder, MendingStart, suspect_words
from scoring.errors import AnnotatorError
from scoring.formats.codecs import CODECS
from scoring.model.taxonomy import CaseFormat
from scoring.texts import in_language, tr, tr_count, with_commas
from ui.services.errors import ManualLink
from ui.services.forms import PREDICTIONS_FILTER, files_editor, record_form
from ui.theme import Button
from ui.theme.cells import Cell, count_cell
from ui.theme.dialogs import FormDialog, FramedDialog, ask_file, list_dialog
from ui.theme.fields import FilesField
from ui.theme.tables import Column, FigureTable
from ui.theme.words import FINDING

_FILTER = tr("Dialogues (*.jsonl *.json *.gz *.zip *.parquet *.csv *.tsv);;All files (*)")
_FORMATS: dict[CaseFormat | None, str] = {
    None: tr("Detect automatically"),
    **{name: tr(codec.title) for name, codec in CODECS.items()},
}
_REJECT_COLUMNS: tuple[Column[Reject], ...] = (
    Column(tr("File"), 160, lambda reject: Cell(Path(reject.file).name, tip=reject.file)),
    Column(tr("Line"), 72, lambda reject: count_cell(reject.line), is_figure=True),
    Column(
        tr("Reason"),
        cell=lambda reject: Cell(
            " ".join(in_language(reject.reason).split()), tip=in_language(reject.reason)
        ),
    ),
)
_DOUBTFUL_COLUMNS: tuple[Column[DoubtfulCase], ...] = (
    Column(tr("Case"), 160, lambda one: Cell(one.case, is_strong=bool(one.suspects), tip=one.case)),
    Column(tr("Findings"), 240, lambda one: Cell(_findings(one), tip=_findings(one))),
    Column(tr("What models did"), cell=lambda one: Cell(_doubt(one), tip=_doubt(one))),
)


def _findings(one: DoubtfulCase) -> str:
    return with_commas(FINDING.get(rule, rule) for rule in one.rules)


def _doubt(one: DoubtfulCase) -> str:
    return "; ".join(in_language(suspect_words(suspect)) for suspect in one.suspects)


class ImportDialog(FormDialog):
    """Asks what to import; answers an `ImportOrder`, a `MendingOrder` where it mends a public benchmark."""

    preview_wanted = Signal(object)
    """The order whose files are to be looked into; `show_preview` or `show_error` says what came of it."""

    def __init__(self, parent: QWidget | None = None, *, mends: bool = False) -> None:
        heading = tr("Mend a public benchmark") if mends else tr("Import cases")
        super().__init__("import", heading, heading, width=520, parent=parent)
        self.files = FilesField("import", tr("Import"), filters=_FILTER, drops_on=self)
        editors = {"files": files_editor(self.files)}
        if mends:
            editors["runs"] = files_editor(
                FilesField("import-runs", tr("Replies of models"), filters=PREDICTIONS_FILTER)
            )
        self._form = record_form(
            self,
            "import",
            MendingOrder if mends else ImportOrder,
            *dict.fromkeys(("files", *editors, "format", "batch")),
            words={"format": _FORMATS},
            editors=editors,
        )
        self.frame.explain(
            tr("Lines that are not cases are listed; all other lines are imported."), "small-muted"
        )
        self._seen = self.frame.explain("", objectName="import-preview", visible=False)
        self._manual = ManualLink(objectName="import-manual")
        self.frame.add(self._manual)
        look = Button(tr("Preview"), objectName="import-look", clicked=self._ask_preview)
        self.end_with(tr("Import"), self._form.record, missing=self._form.check, left=look)

    def show_preview(self, report: ImportReport) -> None:
        """Show what the files hold, before they are imported."""
        self._seen.say("\n".join(report.preview.lines if report.preview else ()), "small-muted")
        self._manual.offer("")

    def show_error(self, error: AnnotatorError) -> None:
        """Say why the files could not be looked into."""
        self._seen.say(f"{tr(error.message)} {tr(error.hint)}", "error")
        self._manual.offer(error.message)

    def _ask_preview(self) -> None:
        if missing := self._form.check():
            self._seen.say(missing, "error")
        else:
            self._seen.say(tr("Reading the files…"), "small-muted")
            self.preview_wanted.emit(self._form.record())


def report_words(report: ImportReport, batch: str) -> str:
    """Say in one sentence what an import did."""
    parts = [tr("{case} imported into {batch}", case=tr_count(report.imported, "case"), batch=batch)]
    if report.duplicates:
        parts.append(tr("{duplicate} skipped", duplicate=tr_count(report.duplicates, "duplicate")))
    if report.rejected:
        parts.append(tr("{line} rejected", line=tr_count(report.rejected, "line")))
    if report.imported:
        parts.append(tr_count(report.findings, "finding"))
    return with_commas(parts) + "."


class RejectsDialog(FramedDialog):
    """Lists the lines that were rejected, to be read, copied or saved in a file."""

    save_wanted = Signal(str)
    """The file the list is to be written into; `show_saved` or `show_error` says what came of it."""

    def __init__(self, report: ImportReport, *, batch: str, parent: QWidget | None = None) -> None:
        heading = tr("{line} rejected", line=tr_count(report.rejected, "line"))
        super().__init__(
            "rejects-dialog", tr("Rejected lines"), heading, width=760, height=420, parent=parent
        )
        self.report = report
        table = FigureTable("rejects", tr("Rejected lines"), _REJECT_COLUMNS)
        table.show_items(report.rejects, key=attrgetter("file", "line"))
        copy = Button(tr("Copy"), icon_name="copy", objectName="rejects-copy", clicked=self.copy)
        save = Button(tr("Save…"), icon_name="floppy-disk", objectName="rejects-save", clicked=self._ask_file)
        self.frame.explain(report_words(report, batch))
        self.frame.add((table, 1))
        self._message = self.frame.explain("", "small-muted", objectName="rejects-message", visible=False)
        self.frame.close_with(tr("Close"), "rejects-close", copy, save)

    def copy(self) -> None:
        """Put the list on the clipboard."""
        QGuiApplication.clipboard().setText(self.report.rejects_text)
        self._message.say(tr("Copied."), "small-muted")

    def show_saved(self, file: str, _: object = None) -> None:
        """Say where the list was saved."""
        self._message.say(tr("Saved as {file}.", file=file), "small-muted")

    def show_error(self, error: AnnotatorError) -> None:
        """Say why the list was not saved."""
        self._message.say(tr(error.message), "error")

    def _ask_file(self) -> None:
        ask_file(
            self,
            tr("Save the list"),
            "rejects.tsv",
            tr("Text (*.tsv *.txt)"),
            saves=True,
            fileSelected=self.save_wanted,
        )


def doubtful_dialog(parent: QWidget, start: MendingStart) -> FramedDialog:
    """List what is doubtful in public files that were imported, the likeliest first."""
    return list_dialog(
        "doubtful",
        tr("Doubtful cases"),
        _DOUBTFUL_COLUMNS,
        start.doubtful,
        key=attrgetter("case"),
        words=(" ".join(map(in_language, start.lines)),),
        width=960,
        parent=parent,
    )
