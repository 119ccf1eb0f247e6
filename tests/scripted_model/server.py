"""An endpoint that follows a script: real HTTP on 127.0.0.1, chat completions in OpenAI shape."""

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import zip_longest
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from scoring.model.record import JsonObject

PATH = "/v1/chat/completions"
_WORDS = re.compile(r"\s*\S+|\s+")


@dataclass(frozen=True)
class Asked:
    """One request as it came in; `number` counts them from 0."""

    number: int
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation that was sent."""
        return list(self.body["messages"])


@dataclass(frozen=True)
class Sent:
    """What goes back.

    `message` is wrapped as a completion, unless `body` gives the whole text of the response. None tokens
    leave `usage` out. A response that `hangs_up` closes the connection without a word. With a `stream` the
    response has no length: what comes out is sent piece by piece, as it is, for as long as somebody reads.
    A `finish_reason` of `length` says that the message was cut off. A request for a stream gets one, unless
    `streams` says otherwise.
    """

    message: Mapping[str, Any] | None = None
    tokens: tuple[int, int] | None = (100, 10)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    delay_seconds: float = 0.0
    hangs_up: bool = False
    stream: Iterable[bytes] | None = None
    finish_reason: str = "stop"
    streams: bool = True

    def text(self) -> str:
        """The body of the response."""
        if self.body is not None:
            return self.body
        completion: dict[str, Any] = {
            "id": "c",
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": self.finish_reason, "message": self.message}],
        }
        if self.tokens:
            completion["usage"] = {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}
        return json.dumps(completion)

    def pieces(self, *, with_usage: bool = False) -> Iterator[bytes]:
        """The message as server-sent events, for a request that wants a stream.

        Words come one by one, thoughts first; calls begin one after another, and the pieces of their
        arguments come in turn.
        """
        message = self.message or {}
        deltas: list[JsonObject] = [{"role": "assistant", "content": ""}]
        for key in ("reasoning_content", "content"):
            deltas += [{key: part} for part in _WORDS.findall(message.get(key) or "")]
        calls = message.get("tool_calls") or []
        for index, call in enumerate(calls):
            started = call["function"] | {"arguments": ""}
            deltas.append({"tool_calls": [{"index": index, **call, "function": started}]})
        texts = [_WORDS.findall(call["function"]["arguments"]) for call in calls]
        for parts in zip_longest(*texts, fillvalue=""):
            for index, part in enumerate(parts):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
        choices: list[JsonObject] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": self.finish_reason})
        for choice in choices:
            yield event({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})
        if with_usage and self.tokens:
            usage: JsonObject = {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}
            yield event({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"


def event(chunk: JsonObject) -> bytes:
    """One event of a stream."""
    return f"data: {json.dumps(chunk)}\n\n".encode()


def said(content: str | None, *, tokens: tuple[int, int] | None = (100, 10)) -> Sent:
    """A reply of text alone."""
    return Sent(message={"role": "assistant", "content": content}, tokens=tokens)


def refused(status: int, message: str = "no", **headers: str) -> Sent:
    """An error in OpenAI shape; keyword arguments are headers, `_` for `-`."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": None}})
    return Sent(status=status, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


Script = Callable[[Asked], Sent]


def in_turn(*sent: Sent) -> Script:
    """A script that sends one response after another and then repeats the last."""
    return lambda asked: sent[min(asked.number, len(sent) - 1)]


class ScriptedModel:
    """The running endpoint; use it in a `with` block.

    Args:
        script: Says what to send back to each request; called on the server's threads.
    """

    def __init__(self, script: Script) -> None:
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._script = script
        self._at_once = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """Its address, as a client is told."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def is_closing(self) -> bool:
        """Whether nothing more is to be sent."""
        return self._closing.is_set()

    def answer(self, body: dict[str, Any], headers: Mapping[str, str]) -> Sent:
        """Take a request in and say what to send."""
        with self._lock:
            asked = Asked(len(self.asked), body, headers)
            self.asked.append(asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            sent = self._script(asked)
            self._closing.wait(sent.delay_seconds)
            return sent
        finally:
            with self._lock:
                self._at_once -= 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _request_body(text: bytes) -> dict[str, Any] | None:
    """The request, None where it is none."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return None
    return body if all(isinstance(message, dict) for message in body["messages"]) else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with the library's 5, some of many that connect at once wait a second

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet: two would wait for each other's receipt

        def do_POST(self) -> None:
            """Answer one request."""
            headers = {name.lower(): value for name, value in self.headers.items()}
            text = self.rfile.read(int(headers.get("content-length", 0)))
            if urlsplit(self.path).path != PATH:
                self._send(refused(404, "Not Found"))
                return
            body = _request_body(text)
            if body is None:
                self._send(refused(400, "The request is no JSON object with a list of messages."))
                return
            sent = model.answer(body, headers)
            if sent.hangs_up:
                self.close_connection = True
                return
            if (
                body.get("stream") is True
                and sent.streams
                and sent.status == 200
                and sent.message is not None
            ):
                options = body.get("stream_options") or {}
                self._start("text/event-stream", {})
                self._send_pieces(sent.pieces(with_usage=options.get("include_usage") is True))
                return
            self._send(sent)

        def _start(self, content_type: str, headers: Mapping[str, str], status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def _send_pieces(self, pieces: Iterable[bytes]) -> None:
            self.close_connection = True
            for piece in pieces:
                if model.is_closing:
                    return
                self.wfile.write(piece)
                self.wfile.flush()

        def _send(self, sent: Sent) -> None:
            if sent.stream is not None:
                self._send_pieces(sent.stream)
                return
            content = sent.text().encode("utf-8", "surrogatepass")
            headers = {"Content-Length": str(len(content)), **sent.headers}
            self._start("application/json", headers, sent.status)
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the parent's name)
            """Say nothing: tests look at what was asked."""

    return Handler
