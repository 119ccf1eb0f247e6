"""The event chain: links, tampering, and writers that crowd at its end, on both databases."""

import subprocess
import sys
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import DBAPIError

from db.engine import open_engine, reading, writing
from db.events import GENESIS, ChainReport, append, chain, verify_chain
from db.tables import ChainHead, Event
from scoring.model.record import sha256_of
from tests.shared import ROOT

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _append(engine: Engine, count: int = 1, *, actor: str = "anna") -> None:
    for number in range(count):
        with writing(engine) as session:
            append(
                session,
                actor=actor,
                action="case:judgment:submit",
                subject=f"case:c-{number}",
                payload={"n": number},
                at=NOON + timedelta(seconds=number),
            )


def _report(engine: Engine) -> ChainReport:
    with reading(engine) as session:
        return verify_chain(session)


def _tamper(engine: Engine, statement: str) -> None:
    """Change the events the way somebody with the database's own tools would: the triggers taken off."""
    with writing(engine) as session:
        if engine.dialect.name == "postgresql":
            session.execute(text("ALTER TABLE events DISABLE TRIGGER ALL"))
        else:
            for action in ("update", "delete"):
                session.execute(text(f"DROP TRIGGER events_no_{action}"))
        session.execute(text(statement))


def test_an_empty_chain_holds(engine: Engine) -> None:
    assert _report(engine) == ChainReport(event_count=0, head=GENESIS)


def test_the_first_link_is_the_hash_of_its_parts_and_the_genesis(engine: Engine) -> None:
    _append(engine)
    with reading(engine) as session:
        event = session.scalars(select(Event)).one()
        by_hand = sha256_of(
            [
                1,
                "2026-03-01T12:00:00.000000Z",
                "anna",
                "case:judgment:submit",
                "case:c-0",
                '{"n":0}',
                "0" * 64,
            ]
        )
        assert (event.seq, event.previous_hash, event.hash) == (1, GENESIS, by_hand)


def test_every_link_carries_the_hash_of_the_one_before(engine: Engine) -> None:
    _append(engine, 3)
    with reading(engine) as session:
        events = session.scalars(select(Event).order_by(Event.seq)).all()
        assert [e.previous_hash for e in events] == [GENESIS, events[0].hash, events[1].hash]
    assert _report(engine) == ChainReport(event_count=3, head=events[2].hash)


def test_several_events_of_one_operation_follow_each_other(engine: Engine) -> None:
    with writing(engine) as session:
        for word in ("open", "close"):
            append(session, actor="anna", action=f"case:stage:{word}", subject="case:c", payload={}, at=NOON)
    assert _report(engine).event_count == 2


def test_an_operation_that_is_undone_leaves_no_event(engine: Engine) -> None:
    def break_off() -> None:
        with writing(engine) as session:
            append(session, actor="anna", action="a:b:c", subject="x", payload={}, at=NOON)
            raise LookupError

    with pytest.raises(LookupError):
        break_off()
    _append(engine)
    assert _report(engine) == ChainReport(event_count=1, head=_report(engine).head)


@pytest.mark.parametrize("action", ["", "submit", "case:submit", "Case:Judgment:Submit", "a:b:c:d"])
def test_an_action_that_is_no_tag_of_three_words_is_a_bug(engine: Engine, action: str) -> None:
    with pytest.raises(ValueError, match="subject:object:action"), writing(engine) as session:
        append(session, actor="anna", action=action, subject="x", payload={}, at=NOON)


@pytest.mark.parametrize("statement", ["UPDATE events SET actor = 'mallory'", "DELETE FROM events"])
def test_the_database_itself_refuses_to_change_events(engine: Engine, statement: str) -> None:
    _append(engine)
    with pytest.raises(DBAPIError, match="append-only"), writing(engine) as session:
        session.execute(text(statement))
    assert _report(engine).holds


def test_postgresql_refuses_to_empty_the_events(postgres_url: str) -> None:
    opened = open_engine(postgres_url)
    with pytest.raises(DBAPIError, match="append-only"), writing(opened) as session:
        session.execute(text("TRUNCATE events"))
    opened.dispose()


