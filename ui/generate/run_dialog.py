"""Starting a run of the generator: the dialog that asks what is ordered."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from annotator.cases.phrases import listed
from annotator.generation.estimate import Estimate
from annotator.generation.orders import GenerationOrder
from annotator.generation.plan import Chooser, GenerationPlan, Policies, RoleModel
from annotator.generation.roles import AgentRole
from annotator.generation.scenarios.scenario_files import personal_warning
from annotator.llm.endpoints import Endpoint, find_api_key
from scoring.errors import AnnotatorError, InputError
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information
from scoring.texts import in_language, tr
from ui.generate.generate_lines import ROLE_WORDS, STYLE_WORDS, estimate_words
from ui.services.errors import ManualLink
from ui.services.forms import Editor, RecordForm, budget_row, files_editor, path_editor
from ui.theme import WrappedLabel
from ui.theme.dialogs import FormDialog, question_dialog
from ui.theme.fields import DropDown, FilesField, PathField, form_row, line_field
from ui.theme.layouts import build, column
from ui.theme.words import INFORMATION

_LATER = (2, 3, 4)
_PAUSE_MILLISECONDS = 200
"""After the last change before an estimate is asked for: it may read every case."""


def resume_dialog(parent: QWidget, plan: GenerationPlan) -> FormDialog:
    """Ask before a run that was stopped sends requests again; answers None."""
    players = dict.fromkeys(
        tr("{model} at {base_url}", model=one.model, base_url=one.base_url)
        for role in plan.models.values()
        for one in role
    )
    return question_dialog(
        "resume",
        tr("Resume a run"),
        tr("Go on with “{name}”?", name=plan.name),
        WrappedLabel(
            tr("Requests are sent again to {listed}.", listed=listed(tuple(players), last=tr("and")))
        ),
        WrappedLabel(tr("What is stored is not asked for again, and the limits of the run hold."), "muted"),
        verb=tr("Resume"),
        width=460,
        parent=parent,
    )


class GenerateDialog(FormDialog):
    """Asks what to generate; answers a `GenerationOrder`.

    Args:
        policies: What is chosen at first.
        files: Toolsets to begin with.
        model: The model of the run before, to begin with.
    """

    estimate_wanted = Signal(object)
    """The `GenerationOrder` as it is now; `show_estimate` or `show_problem` says what it will take."""

    def __init__(
        self,
        *,
        policies: Policies = Policies.MISSING,
        files: tuple[Path, ...] = (),
        model: RoleModel | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("generate", tr("New generation"), tr("New generation"), width=700, parent=parent)
        found = FilesField(
            "generate",
            tr("Toolsets"),
            filters=tr("Toolsets (*.json *.jsonl *.json.gz *.jsonl.gz);;All files (*)"),
            drops_on=self,
        )
        found.add(files)
        scenarios = PathField(
            "generate-scenarios",
            tr("Scenarios"),
            filters=tr("Scenarios (*.txt *.jsonl);;All files (*)"),
            takes_folder=False,
        )
        self._player = RecordForm("generate", RoleModel, "model", "base_url", "key_variable", parent=self)
        if model is not None:
            self._player.fill(model)
        self._form = RecordForm(
            "generate",
            GenerationOrder,
            "plan.name",
            "files",
            (tr("Policies"), "plan.policies", "plan.sequences"),
            (tr("Dialogues"), "plan.tasks", "plan.count"),
            "plan.information",
            "plan.shares",
            "scenarios",
            "plan.styles",
            "plan.models",
            (tr("Requests picked by"), "plan.chooser", "plan.is_layered"),
            (tr("Language"), "plan.language", "plan.examples"),
            "plan.now",
            (tr("Seed"), "plan.seed", "concurrency"),
            budget_row("plan.budget"),
            words={
                "plan.policies": {
                    Policies.MISSING: tr("What the coverage lacks"),
                    Policies.ALL: tr("Every sequence of policies"),
                    Policies.GIVEN: tr("These sequences"),
                },
                "plan.chooser": {
                    Chooser.RULE: tr("A rule: least like those before"),
                    Chooser.MODEL: tr("A model, in the role of the Checker"),
                    Chooser.PERSON: tr("A person, on this page"),
                },
                "plan.is_layered": {
                    False: tr("all tasks at once"),
                    True: tr("first tasks; the next after review"),
                },
                "plan.styles": STYLE_WORDS,
                "plan.language": {"en": tr("English"), "zh": tr("Chinese")},
            },
            editors={
                "files": files_editor(found),
                "scenarios": path_editor(scenarios),
                "plan.models": self._models_editor(),
                "plan.information": self._information_editor(),
            },
            accept=_find_endpoints,
            parent=self,
        )
        self._form.fields["plan.name"].editor.show("generated")
        self._form.fields["plan.policies"].editor.show(policies)
        rows, at = [*self._form.rows()], 8
        self.frame.add_form(*rows[:at], *self._player.rows(), *rows[at:])
        self._words = self.frame.explain("", "small-muted", objectName="generate-words")
        self._manual = ManualLink(objectName="generate-manual")
        self.frame.add(self._manual)
        self._pause = build(
            QTimer, self, singleShot=True, interval=_PAUSE_MILLISECONDS, timeout=self._ask_estimate
        )
        self.end_with(tr("Start"), self._form.record, missing=self._why_not)
        for form in (self._player, self._form):
            form.edited.connect(self.check)

    def _models_editor(self) -> Editor:
        """A line for the model of each role that has one of its own; no models where none is named."""
        lines = {
            role: line_field(f"generate-model-{role.value}", words, about=words, textChanged=self.check)
            for role, words in ROLE_WORDS.items()
        }

        def read() -> dict[AgentRole, tuple[JsonObject]] | None:
            shared = self._player.values()
            if not shared["model"] or not shared["base_url"]:
                return None
            own = {role: line.text().strip() or shared["model"] for role, line in lines.items()}
            return {role: ({**shared, "model": name},) for role, name in own.items()}

        return Editor(column(form_row(*lines.values())), self._player.edited, read, lambda _: None)

    def _information_editor(self) -> Editor:
        """A choice for each later task."""
        boxes = {task: _information_field(task, changed=self.check) for task in _LATER}

        def read() -> dict[int, Information]:
            return {task: kind for task, box in boxes.items() if (kind := box.currentData())}

        return Editor(
            column(form_row(*boxes.values())), boxes[_LATER[0]].currentIndexChanged, read, lambda _: None
        )

    def check(self) -> None:
        super().check()
        if self.go is not None:
            self._pause.start()

    def _problem(self) -> str:
        found = self._form.check()
        return self._player.check() or found

    def _why_not(self) -> str:
        problem = self._problem()
        self._words.say(
            tr("Add toolsets and name a model to see what it will take.") if problem else tr("Estimating …"),
            "small-muted",
        )
        self._manual.offer("")
        return problem

    def _ask_estimate(self) -> None:
        if not self._problem():
            self.estimate_wanted.emit(self._form.record())

    def show_estimate(self, found: Estimate) -> None:
        """Say what the run will take, and beside the scenarios which of them hold personal data."""
        self._words.setText(estimate_words(found))
        warning = personal_warning({one.name: one.personal for one in found.scenarios})
        self._form.fields["scenarios"].problem.say(warning, "warn")
        self._block("" if found.dialogues else tr("No sequence is missing: choose other policies."))

    def show_problem(self, error: AnnotatorError) -> None:
        """Say why the run cannot be made."""
        self._words.say(in_language(str(error)), "error")
        self._manual.offer(error.message)
        self._block(tr(error.message))

    def _block(self, reason: str) -> None:
        if self.go is not None:
            self.go.set_blocked(reason)


def _find_endpoints(order: GenerationOrder) -> None:
    """Raise an `InputError` where toolsets, an endpoint or its key are missing."""
    if not order.files:
        raise InputError(tr("Add a file of toolsets."))
    for player, *_ in order.plan.models.values():
        Endpoint(player.base_url, player.model)
        find_api_key(player.base_url, variable=player.key_variable)


def _information_field(task: int, *, changed: Callable[[], None]) -> DropDown:
    kinds = [kind for kind in Information if kind is not Information.FIRST]
    if task == _LATER[0]:
        kinds.remove(Information.LONG_RANGE)  # there is only the task before
    return DropDown(
        f"generate-information-{task}",
        [
            (tr("task {task}: any", task=task), None),
            *(
                (tr("task {task}: {information}", task=task, information=INFORMATION[kind]), kind)
                for kind in kinds
            ),
        ],
        currentIndexChanged=changed,
    )
