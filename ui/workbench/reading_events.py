"""What happened to a case, in words: who judged, decided, corrected or reopened it, from its events."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotator.cases.history import EventRow
from scoring.model.taxonomy import Stage, Verdict
from ui.theme.words import STAGE

_SAID = {
    Verdict.APPROVE: "approved",
    Verdict.RETURN: "returned",
    Verdict.ESCALATE: "escalated",
    Verdict.REJECT: "rejected",
}
_SYSTEM = "system"


@dataclass(frozen=True)
class Happened:
    """One thing that happened; `who` is empty where it followed by rule."""

    who: str
    words: str
    at: datetime


def what_happened(events: Sequence[EventRow]) -> tuple[Happened, ...]:
    """The events that say something about the course of a case, in the order they are given.

    Claims, drafts and remarks are left out: they change nothing about it.
    """
    found = []
    for event in events:
        words_of = _WORDS.get(event.action)
        if words_of is not None:
            payload = json.loads(event.payload)
            words = words_of({name: str(value) for name, value in payload.items()})
            found.append(Happened("" if event.actor == _SYSTEM else event.actor, words, event.at))
    return tuple(found)


Payload = Mapping[str, str]


def _submitted(payload: Payload) -> str:
    return f"{STAGE[Stage(payload['at'])]}: {_SAID[Verdict(payload['verdict'])]}"


def _decided(payload: Payload) -> str:
    corrected = ", corrected" if payload.get("correction") == "True" else ""
    return f"Decision: {_SAID[Verdict(payload['verdict'])]}{corrected}"


def _closed(payload: Payload) -> str:
    why = f", {payload['why']}" if payload.get("why") else ""
    return f"Round closed{why}; now at: {STAGE[Stage(payload['to'])].lower()}"


def _left(payload: Payload) -> str:
    words = "Skipped" if payload.get("status") == "skipped" else "Handed back"
    return f"{words}: {payload['reason']}" if payload.get("reason") else words


def _marked(payload: Payload) -> str:
    return "Marked as a gold example" if payload.get("is_gold") == "True" else "No gold example any more"


_WORDS: Mapping[str, Callable[[Payload], str]] = {
    "review:judgment:submit": _submitted,
    "review:judgment:withdraw": lambda _: "Took the judgment back",
    "review:round:close": _closed,
    "review:case:decide": _decided,
    "review:case:reopen": lambda payload: f"Reopened: {payload['reason']}",
    "review:case:reassign": lambda _: "Gave it to somebody",
    "review:case:leave": _left,
    "case:content:put": lambda payload: f"Corrected: {payload['reason']}",
    "case:gold:mark": _marked,
}
