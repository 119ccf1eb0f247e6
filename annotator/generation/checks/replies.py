"""What a role replied, read with distrust and bounded repair (generation 1, 3.2, 4; formats 7)."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field, JsonValue

from scoring.formats.strict_json import MAX_DEPTH, depth
from scoring.model.record import JsonObject, Record, to_text

LONGEST_REPLY = 400_000
"""Characters of a reply that are looked at; what is longer is rejected unread."""
_MOST_STARTS = 8
_FENCE = re.compile(r"```[ \t]*[A-Za-z]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n\"]*$", re.MULTILINE)
_LABEL = re.compile(
    r"^\s*[*_#]*\s*(user|agent assistant|agent|assistant|ai|planner|tool|checker[_ ]?\w*|"
    r"用户|agent助手|助手|规划器?|工具)\s*[*_]*\s*[:：][*_]*\s*",
    re.IGNORECASE,
)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_YES = re.compile(r"^\W*(yes|true|correct|ok|right|accept(ed)?|approved?|是|正确)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(no|false|incorrect|wrong|reject(ed)?|否|不|错误)\b", re.IGNORECASE)


class ReplyError(Exception):
    """A reply that cannot be read; the text says what is missing."""


class Action(Record):
    """One action a planner wants done."""

    name: str
    arguments: JsonObject = Field(default_factory=dict)
    purpose: str = ""


class Decision(Record):
    """What a planner decided."""

    thought: str = ""
    plan: str = ""
    actions: tuple[Action, ...] = ()
    is_finished: bool | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the actions."""
        return tuple(action.name for action in self.actions)


class Opinion(Record):
    """What the Checker thinks of a plan."""

    is_correct: bool
    analysis: str = ""


def text_of(message: Mapping[str, JsonValue]) -> str:
    """The text of a message: its content, or the parts of it that are texts; without thinking aloud."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        content = "\n".join(part for part in parts if isinstance(part, str))
    text = content if isinstance(content, str) else ""
    return _THOUGHTS.sub("", text[: LONGEST_REPLY + 1])


def plain_text(message: Mapping[str, JsonValue]) -> str:
    """A reply that is one text: without its label, and without a fence around all of it.

    Raises:
        ReplyError: Nothing is left.
    """
    text = text_of(message)
    if len(text) > LONGEST_REPLY:
        raise ReplyError("the reply is too long")
    text = _bare(text)
    if text.startswith("{"):
        value = next(_objects(text), None)
        words = [part for part in value.values() if isinstance(part, str)] if isinstance(value, dict) else []
        text = _bare(words[0]) if len(words) == 1 else text
    if not text:
        raise ReplyError("the reply is empty")
    return text


def _bare(text: str) -> str:
    text = text.strip()
    for _ in range(2):
        text = _LABEL.sub("", text, count=1).strip()
        fenced = re.fullmatch(r"```[A-Za-z]*\s*\n?(.*?)\n?```", text, re.DOTALL)
        text = fenced[1].strip() if fenced and "```" not in fenced[1] else text
    return text.strip().strip('"').strip() if text.count('"') == 2 and text.strip()[:1] == '"' else text


def read_decision(message: Mapping[str, JsonValue]) -> Decision:
    """What a planner decided: the fenced JSON it was asked for, or native tool calls.

    Raises:
        ReplyError: Neither is there.
    """
    calls = tuple(_native_actions(message.get("tool_calls")))
    found = _object_with(
        text_of(message), ("actionlist", "actions", "action", "thought", "plan", "toolcalls")
    )
    if found is None and not calls:
        raise ReplyError("no JSON object with an Action_List")
    keys = _folded(found or {})
    listed = _first(keys, "actionlist", "actions", "action", "toolcalls")
    actions = tuple(_actions(listed)) or calls
    finish = _first(keys, "taskfinish", "missionfinish", "finish", "finished")
    return Decision(
        thought=to_text(_first(keys, "thought", "thoughts") or ""),
        plan=to_text(_first(keys, "plan") or ""),
        actions=actions,
        is_finished=_yes_or_no(finish),
    )


def _native_actions(calls: JsonValue) -> Iterator[Action]:
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            yield _action(call)


def _actions(listed: JsonValue) -> Iterator[Action]:
    for item in listed if isinstance(listed, list) else [listed]:
        if isinstance(item, dict):
            yield _action(item)
        elif item:
            raise ReplyError("an action is no object")


def _action(item: Mapping[str, JsonValue]) -> Action:
    keys = _folded(item)
    function = keys.get("function")
    if isinstance(function, dict):
        keys |= _folded(function)
    name = _first(keys, "name", "action", "tool", "toolname", "function")
    arguments = _first(keys, "arguments", "parameters", "args", "input", "actioninput")
    if isinstance(arguments, str):
        arguments = _parsed(arguments) if arguments.strip() else {}
    if arguments is None:
        arguments = {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ReplyError("an action has no name, or its arguments are no object")
    purpose = _first(keys, "toolcallpurpose", "purpose")
    return Action(name=name.strip(), arguments=arguments, purpose=to_text(purpose or ""))


def read_observations(message: Mapping[str, JsonValue]) -> tuple[JsonValue, ...]:
    """What a tool brought back, one observation for each action.

    Raises:
        ReplyError: There is no list of observations.
    """
    text = text_of(message)
    if len(text) > LONGEST_REPLY:
        raise ReplyError("the reply is too long")
    for value in _values(text):
        listed: JsonValue = value
        if isinstance(value, dict):
            listed = _first(_folded(value), "observationlist", "observations", "observation", "results")
            listed = [listed] if isinstance(listed, dict) else listed
        if isinstance(listed, list):
            return tuple(listed)
    raise ReplyError("no JSON object with an Observation_List")


def read_candidates(message: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The candidate requests of a user: an object of tasks, a list, or one plain text.

    Raises:
        ReplyError: There is none.
    """
    text = text_of(message)
    if len(text) > LONGEST_REPLY:
        raise ReplyError("the reply is too long")
    for value in _values(text):
        found = tuple(dict.fromkeys(filter(None, map(_bare, _requests(value)))))
        if found:
            return found
    if "{" in text and "}" in text:
        raise ReplyError("its JSON cannot be read")
    return (plain_text(message),)


