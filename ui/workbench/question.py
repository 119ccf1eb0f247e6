"""One question to a model with its panel: asked with consent, accepted or declined by a person."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.settings import AssistSettings
from scoring.errors import AnnotatorError
from scoring.texts import tr
from ui.desk.document import CaseDocument
from ui.desk.model_actions import ShownProposal
from ui.desk.panels import CasePanels
from ui.services.calls import WorkspaceJob
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme.layouts import connect
from ui.workbench.assist_panel import AssistPanel
from ui.workbench.open_work import OpenWork

Inquiry = tuple[str, WorkspaceJob]
"""What is asked of a model: the words shown meanwhile, and the job that asks."""


class ModelQuestion(QObject):
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
        show: What of a proposal for a document is shown and can be accepted; None where nothing can, which
            it says in the panel.
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
        show: Callable[[CaseDocument, Any], ShownProposal | None],
    ) -> None:
        super().__init__(page)
        self.panel = AssistPanel(name)
        self.was_declined = False
        """Whether the last proposal about the open case was declined."""
        self._title = title
        self._operations = operations
        self._preferences = preferences
        self._panels = panels
        self._inquire = inquire
        self._show = show
        self._job: WindowJob | None = None
        self._about: CaseDocument | None = None
        self._offer: ShownProposal | None = None
        self._waits_for_consent = False
        connect(
            (self.panel.accepted, self._say_yes),
            (self.panel.declined, self._say_no),
            (open_work.opened, self._leave),
            (open_work.closed, self._leave),
        )

    def begin(self, document: CaseDocument) -> None:
        """Ask; the first time at a host, ask the person first."""
        self._panels.dialogue.view.end_edit()
        self._forget()
        self._about = document
        settings = self._preferences.settings.assist
        if settings.agreed_host == host_of(settings.base_url):
            self._ask()
        else:
            self._waits_for_consent = True
            self.panel.show_question(*sent_words(settings), yes=tr("Send"), no=tr("Not now"))
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
            offer = self._offer = self._show(document, proposal)
            if offer is not None:
                self.panel.show_proposal(offer.title, offer.about, *offer.lines, texts=offer.texts)

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
            settings = self._preferences.settings.assist
            self._preferences.change(
                assist=settings.model_copy(update={"agreed_host": host_of(settings.base_url)}).model_dump()
            )
        self._ask()

    def _accept(self, document: CaseDocument, offer: ShownProposal) -> None:
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

    def _apply(self, document: CaseDocument, offer: ShownProposal, _: object) -> None:
        if document is self._about:
            self._close()
            if document.edit_case(offer.undo_words, offer.applied) and offer.new_task is not None:
                document.select(offer.new_task)

    def _say_no(self) -> None:
        offer = self._offer
        self._close()
        if offer is not None:
            self._operations.run(partial(offer.record, accepted=False), origin=self)
            self.was_declined = True

    def _close(self) -> None:
        had_focus = self.panel.has_focus_inside
        self._leave()
        if had_focus:
            self._panels.setFocus()

    def _leave(self) -> None:
        self._forget()
        self.was_declined = False
        self.panel.hide()

    def _forget(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job, self._offer, self._about, self._waits_for_consent = None, None, None, False


def sent_words(settings: AssistSettings) -> tuple[str, str]:
    """What is asked before the first time at a host, and what goes there."""
    host = host_of(settings.base_url)
    return (
        tr("Send this dialogue to {host}?", host=host),
        tr(
            "To ask {model}, the dialogue up to this task goes to {host}: what user and agent said, "
            "the calls and what they brought back, and what the tools are for. Labels, dependencies, "
            "comments and names of people are not sent. You are asked once for each host.",
            model=settings.model,
            host=host,
        ),
    )


def host_of(base_url: str) -> str:
    """Name and port of an address, as it may be shown."""
    return base_url.partition("//")[2].partition("/")[0].rpartition("@")[2].lower()
