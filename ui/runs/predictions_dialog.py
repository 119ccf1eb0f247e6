"""Importing predictions: which files, against which cases, scored by which rules."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from annotator.release.freeze import ReleaseRow
from annotator.release.runs.evaluation import evaluate, load_cases, record_run
from scoring.model.record import Record
from scoring.model.taxonomy import ArgumentProfile, Protocol, Semantics
from scoring.predictions import Ignored
from scoring.scorecard import ArgumentRules
from ui.runs.cases_field import CasesField
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import DropDown, FilesField
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Done, Workspace

Value = TypeVar("Value")

PREDICTIONS_FILTER = "Predictions (*.jsonl *.json);;All files (*)"
SEMANTICS_WORDS = {
    Semantics.PAPER: "As the papers describe it",
    Semantics.REFERENCE: "As the published evaluators do it",
}
PROTOCOL_WORDS = {
    Protocol.WILDTOOL: "WildToolBench: every task, full history",
    Protocol.C2: "C3-Bench, challenge 2: requests and answers only",
    Protocol.C3: "C3-Bench, challenge 3: the full process",
}
RULE_WORDS: dict[ArgumentRules, str] = {
    "auto": "By the format a case came from",
    ArgumentProfile.WTB: "WildToolBench",
    ArgumentProfile.C3: "C3-Bench",
    ArgumentProfile.WTB_STRICT: "WildToolBench, strict",
}


class ImportedRun(Record):
    """What an import left: the run's number, how it scored, what did not count."""

    run_id: int
    name: str
    tasks: int
    right: int
    missing: int
    ignored: tuple[Ignored, ...]
    ignored_count: int


class PredictionsOrder(Record):
    """Predictions to be scored and kept as one run."""

    cases: Path
    files: tuple[Path, ...]
    name: str
    semantics: Semantics = Semantics.PAPER
    arguments: ArgumentRules = "auto"
    protocol: Protocol = Protocol.WILDTOOL

    def carry_out(self, context: "JobContext", workspace: "Workspace") -> "Done[ImportedRun]":
        """Score and record; a job."""
        from annotator.project.workspace import Done

        context.progress(0, None, "reading the cases")
        card = evaluate(
            load_cases(self.cases),
            self.files,
            context=context,
            semantics=self.semantics,
            arguments=self.arguments,
            protocol=self.protocol,
            source=self.cases,
        )
        recorded = record_run(workspace, self.name, card=card, predictions=self.files, source=self.cases)
        right = card.summary.accuracy.tasks.count
        summary = card.summary
        imported = ImportedRun(
            run_id=recorded.value,
            name=self.name,
            tasks=summary.tasks,
            right=right,
            missing=summary.missing,
            ignored=card.ignored,
            ignored_count=summary.ignored,
        )
        return Done(imported, recorded.changes)


def imported_words(run: ImportedRun) -> tuple[str, str]:
    """Say what an import did: a sentence, and what did not count."""
    title = f"{run.name}: {run.right:,} of {counted(run.tasks, 'task')} right."
    parts = []
    if run.missing:
        parts.append(f"{run.missing:,} without a prediction, which counts as wrong.")
    if run.ignored_count:
        first = run.ignored[0].reason if run.ignored else ""
        parts.append(f"{counted(run.ignored_count, 'prediction')} did not count; the first: {first}")
    return title, " ".join(parts)


class PredictionsDialog(QDialog):
    """Asks which predictions to score.

    Args:
        releases: To choose from, the newest first.
        wanted: Name of the release chosen at first.
    """

    ordered = Signal(object)
    """A `PredictionsOrder`."""

    def __init__(
        self, releases: Sequence[ReleaseRow], *, wanted: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("predictions-dialog")
        self.setWindowTitle("Import predictions")
        self._cases = CasesField(releases, wanted=wanted)
        self._cases.changed.connect(self._check)
        self._files = FilesField("predictions", "Predictions", filters=PREDICTIONS_FILTER, drops_on=self)
        self._files.changed.connect(self._check)
        self._name = QLineEdit()
        self._name.setObjectName("predictions-name")
        self._name.setMaxLength(200)
        self._name.textChanged.connect(self._check)
        self._semantics = choice("predictions-semantics", SEMANTICS_WORDS)
        self._arguments = choice("predictions-arguments", RULE_WORDS)
        self._protocol = choice("predictions-protocol", PROTOCOL_WORDS)
        self._build()
        self._check()

    def _build(self) -> None:
        frame = DialogFrame(self, "Import predictions", width=560)
        frame.add(self._files, stretch=1)
        form = frame.add_form()
        form.addRow("Cases", self._cases)
        form.addRow("Model", self._name)
        form.addRow("Shown history", self._protocol)
        form.addRow("Judged", self._semantics)
        form.addRow("Arguments", self._arguments)
        frame.explain(
            "Our own predictions, or result files of C3-Bench, MMTB and WildToolBench; several files are "
            "parts of one run.",
            "small-muted",
        )
        self._go = frame.confirm("Score", "predictions-go", self._order)

    def add_files(self, files: Sequence[str]) -> None:
        """Add files; one that is in the list already stays once."""
        self._files.add(files)

    def _check(self) -> None:
        files = self._files.files
        self._name.setPlaceholderText(files[0].stem if files else "Name of the first file")
        if not files:
            reason = "Add a file of predictions first."
        elif self._cases.place is None:
            reason = "Choose the cases they answer: there is no release yet."
        else:
            reason = ""
        self._go.set_blocked(reason)

    def _order(self) -> None:
        place = self._cases.place
        assert place is not None
        order = PredictionsOrder(
            cases=place,
            files=self._files.files,
            name=self._name.text().strip() or self._files.files[0].stem,
            semantics=self._semantics.currentData(),
            arguments=self._arguments.currentData(),
            protocol=self._protocol.currentData(),
        )
        self.accept()
        self.ordered.emit(order)


def choice(name: str, words: Mapping[Value, str]) -> DropDown:
    """A drop-down of values, each by its words."""
    return DropDown(name, [(text, value) for value, text in words.items()])
