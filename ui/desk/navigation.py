"""Going about a case by keys: from problem to problem, step to step, task to task, column to column."""

from collections.abc import Callable, Iterator
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QTabWidget, QWidget

from annotator.drafts.problems import Problem, next_problem, problems_of
from scoring.groups import collected
from scoring.texts import tr
from ui.desk.document import CaseDocument, Selection
from ui.desk.judgment_actions import next_item
from ui.desk.panels import CasePanels
from ui.dialogue.content import ANSWER_MISSING, USER_STEP
from ui.theme.layouts import connect

Stop = tuple[int, int]
"""Task and step of a card; `USER_STEP` for the request, `ANSWER_MISSING` for an answer that is missing."""

ProblemList = Callable[[CaseDocument], tuple[Problem, ...]]
"""What there is to settle in a document, in the order one walks it."""

_TOPICS = {
    "clash": "judgment",
    "finding": "finding",
    "evidence": "judgment.evidence",
    "label": "policy",
    "drawing": "judgment.drawn",
    "review": "review",
    "checklist": "checklist",
    "judgment": "judgment",
    "reason": "verdict",
}
"""What explains a kind of problem."""


def problems_of_document(document: CaseDocument) -> tuple[Problem, ...]:
    """What stands between a document and its submission."""
    return problems_of(document.assessment)


