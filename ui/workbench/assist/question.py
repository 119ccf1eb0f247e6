"""A question to a model: asked with consent, shown below the columns, accepted or declined by a person."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.settings import AssistSettings
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.workbench.assist_panel import AssistPanel
from ui.workbench.open_work import OpenWork

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from ui.services.jobs import WindowJob

NO_ENDPOINT = "No endpoint is named for proposals; “Endpoint for proposals” does that."
OPEN_FIRST = "No case is open; N takes the next one."


class Question(QObject):
    """Owns a panel and the question under way; one at a time. Subclasses say what is asked.

    Args:
        panel: Shows the question, the wait and the proposal.
        operations: The way to the project; questions are jobs.
        preferences: Has the endpoint, and the host the person agreed to.
        open_work: Has the document.
        panels: Gets the focus back.
        page: Owns the question.
    """

    title: str
    """What the job is called."""

    def __init__(
        self,
        panel: AssistPanel,
        operations: Operations,
        preferences: Preferences,
        *,
        open_work: OpenWork,
        panels: CasePanels,
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self.panel = panel
        self._operations = operations
        self._preferences = preferences
        self._open_work = open_work
        self._panels = panels
        self._job: WindowJob | None = None
        self._about: CaseDocument | None = None
        self._proposal: Any = None
        self._waits_for_consent = False
        panel.accepted.connect(self._say_yes)
        panel.declined.connect(self._say_no)
        preferences.changed.connect(self._refresh)
        open_work.opened.connect(self._start_anew)
        open_work.closed.connect(self._start_anew)

    # what a subclass says

    def _question(self, document: CaseDocument) -> "tuple[str, Callable[[JobContext, Workspace], object]]":
        """What is shown meanwhile, and the job that asks."""
        raise NotImplementedError

    def _show_proposal(self, document: CaseDocument, proposal: Any) -> None:
        """Show what was proposed; `_proposal` is set where it can be accepted."""
        raise NotImplementedError

    def _applied(self, case: Case, proposal: Any) -> Case:
        """The case with the proposal in it.

        Raises:
            AnnotatorError: It does not fit the case.
        """
        raise NotImplementedError

    def _undo_words(self, proposal: Any) -> str:
        raise NotImplementedError

    def _record(self, proposal: Any, *, accepted: bool) -> "Callable[[Workspace], object]":
        """Writes down that a person accepted or declined a proposal."""
        raise NotImplementedError

    def _note_applied(self, document: CaseDocument, proposal: Any) -> None:
        """The proposal is in the case now."""

    def _note_declined(self) -> None:
        """The proposal was declined."""

    def _refresh(self) -> None:
        raise NotImplementedError

    # the question

    @property
    def _settings(self) -> AssistSettings:
        return self._preferences.settings.assist

    def begin(self, document: CaseDocument) -> None:
        """Ask; the first time at a host, ask the person first."""
        self._panels.end_edit()
        self._leave_question()
        self._about = document
        if self._settings.agreed_host == host_of(self._settings.base_url):
            self._ask()
        else:
            self._waits_for_consent = True
            self.panel.show_question(*sent_words(self._settings), yes="Send", no="Not now")
        self.panel.setFocus()

    def _ask(self) -> None:
        document = self._about
        if document is None:
            return
        words, ask = self._question(document)
        self.panel.show_waiting(words)
        self._job = self._operations.start_job(
            ask,
            self.title,
            then=partial(self._show, document),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _show(self, document: CaseDocument, proposal: object) -> None:
        self._job = None
        if document is self._about:
            self._show_proposal(document, proposal)

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

    def _accept(self, proposal: object) -> None:
        document = self._about
        if document is None:
            return
        self._proposal = None
        try:
            self._applied(document.case, proposal)
        except AnnotatorError as error:
            self.panel.show_error(error)
            return
        # On the record first: what is accepted without a trace could not be told from what a person wrote.
        self._operations.run(
            self._record(proposal, accepted=True),
            then=partial(self._apply, document, proposal),
            failed=partial(self._show_error, document),
            origin=self,
        )

    def _apply(self, document: CaseDocument, proposal: object, _: object) -> None:
        if document is not self._about:
            return
        self._close()
        if document.edit_case(self._undo_words(proposal), partial(self._applied, proposal=proposal)):
            self._note_applied(document, proposal)

    def _say_no(self) -> None:
        if self._proposal is not None:
            self._operations.run(self._record(self._proposal, accepted=False), origin=self)
            self._note_declined()
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
