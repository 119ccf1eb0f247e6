"""Five roles of another make than the bundled ones: they know the header alone."""

import itertools
import json
from typing import Any

from tests.scripted_model.server import Asked, Sent, said

_ANSWER = {"arguments": {"answer_type": "tool"}, "name": "prepare_to_answer"}


class PlainRoles:
    """A script for `ScriptedModel` that calls the first tool once for every request, then concludes.

    Requests come as a bare list, decisions once as native calls without ids and without content and once
    in prose, observations without their key, opinions as a sentence.
    """

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def __call__(self, asked: Asked) -> Sent:
        """Reply in the role the header names."""
        sent: Sent = getattr(self, f"_{asked.headers['x-annotator-role']}")(asked)
        return sent

    def _user(self, asked: Asked) -> Sent:
        number = next(self._numbers)
        words = ("red", "green", "blue", "white", "black")
        texts = [f"Show {word} {number} of house {number * 7} in street {number * 11}" for word in words]
        return said("Of course!\n" + json.dumps(texts) + "\nAnything else?")

    def _planner(self, asked: Asked) -> Sent:
        last = next(m for m in reversed(asked.messages[:-1]) if "Switch" not in str(m["content"]))
        if "Observation_List" in str(last["content"]):
            decision = json.dumps({"Action_List": [_ANSWER], "Plan": "Answer.", "Thought": "Done."})
            return said(f"I am done here. {decision} That is all.")
        function = asked.body["tools"][0]["function"]
        arguments = {name: f"x{next(self._numbers)}" for name in function["parameters"]["required"]}
        call = {"function": {"arguments": json.dumps(arguments), "name": function["name"]}}
        return Sent(message={"tool_calls": [call], "content": None, "role": "assistant"})

    def _tool(self, asked: Asked) -> Sent:
        observation = {"response": {"id": next(self._numbers)}, "status_code": 200}
        return said(f"```\n[{observation!r},]\n```")

    def _agent(self, asked: Asked) -> Sent:
        return said("Here is what I found.")

    def _checker(self, asked: Asked) -> Sent:
        return said("Yes, the order is right.")


def key_of(asked: Asked) -> str:
    """What makes two requests the same."""
    body: dict[str, Any] = {"role": asked.headers["x-annotator-role"], "messages": asked.messages}
    return json.dumps(body, sort_keys=True)
