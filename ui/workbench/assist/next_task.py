"""Layer by layer: the next task of a generated dialogue, proposed role by role below the columns."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.settings import AssistSettings
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme.words import POLICY
from ui.workbench.assist.question import NO_ENDPOINT, OPEN_FIRST, Question
from ui.workbench.assist_panel import AssistPanel
from ui.workbench.open_work import OpenWork

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotator.generation.records import Exchange
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.review.next_task import NextTask
    from scoring.model.case import Case

_COMMAND = "workbench.next-task"


class NextTaskProposals(Question):
    """Has the next task made, for whoever sees the whole case."""

    title = "Making the next task"
    _told = Signal(object, str)
    """(the document, what a role said), from the thread of the job."""

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
        panel = AssistPanel("next-task")
        super().__init__(panel, operations, preferences, open_work=open_work, panels=panels, page=page)
        self._commands = commands
        self._is_another = False
        self._told.connect(self._show_said)
        commands.add(
            Command(_COMMAND, "Make the next task", "Proposals of a model", self.propose, "Alt+N"), page
        )
        self._refresh()

    def propose(self) -> None:
        """Let the roles make the next task; the first time at a host, ask the person first."""
        if self._open_work.document is not None:
            self.begin(self._open_work.document)

    def _question(self, document: CaseDocument) -> "tuple[str, Callable[[JobContext, Workspace], object]]":
        ask = partial(
            _propose,
            case=document.case,
            settings=self._settings,
            listen=partial(self._told.emit, document),
            is_another=self._is_another,
        )
        return f"{self._settings.model} plays the five roles …", ask

    def _show_said(self, document: CaseDocument, line: str) -> None:
        if document is self._about and self._job is not None:
            self.panel.add_line(line)

    def _show_proposal(self, document: CaseDocument, proposal: "NextTask") -> None:
        from annotator.review.next_task import task_lines

        self._proposal = proposal
        policy = proposal.task.policy
        kind = f", {POLICY[policy].lower()}" if policy is not None else ""
        about = f"made by {proposal.model}{kind}; accepting adds it to the end as a machine's work"
        self.panel.show_proposal(f"Proposed task {proposal.number + 1}", about, *task_lines(proposal.task))

    def _applied(self, case: "Case", proposal: "NextTask") -> "Case":
        from annotator.review.next_task import with_next_task

        return with_next_task(case, proposal)

    def _undo_words(self, proposal: "NextTask") -> str:
        return "accept the proposed task"

    def _record(self, proposal: "NextTask", *, accepted: bool) -> "Callable[[Workspace], object]":
        return partial(_keep_decision, proposal=proposal, accepted=accepted)

    def _note_applied(self, document: CaseDocument, proposal: "NextTask") -> None:
        document.select(proposal.number)
        self._is_another = False

    def _note_declined(self) -> None:
        self._is_another = True

    def _start_anew(self) -> None:
        self._is_another = False
        document = self._open_work.document
        if document is not None:
            document.changed.connect(self._refresh)
        super()._start_anew()

    def _refresh(self) -> None:
        self._commands.block(_COMMAND, self._why_not())

    def _why_not(self) -> str:
        document = self._open_work.document
        if document is None:
            return OPEN_FIRST
        from annotator.review.next_task import why_no_next

        reason = why_no_next(document.case, document.judgment, stage=document.stage)
        return reason or ("" if self._settings.is_on else NO_ENDPOINT)


def _propose(
    context: "JobContext",
    workspace: "Workspace",
    *,
    case: "Case",
    settings: AssistSettings,
    listen: "partial[None]",
    is_another: bool,
) -> "NextTask":
    from annotator.review.next_task import exchange_line, propose_next

    def tell(exchange: "Exchange") -> None:
        listen(exchange_line(exchange))

    return propose_next(
        workspace, case, settings=settings, context=context, listen=tell, is_another=is_another
    )


def _keep_decision(workspace: "Workspace", *, proposal: "NextTask", accepted: bool) -> object:
    from annotator.review.next_task import record_decision

    return record_decision(workspace, proposal, accepted=accepted)
