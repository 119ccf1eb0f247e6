"""Asking a model for proposals from the workbench: off until an endpoint is named, never without a person."""

from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.settings import AssistSettings
from scoring.errors import AnnotatorError
from scoring.model.case import Call, Case
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.workbench.assist.assist_panel import AssistPanel
from ui.workbench.open_work import OpenWork

if TYPE_CHECKING:
    from annotator.cases.assist.assistant import Proposal
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from ui.services.jobs import WindowJob

Kind = Literal["wording", "edges", "labels", "answer"]

_ASK = "Asking a model"
_TITLE = "Propose an answer, a wording or dependencies"
NO_ENDPOINT = "No endpoint is named for proposals; “Endpoint for proposals” does that."
_OPEN_FIRST = "No case is open; N takes the next one."


def propose(
    context: "JobContext",
    _: "Workspace",
    *,
    settings: AssistSettings,
    kind: Kind,
    case: Case,
    task: int,
    step: int | None,
) -> "Proposal":
    """Ask the endpoint of the settings, as a job.

    Raises:
        AnnotatorError: It cannot be asked, or its reply is no proposal.
    """
    # Only whoever asks waits for the libraries that talk to models.
    from annotator.cases.assist import assistant
    from annotator.llm import ChatClient

    client = ChatClient(assistant.endpoint_of(settings), patience=assistant.PATIENCE)
    try:
        if kind == "wording":
            return assistant.suggest_wording(case, task, step=step, client=client, context=context)
        if kind == "answer":
            return assistant.suggest_answer(case, task, client=client, context=context)
        if kind == "edges":
            return assistant.suggest_edges(case, task, client=client, context=context)
        return assistant.suggest_labels(case, task, client=client, context=context)
    finally:
        client.close()


def keep_decision(workspace: "Workspace", *, proposal: "Proposal", accepted: bool) -> object:
    """Record that a person accepted or declined a proposal."""
    from annotator.cases.assist.assistant import record_decision

    return record_decision(workspace, proposal, accepted=accepted)


