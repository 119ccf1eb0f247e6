"""Asking an endpoint over real HTTP: what is sent, what is read, what is tried again."""

import gzip
import itertools
import json
import logging
import re
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from annotator.llm import ChatClient, ModelError
from annotator.llm.endpoints import Endpoint, SamplingParameters
from annotator.llm.responses import read_completion
from scoring.errors import InputError
from tests.annotator.llm.asking import HELLO, KEY, QUICK, asked_once, client_of, failure
from tests.scripted_model.server import ScriptedModel, Sent, in_turn, refused, said

if TYPE_CHECKING:
    from scoring.model.record import JsonObject


def test_a_message_comes_back_with_tokens_time_and_reason() -> None:
    with client_of(in_turn(said("Hi.", tokens=(7, 2)))) as (client, _):
        completion = client.ask(HELLO)
    assert completion.message["content"] == "Hi."
    assert completion.usage == {"prompt_tokens": 7, "completion_tokens": 2}
    assert completion.finish_reason == "stop"
    assert 0 <= completion.latency_seconds < 5


def test_fields_of_reasoning_models_come_back_too() -> None:
    message = {"role": "assistant", "content": "Hi.", "reasoning_content": "Greet."}
    with client_of(in_turn(Sent(message=message))) as (client, _):
        assert client.ask(HELLO).message == message


def test_a_stream_nobody_asked_for_is_read_as_one_message() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": "é😀"}'}}
    sent = Sent(message={"role": "assistant", "content": "Hello you.", "tool_calls": [call]})
    with client_of(lambda _: Sent(stream=unasked(sent))) as (client, _):
        found = client.ask(HELLO)
    assert found.message == {"role": "assistant", "content": "Hello you.", "tool_calls": [call]}
    assert found.finish_reason == "stop"


def unasked(sent: Sent) -> Iterator[bytes]:
    """A response without length that is a stream of events."""
    yield b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    yield from sent.pieces()


def test_pieces_of_calls_are_joined_by_their_index_and_the_last_usage_counts() -> None:
    pieces: list[JsonObject] = [
        {"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "g", "arguments": {"b": 2}}}]},
        {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}], "reasoning_content": "So."},
    ]
    lines = [json.dumps({"choices": [{"delta": piece}]}) for piece in pieces]
    lines += [json.dumps({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}), "[DONE]"]
    found = read_completion(": hello\n\n" + "".join(f"data: {line}\r\n\r\n" for line in lines), seconds=0)
    assert found.usage == {"prompt_tokens": 3, "completion_tokens": 2}
    assert found.message["reasoning_content"] == "So."
    assert found.message["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "c2", "type": "function", "function": {"name": "g", "arguments": {"b": 2}}},
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('data: {"choices": [{"delta": {"content": "Goo"}}]}\n\n', "The stream broke off."),
        ('data: {"error": {"message": "overloaded"}}\n\n', "overloaded"),
        ("data: {\n\n", "an event of its stream is none."),
        ("data: [DONE]\n\n", "The response holds no message."),
    ],
)
def test_a_stream_without_a_whole_message_is_no_reply(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_completion(text, seconds=0)


def test_the_conversation_is_sent_as_it_is() -> None:
    conversation: list[Any] = [
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "Look.",
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "søl"},
    ]
    tools: list[Any] = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    with client_of(in_turn(said("Hi."))) as (client, model):
        client.ask(conversation, tools=tools)
    assert model.asked[0].body == {"model": "m-1", "messages": conversation, "tools": tools}


def test_sampling_is_sent_and_what_is_null_is_not() -> None:
    sampling = SamplingParameters(temperature=0, seed=7, extra={"top_k": 5})
    body = asked_once(in_turn(said("Hi.")), sampling=sampling).body
    assert body == {"model": "m-1", "messages": HELLO, "temperature": 0, "seed": 7, "top_k": 5}


def test_the_key_is_sent_as_a_bearer() -> None:
    assert asked_once(in_turn(said("Hi.")), key=KEY).headers["authorization"] == f"Bearer {KEY}"


def test_an_endpoint_without_a_key_gets_nothing_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    headers = asked_once(in_turn(said("Hi."))).headers
    assert not {"authorization", "openai-organization", "openai-project"} & set(headers)
    assert "secret" not in str(headers)


@pytest.mark.parametrize(
    "first",
    [
        refused(429),
        refused(500),
        refused(503),
        refused(529),
        Sent(hangs_up=True),
        Sent(body="<html>busy</html>"),
        Sent(body='{"choices": ['),
        Sent(body='{"choices": []}'),
        Sent(body='{"choices": [{"message": null}]}'),
        Sent(body='{"error": {"message": "overloaded"}}'),
    ],
    ids=["429", "500", "503", "529", "hang-up", "html", "torn", "no choice", "no message", "error in 200"],
)
def test_a_passing_failure_is_tried_again(first: Sent) -> None:
    with client_of(in_turn(said("Warm."), first, said("Hi."))) as (client, model):
        client.ask(HELLO)
        assert client.ask(HELLO).message["content"] == "Hi."
        assert len(model.asked) == 3


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_request_is_not_repeated(status: int) -> None:
    error, count = failure(in_turn(refused(status, "too long")))
    assert (error.kind, error.is_refused, error.is_hopeless, count) == (f"http_{status}", True, False, 1)
    assert "too long" in error.message


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_hopeless_endpoint_says_what_to_check(status: int) -> None:
    error, count = failure(in_turn(refused(status)))
    assert (error.is_hopeless, bool(error.hint), count) == (True, True, 1)


