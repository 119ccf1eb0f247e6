"""What people do in a review session: open it, come in, vote, reveal, decide, go on, close it."""

from collections.abc import Callable
from functools import partial

from pydantic import JsonValue

from annotator.cases.row_views import shown_row
from annotator.project.changes import Changes
from annotator.project.stages import LEADS
from annotator.project.workspace import Done, Work, Workspace, operation, query
from annotator.review.adjudication import lay_out
from annotator.review.expert.decisions import Decision, Own
from annotator.review.expert_review import open_adjudication, settle_case
from annotator.review.queue.eligibility import claimant
from annotator.review.sessions.state import (
    ReviewSession,
    SessionQuestion,
    all_sessions,
    as_seen,
    find_session,
    has_left,
)
from annotator.review.submissions import submission_key
from db.read import claims, expert_queue, queries
from db.read.rows import PersonRow
from db.tables import Transaction
from scoring.errors import BlockedError, ConflictError, ForbiddenError, InputError, existing, filled
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Role, Stage, Verdict

Checked = Callable[[Transaction], tuple[ReviewSession, SessionQuestion]]
_DECIDED, _SKIPPED = "session:item:decide", "session:item:skip"
_GONE_ON = "the case was settled or changed elsewhere"


@query
def show_session(workspace: Workspace, tx: Transaction, number: int | None = None) -> ReviewSession:
    """A session as the person may see it; see `find_session`."""
    return as_seen(tx, find_session(tx, workspace.person, number), workspace.person)


@operation("session:list:open", roles=LEADS, is_alone=True)
def open_session(w: Work, title: str, *, batch: str = "", stage: Stage | None = None) -> int:
    """Open a session on what waits for an expert: the questions of each case, the longest wait first.

    Args:
        w: The leader's; an expert's list has only cases they could decide.
        title: What it is called.
        batch: Only cases of this batch; empty for all.
        stage: `escalated` for disputes, `expert` for samples; None for both.

    Returns:
        The number of the session.

    Raises:
        BlockedError: No such case waits, or all are up in other open sessions.
    """
    others = all_sessions(w.tx)
    asked = [one for other in others if other.closed_at is None for one in other.questions]
    taken = {one.case_id for one in asked if one.is_open}
    can_decide = [claims.could_decide(claimant(w.person, w.policy))] if w.person.has_role(Role.EXPERT) else []
    waiting = [
        row
        for row in expert_queue.waiting_for_experts(w.tx, *can_decide, at=w.at)
        if batch in ("", row.batch) and stage in (None, row.stage)
    ]
    listed = filled(
        [row for row in waiting if row.case_id not in taken],
        BlockedError(
            "All that waits is in another open session." if waiting else "No such case waits for you.",
            "See `annotator review waiting` and `annotator session show`.",
        ),
    )
    session = ReviewSession(
        number=len(others) + 1,
        title=title,
        leader=w.person.name,
        present=(w.person.name,),
        questions=tuple(one for row in listed for one in _questions_of(w.tx, row.case_pk)),
        opened_at=w.at,
        left_out=tuple(row.case_id for row in waiting if row.case_id in taken),
    )
    _write(w, session, session.model_dump(mode="json", exclude_defaults=True))
    return session.number


@operation("session:person:join", is_alone=True)
def join_session(w: Work, number: int | None = None, *, lead: bool = False) -> None:
    """Come into a session; who is in it already stays in.

    Args:
        w: Of whoever comes.
        number: Of the session.
        lead: Whether they lead it from now on, as where the leader's window is gone.

    Raises:
        ForbiddenError: Only experts and managers lead.
    """
    session, name = _find_open(w.tx, w.person, number), w.person.name
    if lead and not any(map(w.person.has_role, LEADS)):
        raise ForbiddenError("Only experts and managers lead a session.", "Ask one of them to take it over.")
    present: list[JsonValue] = [*dict.fromkeys((*session.present, name))]
    _write(w, session, {"present": present, "leader": name if lead else session.leader})


