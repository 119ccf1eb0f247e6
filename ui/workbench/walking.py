"""Going about a case by keys: from problem to problem, step to step, task to task, column to column."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QTabWidget, QWidget

from ui.workbench.document import WorkbenchDocument
from ui.workbench.editor import Editor
from ui.workbench.problems import Problem, next_problem, problems_of


class Walk(QObject):
    """Moves the selection of the open document; without one nothing happens.

    `told` carries a sentence for the footer.

    Args:
        editor: The columns.
        document: Gives the open document, or null.
    """

    told = Signal(str)

    def __init__(
        self, editor: Editor, document: Callable[[], WorkbenchDocument | None], *, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._editor = editor
        self._document = document
        self._problem: Problem | None = None

    @property
    def problem(self) -> Problem | None:
        """The problem visited last."""
        return self._problem

    def forget(self) -> None:
        """Begin anew with another document."""
        self._problem = None

    def next_problem(self) -> None:
        """Go to the next thing to settle."""
        self._walk(back=False)

    def previous_problem(self) -> None:
        """Go to the thing to settle before."""
        self._walk(back=True)

    def first_problem(self, kind: str) -> None:
        """Go to the first thing of a kind to settle."""
        document = self._document()
        if document is not None:
            found = [problem for problem in problems_of(document.assessment) if problem.kind == kind]
            if found:
                self._visit(found[0])

    def select_task(self, number: int) -> None:
        """Go to a task, counted from 0."""
        document = self._document()
        if document is not None and number < len(document.case.tasks):
            self._editor.go_to(number, None)

    def step_by(self, by: Literal[-1, 1]) -> None:
        """Go to the next or the previous step; requests count as steps, tasks follow each other."""
        document = self._document()
        if document is None:
            return
        at = document.selection
        place = (-1 if at.step is None else at.step) + by
        count = len(document.case.tasks[at.task].steps)
        if -1 <= place < count:
            self._editor.go_to(at.task, None if place < 0 else place)
        elif place >= count and at.task + 1 < len(document.case.tasks):
            self._editor.go_to(at.task + 1, None)
        elif place < -1 and at.task > 0:
            last = len(document.case.tasks[at.task - 1].steps) - 1
            self._editor.go_to(at.task - 1, None if last < 0 else last)

    def task_by(self, by: Literal[-1, 1]) -> None:
        """Go to the next or the previous task."""
        document = self._document()
        if document is not None and 0 <= document.selection.task + by < len(document.case.tasks):
            self._editor.go_to(document.selection.task + by, None)

    def show_tab(self, tab: QWidget) -> None:
        """Show a tab of the side panel and go into it."""
        self._editor.columns.bring(self._editor.tabs)
        self._editor.tabs.setCurrentWidget(tab)
        target = {
            self._editor.evidence: self._editor.evidence.table,
            self._editor.history: self._editor.history.timeline,
            self._editor.comments: self._editor.comments.field,
        }.get(tab, tab)
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def next_column(self) -> None:
        """Go from the dialogue to the middle column, to the side panel, and round."""
        editor, focus = self._editor, QApplication.focusWidget()
        columns: tuple[QWidget, ...] = (editor.transcript, editor.middle, editor.tabs)
        held = [i for i, column in enumerate(columns) if focus is not None and column.isAncestorOf(focus)]
        # A middle column that is a tab lies inside the side panel, too.
        column = columns[(held[0] + 1) % len(columns)] if held else columns[0]
        is_tab = editor.columns.is_middle_a_tab and column is editor.middle
        if editor.columns.alone is not None:
            editor.columns.show_alone(editor.tabs if is_tab else column)
        if is_tab:
            editor.tabs.setCurrentWidget(editor.middle)
        elif column is editor.tabs and editor.tabs.currentWidget() is editor.middle:
            editor.tabs.setCurrentWidget(editor.review)
        inside = self._inside(column)
        if inside is not None:
            inside.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _inside(self, column: QWidget) -> QWidget | None:
        """What takes the keys in a column."""
        editor = self._editor
        shown = column
        if isinstance(column, QTabWidget | QStackedWidget):
            shown = column.currentWidget() or column
        return {
            editor.transcript: editor.transcript.view,
            editor.graph: editor.graph.view,
            editor.gold: editor.gold.panel.view,
            editor.beside: editor.beside.panel.view,
            editor.review: editor.review.labels.policy,
            editor.evidence: editor.evidence.table,
            editor.history: editor.history.timeline,
            editor.comments: editor.comments.field,
        }.get(shown, shown)

    def _walk(self, *, back: bool) -> None:
        document = self._document()
        if document is None:
            return
        found = next_problem(problems_of(document.assessment), self._problem, back=back)
        if found is None:
            self._problem = None
            self.told.emit("Nothing left to settle. Submit with Ctrl+Enter.")
            return
        self._visit(found)

    def _visit(self, problem: Problem) -> None:
        self._problem = problem
        self._editor.columns.share()
        if problem.task is not None:
            self._editor.go_to(problem.task, problem.step, problem.path)
        if problem.kind == "evidence":
            if problem.task is not None and problem.step is not None and problem.path is not None:
                self._editor.evidence.show_value(problem.task, problem.step, problem.path)
            self._editor.tabs.setCurrentWidget(self._editor.evidence)
            self._editor.evidence.table.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self._editor.tabs.setCurrentWidget(self._editor.review)
            self._editor.review.show_problem(problem.kind, problem.finding, problem.clash)
            if problem.finding is not None:
                self._editor.show_missing(problem.finding)
            self._leave_middle(problem)
        self.told.emit(problem.message)

    def _leave_middle(self, problem: Problem) -> None:
        """Take the keys along out of the graph, which has its own meaning for F and other letters."""
        editor, focus = self._editor, QApplication.focusWidget()
        if focus is None or not editor.middle.isAncestorOf(focus):
            return
        is_at_card = problem.kind == "finding" and problem.task is not None
        target = self._inside(editor.transcript if is_at_card else editor.review)
        if target is not None:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)