def test_a_used_up_quota_is_hopeless_although_its_status_is_429() -> None:
    body = json.dumps({"error": {"message": "pay", "code": "insufficient_quota"}})
    error, count = failure(in_turn(Sent(status=429, body=body)))
    assert (error.is_hopeless, count) == (True, 1)


def test_once_an_endpoint_has_answered_a_403_concerns_one_request() -> None:
    with client_of(in_turn(said("Hi."), refused(403))) as (client, _):
        client.ask(HELLO)
        with pytest.raises(ModelError) as caught:
            client.ask(HELLO)
    assert not caught.value.is_hopeless


def test_attempts_end_after_the_given_number() -> None:
    error, count = failure(in_turn(refused(503, "busy")))
    assert (error.kind, count) == ("http_503", 4)
    assert "4 attempts" in error.message


def test_a_model_that_takes_too_long_times_out() -> None:
    slow = Sent(message={"content": "Hi."}, delay_seconds=5)
    error, count = failure(
        in_turn(slow), patience=QUICK.model_copy(update={"timeout_seconds": 0.1, "retries": 1})
    )
    assert (error.kind, count) == ("timeout", 2)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def dripping(first: bytes, rest: bytes) -> Iterator[bytes]:
    """One byte every 50 milliseconds, none of which is late by itself, for ten seconds."""
    yield first
    for byte in rest * 200:
        time.sleep(0.05)
        yield bytes([byte])


@pytest.mark.parametrize(
    ("first", "rest"),
    [(HEAD + b"\r\n", b" "), (HEAD + b"X-Slow: ", b"a"), (b"HTTP/1.1 503 No\r\n\r\n", b" ")],
    ids=["body", "headers", "error"],
)
def test_a_reply_that_drips_ends_at_the_time_limit(first: bytes, rest: bytes) -> None:
    patience = QUICK.model_copy(update={"timeout_seconds": 0.5, "retries": 0})
    started = time.monotonic()
    error, _ = failure(in_turn(Sent(stream=dripping(first, rest))), patience=patience)
    assert error.kind == "timeout"
    assert time.monotonic() - started < 8


def megabytes(head: bytes, piece: bytes) -> Iterator[bytes]:
    """A reply of 128 megabytes: a missing limit must fail a test and not the machine."""
    yield head
    yield from itertools.repeat(piece, 128)


@pytest.mark.parametrize(
    "stream",
    [
        lambda: megabytes(HEAD + b"\r\n", b" " * 2**20),
        lambda: megabytes(b"HTTP/1.1 500 No\r\n\r\n", b" " * 2**20),
        lambda: iter([HEAD + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(bytes(2**27), 1)]),
    ],
    ids=["endless", "endless error", "packed"],
)
def test_a_reply_is_read_up_to_a_limit_of_bytes(stream: Callable[[], Iterator[bytes]]) -> None:
    patience = QUICK.model_copy(update={"retries": 0, "timeout_seconds": 60.0})
    pieces = stream()
    tracemalloc.start()
    error, _ = failure(in_turn(Sent(stream=pieces)), patience=patience)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (error.kind, "longer than 16 MB" in error.message) == ("bad_response", True)
    assert most < 64 * 2**20


def test_a_packed_reply_is_unpacked() -> None:
    body = gzip.compress(said("Hi.").text().encode())
    packed = [HEAD + b"Content-Encoding: gzip\r\n\r\n", body]
    with client_of(in_turn(Sent(stream=packed))) as (client, _):
        assert client.ask(HELLO).message["content"] == "Hi."


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_neither_key_nor_dialogue_follows_a_redirect_to_another_origin(status: int) -> None:
    with ScriptedModel(in_turn(said("Give me the key."))) as elsewhere:
        away = Sent(status=status, body="", headers={"Location": f"{elsewhere.base_url}/chat/completions"})
        error, count = failure(in_turn(away), key=KEY)
        assert (error.kind, count, elsewhere.asked) == ("redirect", 1, [])
    assert "redirects to 127.0.0.1" in error.message


def test_a_redirect_within_the_origin_is_followed() -> None:
    here = Sent(status=307, body="", headers={"Location": "/v1/chat/completions?api=2"})
    assert asked_once(in_turn(here, said("Hi.")), key=KEY).headers["authorization"] == f"Bearer {KEY}"


