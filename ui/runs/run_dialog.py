"""Starting a run: which cases, which model, how it is asked, what it may cost, where its answers go."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from annotator.llm.budget import Budget
from annotator.release.freeze import ReleaseRow
from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.model_run import RunPlan
from annotator.release.runs.orders import RunOrder
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Protocol, ToolMode
from scoring.wording import counted
from ui.theme import Button
from ui.theme.dialogs import FormDialog, open_dialog
from ui.theme.fields import DropDown, form_row, line_field, number_field, number_in
from ui.theme.layouts import build, hbox
from ui.theme.menus import open_choices

Value = TypeVar("Value")

FILE_FILTER = "Cases (*.jsonl *.json);;All files (*)"
PROTOCOL_WORDS = {
    Protocol.WILDTOOL: "WildToolBench: every task, full history",
    Protocol.C2: "C3-Bench, challenge 2: requests and answers only",
    Protocol.C3: "C3-Bench, challenge 3: the full process",
}
TOOL_WORDS = {
    ToolMode.NATIVE: "By the endpoint's own function calling",
    ToolMode.PROMPT: "In the prompt, for models without function calling",
}
_MOST_AT_ONCE = 64


def choice(name: str, words: Mapping[Value, str]) -> DropDown:
    """A drop-down of values, each by its words."""
    return DropDown(name, [(text, value) for value, text in words.items()])


class CasesField(QWidget):
    """Holds one place cases can be read from.

    Args:
        releases: Offered, the newest first.
        wanted: Name of the release chosen at first; the newest where there is none of this name.
        changed: Called when another place is chosen.
    """

    def __init__(
        self, releases: Sequence[ReleaseRow], *, wanted: str = "", changed: Callable[[], None]
    ) -> None:
        super().__init__()
        self._box = DropDown("cases-place", accessibleName="Cases", currentIndexChanged=changed)
        for row in releases:
            words = f"{row.name} · {counted(row.case_count, 'case')}"
            self._box.add(words, row.directory, tip=f"{words}\n{row.directory}")
            if row.name == wanted:
                self._box.setCurrentIndex(self._box.count() - 1)
        self._other = Button("Other…", objectName="cases-other", clicked=self._open_menu)
        hbox((self._box, 1), self._other, within=self, gap=8)
        self.setFocusProxy(self._box)

    @property
    def place(self) -> Path | None:
        """The folder or file that is chosen; None if there is none."""
        data = self._box.currentData()
        return Path(data) if data else None

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
        choices = ("A release folder…", self._ask_folder), ("A file of cases…", self._ask_file)
        open_choices(self._other, "cases-menu", choices)

    def _ask_folder(self) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                "Release folder",
                fileMode=QFileDialog.FileMode.Directory,
                fileSelected=self.choose,
            )
        )

    def _ask_file(self) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                "File of cases",
                "",
                FILE_FILTER,
                fileMode=QFileDialog.FileMode.ExistingFile,
                fileSelected=self.choose,
            )
        )


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
        super().__init__("run", "New run", "New run", width=600, parent=parent)
        self._project = project
        self._is_own_place = True
        self._cases = CasesField(releases, wanted=wanted, changed=self.check)
        self._model = self._field("run-model", "e.g. careful-agent-32b")
        self._address = self._field("run-address", "https://… or http://localhost:8000/v1")
        self._variable = self._field("run-key-variable", "Name of a variable; empty: the keyring, or no key")
        self._protocol = choice("run-protocol", PROTOCOL_WORDS)
        self._tools = choice("run-tools", TOOL_WORDS)
        self._at_once = number_field("run-concurrency", (1, _MOST_AT_ONCE), value=4, suffix=" tasks at once")
        self._dollars = self._field("run-dollars", "no limit", about="Spending limit, dollars")
        self._prompt_price = self._field("run-prompt-price", "read", about="Dollars per million tokens read")
        self._completion_price = self._field(
            "run-completion-price", "written", about="Dollars per million tokens written"
        )
        self._tokens = self._field("run-tokens", "no limit")
        self._out = self._field("run-file", "", about="Answers in")
        self._model.textChanged.connect(self._follow_model)
        self._out.textEdited.connect(self._keep_place)
        choose = Button("Choose…", objectName="run-choose-file", clicked=self._ask_file)
        prices = self._prompt_price, self._completion_price
        self.frame.add_form(
            ("Cases", self._cases),
            ("Model", self._model),
            ("Address", self._address),
            ("API key in", self._variable),
            ("Shown history", self._protocol),
            ("Tools are passed", self._tools),
            ("Asked", self._at_once),
            ("Spending limit, dollars", form_row(self._dollars, "at $ per million tokens", *prices)),
            ("Token limit", self._tokens),
            ("Answers in", form_row(self._out, choose)),
        )
        self._words = self.frame.explain("", "small-muted", objectName="run-words")
        self.end_with("Start", self._read, missing=self._why_not)
        self._follow_model()

    def _field(self, name: str, placeholder: str, *, about: str = "") -> QLineEdit:
        return line_field(name, placeholder, about=about, textChanged=self.check)

    def _follow_model(self) -> None:
        if self._is_own_place:
            self._out.setText(str(run_file(self._project, self._model.text().strip())))

    def _keep_place(self) -> None:
        self._is_own_place = False

    def _ask_file(self) -> None:
        dialog = build(
            QFileDialog,
            self,
            "Answers of the run",
            self._out.text(),
            "Predictions (*.jsonl)",
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            options=QFileDialog.Option.DontConfirmOverwrite,  # a run goes on in its file
            fileSelected=self.choose_file,
        )
        open_dialog(dialog)

    def choose_file(self, file: str) -> None:
        """Put the answers into a file from now on."""
        self._is_own_place = False
        self._out.setText(file)

    def _why_not(self) -> str:
        problem = self._problem()
        goes_on = Path(self._out.text()).is_file() if self._out.text() else False
        if self.go is not None:
            self.go.setText("Continue" if goes_on else "Start")
        words = "Each task is asked with the gold history before it. "
        words += "The file already has answers: the run continues where it stopped." if goes_on else ""
        # Only who filled in enough is told what is wrong.
        tells_problem = problem and self._model.text() and self._address.text()
        self._words.set_look("error" if tells_problem else "small-muted")
        self._words.setText(problem if tells_problem else words)
        return problem

    def _problem(self) -> str:
        if self._cases.place is None:
            return "Choose the cases: there is no release yet."
        if not self._model.text().strip():
            return "Enter the model name used by the endpoint."
        if not self._address.text().strip():
            return "Enter the address of the endpoint."
        if not self._out.text().strip():
            return "Choose a file for the answers."
        try:
            self._read().endpoint()
        except ValidationError as exc:
            found = exc.errors()[0]
            return f"The limits are not valid: {found.get('ctx', {}).get('error', found['msg'])}."
        except ValueError:
            return "A limit is a number, e.g. 10 or 2.50."
        except AnnotatorError as exc:
            return str(exc)
        return ""

    def _read(self) -> RunOrder:
        place = self._cases.place
        assert place is not None
        tokens = number_in(self._tokens)
        budget = Budget(
            tokens=int(tokens) if tokens is not None else None,
            dollars=number_in(self._dollars),
            prompt_price=number_in(self._prompt_price),
            completion_price=number_in(self._completion_price),
        )
        setting = RunSetting(
            model=self._model.text().strip(),
            protocol=self._protocol.currentData(),
            tools=self._tools.currentData(),
        )
        return RunOrder(
            cases=place,
            base_url=self._address.text().strip(),
            api_key_variable=self._variable.text().strip().removeprefix("$"),
            plan=RunPlan(setting, budget, self._at_once.value()),
            out=Path(self._out.text().strip()),
        )
