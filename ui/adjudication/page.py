"""The adjudication page: opens a case that waits for an expert, keeps the decision, settles it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QUndoStack

from annotator.drafts.journal import Journal, journal_folder
from annotator.project.changes import Changes
from annotator.review.expert.decision_edits import settled_decision
from annotator.review.expert.decisions import Adjudication, Decided, Decision, OwnerVersion
from annotator.review.expert_review import decide, reveal_owner
from annotator.review.queue.claims import AssignmentRow
from annotator.review.queue.queue_status import why_nothing
from annotator.review.saved_work import recall
from annotator.review.submissions import submission_key
from scoring.errors import AnnotatorError, ForbiddenError
from scoring.model.taxonomy import Verdict
from scoring.texts import in_language, tr
from ui.adjudication.columns import Columns, DecisionBar
from ui.adjudication.decision_document import (
    DecisionDocument,
    Loaded,
    claim_next_decision,
    load,
    save_decision,
    saved_decision,
    saver_of,
)
from ui.adjudication.decision_rows import progress_words, why_words
from ui.adjudication.owner_reveal import OwnerReveal, owner_lines
from ui.desk.autosave import Autosaver, work_key
from ui.desk.case_bar import CaseBar
from ui.desk.sentence_guard import SentenceGuard
from ui.services.assignments import ExpertList
from ui.services.commands import Command, Commands, shown_keys
from ui.services.errors import ErrorBanner
from ui.services.guideline_news import after_news
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.services.preferences import Preferences
from ui.theme import Tone
from ui.theme.events import follow_events
from ui.theme.layouts import column, connect, stacked, vbox
from ui.theme.menus import open_below

_DECIDE = tr("Deciding")
_LETTERS = "ABCDE"
"""As many sides as a policy may ask for."""


class AdjudicationPage(ProjectPage):
    """Where experts settle what others could not, and verify samples.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        preferences: Remembers the widths of the columns.
        journal: Takes decisions while the store is away; the person's own where None.
    """

    saved_changed = Signal(str, object)
    """(words, tone) for the footer."""
    undo_changed = Signal(str)
    """What undo would take back, for the footer."""
    finished = Signal(str)
    """The page has nothing more to show; the words say why."""
    reading_requested = Signal(str, object)
    """Id of a case the person can only read, and the `ForbiddenError` that says why."""
    task_wanted = Signal(str, int)
    """A case and the number of a task: what did every run do there?"""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        journal: Journal | None = None,
        **properties: Any,
    ) -> None:
        super().__init__("adjudication", operations, commands, **properties)
        self._journal = journal or Journal(journal_folder())
        self._wanted = ""
        self._key = ""
        self._is_under_way = False
        self._saver: Autosaver | None = None
        self._owner: OwnerVersion | None = None
        self._is_owner_asked = False
        self._opened_words = ""
        self.document: DecisionDocument | None = None
        self.case_bar = CaseBar()
        self.columns = Columns(operations, preferences)
        self.bar = DecisionBar()
        self.reveal = OwnerReveal()
        self.banner = ErrorBanner()
        self.waiting = ExpertList(
            operations,
            commands,
            self.banner,
            page="adjudication",
            is_mine=True,
            case_wanted=self.open_case,
        )
        self._build()
        self._add_commands()
        follow_events(self, self.flush, QEvent.Type.Hide)
        commands.bind_all(
            "adjudication",
            ("finalise", self.bar.finalise),
            ("next", self.reveal.next),
            ("merge", self.columns.judgments.merge),
            ("feedback", self.columns.detail.tell),
            ("note", self.columns.detail.write),
            ("draw", self.columns.drawings.draw),
            ("pair", self.columns.drawings.compare),
        )
        more = commands.menu(self.bar.more, "more-menu", ("adjudication.return", "adjudication.reject"))
        connect(
            (self.bar.more.clicked, partial(open_below, more, self.bar.more)),
            (
                SentenceGuard(
                    self,
                    stack=lambda: self.document.stack if self.document is not None else None,
                    commands=commands,
                ).told,
                self.bar.tell,
            ),
        )
        self._show_reveal()
        follow_events(self, self._read_waiting, QEvent.Type.Show)

    # what the window asks for

    def open_case(self, case_id: str) -> None:
        """Open a case an expert may decide; it is claimed."""
        if self.document is not None and self.document.adjudication.case_id == case_id:
            return
        self.close_case()
        self.banner.dismiss()
        self._wanted = case_id
        self.reveal.show_opening(case_id)
        self._show_reveal()
        self._operations.run(
            partial(load, case_id=case_id), then=self._show, failed=self._fail_to_open, origin=self
        )

    def close_case(self) -> None:
        """Put the case away; what was decided so far stays saved."""
        self._wanted = ""
        if self.document is None:
            return
        self.flush()
        if self._saver is not None:
            self._saver.stop()
        self.document.blockSignals(True)
        self.document.deleteLater()
        self.document, self._saver, self._owner = None, None, None
        self.case_bar.note_shown("")
        self.saved_changed.emit("", Tone.NEUTRAL)
        self._tell_undo("")

    def flush(self) -> None:
        """Save now what is not saved yet."""
        self.columns.dialogue.view.end_edit()
        if self._saver is not None:
            self._saver.flush()

    def unsaved_words(self) -> str:
        """What leaving now would lose, in one sentence; empty where nothing is at risk."""
        if self._saver is None or not self._saver.is_at_risk:
            return ""
        return tr("Your decision so far is not saved. {problem}", problem=self._saver.state.problem).strip()

    # commands

    def next_case(self) -> None:
        """Take the next case that waits for an expert."""
        run = self._operations.run
        take = partial(run, claim_next_decision, then=self._take, failed=self.banner.show_error, origin=self)
        after_news(self._operations, self, take)

    def next_open(self) -> None:
        """Go to the next field that is open."""
        if not self.columns.table.go_to_open():
            self.bar.tell(tr("Everything is decided. Finalise with Ctrl+Enter."))

    def _ask_task(self) -> None:
        if self.document is not None:
            self.task_wanted.emit(self.document.adjudication.case_id, self.document.selection.task)

    def _step(self, do: Callable[[QUndoStack], None]) -> None:
        """Take the last change of the decision back, or make it again."""
        if self.document is not None:
            do(self.document.stack)

    # inside

    def _add_commands(self) -> None:
        columns = self.columns
        judgments, detail, press = columns.judgments, columns.judgments.detail, columns.table.press
        compare, find = columns.drawings.compare_next, columns.dialogue.open_find
        undo, redo = partial(self._step, QUndoStack.undo), partial(self._step, QUndoStack.redo)
        finalise, give_back, reject = (
            partial(self._decide, said) for said in (Verdict.APPROVE, Verdict.RETURN, Verdict.REJECT)
        )
        for command in (
            Command("adjudication.finalise", tr("Finalise"), _DECIDE, finalise, "Ctrl+Return"),
            Command("adjudication.return", tr("Return to the owner"), _DECIDE, give_back, "Ctrl+R"),
            Command("adjudication.reject", tr("Reject the case"), _DECIDE, reject),
            Command("adjudication.next", tr("Take the next case"), _DECIDE, self.next_case, "N", waits=True),
            *(
                Command(
                    f"adjudication.{one.lower()}",
                    tr("Take {one}", one=one),
                    _DECIDE,
                    partial(press, one),
                    one,
                )
                for one in _LETTERS
            ),
            Command("adjudication.own", tr("Own value"), _DECIDE, partial(press, "O"), "O"),
            Command("adjudication.accept", tr("Accept the edit"), _DECIDE, partial(press, "Y"), "Y"),
            Command("adjudication.decline", tr("Decline the edit"), _DECIDE, partial(press, "X"), "X"),
            Command("adjudication.merge", tr("Merge"), _DECIDE, columns.offer_merges, "U"),
            Command("adjudication.draw", tr("Draw an edge"), _DECIDE, columns.start_drawing, "G"),
            Command("adjudication.pair", tr("Compare other drawings"), _DECIDE, compare, "P"),
            Command(
                "adjudication.feedback",
                tr("Give feedback"),
                _DECIDE,
                lambda: judgments.go_to(detail.next_feedback),
                "T",
            ),
            Command(
                "adjudication.keep",
                tr("Keep a known defect"),
                _DECIDE,
                partial(judgments.go_to, detail.reason),
                "W",
            ),
            Command("adjudication.open", tr("Next open field"), _DECIDE, self.next_open, "F8"),
            Command(
                "adjudication.filter", tr("Only differences"), _DECIDE, judgments.only_differing.toggle, "F"
            ),
            Command(
                "adjudication.note", tr("Write the note"), _DECIDE, partial(judgments.go_to, detail.note), "M"
            ),
            Command("adjudication.runs", tr("What every run did here"), _DECIDE, self._ask_task, "Alt+W"),
            Command("adjudication.undo", tr("Undo"), _DECIDE, undo, "Ctrl+Z"),
            Command("adjudication.redo", tr("Redo"), _DECIDE, redo, "Ctrl+Shift+Z", ("Ctrl+Y",)),
            Command("adjudication.find", tr("Find in the dialogue"), _DECIDE, find, "Ctrl+F"),
        ):
            # A choice goes on to the next field: a key that is held would decide what nobody has looked at.
            may_repeat = command.id in ("adjudication.undo", "adjudication.redo", "adjudication.open")
            self._commands.add(replace(command, is_done_once=not may_repeat), self)

    def _build(self) -> None:
        self._between = column((self.reveal, 1), (self.waiting, 1))
        self._work = column(self.case_bar, (self.columns, 1), self.bar)
        self._stack = stacked(self._between, self._work)
        vbox(self.banner, (self._stack, 1), within=self)

    def _note_changes(self, changes: Changes) -> None:
        if changes.case_ids or changes.has_new_cases or changes.has_people:
            self._read_waiting()

    def _read_waiting(self) -> None:
        if self.isVisible() and self.document is None:
            self.waiting.refresh()

    def _take(self, held: AssignmentRow | None) -> None:
        if held is None:
            self._operations.run(why_nothing, then=self.finished.emit)
        else:
            self.open_case(held.case_id)

    def _show(self, loaded: Loaded) -> None:
        adjudication = loaded.adjudication
        if adjudication.case_id != self._wanted:
            return
        restored = recall(loaded.opened, self._journal, work_key(self._operations, loaded.opened.assignment))
        saved = saved_decision(restored.body)
        document = DecisionDocument(
            adjudication, saved or adjudication.template, policy=loaded.policy, parent=self
        )
        self.document = document
        self._key = submission_key()
        self._is_under_way = False
        self._is_owner_asked = False
        self._saver = saver_of(document, loaded.opened, operations=self._operations, journal=self._journal)
        self._saver.state_changed.connect(lambda state: self.saved_changed.emit(state.line, state.tone))
        if restored.is_newer_here:
            save_decision(self._saver, document)
        self.banner.dismiss()
        self.case_bar.show_case(
            adjudication.case,
            why_words(adjudication),
            stage=adjudication.stage,
            round_=adjudication.round,
            is_blind=adjudication.is_owner_hidden,
            policy=loaded.policy,
        )
        self._stack.setCurrentWidget(self._work)
        self.columns.make_room(len(adjudication.sides))
        self.columns.set_document(document)
        self.setFocusProxy(self.columns)
        self.columns.setFocus(Qt.FocusReason.OtherFocusReason)
        connect(
            (document.changed, self._refresh),
            # A change is told before the stack has it: after the first one undo would stay blocked.
            (document.stack.indexChanged, self._refresh),
            (document.refused, lambda error: self.bar.tell(in_language(str(error)))),
            (document.undo_changed, self._tell_undo),
        )
        self._tell_undo("")
        self._refresh()
        asked, project = adjudication.handed_to, self._operations.project
        opened = []
        if asked is not None and project is not None and project.person and asked != project.person.name:
            opened.append(tr("This case was handed to {asked}; you have taken it over.", asked=asked))
        if restored.is_warning and restored.words:
            opened.append(restored.words)
        elif saved is not None:
            opened.append(tr("Your unfinished decision was restored."))
        self._opened_words = " ".join(opened)
        if opened:
            self.bar.tell(self._opened_words)

    def _refresh(self) -> None:
        document = self.document
        self._commands.block_each("adjudication", _reasons_against(document))
        if document is not None:
            self.case_bar.show_progress(progress_words(document.rows))
            self.bar.show_document(document)
            self._show_owner()
            self._ask_owner(document)

    def _ask_owner(self, document: DecisionDocument) -> None:
        """Ask once what the owner had said, as soon as everything about a dispute is decided.

        What was revealed stays so, whatever is decided afterwards.
        """
        is_settled = not document.left and document.result.error is None
        if self._is_owner_asked or not document.adjudication.is_owner_hidden or not is_settled:
            return
        self._is_owner_asked = True
        self._operations.run(
            partial(
                reveal_owner,
                assignment_id=document.adjudication.assignment_id,
                decision=document.decision,
            ),
            then=partial(self._take_owner, document),
            failed=partial(self._miss_owner, document),
            origin=self,
        )

    def _miss_owner(self, document: DecisionDocument, _: AnnotatorError) -> None:
        # Whatever is in the way is said when the decision is submitted; the next change asks again.
        if document is self.document:
            self._is_owner_asked = False

    def _take_owner(self, document: DecisionDocument, version: OwnerVersion) -> None:
        if document is not self.document:
            return
        self._owner = version
        self._show_owner()
        # A case with nothing to decide is shown with the owner's version at once: both are said.
        told = f"{self._opened_words} " if self._opened_words and self.bar.words == self._opened_words else ""
        self.bar.tell(
            tr(
                "{told}The owner's version is shown below the dialogue. T gives feedback, Ctrl+Enter "
                "finalises.",
                told=told,
            )
        )

    def _show_owner(self) -> None:
        """Hold what the owner said against what is decided now."""
        version = self._owner
        if self.document is None or version is None:
            return
        adjudication = self.document.adjudication
        lines = owner_lines(adjudication, self.document.decision, version.labels)
        self.columns.reasons.show_owner(adjudication, version.owner, lines=lines)

    def _decide(self, verdict: Verdict) -> None:
        """Settle the case as decided, return it to its owner, or throw it away; the note says why."""
        self.columns.dialogue.view.end_edit()
        document = self.document
        if document is None or self._is_under_way:
            return
        self._is_under_way = True
        decision = settled_decision(document.adjudication, document.decision, verdict)
        self._operations.run(
            partial(
                decide,
                assignment_id=document.adjudication.assignment_id,
                decision=decision,
                key=self._key,
            ),
            then=partial(self._decided, document.adjudication, decision),
            failed=self._fail,
            origin=self,
        )

    def _decided(self, adjudication: Adjudication, decision: Decision, decided: Decided) -> None:
        self._is_under_way = False
        self.banner.dismiss()
        if self._saver is not None:
            self._saver.seal()
        self.close_case()
        self.reveal.show_decided(adjudication, decision, decided)
        self._show_reveal()

    def _fail(self, error: AnnotatorError) -> None:
        self._is_under_way = False
        self.banner.show_error(error)

    def _fail_to_open(self, error: AnnotatorError) -> None:
        wanted, self._wanted = self._wanted, ""
        self.reveal.show_nothing()
        self._show_reveal()
        if wanted and isinstance(error, ForbiddenError):
            self.reading_requested.emit(wanted, error)
        else:
            self.banner.show_error(error)

    def _show_reveal(self) -> None:
        self._refresh()
        self._stack.setCurrentWidget(self._between)
        self._read_waiting()
        self.setFocusProxy(self.reveal.next)
        self.reveal.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _tell_undo(self, text: str) -> None:
        shown = shown_keys(self._commands.keys("adjudication.undo"))
        self.undo_changed.emit(tr("{shown} undoes: {title}", shown=shown, title=text) if text else "")


def _reasons_against(document: DecisionDocument | None) -> Mapping[str, str]:
    """Say of each command why it is not possible; empty where it is."""
    if document is None:
        of_a_case = ("finalise", "return", "reject", "undo", "redo", "draw", "feedback", *_LETTERS.lower())
        return {
            **dict.fromkeys(of_a_case, tr("No case is open; N takes the next one.")),
            "next": "",
            "merge": tr("No reviewer judged this case."),
            "pair": tr("There are no other two drawings to compare."),
        }
    letters = [side.letter for side in document.adjudication.sides]
    needs_note = (
        "" if document.decision.note.strip() else tr("Write a note first (M) that says what is wrong.")
    )
    return {
        **{
            one.lower(): "" if one in letters else tr("There is no reviewer {letter}.", letter=one)
            for one in _LETTERS
        },
        "next": tr("Settle this case first, or open another one."),
        "merge": "" if letters else tr("No reviewer judged this case."),
        "pair": "" if len(letters) > 2 else tr("There are no other two drawings to compare."),
        "draw": "",
        "feedback": "",
        "finalise": tr("{left_count} left to decide; F8 goes to the next.", left_count=len(document.left))
        if document.left
        else document.result.problem,
        "return": needs_note,
        "reject": needs_note,
        "undo": "" if document.stack.canUndo() else tr("There is nothing to undo."),
        "redo": "" if document.stack.canRedo() else tr("There is nothing to redo."),
    }
