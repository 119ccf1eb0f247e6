"""The chain of events is checked against ends noted before, and can be checked by others from a file."""

import json
import threading
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import text

from annotator.jobs import JobCancelled, JobContext, ProgressReport
from annotator.project.audit import audit, export_events, note_anchor, read_anchors
from db.engine import disposed, open_engine, writing
from db.events import GENESIS, chain, link_hash
from scoring.errors import ForbiddenError, InputError, StoreError
from tests.annotator.team import Team, two_step_case


@pytest.fixture
def anchors(team: Team, tmp_path: Path) -> Path:
    """A file in which the end of the project's chain was noted before a case came."""
    file = tmp_path / "anchors.jsonl"
    note_anchor(team["max"], file, audit(team["max"]))
    team.bring(two_step_case("c-1"))
    return file


def rewrite(url: str, actor: str) -> None:
    """Put another name into the first event and hash the whole chain anew, its end included."""
    with disposed(open_engine(url)) as engine, writing(engine) as session:
        if engine.dialect.name == "postgresql":
            session.execute(text("SET LOCAL session_replication_role = replica"))
        else:
            session.execute(text("DROP TRIGGER events_no_update"))
        previous = GENESIS
        for link in list(chain(session)):
            words = (link.at, actor if link.seq == 1 else link.actor, link.action, link.subject, link.payload)
            own = link_hash(link.seq, words, previous=previous)
            row = {"actor": words[1], "before": previous, "own": own, "seq": link.seq}
            changed = "actor = :actor, previous_hash = :before, hash = :own"
            session.execute(text(f"UPDATE events SET {changed} WHERE seq = :seq"), row)
            previous = own
        session.execute(text("UPDATE chain_head SET hash = :own"), {"own": previous})


def test_ends_noted_before_fit_a_chain_that_grew(team: Team, anchors: Path) -> None:
    report = audit(team["max"], anchors=read_anchors(anchors))
    assert report.holds
    assert note_anchor(team["max"], anchors, report)
    assert [anchor.head for anchor in read_anchors(anchors)][-1] == report.head
    assert not note_anchor(team["max"], anchors, report), "the same end is noted once"
    assert len(read_anchors(anchors)) == 2


def test_a_chain_rewritten_as_a_whole_is_found_by_an_anchor_only(team: Team, anchors: Path) -> None:
    rewrite(team.url, "mallory")
    assert audit(team["max"]).holds
    report = audit(team["max"], anchors=read_anchors(anchors))
    assert not report.holds
    assert report.broken_seq == read_anchors(anchors)[0].events


@pytest.mark.parametrize(
    "line", ["no JSON", "{}", '{"events": -1, "head": "", "at": "2026-01-01T00:00:00Z"}']
)
def test_a_line_that_is_not_an_anchor_is_named(anchors: Path, line: str) -> None:
    with anchors.open("a") as stream:
        stream.write(line)
    with pytest.raises(InputError, match="line 2: this is not an anchor"):
        read_anchors(anchors)


def test_a_folder_is_no_file_of_anchors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_anchors(tmp_path)


def test_an_anchor_that_cannot_be_written_leaves_the_file(team: Team, anchors: Path) -> None:
    (anchors.parent / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        note_anchor(team["max"], anchors.parent / "file" / "anchors.jsonl", audit(team["max"]))


def test_a_file_of_events_can_be_checked_without_this_program(
    team: Team, anchors: Path, tmp_path: Path
) -> None:
    reports: list[ProgressReport] = []
    count = export_events(team["max"], tmp_path / "events.jsonl", context=JobContext(reports.append))
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    assert [event["seq"] for event in events] == list(range(1, count + 1))
    assert [after["previous_hash"] for _, after in pairwise(events)] == [one["hash"] for one in events[:-1]]
    for event in events:
        named = ("seq", "at", "actor", "action", "subject", "payload", "previous_hash")
        plain = json.dumps([event[name] for name in named], ensure_ascii=False, separators=(",", ":"))
        assert sha256(plain.encode()).hexdigest() == event["hash"]
    assert (reports[-1].done, reports[-1].total) == (count, count)


def test_events_are_written_for_managers_only(team: Team, tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="ann is not a manager"):
        export_events(team["ann"], tmp_path / "events.jsonl", context=JobContext())
    assert list(tmp_path.glob("events*")) == []


def test_a_cancelled_export_leaves_the_former_file(team: Team, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text("former")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(JobCancelled):
        export_events(team["max"], file, context=JobContext(cancel=cancel))
    assert file.read_text() == "former"
