"""The minutes of a review session: who was there, what was voted and decided, how far the samples are."""

from annotator.cases.row_views import get_row
from annotator.project.workspace import Workspace, query
from annotator.review.sessions.state import ReviewSession as ReviewSession
from annotator.review.sessions.state import SessionQuestion, as_seen, find_session
from db.read.rows import SampleRow
from db.read.samples import list_samples
from db.tables import Transaction
from scoring.model.record import Record
from scoring.model.taxonomy import SampleOutcome
from scoring.texts import tr, with_commas


class Minutes(Record):
    """A session as somebody may see it, with the samples of the batches its cases are of, oldest first."""

    session: ReviewSession
    samples: tuple[SampleRow, ...]


@query
def minutes_of(workspace: Workspace, tx: Transaction, number: int | None = None) -> Minutes:
    """The minutes of a session; see `find_session`."""
    session = as_seen(tx, find_session(tx, workspace.person, number), workspace.person)
    ids = {get_row(tx, one.case_id).batch_id for one in session.questions}
    drawn = (one for batch_id in sorted(ids) for one in list_samples(tx, batch_id=batch_id))
    return Minutes(session=session, samples=tuple(drawn))


def minutes_text(minutes: Minutes) -> str:
    """Minutes as Markdown."""
    session = minutes.session
    closed = tr("closed {at}", at=f"{session.closed_at:%Y-%m-%d %H:%M}") if session.closed_at else tr("open")
    entries = [f"- {one.entry} ({one.case_id})" for one in session.questions if one.entry]
    samples = [_sample_line(minutes, one) for one in minutes.samples]
    heading = tr("| Case | Question | Votes | Decision | Note |")
    parts = [
        [tr("# Review session {number}: {title}", number=session.number, title=session.title)],
        [
            tr(
                "Led by {leader}. There: {people}. Opened {opened}, {closed}.",
                leader=session.leader,
                people=with_commas(session.present),
                opened=f"{session.opened_at:%Y-%m-%d %H:%M}",
                closed=closed,
            )
        ],
        [heading, "| --- | --- | --- | --- | --- |", *map(_line, session.questions)],
        [tr("Proposed entries of the guidelines:"), "", *entries] if entries else [],
        [tr("Samples:"), "", *samples] if samples else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def votes_words(question: SessionQuestion) -> str:
    """Who voted for what, or how many votes there are while they are hidden."""
    if len(question.votes) < question.vote_count:
        return tr("{count} hidden", count=question.vote_count)
    return "; ".join(f"{name}: {question.words(choice)}" for name, choice in question.votes.items())


def outcome_words(question: SessionQuestion) -> str:
    """What came out of a question."""
    if question.is_kept_back:
        return tr("not shown to you at the moment")
    if question.choice:
        return tr("{words}, by {name}", words=question.words(question.choice), name=question.by)
    return tr("skipped: {why}", why=tr(question.skipped)) if question.skipped else tr("open")


def _line(one: SessionQuestion) -> str:
    cells = (one.case_id, one.title, votes_words(one), outcome_words(one), one.note)
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _sample_line(minutes: Minutes, one: SampleRow) -> str:
    """A sample in words: errors among its decided cases, and how much of the batch was verified by then."""
    so_far = [other for other in minutes.samples if other.batch == one.batch and other.id <= one.id]
    verified = {
        name
        for other in so_far
        for name, outcome in other.outcomes.items()
        if outcome in (SampleOutcome.UNCHANGED, SampleOutcome.CORRECTED)
    }
    return tr(
        "- {batch}, sample {number}: {errors} of {decided} wrong; {verified} of {total} verified so far",
        batch=one.batch,
        number=one.sequence,
        errors=one.error_count,
        decided=len(one.outcomes) - one.open_count,
        verified=len(verified),
        total=so_far[0].population,
    )
