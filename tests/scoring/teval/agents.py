"""Six scripted agents, each right about everything but one ability."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from scoring.model.record import JsonObject
from scoring.teval.items import ItemReply, Replies
from scoring.teval.subsets import Items, Subset
from tests.scoring.teval.gold_replies import gold_reply

Spoil = Callable[[Subset, JsonObject, str], str]


def _rambles(subset: Subset, body: JsonObject, reply: str) -> str:
    """INSTRUCT: says what it would do instead of writing it in the layout."""
    return f"I would like to call it, roughly so: {reply[:12]}" if subset is Subset.INSTRUCT else reply


def _plans_backwards(subset: Subset, body: JsonObject, reply: str) -> str:
    """PLAN: the right calls in the opposite order."""
    if subset is Subset.PLAN_STR:
        return "\n".join(reversed(reply.split("\n")))
    if subset is Subset.PLAN_JSON:
        steps: Any = json.loads(reply)
        return json.dumps([{**step, "id": i} for i, step in enumerate(reversed(steps))])
    return reply


def _thinks_of_lunch(subset: Subset, body: JsonObject, reply: str) -> str:
    """REASON: the thought has nothing to do with the step."""
    return _changed(subset, reply, Subset.REASON_STR, "thought", lambda _: "Zzz, lunch?")


def _calls_a_neighbour(subset: Subset, body: JsonObject, reply: str) -> str:
    """RETRIEVE: a tool of another name."""
    return _changed(subset, reply, Subset.RETRIEVE_STR, "name", lambda _: "Other.tool")


def _mixes_up_values(subset: Subset, body: JsonObject, reply: str) -> str:
    """UNDERSTAND: other values."""
    wrong: Any = {"zzz": "???"}
    return _changed(
        subset, reply, Subset.UNDERSTAND_STR, "args", lambda said: wrong if isinstance(said, dict) else "???"
    )


def _believes_everything(subset: Subset, body: JsonObject, reply: str) -> str:
    """REVIEW: whatever came back is a success."""
    return "Answer: A" if subset is Subset.REVIEW_STR else reply


def _changed(subset: Subset, reply: str, in_text: Subset, field: str, spoil: Callable[[Any], Any]) -> str:
    if subset is in_text:
        return str(spoil(reply))
    if subset is not Subset.RRU_JSON:
        return reply
    said = json.loads(reply)
    return json.dumps({**said, field: spoil(said[field])})


WEAK: Mapping[str, Spoil] = {
    "instruct": _rambles,
    "plan": _plans_backwards,
    "reason": _thinks_of_lunch,
    "retrieve": _calls_a_neighbour,
    "understand": _mixes_up_values,
    "review": _believes_everything,
}
"""For each ability the agent that lacks it."""


def agent_replies(items: Items, spoil: Spoil) -> Replies:
    """What an agent replies to every item."""
    return {
        (subset, name): ItemReply(prediction=spoil(subset, body, gold_reply(subset, body)))
        for subset, listed in items.items()
        for name, body in listed.items()
    }
