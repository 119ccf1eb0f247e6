"""The review policy as a form: its settings, taken from the model; edited, checked and saved as a whole."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import get_args, get_origin

from pydantic.fields import FieldInfo
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
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
from ui.theme.layouts import build, hbox, vbox

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
    "teval_fields": "T-Eval",
}
"""The heading above a setting; it holds for those after it."""
_TITLES = {
    "solo": "Solo",
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
    """The closed set a setting takes one value of, or several; null for neither."""
    members = (field.annotation, *get_args(field.annotation))
    return next((one for one in members if isinstance(one, type) and issubclass(one, StrEnum)), None)


def _bounds(field: FieldInfo) -> tuple[float, float]:
    low, high = 0.0, 10_000.0
    for bound in field.metadata:
        low = float(getattr(bound, "ge", low))
        high = float(getattr(bound, "le", high))
    return low, high


_PERCENT = 100
_NOTE = "Changes apply from now on; earlier decisions are not affected."


class ChoiceBoxes(QWidget):
    """A box for each value of a closed set."""

    toggled = Signal()

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(16))
        self._boxes = {choice: QCheckBox(choice.replace("_", " ")) for choice in choices}
        for choice, box in self._boxes.items():
            box.setObjectName(f"choice-{choice}")
            box.toggled.connect(self.toggled)
            row.addWidget(box)
        row.addStretch(1)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The values whose boxes are checked."""
        return tuple(choice for choice, box in self._boxes.items() if box.isChecked())

    def choose(self, values: Sequence[str]) -> None:
        """Check these boxes and no others."""
        for choice, box in self._boxes.items():
            box.setChecked(choice in values)


