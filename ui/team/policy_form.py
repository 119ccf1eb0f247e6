"""The review policy as a form: edited as a whole, checked while it is edited, saved as a whole."""

from collections.abc import Sequence

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
from ui.team.settings import Kind, Setting, changed_settings, settings_of, shown_text, typed_text
from ui.theme import ButtonKind, ElidedLabel, PanelHeader, SectionLabel, TextLabel, theme
from ui.theme.labels import restyle
from ui.theme.layouts import build, hbox, vbox

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
                return build(QCheckBox, toggled=self.edited)
            case Kind.COUNT:
                count = QSpinBox()
                count.setRange(int(setting.low), int(setting.high))
                count.lineEdit().setTextMargins(theme().px(6), 0, 0, 0)
                count.valueChanged.connect(self.edited)
                return count
            case Kind.SHARE:
                share = QDoubleSpinBox()
                share.setRange(0, _PERCENT * min(setting.high, 1))
                share.setDecimals(1)
                share.setSuffix(" %")
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
                return build(QLineEdit, placeholderText=setting.example, textChanged=self.edited)


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