def test_a_redirect_to_no_address_at_all_is_refused() -> None:
    away = Sent(status=307, body="", headers={"Location": "http://elsewhere:99999/"})
    error, count = failure(in_turn(away))
    assert (error.kind, count) == ("redirect", 1)


@pytest.mark.parametrize(
    "line",
    [
        "X-Note: \u00e9t\u00e9".encode("latin-1"),
        "X-Note: \u00e9t\u00e9 \u4e2d\u6587".encode(),
        b"X-Request-Id: \xff\xfe",
        b"Set-Cookie: a=\xe9",
        b"X-Note: a\x01b\x7f",
        "Content-Type: application/json; charset=\u00e9t\u00e9".encode("latin-1"),
        b"Content-Type: application/json; charset=utf-16",
        b"Content-Type: application/json; charset=rot13",
    ],
)
@pytest.mark.parametrize("status", [200, 400])
def test_headers_of_any_bytes_hide_no_reply_and_no_error(line: bytes, status: int) -> None:
    body = (said("Hi.") if status == 200 else refused(status, "Too long.")).text().encode()
    stream = [f"HTTP/1.1 {status} X\r\n".encode() + line + b"\r\n\r\n", body]
    with client_of(in_turn(Sent(stream=stream))) as (client, _):
        if status == 200:
            assert client.ask(HELLO).message["content"] == "Hi."
        else:
            with pytest.raises(ModelError, match="Too long"):
                client.ask(HELLO)


@pytest.mark.parametrize("pause", ["\u00e9t\u00e9", "nan", "\u0661"])
def test_a_pause_that_cannot_be_read_is_none(pause: str) -> None:
    limited = [b"HTTP/1.1 429 X\r\nRetry-After: " + pause.encode() + b"\r\n\r\n", b"{}"]
    with client_of(in_turn(Sent(stream=limited), said("Hi."))) as (client, _):
        assert client.ask(HELLO).message["content"] == "Hi."


def test_a_header_without_end_ends_the_request_and_says_so() -> None:
    endless = [HEAD + b"X-Note: " + b"a" * 2**20 + b"\r\n\r\n", said("Hi.").text().encode()]
    error, _ = failure(in_turn(Sent(stream=endless)))
    assert (error.kind, "no HTTP" in error.message) == ("connection", True)


def test_bytes_that_are_no_text_are_replaced_in_a_reply() -> None:
    body = said("Hi.").text().encode().replace(b"Hi", b"H\xff")
    with client_of(in_turn(Sent(stream=[HEAD + b"\r\n", body]))) as (client, _):
        assert client.ask(HELLO).message["content"] == "H\ufffd."


def test_the_key_shows_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    error, _ = failure(in_turn(refused(401, f"Incorrect API key provided: {KEY}")), key=KEY)
    shown = f"{error!r} {error} {error.__cause__} {Endpoint('http://h/v1', 'm', KEY)!r} {caplog.text}"
    assert KEY not in shown
    assert "***" in error.message


def test_half_characters_are_made_whole() -> None:
    with client_of(in_turn(Sent(message={"content": "a\ud800b"}))) as (client, _):
        assert client.ask(HELLO).message["content"] == "a\ufffdb"


@contextmanager
def answering(reply: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A socket that says the same to everybody; gives its address and what it heard."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    client, _ = server.accept()
                    with client:
                        heard.append(client.recv(65536))
                        client.sendall(reply)

        threading.Thread(target=answer, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", heard


def test_what_speaks_no_http_is_a_failed_connection_with_a_sentence() -> None:
    with answering(b"hello, this is another service\r\n\r\n") as (address, _):
        client = ChatClient(Endpoint(f"{address}/v1", "m"), patience=QUICK)
        with pytest.raises(ModelError) as caught:
            client.ask(HELLO)
        client.close()
    assert caught.value.kind == "connection"
    assert "The reply is no HTTP" in caught.value.message


def test_the_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(b"HTTP/1.1 418 Teapot\r\nContent-Length: 0\r\n\r\n") as (address, heard):
        monkeypatch.setenv("http_proxy", address)
        client = ChatClient(Endpoint("http://models.example/v1", "m"), patience=QUICK)
        with pytest.raises(ModelError) as caught:
            client.ask(HELLO)
        client.close()
    assert caught.value.kind == "http_418"
    assert heard[0].startswith(b"POST http://models.example/v1/chat/completions ")


def test_calls_of_a_stream_without_indices_are_told_apart_by_their_place() -> None:
    pieces: list[JsonObject] = [
        {
            "tool_calls": [
                {"id": "c1", "function": {"name": "f", "arguments": '{"a"'}},
                {"id": "c2", "function": {"name": "g", "arguments": "{}"}},
            ]
        },
        {"tool_calls": [{"function": {"arguments": ": 1}"}}]},
    ]
    lines = [json.dumps({"choices": [{"delta": piece}]}) for piece in pieces]
    text = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    assert read_completion(text, seconds=0).message["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]
