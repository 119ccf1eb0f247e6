"""The append-only chain of events: who did what to what, each link carrying the hash of the one before."""

import re
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from sqlalchemy import Row, String, func, select, type_coerce
from sqlalchemy.orm import Session

from db.columns import UtcTime, storable
from db.tables import ChainHead, Event
from scoring.model.record import JsonObject, sha256_of, to_json

CHANNEL = "annotator_events"
"""What a PostgreSQL project notifies of what was written."""
GENESIS = "0" * 64
"""What the first event carries as the hash before it."""

_ACTION = re.compile(r"[a-z_]+:[a-z_]+:[a-z_]+")


class News(StrEnum):
    """What was written to a project."""

    EVENTS = "events"
    PRESENCE = "presence"


@dataclass(frozen=True)
class ChainReport:
    """What `verify_chain` found.

    `head` is the hash of the last event: written down elsewhere it also proves that nobody cut off
    the end and rewrote the head. `broken_seq` is the first event that does not hold, None where the
    chain holds; `reason` says in one sentence what is wrong with it.
    """

    event_count: int
    head: str
    broken_seq: int | None = None
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether every link and the head fit."""
        return self.broken_seq is None


def append(
    session: Session, *, actor: str, action: str, subject: str, payload: JsonObject, at: datetime
) -> Event:
    """Add one event to the chain, inside the caller's transaction.

    The chain's head is locked until that transaction ends, so writers line up and none is lost;
    append last, to hold it shortly.

    Args:
        session: A transaction from `writing`.
        actor: Name of the person, or `system`.
        action: Tag of three words, `subject:object:action`, as in `case:judgment:submit`.
        subject: What it happened to, as in `case:wild_tool_bench_0`.
        payload: What is worth knowing about it; no secrets, and dialogue text only in a model's
            proposals (decision 0011).
        at: Aware time of the action.
    """
    if not _ACTION.fullmatch(action):
        raise ValueError(f"an action has the form subject:object:action, not {action!r}")
    head = session.scalars(
        select(ChainHead).with_for_update().execution_options(populate_existing=True)
    ).one()
    event = Event(
        seq=head.seq + 1,
        at=at,
        actor=storable(actor),  # hashed as it is stored
        action=action,
        subject=storable(subject),
        payload=to_json(payload),
        previous_hash=head.hash,
    )
    written = UtcTime().process_bind_param(at, session.get_bind().dialect)
    event.hash = link_hash(
        event.seq,
        (str(written), event.actor, event.action, event.subject, event.payload),
        previous=head.hash,
    )
    session.add(event)
    head.seq, head.hash = event.seq, event.hash
    session.flush()
    wake(session, News.EVENTS)
    return event


def wake(session: Session, news: News) -> None:
    """Have the windows that follow the project look for news once the transaction is committed.

    Those on a file notice by themselves that something was written.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_notify(CHANNEL, news.value)))


def last_number(session: Session) -> int:
    """The number of the last event; 0 for none."""
    return session.scalars(select(ChainHead.seq)).one()


def events_after(session: Session, number: int, *, limit: int) -> list[tuple[int, str, str]]:
    """The events behind one, oldest first, without what they say.

    Args:
        session: A look.
        number: The last event that is known.
        limit: How many at most.

    Returns:
        (number, action, subject) of each.
    """
    query = select(Event.seq, Event.action, Event.subject).where(Event.seq > number)
    found = session.execute(query.order_by(Event.seq).limit(limit))
    return [(row.seq, row.action, row.subject) for row in found]


def link_hash(seq: int, texts: tuple[str, str, str, str, str], *, previous: str) -> str:
    """Hash one event together with everything before it; 64 hexadecimal digits.

    Args:
        seq: Position in the chain, from 1.
        texts: Time, actor, action, subject and payload as the database holds them.
        previous: Hash of the event before, `GENESIS` for the first.
    """
    return sha256_of([seq, *texts, previous])


def verify_chain(session: Session, *, noted: Mapping[int, str] = MappingProxyType({})) -> ChainReport:
    """Walk the whole chain and name the first event that does not hold; constant memory.

    Args:
        session: A reading.
        noted: Hashes written down elsewhere by number of their event: whoever rewrites the whole chain,
            its end included, cannot rewrite these.
    """
    previous, count = GENESIS, 0
    with closing(chain(session)) as links:
        for link in links:
            reason = _fault(link, expected_seq=count + 1, previous=previous)
            if not reason and noted.get(link.seq, link.hash) != link.hash:
                reason = f"Event {link.seq} is not the event that was noted."
            if reason:
                return ChainReport(event_count=count, head=previous, broken_seq=count + 1, reason=reason)
            previous, count = link.hash, count + 1
    last = max(noted, default=0)
    if last > count:
        reason = f"Event {count + 1} is missing: event {last} was noted."
        return ChainReport(event_count=count, head=previous, broken_seq=count + 1, reason=reason)
    end = session.execute(select(ChainHead.seq, ChainHead.hash)).one_or_none()
    if end is not None and tuple(end) == (count, previous):
        return ChainReport(event_count=count, head=previous)
    reason = "The note of where the chain ends is missing."
    if end is not None and end.seq > count:
        reason = f"Event {count + 1} is missing: the chain should end with event {end.seq}."
    elif end is not None:
        reason = f"The chain ends with event {count}, but the note of its end names another."
    return ChainReport(event_count=count, head=previous, broken_seq=count + 1, reason=reason)


def chain(session: Session) -> Generator[Row[*tuple[Any, ...]]]:
    """The events as they are stored, oldest first: the columns of `Event`, the time as text."""
    # What somebody tampered with need not be a time any more.
    query = select(
        Event.seq,
        type_coerce(Event.at, String),
        Event.actor,
        Event.action,
        Event.subject,
        Event.payload,
        Event.previous_hash,
        Event.hash,
    ).order_by(Event.seq)
    with session.execute(query.execution_options(yield_per=500)) as rows:
        yield from rows


def _fault(link: Row[*tuple[Any, ...]], *, expected_seq: int, previous: str) -> str:
    if link.seq > expected_seq:
        return f"Event {expected_seq} is missing; the next one there is event {link.seq}."
    if link.seq < expected_seq:
        return f"Event {link.seq} stands before the beginning of the chain."
    if link.previous_hash != previous:
        return f"Event {link.seq} does not carry the hash of the event before it."
    if link.hash != link_hash(link.seq, link[1:6], previous=previous):
        return f"Event {link.seq} was changed after it was written: its hash does not fit its content."
    return ""
