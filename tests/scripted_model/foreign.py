"""Five roles that play well, but for what models of other makes do: ignore the policy, refuse, break off."""

import hashlib
import json
from collections.abc import Callable
from random import Random
from typing import Any

from annotator.generation.checks.replies import read_decision, text_of
from annotator.generation.roles import ROLE_HEADER
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from tests.scripted_model.endpoint import FiveRoles
from tests.scripted_model.server import Asked, Sent, said

Habit = Callable[[Asked, Sent, Random], Sent]
"""Turns what a good model sends into what this one sends; the draw follows from the request."""


class ForeignRoles:
    """The bundled five roles with one bad habit.

    Args:
        role: Whose habit it is.
        habit: What it does.
    """

    def __init__(self, role: str, habit: Habit) -> None:
        self._roles = FiveRoles(seed=1)
        self._role = role
        self._habit = habit

    def __call__(self, asked: Asked) -> Sent:
        """Answer one request."""
        sent = self._roles(asked)
        if asked.headers.get(ROLE_HEADER.lower()) != self._role:
            return sent
        digest = hashlib.sha256(json.dumps(asked.messages, sort_keys=True).encode()).hexdigest()
        return self._habit(asked, sent, Random(digest))


def strays_a_third_of_the_time(asked: Asked, sent: Sent, random: Random) -> Sent:
    """A planner that does something else than the request asks for, unless it was just told why not."""
    del asked
    return _other(sent) if random.random() < 1 / 3 else sent


def never_asks(asked: Asked, sent: Sent, random: Random) -> Sent:
    """A planner that answers from general knowledge where it should ask the user, whatever it is told."""
    del asked, random
    return _other(sent) if read_decision(sent.message or {}).names == (ASK_NAME,) else sent


def _other(sent: Sent) -> Sent:
    """An answer instead of a question or call, a question to the user instead of an answer."""
    is_answer = read_decision(sent.message or {}).names == (ANSWER_NAME,)
    action: dict[str, Any] = {"name": ANSWER_NAME, "arguments": {"answer_type": "chat"}}
    if is_answer:
        action = {"name": ASK_NAME, "arguments": {"tool_list": []}}
    return said(json.dumps({"Thought": "I know better.", "Plan": "My own.", "Action_List": [action]}))


def refuses(asked: Asked, sent: Sent, random: Random) -> Sent:
    """A user that now and then refuses, tells instead of inventing, or breaks off."""
    if '"Task 1"' not in str(asked.messages[0]["content"]):
        return sent
    text = text_of(sent.message or {})
    replies = (
        said("I would rather not."),
        said('{"Task 1": "I cannot help with that.", "Task 2": "I would rather not."}'),
        said("They might look for something nice to do in the town."),
        said(text[: len(text) * 2 // 3]),
        Sent(message=sent.message, finish_reason="length"),
    )
    return random.choice((sent, sent, *replies))
