"""Layer by layer: the next task of a generated dialogue, proposed role by role below the columns."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.settings import AssistSettings
from scoring.model.case import Case
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme.words import POLICY
from ui.workbench.assist import NO_ENDPOINT, OPEN_FIRST, SECTION, Inquiry, Offer, Question
from ui.workbench.open_work import OpenWork

if TYPE_CHECKING:
    from annotator.generation.records import Exchange
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.review.next_task import NextTask

_NEXT_TASK = "workbench.next-task"


class NextTaskProposals(QObject):
    """Has the next task of a generated dialogue made role by role, for whoever sees the whole case.

    The arguments are those of `Assist`.
    """

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
        super().__init__(page)
        self._question = Question(
            "next-task",
            "Making the next task",
            operations,
            preferences,
            open_work=open_work,
            panels=panels,
            page=page,
            inquire=self._inquiry,
            show=self._show,
        )
        self.panel = self._question.panel
        self._commands = commands
        self._is_another = False
        self._told.connect(self._show_said)
        commands.add(Command(_NEXT_TASK, "Make the next task", SECTION, self.propose, "Alt+N"), page)
        preferences.changed.connect(self._refresh)
        open_work.opened.connect(self._start_anew)
        open_work.closed.connect(self._start_anew)
        self._refresh()

    def propose(self) -> None:
        """Let the roles make the next task; the first time at a host, ask the person first."""
        if self._question.open_work.document is not None:
            self._question.begin(self._question.open_work.document)

    def _inquiry(self, document: CaseDocument) -> Inquiry:
        settings = self._question.preferences.settings.assist
        ask = partial(
            _propose_next,
            case=document.case,
            settings=settings,
            listen=partial(self._told.emit, document),
            is_another=self._is_another,
        )
        return f"{settings.model} plays the five roles …", ask

    def _show_said(self, document: CaseDocument, line: str) -> None:
        if self._question.is_asked(document):
            self.panel.add_line(line)

    def _show(self, document: CaseDocument, proposal: "NextTask") -> Offer:
        from annotator.review.next_task import record_decision, task_lines, with_next_task

        policy = proposal.task.policy
        kind = f", {POLICY[policy].lower()}" if policy is not None else ""
        about = f"made by {proposal.model}{kind}; accepting adds it to the end as a machine's work"
        self.panel.show_proposal(f"Proposed task {proposal.number + 1}", about, *task_lines(proposal.task))
        return Offer(
            "accept the proposed task",
            partial(with_next_task, proposal=proposal),
            partial(record_decision, proposal=proposal),
            partial(self._end, document, proposal.number),
        )

    def _end(self, document: CaseDocument, number: int, is_accepted: bool) -> None:
        self._is_another = not is_accepted
        if is_accepted:
            document.select(number)

    def _start_anew(self) -> None:
        self._is_another = False
        if self._question.open_work.document is not None:
            self._question.open_work.document.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self._commands.block(_NEXT_TASK, self._why_not())

    def _why_not(self) -> str:
        document = self._question.open_work.document
        if document is None:
            return OPEN_FIRST
        from annotator.review.next_task import why_no_next

        reason = why_no_next(document.case, document.judgment, stage=document.stage)
        return reason or ("" if self._question.preferences.settings.assist.is_on else NO_ENDPOINT)


def _propose_next(
    context: "JobContext",
    workspace: "Workspace",
    *,
    case: Case,
    settings: AssistSettings,
    listen: Callable[[str], None],
    is_another: bool,
) -> "NextTask":
    from annotator.review.next_task import exchange_line, propose_next

    def tell(exchange: "Exchange") -> None:
        listen(exchange_line(exchange))

    return propose_next(
        workspace, case, settings=settings, context=context, listen=tell, is_another=is_another
    )