@pytest.mark.parametrize(
    ("statement", "seq", "reason"),
    [
        ("UPDATE events SET actor = 'mallory' WHERE seq = 2", 2, "was changed"),
        ("UPDATE events SET at = 'yesterday' WHERE seq = 2", 2, "was changed"),
        ("UPDATE events SET payload = '{}' WHERE seq = 1", 1, "was changed"),
        (f"UPDATE events SET previous_hash = '{'1' * 64}' WHERE seq = 3", 3, "hash of the event before"),
        ("DELETE FROM events WHERE seq = 2", 2, "Event 2 is missing"),
        ("DELETE FROM events WHERE seq = 1", 1, "Event 1 is missing"),
        ("DELETE FROM events WHERE seq = 3", 3, "should end with event 3"),
        ("DELETE FROM events", 1, "should end with event 3"),
        ("UPDATE events SET seq = -1 WHERE seq = 1", 1, "before the beginning"),
        ("UPDATE chain_head SET seq = 1", 4, "ends with event 3"),
        ("DELETE FROM chain_head", 4, "is missing"),
    ],
)
def test_the_first_event_that_does_not_hold_is_named(
    engine: Engine, statement: str, seq: int, reason: str
) -> None:
    _append(engine, 3)
    _tamper(engine, statement)
    report = _report(engine)
    assert not report.holds
    assert report.broken_seq == seq
    assert reason in report.reason


def test_events_that_were_noted_are_found_again(engine: Engine) -> None:
    _append(engine, 3)
    with reading(engine) as session:
        noted = {link.seq: link.hash for link in chain(session)}
        assert verify_chain(session, noted={1: noted[1], 3: noted[3]}).holds


def test_a_chain_rewritten_as_a_whole_differs_from_what_was_noted(engine: Engine) -> None:
    _append(engine, 3)
    with reading(engine) as session:
        report = verify_chain(session, noted={2: "0" * 64})
    assert (report.broken_seq, report.reason) == (2, "Event 2 is not the event that was noted.")


def test_a_chain_cut_off_and_closed_again_lacks_what_was_noted(engine: Engine) -> None:
    _append(engine, 3)
    with reading(engine) as session:
        report = verify_chain(session, noted={5: "0" * 64})
    assert (report.broken_seq, report.reason) == (4, "Event 4 is missing: event 5 was noted.")


# They share their imports, and nothing that was opened.
_WRITERS = """
import os
import sys
from datetime import UTC, datetime
from db.engine import open_engine, writing
from db.events import append

def write(actor):
    engine = open_engine(sys.argv[1])
    for number in range(25):
        with writing(engine) as session:
            append(session, actor=actor, action="case:judgment:submit", subject=f"case:{number}",
                   payload={}, at=datetime.now(UTC))
    engine.dispose()

writers = []
for number in range(8):
    writer = os.fork()
    if writer == 0:
        write(f"writer-{number}")
        os._exit(0)
    writers.append(writer)
sys.exit(any([os.waitpid(writer, 0)[1] for writer in writers]))
"""


def test_eight_programs_append_two_hundred_events_and_none_is_lost(store_url: str) -> None:
    """8 processes x 25 events = 200."""
    subprocess.run([sys.executable, "-c", _WRITERS, store_url], cwd=ROOT, timeout=120, check=True)
    opened = open_engine(store_url)
    assert (_report(opened).holds, _report(opened).event_count) == (True, 200)
    with reading(opened) as session:
        written = Counter(session.scalars(select(Event.actor)))
    opened.dispose()
    assert written == {f"writer-{number}": 25 for number in range(8)}


def test_threads_on_one_engine_line_up_too(engine: Engine) -> None:
    threads = [
        threading.Thread(target=_append, args=(engine, 10), kwargs={"actor": f"t{n}"}) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _report(engine).event_count == 40
    with reading(engine) as session:
        assert session.scalars(select(ChainHead.seq)).one() == 40
