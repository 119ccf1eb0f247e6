"""The review policy as a form: edited, checked and saved as a whole."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QWidget

from annotator.fields import written
from annotator.project.people import PersonRow
from annotator.project.policy import PRESETS, ReviewPolicy, SettingError, changed_policy, strangers
from annotator.review.shortages import shortages
from scoring.errors import AnnotatorError
from scoring.texts import tr
from ui.services.commands import Commands
from ui.services.forms import FormField, RecordForm
from ui.theme import ButtonKind, ElidedLabel, PanelHeader, SectionLabel, TextLabel, theme
from ui.theme.fields import ChoiceBoxes, DropDown, NoteField
from ui.theme.layouts import STRETCH, build, grid, hbox, scrolled, vbox
from ui.theme.look import scaled
from ui.theme.words import LOADING


class PolicyForm(QFrame):
    """Shows a policy and tells what was changed.

    Args:
        commands: Holds `team.policy`, which saves, `team.policy_undo`, and import and export.
    """

    edited = Signal()
    """A field was changed by hand."""

    def __init__(self, commands: Commands, **properties: Any) -> None:
        build(super().__init__, objectName="policy-form", **properties)
        self.policy = ReviewPolicy()
        """The policy as it was read: what the fields are compared with."""
        self._form = RecordForm(
            "policy", ReviewPolicy, *ReviewPolicy.model_fields, parent=self, edited=self.edited
        )
        self._saved: dict[str, object] = {}
        self._titles: dict[str, TextLabel] = {}
        self._people: tuple[PersonRow, ...] = ()
        self._shortages = TextLabel("", "warn", objectName="policy-shortages", wordWrap=True, visible=False)
        scaled(self._shortages, setContentsMargins=(12, 6, 12, 6))
        self.state = ElidedLabel("", "small-muted", objectName="policy-state")
        discard, save, imports, export = (
            commands.button(command, text, name=name, kind=ButtonKind.GHOST)
            for text, command, name in (
                (tr("Discard"), "team.policy_undo", "policy-undo"),
                (tr("Save"), "team.policy", "policy-save"),
                (tr("Import…"), "team.policy_import", "policy-import"),
                (tr("Export…"), "team.policy_export", "policy-export"),
            )
        )
        header = PanelHeader(tr("Review policy"), (self.state, 1), discard, save)
        as_file = TextLabel(tr("As a file:"), "small-muted")
        self.presets = DropDown(
            "policy-preset",
            [(tr("Choose…"), None), *zip(PRESETS, PRESETS, strict=True)],
            activated=self._take_preset,
        )
        preset = TextLabel(tr("Preset:"), "small-muted", buddy=self.presets)
        members = (as_file, imports, export, STRETCH, preset, self.presets)
        file_row = hbox(*members, gap=4, margins=(12, 6, 12, 0))
        self.effects = TextLabel("", "small-muted", objectName="policy-effects", wordWrap=True, visible=False)
        scaled(self.effects, setContentsMargins=(12, 6, 12, 0))
        self._body = self._lay_out()
        area = scrolled(
            self._body,
            objectName="policy-area",
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        vbox(header, file_row, self.effects, self._shortages, (area, 1), within=self)
        self._body.hide()
        self.edited.connect(self._check)

    def _lay_out(self) -> QWidget:
        body = build(QWidget, objectName="policy-fields")
        lines = grid(within=body, gaps=(16, 2), margins=12)
        for key, field in self._form.fields.items():
            if field.hints.group:
                lines.setRowMinimumHeight(lines.rowCount(), theme().px(6))
                lines.addWidget(SectionLabel(tr(field.hints.group)), lines.rowCount(), 0, 1, 2)
            self._titles[key] = _add(lines, field)
        lines.setRowStretch(lines.rowCount(), 1)
        return body

    def show_policy(self, policy: ReviewPolicy, *, is_locked: bool) -> None:
        """Show a policy; a locked one can only be read."""
        self.policy = policy
        self._body.show()
        self.fill(policy)
        self._saved = self._form.values()
        self._body.setEnabled(not is_locked)
        self._check()

    def fill(self, policy: ReviewPolicy) -> None:
        """Write another policy into the form, to be saved or discarded; what differs is marked."""
        self._form.fill(policy)

    def know_people(self, people: Sequence[PersonRow]) -> None:
        """Check what a policy names and needs against the people of the project."""
        self._people = tuple(people)
        self._check()

    def _take_preset(self) -> None:
        """Write a procedure into the form; nothing holds before it is saved."""
        name = self.presets.currentData()
        if name is not None and not self.problem():
            self.fill(changed_policy(self.edited_policy, PRESETS[name]))

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
        return tuple(
            f"{key}={written(value)}"
            for key, value in self._form.values().items()
            if self._saved and value != self._saved[key]
        )

    def problem(self) -> AnnotatorError | None:
        """Why what the form says is no policy; None where it is one."""
        try:
            policy = self.edited_policy
        except AnnotatorError as error:
            return error
        known = {person.name for person in self._people}
        for key, name in strangers(policy, known) if known else ():
            return SettingError(
                key, tr("The value for {key} names {name}, who is not in this project.", key=key, name=name)
            )
        return None

    def shortages(self) -> tuple[str, ...]:
        """What the policy in the form asks for that the people of the project cannot give."""
        return () if not self._people or self.problem() else shortages(self.edited_policy, self._people)

    def _check(self) -> None:
        """Mark what was changed, and say what does not fit or cannot be done."""
        if self._body.isHidden():  # nothing of it is known yet
            self.state.setText(LOADING)
            return
        self._shortages.say("\n".join(self.shortages()))
        changed = {text.partition("=")[0] for text in self.changed()}
        problem = self.problem()
        wrong = (problem.key, tr(problem.message)) if isinstance(problem, SettingError) else ("", "")
        self._form.mark(*wrong)
        for key, title in self._titles.items():
            title.set_look("strong" if key in changed else "body")
        count = len(changed)
        words = (
            tr(problem.message)
            if problem
            else tr("{count} changed", count=count)
            if count
            else tr("Changes leave earlier decisions as they are.")
        )
        self.state.set_look("error" if problem else "accent" if count else "small-muted")
        self.state.setText(words)
        self.state.setToolTip(words)


def _add(lines: QGridLayout, field: FormField) -> TextLabel:
    """Add a field below the others: its title and help, and beside or below them what it is edited in."""
    widget, words = field.editor.widget, tr(field.info.description or "")
    title, tip = TextLabel(field.title), TextLabel(words, "small-muted", wordWrap=True)
    title.setBuddy(widget)
    row = lines.rowCount()
    lines.addWidget(title, row, 0)
    if isinstance(widget, QLineEdit | NoteField | ChoiceBoxes):
        lines.addWidget(tip, row + 1, 0, 1, 2)
        lines.addWidget(widget, row + 2, 0, 1, 2)
    else:
        lines.addWidget(tip, row + 1, 0)
        lines.addWidget(widget, row, 1, 2, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
    lines.addWidget(field.problem, row + 3, 0, 1, 2)
    lines.setRowMinimumHeight(lines.rowCount(), theme().px(6))
    return title
