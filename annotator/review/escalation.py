"""Why the system escalated a case: a closed set of reasons with their values, as events keep them."""

import json
from collections.abc import Sequence
from enum import StrEnum

from db.read.rows import EventRow
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import Stage

HASTY_NOTE = "Submitted faster than it can be read; it comes beside the random sample."
"""Note of a case that came to the experts beside a sample."""


class EscalationReason(StrEnum):
    """The rule that escalated a case (design 3.3)."""

    NOT_ALL_APPROVED = "not_all_approved"
    SHARE_ABOVE_THRESHOLD = "share_above_threshold"
    NO_MAJORITY = "no_majority"
    MOST_SAY_NO = "most_say_no"
    REVIEWER_SAYS_NO = "reviewer_says_no"
    EDIT_PROPOSED = "edit_proposed"
    DRAWING_BREAKS_RULE = "drawing_breaks_rule"
    BATCH_FLAGGED = "batch_flagged"
    GOLD_QUESTIONED = "gold_questioned"
    WRONG_IN_SAMPLE = "wrong_in_sample"


class Escalation(Record):
    """A reason with its values: the id of the field somebody denies, or what the rule of drawings says.

    `models` are those whose runs question the gold together.
    """

    reason: EscalationReason
    field: str = ""
    detail: str = ""
    models: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The reason in words, the field by its id."""
        return {
            EscalationReason.NOT_ALL_APPROVED: "not all reviewers approved",
            EscalationReason.SHARE_ABOVE_THRESHOLD: self.detail,
            EscalationReason.NO_MAJORITY: "a field has no majority",
            EscalationReason.MOST_SAY_NO: f"most raters say no to {self.field}",
            EscalationReason.REVIEWER_SAYS_NO: f"a reviewer says no to {self.field}",
            EscalationReason.EDIT_PROPOSED: "a reviewer proposes an edit",
            EscalationReason.DRAWING_BREAKS_RULE: f"the majority's drawing breaks a rule: {self.detail}",
            EscalationReason.BATCH_FLAGGED: "its batch is flagged",
            EscalationReason.GOLD_QUESTIONED: f"runs question the gold: {self.detail}",
            EscalationReason.WRONG_IN_SAMPLE: f"another expert found it wrong in a sample: {self.detail}",
        }[self.reason]

    @property
    def payload(self) -> JsonObject:
        """What the event of the escalation says."""
        return {"to": Stage.ESCALATED.value, "escalation": self.model_dump(mode="json")}


def last_escalation(events: Sequence[EventRow]) -> Escalation | None:
    """Why a case was escalated last.

    Args:
        events: The events of the case, newest first.

    Returns:
        None where its owner escalated it, and for events written before the reason was kept with them.
    """
    for event in events:
        payload = json.loads(event.payload)
        if payload.get("to") == Stage.ESCALATED.value:
            said = payload.get("escalation")
            return Escalation.model_validate_json(json.dumps(said)) if said is not None else None
    return None
