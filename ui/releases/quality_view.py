"""The Quality tab of the Releases page: all that is known of how right the cases are, in one table."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from scoring.errors import AnnotatorError
from scoring.wording import interval_words
from ui.services.operations import Operations
from ui.theme import Button, TextLabel
from ui.theme.dialogs import open_dialog
from ui.theme.layouts import build, hbox, vbox
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.release.quality_table import QualityLine

_COLUMNS = (
    Column("About", 170),
    Column("What", 230),
    Column("Value", 80, is_figure=True, tip="A share in %, or a coefficient from -1 to 1"),
    Column("95 % interval", 128, is_figure=True),
    Column("n", 64, is_figure=True, tip="What the figure rests on"),
    Column("Note"),
)
_FILES = "Table (*.csv);;Picture (*.png);;Picture (*.svg)"


class QualityView(QWidget):
    """Gathers the figures each time it is shown, and writes them into a file."""

    failed = Signal(object)
    """The `AnnotatorError` that kept the figures away."""
    told = Signal(str)
    """What was written."""

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self.setObjectName("quality-view")
        self._operations = operations
        self._lines: tuple[QualityLine, ...] = ()
        self._words = TextLabel("", "small-muted", objectName="quality-words")
        self._export = Button("Export…", objectName="quality-export", clicked=self._ask_file)
        self._table = FigureTable("quality", "Quality", _COLUMNS)
        line = QWidget()
        hbox((self._words, 1), self._export, within=line, gap=None, margins=(16, 4))
        vbox(line, (self._table, 1), within=self)
        self.setFocusProxy(self._table)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.read()

    def read(self) -> None:
        """Gather the figures anew; a job, since it compares every judgment."""
        self._words.setText("Gathering figures …")
        self._export.set_blocked("The figures are being gathered.")
        self._operations.start_job(
            _gathered, "Gather the quality figures", then=self._show, failed=self._say_failure
        )

    def _show(self, lines: "tuple[QualityLine, ...]") -> None:
        self._lines = lines
        about = lines[0].what.removeprefix("cases of ") if lines else ""
        self._words.setText(f"{counted(len(lines), 'line')} about {about}")
        self._export.set_blocked("")
        self._table.show_rows([_row(number, line) for number, line in enumerate(lines)])

    def _say_failure(self, error: AnnotatorError) -> None:
        self._words.setText(error.message)
        self.failed.emit(error)

    def _ask_file(self) -> None:
        dialog = build(
            QFileDialog,
            self,
            "Export the quality figures",
            "quality.csv",
            _FILES,
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            fileSelected=self.export,
        )
        open_dialog(dialog)

    def export(self, file: str) -> None:
        """Write the table (`.csv`), or the picture of its figures (`.png`, `.svg`)."""
        path = Path(file)
        if path.suffix not in (".csv", ".png", ".svg"):
            path = path.with_name(path.name + ".csv")
        self._operations.run_outside(
            partial(_write, self._lines, path), then=partial(self._say_written, path), failed=self.failed.emit
        )

    def _say_written(self, path: Path, _: object) -> None:
        self.told.emit(f"Wrote {path}.")


def _gathered(context: "JobContext", workspace: "Workspace") -> "tuple[QualityLine, ...]":
    from annotator.release.quality_table import quality_table

    return quality_table(workspace, context=context)


def _write(lines: "tuple[QualityLine, ...]", path: Path) -> None:
    from annotator.release.quality_table import save_quality

    if path.suffix == ".csv":
        save_quality(lines, table=path)
    else:
        save_quality(lines, figure=path)


def _row(number: int, line: "QualityLine") -> Row:
    is_coefficient = line.topic == "Agreement (alpha)"
    return Row(
        number,
        (
            Cell(line.topic.value),
            Cell(line.what, tip=line.what),
            Cell(_figure(line.value, is_coefficient=is_coefficient), line.value),
            Cell(_interval(line, is_coefficient=is_coefficient), line.low),
            Cell(f"{line.n:,}" if line.n is not None else "–", line.n),
            Cell(line.note, tip=line.note),
        ),
    )


def _figure(value: float | None, *, is_coefficient: bool) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}".replace("-", "−") if is_coefficient else f"{100 * value:.1f} %"


def _interval(line: "QualityLine", *, is_coefficient: bool) -> str:
    if line.low is None or line.high is None:
        return "–"
    if is_coefficient:
        return interval_words(line.low, line.high, form=".3f")
    return interval_words(100 * line.low, 100 * line.high, form=".1f")