@operation("session:vote:cast", is_alone=True)
def vote(w: Work, choice: int, *, number: int | None = None, place: int | None = None) -> None:
    """Vote on the question that is up; a vote may be changed until the votes are revealed.

    Args:
        w: Of somebody who is in the session.
        choice: Number of the option.
        number: Of the session.
        place: The question that is meant; None for whichever is up.

    Raises:
        ForbiddenError: The person is not in the session, owns the case, or may not see it now.
        ConflictError: The votes are revealed, another question is up, or the case has gone on.
    """
    session = _find_open(w.tx, w.person, number)
    if w.person.name not in session.present:
        raise ForbiddenError("You are not in this session.", "Come in with `annotator session join`.")
    question = _asked(w.tx, session, place, choice=choice)
    if shown_row(w.tx, question.case_id, w.person).owner_id == w.person.id and not w.policy.solo:
        raise ForbiddenError(
            f"{question.case_id} is yours: it is settled without the owner's version.",
            "Wait for the next question.",
        )
    if question.is_revealed:
        raise ConflictError("The votes on this question are revealed.", "Say it in the discussion.")
    _write(w, session, {"votes": {w.person.name: choice}}, session.current)


@operation("session:vote:reveal", is_alone=True)
def reveal_votes(w: Work, number: int | None = None, *, place: int | None = None) -> None:
    """Show everybody the votes on the question that is up.

    Raises:
        ForbiddenError: Somebody else leads the session.
        BlockedError: Nobody has voted.
    """
    session = _find_open(w.tx, w.person, number, leads=True)
    if not _asked(w.tx, session, place).votes:
        raise BlockedError("Nobody has voted yet.", "Wait for a vote, or decide with a note.")
    _write(w, session, {"is_revealed": True}, session.current)


def decide_question(
    workspace: Workspace,
    choice: int,
    *,
    note: str = "",
    entry: str = "",
    verdict: Verdict | None = None,
    number: int | None = None,
    place: int | None = None,
) -> Done[str]:
    """Decide the question that is up; the last one of a case, or a verdict, settles it as an expert does.

    Args:
        workspace: The leader's.
        choice: Number of the option.
        note: What the discussion said; needed where nobody voted.
        entry: A sentence proposed for the guidelines.
        verdict: Settles the case at once; None approves with what was decided, or returns what is wrong.
        number: Of the session.
        place: The question that is meant; None for whichever is up.

    Returns:
        The stage the case has come to; empty while it has other questions.

    Raises:
        ForbiddenError: Somebody else leads the session, or the leader may not settle the case.
        BlockedError: The votes are not revealed, or there are neither votes nor a note; or see `decide`.
    """
    change: JsonObject = {"choice": choice, "by": workspace.person.name, "note": note, "entry": entry}
    checked = partial(_to_decide, person=workspace.person, change=change, number=number, place=place)
    session, question = workspace.read(checked)
    decision = _decision_of(session, question, change, verdict)
    held = 0 if decision is None else open_adjudication(workspace, question.case_id).value.assignment_id
    action, roles = (_DECIDED, ()) if decision is None else ("review:case:decide", (Role.EXPERT,))
    decide = partial(_decide, checked=checked, change=change, held=held, decision=decision)
    return workspace.run(action, decide, roles=roles, is_alone=True)


@operation(_SKIPPED, is_alone=True)
def skip_question(w: Work, reason: str = "", *, number: int | None = None) -> None:
    """Go on to the next question without a decision; a case that has gone on takes its questions with it."""
    session = _find_open(w.tx, w.person, number, leads=True)
    question = existing(session.question, BlockedError("No question is up any more.", "Close the session."))
    is_gone = has_left(queries.find_case(w.tx, question.case_id), question)
    skipped = reason.strip() or (_GONE_ON if is_gone else "left open")
    _write(w, session, {"skipped": skipped}, session.current)
    _skip_gone(w, session, besides=session.current)


@operation("session:list:close", is_alone=True)
def close_session(w: Work, number: int | None = None) -> None:
    """Close a session; what was not decided waits for the experts as before."""
    _write(w, _find_open(w.tx, w.person, number, leads=True), {"closed_at": w.at.isoformat()})


def refuse_hidden_votes(workspace: Workspace) -> None:
    """Refuse what would show votes that are not revealed yet, as the chain of events written out.

    Raises:
        ConflictError: An open session has such votes.
    """
    for one in workspace.read(all_sessions):
        if one.question is not None and one.question.votes and not one.question.is_revealed:
            raise ConflictError(
                f"Session {one.number} has votes that are not revealed.",
                "Its leader reveals them or goes on.",
            )


