"""What a model answered: replies by case and task, and the tolerant reader of single prediction records."""

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.model.record import JsonObject, Record, members_in, sha256_of, to_text


class ToolCall(Record):
    """One call a model made; `name` or `arguments` is None where the call cannot be read.

    `arguments` is JSON text as the model wrote it, or the text of what it sent as an object.
    """

    id: str | None = None
    name: str | None = None
    arguments: str | None = None

    @property
    def is_readable(self) -> bool:
        """Whether the call names a tool and has arguments; a missing id does not matter (IMP-18)."""
        return self.name is not None and self.arguments is not None


class Usage(Record):
    """Tokens one reply took; None where the endpoint did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Reply(Record):
    """One message of the model: calls, else a text, else nothing (scoring 3.2).

    `first_token_seconds` is how long its first token took; None where it was not asked for as a stream.
    """

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning_content: str | None = None
    usage: Usage | None = None
    latency_seconds: float | None = None
    first_token_seconds: float | None = None

    @property
    def is_empty(self) -> bool:
        """Neither calls nor text; white space is no text."""
        return not self.tool_calls and not (self.content or "").strip()


class InfraError(Record):
    """A failure outside the model: the endpoint, the network, the runner."""

    kind: str
    message: str = ""


_BESIDE_ANSWER = {"file", "line", "cases_sha256", "is_final", "request", "shown_messages"}


class Prediction(Record):
    """The successive replies to one task; `task` is None where the run of the whole case failed.

    `file` and `line` (from 1) say where it was read, `request` what the model was asked where the file
    says so, `shown_messages` how many messages it counts before the first reply. `is_final` where the
    evaluator that wrote it counts its first line for a task, even one without replies.
    """

    case: str
    task: int | None
    replies: tuple[Reply, ...] = ()
    cases_sha256: str | None = None
    error: InfraError | None = None
    file: str | None = None
    line: int | None = None
    is_final: bool = False
    request: str | None = None
    shown_messages: int | None = None

    @property
    def sha256(self) -> str:
        """Hash of what the model said, wherever it was read."""
        return sha256_of({k: v for k, v in vars(self).items() if k not in _BESIDE_ANSWER}, default=_parts)

    @property
    def gives_way(self) -> bool:
        """Whether a later answer counts instead: it failed outside the model and may be retried."""
        return self.error is not None and not self.is_final


class Ignored(Record):
    """Something in the predictions, or a task, that did not count, and why."""

    reason: str
    file: str | None = None
    line: int | None = None
    case: str | None = None
    task: int | None = None


def read_prediction(record: JsonObject, *, file: str | None = None, line: int | None = None) -> Prediction:
    """Read one record of our own shape (contracts 2), forgiving what is clear anyway.

    Args:
        record: One line as parsed.
        file: Where it was read.
        line: Its number there, from 1.

    Raises:
        InputError: It does not say which task of which case it answers, or its replies are no list.
    """
    case, task = read_id(record.get("case")), read_index(record.get("task"))
    if not case:
        raise InputError("The prediction names no case.", "Give the case's id under `case`.")
    if task is None:
        raise InputError(
            f"The prediction for {case} names no task.", "Give its number, counted from 0, under `task`."
        )
    sha256 = record.get("cases_sha256")
    return Prediction.trusted(
        case=case,
        task=task,
        replies=read_replies(record.get("replies")),
        cases_sha256=sha256 if isinstance(sha256, str) else None,
        error=_error(record.get("error")),
        file=file,
        line=line,
    )


def read_id(value: JsonValue) -> str:
    """An id from a text or a whole number; empty where it is neither."""
    is_id = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value) if is_id else ""


def read_index(value: JsonValue) -> int | None:
    """A task number from a number or a text of digits; None where it is none or negative."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _error(value: JsonValue) -> InfraError | None:
    if not value:
        return None
    if isinstance(value, dict):
        return InfraError(kind=str(value.get("kind") or "unknown"), message=str(value.get("message") or ""))
    return InfraError(kind="unknown", message=_text(value) or "")


def read_replies(value: JsonValue) -> tuple[Reply, ...]:
    """Read the replies to one task; a single reply need not stand in a list.

    Raises:
        InputError: The value is neither a list nor a reply.
    """
    if value is None:
        return ()
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        raise InputError("`replies` is not a list.", "Give the model's successive replies as a list.")
    return tuple(read_reply(item) for item in value)


def read_reply(value: JsonValue) -> Reply:
    """Read one message in OpenAI shape; what is no message counts as an empty one (IMP-18)."""
    if isinstance(value, str):
        return Reply(content=value)
    if not isinstance(value, dict):
        return Reply()
    calls = value.get("tool_calls")
    legacy = value.get("function_call")
    if not calls and isinstance(legacy, dict):
        calls = [{"function": legacy}]
    if isinstance(calls, dict):
        calls = [calls]
    reasoning = value.get("reasoning_content")
    return Reply.trusted(
        content=_text(value.get("content")),
        tool_calls=tuple(map(_call, calls)) if isinstance(calls, list) else (ToolCall(),) if calls else (),
        reasoning_content=reasoning if isinstance(reasoning, str) else None,
        usage=_usage(value.get("usage")),
        latency_seconds=_seconds(value.get("latency_seconds")),
        first_token_seconds=_seconds(value.get("first_token_seconds")),
    )


def _seconds(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and value >= 0 else None


def _parts(value: object) -> JsonObject:
    """The fields of a part of a prediction, without the first token's time where older programs had none."""
    return {
        key: part for key, part in vars(value).items() if key != "first_token_seconds" or part is not None
    }


def _text(value: JsonValue) -> str | None:
    """The text of a content field: a text, a list of text parts, or any other value written as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return to_text(value)


def _call(value: JsonValue) -> ToolCall:
    if not isinstance(value, dict):
        return ToolCall()
    function, call_id = members_in(value.get("function")), value.get("id")
    name = function.get("name")
    arguments = function.get("arguments")
    if "arguments" in function and not isinstance(arguments, str):
        arguments = to_text(arguments)
    return ToolCall.trusted(
        id=call_id if isinstance(call_id, str) and call_id else None,
        name=name if isinstance(name, str) and name else None,
        arguments=arguments if isinstance(arguments, str) else None,
    )


def _usage(value: JsonValue) -> Usage | None:
    if not isinstance(value, dict):
        return None
    return Usage(
        prompt_tokens=read_index(value.get("prompt_tokens")),
        completion_tokens=read_index(value.get("completion_tokens")),
    )
