"""The Review tab: labels, judgments, checklist, findings, and what went wrong in earlier cases."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from annotator.cases.versions.conflicts import Clash, Side
from annotator.drafts.checklists import Item
from annotator.drafts.clash_words import clash_place
from annotator.drafts.problems import Problem
from annotator.review.feedback import RecurringMistake
from scoring.model.labels import CASE_CHECKLIST, TASK_CHECKLIST, Finding
from scoring.model.taxonomy import SELF_CHECKS, CheckAnswer
from scoring.texts import tr
from ui.desk import case_actions, judgment_actions
from ui.desk.document import CaseDocument
from ui.desk.tabs.findings_section import ClashesSection, FindingsSection
from ui.desk.tabs.judgment_sections import CallsSection, ChecklistSection, LabelsSection
from ui.desk.tabs.section import Section, lay_sections
from ui.theme import Chip, Hint, Tone, theme
from ui.theme.layouts import clear_layout, connect, fill, hbox
from ui.theme.words import FEEDBACK


class ReviewTab(QScrollArea):
    """Shows what is said about a document and changes it.

    Signals: `answer_wanted` carries an item of a checklist and the answer to it, None for open again;
    `place_wanted` (task, step, path); `writing_wanted` a finding that is settled by writing what is missing;
    `left` says that a line of text is done with, `acted` that something was said.
    """

    answer_wanted = Signal(object, object)
    place_wanted = Signal(int, object, object)
    writing_wanted = Signal(object)
    left = Signal()
    acted = Signal()

    def __init__(self, *, has_offers: bool = True) -> None:
        super().__init__()
        self.has_offers = has_offers
        """Whether labels are proposed; somebody who is to find them alone is shown none, as drawn neither."""
        self._document: CaseDocument | None = None
        self.clashes = ClashesSection()
        self.labels = LabelsSection()
        self.calls = CallsSection()
        self.task_checklist = ChecklistSection(tr("Checklist"), TASK_CHECKLIST)
        self.case_checklist = ChecklistSection(tr("Dialogue checklist"), CASE_CHECKLIST)
        self.findings = FindingsSection()
        self._returned = QVBoxLayout()
        self._mistakes = Section(tr("Seen in your last cases"))
        self._chips = hbox(gap=6)
        self._mistakes.rows.addLayout(self._chips)
        lay_sections(
            self,
            "review",
            self._returned,
            self.clashes,
            self.case_checklist,
            self.labels,
            self.calls,
            self.task_checklist,
            self.findings,
            self._mistakes,
        )
        connect(
            (self.labels.policy.chosen, partial(self._do, case_actions.set_policy)),
            (self.labels.information.chosen, partial(self._do, case_actions.set_information)),
            (self.labels.adopt.clicked, partial(self._do, case_actions.adopt_policy)),
            (self.labels.take.clicked, partial(self._do, case_actions.take_offer)),
            (
                self.labels.completed.chosen,
                lambda said: self._do(partial(judgment_actions.say_completed, completed=said)),
            ),
            (
                self.calls.judged,
                lambda step, said: self._do(partial(judgment_actions.say_call, step=step, correct=said)),
            ),
            (self.calls.step_wanted, self._go_to_step),
            (self.task_checklist.answered, partial(self._want_answer, self.task_checklist)),
            (self.case_checklist.answered, partial(self._want_answer, self.case_checklist)),
            (self.clashes.chosen, self.settle),
            (self.findings.acted, self._act_on_finding),
            (
                self.findings.waived,
                lambda finding, reason: self._do(
                    partial(judgment_actions.waive_finding, finding=finding, reason=reason)
                ),
            ),
            (self.findings.left, self.left),
        )

    def set_document(self, document: CaseDocument, *, returned_note: str) -> None:
        """Show another document."""
        self._document = document
        connect(
            (document.assessed, self.refresh),
            (document.selection_changed, self.refresh),
        )
        self.calls.setVisible(document.is_blind)
        self._show_returned(returned_note)
        self.findings.forget()
        self.refresh()
        self.verticalScrollBar().setValue(0)

    def show_mistakes(self, mistakes: Sequence[RecurringMistake]) -> None:
        """Show what was corrected repeatedly in the person's work."""
        clear_layout(self._chips)
        for mistake in mistakes[:3]:
            chip = Chip(
                f"{FEEDBACK.get(mistake.category, mistake.category)} ×{mistake.count}",
                toolTip=mistake.latest_note,
                topic=f"feedback.{mistake.category}",
            )
            self._chips.addWidget(chip)
        self._chips.addStretch(1)
        self._mistakes.setVisible(bool(mistakes))

    def refresh(self) -> None:
        """Show the document as it is now."""
        document = self._document
        if document is None:
            return
        task = document.selection.task
        self.clashes.show_clashes(document.snapshot.clashes, document.case)
        said, found = document.judgment.tasks[task], document.case.tasks[task]
        self.labels.show_task(task, found, said, names_drawn=self.has_offers)
        offers = document.assessment.offers_of(task) if self.has_offers else ()
        offer = next(iter(offers), None)
        self.labels.show_offer(case_actions.offer_words(offer) if offer is not None else "")
        if document.is_blind:
            self.calls.show_task(found, said)
        items, judgment = document.assessment.items, document.judgment
        following = judgment_actions.next_item(document)
        of_task = [item for item in items if item.task == task]
        self.task_checklist.show_items(of_task, judgment, following=following)
        of_case = [item for item in items if item.task is None]
        self.case_checklist.setVisible(bool(of_case))
        self.case_checklist.show_items(of_case, judgment, following=following)
        self.findings.show_findings(
            document.assessment.findings,
            judgment.waivers,
            do_errors_block=document.stage in SELF_CHECKS,
        )

    def ask_waiver(self, finding: Finding) -> None:
        """Open the line for the reason of a waiver."""
        row = self.findings.row(finding)
        if row is not None:
            self.ensureWidgetVisible(row)
            row.ask_reason()

    def checklist_of(self, item: Item) -> ChecklistSection:
        """The checklist an item stands in."""
        return self.case_checklist if item.task is None else self.task_checklist

    def item_at(self, box: QWidget | None) -> Item | None:
        """The item of the checklist whose box has the keys; None where another widget has them."""
        document = self._document
        items = document.assessment.items if document is not None else ()
        here = (item for item in items if document and item.task in (None, document.selection.task))
        return next((item for item in here if self.checklist_of(item).items[item.id].box is box), None)

    def settle(self, clash: Clash, side: Side) -> bool:
        """Choose a side of a clash; whether that was done."""
        document = self._document
        if document is None:
            return False
        verb = tr("keep mine") if side == "mine" else tr("take theirs")
        is_done = document.settle(clash, side, title=f"{verb}: {clash_place(clash, document.case)}")
        self.acted.emit()
        return is_done

    def show_problem(self, problem: Problem) -> None:
        """Bring the place into sight where a problem can be settled."""
        finding, kind = problem.finding, problem.kind
        target: QWidget | None = self.findings.row(finding) if finding is not None else None
        if problem.clash is not None:
            target = self.clashes.row(problem.clash)
        match kind:
            case "label":
                target = self.labels
            case "judgment":
                target = self.calls if self.calls.isVisible() else self.labels
            case "checklist" if problem.item:
                row = self.task_checklist.items[problem.item]
                row.box.setFocus(Qt.FocusReason.OtherFocusReason)
                target = row
            case "checklist":
                section = self.case_checklist if problem.task is None else self.task_checklist
                section.focus_open_item()
                target = section
        if target is not None:
            self.ensureWidgetVisible(target, 0, theme().px(24))

    def _show_returned(self, note: str) -> None:
        hint = Hint(tr("It came back."), note, Tone.WARN, objectName="returned-note") if note else None
        fill(self._returned, (hint,))

    # what the sections ask for

    def _want_answer(self, section: ChecklistSection, name: str, answer: CheckAnswer | None) -> None:
        item = self.item_at(section.items[name].box)
        if item is not None:
            self.answer_wanted.emit(item, answer)

    def _go_to_step(self, step: int) -> None:
        if self._document is not None:
            self.place_wanted.emit(self._document.selection.task, step, None)

    def _act_on_finding(self, finding: Finding, name: str) -> None:
        match name:
            case "fix":
                self._do(case_actions.settle, finding)
            case "write":
                self.writing_wanted.emit(finding)
            case "reopen":
                self._do(judgment_actions.unwaive_finding, finding)
            case _ if finding.task is not None:
                self.place_wanted.emit(finding.task, finding.step, finding.path)

    def _do(self, action: Callable[..., object], *details: object) -> None:
        if self._document is not None:
            action(self._document, *details)
            self.acted.emit()