class Assist(QObject):
    """Owns the panel and the question under way; one at a time.

    Args:
        operations: The way to the project; questions are jobs.
        commands: Takes the commands.
        preferences: Has the endpoint, and the host the person agreed to.
        open_work: Has the document.
        editor: Gets the focus back.
        page: What the commands belong to.
    """

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
        self.panel = AssistPanel()
        self._operations = operations
        self._commands = commands
        self._preferences = preferences
        self._open_work = open_work
        self._panels = panels
        self._job: WindowJob | None = None
        self._kind: Kind = "wording"
        self._about: CaseDocument | None = None
        self._proposal: Proposal | None = None
        self._waits_for_consent = False
        self.panel.accepted.connect(self._say_yes)
        self.panel.declined.connect(self._say_no)
        for id_, title, run, keys in (
            ("assist", _TITLE, self.propose_fitting, "Ctrl+J"),
            ("assist-labels", "Propose labels", partial(self.propose, "labels"), "Ctrl+Shift+J"),
        ):
            commands.add(Command(f"workbench.{id_}", title, "Proposals of a model", run, keys), page)
        preferences.changed.connect(self._refresh)
        open_work.opened.connect(self._start_anew)
        open_work.closed.connect(self._start_anew)
        self._refresh()

    # what can be done

    def propose_fitting(self) -> None:
        """Ask for what fits the selection: dependencies on a call, a missing answer, a wording on a text.

        Without an endpoint a missing answer has an outline of what the calls returned.
        """
        document = self._open_work.document
        if document is None:
            return
        task, step = document.selection.task, document.selection.step
        steps = document.case.tasks[task].steps
        if step is not None and isinstance(steps[step], Call):
            self.propose("edges")
        elif self._waits_for_answer(document):
            self.propose("answer")
        else:
            self.propose("wording")

    def propose(self, kind: Kind) -> None:
        """Ask for something; the first time at a host, ask the person first."""
        document = self._open_work.document
        if document is None:
            return
        if not self._settings.is_on:
            if kind == "answer":
                self._show_outline(document)
            else:
                self._commands.refused.emit(_TITLE, NO_ENDPOINT)
            return
        self._panels.end_edit()
        self._leave_question()
        self._kind, self._about = kind, document
        host = host_of(self._settings.base_url)
        if self._settings.agreed_host == host:
            self._ask()
        else:
            self._waits_for_consent = True
            self.panel.show_question(*sent_words(self._settings), yes="Send", no="Not now")
        self.panel.setFocus()

    def _waits_for_answer(self, document: CaseDocument) -> bool:
        """Whether the answer of the selected task is missing, and something came back to write it from."""
        from annotator.cases.assist.answer_drafts import answer_outline, answer_text

        task = document.selection.task
        return not answer_text(document.case, task).strip() and bool(answer_outline(document.case, task))

    def _show_outline(self, document: CaseDocument) -> None:
        from annotator.cases.assist.answer_drafts import answer_outline
        from ui.workbench.assist.assist_panel import outline_words

        task = document.selection.task
        lines = outline_words(answer_outline(document.case, task))
        self.panel.show_nothing("Write the answer from this", f"task {task + 1}", *lines)

    # the question

    @property
    def _settings(self) -> AssistSettings:
        return self._preferences.settings.assist

    def _ask(self) -> None:
        document = self._about
        if document is None:
            return
        selection = document.selection
        self.panel.show_waiting(f"Asking {self._settings.model} at {host_of(self._settings.base_url)} …")
        self._job = self._operations.start_job(
            partial(
                propose,
                settings=self._settings,
                kind=self._kind,
                case=document.case,
                task=selection.task,
                step=selection.step,
            ),
            _ASK,
            then=partial(self._show, document),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _show(self, document: CaseDocument, proposal: "Proposal") -> None:
        from annotator.cases.assist.assist_replies import Wording
        from ui.workbench.assist.assist_panel import lines_of, nothing_of, title_of

        self._job = None
        if document is not self._about:
            return
        what = proposal.what
        about = f"{proposal.model} at {proposal.host}, task {what.task + 1}"
        if what.is_empty:
            self.panel.show_nothing(nothing_of(what), about, *lines_of(what, document.case))
            return
        self._proposal = proposal
        texts = (what.before, what.after) if isinstance(what, Wording) else None
        self.panel.show_proposal(title_of(what), about, *lines_of(what, document.case), texts=texts)

    def _show_error(self, document: CaseDocument, error: AnnotatorError) -> None:
        self._job = None
        if document is self._about:
            self._proposal = None
            self.panel.show_error(error)

    # the answer

    def _say_yes(self) -> None:
        if self._proposal is not None:
            self._accept(self._proposal)
            return
        if self._waits_for_consent:
            self._waits_for_consent = False
            agreed = self._settings.model_copy(update={"agreed_host": host_of(self._settings.base_url)})
            self._preferences.change(assist=agreed.model_dump())
        self._ask()

    def _accept(self, proposal: "Proposal") -> None:
        from annotator.cases.assist.assistant import applied

        document = self._about
        if document is None:
            return
        try:
            applied(document.case, proposal.what)
        except AnnotatorError as error:
            self._proposal = None
            self.panel.show_error(error)
            return
        self._proposal = None
        # On the record first: what is accepted without a trace could not be told from what a person wrote.
        self._operations.run(
            partial(keep_decision, proposal=proposal, accepted=True),
            then=partial(self._apply, document, proposal),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _apply(self, document: CaseDocument, proposal: "Proposal", _: object) -> None:
        from annotator.cases.assist.assistant import applied
        from ui.workbench.assist.assist_panel import undo_words

        if document is self._about:
            self._close()
            document.edit_case(undo_words(proposal.what), partial(applied, what=proposal.what))

    def _say_no(self) -> None:
        if self._proposal is not None:
            decision = partial(keep_decision, proposal=self._proposal, accepted=False)
            self._operations.run(decision, origin=self)
        self._close()

    def _leave_question(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job, self._proposal, self._about, self._waits_for_consent = None, None, None, False

    def _close(self) -> None:
        had_focus = self.panel.has_focus_inside
        self._leave_question()
        self.panel.hide()
        if had_focus:
            self._panels.setFocus()

    def _start_anew(self) -> None:
        self._leave_question()
        self.panel.hide()
        self._refresh()

    def _refresh(self) -> None:
        reason = "" if self._settings.is_on else NO_ENDPOINT
        if not reason and self._open_work.document is None:
            reason = _OPEN_FIRST
        # An answer to write has an outline without an endpoint too.
        is_closed = self._open_work.document is None
        self._commands.block("workbench.assist", reason if is_closed else "")
        self._commands.block("workbench.assist-labels", reason)


def sent_words(settings: AssistSettings) -> tuple[str, str]:
    """What is asked before the first time at a host, and what goes there."""
    host = host_of(settings.base_url)
    return (
        f"Send this dialogue to {host}?",
        f"To ask {settings.model}, the dialogue up to this task goes to {host}: what user and "
        "agent said, the calls and what they brought back, and what the tools are for. Labels, "
        "dependencies, comments and names of people are not sent. You are asked once for each host.",
    )


def host_of(base_url: str) -> str:
    """Name and port of an address, as it may be shown."""
    return base_url.partition("//")[2].partition("/")[0].rpartition("@")[2].lower()