class PolicyForm(QFrame):
    """Shows a policy and tells what was changed.

    Args:
        commands: Holds `team.policy`, which saves, `team.policy_undo`, and import and export.
    """

    edited = Signal()
    """A field was changed by hand."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("policy-form")
        self.policy = ReviewPolicy()
        """The policy as it was read: what the fields are compared with."""
        self._settings = settings_of()
        self._fields: dict[str, QWidget] = {}
        self._titles: dict[str, TextLabel] = {}
        self._people: tuple[PersonRow, ...] = ()
        self._shortages = TextLabel("", "warn", objectName="policy-shortages", wordWrap=True)
        self._shortages.setContentsMargins(theme().px(12), theme().px(6), theme().px(12), theme().px(6))
        self._shortages.hide()
        header = PanelHeader("Review policy")
        self._state = ElidedLabel("", "small-muted", objectName="policy-state")
        header.add_left(self._state, stretch=1)
        for text, command, name in (
            ("Discard", "team.policy_undo", "policy-undo"),
            ("Save", "team.policy", "policy-save"),
        ):
            header.add_right(commands.button(command, text, name=name, kind=ButtonKind.GHOST))
        self._body = self._form()
        area = build(
            QScrollArea, widgetResizable=True, horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        area.setWidget(self._body)
        vbox(header, self._file_row(commands), self._shortages, (area, 1), within=self)
        self.edited.connect(self._check)

    def _file_row(self, commands: Commands) -> QHBoxLayout:
        row = hbox(TextLabel("As a file:", "small-muted"), gap=4, margins=(12, 6, 12, 0))
        for text, command, name in (
            ("Import…", "team.policy_import", "policy-import"),
            ("Export…", "team.policy_export", "policy-export"),
        ):
            row.addWidget(commands.button(command, text, name=name, kind=ButtonKind.GHOST))
        row.addStretch(1)
        return row

    def _form(self) -> QWidget:
        look = theme()
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(*(look.px(12),) * 4)
        grid.setHorizontalSpacing(look.px(16))
        grid.setVerticalSpacing(look.px(2))
        grid.setColumnStretch(0, 1)
        for setting in self._settings:
            if setting.group:
                grid.setRowMinimumHeight(grid.rowCount(), look.px(6))
                grid.addWidget(SectionLabel(setting.group), grid.rowCount(), 0, 1, 2)
            self._add(grid, setting)
        grid.setRowStretch(grid.rowCount(), 1)
        return body

    def _add(self, grid: QGridLayout, setting: Setting) -> None:
        field = self._field(setting)
        field.setObjectName(f"policy-{setting.key}")
        field.setToolTip(setting.tip)
        field.setAccessibleName(setting.title)
        field.setAccessibleDescription(setting.tip)
        self._fields[setting.key] = field
        title, words = TextLabel(setting.title), TextLabel(setting.tip, "small-muted")
        title.setBuddy(field)
        words.setWordWrap(True)
        self._titles[setting.key] = title
        row = grid.rowCount()
        grid.addWidget(title, row, 0)
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        if setting.kind in (Kind.TEXT, Kind.SET, Kind.GROUPS, Kind.LISTS):
            grid.addWidget(words, row + 1, 0, 1, 2)
            grid.addWidget(field, row + 2, 0, 1, 2)
        else:
            grid.addWidget(words, row + 1, 0)
            grid.addWidget(field, row, 1, 2, 1, side)
        grid.setRowMinimumHeight(grid.rowCount(), theme().px(6))

    def show_policy(self, policy: ReviewPolicy, *, is_locked: bool) -> None:
        """Show a policy; a locked one can only be read."""
        self.policy = policy
        self.fill(policy)
        self._body.setEnabled(not is_locked)
        self._check()

    def fill(self, policy: ReviewPolicy) -> None:
        """Write another policy into the form, to be saved or discarded; what differs is marked."""
        for setting in self._settings:
            _show(self._fields[setting.key], shown_text(policy, setting), setting)

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
        texts = {setting.key: _text(self._fields[setting.key], setting) for setting in self._settings}
        return changed_settings(self.policy, texts)

    def problem(self) -> AnnotatorError | None:
        """Why what the form says is no policy; null where it is one."""
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
        short = self.shortages()
        self._shortages.setText("\n".join(short))
        self._shortages.setVisible(bool(short))
        changed = {text.partition("=")[0] for text in self.changed()}
        problem = self.problem()
        wrong = problem.key if isinstance(problem, SettingError) else None
        for key, title in self._titles.items():
            title.set_look("strong" if key in changed else "body")
            if isinstance(self._fields[key], QLineEdit):
                restyle(self._fields[key], "problem", "yes" if key == wrong else "no")
        count = len(changed)
        words = problem.message if problem else f"{count} changed" if count else _NOTE
        self._state.set_look("error" if problem else "accent" if count else "small-muted")
        self._state.setText(words)
        self._state.setToolTip(words)

    def _field(self, setting: Setting) -> QWidget:
        match setting.kind:
            case Kind.SWITCH:
                box = QCheckBox()
                box.toggled.connect(self.edited)
                return box
            case Kind.COUNT:
                count = QSpinBox()
                count.setRange(int(setting.low), int(setting.high))
                count.lineEdit().setTextMargins(theme().px(6), 0, 0, 0)
                count.valueChanged.connect(self.edited)
                return count
            case Kind.SHARE:
                share = QDoubleSpinBox(decimals=1, suffix=" %")
                share.setRange(0, _PERCENT * min(setting.high, 1))
                share.lineEdit().setTextMargins(theme().px(6), 0, 0, 0)
                share.valueChanged.connect(self.edited)
                return share
            case Kind.CHOICE:
                choice = QComboBox()
                for value in setting.choices:
                    choice.addItem(value.replace("_", " "), value)
                choice.currentIndexChanged.connect(self.edited)
                return choice
            case Kind.SET:
                boxes = ChoiceBoxes(setting.choices)
                boxes.toggled.connect(self.edited)
                return boxes
            case Kind.TEXT | Kind.GROUPS | Kind.LISTS:
                line = QLineEdit(placeholderText=setting.example)
                line.textChanged.connect(self.edited)
                return line


def _show(field: QWidget, text: str, setting: Setting) -> None:
    if isinstance(field, QCheckBox):
        field.setChecked(text == "true")
    elif isinstance(field, QSpinBox):
        field.setValue(int(text))
    elif isinstance(field, QDoubleSpinBox):
        field.setValue(float(text) * _PERCENT)
    elif isinstance(field, QComboBox):
        field.setCurrentIndex(max(0, setting.choices.index(text)))
    elif isinstance(field, ChoiceBoxes):
        field.choose(text.split(","))
    elif isinstance(field, QLineEdit):
        field.setText(text)


def _text(field: QWidget, setting: Setting) -> str:
    """What a field says, written as `setting_text` writes it."""
    if isinstance(field, QCheckBox):
        return "true" if field.isChecked() else "false"
    if isinstance(field, QSpinBox):
        return str(field.value())
    if isinstance(field, QDoubleSpinBox):
        return repr(round(field.value() / _PERCENT, 5))
    if isinstance(field, QComboBox):
        return str(field.currentData())
    if isinstance(field, ChoiceBoxes):
        return ",".join(field.chosen)
    if isinstance(field, QLineEdit):
        return typed_text(field.text().strip(), setting)
    raise TypeError(f"no way to read the field of {setting.key}")
