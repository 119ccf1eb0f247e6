"""A server of another make than the bundled one: it routes by the header alone and answers in six styles."""

import itertools
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple

STYLES = ("prose", "native", "tags", "events", "named", "bare")
_KIND = re.compile(r"(?:Wanted kind of request: |需要的类型：)(\w+)")
_SWITCH = re.compile(r"^(Switch role|请?切换|切换)")


class Reply(NamedTuple):
    """What a role means, before it is dressed: a text, a JSON value, or calls."""

    text: str = ""
    value: Any = None
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


class Roles:
    """Five roles that call tools of a town; a request says by a word of its own what it needs."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def reply(self, role: str, messages: list[dict[str, Any]]) -> Reply:
        """What the role means to say."""
        if role == "agent":
            return Reply(text="Here it is: item 7.")
        if role == "checker":
            return Reply(value={"correct": "yes", "tool_call_analysis": "Independent."})
        parts = {"user": self._user, "planner": self._planner, "tool": self._tool}
        return parts[role](messages)

    def _user(self, messages: list[dict[str, Any]]) -> Reply:
        number, told = next(self._numbers), str(messages[0]["content"])
        found = _KIND.search(told)
        if found is None:
            return Reply(text=f"The town is Ulm {number}.")
        kind = found[1].partition("_")[0]
        words = ("Look up", "Could you find", "I need to know about", "Tell me of", "Kindly check")
        return Reply(
            value={
                f"Task {i}": f"{word} {kind}-{number * 13} near bridge {number * 7 + i}"
                for i, word in enumerate(words, 1)
            }
        )

    def _planner(self, messages: list[dict[str, Any]]) -> Reply:
        said = [str(m["content"]) for m in messages[1:] if not _SWITCH.match(str(m["content"]))]
        start = max(i for i, text in enumerate(said) if re.search(r"(single|multi|clarify|chat)-\d", text))
        found = re.search(r"(single|multi|clarify|chat)-(\d+)", said[start])
        assert found is not None
        kind, town = found[1], f"Ulm {found[2]}"
        since = said[start + 1 :]
        if any("Observation_List" in text for text in since):
            return Reply(calls=(("prepare_to_answer", {"answer_type": "tool"}),))
        if kind == "chat":
            return Reply(calls=(("prepare_to_answer", {"answer_type": "chat"}),))
        if kind == "clarify" and not any("item 7" in text for text in since):
            asked = {"tool_name": "findHotels", "missing_required_parameters": ["town"]}
            return Reply(calls=(("ask_user_for_required_parameters", asked),))
        calls: tuple[tuple[str, dict[str, Any]], ...] = (("findHotels", {"town": town}),)
        return Reply(calls=(*calls, ("getWeather", {"town": town})) if kind == "multi" else calls)

    def _tool(self, messages: list[dict[str, Any]]) -> Reply:
        decided = next(str(m["content"]) for m in reversed(messages) if "Action_List" in str(m["content"]))
        count = decided.count('"name":')
        observation = {"status_code": 200, "response": {"name": "Hotel d'Or", "free": True, "next": None}}
        return Reply(value={"Observation_List": [observation] * count})


def _decision(calls: tuple[tuple[str, dict[str, Any]], ...]) -> dict[str, Any]:
    listed = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {"Thought": "It's clear.", "Plan": "Go on.", "Action_List": listed}


def dressed(style: str, meant: Reply) -> dict[str, Any]:
    """The message of a reply in a style."""
    content: Any = meant.text
    message: dict[str, Any] = {"role": "assistant", "refusal": None, "annotations": []}
    if style in ("native", "events") and not meant.text:
        calls = meant.calls or (("reply", meant.value),)
        # Arguments are an object, ids are missing: both are seen in the wild.
        listed = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
        return {**message, "content": None, "reasoning_content": "Let me see {first}.", "tool_calls": listed}
    if style == "tags" and meant.calls:
        tags = (json.dumps({"name": name, "arguments": given}) for name, given in meant.calls)
        content = "\n".join(f"<tool_call>\n{tag}\n</tool_call>" for tag in tags)
    elif style == "named" and meant.calls:
        lines = (f"Action: {name}\nAction Input: {json.dumps(given)}" for name, given in meant.calls)
        content = "Thought: I know what to do.\n" + "\n".join(lines)
    elif style == "bare" and meant.calls:
        content = json.dumps([{"action": name, "action_input": given} for name, given in meant.calls])
    elif not meant.text:
        value = _decision(meant.calls) if meant.calls else meant.value
        # Written as Python does: single quotes, True and None; and a comma too many.
        content = f"Certainly [1]! Here you are:\n```json\n{repr(value)[:-1]},}}\n```\nAnything else?"
        content = repr(value) if style == "bare" else content
    if style == "tags":
        content = [
            {"type": "thinking", "text": "{}"},
            {"type": "text", "text": f"<think>{{}}</think>{content}"},
        ]
    if style == "named":
        content = f"First I think of [it].</think>\n\n{content}"
    return {**message, "content": content}


def response(style: str, message: dict[str, Any]) -> tuple[str, str]:
    """The body of a response in a style, and its type."""
    if style == "events":
        return "\n\n".join(_events(message)) + "\n\n", "text/event-stream"
    body: dict[str, Any] = {
        "system_fingerprint": None,
        "choices": [{"message": message, "logprobs": None, "finish_reason": "eos_token", "index": 0}],
        "timings": {"ms": 3},
    }
    if style == "prose":
        body["usage"] = {"prompt_tokens": 5, "completion_tokens": 5, "prompt_tokens_details": {"cached": 1}}
    elif style == "tags":
        body["usage"] = None
    return ("\ufeff" if style == "bare" else "") + json.dumps(body, indent=1), "text/plain"


def _events(message: dict[str, Any]) -> Iterator[str]:
    yield ": keep-alive"
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}]
    if message["content"]:
        deltas += [{"content": part} for part in re.findall(r".{1,7}", message["content"], re.DOTALL)]
    for index, call in enumerate(message.get("tool_calls", ())):
        name, given = call["function"]["name"], json.dumps(call["function"]["arguments"])
        deltas.append({"tool_calls": [{"index": index, "id": f"c{index}", "function": {"name": name}}]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": part}}]}
            for part in re.findall(r".{1,9}", given, re.DOTALL)
        ]
    for delta in deltas:
        yield "data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]})
    yield "data: " + json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "done"}]})
    yield "data: " + json.dumps({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9}})
    yield "data: [DONE]"


class _Handler(BaseHTTPRequestHandler):
    style: ClassVar[str]
    roles: ClassVar[Roles]
    lock: ClassVar[threading.Lock]

    def do_POST(self) -> None:
        """Answer in the role the header names; look at nothing else of the request but its messages."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            meant = self.roles.reply(self.headers["X-Annotator-Role"], asked["messages"])
        text, kind = response(self.style, dressed(self.style, meant))
        content = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the parent's name)
        """Say nothing."""


@contextmanager
def foreign_endpoint(style: str, roles: Roles | None = None) -> Iterator[str]:
    """A running server that answers in a style, with certain roles; gives its address."""
    told = {"style": style, "roles": roles or Roles(), "lock": threading.Lock()}
    handler = type("Handler", (_Handler,), told)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
