"""The page that only reads a case: everything to see, nothing to change, and the way back or on."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.project.changes import Changes
from annotator.review.submitting import reopen
from scoring.errors import AnnotatorError
from scoring.model.labels import Reason
from scoring.model.taxonomy import Role
from ui.commands import Command, Commands
from ui.errors import ErrorBanner
from ui.graph.modes import Mode
from ui.operations import Operations, Pending
from ui.theme.dialogs import open_dialog
from ui.workbench.case_bar import CaseBar
from ui.workbench.reading import Reading, load_reading, standing_of, with_checks
from ui.workbench.reading_bar import ReadingBar
from ui.workbench.reading_columns import ReadingColumns
from ui.workbench.reason_dialog import ReasonDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotator.project.workspace import Workspace

_READ = "Reading a case"
_NOT_OPEN = "The case is on its way."


class ReadingPage(QWidget):
    """Where a case is looked at that the person cannot work on; it claims and keeps nothing.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
    """

    left = Signal()
    """The person has read enough."""
    next_wanted = Signal()
    """The person wants a case to work on."""

    def __init__(self, operations: Operations, commands: Commands, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reading-page")
        self._operations = operations
        self._commands = commands
        self._case_id = ""
        self._refused: AnnotatorError | None = None
        self._pending: Pending | None = None
        self._reading: Reading | None = None
        self.banner = ErrorBanner()
        self.case_bar = CaseBar()
        self.columns = ReadingColumns(operations)
        self.bar = ReadingBar()
        self._work = QWidget()
        inside = QVBoxLayout(self._work)
        outside = QVBoxLayout(self)
        for column in (inside, outside):
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
        inside.addWidget(self.case_bar)
        inside.addWidget(self.columns, 1)
        outside.addWidget(self.banner)
        outside.addWidget(self._work, 1)
        outside.addWidget(self.bar)
        self._add_commands()
        self.bar.bind(commands)
        self.bar.left.connect(self.left)
        self.setFocusProxy(self.columns)
        self.columns.graph.view.installEventFilter(self)
        operations.changed.connect(self._follow_changes)

    @property
    def reading(self) -> Reading | None:
        """The case that is shown; null until it is read."""
        return self._reading

    def read(self, case_id: str, refused: AnnotatorError) -> None:
        """Show a case.

        Args:
            case_id: The case.
            refused: Why the person cannot work on it.
        """
        self.banner.dismiss()
        self._refused = refused
        if case_id != self._case_id:
            self._case_id, self._reading = case_id, None
            self._work.setVisible(False)
            self._commands.block("reading.reopen", _NOT_OPEN)
        self._load()

    def ask_reopen(self) -> None:
        """Ask why, then begin a new round of judging."""
        dialog = ReasonDialog(
            "Reopen this case?",
            "It goes back to its owner with your reason, and a new round of judging begins. "
            "A release that holds it stays as it is.",
            verb="Reopen",
            parent=self,
            has_category=False,
        )
        dialog.note.setPlaceholderText("What has to change, and where")
        dialog.given.connect(self._reopen)
        open_dialog(dialog)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._escape()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The canvas takes Escape to leave a mode or a choice; where there is none it means the page.
        view = self.columns.graph.view
        is_escape = (
            watched is view
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
        )
        if is_escape and view.mode is Mode.SELECT and not view.chosen_edges:
            self._escape()
            return True
        return super().eventFilter(watched, event)

    def _escape(self) -> None:
        if self.columns.comments.field.hasFocus():
            self.columns.transcript.view.setFocus(Qt.FocusReason.OtherFocusReason)
        elif not self.banner.isHidden():
            self.banner.dismiss()
        else:
            self.left.emit()

    # commands

    def _add_commands(self) -> None:
        columns, add = self.columns, self._commands.add
        project = self._operations.project
        person = project.person if project is not None else None
        named: tuple[tuple[str, str, Callable[[], object], str], ...] = (
            ("leave", "Back to where you came from", self.left.emit, ""),
            ("next", "Take the next case", self.next_wanted.emit, "N"),
            ("reopen", "Reopen the case", self.ask_reopen, "Ctrl+R"),
            ("step", "Next step", partial(columns.step_by, 1), "J"),
            ("step-back", "Previous step", partial(columns.step_by, -1), "K"),
            ("task", "Next task", partial(columns.task_by, 1), "Ctrl+PgDown"),
            ("task-back", "Previous task", partial(columns.task_by, -1), "Ctrl+PgUp"),
            *(
                (f"task-{n}", f"Go to task {n}", partial(columns.select_task, n - 1), f"Alt+{n}")
                for n in range(1, 10)
            ),
            ("column", "Next column", columns.next_column, "F6"),
            ("labels", "Labels tab", partial(columns.show_tab, columns.labels), "Alt+R"),
            ("evidence", "Evidence tab", partial(columns.show_tab, columns.sources), "Alt+E"),
            ("history", "History tab", partial(columns.show_tab, columns.history), "Alt+H"),
            ("comments", "Comments tab", partial(columns.show_tab, columns.comments), "Alt+M"),
            ("alone", "All the room for this column", columns.area.toggle_alone, "M"),
            ("find", "Find in the dialogue", columns.transcript.open_find, "Ctrl+F"),
            ("select", "Select in the graph", partial(columns.set_mode, Mode.SELECT), "V"),
            ("simulate", "Simulate", partial(columns.set_mode, Mode.SIMULATE), "S"),
            ("tidy", "Arrange the drawing anew", columns.graph.view.tidy, "L"),
            ("picture", "Save the drawing as a picture", columns.graph.menu.ask_file, "Ctrl+Shift+P"),
        )
        for name, title, run, keys in named:
            add(Command(f"reading.{name}", title, _READ, run, keys), self)
        can_work = person is not None and (person.has_role(Role.ANNOTATOR) or person.has_role(Role.EXPERT))
        self.bar.next.setVisible(can_work)
        self._commands.block("reading.next", "" if can_work else "Managers do not review.")

    def _reopen(self, reason: Reason) -> None:
        self._operations.run(
            partial(reopen, case_id=self._case_id, reason=reason.note),
            then=self._reopened,
            failed=self.banner.show_error,
            origin=self,
        )

    def _reopened(self, _: None) -> None:
        self._refused = None
        self._load()

    # showing

    def _load(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
        self._pending = self._operations.run(
            partial(load_reading, case_id=self._case_id), then=self._show, failed=self.banner.show_error
        )

    def _show(self, reading: Reading) -> None:
        self._pending = None
        is_first = self._reading is None
        self._reading = reading
        read, project = reading.read, self._operations.project
        if project is None or project.person is None:
            return
        standing = standing_of(read, project.person, refused=self._refused)
        self.case_bar.show_case(
            reading.case,
            batch=read.row.batch,
            stage=read.row.stage,
            round_=read.row.round,
            is_blind=read.row.is_blind,
            policy=read.policy,
        )
        self.case_bar.show_read_only(f"{standing.reason} {standing.advice}".strip())
        self.bar.show_standing(standing, can_reopen=read.can_reopen)
        reason = "" if read.can_reopen else standing.advice or standing.reason
        self._commands.block("reading.reopen", reason)
        self._work.setVisible(True)
        self.columns.show_reading(reading)
        if reading.assessment.is_awaited:
            self._pending = self._operations.run(
                partial(_checked, reading), then=self._show, failed=self.banner.show_error
            )
        if is_first and self.isVisible():
            self.columns.transcript.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow_changes(self, changes: Changes, origin: object) -> None:
        is_own = origin in (self, self.columns.comments)
        if self.isVisible() and self._case_id in changes.case_ids and not is_own:
            self._refused = None
            self._load()


def _checked(reading: Reading, _: "Workspace") -> Reading:
    return with_checks(reading)
