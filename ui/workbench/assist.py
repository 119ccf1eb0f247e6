"""Asking a model for proposals from the workbench: off until an endpoint is named, never without a person."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

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
from ui.workbench.assist_panel import AssistPanel, lines_of, nothing_of, outline_words, title_of, undo_words
from ui.workbench.open_work import OpenWork

if TYPE_CHECKING:
    from annotator.cases.assist.answer_drafts import OutlineLine
    from annotator.cases.assist.assistant import Proposal
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from ui.services.jobs import WindowJob

Kind = Literal["wording", "edges", "labels", "answer"]

NO_ENDPOINT = "No endpoint is named for proposals; “Endpoint for proposals” does that."
OPEN_FIRST = "No case is open; N takes the next one."
_TITLE = "Propose an answer, a wording or dependencies"
SECTION = "Proposals of a model"


Inquiry = tuple[str, "Callable[[JobContext, Workspace], object]"]
"""What is asked of a model: the words shown meanwhile, and the job that asks."""


def _do_nothing(_: bool) -> None:
    """Most proposals are done with then."""


@dataclass(frozen=True)
class Offer:
    """A proposal that is shown and can be accepted.

    Args:
        undo_words: What accepting it is called in the undo list.
        applied: Puts it into a case; an `AnnotatorError` says that it does not fit.
        record: Writes down that a person accepted or declined it.
        ended: Called with whether it is in the case now; false where it was declined.
    """

    undo_words: str
    applied: Callable[[Case], Case]
    record: Callable[..., object]
    ended: Callable[[bool], None] = _do_nothing


class Question(QObject):
    """A question to a model and its panel: asked with consent, accepted or declined; one at a time.

    Args:
        name: What the names of the panel's parts begin with.
        title: What the job is called.
        operations: The way to the project; questions are jobs.
        preferences: Has the endpoint, and the host the person agreed to.
        open_work: Says when another case is open.
        panels: Gets the focus back.
        page: Owns the question.
        inquire: What is asked about a document as it is now.
        show: Shows a proposal for a document in the panel; gives what can be accepted, if anything.
    """

    def __init__(
        self,
        name: str,
        title: str,
        operations: Operations,
        preferences: Preferences,
        *,
        open_work: OpenWork,
        panels: CasePanels,
        page: QWidget,
        inquire: Callable[[CaseDocument], Inquiry],
        show: Callable[[CaseDocument, Any], Offer | None],
    ) -> None:
        super().__init__(page)
        self.panel = AssistPanel(name)
        self._title = title
        self._operations = operations
        self.preferences, self.open_work = preferences, open_work
        self._panels = panels
        self._inquire = inquire
        self._show = show
        self._job: WindowJob | None = None
        self._about: CaseDocument | None = None
        self._offer: Offer | None = None
        self._waits_for_consent = False
        self.panel.accepted.connect(self._say_yes)
        self.panel.declined.connect(self._say_no)
        open_work.opened.connect(self._leave)
        open_work.closed.connect(self._leave)

    def begin(self, document: CaseDocument) -> None:
        """Ask; the first time at a host, ask the person first."""
        self._panels.dialogue.view.end_edit()
        self._forget()
        self._about = document
        settings = self.preferences.settings.assist
        if settings.agreed_host == host_of(settings.base_url):
            self._ask()
        else:
            self._waits_for_consent = True
            self.panel.show_question(*sent_words(settings), yes="Send", no="Not now")
        self.panel.setFocus()

    def is_asked(self, document: CaseDocument) -> bool:
        """Whether an answer about a document is waited for."""
        return document is self._about and self._job is not None

    def _ask(self) -> None:
        document = self._about
        if document is None:
            return
        words, ask = self._inquire(document)
        self.panel.show_waiting(words)
        self._job = self._operations.start_job(
            ask,
            self._title,
            then=partial(self._show_reply, document),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _show_reply(self, document: CaseDocument, proposal: object) -> None:
        self._job = None
        if document is self._about:
            self._offer = self._show(document, proposal)

    def _show_error(self, document: CaseDocument, error: AnnotatorError) -> None:
        self._job = None
        if document is self._about:
            self._offer = None
            self.panel.show_error(error)

    # the answer

    def _say_yes(self) -> None:
        if self._offer is not None and self._about is not None:
            self._accept(self._about, self._offer)
            return
        if self._waits_for_consent:
            self._waits_for_consent = False
            settings = self.preferences.settings.assist
            agreed = settings.model_copy(update={"agreed_host": host_of(settings.base_url)})
            self.preferences.change(assist=agreed.model_dump())
        self._ask()

    def _accept(self, document: CaseDocument, offer: Offer) -> None:
        self._offer = None
        try:
            offer.applied(document.case)
        except AnnotatorError as error:
            self.panel.show_error(error)
            return
        # On the record first: what is accepted without a trace could not be told from what a person wrote.
        self._operations.run(
            partial(offer.record, accepted=True),
            then=partial(self._apply, document, offer),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _apply(self, document: CaseDocument, offer: Offer, _: object) -> None:
        if document is self._about:
            self._close()
            if document.edit_case(offer.undo_words, offer.applied):
                offer.ended(True)

    def _say_no(self) -> None:
        if self._offer is not None:
            self._operations.run(partial(self._offer.record, accepted=False), origin=self)
            self._offer.ended(False)
        self._close()

    def _close(self) -> None:
        had_focus = self.panel.has_focus_inside
        self._leave()
        if had_focus:
            self._panels.setFocus()

    def _leave(self) -> None:
        self._forget()
        self.panel.hide()

    def _forget(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job, self._offer, self._about, self._waits_for_consent = None, None, None, False


class Assist(QObject):
    """Asks for wordings, labels, dependencies and answers of the open case.

    Args:
        operations: The way to the project.
        commands: Takes the commands that ask.
        preferences: Has the endpoint.
        open_work: Has the document.
        panels: Gets the focus back.
        page: Where the commands are used.
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
        self._question = Question(
            "assist",
            "Asking a model",
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
        self._kind: Kind = "wording"
        for id_, title, run, keys in (
            ("assist", _TITLE, self.propose_fitting, "Ctrl+J"),
            ("assist-labels", "Propose labels", partial(self.propose, "labels"), "Ctrl+Shift+J"),
        ):
            commands.add(Command(f"workbench.{id_}", title, SECTION, run, keys), page)
        for signal in (preferences.changed, open_work.opened, open_work.closed):
            signal.connect(self._refresh)
        self._refresh()

    def propose_fitting(self) -> None:
        """Ask for what fits the selection: dependencies on a call, a missing answer, a wording on a text.

        Without an endpoint a missing answer has an outline of what the calls returned.
        """
        document = self._question.open_work.document
        if document is None:
            return
        task, step = document.selection.task, document.selection.step
        if step is not None and isinstance(document.case.tasks[task].steps[step], Call):
            self.propose("edges")
        elif _missing_answer(document):
            self.propose("answer")
        else:
            self.propose("wording")

    def propose(self, kind: Kind) -> None:
        """Ask for something; the first time at a host, ask the person first."""
        document = self._question.open_work.document
        if document is None:
            return
        if self._question.preferences.settings.assist.is_on:
            self._kind = kind
            self._question.begin(document)
        elif kind == "answer":
            lines = outline_words(_missing_answer(document))
            self.panel.show_nothing(
                "Write the answer from this", f"task {document.selection.task + 1}", *lines
            )
        else:
            self._commands.refused.emit(_TITLE, NO_ENDPOINT)

    def _inquiry(self, document: CaseDocument) -> Inquiry:
        settings, at = self._question.preferences.settings.assist, document.selection
        ask = partial(
            _propose, settings=settings, kind=self._kind, case=document.case, task=at.task, step=at.step
        )
        return f"Asking {settings.model} at {host_of(settings.base_url)} …", ask

    def _show(self, document: CaseDocument, proposal: "Proposal") -> Offer | None:
        from annotator.cases.assist.assist_replies import Wording
        from annotator.cases.assist.assistant import applied, record_decision

        what = proposal.what
        about = f"{proposal.model} at {proposal.host}, task {what.task + 1}"
        if what.is_empty:
            self.panel.show_nothing(nothing_of(what), about, *lines_of(what, document.case))
            return None
        texts = (what.before, what.after) if isinstance(what, Wording) else None
        self.panel.show_proposal(title_of(what), about, *lines_of(what, document.case), texts=texts)
        record = partial(record_decision, proposal=proposal)
        return Offer(undo_words(what), partial(applied, what=what), record)

    def _refresh(self) -> None:
        closed = OPEN_FIRST if self._question.open_work.document is None else ""
        reason = closed if self._question.preferences.settings.assist.is_on else NO_ENDPOINT
        # An answer to write has an outline without an endpoint too.
        self._commands.block("workbench.assist", reason if closed else "")
        self._commands.block("workbench.assist-labels", reason)


def _missing_answer(document: CaseDocument) -> "tuple[OutlineLine, ...]":
    """What came back to write the answer of the selected task from; nothing where it is written."""
    from annotator.cases.assist.answer_drafts import answer_outline, answer_text

    task = document.selection.task
    is_written = bool(answer_text(document.case, task).strip())
    return () if is_written else tuple(answer_outline(document.case, task))


def _propose(
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
        suggest = {
            "answer": assistant.suggest_answer,
            "edges": assistant.suggest_edges,
            "labels": assistant.suggest_labels,
        }[kind]
        return suggest(case, task, client=client, context=context)
    finally:
        client.close()


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