class CaseNavigation(QObject):
    """Moves the selection of the open document; without one nothing happens.

    `told` carries a sentence for the footer; `moved` says that the problem visited is another one, or none.
    Once the one before is settled the next that blocks is gone to by itself, and F8 right behind that stays:
    it was meant for the way there.

    Args:
        panels: The columns; they have the document.
        problems: What there is to settle in it.
    """

    told = Signal(str)
    moved = Signal()

    def __init__(
        self,
        panels: CasePanels,
        *,
        parent: QObject,
        problems: ProblemList = problems_of_document,
    ) -> None:
        super().__init__(parent)
        self._panels = panels
        self._problems = problems
        self._problem: Problem | None = None
        self._settled: Problem | None = None
        self._visited: Selection | None = None
        self._is_led = False
        panels.dialogue.view.kept.connect(self.go_on)
        if not panels.is_read_only:
            connect(
                (panels.review.acted, self.go_on),
                (panels.evidence.settled, self.go_on),
            )

    @property
    def problem(self) -> Problem | None:
        """The problem visited last; one that was settled and gone on from is it again once that is undone."""
        document, settled = self._panels.document, self._settled
        if document is None or settled is None:
            return self._problem
        if any(problem.key == settled.key for problem in self._problems(document)):
            self._problem, self._settled = settled, None
        return self._problem

    @property
    def is_there(self) -> bool:
        """Whether the person is where the problem visited last is."""
        document, at = self._panels.document, self._visited
        return document is not None and at is not None and document.selection.task == at.task

    @property
    def here(self) -> Problem | None:
        """The problem visited last as it is now, where the keys that settle it are about it; else None."""
        document, last = self._panels.document, self.problem
        if (
            document is None
            or last is None
            or not self.is_there
            or (
                last.kind in ("evidence", "judgment", "review")
                and last.step not in (None, document.selection.step)
            )
        ):
            return None
        return next((one for one in self._problems(document) if one.key == last.key), None)

    @property
    def topic(self) -> str:
        """What of the guidelines explains where one is: the problem visited last, or the selected step's."""
        document = self._panels.document
        if document is None:
            return ""
        if self.problem is not None:
            finding, item = self.problem.finding, self.problem.item
            if finding is not None:
                return f"finding.{finding.rule}"
            return f"checklist.{item}" if item else self.problem.label or _TOPICS[self.problem.kind]
        at = document.selection
        found = document.assessment.open_findings()
        here = [f.rule for f in found if f.task == at.task and f.step in (None, at.step)]
        return f"finding.{here[0]}" if here else "judgment"

    def forget(self) -> None:
        """Begin anew with another document."""
        self._problem, self._settled, self._visited = None, None, None
        self.moved.emit()

    def next_problem(self, *, back: bool = False) -> None:
        """Go to the next thing to settle, or back to the one before."""
        found = self.following(back=back)
        if found is not None:
            self._show(found)
        elif self._panels.document is not None:
            self.forget()

    def following(self, *, back: bool = False) -> Problem | None:
        """Where `next_problem` would go; None for nowhere."""
        document = self._panels.document
        if document is None:
            return None
        at, problems = document.selection, self._problems(document)
        is_moved = self._visited is None or (at.task, at.step) != (self._visited.task, self._visited.step)
        if self._is_led and not back and not is_moved and self.here is not None:
            return self.here
        place = (at.task, USER_STEP if at.step is None else at.step) if is_moved else None
        return next_problem(problems, self.problem, at=place, back=back)

    def go_on(self) -> None:
        """Once the thing visited last is settled, go to the next that blocks, or say that none is left.

        Only what somebody went to is gone on from: whoever goes about by hand is left where they are.
        """
        document, last = self._panels.document, self.problem
        if document is None:
            return
        problems = self._problems(document)
        if (last is None or last.is_blocking) and not any(problem.is_blocking for problem in problems):
            self._problem, self._settled = None, last
            self.moved.emit()
            return
        if last is None or any(problem.key == last.key for problem in problems):
            return
        found = next_problem(problems, last)
        here, there = last.task, found.task if found is not None else None
        is_end = last.is_blocking and here != there and next_item(document) is None
        if here is not None and there is not None and is_end:
            # Nobody has looked at the other task yet.
            self.told.emit(
                tr("Task {here} is settled: C goes on to task {there}.", here=here + 1, there=there + 1)
            )
        elif found is not None:
            self._show(found)
            self._settled, self._is_led = last, True

    def first_problem(self, kind: str, *, task: int | None = None) -> bool:
        """Go to the first thing of a kind to settle, of one task or of all; whether there is one."""
        document = self._panels.document
        for problem in self._problems(document) if document is not None else ():
            if problem.kind == kind and task in (None, problem.task):
                self._show(problem)
                return True
        return False

    def select_task(self, number: int) -> None:
        """Go to a task, counted from 0."""
        document = self._panels.document
        if document is not None and 0 <= number < len(document.case.tasks):
            self._panels.go_to(number, None)

    def step_by(self, by: Literal[-1, 1]) -> None:
        """Go to the next or the previous card; tasks follow each other.

        Every card is a stop: requests, steps, and an answer that is missing.
        """
        document = self._panels.document
        if document is None:
            return
        stops, at = _stops(document), document.selection
        shown = self._panels.dialogue.view.current
        here = (at.task, USER_STEP if at.step is None else at.step)
        if shown == (at.task, ANSWER_MISSING) and at.step is None and shown in stops:
            here = shown
        place = stops.index(here) + by if here in stops else 0
        if 0 <= place < len(stops):
            task, step = stops[place]
            if step == ANSWER_MISSING:
                self._panels.go_to_missing_answer(task)
            else:
                self._panels.go_to(task, None if step == USER_STEP else step)

    def task_by(self, by: Literal[-1, 1]) -> None:
        """Go to the next or the previous task."""
        if self._panels.document is not None:
            self.select_task(self._panels.document.selection.task + by)

    def show_tab(self, tab: QWidget) -> None:
        """Show a tab of the side panel and go into it; one that the project has not switched on says so."""
        if not self._panels.tabs.isTabVisible(self._panels.tabs.indexOf(tab)):
            self.told.emit(tr("This project has no T-Eval fields. A manager adds them in the review policy."))
        else:
            self._panels.columns.bring(self._panels.tabs)
            self._panels.tabs.setCurrentWidget(tab)
            self._panels.inside(tab).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def next_column(self) -> None:
        """Go from the dialogue to the middle column, to the side panel, and round."""
        panels, focus = self._panels, QApplication.focusWidget()
        columns: tuple[QWidget, ...] = (panels.dialogue, panels.middle, panels.tabs)
        held = [i for i, column in enumerate(columns) if focus is not None and column.isAncestorOf(focus)]
        # A middle column that is a tab lies inside the side panel, too.
        column = columns[(held[0] + 1) % len(columns)] if held else columns[0]
        is_tab = panels.columns.is_middle_a_tab and column is panels.middle
        if panels.columns.alone is not None:
            panels.columns.show_alone(panels.tabs if is_tab else column)
        if is_tab:
            panels.tabs.setCurrentWidget(panels.middle)
        elif column is panels.tabs and panels.tabs.currentWidget() is panels.middle:
            panels.tabs.setCurrentWidget(panels.first)
        self._inside(column).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _inside(self, column: QWidget) -> QWidget:
        """What takes the keys in a column."""
        inner = column.currentWidget() if isinstance(column, QTabWidget | QStackedWidget) else None
        shown = inner or column
        return (
            self._panels.review.labels.policy
            if shown is self._panels.first and not self._panels.is_read_only
            else self._panels.inside(shown)
        )

    def _show(self, problem: Problem) -> None:
        self._problem, self._settled, self._is_led = problem, None, False
        self._panels.columns.share()
        if problem.task is not None:
            self._panels.go_to(problem.task, problem.step, problem.path)
        match problem.kind:
            case "drawing":
                self._panels.show_middle()
                self._panels.graph.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
            case "evidence":
                if problem.task is not None and problem.step is not None and problem.path is not None:
                    self._panels.evidence.show_value(problem.task, problem.step, problem.path)
                self._panels.tabs.setCurrentWidget(self._panels.evidence)
                self._panels.evidence.table.setFocus(Qt.FocusReason.ShortcutFocusReason)
            case "review" if problem.step is not None:
                self._panels.tabs.setCurrentWidget(self._panels.thoughts)
                self._panels.thoughts.show_step(problem.step)
            case _:
                self._panels.tabs.setCurrentWidget(self._panels.review)
                self._panels.review.show_problem(problem)
                self._take_keys_along(problem)
                if problem.finding is not None:
                    self._panels.show_missing(problem.finding)
                if problem.label is not None:
                    self._panels.review.labels.choice(problem.label).setFocus(
                        Qt.FocusReason.ShortcutFocusReason
                    )
        document = self._panels.document
        self._visited = document.selection if document is not None else None
        self.moved.emit()

    def _take_keys_along(self, problem: Problem) -> None:
        """Take the keys out of the graph, and out of a checklist it is not about: F has a meaning there."""
        panels, focus = self._panels, QApplication.focusWidget()
        left = (panels.middle,) if problem.kind == "checklist" else (panels.middle, panels.review)
        if focus is not None and any(column.isAncestorOf(focus) for column in left):
            is_at_card = problem.kind != "checklist" and problem.task is not None
            self._inside(panels.dialogue if is_at_card else panels.review).setFocus(
                Qt.FocusReason.ShortcutFocusReason
            )


@collected
def _stops(document: CaseDocument) -> Iterator[Stop]:
    """Every card of the dialogue as if all tasks were open."""
    for number, task in enumerate(document.case.tasks):
        yield from ((number, step) for step in range(USER_STEP, len(task.steps)))
        if task.answer is None:
            yield (number, ANSWER_MISSING)
