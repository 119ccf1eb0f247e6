"""What the keys of the workbench do to the document: saying, drawing, editing."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from annotator.cases.clashes import Side
from scoring.model.case import Ask, Call, Case
from scoring.model.labels import Finding
from ui.graph.modes import Mode
from ui.theme.dialogs import open_dialog
from ui.theme.menus import open_menu
from ui.theme.words import counted
from ui.workbench import case_actions, review_actions
from ui.workbench.document import WorkbenchDocument
from ui.workbench.editor import Editor
from ui.workbench.fixes import fix_for
from ui.workbench.replace_dialog import ReplaceDialog
from ui.workbench.walking import Walk


class Keyboard(QObject):
    """Acts on the document that is open; without one nothing happens.

    `told` carries a sentence for the footer.

    Args:
        editor: The columns.
        walk: Knows which problem one is at.
        document: Gives the open document, or null.
    """

    told = Signal(str)

    def __init__(
        self,
        editor: Editor,
        walk: Walk,
        *,
        document: Callable[[], WorkbenchDocument | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._editor = editor
        self._walk = walk
        self._document = document

    # saying

    def choose_policy(self) -> None:
        """Open the list of policies; a digit chooses."""
        self._editor.tabs.setCurrentWidget(self._editor.review)
        self._editor.review.labels.policy.showPopup()

    def choose_information(self) -> None:
        """Open the list of information types; a digit chooses."""
        self._editor.tabs.setCurrentWidget(self._editor.review)
        self._editor.review.labels.information.showPopup()

    def adopt_policy(self) -> None:
        """Label the task as it is drawn."""
        document = self._document()
        if document is not None:
            case_actions.adopt_policy(document)

    def say_completed(self, *, completed: bool) -> None:
        """Say whether the task is completed; said again it is taken back."""
        document = self._document()
        if document is not None:
            said = document.judgment.tasks[document.selection.task].completed
            review_actions.say_completed(document, completed=None if said is completed else completed)

    def judge_call(self, *, correct: bool) -> None:
        """Judge the selected call, or the first open one, and go to the next open one."""
        document = self._document()
        if document is None:
            return
        at = document.selection
        calls = [step for step, _ in document.case.tasks[at.task].calls]
        step = at.step if at.step in calls else review_actions.open_call(document, at.step)
        if step is None:
            self.told.emit("Every call of this task is judged.")
            return
        review_actions.say_call(document, step, correct=correct)
        following = review_actions.open_call(document, step)
        if following is not None:
            self._editor.go_to(at.task, following)

    def confirm_next(self) -> None:
        """Confirm the next item of the checklist; where the task has none left, go to the next that has."""
        document = self._document()
        if document is None:
            return
        if self._editor.review.case_checklist.isVisibleTo(self._editor.review):
            self._confirm_next_of_case(document)
            return
        if review_actions.confirm_next(document).item is not None:
            return
        for step in range(1, len(document.case.tasks)):
            task = (document.selection.task + step) % len(document.case.tasks)
            if review_actions.has_open_item(document, task):
                self._editor.go_to(task, None)
                self.told.emit(f"Task {task + 1} is next; C confirms its first item.")
                return
        self.told.emit("Every checklist is complete.")

    def accept_step(self) -> None:
        """Accept the proposed evidence of the selected step."""
        document = self._document()
        if document is not None:
            if document.selection.step is None:
                self.told.emit("Select a call first (J), or accept the whole task with Shift+E.")
            else:
                self._accept(document, document.selection.step)

    def accept_task(self) -> None:
        """Accept the proposed evidence of the whole task."""
        document = self._document()
        if document is not None:
            self._accept(document, None)

    def cite_picked(self) -> None:
        """Cite the text that was selected in the dialogue, or let the person select one."""
        if not self._editor.evidence.cite_picked() and not self._editor.look_for_source():
            self.told.emit("Select a value in the Evidence tab first (Alt+E).")

    def fix(self) -> None:
        """Settle the finding one is at; of a clash, take their side."""
        if self._settle_clash("theirs"):
            return
        document = self._document()
        finding = self._finding()
        if document is None or finding is None:
            self.told.emit("There is no finding here; F8 goes to the next problem.")
        elif fix_for(finding) is not None:
            case_actions.settle(document, finding)
        elif not self._editor.write(finding):
            self.told.emit(finding.settle or "Nothing is proposed here.")

    def waive(self) -> None:
        """Ask why the finding one is at may stay; of a clash, keep my side."""
        if self._settle_clash("mine"):
            return
        finding = self._finding()
        if finding is None:
            self.told.emit("There is no finding here; F8 goes to the next problem.")
        else:
            self._editor.tabs.setCurrentWidget(self._editor.review)
            self._editor.review.ask_waiver(finding)

    # drawing

    def set_mode(self, mode: Mode) -> None:
        """Change what a click on the graph means, and go there."""
        self._editor.show_middle()
        self._editor.graph.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._editor.graph.view.set_mode(mode)

    def accept_edges(self) -> None:
        """Draw every suggested dependency of the task."""
        document = self._document()
        if document is not None:
            offered = document.assessment.suggestions[document.selection.task]
            if not case_actions.accept_suggestions(document, offered):
                self.told.emit("No dependency is suggested in this task.")

    def toggle_gold(self) -> None:
        """Show a gold example in the place of the graph, or the graph again."""
        self._editor.toggle_middle(self._editor.gold)

    def toggle_beside(self) -> None:
        """Show another task of the dialogue in the place of the graph, or the graph again."""
        self._editor.toggle_middle(self._editor.beside)

    def toggle_alone(self) -> None:
        """Give the column under focus all the room, or share it again."""
        if self._editor.columns.toggle_alone() is not None:
            self.told.emit("M shares the room again, F6 goes to the next column.")

    # editing

    def edit(self) -> None:
        """Edit the selected card."""
        document = self._document()
        if document is not None:
            at = document.selection
            self._editor.transcript.view.begin_edit(at.task, -1 if at.step is None else at.step)

    def find(self) -> None:
        """Find words in the dialogue."""
        self._editor.transcript.open_find()

    def replace(self) -> None:
        """Open the dialog that replaces words in the whole case."""
        document = self._document()
        if document is not None:
            bar = self._editor.transcript.find_bar
            words = bar.words.text() if bar.isVisible() else ""
            dialog = ReplaceDialog(partial(_case_of, document), self._editor, words=words)
            dialog.wanted.connect(document.edit_case)
            dialog.place_wanted.connect(document.select)
            open_dialog(dialog)

    def insert_call(self) -> None:
        """Offer the tools of the case; the one chosen is called behind the selected step."""
        self._offer_tools(case_actions.insert_call)

    def change_tool(self) -> None:
        """Offer the tools of the case for the selected call."""
        document = self._document()
        if document is None:
            return
        at = document.selection
        found = document.case.tasks[at.task].steps[at.step] if at.step is not None else None
        if isinstance(found, Call):
            self._offer_tools(case_actions.set_tool)
        else:
            self.told.emit("Select a call first (J).")

    def split_ask(self) -> None:
        """Split the selected question in the middle of its sentences."""
        document = self._document()
        if document is None:
            return
        at = document.selection
        found = document.case.tasks[at.task].steps[at.step] if at.step is not None else None
        if isinstance(found, Ask):
            case_actions.split_ask(document, text_at=_cut(found.text), reply_at=_cut(found.reply))
        else:
            self.told.emit("Select a question first (J).")

    def do(self, action: Callable[[WorkbenchDocument], bool]) -> None:
        """Do something to the document."""
        document = self._document()
        if document is not None:
            action(document)

    # inside

    def _settle_clash(self, side: Side) -> bool:
        """Choose a side of the clash one is at; whether one is at one."""
        document, problem = self._document(), self._walk.problem
        if document is None or problem is None or problem.clash not in document.snapshot.clashes:
            return False
        self._editor.review.settle(problem.clash, side)
        return True

    def _finding(self) -> Finding | None:
        document = self._document()
        if document is None:
            return None
        open_ones = document.assessment.open_findings()
        problem = self._walk.problem
        if problem is not None and problem.finding in open_ones:
            return problem.finding
        at = document.selection
        here = [f for f in open_ones if f.task == at.task and (at.step is None or f.step == at.step)]
        return here[0] if here else None

    def _accept(self, document: WorkbenchDocument, step: int | None) -> None:
        lines = document.assessment.lines_of(document.selection.task, step)
        count = review_actions.accept_proposals(document, lines)
        left = sum(
            not line.is_settled for line in document.assessment.lines_of(document.selection.task, step)
        )
        if count:
            rest = f"; {counted(left, 'value')} left to cite by hand" if left else ""
            self.told.emit(f"Accepted {counted(count, 'citation')}{rest}.")
        else:
            self.told.emit("Nothing is proposed here; mark the values in the Evidence tab (Alt+E).")

    def _confirm_next_of_case(self, document: WorkbenchDocument) -> None:
        if not review_actions.confirm_next_of_case(document):
            self.told.emit("The checklist is complete.")

    def _offer_tools(self, action: Callable[..., bool]) -> None:
        document = self._document()
        if document is None:
            return
        if not document.case.tools:
            self.told.emit("This case has no tools to call.")
            return
        menu = QMenu(self._editor)
        menu.setObjectName("tool-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, tool in enumerate(document.case.tools, 1):
            digit = f"&{number}  " if number < 10 else ""
            item = QAction(f"{digit}{tool.name}", menu)
            item.setToolTip(tool.description)
            item.triggered.connect(partial(self._use_tool, action, tool.name))
            menu.addAction(item)
        open_menu(menu, self._editor.transcript.mapToGlobal(QPoint(40, 60)))

    def _use_tool(self, action: Callable[..., bool], name: str) -> None:
        document = self._document()
        if document is not None and action(document, name):
            self.edit()


def _case_of(document: WorkbenchDocument) -> Case:
    return document.case


def _cut(text: str) -> int:
    """Where a text is best cut in two: behind the sentence, else the word, that ends nearest to its middle.

    Returns:
        0 for a text of one word: it stays whole, as the second half.
    """
    for marks in (".?!。？！", " \n\t"):
        ends = [i + 1 for i, char in enumerate(text) if char in marks and text[i + 1 :].strip()]
        if ends:
            return min(ends, key=lambda end: abs(end - len(text) / 2))
    return 0
