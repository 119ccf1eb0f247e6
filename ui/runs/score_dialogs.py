"""Scoring what a model has answered already: predictions against cases, and replies to T-Eval items."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from annotator.release.freeze import ReleaseRow
from annotator.release.runs.orders import ImportedRun, PredictionsOrder
from annotator.release.teval_results import TEvalOrder
from scoring.model.taxonomy import ArgumentProfile, Semantics, Undrawn
from scoring.scorecard import ArgumentRules
from scoring.wording import counted
from ui.runs.run_dialog import PROTOCOL_WORDS, CasesField, choice
from ui.services.topics import set_topic
from ui.theme import Button
from ui.theme.dialogs import FormDialog, open_dialog
from ui.theme.fields import DropDown, FilesField
from ui.theme.layouts import build, hbox

PREDICTIONS_FILTER = "Predictions (*.jsonl *.json);;All files (*)"
SEMANTICS_WORDS = {
    Semantics.PAPER: "As the papers describe it",
    Semantics.REFERENCE: "As the published evaluators do it",
}
RULE_WORDS: dict[ArgumentRules, str] = {
    "auto": "By the format a case came from",
    ArgumentProfile.WTB: "WildToolBench",
    ArgumentProfile.C3: "C3-Bench",
    ArgumentProfile.WTB_STRICT: "WildToolBench, strict",
}
UNDRAWN_WORDS = {one: one.words.capitalize() for one in Undrawn}
"""Concerns cases of a file that has no dependencies."""


def imported_words(run: ImportedRun) -> tuple[str, str]:
    """Say what an import did: a sentence, and what did not count."""
    summary = run.summary
    title = f"{run.name}: {summary.accuracy.tasks.count:,} of {counted(summary.tasks, 'task')} right."
    parts = ["These predictions are in the table already."] if run.is_known else []
    if summary.missing:
        parts.append(f"{summary.missing:,} without a prediction, which counts as wrong.")
    if summary.undrawn.count:
        parts.append(f"Undrawn: {summary.undrawn.words}.")
    if summary.unpassable:
        parts.append(f"{counted(summary.unpassable, 'task')} no reply can pass.")
    if summary.ignored:
        first = run.ignored[0].reason if run.ignored else ""
        parts.append(f"{counted(summary.ignored, 'prediction')} did not count; the first: {first}")
    return title, " ".join(parts)


class PredictionsDialog(FormDialog):
    """Asks which predictions to score; answers a `PredictionsOrder`.

    Args:
        releases: To choose from, the newest first.
        wanted: Name of the release chosen at first.
    """

    def __init__(
        self, releases: Sequence[ReleaseRow], *, wanted: str = "", parent: QWidget | None = None
    ) -> None:
        title = "Import predictions"
        super().__init__("predictions", title, title, width=560, parent=parent)
        self._cases = CasesField(releases, wanted=wanted, changed=self.check)
        self._files = FilesField(
            "predictions", "Predictions", filters=PREDICTIONS_FILTER, drops_on=self, changed=self.check
        )
        self._name = build(QLineEdit, objectName="predictions-name", maxLength=200)
        self._semantics = choice("predictions-semantics", SEMANTICS_WORDS)
        self._arguments = choice("predictions-arguments", RULE_WORDS)
        self._protocol = choice("predictions-protocol", {None: "As the predictions say", **PROTOCOL_WORDS})
        self._undrawn = choice("predictions-undrawn", UNDRAWN_WORDS)
        self.frame.add(self._files, stretch=1)
        form = self.frame.add_form(
            ("Cases", self._cases),
            ("Model", self._name),
            ("Shown history", self._protocol),
            ("Judged", self._semantics),
            ("Arguments", self._arguments),
            ("Undrawn tasks", self._undrawn),
        )
        for field in (self._semantics, self._arguments, self._undrawn):
            set_topic("semantics", field, form.labelForField(field))
        self.frame.explain(
            "Our own predictions, or result files of C3-Bench, MMTB and WildToolBench; several files are "
            "parts of one run.",
            "small-muted",
        )
        self.end_with("Score", self._order, missing=self._why_not)

    def add_files(self, files: Sequence[str]) -> None:
        """Add files; one that is in the list already stays once."""
        self._files.add(files)

    def _why_not(self) -> str:
        files = self._files.files
        self._name.setPlaceholderText("As the predictions say, else the name of the first file")
        if not files:
            return "Add a file of predictions first."
        return "" if self._cases.place else "Choose the cases they answer: there is no release yet."

    def _order(self) -> PredictionsOrder:
        place = self._cases.place
        assert place is not None
        return PredictionsOrder(
            cases=place,
            files=self._files.files,
            name=self._name.text().strip(),
            semantics=self._semantics.currentData(),
            arguments=self._arguments.currentData(),
            protocol=self._protocol.currentData(),
            undrawn=self._undrawn.currentData(),
        )


_SIMILARITIES = (
    ("all-MiniLM-L6-v2 (after `annotator teval setup`)", "minilm"),
    ("char3: letters, not meaning; needs no weights", "char3"),
)


class _PathField(QWidget):
    """A path to type, or to choose: a folder, and a file too where one may be named."""

    def __init__(self, name: str, about: str, *, takes_file: bool, changed: Callable[[], None]) -> None:
        super().__init__()
        self._about = about
        self.line = build(QLineEdit, objectName=name, accessibleName=about, textChanged=changed)
        folder = Button("Folder…", objectName=f"{name}-folder", clicked=self._ask_folder)
        row = hbox((self.line, 1), folder, within=self, gap=8)
        if takes_file:
            row.addWidget(Button("File…", objectName=f"{name}-file", clicked=self._ask_file))
        self.setFocusProxy(self.line)

    @property
    def path(self) -> Path | None:
        """What is named; None for nothing."""
        text = self.line.text().strip()
        return Path(text).expanduser() if text else None

    def _ask_folder(self) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                self._about,
                self.line.text(),
                fileMode=QFileDialog.FileMode.Directory,
                fileSelected=self.line.setText,
            )
        )

    def _ask_file(self) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                self._about,
                self.line.text(),
                "Replies (*.jsonl);;All files (*)",
                fileMode=QFileDialog.FileMode.ExistingFile,
                fileSelected=self.line.setText,
            )
        )


class ScoreDialog(FormDialog):
    """Asks what to score; answers a `TEvalOrder`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        title = "Score T-Eval replies"
        super().__init__("teval", title, title, width=600, parent=parent)
        self._items, self._replies, self._out = (
            _PathField(f"teval-{name}", about, takes_file=name == "replies", changed=self.check)
            for name, about in (
                ("items", "Folder of items"),
                ("replies", "Replies"),
                ("out", "Folder for the result"),
            )
        )
        self._similarity = DropDown("teval-similarity", _SIMILARITIES)
        self.frame.add_form(
            ("Items", self._items),
            ("Replies", self._replies),
            ("Compared by", self._similarity),
            ("Save in", self._out),
        )
        self.frame.explain(
            "Items: a folder from `annotator teval derive`, or T-Eval's own eight files. Replies: the file "
            "that `annotator teval run` wrote, or a result folder of T-Eval.",
            "small-muted",
        )
        self.end_with("Score", self._order, missing=self._why_not)

    def _proposed(self) -> Path | None:
        replies = self._replies.path
        return replies.parent / "scores" / replies.stem if replies is not None else None

    def _why_not(self) -> str:
        proposed = self._proposed()
        self._out.line.setPlaceholderText(str(proposed) if proposed is not None else "Beside the replies")
        items, replies = self._items.path, self._replies.path
        if items is None or not items.is_dir():
            return "Name the folder of the items."
        return "" if replies is not None and replies.exists() else "Name the replies: a file or a folder."

    def _order(self) -> TEvalOrder:
        items, replies = self._items.path, self._replies.path
        out = self._out.path or self._proposed()
        assert items is not None
        assert replies is not None
        assert out is not None
        similarity = str(self._similarity.currentData())
        return TEvalOrder(items=items, replies=replies, similarity=similarity, out=out)
