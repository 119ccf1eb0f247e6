"""A model endpoint that follows a script: real HTTP on 127.0.0.1, chat completions in OpenAI shape."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

PATH = "/v1/chat/completions"


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

    `message` is wrapped as a completion, unless `body` gives the whole text of the response. Null tokens
    leave `usage` out. A response that `hangs_up` closes the connection without a word.
    """

    message: Mapping[str, Any] | None = None
    tokens: tuple[int, int] | None = (100, 10)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    delay_seconds: float = 0.0
    hangs_up: bool = False

    def text(self) -> str:
        """The body of the response."""
        if self.body is not None:
            return self.body
        completion: dict[str, Any] = {
            "id": "c",
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", "message": self.message}],
        }
        if self.tokens:
            completion["usage"] = {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}
        return json.dumps(completion)


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


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet: two would wait for each other's receipt

        def do_POST(self) -> None:
            """Answer one request."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != PATH:
                self._send(refused(404, "Not Found"))
                return
            sent = model.answer(body, {name.lower(): value for name, value in self.headers.items()})
            if sent.hangs_up:
                self.close_connection = True
                return
            self._send(sent)

        def _send(self, sent: Sent) -> None:
            content = sent.text().encode("utf-8", "surrogatepass")
            self.send_response(sent.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in sent.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the parent's name)
            """Say nothing: tests look at what was asked."""

    return Handler
