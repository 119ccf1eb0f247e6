"""What the keys of the workbench do to the document: saying, drawing, editing."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from annotator.cases.pointers import value_at
from annotator.cases.versions.conflicts import Side
from annotator.drafts.checklists import Item
from annotator.drafts.shown import CONFIRMING, why_not
from scoring.model.case import Ask, Call, Step
from scoring.model.labels import Finding
from scoring.model.taxonomy import CheckAnswer
from scoring.texts import tr, tr_count
from ui.desk import case_actions, judgment_actions
from ui.desk.accepted_dialog import AcceptedDialog
from ui.desk.case_actions import fix_for
from ui.desk.dialogs import ReplaceDialog, ToolPicker, time_dialog
from ui.desk.document import CaseDocument
from ui.desk.navigation import CaseNavigation, ProblemList, problems_of_document
from ui.desk.next_keys import next_key_words
from ui.desk.panels import CasePanels
from ui.desk.sentence_guard import SentenceGuard, is_field
from ui.desk.sight import Sight
from ui.services.commands import Commands
from ui.theme.dialogs import open_dialog
from ui.theme.layouts import connect

_RECENT = 9
"""Tools chosen lately that are offered first."""
_NO_FINDING = tr("There is no finding here; F8 goes to the next problem.")


class Keyboard(QObject):
    """What takes a document acts on the one that is open: `do` gives it, and without one nothing happens.

    `told` carries a sentence for the footer.

    Args:
        panels: The columns.
        commands: Knows which letters are commands.
        page: What the keys are commands of.
        problems: What there is to settle in a document.
    """

    told = Signal(str)

    def __init__(
        self,
        panels: CasePanels,
        commands: Commands,
        *,
        page: QWidget,
        problems: ProblemList = problems_of_document,
    ) -> None:
        super().__init__(page)
        self.panels = panels
        self.navigation = CaseNavigation(panels, parent=self, problems=problems)
        self.sight = Sight(panels, parent=self)
        labels = panels.review.labels
        menus = (labels.policy.menu, labels.information.menu)
        connect(
            (self.navigation.moved, self._show_subject),
            (panels.review.answer_wanted, self._want_answer),
            (
                SentenceGuard(
                    page,
                    stack=lambda: panels.document.stack if panels.document is not None else None,
                    commands=commands,
                    menus=menus,
                ).told,
                self.told,
            ),
        )
        self._recent_tools: list[str] = []

    def do(self, action: Callable[[CaseDocument], object]) -> None:
        """Do something to the document that is open."""
        if self.panels.document is not None:
            action(self.panels.document)

    def doing(self, action: Callable[[CaseDocument], object]) -> Callable[[], None]:
        """What a command calls that does something to the document that is open."""
        return partial(self.do, action)

    def next_words(self, document: CaseDocument, shown: Callable[[str], str]) -> str:
        """What the next key does, and on which task; `shown` gives the keys of a command of the page."""
        focus = QApplication.focusWidget()
        if focus is not None and is_field(focus) and self.panels.isAncestorOf(focus):
            task = document.selection.task + 1
            return tr("Task {task}: you write; Ctrl Enter keeps it, Esc leaves it.", task=task)
        return next_key_words(
            document,
            here=self.navigation.here,
            following=self.navigation.following(),
            in_table=focus is self.panels.evidence.table,
            at=self.panels.review.item_at(focus),
            unread=partial(self.sight.unread, document),
            shown=shown,
        )

    # saying

    def choose_policy(self) -> None:
        """Open the list of policies; a digit chooses."""
        self.panels.tabs.setCurrentWidget(self.panels.review)
        self.panels.review.labels.policy.showPopup()

    def choose_information(self, document: CaseDocument) -> None:
        """Open the list of information types; a digit chooses. The first task has none to choose."""
        if document.selection.task == 0:
            self.told.emit(tr("The first task hides nothing: its information is not asked for."))
        else:
            self.panels.tabs.setCurrentWidget(self.panels.review)
            self.panels.review.labels.information.showPopup()

    def adopt_policy(self, document: CaseDocument) -> None:
        """Label the task as it is drawn."""
        if not self.panels.review.has_offers:
            self.told.emit(tr("Find the label yourself here."))
        elif case_actions.adopt_policy(document):
            self.navigation.go_on()
        elif document.judgment.tasks[document.selection.task].drawn is False:
            self.told.emit(tr("Draw the dependencies first, then adopt their policy."))

    def take_offer(self, document: CaseDocument) -> None:
        """Take the label that is proposed for the task, one a time."""
        if not self.panels.review.has_offers:
            self.told.emit(tr("Find the label yourself here."))
        elif taken := case_actions.take_offer(document):
            self.told.emit(tr("Taken: {taken} Ctrl+Z takes it back.", taken=taken))
            self.navigation.go_on()
        else:
            self.told.emit(tr("No label is proposed here."))

    def say_completed(self, document: CaseDocument, *, completed: bool) -> None:
        """Say whether the task is completed; said again it is taken back."""
        said = document.judgment.tasks[document.selection.task].completed
        judgment_actions.say_completed(document, completed=None if said is completed else completed)
        self.navigation.go_on()

    def judge_call(self, document: CaseDocument, *, correct: bool) -> None:
        """Judge the selected call and go to the next open one; where none is selected, select one first."""
        at = document.selection
        is_call = isinstance(_selected(document), Call)
        if is_call and at.step is not None:
            judgment_actions.say_call(document, at.step, correct=correct)
        following = judgment_actions.open_call(document, at.step)
        if following is not None:
            self.panels.go_to(at.task, following)
        if is_call:
            self.navigation.go_on()
        else:
            told = tr(
                "Call {following} is selected: R says that it is right, Shift+R that it is wrong.",
                following=following,
            )
            self.told.emit(tr("Every call of this task is judged.") if following is None else told)

    def confirm_next(self, document: CaseDocument) -> None:
        """Confirm the next item of the checklist; behind the last of a task go on.

        Where the person is at something else, e.g. a value without a source or the box of a label, it shows
        the checklist first. Pressed again before anybody could have seen what it did it does nothing.
        """
        if not self.sight.note_press() or self._has_shown_checklist(document):
            return
        item = judgment_actions.next_item(document)
        if item is None:
            self._leave_task(document)
        elif not self._lead_to(document, item):
            self._answer(document, item, CheckAnswer.PASS, is_walking=True)

    def accept_step(self, document: CaseDocument) -> None:
        """Accept the proposed evidence of the selected step."""
        if document.selection.step is None:
            self.told.emit(tr("Select a call first (J), or accept the whole task with Shift+E."))
        else:
            self.accept(document, document.selection.step)

    def cite_picked(self) -> None:
        """Cite the text that was selected in the dialogue, or let the person select one."""
        if not self.panels.evidence.cite_picked() and not self.panels.look_for_source():
            self.told.emit(tr("Select a value in the Evidence tab first (Alt+E)."))

    def fix(self, document: CaseDocument) -> None:
        """Settle the finding one is at; of a clash, take their side."""
        if self._has_settled_clash(document, "theirs"):
            return
        finding = self._finding(document)
        if finding is None:
            self.told.emit(_NO_FINDING)
        elif fix_for(finding) is not None:
            case_actions.settle(document, finding)
            self.navigation.go_on()
        else:
            self.panels.show_missing(finding)
            self.told.emit(finding.settle or tr("Nothing is proposed here."))

    def waive(self, document: CaseDocument) -> None:
        """Ask why the finding one is at may stay; of a clash, keep my side."""
        if self._has_settled_clash(document, "mine"):
            return
        finding = self._finding(document)
        if finding is None:
            self.told.emit(_NO_FINDING)
        else:
            self.panels.tabs.setCurrentWidget(self.panels.review)
            self.panels.review.ask_waiver(finding)

    # drawing

    def accept_edges(self, document: CaseDocument) -> None:
        """Draw every suggested dependency of the task; what its file says becomes one's own drawing."""
        self._show_drawing()
        if case_actions.accept_proposals(document):
            self.navigation.go_on()
        else:
            self.told.emit(tr("No dependency is suggested here: draw it (D), or say that nothing waits (U)."))

    def draw_whole(self, document: CaseDocument, *, action: Callable[[CaseDocument], bool]) -> None:
        """Draw the whole task at once, e.g. without any dependency."""
        if not document.case.tasks[document.selection.task].needs_drawing:
            self.told.emit(tr("Nothing to draw: this task has fewer than two calls and questions."))
        else:
            self._show_drawing()
            action(document)
            self.navigation.go_on()

    def _show_drawing(self) -> None:
        """Bring the drawing into sight that is about to change."""
        if not self.panels.graph.isVisible():
            self.panels.show_middle()

    def toggle_alone(self) -> None:
        """Give the column under focus all the room, or share it again."""
        if self.panels.columns.toggle_alone() is not None:
            self.told.emit(tr("M shares the room again, F6 goes to the next column."))

    # editing

    def edit(self, document: CaseDocument) -> None:
        """Edit the selected card."""
        at = document.selection
        self.panels.dialogue.view.begin_edit(at.task, -1 if at.step is None else at.step)

    def replace(self, document: CaseDocument) -> None:
        """Open the dialog that replaces words in the whole case."""
        bar = self.panels.dialogue.find_bar
        words = bar.words.text() if bar.isVisible() else ""
        open_dialog(
            ReplaceDialog(
                lambda: document.case,
                self.panels,
                words=words,
                wanted=document.edit_case,
                place_wanted=document.select,
            )
        )

    def change_time(self, document: CaseDocument) -> None:
        """Ask for the simulated time: the task's own where it has one, else the case's."""
        task = document.selection.task
        own = document.case.tasks[task].now
        now = own or document.case.now
        whose = task if own else None
        dialog = time_dialog(now.raw if now else "", self.panels, task=whose)
        dialog.ask(partial(case_actions.set_now, document, task=whose))

    def accept_values(self, document: CaseDocument) -> None:
        """Ask what else is right where the selected value stands, or the list it is in."""
        line, found = self.panels.evidence.current_line, _selected(document)
        if line is None or not isinstance(found, Call) or line.step != document.selection.step:
            self.told.emit(tr("Select a value of a call first."))
            return
        path, outer = line.path, line.path.rpartition("/")[0]
        if isinstance(value_at(found.arguments, outer), list):
            path = outer
        dialog = AcceptedDialog(found, self.panels, task=line.task, path=path)
        dialog.ask(partial(case_actions.accept_values, document, at=(line.task, line.step, path)))
        self.panels.propose_values(document, dialog.offer)

    def insert_call(self, document: CaseDocument) -> None:
        """Offer the tools of the case; the one chosen is called behind the selected step."""
        self._offer_tools(document, case_actions.insert_call, tr("Insert a call"))

    def change_tool(self, document: CaseDocument) -> None:
        """Offer the tools of the case for the selected call."""
        if isinstance(_selected(document), Call):
            self._offer_tools(document, case_actions.set_tool, tr("Change the tool"))
        else:
            self.told.emit(tr("Select a call first (J)."))

    def split_ask(self, document: CaseDocument) -> None:
        """Split the selected question in the middle of its sentences."""
        found = _selected(document)
        if isinstance(found, Ask):
            case_actions.split_ask(document, text_at=_cut(found.text), reply_at=_cut(found.reply))
        else:
            self.told.emit(tr("Select a question first (J)."))

    # inside

    def _want_answer(self, item: Item, answer: CheckAnswer | None) -> None:
        """Answer an item somebody is at, by a key, a click or its menu."""
        is_counted = answer not in CONFIRMING or self.sight.note_press()
        if self.panels.document is not None and is_counted:
            self._answer(self.panels.document, item, answer)

    def _answer(
        self, document: CaseDocument, item: Item, answer: CheckAnswer | None, *, is_walking: bool = False
    ) -> None:
        """Answer an item; a confirmation counts only once its subject was shown, and shows it else.

        Only who walks by C is led to an item that Space confirms: Space pressed again confirms no second one.
        """
        if answer in CONFIRMING:
            against = why_not(item, document.case, answer) or self.sight.why_unseen(document, item)
            if against:
                self.told.emit(against)
                return
        judgment_actions.answer_item(document, item, answer=answer)
        following = judgment_actions.next_item(document)
        is_beside = following is not None and following.task == item.task
        if following is not None and is_beside and not (is_walking and self._lead_to(document, following)):
            self.sight.show(document, following)
        self.navigation.go_on()

    def _lead_to(self, document: CaseDocument, item: Item) -> bool:
        """Lead to an item that C does not confirm; whether it is such a one."""
        why = why_not(item, document.case, CheckAnswer.PASS)
        if item.against and not why:
            why = tr("{look} Space confirms it, F says that it fails.", look=item.look)
        if why:
            self.sight.show(document, item)
            self.panels.tabs.setCurrentWidget(self.panels.review)
            self.panels.review.checklist_of(item).focus_open_item()
            self.told.emit(why)
        return bool(why)

    def _show_subject(self) -> None:
        """Show what the checklist is about that somebody was led to."""
        document, here = self.panels.document, self.navigation.here
        item = judgment_actions.next_item(document) if document is not None else None
        if document is not None and item is not None and here is not None and here.kind == "checklist":
            self.sight.show(document, item)

    def _leave_task(self, document: CaseDocument) -> None:
        """Go on behind the checklist of a task: to the next open point, or to the next open checklist."""
        walked = self.navigation.problem
        if walked is not None and walked.is_blocking:
            self.navigation.next_problem()
            return
        for step in range(1, len(document.case.tasks)):
            task = (document.selection.task + step) % len(document.case.tasks)
            if judgment_actions.has_open_item(document, task):
                self.panels.go_to(task, None)
                self.told.emit(tr("Task {task} is next; C confirms its first item.", task=task + 1))
                return
        self.told.emit(tr("Every checklist is complete."))

    def _has_settled_clash(self, document: CaseDocument, side: Side) -> bool:
        """Choose a side of the clash one is at; whether one is at one."""
        problem = self.navigation.problem
        if problem is None or problem.clash not in document.snapshot.clashes:
            return False
        self.panels.review.settle(problem.clash, side)
        return True

    def _has_shown_checklist(self, document: CaseDocument) -> bool:
        """Go to the checklist where the person is at another point; whether that was so."""
        item, review = judgment_actions.next_item(document), self.panels.review
        if item is None or review.checklist_of(item).isAncestorOf(QApplication.focusWidget() or self.panels):
            return False
        walked = self.navigation.problem
        is_elsewhere = walked is not None and walked.kind != "checklist" and self.navigation.is_there
        is_in_box = review.labels.policy.hasFocus() or review.labels.information.hasFocus()
        if not is_elsewhere and not is_in_box and self.panels.tabs.currentWidget() is review:
            return False
        if not self.navigation.first_problem("checklist", task=item.task):
            self.panels.tabs.setCurrentWidget(review)
            review.checklist_of(item).focus_open_item()
        return True

    def _finding(self, document: CaseDocument) -> Finding | None:
        open_ones = document.assessment.open_findings()
        problem = self.navigation.problem
        if problem is not None and problem.finding in open_ones:
            return problem.finding
        at = document.selection
        return next((f for f in open_ones if f.task == at.task and f.step == at.step), None)

    def accept(self, document: CaseDocument, step: int | None = None) -> None:
        """Accept the proposed evidence of a step of the task, or of the whole task."""
        lines = document.assessment.lines_of(document.selection.task, step)
        done = judgment_actions.accept_proposals(document, lines)
        now = document.assessment.lines_of(document.selection.task, step)
        left = sum(not line.is_settled for line in now) - done.differing
        if done.count or done.differing:
            rest = tr("; {value} left to cite by hand", value=tr_count(left, "value")) if left else ""
            look = tr(" Look at what differs in the Evidence tab (Alt+E).") if done.differing else ""
            self.told.emit(tr("{words}{rest}.{look}", words=done.words, rest=rest, look=look))
            self.navigation.go_on()
        else:
            self.told.emit(tr("Nothing is proposed here; mark the values in the Evidence tab (Alt+E)."))

    def _offer_tools(
        self, document: CaseDocument, action: Callable[[CaseDocument, str], bool], title: str
    ) -> None:
        if not document.case.tools:
            self.told.emit(tr("This case has no tools to call."))
            return
        open_dialog(
            ToolPicker(
                document.case.tools,
                title=title,
                recent=self._recent_tools,
                parent=self.panels.window(),
                chosen=partial(self._use_tool, action),
            )
        )

    def _use_tool(self, action: Callable[[CaseDocument, str], bool], name: str) -> None:
        self._recent_tools = [name, *(tool for tool in self._recent_tools if tool != name)][:_RECENT]
        document = self.panels.document
        if document is not None and action(document, name):
            self.edit(document)


def _selected(document: CaseDocument) -> Step | None:
    at = document.selection
    return document.case.tasks[at.task].steps[at.step] if at.step is not None else None


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
