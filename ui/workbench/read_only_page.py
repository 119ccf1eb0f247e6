"""The page that only reads a case: everything to see, nothing to change, and the way back or on."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal

from annotator.cases.history import mark_gold
from annotator.project.changes import Changes
from annotator.review.withdrawals import reopen
from scoring.errors import AnnotatorError
from scoring.model.labels import Reason
from scoring.model.taxonomy import Role
from scoring.texts import tr
from ui.desk.case_bar import CaseBar, case_facts
from ui.desk.dialogs import reason_dialog
from ui.desk.navigation import CaseNavigation
from ui.desk.panels import CasePanels
from ui.desk.read_only_case import CaseFactsPanel, ReadOnlyCase, Standing, load_read_only, standing_of
from ui.graph.gestures import Mode
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.theme import Bar, Button, ButtonKind, ElidedLabel, EmptyState
from ui.theme.events import follow_events, on_keys
from ui.theme.layouts import STRETCH, column, connect, stacked, vbox
from ui.theme.panels import StatePlace
from ui.theme.words import LOADING
from ui.workbench.empty_page import OpeningLine


class ReadOnlyBar(Bar):
    """The reason at the left, the ways on at the right."""

    def __init__(self) -> None:
        reason = ElidedLabel("", "strong", objectName="reading-reason")
        advice = ElidedLabel("", "small-muted", objectName="reading-advice")
        back = Button(tr("Back"), keys="Esc", objectName="reading-back")
        after = Button(tr("Next case"), objectName="reading-next")
        reopen = Button(tr("Reopen…"), ButtonKind.PRIMARY, objectName="reading-reopen")
        words = vbox(STRETCH, reason, advice, STRETCH)
        super().__init__(
            "bar", (words, 1), StatePlace(), back, after, reopen, height=52, objectName="reading-bar"
        )
        self.reason, self.advice, self.back, self.next, self.reopen = reason, advice, back, after, reopen

    def show_standing(self, standing: Standing, *, can_reopen: bool) -> None:
        """Say why the case is only read."""
        self.reason.setText(standing.reason)
        self.advice.say(standing.advice)
        self.reopen.setVisible(can_reopen)


class ReadOnlyPage(ProjectPage):
    """Where a case is looked at that the person cannot work on; it claims and keeps nothing.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
    """

    left = Signal()
    """The person has read enough."""
    next_wanted = Signal()
    """The person wants a case to work on."""
    task_wanted = Signal(str, int)
    """A case and the number of a task: what did every run do there?"""

    def __init__(self, operations: Operations, commands: Commands, **properties: Any) -> None:
        super().__init__("reading", operations, commands, **properties)
        self._case_id = ""
        self._refused: AnnotatorError | None = None
        self.reading: ReadOnlyCase | None = None
        """The case that is shown; None until it is read."""
        self.banner = ErrorBanner()
        self.opening = OpeningLine()
        self.case_bar = CaseBar()
        self.panels = CasePanels(operations, CaseFactsPanel())
        self.navigation = CaseNavigation(self.panels, parent=self)
        self.bar = ReadOnlyBar()
        self._waiting = EmptyState("file-text", LOADING, "", objectName="reading-waiting")
        self._work = stacked(self._waiting, column(self.case_bar, (self.panels, 1)))
        vbox(self.opening, self.banner, (self._work, 1), self.bar, within=self, focus=self.panels)
        self._add_commands()
        commands.bind_all("reading", ("next", self.bar.next), ("reopen", self.bar.reopen))
        on_keys(self, {Qt.Key.Key_Escape: self._escape})
        follow_events(self, partial(self.case_bar.note_shown, ""), QEvent.Type.Hide)
        connect(
            (self.bar.back.clicked, self.left),
            (operations.changed, self._follow_changes),
        )

    @property
    def topic(self) -> str:
        """What of the guidelines explains where the person is."""
        return self.navigation.topic

    def read(self, case_id: str, refused: AnnotatorError) -> None:
        """Show a case.

        Args:
            case_id: The case.
            refused: Why the person cannot work on it.
        """
        self.banner.dismiss()
        self._refused = refused
        if case_id != self._case_id:
            self._case_id, self.reading = case_id, None
            self._waiting.say(LOADING)
            self._work.setCurrentIndex(0)
            self.bar.show_standing(Standing(case_id, ""), can_reopen=False)
            self._commands.block("reading.reopen", tr("The case is on its way."))
        self._load()

    def ask_reopen(self) -> None:
        """Ask why, then begin a new round of judging."""
        reason_dialog(
            tr("Reopen this case?"),
            tr(
                "It goes back to its owner with your reason, and a new round of judging begins. A "
                "release that holds it stays as it is."
            ),
            verb=tr("Reopen"),
            parent=self,
            hint=tr("What has to change, and where"),
            has_category=False,
        ).ask(self._reopen)

    def toggle_gold(self) -> None:
        """Make the case a gold example, or no longer."""
        if self.reading is not None:
            self._operations.run(
                partial(mark_gold, case_id=self._case_id, gold=not self.reading.read.row.is_gold),
                then=self._read_anew,
                failed=self.banner.show_error,
                origin=self,
            )

    def _escape(self) -> None:
        if self.panels.comments.field.hasFocus():
            self.panels.dialogue.view.setFocus(Qt.FocusReason.OtherFocusReason)
        elif not self.banner.isHidden():
            self.banner.dismiss()
        else:
            self.left.emit()

    # commands

    def _add_commands(self) -> None:
        panels, go = self.panels, self.navigation
        named: tuple[tuple[str, str, Callable[[], object], str], ...] = (
            ("leave", tr("Back to where you came from"), self.left.emit, ""),
            ("next", tr("Take the next case"), self.next_wanted.emit, "N"),
            ("reopen", tr("Reopen the case"), self.ask_reopen, "Ctrl+R"),
            ("gold", tr("Mark as a gold example, or no longer"), self.toggle_gold, "Ctrl+Shift+G"),
            ("step", tr("Next step"), partial(go.step_by, 1), "J"),
            ("step-back", tr("Previous step"), partial(go.step_by, -1), "K"),
            ("task", tr("Next task"), partial(go.task_by, 1), "Ctrl+PgDown"),
            ("task-back", tr("Previous task"), partial(go.task_by, -1), "Ctrl+PgUp"),
            *(
                (f"task-{n}", tr("Go to task {n}", n=n), partial(go.select_task, n - 1), tr("Alt+{n}", n=n))
                for n in range(1, 10)
            ),
            ("column", tr("Next column"), go.next_column, "F6"),
            ("labels", tr("Labels tab"), partial(go.show_tab, panels.first), "Alt+R"),
            ("evidence", tr("Evidence tab"), partial(go.show_tab, panels.evidence), "Alt+E"),
            ("history", tr("History tab"), partial(go.show_tab, panels.history), "Alt+H"),
            ("comments", tr("Comments tab"), partial(go.show_tab, panels.comments), "Alt+M"),
            ("teval", tr("T-Eval tab"), partial(go.show_tab, panels.thoughts), "Alt+T"),
            ("runs", tr("What every run did with the task"), self._ask_task, "W"),
            ("alone", tr("All the room for this column"), panels.columns.toggle_alone, "M"),
            ("find", tr("Find in the dialogue"), panels.dialogue.open_find, "Ctrl+F"),
            ("select", tr("Select in the graph"), partial(panels.set_mode, Mode.SELECT), "V"),
            ("simulate", tr("Simulate"), partial(panels.set_mode, Mode.SIMULATE), "S"),
            ("tidy", tr("Arrange the drawing anew"), panels.graph.view.tidy, "L"),
            ("picture", tr("Save the drawing as a picture"), panels.graph.menu.ask_file, "Ctrl+Shift+P"),
        )
        self._commands.add_all(
            self,
            *(
                Command(f"reading.{name}", title, tr("Reading a case"), run, keys)
                for name, title, run, keys in named
            ),
        )
        can_work = self._operations.has_role(Role.ANNOTATOR, Role.EXPERT)
        self.bar.next.setVisible(can_work)
        is_expert = self._operations.has_role(Role.EXPERT)
        self._commands.block_each(
            "reading",
            {
                "next": "" if can_work else tr("Managers do not review."),
                "gold": "" if is_expert else tr("Only experts mark gold examples."),
            },
        )

    def _ask_task(self) -> None:
        document = self.panels.document
        if document is not None:
            self.task_wanted.emit(self._case_id, document.selection.task)

    def _reopen(self, reason: Reason) -> None:
        self._operations.run(
            partial(reopen, case_id=self._case_id, reason=reason.note),
            then=self._read_anew,
            failed=self.banner.show_error,
            origin=self,
        )

    def _read_anew(self, _: None) -> None:
        self._refused = None
        self.banner.dismiss()
        self._load()

    # showing

    def _load(self) -> None:
        self.opening.show_waiting(True)
        self._operations.run(
            partial(load_read_only, case_id=self._case_id),
            then=self._show,
            failed=unread(self._show_error, self._waiting),
            newest_of=self,
        )

    def _show_error(self, error: AnnotatorError) -> None:
        self.opening.show_waiting(False)
        self.banner.show_error(error)

    def _show(self, reading: ReadOnlyCase) -> None:
        self.opening.show_waiting(False)
        is_first = self.reading is None
        self.reading = reading
        read, project = reading.read, self._operations.project
        if project is None or project.person is None:
            return
        standing = standing_of(read, project.person, refused=self._refused)
        self.case_bar.show_case(
            reading.case,
            case_facts(reading.case, batch=read.row.batch),
            stage=read.row.stage,
            round_=read.row.round,
            is_blind=read.row.is_blind,
            policy=read.policy,
        )
        self.case_bar.show_read_only(f"{standing.reason} {standing.advice}".strip())
        self.bar.show_standing(standing, can_reopen=read.can_reopen)
        self._commands.block("reading.reopen", "" if read.can_reopen else standing.advice or standing.reason)
        self._work.setCurrentIndex(1)
        self.panels.set_read_only(reading)
        if is_first and self.isVisible():
            self.panels.dialogue.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow_changes(self, changes: Changes, origin: object) -> None:
        is_own = origin in (self, self.panels.comments)
        if self.isVisible() and changes.has_case(self._case_id) and not is_own:
            self._refused = None
            self._load()
