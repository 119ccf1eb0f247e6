"""What the workbench asks of a model: wordings, labels, dependencies, answers, and a dialogue's next task."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.cases.assist.answer_drafts import OutlineLine, answer_outline, answer_text
from annotator.cases.assist.assist_replies import Rewording
from annotator.cases.assist.assistant import Proposal, ProposalKind, ProposalOrder, applied, record_decision
from annotator.generation.next_task import NextTask, record_task_decision, with_next_task
from annotator.generation.records import Exchange
from annotator.review.next_task import exchange_line, propose_next, task_lines, why_no_next
from annotator.settings import AssistSettings
from scoring.model.case import Call
from scoring.wording import POLICY
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.workbench.assist_panel import lines_of, nothing_of, outline_words, title_of, undo_words
from ui.workbench.open_work import OpenWork
from ui.workbench.question import Inquiry, ModelQuestion, ShownProposal, host_of

_NO_ENDPOINT = "No endpoint is named for proposals; “Endpoint for proposals” does that."
_OPEN_FIRST = "No case is open; N takes the next one."
_TITLE = "Propose an answer, a wording or dependencies"
_SECTION = "Proposals of a model"


class Proposals(QObject):
    """Asks about the open case: `assist` what is said and drawn in it, `next_task` what could follow.

    Args:
        operations: The way to the project.
        commands: Takes the commands that ask.
        preferences: Has the endpoint.
        open_work: Has the document.
        panels: Gets the focus back.
        page: Where the commands are used.
    """

    _told = Signal(object, object)
    """(the document, the `Exchange` with a role about the next task), from the thread of the job."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        open_work: OpenWork,
        panels: CasePanels,
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._commands, self._preferences, self._open_work = commands, preferences, open_work
        question = partial(
            ModelQuestion,
            operations=operations,
            preferences=preferences,
            open_work=open_work,
            panels=panels,
            page=page,
        )
        self.assist = question("assist", "Asking a model", inquire=self._inquiry, show=self._show)
        self.next_task = question(
            "next-task", "Making the next task", inquire=self._next_inquiry, show=self._show_next
        )
        self._kind: ProposalKind = "wording"
        self._told.connect(self._show_said)
        for id_, title, run, keys in (
            ("assist", _TITLE, self.propose_fitting, "Ctrl+J"),
            ("assist-labels", "Propose labels", partial(self.propose, "labels"), "Ctrl+Shift+J"),
            ("next-task", "Make the next task", self.propose_next, "Alt+N"),
        ):
            commands.add(Command(f"workbench.{id_}", title, _SECTION, run, keys), page)
        for signal in (preferences.changed, open_work.opened, open_work.closed):
            signal.connect(self._refresh)
        open_work.opened.connect(self._follow_document)
        self._refresh()

    def propose_fitting(self) -> None:
        """Ask for what fits the selection: dependencies on a call, a missing answer, a wording on a text.

        Without an endpoint a missing answer has an outline of what the calls returned.
        """
        document = self._open_work.document
        if document is None:
            return
        task, step = document.selection.task, document.selection.step
        if step is not None and isinstance(document.case.tasks[task].steps[step], Call):
            self.propose("edges")
        elif _missing_answer(document):
            self.propose("answer")
        else:
            self.propose("wording")

    def propose(self, kind: ProposalKind) -> None:
        """Ask for something; the first time at a host, ask the person first."""
        document = self._open_work.document
        if document is None:
            return
        if self._settings.is_on:
            self._kind = kind
            self.assist.begin(document)
        elif kind == "answer":
            lines = outline_words(_missing_answer(document))
            about = f"task {document.selection.task + 1}"
            self.assist.panel.show_nothing("Write the answer from this", about, *lines)
        else:
            self._commands.refused.emit(_TITLE, _NO_ENDPOINT)

    def propose_next(self) -> None:
        """Let the roles make the next task; the first time at a host, ask the person first."""
        if self._open_work.document is not None:
            self.next_task.begin(self._open_work.document)

    def decline_shown(self) -> bool:
        """Decline what the first panel says, as Escape does; tells whether one was shown."""
        for panel in (self.assist.panel, self.next_task.panel):
            if not panel.isHidden():
                panel.declined.emit()
                return True
        return False

    @property
    def _settings(self) -> AssistSettings:
        return self._preferences.settings.assist

    def _inquiry(self, document: CaseDocument) -> Inquiry:
        settings, at = self._settings, document.selection
        order = ProposalOrder(
            settings=settings, kind=self._kind, case=document.case, task=at.task, step=at.step
        )
        return f"Asking {settings.model} at {host_of(settings.base_url)} …", order.carry_out

    def _show(self, document: CaseDocument, proposal: Proposal) -> ShownProposal | None:
        what = proposal.what
        about = f"{proposal.model} at {proposal.host}, task {what.task + 1}"
        if what.is_empty:
            self.assist.panel.show_nothing(nothing_of(what), about, *lines_of(what, document.case))
            return None
        texts = (what.before, what.after) if isinstance(what, Rewording) else None
        self.assist.panel.show_proposal(title_of(what), about, *lines_of(what, document.case), texts=texts)
        record = partial(record_decision, proposal=proposal)
        return ShownProposal(undo_words(what), partial(applied, what=what), record)

    def _next_inquiry(self, document: CaseDocument) -> Inquiry:
        ask = partial(
            propose_next,
            case=document.case,
            settings=self._settings,
            listen=partial(self._told.emit, document),
            is_another=self.next_task.was_declined,
        )
        return f"{self._settings.model} plays the five roles …", ask

    def _show_said(self, document: CaseDocument, exchange: Exchange) -> None:
        if self.next_task.is_asked(document):
            self.next_task.panel.add_line(exchange_line(exchange))

    def _show_next(self, _: CaseDocument, proposal: NextTask) -> ShownProposal:
        policy = proposal.task.policy
        kind = f", {POLICY[policy].lower()}" if policy is not None else ""
        about = f"made by {proposal.model}{kind}; accepting adds it to the end as a machine's work"
        title = f"Proposed task {proposal.number + 1}"
        self.next_task.panel.show_proposal(title, about, *task_lines(proposal.task))
        return ShownProposal(
            "accept the proposed task",
            partial(with_next_task, proposal=proposal),
            partial(record_task_decision, proposal=proposal),
            new_task=proposal.number,
        )

    # which of them are possible

    def _follow_document(self, _: object, document: CaseDocument) -> None:
        document.changed.connect(self._refresh)

    def _refresh(self) -> None:
        document = self._open_work.document
        closed = _OPEN_FIRST if document is None else ""
        reason = closed if self._settings.is_on else _NO_ENDPOINT
        # An answer to write has an outline without an endpoint too.
        self._commands.block("workbench.assist", reason if closed else "")
        self._commands.block("workbench.assist-labels", reason)
        if document is not None:
            reason = why_no_next(document.case, document.judgment, stage=document.stage) or reason
        self._commands.block("workbench.next-task", closed or reason)


def _missing_answer(document: CaseDocument) -> tuple[OutlineLine, ...]:
    """What came back to write the answer of the selected task from; nothing where it is written."""
    task = document.selection.task
    is_written = bool(answer_text(document.case, task).strip())
    return () if is_written else tuple(answer_outline(document.case, task))
