"""What evaluations, tracers and agents record: tau-bench, Inspect, spans, sessions (formats 11.3)."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from scoring.formats.chat.messages import text_message
from scoring.formats.dialects.dialogue import (
    INFERRED,
    Dialect,
    calling,
    chat,
    each,
    has,
    objects,
    result,
    tools_from,
)
from scoring.formats.dialects.providers import anthropic_messages, from_parts, texts
from scoring.formats.fields import parsed
from scoring.groups import grouped
from scoring.model.record import JsonObject, members_in

_SESSION_NOTES = ("summary", "file-history-snapshot")
"""Lines of a session that do not name it, and hold nothing that was said."""
_LANGCHAIN_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}


def _message(turn: JsonObject) -> JsonObject:
    """A message that is OpenAI's but for its calls, which stand there flat."""
    listed = objects(turn.get("tool_calls"), "tool_calls")
    role, content = str(turn.get("role", turn.get("type"))), turn.get("content")
    if role in ("tool", "function"):
        found = turn.get("tool_call_id", turn.get("id"))
        return result(texts(content) if isinstance(content, list) else content, found, turn.get("name"))
    if not listed:
        return text_message(_LANGCHAIN_ROLES.get(role, role), texts(content))
    calls = []
    for call in listed:
        inner = call.get("function")
        function: JsonObject = inner if isinstance(inner, dict) else {"name": inner, **call}
        calls.append((call.get("id"), function.get("name"), function.get("arguments", function.get("args"))))
    return calling(calls, texts(content))


def _tau(record: JsonObject) -> Iterator[JsonObject]:
    turns = [_message(turn) for turn in objects(record["traj"], "traj")]
    yield chat(turns, id=f"{record.get('task_id')}-{record.get('trial', 0)}")


def _tau2(record: JsonObject) -> Iterator[JsonObject]:
    for run in objects(record["simulations"], "simulations"):
        turns = objects(run.get("messages"), "messages")
        by_user = {
            call.get("id")
            for turn in turns
            if turn.get("role") == "user"
            for call in objects(turn.get("tool_calls"), "")
        }
        kept = [turn for turn in turns if turn.get("id") not in by_user or turn.get("role") != "tool"]
        plain = [turn | {"tool_calls": None} if turn.get("role") == "user" else turn for turn in kept]
        yield chat([_message(turn) for turn in plain], id=f"{run.get('task_id')}-{run.get('trial', 0)}")


def _inspect_sample(record: JsonObject) -> Iterator[JsonObject]:
    tools = next(
        (
            listed
            for event in objects(record.get("events"), "events")
            if event.get("event") == "model" and (listed := event.get("tools"))
        ),
        None,
    )
    turns = [_message(turn) for turn in objects(record["messages"], "messages")]
    yield chat(turns, tools=tools_from(tools), id=f"{record.get('id')}-{record.get('epoch', 1)}")


def _inspect(record: JsonObject) -> Iterator[JsonObject]:
    for sample in objects(record.get("samples"), "samples"):
        yield from _inspect_sample(sample)


def _attributes(span: JsonObject) -> JsonObject:
    """The attributes of a span: a list of keys with typed values, or a plain object."""
    listed = span.get("attributes")
    if isinstance(listed, dict):
        return listed
    pairs = [(str(one.get("key")), one.get("value")) for one in objects(listed, "attributes")]
    return {key: _typed(value) for key, value in pairs}


def _typed(value: JsonValue) -> JsonValue:
    """A value that OTLP writes with its type: `stringValue`, `arrayValue` of `values`, `kvlistValue`."""
    [(kind, inner)] = value.items() if isinstance(value, dict) and len(value) == 1 else [("", value)]
    if not isinstance(inner, dict):
        return inner
    if kind == "arrayValue":
        return [_typed(one) for one in objects(inner.get("values"), kind)]
    return _attributes({"attributes": inner.get("values")}) if kind == "kvlistValue" else inner


def _spans(record: JsonObject) -> Iterator[JsonObject]:
    longest: dict[str, tuple[int, JsonObject]] = {}
    scopes = [
        scope
        for one in objects(record["resourceSpans"], "resourceSpans")
        for scope in objects(one.get("scopeSpans"), "")
    ]
    for span in (span for scope in scopes for span in objects(scope.get("spans"), "spans")):
        found = _attributes(span)
        turns = objects(found.get("gen_ai.input.messages"), "gen_ai.input.messages")
        turns = [*turns, *objects(found.get("gen_ai.output.messages"), "gen_ai.output.messages")]
        key = str(found.get("gen_ai.conversation.id") or span.get("traceId"))
        if len(turns) <= longest.get(key, (0, {}))[0]:
            continue
        messages = [
            one
            for turn in turns
            for one in from_parts(str(turn.get("role")), objects(turn.get("parts"), "parts"))
        ]
        system = objects(found.get("gen_ai.system_instructions"), "gen_ai.system_instructions")
        tools = tools_from(found.get("gen_ai.tool.definitions"))
        text = "\n".join(str(part.get("content", "")) for part in system)
        longest[key] = len(turns), chat(messages, tools=tools, system=text, id=key)
    yield from (dialogue for _, dialogue in longest.values())


