"""What the workbench asks of a model: wordings, labels, dependencies, answers, and what parts let it make."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.cases.assist.answer_drafts import OutlineLine, answer_outline, answer_text
from annotator.cases.assist.assist_replies import Rewording
from annotator.cases.assist.assistant import Proposal, ProposalKind, ProposalOrder, applied, record_decision
from annotator.settings import AssistSettings
from scoring.model.case import Call, Case
from scoring.texts import tr
from ui.desk.document import CaseDocument
from ui.desk.model_actions import ModelAction, ShownProposal
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme.layouts import connect
from ui.workbench.assist_panel import AssistPanel, lines_of, nothing_of, outline_words, title_of, undo_words
from ui.workbench.open_work import OpenWork
from ui.workbench.question import Inquiry, ModelQuestion, host_of

_NO_ENDPOINT = tr("No endpoint is named for proposals; “Endpoint for proposals” does that.")
_TITLE = tr("Propose an answer, a wording or dependencies")
_SECTION = tr("Proposals of a model")


class Proposals(QObject):
    """Asks about the open case: `assist` what is said and drawn in it, `made` what an action makes for it.

    Args:
        operations: The way to the project.
        commands: Takes the commands that ask.
        preferences: Has the endpoint.
        open_work: Has the document.
        panels: Gets the focus back.
        actions: What parts let a model make.
        page: Where the commands are used.
    """

    _told = Signal(object, object, object)
    """(the action, the document, a step of the action), from the thread of the job."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        open_work: OpenWork,
        panels: CasePanels,
        actions: Sequence[ModelAction],
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._actions = actions
        self._commands, self._preferences, self._open_work = commands, preferences, open_work
        question = partial(
            ModelQuestion,
            operations=operations,
            preferences=preferences,
            open_work=open_work,
            panels=panels,
            page=page,
        )
        self.assist = question("assist", tr("Asking a model"), inquire=self._inquiry, show=self._show)
        self.made = {
            one.name: question(
                one.name, one.job, inquire=partial(self._inquiry_of, one), show=partial(_shown, one)
            )
            for one in actions
        }
        self._kind: ProposalKind = "wording"
        self._asked_about: Case | None = None
        commands.add_all(
            page,
            Command("workbench.assist", _TITLE, _SECTION, self.propose_fitting, "Ctrl+J"),
            Command(
                "workbench.assist-labels",
                tr("Propose labels"),
                _SECTION,
                partial(self.propose, "labels"),
                "Ctrl+Shift+J",
            ),
            Command(
                "workbench.assist-reviews",
                tr("Propose how the calls ended"),
                _SECTION,
                partial(self.propose, "reviews"),
                "Ctrl+Alt+J",
            ),
            *(
                Command(f"workbench.{one.name}", one.title, _SECTION, partial(self.make, one.name), one.keys)
                for one in actions
            ),
        )
        connect(
            (self._told, self._show_step),
            (preferences.changed, self._refresh),
            (open_work.opened, self._refresh),
            (open_work.closed, self._refresh),
            (open_work.opened, lambda _, document: document.changed.connect(self._refresh)),
        )
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
        else:
            self.propose("answer" if _missing_answer(document) else "wording")

    def propose(self, kind: ProposalKind) -> None:
        """Ask for something; the first time at a host, ask the person first."""
        document = self._open_work.document
        if document is None:
            return
        if self._settings.is_on:
            self._kind = kind
            self.assist.begin(document)
        elif kind == "answer":
            self.assist.panel.show_nothing(
                tr("Write the answer from this"),
                tr("task {task}", task=document.selection.task + 1),
                *outline_words(_missing_answer(document)),
            )
        else:
            self._commands.refused.emit(_TITLE, _NO_ENDPOINT)

    def make(self, name: str) -> None:
        """Let a model make what an action makes; the first time at a host, ask the person first."""
        if self._open_work.document is not None:
            self.made[name].begin(self._open_work.document)

    @property
    def panels(self) -> tuple[AssistPanel, ...]:
        """The panels of all questions, from the top."""
        return tuple(question.panel for question in (self.assist, *self.made.values()))

    def decline_shown(self) -> bool:
        """Decline what the first panel says, as Escape does; tells whether one was shown."""
        shown = next((panel for panel in self.panels if not panel.isHidden()), None)
        if shown is not None:
            shown.declined.emit()
        return shown is not None

    @property
    def _settings(self) -> AssistSettings:
        return self._preferences.settings.assist

    def _inquiry(self, document: CaseDocument) -> Inquiry:
        settings, at, case = self._settings, document.selection, document.case
        order = ProposalOrder(settings=settings, kind=self._kind, case=case, task=at.task, step=at.step)
        self._asked_about = case
        return tr(
            "Asking {model} at {host_of} …", model=settings.model, host_of=host_of(settings.base_url)
        ), order.carry_out

    def _show(self, document: CaseDocument, proposal: Proposal) -> ShownProposal | None:
        # As it was when the model was asked: a step it speaks of may be gone by now.
        what, asked = proposal.what, self._asked_about or document.case
        about = tr(
            "{model} at {host}, task {task}", model=proposal.model, host=proposal.host, task=what.task + 1
        )
        if what.is_empty:
            self.assist.panel.show_nothing(nothing_of(what), about, *lines_of(what, asked))
            return None
        return ShownProposal(
            title=title_of(what),
            about=about,
            lines=lines_of(what, asked),
            undo_words=undo_words(what),
            applied=partial(applied, what=what),
            record=partial(record_decision, proposal=proposal),
            texts=(what.before, what.after) if isinstance(what, Rewording) else None,
        )

    def _inquiry_of(self, action: ModelAction, document: CaseDocument) -> Inquiry:
        settings = self._settings
        return action.waiting(settings), partial(
            action.ask,
            case=document.case,
            settings=settings,
            listen=partial(self._told.emit, action, document),
            is_another=self.made[action.name].was_declined,
        )

    def _show_step(self, action: ModelAction, document: CaseDocument, step: object) -> None:
        question = self.made[action.name]
        if question.is_asked(document):
            question.panel.add_line(action.line(step))

    # which of them are possible

    def _refresh(self) -> None:
        document = self._open_work.document
        closed = tr("No case is open; N takes the next one.") if document is None else ""
        reason = closed if self._settings.is_on else _NO_ENDPOINT
        made = {
            action.name: (action.reason(document) if document is not None else closed) or reason
            for action in self._actions
        }
        # An answer to write has an outline without an endpoint too.
        own = {"assist": reason if closed else "", "assist-labels": reason, "assist-reviews": reason}
        self._commands.block_each("workbench", own | made)


def _missing_answer(document: CaseDocument) -> tuple[OutlineLine, ...]:
    """What came back to write the answer of the selected task from; nothing where it is written."""
    task = document.selection.task
    return () if answer_text(document.case, task).strip() else tuple(answer_outline(document.case, task))


def _shown(action: ModelAction, _: CaseDocument, made: object) -> ShownProposal:
    return action.shown(made)
