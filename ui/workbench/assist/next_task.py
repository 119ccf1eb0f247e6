"""Layer by layer: the next task of a generated dialogue, proposed role by role below the columns."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.settings import AssistSettings
from scoring.errors import AnnotatorError
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme.words import POLICY
from ui.workbench.assist.assist import NO_ENDPOINT, host_of, sent_words
from ui.workbench.assist.assist_panel import AssistPanel
from ui.workbench.open_work import OpenWork

if TYPE_CHECKING:
    from annotator.generation.records import Exchange
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.review.next_task import NextTask
    from scoring.model.case import Case
    from ui.services.jobs import WindowJob

_COMMAND = "workbench.next-task"


class NextTaskProposals(QObject):
    """Owns the panel and the task under way; one at a time, for whoever sees the whole case.

    Args:
        operations: The way to the project; making a task is a job.
        commands: Takes the command.
        preferences: Has the endpoint, and the host the person agreed to.
        open_work: Has the document.
        panels: Gets the focus back.
        page: What the command belongs to.
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
        self.panel = AssistPanel("next-task")
        self._operations = operations
        self._commands = commands
        self._preferences = preferences
        self._open_work = open_work
        self._panels = panels
        self._job: WindowJob | None = None
        self._about: CaseDocument | None = None
        self._proposal: NextTask | None = None
        self._is_another = False
        self._waits_for_consent = False
        self.panel.accepted.connect(self._say_yes)
        self.panel.declined.connect(self._say_no)
        self._told.connect(self._show_said)
        commands.add(
            Command(_COMMAND, "Make the next task", "Proposals of a model", self.propose, "Alt+N"), page
        )
        preferences.changed.connect(self._refresh)
        open_work.opened.connect(self._start_anew)
        open_work.closed.connect(self._start_anew)
        self._refresh()

    def propose(self) -> None:
        """Let the roles make the next task; the first time at a host, ask the person first."""
        document = self._open_work.document
        if document is None:
            return
        self._panels.end_edit()
        self._leave()
        self._about = document
        settings = self._settings
        host = host_of(settings.base_url)
        if settings.agreed_host == host:
            self._ask()
        else:
            self._waits_for_consent = True
            self.panel.show_question(*sent_words(settings), yes="Send", no="Not now")
        self.panel.setFocus()

    @property
    def _settings(self) -> AssistSettings:
        return self._preferences.settings.assist

    def _ask(self) -> None:
        document = self._about
        if document is None:
            return
        self.panel.show_waiting(f"{self._settings.model} plays the five roles …")
        self._job = self._operations.start_job(
            partial(
                _propose,
                case=document.case,
                settings=self._settings,
                listen=partial(self._told.emit, document),
                is_another=self._is_another,
            ),
            "Making the next task",
            then=partial(self._show, document),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _show_said(self, document: CaseDocument, line: str) -> None:
        if document is self._about and self._job is not None:
            self.panel.add_line(line)

    def _show(self, document: CaseDocument, proposal: "NextTask") -> None:
        from annotator.review.next_task import task_lines

        self._job = None
        if document is not self._about:
            return
        self._proposal = proposal
        policy = proposal.task.policy
        kind = f", {POLICY[policy].lower()}" if policy is not None else ""
        about = f"made by {proposal.model}{kind}; accepting adds it to the end as a machine's work"
        self.panel.show_proposal(f"Proposed task {proposal.number + 1}", about, *task_lines(proposal.task))

    def _show_error(self, document: CaseDocument, error: AnnotatorError) -> None:
        self._job = None
        if document is self._about:
            self._proposal = None
            self.panel.show_error(error)

    def _say_yes(self) -> None:
        if self._proposal is not None:
            self._accept(self._proposal)
            return
        if self._waits_for_consent:
            self._waits_for_consent = False
            agreed = self._settings.model_copy(update={"agreed_host": host_of(self._settings.base_url)})
            self._preferences.change(assist=agreed.model_dump())
        self._ask()

    def _accept(self, proposal: "NextTask") -> None:
        from annotator.review.next_task import with_next_task

        document = self._about
        if document is None:
            return
        self._proposal = None
        try:
            with_next_task(document.case, proposal)
        except AnnotatorError as error:
            self.panel.show_error(error)
            return
        # On the record first, as with every proposal of a model.
        self._operations.run(
            partial(_keep_decision, proposal=proposal, accepted=True),
            then=partial(self._apply, document, proposal),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _apply(self, document: CaseDocument, proposal: "NextTask", _: object) -> None:
        from annotator.review.next_task import with_next_task

        if document is not self._about:
            return
        self._close()
        if document.edit_case("accept the proposed task", partial(with_next_task, proposal=proposal)):
            document.select(proposal.number)
            self._is_another = False

    def _say_no(self) -> None:
        if self._proposal is not None:
            decision = partial(_keep_decision, proposal=self._proposal, accepted=False)
            self._operations.run(decision, origin=self)
            self._is_another = True
        self._close()

    def _leave(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job, self._proposal, self._about, self._waits_for_consent = None, None, None, False

    def _close(self) -> None:
        had_focus = self.panel.has_focus_inside
        self._leave()
        self.panel.hide()
        if had_focus:
            self._panels.setFocus()

    def _start_anew(self) -> None:
        self._leave()
        self._is_another = False
        self.panel.hide()
        document = self._open_work.document
        if document is not None:
            document.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self._commands.block(_COMMAND, self._why_not())

    def _why_not(self) -> str:
        document = self._open_work.document
        if document is None:
            return "No case is open; N takes the next one."
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