def _plain(value: JsonValue) -> JsonValue:
    """LangChain's written objects as what they hold, a type taken from the class where it is not said."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner, path = value.get("kwargs"), value.get("id")
    if isinstance(inner, dict) and isinstance(path, list):
        kind: JsonValue = str(path[-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return {"type": kind} | {key: _plain(item) for key, item in inner.items()}
    return {key: _plain(item) for key, item in value.items()}


def _said(value: JsonValue) -> Iterator[JsonObject]:
    """The messages of a request or a reply, however deep a tracer puts them."""
    value = _plain(parsed(value))
    match value:
        case list():
            for item in value:
                yield from _said(item)
        case dict() if ("role" in value or "type" in value) and ("content" in value or "tool_calls" in value):
            yield value
        case dict():
            for key in ("messages", "generations", "message", "choices", "output"):
                yield from _said(value.get(key))


def _trace(key: JsonValue, asked: JsonValue, answered: JsonValue, tools: JsonValue) -> JsonObject:
    return chat(
        [_message(turn) for turn in [*_said(asked), *_said(answered)]],
        tools=tools_from(tools or members_in(_plain(parsed(asked))).get("tools")),
        id=key,
    )


def _langfuse(record: JsonObject) -> Iterator[JsonObject]:
    listed = objects(record["observations"], "observations") if "observations" in record else [record]
    calls = [one for one in listed if one.get("type") == "GENERATION"]
    if calls:
        last = max(calls, key=lambda one: len([*_said(one.get("input"))]))
        key = record.get("id") if "observations" in record else record.get("traceId")
        yield _trace(key, last.get("input"), last.get("output"), None)


def _langsmith(record: JsonObject) -> Iterator[JsonObject]:
    if record["run_type"] == "llm":
        tools = members_in(members_in(record.get("extra")).get("invocation_params")).get("tools")
        yield _trace(record.get("id"), record.get("inputs"), record.get("outputs"), tools)


def is_session_line(record: JsonObject) -> bool:
    """Whether a line is one event of a recorded session, of which a file holds many."""
    return "type" in record and ("sessionId" in record or record["type"] in _SESSION_NOTES)


def session_chats(records: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """The sessions of Claude Code lines, without side chains, the parts of one reply joined."""
    sessions = grouped(
        (str(record.get("sessionId")), message)
        for record in records
        if isinstance(message := record.get("message"), dict)
        and not record.get("isSidechain")
        and not record.get("isMeta")
    )
    for key, turns in sessions.items():
        joined: list[JsonObject] = []
        for turn in turns:
            if joined and turn.get("id") and joined[-1].get("id") == turn["id"]:
                joined[-1] = joined[-1] | {
                    "content": [*objects(joined[-1]["content"], ""), *objects(turn.get("content"), "")]
                }
            else:
                joined.append(turn)
        yield chat([*anthropic_messages(joined)], id=key)


SHAPES = (
    Dialect("tau-bench trajectories", has("traj", "task_id"), each(_tau), INFERRED),
    Dialect(
        "tau2-bench results", has("simulations"), each(_tau2), f"{INFERRED} What the user called is left out."
    ),
    Dialect("an Inspect log", has("eval", "samples"), each(_inspect)),
    Dialect("an Inspect sample", has("epoch", "messages", "target"), each(_inspect_sample)),
    Dialect(
        "OpenTelemetry spans",
        has("resourceSpans"),
        each(_spans),
        "Of each conversation the longest span is read.",
    ),
    Dialect(
        "a Langfuse trace",
        has("observations"),
        each(_langfuse),
        "Of each trace the longest generation is read.",
    ),
    Dialect("a Langfuse generation", has("traceId", "type", "input", "output"), each(_langfuse)),
    Dialect(
        "a LangSmith run",
        has("run_type", "inputs"),
        each(_langsmith),
        "Of a trace its model calls are read, each by itself.",
    ),
)
SESSION = Dialect(
    "Claude Code session lines", is_session_line, lambda records, path: session_chats(records), INFERRED
)
