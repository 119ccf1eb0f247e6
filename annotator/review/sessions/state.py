"""A review session as its events tell it: questions that come up one after the other, votes, decisions."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import Field, JsonValue

from annotator.cases.row_views import viewer_of
from annotator.review.expert.field_words import field_title, own_choices
from db.read import queries, reviews, visibility
from db.read.rows import CaseRow, PersonRow
from db.tables import Transaction
from scoring.errors import NotFoundError, filled
from scoring.model.labels import ComparedField
from scoring.model.record import Record
from scoring.texts import tr, with_commas

_KIND = "session"
"""What stands before the number in the subject of a session's events."""


class SessionQuestion(Record):
    """One question about a case: a field its raters differ on, a proposed edit, or whether the case is right.

    `version` is the case's when it was listed: one that changed since is asked about no more. `votes` are
    numbers of `options` by person, `vote_count` how many there are where they are not shown yet. `choice` is
    the option that was decided, by whom says `by`; 0 for none. `entry` is a sentence proposed for the
    guidelines. `skipped` says why nothing was decided. `is_kept_back` marks a question about a case that the
    person who looks may not see now.
    """

    case_id: str
    version: int
    field: ComparedField | None = None
    edit: str = ""
    votes: dict[str, int] = Field(default_factory=dict)
    vote_count: int = 0
    is_revealed: bool = False
    choice: int = 0
    by: str = ""
    note: str = ""
    entry: str = ""
    skipped: str = ""
    is_kept_back: bool = False

    @property
    def title(self) -> str:
        """What is asked, in words."""
        if self.field is not None:
            return field_title(self.field)
        return tr("Edit {edit}", edit=self.edit) if self.edit else tr("Is the case right?")

    @property
    def options(self) -> tuple[tuple[str, JsonValue], ...]:
        """Everything that may be voted for, in words and as the value: never only what somebody said."""
        if self.field is not None:
            return own_choices(self.field)
        if self.edit:
            return (tr("accept"), "accept"), (tr("decline"), "decline")
        return (tr("right"), True), (tr("wrong"), False)

    @property
    def is_open(self) -> bool:
        """Whether it was neither decided nor skipped."""
        return not self.choice and not self.skipped

    def words(self, choice: int) -> str:
        """An option in words."""
        return self.options[choice - 1][0]


class ReviewSession(Record):
    """A review session; `current` is the place of the question that is up, None for none.

    `left_out` are cases that waited as well and are up in another open session.
    """

    number: int
    title: str
    leader: str
    present: tuple[str, ...]
    questions: tuple[SessionQuestion, ...]
    opened_at: datetime
    closed_at: datetime | None = None
    left_out: tuple[str, ...] = ()
    current: int | None = None

    @property
    def subject(self) -> str:
        """What its events are about."""
        return f"{_KIND}:{self.number}"

    @property
    def words(self) -> str:
        """The session in a sentence."""
        return tr(
            "Session {number}, {title}: led by {leader}; there: {people}; {done} of {count} done.",
            number=self.number,
            title=self.title,
            leader=self.leader,
            people=with_commas(self.present),
            done=sum(not one.is_open for one in self.questions),
            count=len(self.questions),
        )

    @property
    def question(self) -> SessionQuestion | None:
        """What is asked now."""
        return None if self.current is None else self.questions[self.current]


def fold(payloads: Iterable[Mapping[str, Any]]) -> ReviewSession:
    """A session from what its events say, oldest first.

    The first event says all of it; each that follows `set`s values of the `questions` it names by their
    places, or of the session. Votes come beside those of others.
    """
    state: dict[str, Any] = {}
    for told in payloads:
        targets = [state["questions"][i] for i in told["questions"]] if "questions" in told else [state]
        for target in targets:
            votes = {**target.get("votes", {}), **told["set"].get("votes", {})}
            target.update(told["set"], **({"votes": votes} if votes else {}))
    session = ReviewSession.model_validate(state)
    asked = session.questions if session.closed_at is None else ()
    return session.model_copy(
        update={"current": next((i for i, one in enumerate(asked) if one.is_open), None)}
    )


def all_sessions(tx: Transaction) -> list[ReviewSession]:
    """Every session as its events tell it, with votes nobody may see yet."""
    return [fold(map(json.loads, payloads)) for payloads in reviews.payloads_of(tx, _KIND).values()]


def find_session(tx: Transaction, person: PersonRow, number: int | None) -> ReviewSession:
    """The session of a number; without one the newest open one, before it one the person is in.

    Raises:
        NotFoundError: There is none.
    """
    found = filled(
        [one for one in all_sessions(tx) if number in (None, one.number)],
        NotFoundError("There is no such review session.", "Open one with `annotator session open TITLE`."),
    )
    return max(found, key=lambda one: (one.closed_at is None, person.name in one.present, one.number))


def as_seen(tx: Transaction, session: ReviewSession, person: PersonRow) -> ReviewSession:
    """A session as somebody may see it: votes after they were revealed only, their own ones always.

    What was voted and decided about a case is kept from whoever is neither there nor trusted with what others
    say; and, once the case has gone on, from whoever judges it blind.
    """
    viewer, is_there = viewer_of(tx, person), person.name in session.present
    # Who was there heard it all, and must not know it only while they judge the case themselves.
    blind = visibility.blind_cases(
        tx, replace(viewer, is_trusted=True, decides_disputes=False) if is_there else viewer
    )
    rows = {one.case_id: queries.find_case(tx, one.case_id) for one in session.questions}

    def seen(one: SessionQuestion) -> SessionQuestion:
        row = rows[one.case_id]
        counted = one.model_copy(update={"vote_count": len(one.votes)})
        is_kept_back = row is not None and (
            row.pk in viewer.withheld or (row.pk in blind and has_left(row, one))
        )
        if is_kept_back or not (viewer.is_trusted or is_there):
            blank = {"votes": {}, "choice": 0, "by": "", "note": "", "entry": "", "is_kept_back": True}
            return counted.model_copy(update=blank)
        mine = {name: vote for name, vote in one.votes.items() if one.is_revealed or name == person.name}
        return counted.model_copy(update={"votes": mine})

    return session.model_copy(update={"questions": tuple(map(seen, session.questions))})


def has_left(row: CaseRow | None, question: SessionQuestion) -> bool:
    """Whether a case changed or went on since it was listed for a question."""
    return row is None or row.version != question.version
