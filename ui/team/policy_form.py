"""The review policy as a form: its settings, taken from the model; edited, checked and saved as a whole."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import get_args, get_origin

from pydantic.fields import FieldInfo
from PySide6.QtCore import QMargins, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from annotator.project.people import PersonRow
from annotator.project.policy import ReviewPolicy, SettingError, changed_policy, strangers
from annotator.review.shortages import shortages
from scoring.errors import AnnotatorError
from ui.services.commands import Commands
from ui.theme import ButtonKind, ElidedLabel, PanelHeader, SectionLabel, TextLabel, theme
from ui.theme.labels import restyle
from ui.theme.layouts import STRETCH, build, grid, hbox, vbox
from ui.theme.look import scaled
from ui.theme.words import LOADING

_MORE_WORDS = {
    "case_threshold": "Share of differing fields above which a case is escalated.",
    "batch_threshold": "Share of escalated cases above which a batch is flagged.",
    "escalate_flagged_batch": "A flagged batch goes to the expert as a whole.",
    "sampling": "Once: one sample for the expert. Rounds: with changing reviewers, until one is clean.",
    "sample_share": "Share of the approved cases of a batch that is sampled.",
    "sample_minimum": "Minimum number of cases in a sample.",
    "round_share": "With sampling by rounds: share of the batch in each round.",
    "seed": "Text that samples are drawn from; the same text draws the same cases.",
    "lease_minutes": "Minutes until an inactive claim expires.",
}
"""What the model's own descriptions leave open."""
_GROUPS = {
    "solo": "Stages",
    "reviewers": "Cross-check",
    "case_threshold": "Thresholds",
    "sampling": "Sampling",
    "lease_minutes": "Work",
    "attention_share": "Attention",
    "annotators_import": "Import",
    "teval_fields": "T-Eval",
}
"""The heading above a setting; it holds for those after it."""
_TITLES = {
    "solo": "Solo",
    "cross_check": "Cross-check",
    "expert_sample": "Expert sample",
    "reviewers": "Reviewers per case",
    "blind_fields": "Hidden from reviewers",
    "open_labels": "Labels open to annotators",
    "lease_minutes": "Lease, minutes",
    "training_threshold": "Training before work",
    "attention_share": "Known-answer cases",
    "teval_fields": "Plan, thoughts and review labels",
}


_EXAMPLES = {
    "pairs": "ann-1, ann-2; ann-3, ann-4",
    "skills": "ann-1: en, zh; ann-2: en",
}


class Kind(StrEnum):
    """How a setting is edited."""

    SWITCH = "switch"
    COUNT = "count"
    SHARE = "share"
    CHOICE = "choice"
    SET = "set"
    GROUPS = "groups"
    LISTS = "lists"
    TEXT = "text"


@dataclass(frozen=True)
class Setting:
    """One setting; groups of names and lists by name are written with commas and semicolons.

    `choices` are values of a closed set, `low` and `high` bound a number.
    `group` is the heading that stands above it, `example` what a text looks like; both may be empty.
    """

    key: str
    title: str
    kind: Kind
    tip: str = ""
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 10_000
    group: str = ""
    example: str = ""


def settings_of(model: type[ReviewPolicy] = ReviewPolicy) -> tuple[Setting, ...]:
    """Every setting, in the order of the model."""
    return tuple(_setting(key, field) for key, field in model.model_fields.items())


def setting_text(policy: ReviewPolicy, key: str) -> str:
    """The value of a setting as `policy set KEY=VALUE` takes it."""
    value = policy.model_dump(mode="json")[key]
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return json.dumps(value, ensure_ascii=False)


def shown_text(policy: ReviewPolicy, setting: Setting) -> str:
    """The value of a setting as people read and type it, e.g. `ann-1, ann-2; ann-3, ann-4`."""
    if setting.kind is Kind.GROUPS:
        return "; ".join(", ".join(group) for group in getattr(policy, setting.key))
    if setting.kind is Kind.LISTS:
        lists = getattr(policy, setting.key)
        return "; ".join(f"{name}: {', '.join(values)}" for name, values in lists.items())
    return setting_text(policy, setting.key)


