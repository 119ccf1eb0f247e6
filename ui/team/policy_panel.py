"""The review policy of the project: read, edited, checked, saved as one event, and kept in files."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QFileDialog

from annotator.files import replace_text
from annotator.project.changes import Changes
from annotator.project.policy import ReviewPolicy, changed_policy, read_policy
from annotator.project.workspace import Workspace
from annotator.review.measures.threshold_effects import ThresholdEffects, threshold_effects
from annotator.review.policy_changes import change_review_policy
from annotator.review.shortages import shortages_now
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Role
from scoring.texts import joined, tr, with_commas
from ui.services.calls import OpenProject
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.team.policy_form import PolicyForm
from ui.theme import Tone
from ui.theme.dialogs import ask_file
from ui.theme.events import follow_events
from ui.theme.layouts import vbox

_MANAGERS_ONLY = tr("Only managers change people and policy.")
_FILES = tr("JSON (*.json)")


class PolicyPanel(ReportPanel):
    """The form with what is done with it.

    Args:
        operations: Reads and saves.
        commands: Gets `team.policy` and its companions.
        notice: Where this says what happened.
    """

    def __init__(self, operations: Operations, commands: Commands, notice: ErrorBanner) -> None:
        super().__init__("policy-panel", operations, notice)
        self._commands = commands
        commands.add_all(
            self,
            Command("team.policy_undo", tr("Discard the changes"), tr("Team"), self.undo, keys="Ctrl+Z"),
            Command("team.policy", tr("Save the review policy"), tr("Team"), self.save, keys="Ctrl+S"),
            Command("team.policy_export", tr("Export the policy"), tr("Team"), self.ask_export),
            Command("team.policy_import", tr("Import the policy"), tr("Team"), self.ask_import),
        )
        self._form = PolicyForm(commands, edited=self._check)
        vbox(self._form, within=self)
        operations.changed.connect(self._note_changes)
        follow_events(self, self._read_effects, QEvent.Type.Show)
        operations.people_changed.connect(self._know_people)
        if operations.project is not None:
            self._know_people(operations.project)
        operations.run(
            Workspace.policy, then=self._show, failed=unread(operations.failure.emit, self._form.state)
        )

    def changed(self) -> tuple[str, ...]:
        """`KEY=VALUE` of what was changed and is not saved."""
        return self._form.changed()

    def save(self) -> None:
        """Save what was changed in the form, as one event."""
        self._operations.run(
            partial(change_review_policy, assignments=self._form.changed()),
            then=self._show_saved,
            failed=self._notice.show_error,
            origin=self,
        )

    def undo(self) -> None:
        """Forget what was changed in the form."""
        self._form.undo()

    def ask_export(self) -> None:
        """Ask for the file the policy is written into."""
        ask_file(
            self,
            tr("Export the review policy"),
            "policy.json",
            _FILES,
            saves=True,
            fileSelected=self.export_to,
        )

    def ask_import(self) -> None:
        """Ask for the file a policy is taken from."""
        ask_file(
            self,
            tr("Import a review policy"),
            filters=_FILES,
            fileMode=QFileDialog.FileMode.ExistingFile,
            fileSelected=self.import_from,
        )

    def export_to(self, file: str) -> None:
        """Write the policy the form says into a file, as `annotator policy show --json` prints it."""
        try:
            text = self._form.edited_policy.model_dump_json(indent=2) + "\n"
        except AnnotatorError as error:
            self._notice.show_error(error)
            return
        self._operations.run_outside(
            partial(replace_text, Path(file), text),
            then=partial(self._notice.tell, lambda _: tr("Review policy exported."), hint=lambda _: file),
            failed=self._notice.show_error,
        )

    def import_from(self, file: str) -> None:
        """Write the policy of a file into the form; nothing holds before it is saved."""
        try:
            policy = read_policy(Path(file))
        except AnnotatorError as error:
            self._notice.show_error(error)
            return
        self._form.fill(policy)
        same = tr("The file contains the current policy; nothing changed.")
        changed = tr("The policy was loaded from the file; Ctrl+S saves it, Ctrl+Z discards it.")
        self._notice.show_message(changed if self._form.changed() else same, file, tone=Tone.ACCENT)

    def _show(self, policy: ReviewPolicy) -> None:
        self._form.show_policy(policy, is_locked=not self._is_manager)
        self._check()

    def _read_effects(self) -> None:
        if self._operations.project is not None:
            self._read_again(threshold_effects, tr("Read the closed rounds"), show=self._tell_effects)

    def _tell_effects(self, found: ThresholdEffects) -> None:
        self._form.effects.say(tr(found.words))

    def _show_saved(self, policy: ReviewPolicy) -> None:
        self._show(policy)
        self._read_effects()
        self._operations.run(shortages_now, then=self._tell_saved)

    def _tell_saved(self, shortages: tuple[str, ...]) -> None:
        short = joined(*map(tr, shortages))
        self._notice.show_message(
            tr("Review policy saved."),
            short,
            tone=Tone.WARN if short else Tone.OK,
            page="roles/manager.md#change-the-policy",
        )

    def _know_people(self, project: OpenProject) -> None:
        self._form.know_people(project.people)
        self._check()

    @property
    def _is_manager(self) -> bool:
        return self._operations.has_role(Role.MANAGER)

    def _check(self) -> None:
        error = self._form.problem()
        problem = tr(error.message) if error else ""
        reason = "" if self._form.changed() else tr("No changes.")
        self._commands.block("team.policy_undo", reason)
        self._commands.block("team.policy_export", problem)
        is_manager = self._is_manager
        self._commands.block("team.policy", reason or problem if is_manager else _MANAGERS_ONLY)
        self._commands.block("team.policy_import", "" if is_manager else _MANAGERS_ONLY)

    def _note_changes(self, changes: Changes, origin: QObject | None) -> None:
        if changes.has_policy and origin is not self:
            self._operations.run(Workspace.policy, then=self._take_news)

    def _take_news(self, policy: ReviewPolicy) -> None:
        """Show what others made of the policy; what was typed here and is not saved stays, on top of it."""
        before, mine = self._form.policy, self._form.changed()
        if policy == before:
            return
        theirs = [key for key, value in policy if value != getattr(before, key)]
        try:
            merged = changed_policy(policy, mine)
        except AnnotatorError:
            return  # what is being typed is no value yet; saving goes by what the project has in any case
        self._show(policy)
        if mine:
            self._form.fill(merged)
            self._notice.show_message(
                tr(
                    "Somebody else changed the policy: {theirs}. Your unsaved changes stay.",
                    theirs=with_commas(theirs),
                ),
                tr("Ctrl+S saves them on top, Ctrl+Z discards them."),
                tone=Tone.WARN,
                page="roles/manager.md#change-the-policy",
            )
