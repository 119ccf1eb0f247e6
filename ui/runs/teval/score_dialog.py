"""Scoring replies of a model to T-Eval items: which items, which replies, compared by what."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLineEdit, QWidget

from annotator.release.teval import open_similarity
from annotator.release.teval_results import TevalResult, score_replies, write_result
from scoring.model.record import Record
from scoring.teval.evaluators import Profile
from ui.theme import Button, ButtonKind, theme
from ui.theme.dialogs import DialogFrame, open_dialog
from ui.theme.fields import DropDown

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

_SIMILARITIES = (
    ("all-MiniLM-L6-v2 (after `annotator teval setup`)", "minilm"),
    ("char3: letters, not meaning; needs no weights", "char3"),
)


class ScoreOrder(Record):
    """Replies to be scored, and where the result goes."""

    items: Path
    replies: Path
    similarity: str
    out: Path

    def carry_out(self, context: "JobContext", workspace: "Workspace") -> TevalResult:
        """Score under every profile and write the result; a job."""
        result = score_replies(
            self.items,
            self.replies,
            profiles=tuple(Profile),
            similarity=open_similarity(self.similarity),
            context=context,
            name=self.out.name,
        )
        write_result(result, self.out)
        return result


class _PathField(QWidget):
    """A path to type, or to choose: a folder, and a file too where one may be named."""

    def __init__(self, name: str, about: str, *, takes_file: bool) -> None:
        super().__init__()
        self._about = about
        self.line = QLineEdit()
        self.line.setObjectName(name)
        self.line.setAccessibleName(about)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(8))
        row.addWidget(self.line, 1)
        folder = Button("Folder…")
        folder.setObjectName(f"{name}-folder")
        folder.clicked.connect(self._ask_folder)
        row.addWidget(folder)
        if takes_file:
            file = Button("File…")
            file.setObjectName(f"{name}-file")
            file.clicked.connect(self._ask_file)
            row.addWidget(file)
        self.setFocusProxy(self.line)

    @property
    def path(self) -> Path | None:
        """What is named; null for nothing."""
        text = self.line.text().strip()
        return Path(text).expanduser() if text else None

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, self._about, self.line.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.line.setText)
        open_dialog(dialog)

    def _ask_file(self) -> None:
        dialog = QFileDialog(self, self._about, self.line.text(), "Replies (*.jsonl);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.line.setText)
        open_dialog(dialog)


class ScoreDialog(QDialog):
    """Asks what to score; `ordered` carries a `ScoreOrder`."""

    ordered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("teval-dialog")
        self.setWindowTitle("Score T-Eval replies")
        self._items = _PathField("teval-items", "Folder of items", takes_file=False)
        self._replies = _PathField("teval-replies", "Replies", takes_file=True)
        self._out = _PathField("teval-out", "Folder for the result", takes_file=False)
        self._similarity = DropDown("teval-similarity", _SIMILARITIES)
        self._go = Button("Score", ButtonKind.PRIMARY, keys="↵")
        self._go.setObjectName("teval-go")
        self._go.setDefault(True)
        self._go.clicked.connect(self._order)
        for field in (self._items, self._replies, self._out):
            field.line.textChanged.connect(self._check)
        frame = DialogFrame(self, "Score T-Eval replies", width=600)
        form = frame.add_form()
        form.addRow("Items", self._items)
        form.addRow("Replies", self._replies)
        form.addRow("Compared by", self._similarity)
        form.addRow("Save in", self._out)
        frame.explain(
            "Items: a folder from `annotator teval derive`, or T-Eval's own eight files. Replies: the file "
            "that `annotator teval run` wrote, or a result folder of T-Eval.",
            "small-muted",
        )
        frame.end_with(self._go)
        self._check()

    def _proposed(self) -> Path | None:
        replies = self._replies.path
        return replies.parent / "scores" / replies.stem if replies is not None else None

    def _check(self) -> None:
        proposed = self._proposed()
        self._out.line.setPlaceholderText(str(proposed) if proposed is not None else "Beside the replies")
        items, replies = self._items.path, self._replies.path
        if items is None or not items.is_dir():
            reason = "Name the folder of the items."
        elif replies is None or not replies.exists():
            reason = "Name the replies: a file or a folder."
        else:
            reason = ""
        self._go.set_blocked(reason)

    def _order(self) -> None:
        items, replies = self._items.path, self._replies.path
        out = self._out.path or self._proposed()
        assert items is not None
        assert replies is not None
        assert out is not None
        self.accept()
        similarity = str(self._similarity.currentData())
        self.ordered.emit(ScoreOrder(items=items, replies=replies, similarity=similarity, out=out))