_DESCRIPTIONS = ("taskdescription", "description", "task", "text", "content", "request", "query", "question")


def _requests(value: JsonValue, level: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and level < 4:
        for item in value:
            yield from _requests(item, level + 1)
    elif isinstance(value, dict) and level < 4:
        described = _first(_folded(value), *_DESCRIPTIONS)
        if isinstance(described, str):
            yield described
            return
        for item in value.values():
            yield from _requests(item, level + 1)


def read_opinion(message: Mapping[str, JsonValue]) -> Opinion:
    """What the Checker thinks: its verdict object, or a sentence that begins with yes or no.

    Raises:
        ReplyError: There is no verdict.
    """
    text = text_of(message)
    found = _object_with(text, ("correct", "verdict", "iscorrect"))
    if found is not None:
        keys = _folded(found)
        verdict = _yes_or_no(_first(keys, "correct", "verdict", "iscorrect"))
        if verdict is None:
            raise ReplyError("the verdict is neither yes nor no")
        return Opinion(
            is_correct=verdict, analysis=to_text(_first(keys, "toolcallanalysis", "analysis") or "")
        )
    bare = _bare(text)
    if bare and (_YES.search(bare) or _NO.search(bare)):
        return Opinion(is_correct=_NO.search(bare) is None, analysis=bare)
    raise ReplyError("there is no verdict")


def read_choice(message: Mapping[str, JsonValue], *, count: int) -> tuple[int, str | None]:
    """Which candidate a model picks, from 0, and how it would word it.

    Raises:
        ReplyError: It picks none there is.
    """
    found = _object_with(text_of(message), ("choice", "chosen", "task", "number"))
    keys = _folded(found or {})
    picked = _first(keys, "choice", "chosen", "number", "task")
    digits = re.search(r"\d+", to_text(picked) if found else text_of(message))
    if digits is None or not 1 <= int(digits[0][:6]) <= count:
        raise ReplyError(f"it picks none of the {count} candidates")
    edited = _first(keys, "text", "edited")
    return int(digits[0][:6]) - 1, edited.strip() if isinstance(edited, str) and edited.strip() else None


def _yes_or_no(value: JsonValue) -> bool | None:
    if isinstance(value, bool):
        return value
    text = to_text(value) if value is not None else ""
    return False if _NO.search(text) else True if _YES.search(text) else None


def _folded(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The keys of an object without what separates words, in small letters."""
    return {re.sub(r"[\W_]+", "", key).casefold(): item for key, item in value.items()}


def _first(keys: Mapping[str, JsonValue], *names: str) -> JsonValue:
    return next((keys[name] for name in names if keys.get(name) is not None), None)


def _object_with(text: str, names: tuple[str, ...]) -> JsonObject | None:
    if len(text) > LONGEST_REPLY:
        raise ReplyError("the reply is too long")
    for value in _values(text):
        if isinstance(value, dict) and any(name in _folded(value) for name in names):
            return value
    return None


def _objects(text: str) -> Iterator[JsonObject]:
    return (value for value in _values(text) if isinstance(value, dict))


def _values(text: str) -> Iterator[JsonValue]:
    """The JSON values a reply may mean: fenced ones, the whole, then those that begin inside prose."""
    for fenced in _FENCE.findall(text):
        value = _parsed(fenced)
        if isinstance(value, dict | list):
            yield value
    starts = [found.start() for found in re.finditer(r"[{\[]", text)][:_MOST_STARTS]
    for start in starts:
        end = max(text.rfind("}"), text.rfind("]")) + 1
        value = _parsed(text[start:end]) if end > start else None
        if value is None:
            value = _parsed_prefix(text[start:])
        if isinstance(value, dict | list):
            yield value
            if start == starts[0]:
                return


def _parsed_prefix(text: str) -> JsonValue:
    try:
        value: JsonValue = json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None
    return _sound(value)


def _parsed(text: str) -> JsonValue:
    """Parse a text, as it is and then repaired; null where nothing helps."""
    text = text.strip()
    if not text or len(text) > LONGEST_REPLY:
        return None
    for repaired in _repairs(text):
        try:
            value = json.loads(repaired, strict=False, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
        found = _sound(value)
        if found is not None:
            return found
    return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _sound(value: Any) -> JsonValue:
    return value if isinstance(value, dict | list) and depth(value) <= MAX_DEPTH else None


def _repairs(text: str) -> Iterator[str]:
    yield text
    without = _COMMENT.sub("", text)
    tidy = _tidied(without)
    yield tidy
    yield _closed(tidy)


def _tidied(text: str) -> str:
    """The text with double quotes, standard names of constants, and no comma before a closing bracket."""
    made: list[str] = []
    i = 0
    while i < len(text):
        char = text[i]
        if char in "\"'":
            literal, i = _literal(text, i)
            made.append(literal)
            continue
        word = re.compile(r"[A-Za-z_]\w*").match(text, i)
        if word:
            name = word[0]
            is_key = re.match(r"\s*:", text[word.end() :][:20]) is not None
            constants = {"True": "true", "False": "false", "None": "null"}
            is_json = name in ("true", "false", "null")
            made.append(constants.get(name) or (json.dumps(name) if is_key and not is_json else name))
            i = word.end()
            continue
        if char in "}]":
            while made and not made[-1].strip():
                made.pop()
            if made and made[-1] == ",":
                made.pop()
        made.append(char)
        i += 1
    return "".join(made)


def _literal(text: str, start: int) -> tuple[str, int]:
    """A quoted text as JSON writes it, and where it ends; an apostrophe inside words ends no text."""
    quote, i, inner = text[start], start + 1, []
    while i < len(text):
        char = text[i]
        if char == "\\" and i + 1 < len(text):
            inner.append("'" if text[i + 1] == "'" else text[i : i + 2])
            i += 2
            continue
        is_inside = quote == "'" and i + 1 < len(text) and text[i + 1].isalnum() and text[i - 1].isalnum()
        if char == quote and not is_inside:
            break
        inner.append({'"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, char))
        i += 1
    return f'"{"".join(inner)}"', i + 1


def _closed(text: str) -> str:
    """The text with the brackets closed that were left open at its end."""
    stack: list[str] = []
    is_inside = is_escaped = False
    for char in text:
        if is_inside:
            is_inside, is_escaped = is_escaped or char != '"', char == "\\" and not is_escaped
        elif char == '"':
            is_inside = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]" and stack:
            stack.pop()
    return text + ('"' if is_inside else "") + "".join(reversed(stack))
