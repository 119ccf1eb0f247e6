"""Replies that say exactly what each item wants to hear, and cases that every item can be cut from."""

import json
from typing import Any

from scoring.model.case import Answer, Call, Case, Tool
from scoring.model.record import JsonObject
from scoring.teval.items import ItemReply, Replies
from scoring.teval.subsets import Items, Subset
from tests.factories import case, task


def gold_reply(subset: Subset, body: JsonObject) -> str:
    """The reply that is right to the letter."""
    gold: Any = body["ground_truth"]
    if subset is Subset.INSTRUCT:
        template: Any = body["template"]
        if "args_start" not in template:
            said = {template["thought"]: "why", template["action"]: gold["action"]}
            return json.dumps({**said, template["args"]: gold["args"]})
        values = {"thought": "why", "action": gold["action"], "args": str(gold["args"])}
        return "".join(
            f"{template[f'{name}_start']}{value}{template[f'{name}_end']}" for name, value in values.items()
        )
    if subset is Subset.PLAN_STR:
        return "\n".join(f"{step['id'] + 1}. {step['args']}" for step in gold)
    if subset is Subset.REVIEW_STR:
        return f"Answer: {gold['answer']}"
    if subset in (Subset.PLAN_JSON, Subset.RRU_JSON):
        return json.dumps(gold)
    return str(next(iter(gold.values())))


def gold_replies(items: Items) -> Replies:
    """The right reply to every item."""
    return {
        (subset, name): ItemReply(prediction=gold_reply(subset, body))
        for subset, listed in items.items()
        for name, body in listed.items()
    }


def parcel_tool(name: str, *required: str, **optional: str) -> Tool:
    """A tool whose parameters are texts, but for the optional ones."""
    properties = {each: {"type": "string"} for each in required} | {
        each: {"type": kind} for each, kind in optional.items()
    }
    return Tool(
        definition={
            "name": name,
            "parameters": {"type": "object", "properties": dict(properties), "required": list(required)},
        }
    )


TOOLS = (parcel_tool("findParcel", "number"), parcel_tool("reroute", "depot", urgent="boolean"))


def parcel_call(name: str, thought: str | None, observation: Any, label: str | None, **args: Any) -> Call:
    """A call of this parcel service."""
    return Call(name=name, arguments=args, observation=observation, thought=thought, review=label)


def full_case() -> Case:
    """Two calls with thoughts and labels, one of them after a failure, and a thought before the answer."""
    steps = (
        parcel_call("findParcel", "Find the parcel first.", {"depot": "Hamar-7"}, "Success", number="P-8"),
        parcel_call("reroute", "Send it on.", {"error": "busy"}, "Internal Error", depot="Hamar-7"),
        parcel_call("reroute", "Try it again.", {"ok": True}, "Success", depot="Hamar-7", urgent=True),
        Answer(text="It goes on.", thought="Nothing is left to do."),
    )
    return case(task(*steps, user="Send P-8 on.", edges=[(0, 1), (1, 2)]), tools=TOOLS, id="parcel.1")
