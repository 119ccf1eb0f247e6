"""An endpoint that plays the five roles over real HTTP, with mistakes of every kind at a chosen rate."""

import hashlib
import json
import re
import threading
from collections.abc import Sequence
from random import Random
from typing import Any

from scoring.model.case import Tool
from scoring.model.record import to_json
from tests.scripted_model.mistakes import OF_ENDPOINT, OF_ROLE, OF_TEXT, Mistake
from tests.scripted_model.roles import play
from tests.scripted_model.scene import ROLE_HEADER, read_scene
from tests.scripted_model.server import Asked, ScriptedModel, Sent, refused, said
from tests.scripted_model.values import make_value, properties_of, required_of

MODEL = "scripted"
_LETTERS_PER_TOKEN = 4
_SLOW_SECONDS = 0.5


class FiveRoles:
    """The script of such an endpoint. What it says depends on the seed and the request alone.

    A request that comes again gets the same text, but its mistakes are drawn afresh.

    Args:
        seed: Chooses words, values and mistakes.
        mistake_rate: Share of replies with a mistake, 0 to 1.
        mistakes: The kinds that may happen; every kind unless told.
        delay_seconds: How long each reply takes.
        key: The key a request has to bring; None if there is none.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        mistake_rate: float = 0.0,
        mistakes: Sequence[Mistake] = tuple(Mistake),
        delay_seconds: float = 0.0,
        key: str | None = None,
    ) -> None:
        self._seed = seed
        self._rate = mistake_rate
        self._mistakes = frozenset(mistakes)
        self._delay_seconds = delay_seconds
        self._key = key
        self._times: dict[str, int] = {}
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Sent:
        """Answer one request."""
        if self._key is not None and asked.headers.get("authorization") != f"Bearer {self._key}":
            return refused(401, "Incorrect API key.")
        role = asked.headers.get(ROLE_HEADER, "")
        if role and role not in OF_ROLE:
            return refused(400, f"There is no role {role[:40]!r}.")
        digest = _digest(self._seed, role, asked.body.get("messages"))
        with self._lock:
            times = self._times[digest] = self._times.get(digest, 0) + 1
        mistake = self._draw_mistake(Random(f"{digest}:{times}"), role)
        if mistake in OF_ENDPOINT:
            failed = _failed(mistake)
            if failed is not None:
                return failed
        sent = self._reply(asked, Random(digest), mistake)
        tokens = (len(to_json(asked.body)) // _LETTERS_PER_TOKEN, len(sent.text()) // _LETTERS_PER_TOKEN)
        delay = self._delay_seconds + (_SLOW_SECONDS if mistake is Mistake.SLOW else 0.0)
        finish = "length" if mistake is Mistake.CUT_OFF else sent.finish_reason
        return Sent(message=sent.message, tokens=tokens, delay_seconds=delay, finish_reason=finish)

    def _draw_mistake(self, random: Random, role: str) -> Mistake | None:
        if random.random() >= self._rate:
            return None
        possible = [
            kind
            for kind in (*OF_ENDPOINT, *OF_TEXT, *OF_ROLE.get(role, ()))
            if kind in self._mistakes and (role != "agent" or kind not in _ABOUT_JSON)
        ]
        return random.choice(possible) if possible else None

    def _reply(self, asked: Asked, random: Random, mistake: Mistake | None) -> Sent:
        scene = read_scene(asked.body, asked.headers)
        if not scene.role:
            return _as_assistant(asked.body, scene.tools, random)
        if not scene.tools:
            return said("I see no tools in this request.")
        return said(misspelled(play(scene, random, mistake), mistake))


_ABOUT_JSON = (Mistake.NO_FENCE, Mistake.TRAILING_COMMA, Mistake.SINGLE_QUOTES, Mistake.BROKEN_JSON)


def _digest(seed: int, role: str, messages: object) -> str:
    text = json.dumps([seed, role, messages], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _failed(mistake: Mistake) -> Sent | None:
    """What a failing endpoint sends; None where it only takes longer."""
    return {
        Mistake.RATE_LIMIT: refused(429, "Too many requests.", Retry_After_Ms="50"),
        Mistake.SERVER_ERROR: refused(500, "Something broke."),
        Mistake.DROPPED: Sent(hangs_up=True),
        Mistake.BAD_JSON: Sent(body='{"choices": [{"message": {"content": "'),
        Mistake.NO_CHOICE: Sent(body='{"choices": []}'),
    }.get(mistake)


def misspelled(text: str, mistake: Mistake | None) -> str:
    """A reply as a careless model writes it; unchanged where the mistake is none of writing."""
    fenced = re.search(r"```json\n(.*)\n```", text, re.DOTALL)
    inner = fenced[1] if fenced else text
    changed = {
        Mistake.EMPTY: "",
        Mistake.CUT_OFF: text[: len(text) // 2],
        Mistake.PROSE_AROUND: f"Here is what you asked for:\n{text}\nI hope this helps.",
        Mistake.NO_FENCE: text.replace("```json\n", "").replace("\n```", ""),
        Mistake.TRAILING_COMMA: text.replace(inner, re.sub(r"(?<=[^\s,{\[])\n(\s*[}\]])", r",\n\1", inner)),
        Mistake.SINGLE_QUOTES: _single_quoted(text, inner) if fenced else text,
        Mistake.BROKEN_JSON: text.replace(inner, inner.replace(":", " =", 2).rstrip("}")),
    }
    return text if mistake is None else changed.get(mistake, text)


def _single_quoted(text: str, inner: str) -> str:
    try:
        return text.replace(inner, repr(json.loads(inner)))
    except ValueError:
        return text


def _as_assistant(body: dict[str, Any], tools: Sequence[Tool], random: Random) -> Sent:
    """A model under test without a role: it calls a tool once where tools are offered, then answers."""
    messages = body["messages"]
    if not tools or (messages and messages[-1].get("role") == "tool"):
        return said("Done.")
    tool = random.choice(tools)
    declared = properties_of(tool)
    arguments = {name: make_value(declared[name], name, random) for name in required_of(tool)}
    function = {"name": tool.name, "arguments": json.dumps(arguments)}
    call = {"id": "call-0", "type": "function", "function": function}
    return Sent(message={"role": "assistant", "content": None, "tool_calls": [call]})


def scripted_endpoint(**script: Any) -> ScriptedModel:
    """An endpoint that plays the five roles, to be used in a `with` block.

    Args:
        script: Arguments of `FiveRoles`.
    """
    return ScriptedModel(FiveRoles(**script))
