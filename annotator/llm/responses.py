"""What an endpoint sends back, read with distrust: any body, any headers."""

import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime

from pydantic import JsonValue

from scoring.errors import InputError, reworded
from scoring.model.record import JsonObject, Record, items_in, members_in, with_texts

_EVENTS = re.compile(r"(?:data|event|id|retry)?:")
"""How a stream of server-sent events begins; a line that begins with a colon is a comment."""
_DATA = re.compile(r"^(event:[ ]?error\s*\n)?data:[ ]?(.*)$", re.MULTILINE)
"""An event of a stream; its first group says that it is an error."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Completion(Record):
    """One answer of an endpoint: the message as it came, and what it took.

    `usage` is what the endpoint says about tokens, None where it says nothing. `finish_reason` is `length`
    where the message was cut off. `first_token_seconds` is how long its first token took, in a stream alone.
    """

    message: JsonObject
    usage: JsonObject | None
    latency_seconds: float
    first_token_seconds: float | None = None
    finish_reason: str | None = None


def read_completion(text: str, *, seconds: float, first_token_seconds: float | None = None) -> Completion:
    """Take the first choice out of the body of a response.

    Args:
        text: The body: one JSON object, or the events of a stream, which some servers send unasked.
        seconds: How long it took.
        first_token_seconds: How long its first token took; None where nobody saw it come.

    Raises:
        InputError: There is no message in it; endpoints that answer 200 with an error or nonsense exist.
    """
    text = text.lstrip("\ufeff \t\r\n")
    told = _joined(text) if _EVENTS.match(text) else _parsed(text)
    body = members_in(with_texts(told, whole_text, has_keys=True))
    choice = _choice(body)
    message = choice.get("message")
    if not isinstance(message, dict):
        error = body.get("error")
        said = error.get("message") if isinstance(error, dict) else error
        raise InputError(str(said) if said else "The response holds no message.")
    usage, reason = body.get("usage"), choice.get("finish_reason")
    return Completion(
        message=message,
        usage=usage if isinstance(usage, dict) else None,
        latency_seconds=round(seconds, 3),
        first_token_seconds=None if first_token_seconds is None else round(first_token_seconds, 3),
        finish_reason=reason if isinstance(reason, str) else None,
    )


def holds_token(events: bytes) -> bool:
    """Whether some event of a stream brings a piece of a message: of its text, its thoughts, or a call."""
    for found in _DATA.finditer(events.decode("utf-8", "replace")):
        texts: dict[str, list[str]] = {}
        calls: dict[int, dict[str, list[str]]] = {}
        with suppress(InputError):  # its end, or what is told of it when it is read whole
            _add_delta(_delta(_choice(_parsed(found[2]))), texts, calls, {})
        if calls or any(map(any, texts.values())):
            return True
    return False


def _parsed(text: str) -> JsonObject:
    with reworded(
        ValueError,
        RecursionError,
        into=lambda _: InputError("The response is no JSON, or an event of its stream is none."),
    ):
        return members_in(json.loads(text))


def _choice(body: JsonObject) -> JsonObject:
    return members_in(next(iter(items_in(body.get("choices"))), None))


def _joined(text: str) -> JsonObject:
    """The events of a stream as one body: texts joined, calls joined by their index, the last usage.

    With an error among them there is no message, whatever came before it.

    Raises:
        InputError: The stream breaks off, or an event is no JSON.
    """
    texts: dict[str, list[str]] = {}
    calls: dict[int, dict[str, list[str]]] = {}
    objects: dict[int, JsonObject] = {}
    body: JsonObject = {}
    reason: JsonValue = None
    is_complete = False
    for found in _DATA.finditer(text):
        if found[2].strip() == "[DONE]":
            is_complete = True
            break
        chunk = _parsed(found[2])
        if (found[1] or chunk.get("object") == "error") and not chunk.get("error"):
            chunk = {"error": chunk}
        body |= {key: chunk[key] for key in ("usage", "error") if chunk.get(key)}
        choice = _choice(chunk)
        reason = choice.get("finish_reason") or reason
        _add_delta(_delta(choice), texts, calls, objects)
    if not is_complete and reason is None and "error" not in body:
        raise InputError("The stream broke off.")
    if (texts or calls or reason) and "error" not in body:
        body["choices"] = [{"message": _message(texts, calls, objects), "finish_reason": reason}]
    return body


def _delta(choice: JsonObject) -> JsonValue:
    """What an event adds to a message; some servers send it whole."""
    return choice.get("delta") or choice.get("message")


def _message(
    texts: dict[str, list[str]], calls: dict[int, dict[str, list[str]]], objects: dict[int, JsonObject]
) -> JsonObject:
    joined: JsonObject = {key: "".join(parts) for key, parts in texts.items() if any(parts)}
    message: JsonObject = {"role": "assistant", "content": None, **joined}
    if calls:
        message["tool_calls"] = [_call(calls[number], objects[number]) for number in sorted(calls)]
    return message


def _add_delta(
    delta: JsonValue,
    texts: dict[str, list[str]],
    calls: dict[int, dict[str, list[str]]],
    objects: dict[int, JsonObject],
) -> None:
    """Keep what one event adds to the message: pieces of its texts and of its calls."""
    for key, value in delta.items() if isinstance(delta, dict) else ():
        if isinstance(value, str) and key != "role":
            texts.setdefault(key, []).append(value)
        elif key == "tool_calls" and isinstance(value, list):
            _add_calls(value, calls, objects)


def _add_calls(
    parts: list[JsonValue], calls: dict[int, dict[str, list[str]]], objects: dict[int, JsonObject]
) -> None:
    """Keep what one event says of calls, by their index, or by their place where they have none."""
    for place, part in enumerate(parts):
        if isinstance(part, dict):
            index = part.get("index")
            number = index if isinstance(index, int) else place
            _add_call(part, calls.setdefault(number, {}), objects.setdefault(number, {}))


def _add_call(part: JsonObject, texts: dict[str, list[str]], objects: JsonObject) -> None:
    """Keep what one event says of a call; `objects` holds arguments that come whole."""
    function = part.get("function")
    said = {"id": part.get("id"), **(function if isinstance(function, dict) else {})}
    for key, value in said.items():
        if isinstance(value, str):
            texts.setdefault(key, []).append(value)
        elif value is not None:
            objects[key] = value


def _call(texts: dict[str, list[str]], objects: JsonObject) -> JsonObject:
    function: JsonObject = {key: "".join(parts) for key, parts in texts.items() if key != "id"}
    call: JsonObject = {"type": "function", "function": function | objects}
    return {"id": texts["id"][0], **call} if "id" in texts else call


def pause_wanted(headers: Mapping[str, str]) -> float | None:
    """Seconds an endpoint wants to be left alone (`Retry-After`: a number or a date); None without one."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            return max(0.0, float(headers.get(name, "")) * unit)
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def whole_text(text: str) -> str:
    """Replace half characters (lone surrogates), which no file of ours may hold."""
    return _SURROGATE.sub("\ufffd", text)
