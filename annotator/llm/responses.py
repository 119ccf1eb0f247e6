"""What an endpoint sends back, read with distrust: any body, any headers."""

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.model.record import JsonObject, Record

_SURROGATE = re.compile("[\ud800-\udfff]")


class Completion(Record):
    """One answer of an endpoint: the message as it came, and what it took.

    `usage` is what the endpoint says about tokens, null where it says nothing. `finish_reason` is `length`
    where the message was cut off.
    """

    message: JsonObject
    usage: JsonObject | None
    latency_seconds: float
    finish_reason: str | None = None


def read_completion(text: str, *, seconds: float) -> Completion:
    """Take the first choice out of the body of a response.

    Args:
        text: The body.
        seconds: How long it took.

    Raises:
        InputError: There is no message in it; endpoints that answer 200 with an error or nonsense exist.
    """
    try:
        body = _whole(json.loads(text))
    except (ValueError, RecursionError) as exc:
        raise InputError("The response is no JSON.") from exc
    body = body if isinstance(body, dict) else {}
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        error = body.get("error")
        said = error.get("message") if isinstance(error, dict) else error
        raise InputError(str(said) if said else "The response holds no message.")
    usage, reason = body.get("usage"), choice.get("finish_reason")
    return Completion(
        message=message,
        usage=usage if isinstance(usage, dict) else None,
        latency_seconds=round(seconds, 3),
        finish_reason=reason if isinstance(reason, str) else None,
    )


def pause_wanted(headers: Mapping[str, str]) -> float | None:
    """Seconds an endpoint wants to be left alone (`Retry-After`: a number or a date); null without one."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) * unit)
        except ValueError:
            continue
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def whole_text(text: str) -> str:
    """Replace half characters (lone surrogates), which no file of ours may hold."""
    return _SURROGATE.sub("\ufffd", text)


def _whole(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {whole_text(key): _whole(item) for key, item in value.items()}
    return value
