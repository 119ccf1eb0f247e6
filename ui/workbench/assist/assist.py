"""Asking a model for proposals from the workbench: off until an endpoint is named, never without a person."""

from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QWidget

from annotator.settings import AssistSettings
from scoring.model.case import Call, Case
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.workbench.assist.question import NO_ENDPOINT, OPEN_FIRST, Question, host_of
from ui.workbench.assist_panel import AssistPanel
from ui.workbench.open_work import OpenWork

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotator.cases.assist.assistant import Proposal
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

Kind = Literal["wording", "edges", "labels", "answer"]

_TITLE = "Propose an answer, a wording or dependencies"


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


class Assist(Question):
    """Asks for wordings, labels, dependencies and answers of the open case."""

    title = "Asking a model"

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
        super().__init__(
            AssistPanel(), operations, preferences, open_work=open_work, panels=panels, page=page
        )
        self._commands = commands
        self._kind: Kind = "wording"
        for id_, title, run, keys in (
            ("assist", _TITLE, self.propose_fitting, "Ctrl+J"),
            ("assist-labels", "Propose labels", partial(self.propose, "labels"), "Ctrl+Shift+J"),
        ):
            commands.add(Command(f"workbench.{id_}", title, "Proposals of a model", run, keys), page)
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
        if self._settings.is_on:
            self._kind = kind
            self.begin(document)
        elif kind == "answer":
            self._show_outline(document)
        else:
            self._commands.refused.emit(_TITLE, NO_ENDPOINT)

    def _waits_for_answer(self, document: CaseDocument) -> bool:
        """Whether the answer of the selected task is missing, and something came back to write it from."""
        from annotator.cases.assist.answer_drafts import answer_outline, answer_text

        task = document.selection.task
        return not answer_text(document.case, task).strip() and bool(answer_outline(document.case, task))

    def _show_outline(self, document: CaseDocument) -> None:
        from annotator.cases.assist.answer_drafts import answer_outline
        from ui.workbench.assist_panel import outline_words

        task = document.selection.task
        lines = outline_words(answer_outline(document.case, task))
        self.panel.show_nothing("Write the answer from this", f"task {task + 1}", *lines)

    # what the question is

    def _question(self, document: CaseDocument) -> "tuple[str, Callable[[JobContext, Workspace], object]]":
        ask = partial(
            propose,
            settings=self._settings,
            kind=self._kind,
            case=document.case,
            task=document.selection.task,
            step=document.selection.step,
        )
        return f"Asking {self._settings.model} at {host_of(self._settings.base_url)} …", ask

    def _show_proposal(self, document: CaseDocument, proposal: "Proposal") -> None:
        from annotator.cases.assist.assist_replies import Wording
        from ui.workbench.assist_panel import lines_of, nothing_of, title_of

        what = proposal.what
        about = f"{proposal.model} at {proposal.host}, task {what.task + 1}"
        if what.is_empty:
            self.panel.show_nothing(nothing_of(what), about, *lines_of(what, document.case))
            return
        self._proposal = proposal
        texts = (what.before, what.after) if isinstance(what, Wording) else None
        self.panel.show_proposal(title_of(what), about, *lines_of(what, document.case), texts=texts)

    def _applied(self, case: Case, proposal: "Proposal") -> Case:
        from annotator.cases.assist.assistant import applied

        return applied(case, proposal.what)

    def _undo_words(self, proposal: "Proposal") -> str:
        from ui.workbench.assist_panel import undo_words

        return undo_words(proposal.what)

    def _record(self, proposal: "Proposal", *, accepted: bool) -> "Callable[[Workspace], object]":
        return partial(keep_decision, proposal=proposal, accepted=accepted)

    def _refresh(self) -> None:
        reason = "" if self._settings.is_on else NO_ENDPOINT
        if not reason and self._open_work.document is None:
            reason = OPEN_FIRST
        # An answer to write has an outline without an endpoint too.
        is_closed = self._open_work.document is None
        self._commands.block("workbench.assist", reason if is_closed else "")
        self._commands.block("workbench.assist-labels", reason)