def typed_text(text: str, setting: Setting) -> str:
    """What was typed, as `setting_text` writes it; JSON passes as it is."""
    if setting.kind not in (Kind.GROUPS, Kind.LISTS) or text.startswith(("[", "{")):
        return text
    parts = [part for part in map(str.strip, text.split(";")) if part]
    if setting.kind is Kind.GROUPS:
        return json.dumps([_names(part) for part in parts], ensure_ascii=False) if parts else ""
    named = (part.partition(":") for part in parts)
    return json.dumps({name.strip(): _names(values) for name, _, values in named}, ensure_ascii=False)


def _names(text: str) -> list[str]:
    return [name for name in map(str.strip, text.split(",")) if name]


def changed_settings(policy: ReviewPolicy, texts: Mapping[str, str]) -> tuple[str, ...]:
    """`KEY=VALUE` of every setting that reads otherwise than in a policy."""
    return tuple(f"{key}={text}" for key, text in texts.items() if text != setting_text(policy, key))


def _setting(key: str, field: FieldInfo) -> Setting:
    low, high = _bounds(field)
    closed = _closed_set(field)
    return Setting(
        key,
        _TITLES.get(key) or key.replace("_", " ").capitalize(),
        _kind(field),
        field.description or _MORE_WORDS.get(key, ""),
        tuple(one.value for one in closed) if closed else (),
        low,
        high,
        _GROUPS.get(key, ""),
        _EXAMPLES.get(key, ""),
    )


def _kind(field: FieldInfo) -> Kind:
    if field.annotation is bool:
        return Kind.SWITCH
    if field.annotation is int:
        return Kind.COUNT
    if field.annotation is float:
        return Kind.SHARE
    if get_origin(field.annotation) is dict:
        return Kind.LISTS
    if get_origin(field.annotation) is tuple and get_origin(get_args(field.annotation)[0]) is tuple:
        return Kind.GROUPS
    if _closed_set(field) is not None:
        return Kind.CHOICE if isinstance(field.annotation, type) else Kind.SET
    return Kind.TEXT


def _closed_set(field: FieldInfo) -> type[StrEnum] | None:
    """The closed set a setting takes one value of, or several; None for neither."""
    members = (field.annotation, *get_args(field.annotation))
    return next((one for one in members if isinstance(one, type) and issubclass(one, StrEnum)), None)


def _bounds(field: FieldInfo) -> tuple[float, float]:
    low, high = 0.0, 10_000.0
    for bound in field.metadata:
        low = float(getattr(bound, "ge", low))
        high = float(getattr(bound, "le", high))
    return low, high


_PERCENT = 100
_NOTE = "Changes leave earlier decisions as they are."


