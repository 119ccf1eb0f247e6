"""Replies asked for as streams: what is sent, when the first token came, and what breaks off."""

import json
import threading
from collections.abc import Iterator, Sequence

import pytest

from annotator.llm import ModelError, connection
from annotator.llm.responses import holds_token
from scoring.model.record import JsonObject
from tests.annotator.llm.asking import HELLO, client_of, failure
from tests.scripted_model.server import Asked, Script, Sent, event, in_turn, refused, said

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
CHUNKED = HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
ROLE = event({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
CALLS = [
    {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    for n, (name, arguments) in enumerate(
        [("f", {"city": "São Paulo", "days": 3}), ("g", {}), ("h", {"of": [1, 2, 3, 4]})]
    )
]


def piece(text: str, key: str = "content") -> bytes:
    """An event that brings some text."""
    return event({"choices": [{"delta": {key: text}}]})


def stream(*pieces: bytes, head: bytes = HEAD) -> Sent:
    """A stream as it is, with nothing after it but the end of the connection."""
    return Sent(stream=[head, *pieces])


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "It will rain.", "reasoning_content": "Look it up. Say it."},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "assistant", "content": "Wait.", "reasoning_content": "Hm.", "tool_calls": CALLS[:1]},
        {"role": "assistant", "content": None},
    ],
)
def test_a_stream_says_what_one_body_would(message: JsonObject) -> None:
    sent = Sent(message=message, tokens=(7, 2), finish_reason="tool_calls")
    with client_of(lambda _: sent) as (client, _):
        whole = client.ask(HELLO)
    with client_of(lambda _: sent, stream=True) as (client, model):
        streamed = client.ask(HELLO)
    assert model.asked[0].body["stream"] is True
    assert model.asked[0].body["stream_options"] == {"include_usage": True}
    beside = {"latency_seconds", "first_token_seconds"}
    assert streamed.model_dump(exclude=beside) == whole.model_dump(exclude=beside)
    assert whole.first_token_seconds is None
    # A message of nothing has no first token.
    says = message["content"] or "tool_calls" in message
    assert (streamed.first_token_seconds is not None) is bool(says)


@pytest.mark.parametrize(
    "first",
    [
        piece("Hm.", "reasoning_content"),
        piece("Hi."),
        event({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f"}}]}}]}),
    ],
)
def test_the_first_token_is_a_text_a_thought_or_a_call_and_not_the_role(first: bytes) -> None:
    held, rest = 0.3, threading.Event()

    def pieces() -> Iterator[bytes]:
        yield HEAD + b": hello\n\n" + ROLE
        rest.wait(held)
        yield first
        rest.wait(held)
        yield piece("Bye.") + b"data: [DONE]\n\n"

    with client_of(lambda _: Sent(stream=pieces()), stream=True) as (client, _):
        found = client.ask(HELLO)
    assert found.first_token_seconds is not None
    assert held <= found.first_token_seconds < found.latency_seconds
    assert 2 * held <= found.latency_seconds


def test_the_first_token_is_seen_in_pieces_and_nothing_behind_it_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen, first = threading.Event(), piece("Hi.")
    looks: list[bool] = []

    def look(events: bytes) -> bool:
        looks.append(holds_token(events))
        if looks[-1]:
            seen.set()
        return looks[-1]

    def pieces() -> Iterator[bytes]:
        yield HEAD + ROLE + first[:20]
        seen.wait(0.3)  # so that the rest comes by itself
        yield first[20:]
        seen.wait(60)
        yield piece("Bye.") + b"data: [DONE]\n\n"

    monkeypatch.setattr(connection, "holds_token", look)
    with client_of(lambda _: Sent(stream=pieces()), stream=True) as (client, _):
        found = client.ask(HELLO)
    assert found.message["content"] == "Hi.Bye."
    assert looks.index(True) == len(looks) - 1


def test_a_stream_that_ends_without_a_word_is_an_empty_reply_and_no_failure() -> None:
    said_nothing: list[JsonObject] = [
        {"delta": {"role": "assistant"}},
        {"delta": {}, "finish_reason": "stop"},
    ]
    pieces = (event({"choices": [choice]}) for choice in said_nothing)
    with client_of(lambda _: stream(*pieces), stream=True) as (client, model):
        found = client.ask(HELLO)
    assert (found.message["content"], found.first_token_seconds) == (None, None)
    assert len(model.asked) == 1


def test_an_endpoint_that_ignores_the_wish_leaves_a_gap() -> None:
    plain = Sent(message={"role": "assistant", "content": "Hi.\ndata: there"}, streams=False)
    with client_of(lambda _: plain, stream=True) as (client, model):
        found = client.ask(HELLO)
    assert found.message["content"] == "Hi.\ndata: there"
    assert found.usage == {"prompt_tokens": 100, "completion_tokens": 10}
    assert found.first_token_seconds is None
    assert len(model.asked) == 1


@pytest.mark.parametrize("status", [400, 422, 501])
def test_an_endpoint_that_refuses_streams_is_asked_without_and_not_again(status: int) -> None:
    def script(asked: Asked) -> Sent:
        return refused(status, "stream is not supported") if "stream" in asked.body else said("Hi.")

    with client_of(script, stream=True) as (client, model):
        found = [client.ask(HELLO) for _ in range(2)]
    assert [one.message["content"] for one in found] == ["Hi.", "Hi."]
    assert [one.first_token_seconds for one in found] == [None, None]
    assert ["stream" in one.body for one in model.asked] == [True, False, False]


def test_a_refusal_of_an_endpoint_that_streams_is_about_the_request() -> None:
    with client_of(in_turn(said("Hi."), refused(400, "too long")), stream=True) as (client, model):
        client.ask(HELLO)
        with pytest.raises(ModelError, match="too long"):
            client.ask(HELLO)
    assert ["stream" in one.body for one in model.asked] == [True, True]


def test_a_refusal_with_and_without_a_stream_is_told_as_it_was() -> None:
    error, times = failure(lambda _: refused(400, "too long"), stream=True)
    assert (error.kind, times) == ("http_400", 2)


BROKEN: Sequence[tuple[Sent, str]] = [
    (stream(ROLE, piece("Goo")), "The stream broke off."),
    (stream(b"40\r\n" + piece("Goo"), head=CHUNKED), "The stream broke off."),
    (stream(ROLE, piece("Goo"), b'data: {"choices": [{"del\n\n'), "an event of its stream is none."),
    (stream(ROLE, piece("Goo"), event({"error": {"message": "overloaded"}})), "overloaded"),
    (stream(piece("Goo"), b"event: error\n" + event({"message": "out of memory"})), "out of memory"),
    (stream(piece("Goo"), event({"object": "error", "message": "aborted"}), b"data: [DONE]\n\n"), "aborted"),
]


@pytest.mark.parametrize(("broken", "words"), BROKEN)
def test_a_stream_that_breaks_is_no_reply_and_is_tried_again(broken: Sent, words: str) -> None:
    with client_of(in_turn(broken, said("Good.")), stream=True) as (client, model):
        assert client.ask(HELLO).message["content"] == "Good."
    assert len(model.asked) == 2
    always: Script = lambda _: broken  # noqa: E731
    error, times = failure(always, stream=True)
    assert words in error.message
    assert (error.kind, times, error.is_hopeless) == ("bad_response", 4, False)
