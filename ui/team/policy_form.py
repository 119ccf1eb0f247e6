"""The review policy as a form: edited as a whole, saved as a whole."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from annotator.project.policy import ReviewPolicy
from ui.commands import Commands
from ui.team.settings import Kind, Setting, changed_settings, setting_text, settings_of
from ui.theme import Button, ButtonKind, PanelHeader, TextLabel, theme

_PERCENT = 100


class PolicyForm(QFrame):
    """Shows a policy and tells what was changed.

    Args:
        commands: Holds `team.policy`, which saves.
    """

    edited = Signal()
    """A field was changed by hand."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("policy-form")
        self._policy = ReviewPolicy()
        self._settings = settings_of()
        self._fields: dict[str, QWidget] = {}
        header = PanelHeader("Review policy")
        save = Button("Save", ButtonKind.GHOST)
        save.setObjectName("policy-save")
        commands.bind(save, "team.policy")
        header.add_right(save)
        look = theme()
        body = QWidget()
        form = QFormLayout(body)
        form.setContentsMargins(*(look.px(12),) * 4)
        form.setHorizontalSpacing(look.px(16))
        form.setVerticalSpacing(look.px(6))
        note = TextLabel("A change holds from now on; what was decided before stays decided.", "small-muted")
        note.setWordWrap(True)
        form.addRow(note)
        for setting in self._settings:
            field = self._field(setting)
            field.setObjectName(f"policy-{setting.key}")
            field.setToolTip(setting.tip)
            self._fields[setting.key] = field
            if setting.kind is Kind.SWITCH:
                form.addRow(field)
            else:
                label = TextLabel(setting.title)
                label.setToolTip(setting.tip)
                label.setBuddy(field)
                form.addRow(label, field)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        self._body = body
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(area, 1)

    def show_policy(self, policy: ReviewPolicy, *, is_locked: bool) -> None:
        """Show a policy; a locked one can only be read."""
        self._policy = policy
        for setting in self._settings:
            _show(self._fields[setting.key], setting_text(policy, setting.key), setting)
        self._body.setEnabled(not is_locked)

    def changed(self) -> tuple[str, ...]:
        """`KEY=VALUE` of what was changed by hand; empty for nothing."""
        texts = {setting.key: _text(self._fields[setting.key], setting) for setting in self._settings}
        return changed_settings(self._policy, texts)

    def _field(self, setting: Setting) -> QWidget:
        match setting.kind:
            case Kind.SWITCH:
                box = QCheckBox(setting.title)
                box.toggled.connect(self.edited)
                return box
            case Kind.COUNT:
                count = QSpinBox()
                count.setRange(int(setting.low), int(setting.high))
                count.valueChanged.connect(self.edited)
                return count
            case Kind.SHARE:
                share = QDoubleSpinBox()
                share.setRange(0, _PERCENT)
                share.setDecimals(1)
                share.setSuffix(" %")
                share.valueChanged.connect(self.edited)
                return share
            case Kind.CHOICE:
                choice = QComboBox()
                for value in setting.choices:
                    choice.addItem(value.replace("_", " "), value)
                choice.currentIndexChanged.connect(self.edited)
                return choice
            case Kind.TEXT:
                line = QLineEdit()
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
    if isinstance(field, QLineEdit):
        return field.text().strip()
    raise TypeError(f"no way to read the field of {setting.key}")