class ChoiceBoxes(QWidget):
    """A box for each value of a closed set."""

    def __init__(self, choices: Sequence[str], *, toggled: Callable[[], None]) -> None:
        super().__init__()
        self._boxes = {
            choice: build(QCheckBox, choice.replace("_", " "), objectName=f"choice-{choice}", toggled=toggled)
            for choice in choices
        }
        hbox(*self._boxes.values(), STRETCH, within=self, gap=16)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The values whose boxes are checked."""
        return tuple(choice for choice, box in self._boxes.items() if box.isChecked())

    def choose(self, values: Sequence[str]) -> None:
        """Check these boxes and no others."""
        for choice, box in self._boxes.items():
            box.setChecked(choice in values)


@dataclass(frozen=True)
class Field:
    """What a setting is edited in: `read` writes it as `setting_text` does, `show` takes `shown_text`."""

    widget: QWidget
    read: Callable[[], str]
    show: Callable[[str], None]


def field_of(setting: Setting, *, edited: Callable[[], None]) -> Field:
    """Make what a setting is edited in; `edited` is called when a person changes it."""
    margins = QMargins(theme().px(6), 0, 0, 0)
    match setting.kind:
        case Kind.SWITCH:
            box = build(QCheckBox, toggled=edited)
            return Field(
                box,
                lambda: "true" if box.isChecked() else "false",
                lambda text: box.setChecked(text == "true"),
            )
        case Kind.COUNT:
            low, high = int(setting.low), int(setting.high)
            count = build(QSpinBox, minimum=low, maximum=high, valueChanged=edited)
            count.lineEdit().setTextMargins(margins)
            return Field(count, lambda: str(count.value()), lambda text: count.setValue(int(text)))
        case Kind.SHARE:
            most = _PERCENT * min(setting.high, 1)
            share = build(QDoubleSpinBox, decimals=1, suffix=" %", maximum=most, valueChanged=edited)
            share.lineEdit().setTextMargins(margins)
            return Field(
                share,
                lambda: repr(round(share.value() / _PERCENT, 5)),
                lambda text: share.setValue(float(text) * _PERCENT),
            )
        case Kind.CHOICE:
            choice = build(QComboBox, currentIndexChanged=edited)
            for value in setting.choices:
                choice.addItem(value.replace("_", " "), value)
            return Field(
                choice,
                lambda: str(choice.currentData()),
                lambda text: choice.setCurrentIndex(setting.choices.index(text)),
            )
        case Kind.SET:
            boxes = ChoiceBoxes(setting.choices, toggled=edited)
            return Field(boxes, lambda: ",".join(boxes.chosen), lambda text: boxes.choose(text.split(",")))
        case Kind.TEXT | Kind.GROUPS | Kind.LISTS:
            line = build(QLineEdit, placeholderText=setting.example, textChanged=edited)
            return Field(line, lambda: typed_text(line.text().strip(), setting), line.setText)


class PolicyForm(QFrame):
    """Shows a policy and tells what was changed.

    Args:
        commands: Holds `team.policy`, which saves, `team.policy_undo`, and import and export.
    """

    edited = Signal()
    """A field was changed by hand."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="policy-form")
        self.policy = ReviewPolicy()
        """The policy as it was read: what the fields are compared with."""
        self._settings = settings_of()
        self._fields: dict[str, Field] = {}
        self._titles: dict[str, TextLabel] = {}
        self._people: tuple[PersonRow, ...] = ()
        self._shortages = TextLabel("", "warn", objectName="policy-shortages", wordWrap=True, visible=False)
        scaled(self._shortages, setContentsMargins=(12, 6, 12, 6))
        self.state = ElidedLabel("", "small-muted", objectName="policy-state")
        discard, save, imports, export = (
            commands.button(command, text, name=name, kind=ButtonKind.GHOST)
            for text, command, name in (
                ("Discard", "team.policy_undo", "policy-undo"),
                ("Save", "team.policy", "policy-save"),
                ("Import…", "team.policy_import", "policy-import"),
                ("Export…", "team.policy_export", "policy-export"),
            )
        )
        header = PanelHeader("Review policy", (self.state, 1), discard, save)
        as_file = TextLabel("As a file:", "small-muted")
        file_row = hbox(as_file, imports, export, STRETCH, gap=4, margins=(12, 6, 12, 0))
        self._body = self._form()
        area = build(
            QScrollArea,
            objectName="policy-area",
            widgetResizable=True,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        area.setWidget(self._body)
        vbox(header, file_row, self._shortages, (area, 1), within=self)
        self._body.hide()
        self.edited.connect(self._check)

    def _form(self) -> QWidget:
        body = build(QWidget, objectName="policy-fields")
        lines = grid(within=body, gaps=(16, 2), margins=12)
        lines.setColumnStretch(0, 1)
        for setting in self._settings:
            if setting.group:
                lines.setRowMinimumHeight(lines.rowCount(), theme().px(6))
                lines.addWidget(SectionLabel(setting.group), lines.rowCount(), 0, 1, 2)
            self._add(lines, setting)
        lines.setRowStretch(lines.rowCount(), 1)
        return body

    def _add(self, lines: QGridLayout, setting: Setting) -> None:
        made = field_of(setting, edited=self._tell_edit)
        self._fields[setting.key] = made
        field = made.widget
        field.setObjectName(f"policy-{setting.key}")
        field.setToolTip(setting.tip)
        field.setAccessibleName(setting.title)
        field.setAccessibleDescription(setting.tip)
        title, words = TextLabel(setting.title), TextLabel(setting.tip, "small-muted", wordWrap=True)
        title.setBuddy(field)
        self._titles[setting.key] = title
        row = lines.rowCount()
        lines.addWidget(title, row, 0)
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        if setting.kind in (Kind.TEXT, Kind.SET, Kind.GROUPS, Kind.LISTS):
            lines.addWidget(words, row + 1, 0, 1, 2)
            lines.addWidget(field, row + 2, 0, 1, 2)
        else:
            lines.addWidget(words, row + 1, 0)
            lines.addWidget(field, row, 1, 2, 1, side)
        lines.setRowMinimumHeight(lines.rowCount(), theme().px(6))

    def show_policy(self, policy: ReviewPolicy, *, is_locked: bool) -> None:
        """Show a policy; a locked one can only be read."""
        self.policy = policy
        self._body.show()
        self.fill(policy)
        self._body.setEnabled(not is_locked)
        self._check()

    def fill(self, policy: ReviewPolicy) -> None:
        """Write another policy into the form, to be saved or discarded; what differs is marked."""
        for setting in self._settings:
            self._fields[setting.key].show(shown_text(policy, setting))

    def _tell_edit(self) -> None:
        self.edited.emit()

    def know_people(self, people: Sequence[PersonRow]) -> None:
        """Check what a policy names and needs against the people of the project."""
        self._people = tuple(people)
        self._check()

    @property
    def edited_policy(self) -> ReviewPolicy:
        """What the form says.

        Raises:
            InputError: It is no policy.
        """
        return changed_policy(self.policy, self.changed())

    def undo(self) -> None:
        """Show the policy again as it is saved."""
        self.show_policy(self.policy, is_locked=not self._body.isEnabled())
        self.edited.emit()

    def changed(self) -> tuple[str, ...]:
        """`KEY=VALUE` of what was changed by hand; empty for nothing."""
        texts = {key: field.read() for key, field in self._fields.items()}
        return changed_settings(self.policy, texts)

    def problem(self) -> AnnotatorError | None:
        """Why what the form says is no policy; None where it is one."""
        try:
            policy = self.edited_policy
        except AnnotatorError as error:
            return error
        known = {person.name for person in self._people}
        for key, name in strangers(policy, known) if known else ():
            return SettingError(key, f"The value for {key} names {name}, who is not in this project.")
        return None

    def shortages(self) -> tuple[str, ...]:
        """What the policy in the form asks for that the people of the project cannot give."""
        if not self._people or self.problem():
            return ()
        return shortages(self.edited_policy, self._people)

    def _check(self) -> None:
        """Mark what was changed, and say what does not fit or cannot be done."""
        if self._body.isHidden():  # nothing of it is known yet
            self.state.setText(LOADING)
            return
        short = self.shortages()
        self._shortages.say("\n".join(short))
        changed = {text.partition("=")[0] for text in self.changed()}
        problem = self.problem()
        wrong = problem.key if isinstance(problem, SettingError) else None
        for key, title in self._titles.items():
            title.set_look("strong" if key in changed else "body")
            widget = self._fields[key].widget
            if isinstance(widget, QLineEdit):
                restyle(widget, "problem", "yes" if key == wrong else "no")
        count = len(changed)
        words = problem.message if problem else f"{count} changed" if count else _NOTE
        self.state.set_look("error" if problem else "accent" if count else "small-muted")
        self.state.setText(words)
        self.state.setToolTip(words)