def _questions_of(tx: Transaction, case_pk: int) -> list[SessionQuestion]:
    """What is to be settled: of a dispute what differs, of a sampled case whether it is right."""
    row = queries.get_case(tx, case_pk)
    laid = lay_out(tx, row, assignment_id=0)
    fields = [field for field in laid.differing if not laid.is_sampled or field.kind == "drawn"]
    bare = SessionQuestion(case_id=row.case_id, version=row.version)
    asked = [
        *(bare.model_copy(update={"field": field.model_copy(update={"values": ()})}) for field in fields),
        *(bare.model_copy(update={"edit": edit.id}) for edit in laid.edits if not laid.is_sampled),
    ]
    return asked or [bare]


def _find_open(
    tx: Transaction, person: PersonRow, number: int | None, *, leads: bool = False
) -> ReviewSession:
    """A session that is open, and with `leads` one that the person leads; see `find_session`."""
    session = find_session(tx, person, number)
    if session.closed_at is not None:
        raise ConflictError(f"Session {session.number} is closed.", "Open another one.")
    if leads and session.leader != person.name:
        raise ForbiddenError(
            f"{session.leader} leads session {session.number}.",
            "An expert or a manager takes it over with `annotator session join --lead`.",
        )
    return session


def _asked(tx: Transaction, session: ReviewSession, place: int | None, *, choice: int = 1) -> SessionQuestion:
    question = session.question
    if question is None or place not in (None, session.current):
        raise ConflictError("This question is not up any more.", "See `annotator session show`.")
    if has_left(queries.find_case(tx, question.case_id), question):
        raise ConflictError(
            f"{question.case_id} was settled or changed since it was listed.",
            "The leader goes on with `annotator session next`.",
        )
    if not 1 <= choice <= len(question.options):
        missing = f"There is no option {choice}." if choice else "No option is marked."
        raise InputError(missing, f"Take 1 to {len(question.options)}.")
    return question


def _to_decide(
    tx: Transaction, *, person: PersonRow, change: JsonObject, number: int | None, place: int | None
) -> tuple[ReviewSession, SessionQuestion]:
    session = _find_open(tx, person, number, leads=True)
    question = _asked(tx, session, place, choice=int(str(change["choice"])))
    if question.votes and not question.is_revealed:
        raise BlockedError("The votes are not revealed yet.", "Reveal them first.")
    if not question.votes and not str(change["note"]).strip():
        raise BlockedError("Nobody has voted.", "Say in a note why it is decided all the same.")
    return session, question


def _decision_of(
    session: ReviewSession, question: SessionQuestion, change: JsonObject, verdict: Verdict | None
) -> Decision | None:
    """What an expert decides by the session's choices; None while other questions of the case are open."""
    of_case = [one for one in session.questions if one.case_id == question.case_id]
    if verdict is None and sum(one.is_open for one in of_case) > 1:
        return None
    decided = [one.model_copy(update=change) if one is question else one for one in of_case]
    chosen = [(one, one.options[one.choice - 1][1]) for one in decided if one.choice]
    is_wrong = any(value is False for one, value in chosen if one.field is None and not one.edit)
    return Decision.model_validate(
        {
            "fields": {one.field.id: Own(own=value) for one, value in chosen if one.field is not None},
            "edits": {one.edit: value for one, value in chosen if one.edit},
            "verdict": verdict or (Verdict.RETURN if is_wrong else Verdict.APPROVE),
            "note": "\n".join(dict.fromkeys(one.note for one in decided if one.note)),
        }
    )


def _decide(w: Work, *, checked: Checked, change: JsonObject, held: int, decision: Decision | None) -> str:
    session, _ = checked(w.tx)
    done = settle_case(w, held, decision=decision, key=submission_key()) if decision is not None else None
    _write(w, session, change, session.current, follows=_DECIDED if done is not None else "")
    _skip_gone(w, session, besides=session.current)
    return done.stage.value if done is not None else ""


def _skip_gone(w: Work, session: ReviewSession, *, besides: int | None) -> None:
    """Skip the questions to come whose cases were settled or changed meanwhile."""
    gone = [
        i
        for i, one in enumerate(session.questions)
        if one.is_open and i != besides and has_left(queries.find_case(w.tx, one.case_id), one)
    ]
    if gone:
        _write(w, session, {"skipped": _GONE_ON}, *gone, follows=_SKIPPED)


def _write(
    w: Work, session: ReviewSession, change: JsonObject, *places: int | None, follows: str = ""
) -> None:
    """Write what changes of a session or its questions as the operation's event, or as one that follows."""
    told: JsonObject = {**({"questions": [*places]} if places else {}), "set": change}
    if follows:
        w.follow(follows, session.subject, told)
    else:
        w.record(session.subject, told)
    w.change(Changes(has_sessions=True))
