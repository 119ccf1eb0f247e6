"""The form that asks which replies to T-Eval items to score."""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from annotator.teval.results import TEvalOrder
from scoring.texts import tr
from ui.services.forms import Editor, path_editor, record_form
from ui.theme.dialogs import FormDialog
from ui.theme.fields import PathField

_SIMILARITIES = {
    "minilm": tr("all-MiniLM-L6-v2 (after `annotator teval setup`)"),
    "char3": tr("char3: letters, not meaning; needs no weights"),
}


class ScoreDialog(FormDialog):
    """Asks what to score; answers a `TEvalOrder`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        title = tr("Score T-Eval replies")
        super().__init__("teval", title, title, width=600, parent=parent)
        self._items = PathField("teval-items", tr("Folder of items"))
        self._replies = PathField(
            "teval-replies", tr("Replies"), filters=tr("Replies (*.jsonl);;All files (*)")
        )
        self._out = PathField("teval-out", tr("Folder for the result"))
        out = Editor(self._out, self._out.line.textChanged, self._chosen_out, self._out.show_path)
        fields = {"items": path_editor(self._items), "replies": path_editor(self._replies), "out": out}
        rows, words = ("items", "replies", "similarity", "out"), {"similarity": _SIMILARITIES}
        self._form = record_form(
            self,
            "teval",
            TEvalOrder,
            *rows,
            words=words,
            editors=fields,
        )
        self.frame.explain(
            tr(
                "Items: a folder from `annotator teval derive`, or T-Eval's own eight files. Replies: "
                "the file that `annotator teval run` wrote, or a result folder of T-Eval."
            ),
            "small-muted",
        )
        self.end_with(tr("Score"), self._form.record, missing=self._why_not)

    def _chosen_out(self) -> Path | None:
        replies = self._replies.read()
        return self._out.read() or (replies.parent / "scores" / replies.stem if replies else None)

    def _why_not(self) -> str:
        self._out.line.setPlaceholderText(str(self._chosen_out() or tr("Beside the replies")))
        items, replies = self._items.read(), self._replies.read()
        if items is None or not items.is_dir():
            return tr("Name the folder of the items.")
        return (
            self._form.check()
            if replies and replies.exists()
            else tr("Name the replies: a file or a folder.")
        )
