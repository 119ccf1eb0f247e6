"""The course of a case in words, out of the events it left."""

import json
from datetime import UTC, datetime

from annotator.cases.history import EventRow
from annotator.review.escalation import Escalation, EscalationReason
from scoring.model.record import JsonObject
from ui.desk.read_only_case import what_happened

AT = datetime(2026, 11, 2, tzinfo=UTC)


def happened(action: str, payload: JsonObject, *, actor: str = "ann") -> list[tuple[str, str]]:
    event = EventRow(
        seq=1, at=AT, actor=actor, action=action, subject="case:c-1", payload=json.dumps(payload)
    )
    return [(one.who, one.words) for one in what_happened([event])]


def test_a_case_escalated_with_its_batch_says_so() -> None:
    flagged = Escalation(reason=EscalationReason.BATCH_FLAGGED)
    said = happened("review:case:escalate", flagged.payload, actor="system")
    assert said == [("", "Escalated: its batch is flagged")]


def test_values_of_events_are_read_as_they_were_written() -> None:
    decided: JsonObject = {"verdict": "approve", "correction": True}
    assert happened("review:case:decide", decided) == [("ann", "Decision: approved, corrected")]
    assert happened("case:gold:mark", {"is_gold": False}) == [("ann", "No gold example any more")]
    assert happened("review:draft:save", {}) == []


def test_a_case_that_was_left_says_how_and_why() -> None:
    skipped: JsonObject = {"status": "skipped", "reason": "not my language"}
    assert happened("review:case:leave", skipped) == [("ann", "Skipped: not my language")]
    assert happened("review:case:leave", {"status": "released", "reason": ""}) == [("ann", "Handed back")]


def test_a_case_that_a_manager_sent_back_says_why() -> None:
    assert happened("review:case:return", {"reason": "wrong dates"}) == [("ann", "Returned: wrong dates")]
