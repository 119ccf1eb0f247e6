"""The review session beside the work: the question that is up, votes by number keys, the leader's steps."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from annotator.project.changes import Changes
from annotator.project.workspace import Workspace
from annotator.review.sessions import steps
from annotator.review.sessions.minutes import votes_words
from annotator.review.sessions.state import ReviewSession
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Role
from scoring.texts import tr
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, PanelHeader, ToolButton, WrappedLabel
from ui.theme.events import ENTER_KEYS, on_keys
from ui.theme.fields import NoteField, ShortList, line_field
from ui.theme.layouts import STRETCH, build, connect, hbox, show_all, vbox
from ui.theme.look import scaled
from ui.theme.words import day_words


class SessionPanel(QFrame):
    """Shows the open session; it comes by itself with a session, and with each question to who is in it.

    Args:
        operations: The way to the project.
    """

    case_wanted = Signal(str, bool)
    """The case that is up, and whether this person leads."""

    def __init__(self, operations: Operations, **properties: Any) -> None:
        build(super().__init__, objectName="session-panel", visible=False, **properties, look="side")
        self._operations = operations
        self._session: ReviewSession | None = None
        self._seen: tuple[object, ...] = ()
        self._wants_keys = False
        close = ToolButton("x", tr("Close"), objectName="session-hide", clicked=self.hide)
        self._words = WrappedLabel(objectName="session-words")
        self._question = WrappedLabel("", "strong", objectName="session-question")
        self._options = ShortList("session-options", tr("Options"), rows=(2, 9), least=3)
        self._votes = WrappedLabel(objectName="session-votes")
        self._note = NoteField("session-note", tr("Note"), tr("What the discussion said"), sent=self._press)
        self._entry = line_field("session-entry", tr("Sentence for the guidelines"))
        self._banner = ErrorBanner()
        self._main = Button("", ButtonKind.PRIMARY, keys="↵", objectName="session-main", clicked=self._press)
        self._next = Button(tr("Next question"), objectName="session-next")
        self._lead = Button(tr("Take over the lead"), objectName="session-lead")
        on_keys(self._options, {Qt.Key(Qt.Key.Key_0 + i): partial(self._choose, i) for i in range(1, 10)})
        on_keys(self._options, dict.fromkeys(ENTER_KEYS, self._press))
        vbox(
            PanelHeader(tr("Review session"), STRETCH, close),
            self._banner,
            vbox(self._words, self._question, self._options, self._votes, gap=8, margins=12),
            vbox(self._note, self._entry, self._main, gap=8, margins=12),
            hbox(self._next, self._lead, STRETCH, gap=8, margins=12),
            STRETCH,
            within=self,
            focus=self._options,
        )
        scaled(self, setFixedWidth=320)
        connect(
            (operations.changed, self._note_changes),
            (operations.opened, self._read),
            (operations.idle, self._take_keys),
            (self._next.clicked, partial(self._run, steps.skip_question)),
            (self._lead.clicked, partial(self._run, partial(steps.join_session, lead=True))),
        )

    def open(self) -> None:
        """Show the panel and give it the keys."""
        self.show()
        (self._main if self._options.isHidden() else self._options).setFocus()

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_sessions:
            self._read()

    def _read(self) -> None:
        self._operations.run(steps.show_session, then=self._show, failed=partial(self._show, None))

    def _show(self, found: ReviewSession | None, _: AnnotatorError | None = None) -> None:
        was_revealed = _is_revealed(self._session)
        me, session = self._operations.person, found if found and found.closed_at is None else None
        self._session = session
        question = session.question if session is not None else None
        is_in, leads = (
            (me.name in session.present, me.name == session.leader) if session and me else (False, False)
        )
        may_lead = self._operations.has_role(Role.EXPERT, Role.MANAGER)
        self._words.setText(session.words if session is not None else tr("No review session is open."))
        self._question.say(f"{question.case_id} · {question.title}" if question is not None else "")
        self._votes.say(
            tr("Votes: {votes}", votes=votes_words(question)) if question and question.vote_count else ""
        )
        row, options = self._options.currentRow(), question.options if question is not None else ()
        self._options.clear()
        self._options.addItems([f"{i}  {words}" for i, (words, _) in enumerate(options, 1)])
        # What was voted is no decision: whoever reveals marks one again, having seen the votes.
        self._options.setCurrentRow(row if _is_revealed(session) == was_revealed else -1)
        self._options.setVisible(bool(options))
        show_all(self._note, self._entry, self._next, on=leads and question is not None)
        self._lead.setVisible(may_lead and session is not None and not leads)
        self._main.setVisible(may_lead if session is None else leads or not is_in)
        self._main.setText(self._step()[0])
        seen = (
            (session.number, is_in, session.current if is_in else None, leads) if session is not None else ()
        )
        if seen != self._seen:
            self._seen = seen
            self._begin(case_id=question.case_id if question is not None and is_in else "", leads=leads)

    def _begin(self, *, case_id: str, leads: bool) -> None:
        """Show what is new: a session, or a question with its case to who is in it."""
        self._banner.dismiss()
        self._note.clear()
        self._entry.clear()
        self._options.setCurrentRow(-1)
        self.setVisible(self._session is not None)
        self._wants_keys = bool(case_id)
        if case_id:
            self.case_wanted.emit(case_id, leads)

    def _take_keys(self) -> None:
        """Take the keys once the page has shown the case, which takes them for itself."""
        if self._wants_keys:
            self._wants_keys = False
            self.open()

    def _step(self) -> tuple[str, Callable[[Workspace], Any]]:
        """What Return and the main button do now, in words and as it is done."""
        session = self._session
        if session is None:
            title = tr("Session of {day}", day=day_words(datetime.now().astimezone().date()))
            return tr("Open a session"), partial(steps.open_session, title=title)
        number, place, question = session.number, session.current, session.question
        if self._operations.person and self._operations.person.name not in session.present:
            return tr("Join"), partial(steps.join_session, number=number)
        if question is None:
            return tr("Close the session"), partial(steps.close_session, number=number)
        if question.vote_count and not question.is_revealed:
            return tr("Reveal the votes"), partial(steps.reveal_votes, number=number, place=place)
        decide = partial(steps.decide_question, number=number, place=place)
        note, entry, choice = self._note.words, self._entry.text(), self._options.currentRow() + 1
        return tr("Decide"), partial(decide, choice=choice, note=note, entry=entry)

    def _press(self) -> None:
        if not self._main.isHidden():
            self._run(self._step()[1])

    def _choose(self, number: int) -> None:
        """Vote for an option; once the votes are revealed, mark it for the decision."""
        session = self._session
        if session is not None and session.question is not None and number <= self._options.count():
            self._options.setCurrentRow(number - 1)
            if not session.question.is_revealed:
                self._run(partial(steps.vote, choice=number, number=session.number, place=session.current))

    def _run(self, step: Callable[[Workspace], Any], _: bool = False) -> None:
        self._operations.run(step, failed=self._banner.show_error)


def _is_revealed(session: ReviewSession | None) -> bool:
    return session is not None and session.question is not None and session.question.is_revealed
