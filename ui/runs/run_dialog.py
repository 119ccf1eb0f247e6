"""Starting a run: which cases, which model, how it is asked, what it may cost, where its answers go."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.release.freeze import ReleaseRow
from annotator.release.runs.orders import RunOrder
from scoring.model.taxonomy import Protocol, ToolMode
from scoring.texts import tr, tr_count
from ui.services.forms import Editor, budget_row, path_editor, record_form
from ui.theme import Button
from ui.theme.dialogs import FormDialog, ask_file
from ui.theme.fields import DropDown, PathField
from ui.theme.layouts import hbox
from ui.theme.menus import open_choices

FILE_FILTER = tr("Cases (*.jsonl *.json);;All files (*)")
PROTOCOL_WORDS = {
    Protocol.WILDTOOL: tr("WildToolBench: every task, full history"),
    Protocol.C2: tr("C3-Bench, challenge 2: requests and answers only"),
    Protocol.C3: tr("C3-Bench, challenge 3: the full process"),
}
TOOL_WORDS = {
    ToolMode.NATIVE: tr("By the endpoint's own function calling"),
    ToolMode.PROMPT: tr("In the prompt, for models without function calling"),
}


class CasesField(QWidget):
    """Holds one place cases can be read from.

    Args:
        releases: Offered, the newest first.
        wanted: Name of the release chosen at first; the newest where there is none of this name.
    """

    def __init__(self, releases: Sequence[ReleaseRow], *, wanted: str = "") -> None:
        super().__init__()
        self._box = DropDown("cases-place", accessibleName=tr("Cases"))
        for row in releases:
            words = f"{row.name} · {tr_count(row.case_count, 'case')}"
            self._box.add(words, row.directory, tip=f"{words}\n{row.directory}")
            if row.name == wanted:
                self._box.setCurrentIndex(self._box.count() - 1)
        self._other = Button(tr("Other…"), objectName="cases-other", clicked=self._open_menu)
        hbox((self._box, 1), self._other, within=self, gap=8)
        self.setFocusProxy(self._box)

    @property
    def editor(self) -> Editor:
        """This field in the form of a record; None stands for no place."""
        return Editor(self, self._box.currentIndexChanged, self._box.currentData, self.choose)

    def choose(self, place: str) -> None:
        """Offer a folder or file from anywhere, and choose it."""
        if not place:
            return
        at = self._box.findData(place)
        if at < 0:
            self._box.add(Path(place).name, place, tip=place)
            at = self._box.count() - 1
        self._box.setCurrentIndex(at)

    def _open_menu(self) -> None:
        mode, chosen = QFileDialog.FileMode, self.choose
        folder = partial(ask_file, self, tr("Release folder"), fileMode=mode.Directory, fileSelected=chosen)
        file = partial(
            ask_file,
            self,
            tr("File of cases"),
            filters=FILE_FILTER,
            fileMode=mode.ExistingFile,
            fileSelected=chosen,
        )
        choices = (tr("A release folder…"), folder), (tr("A file of cases…"), file)
        open_choices(self._other, "cases-menu", choices)


def run_file(project: str, model: str) -> Path:
    """Where the answers of a model go at first: in a folder `runs` beside the project."""
    name = "".join(char if char.isalnum() or char in "-_." else "-" for char in model).strip("-.") or "run"
    folder = Path.home() if "://" in project else Path(project).absolute().parent
    return folder / "runs" / f"{name}.jsonl"


class RunDialog(FormDialog):
    """Asks what to run; answers a `RunOrder`.

    Args:
        releases: To choose from, the newest first.
        project: Path or URL of the project, beside which answers are put at first.
        wanted: Name of the release chosen at first.
    """

    def __init__(
        self,
        releases: Sequence[ReleaseRow],
        *,
        project: str,
        wanted: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("run", tr("New run"), tr("New run"), width=600, parent=parent)
        self._project = project
        self._proposed: Path | None = None
        self._out = PathField(
            "run-file",
            tr("Answers of the run"),
            filters=tr("Predictions (*.jsonl)"),
            takes_folder=False,
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            options=QFileDialog.Option.DontConfirmOverwrite,  # a run goes on in its file
        )
        self._form = record_form(
            self,
            "run",
            RunOrder,
            "cases",
            "plan.setting.model",
            "base_url",
            "api_key_variable",
            "plan.setting.protocol",
            "plan.setting.tools",
            "plan.concurrency",
            "stream",
            budget_row("plan.budget"),
            "plan.budget.tokens",
            "out",
            words={"plan.setting.protocol": PROTOCOL_WORDS, "plan.setting.tools": TOOL_WORDS},
            editors={"cases": CasesField(releases, wanted=wanted).editor, "out": path_editor(self._out)},
            accept=RunOrder.endpoint,
        )
        self._words = self.frame.explain("", "small-muted", objectName="run-words")
        self.end_with(tr("Start"), self._form.record, missing=self._why_not)
        self.check()

    def _why_not(self) -> str:
        named = run_file(self._project, str(self._form.fields["plan.setting.model"].editor.read()))
        out = self._out.read()
        if out in (None, self._proposed) and out != named:
            self._proposed = out = named
            self._out.show_path(named)
        goes_on = out is not None and out.is_file()
        if self.go is not None:
            self.go.setText(tr("Continue") if goes_on else tr("Start"))
        words = tr("Each task is asked with the gold history before it. ")
        words += tr("The file already has answers: the run continues where it stopped.") if goes_on else ""
        self._words.setText(words)
        return self._form.check()
