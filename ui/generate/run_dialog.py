"""Starting a run of the generator: the dialog that asks what is ordered."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QSpinBox, QWidget

from annotator.cases.phrases import listed
from annotator.generation.estimate import Estimate
from annotator.generation.orders import GenerationOrder
from annotator.generation.plan import Chooser, GenerationPlan, Policies, RoleModel
from annotator.generation.roles import AgentRole
from annotator.llm.budget import Budget
from annotator.llm.endpoints import Endpoint, find_api_key
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Information
from scoring.wording import INFORMATION
from ui.generate.generate_lines import ROLE_WORDS, estimate_words
from ui.theme.dialogs import FormDialog
from ui.theme.fields import DropDown, FilesField, form_row, line_field, number_field, number_in
from ui.theme.layouts import build

_POLICIES = {
    Policies.MISSING: "What the coverage lacks",
    Policies.ALL: "Every sequence of the four policies",
    Policies.GIVEN: "These sequences",
}
_CHOOSERS = {
    Chooser.RULE: "A rule: least like those before",
    Chooser.MODEL: "A model, in the role of the Checker",
    Chooser.PERSON: "A person, on this page",
}
_LAYERS = {False: "all tasks at once", True: "first tasks; the next after review"}
_LANGUAGES = {"en": "English", "zh": "Chinese"}
_FILTERS = "Toolsets (*.json *.jsonl *.json.gz *.jsonl.gz);;All files (*)"
_MOST_TASKS, _MOST_COUNT, _MOST_AT_ONCE = 4, 100_000, 64
_LATER = (2, 3, 4)
_PAUSE_MILLISECONDS = 200
"""After the last change before an estimate is asked for: it may read every case."""


def resume_dialog(parent: QWidget, plan: GenerationPlan) -> FormDialog:
    """Ask before a run that was stopped sends requests again; answers None."""
    dialog = FormDialog("resume", "Resume a run", f"Go on with “{plan.name}”?", width=460, parent=parent)
    players = dict.fromkeys(f"{one.model} at {one.base_url}" for role in plan.models.values() for one in role)
    dialog.frame.explain(f"Requests are sent again to {listed(tuple(players))}.", "body")
    dialog.frame.explain("What is stored is not asked for again, and the limits of the run hold.")
    dialog.confirm_with("Resume")
    return dialog


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
        super().__init__("generate", "New generation", "New generation", width=680, parent=parent)
        self._name = self._field("generate-name", "of the run and of the batch its cases arrive in")
        self._name.setText("generated")
        self._files = FilesField("generate", "Toolsets", filters=_FILTERS, drops_on=self, changed=self.check)
        self._policies = self._choice("policies", _POLICIES)
        self._policies.setCurrentIndex(list(_POLICIES).index(policies))
        self._sequences = self._field(
            "generate-sequences", "e.g. single multi chat, clarify single", about="Sequences"
        )
        self._tasks = self._number_field(
            "generate-tasks", 1, _MOST_TASKS, 4, " tasks in a dialogue", about="Tasks"
        )
        self._count = self._number_field("generate-count", 0, _MOST_COUNT, 0, " dialogues", about="Dialogues")
        self._count.setSpecialValueText("each sequence once")
        self._model = self._field("generate-model", "e.g. careful-agent-32b")
        self._address = self._field("generate-address", "https://… or http://localhost:8000/v1")
        self._variable = self._field("generate-key", "Name of a variable; empty: the keyring, or no key")
        self._roles = {
            role: self._field(f"generate-model-{role.value}", words, about=words)
            for role, words in ROLE_WORDS.items()
        }
        self._information = {task: self._information_field(task) for task in _LATER}
        self._chooser = self._choice("chooser", _CHOOSERS)
        self._layers = self._choice("layers", _LAYERS)
        self._language = self._choice("language", _LANGUAGES)
        self._seed = self._number_field("generate-seed", 0, 2**31 - 1, 0, "", about="Seed")
        self._now = self._field("generate-now", "drawn for each dialogue; e.g. 2024-05-17 09:30:00")
        self._examples = self._number_field(
            "generate-examples", 0, 5, 0, " gold requests as examples", about="Examples"
        )
        self._at_once = self._number_field(
            "generate-concurrency", 1, _MOST_AT_ONCE, 4, " dialogues at once", about="At once"
        )
        self._dollars = self._field("generate-dollars", "no limit", about="Spending limit, dollars")
        self._read_price = self._field(
            "generate-prompt-price", "read", about="Dollars per million tokens read"
        )
        self._written_price = self._field(
            "generate-completion-price", "written", about="Dollars per million tokens written"
        )
        self._files.add([str(file) for file in files])
        if model is not None:
            self._model.setText(model.model)
            self._address.setText(model.base_url)
            self._variable.setText(model.key_variable or "")
        self._pause = build(
            QTimer, self, singleShot=True, interval=_PAUSE_MILLISECONDS, timeout=self._ask_estimate
        )
        self._build()

    def _field(self, name: str, placeholder: str, *, about: str = "") -> QLineEdit:
        return line_field(name, placeholder, about=about, textChanged=self.check)

    def _choice(self, name: str, words: Mapping[Any, str]) -> DropDown:
        choices = [(text, value) for value, text in words.items()]
        return DropDown(f"generate-{name}", choices, currentIndexChanged=self.check)

    def _number_field(
        self, name: str, least: int, most: int, value: int, suffix: str, *, about: str
    ) -> QSpinBox:
        limits = (least, most)
        return number_field(name, limits, value=value, suffix=suffix, about=about, valueChanged=self.check)

    def _information_field(self, task: int) -> DropDown:
        kinds = [kind for kind in Information if kind is not Information.FIRST]
        if task == _LATER[0]:
            kinds.remove(Information.LONG_RANGE)  # there is only the task before
        return DropDown(
            f"generate-information-{task}",
            [(f"task {task}: any", None), *((f"task {task}: {INFORMATION[kind]}", kind) for kind in kinds)],
            currentIndexChanged=self.check,
        )

    def _build(self) -> None:
        prices = self._read_price, self._written_price
        self._form = self.frame.add_form(
            ("Name", self._name),
            ("Toolsets", self._files),
            ("Policies", self._policies),
            ("", self._sequences),
            ("Dialogues", form_row(self._tasks, self._count)),
            ("Information", form_row(*self._information.values())),
            ("Model", self._model),
            ("Address", self._address),
            ("API key in", self._variable),
            ("Other models", form_row(*self._roles.values())),
            ("Requests picked by", form_row(self._chooser, self._layers)),
            ("Language", form_row(self._language, self._examples)),
            ("Now", self._now),
            ("Seed", form_row(self._seed, self._at_once)),
            ("Spending limit, dollars", form_row(self._dollars, "at $ per million tokens", *prices)),
        )
        self._words = self.frame.explain("", "small-muted", objectName="generate-words")
        self.end_with("Start", self._read, missing=self._why_not)

    def check(self) -> None:
        super().check()
        if self.go is not None:
            self._pause.start()

    def _why_not(self) -> str:
        self._form.setRowVisible(self._sequences, self._policies.currentData() is Policies.GIVEN)
        problem = self._problem()
        is_begun = bool(self._files.files and self._model.text() and self._address.text())
        self._words.set_look("error" if problem and is_begun else "small-muted")
        waiting = "Add toolsets and name a model to see what it will take."
        self._words.setText((problem if is_begun else waiting) if problem else "Estimating …")
        return problem

    def _ask_estimate(self) -> None:
        if not self._problem():
            self.estimate_wanted.emit(self._read())

    def show_estimate(self, found: Estimate) -> None:
        """Say what the run will take."""
        self._words.setText(estimate_words(found))
        self._block("" if found.dialogues else "No sequence is missing: choose other policies.")

    def show_problem(self, error: AnnotatorError) -> None:
        """Say why the run cannot be made."""
        self._words.set_look("error")
        self._words.setText(str(error))
        self._block(error.message)

    def _block(self, reason: str) -> None:
        if self.go is not None:
            self.go.set_blocked(reason)

    def _problem(self) -> str:
        if not self._name.text().strip():
            return "Name the run."
        if not self._files.files:
            return "Add a file of toolsets."
        if not self._model.text().strip():
            return "Enter the model name used by the endpoint."
        if not self._address.text().strip():
            return "Enter the address of the endpoint."
        if self._policies.currentData() is Policies.GIVEN and not self._sequences.text().strip():
            return "Enter sequences, e.g. single multi chat."
        try:
            plan = self._read().plan
            for role in AgentRole:
                model = plan.models[role][0]
                Endpoint(model.base_url, model.model)
            find_api_key(model.base_url, variable=model.key_variable)
        except ValidationError as exc:
            return f"This cannot be used: {exc.errors()[0]['msg'].removeprefix('Value error, ')}."
        except ValueError:
            return "A limit is a number, e.g. 10 or 2.50."
        except AnnotatorError as exc:
            return str(exc)
        return ""

    def _read(self) -> GenerationOrder:
        address, variable = self._address.text().strip(), self._variable.text().strip().removeprefix("$")

        def model_of(role: AgentRole) -> RoleModel:
            name = self._roles[role].text().strip() or self._model.text().strip()
            return RoleModel(model=name, base_url=address, key_variable=variable or None)

        policies = self._policies.currentData()
        written = self._sequences.text() if policies is Policies.GIVEN else ""
        sequences = tuple(
            tuple(part.split()) for part in written.replace(";", ",").split(",") if part.strip()
        )
        plan = GenerationPlan(
            name=self._name.text().strip(),
            tasks=self._tasks.value(),
            policies=policies,
            sequences=sequences,
            count=self._count.value() or None,
            models={role: (model_of(role),) for role in AgentRole},
            language=self._language.currentData(),
            seed=self._seed.value(),
            information={
                task: kind for task, field in self._information.items() if (kind := field.currentData())
            },
            now=self._now.text().strip() or None,
            chooser=self._chooser.currentData(),
            examples=self._examples.value(),
            is_layered=self._layers.currentData(),
            budget=Budget(
                dollars=number_in(self._dollars),
                prompt_price=number_in(self._read_price),
                completion_price=number_in(self._written_price),
            ),
        )
        return GenerationOrder(plan=plan, files=self._files.files, concurrency=self._at_once.value())
